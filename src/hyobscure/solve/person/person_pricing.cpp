#include "hyobscure/solve/person/person_pricing.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "hyobscure/solve/person/person_best_users.h"
#include "hyobscure/solve/person/person_bound.h"
#include "hyobscure/solve/person/person_lifts.h"

namespace hyobscure::solve {
namespace {

constexpr std::size_t kCheapestDonors = 10;  // that a pass adds to a row

/// visit(j) for every j with numbers(j) <= limit, ascending. Most are above: 16 are dismissed at once.
template <class Numbers, class Visit>
void for_each_up_to(float limit, const Numbers& numbers, const Visit& visit) {
  constexpr Eigen::Index kTogether = 16;
  const Eigen::Index size = numbers.size();
  for (Eigen::Index begin = 0; begin < size; begin += kTogether) {
    if (begin + kTogether <= size && !(numbers.template segment<kTogether>(begin) <= limit).any()) continue;
    for (Eigen::Index j = begin; j < std::min(begin + kTogether, size); ++j)
      if (numbers(j) <= limit) visit(static_cast<std::size_t>(j));
  }
}

/// Everything about one bound over all pairs.
class AllPairs {
 public:
  AllPairs(const PoolTask& task, const std::vector<float>& nearest, const PoolDuals& duals)
      : task_(task),
        nearest_(nearest),
        duals_(duals),
        batches_(batches_by_value(task.pool)),
        limits_(share_limits(task.pool, task.terms)) {}

  FullBound bound(double slack, std::size_t table_cells);

 private:
  double weight() const { return task_.terms.informed_weight; }
  RowMatrixXf posteriors(const Batch& batch) const;
  void add_scores(const Batch& batch, RowMatrixXf& scores) const;
  void add_to_column_prices(const BestUsers& best, const Slice& slice);
  void keep_scores(const BestUsers& best, const Slice& slice);
  void finish_column_prices();
  void find_limited_heights();
  double bound_of_batch(const Batch& batch, const BestUsers& best, double slack, DonorRows& additions) const;
  struct PricedRow;
  double least_price(const PricedRow& row) const;
  std::vector<Donor> cheapest_donors(const PricedRow& row, double slack) const;
  double rounding_of_learned() const;

  const PoolTask& task_;
  const std::vector<float>& nearest_;
  const PoolDuals& duals_;
  const std::vector<Batch> batches_;
  const ShareLimits limits_;
  RowMatrixXf kept_scores_;             // w1 b of donors and values, where lifts are limited
  std::vector<double> highest_, mass_;  // of log sum_y q_y e^b: its largest b, and the sum relative to that
  std::vector<double> height_;          // w1 h_j, or the highest score without an informed attacker
  // How a price depends on the height of its column: -height of w1 s1, +height of -nu.
  const double height_sign_ = (prices_values(task_) ? -1.0 : 0.0) + (task_.terms.balanced ? 1.0 : 0.0);
  Eigen::ArrayXf price_of_column_;  // sign * height, 0 where nobody may be published as j
  Eigen::ArrayXf gain_of_column_;   // nu_j of the restricted solution + height of w1 s1
  float largest_of_column_ = 0;     // of both, without their signs
  float learned_margin_ = 0;        // how far a float product with the learned scores may be off
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

/// Limits on lifts need all scores of a donor at once.
void AllPairs::keep_scores(const BestUsers& best, const Slice& slice) {
  parallel_blocks(task_.pool.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = slice.first_value; y < slice.first_value + slice.values; ++y) {
      const BestUsers::Two* row = best.of_value(y);
      for (std::size_t j = begin; j < end; ++j) kept_scores_(at(j), at(y)) = row[j].first;
    }
  });
}

/// person_sparse.md, "Limits on lifts": h_j is the largest over the shares that are allowed.
void AllPairs::find_limited_heights() {
  const Eigen::VectorXd q = informed_shares(task_.pool);
  parallel_blocks(task_.pool.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    LimitedMaximum largest;
    std::vector<double> scores(limits_.most.size());
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t y = 0; y < scores.size(); ++y) {
        const float score = kept_scores_(at(j), at(y));
        // nobody of the pool has this value: its share is 0
        scores[y] = score == kLowestScore ? -1e30 : BestUsers::Two{.first = score}.best();
      }
      height_[j] = largest(scores, {q.data(), scores.size()}, limits_.least, limits_.most, weight());
    }
  });
}

void AllPairs::finish_column_prices() {
  height_.resize(task_.pool.size());
  if (limits_.any()) find_limited_heights();
  for (std::size_t j = 0; j < height_.size() && !limits_.any(); ++j) {
    if (mass_[j] == 0)
      // its column has no pair, so no price below reads it
      height_[j] = -std::numeric_limits<double>::infinity();  // nobody may be published as j
    else
      height_[j] = counts_informed(task_) ? weight() * (highest_[j] + std::log(mass_[j])) : highest_[j];
  }
  price_of_column_.setZero(at(height_.size()));
  gain_of_column_.setZero(at(height_.size()));
  for (std::size_t j = 0; j < height_.size(); ++j) {
    if (!std::isfinite(height_[j])) continue;
    price_of_column_(at(j)) = static_cast<float>(height_sign_ * height_[j]);
    gain_of_column_(at(j)) =
        static_cast<float>(duals_.columns[j] + (prices_values(task_) ? height_[j] : 0.0));
    largest_of_column_ =
        std::max(largest_of_column_, static_cast<float>(std::abs(height_[j]) + std::abs(duals_.columns[j])));
  }
}

FullBound AllPairs::bound(double slack, std::size_t table_cells) {
  const std::size_t people = task_.pool.size();
  highest_.assign(people, -std::numeric_limits<double>::max());
  mass_.assign(people, 0);
  if (limits_.any()) kept_scores_.setConstant(at(people), at(limits_.most.size()), kLowestScore);
  learned_margin_ = static_cast<float>(rounding_of_learned());
  const auto parts = slices(batches_, people, table_cells);
  const BatchScores scores = [&](const Batch& batch, RowMatrixXf& to) { add_scores(batch, to); };
  std::unique_ptr<BestUsers> best;
  for (const Slice& slice : parts) {
    // First pass, person_sparse.md "The bound", "Choosing s and nu": b_j(y) of every donor and value, and
    // from them the heights w1 h_j.
    best = std::make_unique<BestUsers>(find_best_users(batches_, slice, people, scores));
    if (limits_.any())
      keep_scores(*best, slice);
    else
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

/// One person's prices with all donors. `rough` holds lambda (d - nearest) + w1 b + w2 sum_y P(u,y) s2(y) in
/// floats, infinite where the pair is not allowed, and is off by at most `margin`.
struct AllPairs::PricedRow {
  std::uint32_t person;
  const BestUsers::Two* best;
  std::span<const float> distances;
  Eigen::Map<const Eigen::ArrayXf> rough;
  float margin;
};

double AllPairs::bound_of_batch(const Batch& batch, const BestUsers& best, double slack,
                                DonorRows& additions) const {
  const auto people = static_cast<Eigen::Index>(task_.pool.size());
  RowMatrixXf distances;
  load_distances(task_, batch, distances);
  const BestUsers::Two* users = best.of_value(batch.value);
  Eigen::ArrayXf scores = Eigen::ArrayXf::Zero(people);  // w1 b_j(y) of the batch's value
  if (prices_values(task_))
    // -infinity: only the person who is j has this value, and may not be published as j
    for (Eigen::Index j = 0; j < people; ++j)
      scores(j) = std::isfinite(users[j].first) ? static_cast<float>(users[j].best()) : 0.0f;
  RowMatrixXf rough(at(batch.people.size()), people);
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const float nearest = nearest_[batch.people[k]];
    const auto price = static_cast<float>(task_.multiplier);
    rough.row(at(k)).array() = distances.row(at(k)).array().isFinite().select(
        price * (distances.row(at(k)).array() - nearest) + scores.transpose(), -kLowestScore);
  }
  if (counts_learned(task_))
    rough.noalias() +=
        static_cast<float>(task_.terms.learned_weight) * posteriors(batch) * duals_.learned.transpose();

  // "Digits": four terms are added in floats, each of which may be off by its rounding
  const float largest_score = scores.abs().maxCoeff();
  const auto as_user = donors_with_users(users, batch, distances, [&](std::size_t j) {
    // "Pricing": nu of the restricted solution is duals_.columns; the bound itself uses nu_j = -w1 h_j
    return height_[j] + duals_.columns[j] > slack;
  });
  double sum = 0;
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::uint32_t u = batch.people[k];
    const std::span<const float> row{distances.row(at(k)).data(), task_.pool.size()};
    const auto all = distances.row(at(k)).array();
    const float farthest = all.isFinite().select(all, 0.0f).maxCoeff();
    const float magnitude = static_cast<float>(task_.multiplier) * (farthest - nearest_[u]) + largest_score +
                            largest_of_column_ + static_cast<float>(std::abs(duals_.rows[u]));
    const PricedRow priced{.person = u,
                           .best = users,
                           .distances = row,
                           .rough = {rough.row(at(k)).data(), people},
                           .margin = 8 * std::numeric_limits<float>::epsilon() * magnitude +
                                     2 * static_cast<float>(task_.terms.learned_weight) * learned_margin_};
    sum += task_.multiplier * nearest_[u] + least_price(priced);
    // the two best users of each value and violated donor, then the largest gains of this person
    additions[u] = as_user[k];
    append(additions[u], cheapest_donors(priced, slack));
  }
  return sum;
}

/// min_j w1 s1_j(y_u) + w2 sum_y P(u,y) s2_j(y) + multiplier (d(u,j) - nearest_u) - nu_j, in double for the
/// pairs that may be smallest. All others cannot be the minimum: both their float and that of the smallest
/// may be off by the margin, hence twice.
double AllPairs::least_price(const PricedRow& row) const {
  const Eigen::ArrayXf rough = row.rough + price_of_column_;
  double least = std::numeric_limits<double>::infinity();
  for_each_up_to(rough.minCoeff() + 2 * row.margin, rough, [&](std::size_t j) {
    if (!std::isfinite(row.distances[j])) return;
    double price = task_.multiplier * (row.distances[j] - static_cast<double>(nearest_[row.person]));
    if (prices_values(task_)) price += row.best[j].best();
    // not 0 * height: the height of a column without users is -infinity
    if (height_sign_ != 0) price += height_sign_ * height_[j];
    if (counts_learned(task_))
      price += task_.terms.learned_weight * learned_score(task_.pool, duals_, row.person, j);
    least = std::min(least, price);
  });
  return least;
}

/// The donors that u would gain most by moving to at the given prices: those of largest
/// mu_u + nu_j - gradient(u,j) > slack. What is added need not be exact, so floats are enough.
std::vector<Donor> AllPairs::cheapest_donors(const PricedRow& row, double slack) const {
  struct Loss {
    float loss;
    std::uint32_t donor;
    auto operator<=>(const Loss&) const = default;  // ties by donor: the same set on any number of threads
  };
  // Gamma - nu with w1 s1 = w1 (b - h) of the pair's cell
  const Eigen::ArrayXf losses = row.rough - gain_of_column_;
  std::vector<Loss> least;
  const auto own = static_cast<float>(duals_.rows[row.person] - slack);
  for_each_up_to(own, losses,
                 [&](std::size_t j) { least.push_back({losses(at(j)), static_cast<std::uint32_t>(j)}); });
  if (least.size() > kCheapestDonors) {
    std::ranges::nth_element(least, least.begin() + kCheapestDonors);
    least.resize(kCheapestDonors);
  }
  std::vector<Donor> donors;
  for (const Loss& loss : least) donors.push_back({loss.donor, row.distances[loss.donor]});
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
