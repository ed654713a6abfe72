#include "hyobscure/solve/person/person_pricing.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "hyobscure/solve/person/person_best_users.h"
#include "hyobscure/solve/person/person_bound.h"

namespace hyobscure::solve {
namespace {

constexpr std::size_t kCheapestDonors = 10;  // that a pass adds to a row

/// Everything about one bound over all pairs.
class AllPairs {
 public:
  AllPairs(const PoolTask& task, const std::vector<float>& nearest, const PoolDuals& duals)
      : task_(task), nearest_(nearest), duals_(duals), batches_(batches_by_value(task.pool)) {}

  FullBound bound(double slack, std::size_t table_cells);

 private:
  double weight() const { return task_.terms.informed_weight; }
  RowMatrixXf posteriors(const Batch& batch) const;
  void add_scores(const Batch& batch, RowMatrixXf& scores) const;
  void add_to_column_prices(const BestUsers& best, const Slice& slice);
  void finish_column_prices();
  double bound_of_batch(const Batch& batch, const BestUsers& best, double slack, DonorRows& additions) const;
  double least_price(std::size_t u, const BestUsers::Two* best, std::span<const float> distances,
                     std::span<const float> learned) const;
  std::vector<Donor> cheapest_donors(std::size_t u, const BestUsers::Two* best,
                                     std::span<const float> distances, std::span<const float> learned,
                                     double slack) const;
  double rounding_of_learned() const;

  const PoolTask& task_;
  const std::vector<float>& nearest_;
  const PoolDuals& duals_;
  const std::vector<Batch> batches_;
  std::vector<double> highest_, mass_;  // of log sum_y q_y e^b: its largest b, and the sum relative to that
  std::vector<double> height_;          // w1 h_j, or the highest score without an informed attacker
  float learned_margin_ = 0;            // how far a float product with the learned scores may be off
};

/// Of the batch's people, as the learned attacker sees them.
RowMatrixXf AllPairs::posteriors(const Batch& batch) const {
  RowMatrixXf probabilities(at(batch.people.size()), duals_.learned.cols());
  for (std::size_t k = 0; k < batch.people.size(); ++k)
    probabilities.row(at(k)) = posterior(task_.pool, batch.people[k]).cast<float>();
  return probabilities;
}

/// mu_u - multiplier (d - nearest) - w2 sum_y P(u,y) s2_j(y): what w1 s1_j(y_u) must not fall below.
void AllPairs::add_scores(const Batch& batch, RowMatrixXf& scores) const {
  load_distances(task_, batch, scores);
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::size_t u = batch.people[k];
    const auto price = static_cast<float>(task_.multiplier);
    const auto mu = static_cast<float>(duals_.rows[u]);
    // an infinite distance stays infinite at a multiplier of 0
    scores.row(at(k)) = (scores.row(at(k)).array().isFinite())
                            .select(mu - price * (scores.row(at(k)).array() - nearest_[u]), kLowestScore);
  }
  if (!counts_learned(task_)) return;
  scores.noalias() -=
      static_cast<float>(task_.terms.learned_weight) * posteriors(batch) * duals_.learned.transpose();
}

void AllPairs::add_to_column_prices(const BestUsers& best, const Slice& slice) {
  const Eigen::VectorXd shares = informed_shares(task_.pool);
  const double scale = counts_informed(task_) ? 1 / weight() : 1;
  parallel_blocks(task_.pool.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = slice.first_value; y < slice.first_value + slice.values; ++y) {
      if (shares(at(y)) == 0) continue;
      const BestUsers::Two* row = best.of_value(y);
      for (std::size_t j = begin; j < end; ++j) {
        // nobody of this value may be published as j: q_y e^-infinity
        if (row[j].first == kLowestScore) continue;
        const double b = scale * row[j].best();
        if (b > highest_[j]) {
          // log sum_y q_y e^b, value after value: the sum is kept relative to the largest b met so far
          mass_[j] *= std::exp(highest_[j] - b);
          highest_[j] = b;
        }
        mass_[j] += shares(at(y)) * std::exp(b - highest_[j]);
      }
    }
  });
}

void AllPairs::finish_column_prices() {
  height_.resize(task_.pool.size());
  for (std::size_t j = 0; j < height_.size(); ++j) {
    if (mass_[j] == 0)
      // its column has no pair, so no price below reads it
      height_[j] = -std::numeric_limits<double>::infinity();  // nobody may be published as j
    else
      height_[j] = counts_informed(task_) ? weight() * (highest_[j] + std::log(mass_[j])) : highest_[j];
  }
}

FullBound AllPairs::bound(double slack, std::size_t table_cells) {
  const std::size_t people = task_.pool.size();
  highest_.assign(people, -std::numeric_limits<double>::max());
  mass_.assign(people, 0);
  learned_margin_ = static_cast<float>(rounding_of_learned());
  const auto parts = slices(batches_, people, table_cells);
  const BatchScores scores = [&](const Batch& batch, RowMatrixXf& to) { add_scores(batch, to); };
  std::unique_ptr<BestUsers> best;
  for (const Slice& slice : parts) {
    // First pass, person_sparse.md "The bound", "Choosing s and nu": b_j(y) of every donor and value, and
    // from them the heights w1 h_j.
    best = std::make_unique<BestUsers>(find_best_users(batches_, slice, people, scores));
    add_to_column_prices(*best, slice);
  }
  finish_column_prices();

  // Second pass: the minima of the rows, over all pairs. Several slices find their best users once more.
  FullBound result;
  result.additions.resize(people);
  std::vector<double> bounds(batches_.size());
  for (const Slice& slice : parts) {
    if (parts.size() > 1)
      best = std::make_unique<BestUsers>(find_best_users(batches_, slice, people, scores));
    parallel_blocks(slice.end - slice.begin, 1, [&](std::size_t k, std::size_t) {
      const std::size_t b = slice.begin + k;
      bounds[b] = bound_of_batch(batches_[b], *best, slack, result.additions);
    });
  }
  SafeSum sum;
  for (const double part : bounds) sum.add(part);
  if (task_.terms.balanced)
    for (const double height : height_)
      if (std::isfinite(height)) sum.add(-height);
  result.bound = sum.lower();
  return result;
}

double AllPairs::bound_of_batch(const Batch& batch, const BestUsers& best, double slack,
                                DonorRows& additions) const {
  const std::size_t people = task_.pool.size();
  RowMatrixXf distances;
  load_distances(task_, batch, distances);
  RowMatrixXf learned;
  if (counts_learned(task_)) {
    learned.noalias() = posteriors(batch) * duals_.learned.transpose();
  }
  double sum = 0;
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::uint32_t u = batch.people[k];
    const std::span<const float> row{distances.row(at(k)).data(), people};
    const BestUsers::Two* users = best.of_value(batch.value);
    const std::span<const float> products = counts_learned(task_)
                                                ? std::span<const float>{learned.row(at(k)).data(), people}
                                                : std::span<const float>{};
    sum += task_.multiplier * nearest_[u] + least_price(u, users, row, products);
    // "Pricing": nu of the restricted solution is duals_.columns; the bound itself uses nu_j = -w1 h_j
    const auto violated = [&](std::size_t j) { return height_[j] + duals_.columns[j] > slack; };
    // the two best users of each value and violated donor, then the largest gains of this person
    additions[u] = donors_with_user(users, u, row, violated);
    append(additions[u], cheapest_donors(u, users, row, products, slack));
  }
  return sum;
}

/// min_j w1 s1_j(y_u) + w2 sum_y P(u,y) s2_j(y) + multiplier (d(u,j) - nearest_u) - nu_j, in double. The sums
/// over values were multiplied out in float: those that may be smallest are done again.
double AllPairs::least_price(std::size_t u, const BestUsers::Two* best, std::span<const float> distances,
                             std::span<const float> learned) const {
  const double nearest = nearest_[u];
  const bool informed = counts_informed(task_);
  const double learned_weight = task_.terms.learned_weight;
  // how a price depends on the height of its column: -height of w1 s1, +height of -nu
  const double sign = (informed ? -1.0 : 0.0) + (task_.terms.balanced ? 1.0 : 0.0);
  const auto price_without_learned = [&](std::size_t j) {
    const double score = informed ? best[j].best() : 0;
    // not 0 * height: the height of a column without users is -infinity
    const double height = sign != 0 ? sign * height_[j] : 0;
    return task_.multiplier * (distances[j] - nearest) + score + height;
  };
  double least = std::numeric_limits<double>::infinity();
  if (learned.empty()) {
    for (std::size_t j = 0; j < distances.size(); ++j)
      if (std::isfinite(distances[j])) least = std::min(least, price_without_learned(j));
    return least;
  }
  // "Digits": a pair whose float product could hide a price below the smallest found is multiplied out in
  // double, all others cannot be the minimum. Both products may be off by the margin, hence twice.
  double rough = least;
  for (std::size_t j = 0; j < distances.size(); ++j)
    if (std::isfinite(distances[j]))
      rough = std::min(rough, price_without_learned(j) + learned_weight * learned[j]);
  for (std::size_t j = 0; j < distances.size(); ++j) {
    if (!std::isfinite(distances[j])) continue;
    const double price = price_without_learned(j);
    if (price + learned_weight * (learned[j] - 2 * learned_margin_) > rough) continue;
    const double product = learned_score(task_.pool, duals_, u, j);
    least = std::min(least, price + learned_weight * product);
  }
  return least;
}

/// The donors that u would gain most by moving to at the given prices: those of largest
/// mu_u + nu_j - gradient(u,j) > slack.
std::vector<Donor> AllPairs::cheapest_donors(std::size_t u, const BestUsers::Two* best,
                                             std::span<const float> distances, std::span<const float> learned,
                                             double slack) const {
  struct Gain {
    double gain;
    Donor donor;
  };
  std::vector<Gain> gains;
  for (std::size_t j = 0; j < distances.size(); ++j) {
    if (!std::isfinite(distances[j])) continue;
    double gain = duals_.rows[u] + duals_.columns[j] - task_.multiplier * (distances[j] - nearest_[u]);
    // Gamma with w1 s1 = w1 (b - h) of the pair's cell
    if (counts_informed(task_)) gain += height_[j] - best[j].best();
    if (!learned.empty()) gain -= task_.terms.learned_weight * learned[j];
    if (gain > slack) gains.push_back({gain, {static_cast<std::uint32_t>(j), distances[j]}});
  }
  if (gains.size() > kCheapestDonors) {
    // ties by donor: the same set on any number of threads ("Determinism")
    std::ranges::nth_element(gains, gains.begin() + kCheapestDonors, [](const Gain& a, const Gain& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.donor.donor < b.donor.donor;
    });
    gains.resize(kCheapestDonors);
  }
  std::vector<Donor> donors;
  for (const Gain& gain : gains) donors.push_back(gain.donor);
  return donors;
}

/// Of a dot product of n floats with weights that sum to about 1: (n + 2) units of the largest factor; and
/// the excess.
double AllPairs::rounding_of_learned() const {
  if (!counts_learned(task_)) return 0;
  // the standard bound of a dot product, doubled; the excess because b is formed from s2 as it is, prices
  // without it
  const double largest = duals_.learned.cwiseAbs().maxCoeff();
  const auto terms = static_cast<double>(duals_.learned.cols() + 2);
  const double excess = std::ranges::max(duals_.learned_excess, {}, [](double e) { return std::abs(e); });
  return 2 * terms * std::numeric_limits<float>::epsilon() * largest + std::abs(excess);
}

}  // namespace

FullBound bound_on_all_pairs(const PoolTask& task, const std::vector<float>& nearest, const PoolDuals& duals,
                             double slack, std::size_t table_cells) {
  return AllPairs(task, nearest, duals).bound(slack, table_cells);
}

}  // namespace hyobscure::solve
