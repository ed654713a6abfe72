#include "hyobscure/audit/attack/interval.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>

namespace hyobscure::audit {
namespace {

// P(|T| <= t): the finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
double central_probability(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int k = odd ? 1 : 0; k <= degrees - 2; k += 2) {
    sum += term;
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  return odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

constexpr int kNearlyNormal = 1000;  // from here on t is 1.96 to three digits and the series only longer
constexpr double kConfidence = 0.95;

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double student_t_95(int degrees) {
  assert(degrees >= 1);
  const int used = std::min(degrees, kNearlyNormal);
  double low = 1.9, high = 13;  // 1.96 for many degrees, 12.7 for one
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (central_probability(middle, used) < kConfidence ? low : high) = middle;
  }
  return high;
}

TrialFigure mean_figure(std::span<const std::uint32_t> people, std::span<const double> values) {
  assert(people.size() == values.size() && !people.empty());
  const auto n = static_cast<double>(people.size());
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  TrialFigure figure{.value = sum.value() / n, .people = {people.begin(), people.end()}};
  figure.influences.reserve(values.size());
  for (const double value : values) figure.influences.push_back((value - figure.value) / n);
  return figure;
}

namespace {

/// By how much the mean of the trials' figures moves for each person, and what is left of the spread.
struct Influences {
  double mean = 0;
  std::map<std::uint32_t, double> of_person;  ///< summed in the order of trials
  double within = 0;                          ///< squares, trial by trial
};

Influences influences_of(std::span<const TrialFigure> trials) {
  const auto count = static_cast<double>(trials.size());
  CompensatedSum sum, within;
  Influences found;
  for (const TrialFigure& trial : trials) {
    sum.add(trial.value);
    for (std::size_t n = 0; n < trial.people.size(); ++n) {
      const double influence = trial.influences[n] / count;
      found.of_person[trial.people[n]] += influence;
      within.add(influence * influence);
    }
  }
  found.mean = sum.value() / count;
  found.within = within.value();
  return found;
}

}  // namespace

MeanAndVariance over_people(std::span<const TrialFigure> trials) {
  assert(!trials.empty());
  const auto count = static_cast<double>(trials.size());
  const auto& [mean, influence_of_person, within] = influences_of(trials);
  CompensatedSum of_people, of_trials;
  for (const auto& [person, influence] : influence_of_person) of_people.add(influence * influence);
  for (const TrialFigure& trial : trials) of_trials.add((trial.value - mean) * (trial.value - mean));
  const auto people = static_cast<double>(influence_of_person.size());
  double variance = of_people.value() * people / std::max(1.0, people - 1);
  if (trials.size() > 1) variance += std::max(0.0, of_trials.value() / (count * (count - 1)) - within);
  return {.mean = mean, .variance = variance, .people = influence_of_person.size()};
}

namespace {

double t_of_people(std::size_t people) {
  return student_t_95(static_cast<int>(std::min<std::size_t>(people - 1, kNearlyNormal)));
}

Estimate cut(double mean, double half, const Range& range) {
  return {.mean = mean, .low = std::max(mean - half, range.low), .high = std::min(mean + half, range.high)};
}

}  // namespace

Estimate estimate(const MeanAndVariance& found, const Range& range) {
  assert(found.people >= 2);
  return cut(found.mean, t_of_people(found.people) * std::sqrt(found.variance), range);
}

Estimate resampled(std::span<const TrialFigure> trials, const Key& key, const Range& range) {
  constexpr std::size_t kMostDraws = 1000, kFewestDraws = 200, kMostSteps = 20'000'000;
  const Influences found = influences_of(trials);
  std::vector<double> influences;
  for (const auto& [person, influence] : found.of_person) influences.push_back(influence);
  const std::size_t people = influences.size();
  RandomStream random(key);
  std::vector<double> means(std::clamp(kMostSteps / people, kFewestDraws, kMostDraws));
  for (double& mean : means) {
    mean = found.mean;
    for (std::size_t n = 0; n < people; ++n) mean += influences[random.below(people)];
    mean = std::clamp(mean, range.low, range.high);
  }
  return {.mean = found.mean, .low = quantile(means, 0.025), .high = quantile(means, 0.975)};
}

Estimate share_estimate(const MeanAndVariance& found) {
  assert(found.people >= 2);
  const double p = found.mean, t = t_of_people(found.people), t2 = t * t;
  const double of_one = std::max(0.0, p * (1 - p));
  const double n =
      of_one > 0 && found.variance > 0 ? of_one / found.variance : static_cast<double>(found.people);
  const double centre = (p + t2 / (2 * n)) / (1 + t2 / n);
  const double half = t / (1 + t2 / n) * std::sqrt(of_one / n + t2 / (4 * n * n));
  return {.mean = p,
          .low = p > 0 ? std::clamp(centre - half, 0.0, p) : 0,
          .high = p < 1 ? std::clamp(centre + half, p, 1.0) : 1};
}

Estimate estimate(std::span<const double> values, const Range& range) {
  assert(values.size() >= 2);
  const auto n = static_cast<double>(values.size());
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  const double variance = squares.value() / (n - 1);
  return cut(mean, student_t_95(static_cast<int>(values.size()) - 1) * std::sqrt(variance / n), range);
}

namespace {

/// So many deviations above 0 a mean is found nine times out of ten.
double deviations_needed(std::size_t people) {
  constexpr double kNineOfTen = 1.2816;  // of a normal variable, one in ten is below minus this
  return t_of_people(people) + kNineOfTen;
}

}  // namespace

std::optional<double> smallest_found(std::span<const MeanAndVariance> planted) {
  const auto excess = [](const MeanAndVariance& gain) {
    return gain.mean - deviations_needed(gain.people) * std::sqrt(gain.variance);
  };
  for (std::size_t n = 0; n < planted.size(); ++n) {
    if (!(planted[n].mean > 0 && excess(planted[n]) >= 0)) continue;
    if (n == 0) return planted[n].mean;
    const double before = std::min(0.0, excess(planted[n - 1])), here = excess(planted[n]);
    const double share = here > before ? -before / (here - before) : 1;
    const double low = std::max(0.0, planted[n - 1].mean);
    // one that fell back on the guess says nothing of how little would have been enough
    return planted[n - 1].variance > 0 ? low + share * (planted[n].mean - low) : planted[n].mean;
  }
  return std::nullopt;
}

std::optional<double> smallest_found(const MeanAndVariance& published, const MeanAndVariance& unobscured) {
  const double needed = deviations_needed(published.people);
  const auto people = static_cast<double>(published.people);
  const double difference = unobscured.mean - published.mean;
  const auto mean = [&](double q) { return (1 - q) * published.mean + q * unobscured.mean; };
  const auto is_found = [&](double q) {
    const double variance = (1 - q) * published.variance + q * unobscured.variance +
                            q * (1 - q) * difference * difference / people;
    return mean(q) > 0 && mean(q) >= needed * std::sqrt(variance);
  };
  if (!is_found(1)) return std::nullopt;
  double low = 0, high = 1;
  for (int step = 0; step < 50 && !is_found(0); ++step) {
    const double middle = (low + high) / 2;
    (is_found(middle) ? high : low) = middle;
  }
  return mean(is_found(0) ? 0 : high);
}

}  // namespace hyobscure::audit
