#include "hyobscure/solve/person/person_lifts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/person/person_many.h"
#include "hyobscure/solve/person/person_sums.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {
namespace {

constexpr double kLeastLog = -650;  // of a weight, so that factors stay finite
constexpr double kNoLog = -1e300;
constexpr double kKept = 1e-10;    // relative: a tenth of what is promised
constexpr double kNoLack = 1e-12;  // of what a cell should have: not worth an entry

std::vector<double> shares_of_lifts(const PersonPool& pool) {
  if (!pool.shares_of_lifts.empty()) return pool.shares_of_lifts;
  const Eigen::VectorXd shares = informed_shares(pool);
  return {shares.begin(), shares.end()};
}

}  // namespace

ShareLimits share_limits(const PersonPool& pool, const PersonTerms& terms) {
  ShareLimits limits;
  if (!terms.lifts.any()) return limits;
  const Eigen::VectorXd own = informed_shares(pool);
  for (std::size_t y = 0; const double share : shares_of_lifts(pool)) {
    // the pool's own share is within by require_shares_within, but for rounding
    limits.least.push_back(std::min(own(at(y)), terms.lifts.least * share));
    limits.most.push_back(std::max(own(at(y)), std::min(1.0, terms.lifts.most * share)));
    ++y;
  }
  return limits;
}

void require_shares_within(const PersonPool& pool, const PersonTerms& terms) {
  if (!terms.lifts.any()) return;
  const Eigen::VectorXd own = informed_shares(pool);
  double highest = 1, lowest = 1;
  for (std::size_t y = 0; const double share : shares_of_lifts(pool)) {
    if (share > 0) {
      highest = std::max(highest, own(at(y)) / share);
      lowest = std::min(lowest, own(at(y)) / share);
    }
    ++y;
  }
  require(highest <= terms.lifts.most * (1 + kKept) && lowest >= terms.lifts.least * (1 - kKept), "lifts",
          fmt::format("a ward alone raises the probability of a value by a factor of {:.6g} and lowers one "
                      "to {:.6g} of its share in the pool",
                      highest, lowest),
          "Use larger wards (method.ward), or wider limits on lifts.");
}

/// Values are taken to their limits in the order in which the larger of both violations asks for it, until
/// the rest keeps its limits (Bitran and Hax): what is at a limit once stays there.
double nearest_shares(std::span<const double> weights, std::span<const double> least,
                      std::span<const double> most, std::span<double> shares) {
  const std::size_t values = weights.size();
  constexpr double kOpen = -1;
  std::ranges::fill(shares, kOpen);
  double rest = 1, scale = 0;
  for (;;) {
    double open = 0;
    for (std::size_t y = 0; y < values; ++y)
      if (shares[y] == kOpen) open += weights[y];
    if (open <= 0) break;
    scale = std::max(0.0, rest) / open;
    double over = 0, under = 0;
    for (std::size_t y = 0; y < values; ++y) {
      if (shares[y] != kOpen) continue;
      const double share = scale * weights[y];
      if (share > most[y]) over += share - most[y];
      if (share < least[y]) under += least[y] - share;
    }
    if (over == 0 && under == 0) break;
    for (std::size_t y = 0; y < values; ++y) {
      if (shares[y] != kOpen) continue;
      const double share = scale * weights[y];
      if (over >= under ? share > most[y] : share < least[y]) {
        shares[y] = over >= under ? most[y] : least[y];
        rest -= shares[y];
      }
    }
  }
  for (std::size_t y = 0; y < values; ++y)
    if (shares[y] == kOpen) shares[y] = std::clamp(scale * weights[y], least[y], most[y]);
  return scale;
}

double LimitedMaximum::operator()(std::span<const double> b, std::span<const double> q,
                                  std::span<const double> least, std::span<const double> most,
                                  double weight) {
  if (weight <= 0) return of_linear(b, least, most);
  const double top = *std::ranges::max_element(b);
  logs_.resize(b.size());
  weights_.resize(b.size());
  shares_.resize(b.size());
  double all = 0, lowest = 0;
  for (std::size_t y = 0; y < b.size(); ++y) {
    logs_[y] = q[y] > 0 ? std::log(q[y]) + (b[y] - top) / weight : kNoLog;
    if (q[y] > 0) lowest = std::min(lowest, logs_[y]);
    weights_[y] = std::exp(std::max(kLeastLog, logs_[y]));
    all += weights_[y];
  }
  const double log_scale = lowest < kLeastLog ? log_scale_by_halving(lowest, least, most)
                                              : std::log(nearest_shares(weights_, least, most, shares_));
  // Whatever the multipliers of the two limits, kappa and eta >= 0:
  //   sum p b - w KL(p | q) <= w log sum q e^((b - kappa + eta) / w) + sum most kappa - least eta
  double sum = 0, charged = 0;
  for (std::size_t y = 0; y < b.size(); ++y) {
    if (q[y] <= 0) continue;
    const double log_share = log_scale + logs_[y];
    const double over = std::max(0.0, log_share - std::log(most[y]));
    const double under = least[y] > 0 ? std::max(0.0, std::log(least[y]) - log_share) : 0;
    charged += weight * (most[y] * over - least[y] * under);
    sum += std::exp(logs_[y] - over + under);
  }
  const double limited = top + weight * std::log(sum) + charged;
  // both bound it, and without active limits they are the same
  return std::min(limited, top + weight * std::log(all));
}

/// Of scores that are too far apart for their exponentials: sum clip( e^(c + log), least, most ) rises with
/// c.
double LimitedMaximum::log_scale_by_halving(double lowest, std::span<const double> least,
                                            std::span<const double> most) const {
  double low = -1, high = 1 - lowest;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (std::size_t y = 0; y < logs_.size(); ++y)
      sum += std::clamp(std::exp(std::min(1.0, middle + logs_[y])), least[y], most[y]);
    (sum < 1 ? low : high) = middle;
  }
  return low;
}

/// Without the entropy: the best values take as much as they may. The threshold t proves it:
/// sum p b <= t + sum most (b - t)+ - least (t - b)+ for every t.
double LimitedMaximum::of_linear(std::span<const double> b, std::span<const double> least,
                                 std::span<const double> most) {
  order_.resize(b.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, std::ranges::greater{}, [&](std::size_t y) { return b[y]; });
  double left = 1 - std::accumulate(least.begin(), least.end(), 0.0);
  double threshold = b[order_.back()];
  for (const std::size_t y : order_) {
    left -= most[y] - least[y];
    if (left > 0) continue;
    threshold = b[y];
    break;
  }
  double sum = threshold;
  for (std::size_t y = 0; y < b.size(); ++y)
    sum += b[y] > threshold ? most[y] * (b[y] - threshold) : least[y] * (b[y] - threshold);
  return sum;
}

EvenDonors::EvenDonors(const PersonPool& pool)
    : pool_(pool), people_of_value_(pool.values, 0), rank_(pool.size()) {
  for (std::size_t u = 0; u < pool.size(); ++u)
    rank_[u] = static_cast<std::uint32_t>(people_of_value_[pool.value_of_person[u]]++);
}

EvenDonors::Range EvenDonors::of(std::size_t person) const {
  const std::uint64_t alike = people_of_value_[pool_.value_of_person[person]], rank = rank_[person],
                      people = pool_.size();
  return {static_cast<std::uint32_t>(rank * people / alike),
          static_cast<std::uint32_t>(((rank + 1) * people + alike - 1) / alike - 1)};
}

namespace {

using Masses = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;  // values x donors

Masses masses_of(const PersonPool& pool, const SparseChannel& channel) {
  Masses masses = Masses::Zero(pool.values, at(pool.size()));
  for (std::size_t u = 0; u < channel.size(); ++u)
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e)
      masses(pool.value_of_person[u], channel.donors[e]) += channel.probabilities[e];
  return masses;
}

/// How far of the way from the pool's own shares to `share` the limits allow to go.
double allowed_part(double share, double own, double least, double most) {
  if (share > most * (1 + kKept)) return (most - own) / (share - own);
  if (share < least * (1 - kKept)) return (own - least) / (own - share);
  return 1;
}

/// Masses within the limits near to these, with the sums that a channel has: person_sparse.md, "Limits on
/// lifts", "The channel returned".
Masses allowed_masses(const PersonPool& pool, const PersonTerms& terms, const Masses& masses) {
  const ShareLimits limits = share_limits(pool, terms);
  const Eigen::VectorXd own = informed_shares(pool);
  const auto people = static_cast<double>(pool.size());
  Masses result = masses;
  Eigen::VectorXd outputs = masses.colwise().sum();
  outputs *= people / outputs.sum();
  if (terms.balanced) outputs.setOnes();
  Eigen::VectorXd shares(own.size());
  for (Eigen::Index j = 0; j < masses.cols(); ++j) {
    const double sum = masses.col(j).sum();
    if (sum <= 0) {
      result.col(j) = outputs(j) * own;
      continue;
    }
    const Eigen::VectorXd weights = masses.col(j) / sum;
    nearest_shares({weights.data(), limits.most.size()}, limits.least, limits.most,
                   {shares.data(), limits.most.size()});
    result.col(j) = outputs(j) / shares.sum() * shares;
  }
  // what a value lacks in all goes to the donors as they are published: their sums stay, since these lacks
  // sum to nothing
  const Eigen::VectorXd lacking = (people * own - result.rowwise().sum()) / people;
  result += lacking * outputs.transpose();
  double part = 1;
  for (Eigen::Index j = 0; j < result.cols(); ++j)
    for (Eigen::Index y = 0; y < result.rows() && outputs(j) > 0; ++y)
      part = std::min(
          part, allowed_part(result(y, j) / outputs(j), own(y), limits.least[static_cast<std::size_t>(y)],
                             limits.most[static_cast<std::size_t>(y)]));
  part = std::clamp(part, 0.0, 1.0);
  return part * result + (1 - part) * own * outputs.transpose();
}

/// The part of a channel that people of one value have, and what is given to them besides.
struct GivenDonor {
  std::uint32_t person, donor;
  double amount;
};

/// What the rows of one value lack, given in order to the donors who lack it.
void give_lacks(std::span<const std::uint32_t> people, std::span<const double> row_lacks,
                Eigen::VectorXd donor_lacks, std::vector<GivenDonor>& gifts) {
  Eigen::Index j = 0;
  for (const std::uint32_t u : people)
    for (double lack = row_lacks[u]; lack > 0 && j < donor_lacks.size();) {
      const double gift = std::min(lack, donor_lacks(j));
      if (gift > 0) gifts.push_back({u, static_cast<std::uint32_t>(j), gift});
      lack -= gift;
      donor_lacks(j) -= gift;
      if (donor_lacks(j) <= 0) ++j;
    }
}

SparseChannel with_given(const SparseChannel& channel, std::vector<GivenDonor> gifts) {
  std::ranges::sort(gifts, {}, [](const GivenDonor& gift) { return std::pair(gift.person, gift.donor); });
  SparseChannel result;
  auto gift = gifts.begin();
  for (std::uint32_t u = 0; u < channel.size(); ++u) {
    std::size_t e = channel.starts[u];
    while (e < channel.starts[u + 1] || (gift != gifts.end() && gift->person == u)) {
      const bool has_gift = gift != gifts.end() && gift->person == u;
      const bool of_channel = e < channel.starts[u + 1] && (!has_gift || channel.donors[e] <= gift->donor);
      const std::uint32_t donor = of_channel ? channel.donors[e] : gift->donor;
      double amount = of_channel ? channel.probabilities[e++] : 0;
      if (has_gift && gift->donor == donor) amount += (gift++)->amount;
      if (amount <= 0) continue;
      result.donors.push_back(donor);
      result.probabilities.push_back(amount);
    }
    result.starts.push_back(result.donors.size());
  }
  return result;
}

}  // namespace

SparseChannel within_lift_limits(const PersonPool& pool, const PersonTerms& terms,
                                 const SparseChannel& nearly) {
  const Masses masses = masses_of(pool, nearly), wanted = allowed_masses(pool, terms, masses);
  SparseChannel channel = nearly;
  std::vector<double> row_lacks(pool.size(), 1.0);
  std::vector<std::vector<std::uint32_t>> people(pool.values);
  for (std::size_t u = 0; u < channel.size(); ++u) {
    const std::uint32_t y = pool.value_of_person[u];
    people[y].push_back(static_cast<std::uint32_t>(u));
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) {
      const double has = masses(y, channel.donors[e]), wants = wanted(y, channel.donors[e]);
      if (has > wants) channel.probabilities[e] *= std::max(0.0, wants) / has;
      row_lacks[u] -= channel.probabilities[e];
    }
  }
  // within a value rows and donors now lack the same in all: a transport within the value, in order
  std::vector<GivenDonor> gifts;
  for (std::uint32_t y = 0; y < pool.values; ++y) {
    Eigen::VectorXd lacks = (wanted.row(y) - masses.row(y)).cwiseMax(0).transpose();
    for (Eigen::Index j = 0; j < lacks.size(); ++j)
      if (lacks(j) < kNoLack * wanted(y, j)) lacks(j) = 0;
    give_lacks(people[y], row_lacks, std::move(lacks), gifts);
  }
  channel = with_given(channel, std::move(gifts));
  normalise_rows(channel);
  return channel;
}

double most_leakage(const PersonPool& pool, const PersonTerms& terms) {
  const auto people = static_cast<double>(pool.size());
  const OwnRows own_rows = own_rows_of(pool);
  const Eigen::VectorXd own = informed_shares(pool);
  const ShareLimits limits = share_limits(pool, terms);
  double largest = 0;  // relative entropy of shares that are allowed: at most the log of the largest lift
  for (std::size_t y = 0; y < limits.most.size(); ++y)
    if (own(at(y)) > 0) largest = std::max(largest, std::log(limits.most[y] / own(at(y))));
  return terms.informed_weight * std::min(own_rows.informed, people * largest) +
         terms.learned_weight * own_rows.learned;
}

bool keeps_lifts(const PersonPool& pool, const PersonTerms& terms, const SparseChannel& channel) {
  const ShareLimits limits = share_limits(pool, terms);
  if (!limits.any()) return true;
  const Masses masses = masses_of(pool, channel);
  for (Eigen::Index j = 0; j < masses.cols(); ++j) {
    const double output = masses.col(j).sum();
    for (std::size_t y = 0; y < limits.most.size() && output > 0; ++y) {
      const double share = masses(at(y), j) / output;
      if (share > limits.most[y] * (1 + kPersonLiftTolerance) ||
          share < limits.least[y] * (1 - kPersonLiftTolerance))
        return false;
    }
  }
  return true;
}

}  // namespace hyobscure::solve
