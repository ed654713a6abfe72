#include "hyobscure/solve/person/person_bound.h"

#include <algorithm>
#include <limits>

#include "hyobscure/solve/person/person_lifts.h"

namespace hyobscure::solve {
namespace {

/// Everything about one bound on a support. w1 s1 = best - height and, where balanced, nu = -height.
class OnSupport {
 public:
  OnSupport(const PoolTask& task, const Support& support, PoolDuals& duals)
      : task_(task),
        support_(support),
        duals_(duals),
        fixed_(support.pairs()),
        best_(support.cells()),
        heights_(support.people_count(), 0.0),
        limits_(share_limits(task.pool, task.terms)) {}

  double bound();

 private:
  void expand_learned_scores();
  double fixed_price(std::size_t pair, std::size_t u) const;
  void price_cells(std::size_t j);
  void price_column(std::size_t j, const Eigen::VectorXd& shares);
  void price_limited_column(std::size_t j, const Eigen::VectorXd& shares);
  double least_price(std::size_t u) const;

  const PoolTask& task_;
  const Support& support_;
  PoolDuals& duals_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
      profile_scores_;         // sum_y a_k(y) s2_j(y), donors x profiles, s2 feasible
  std::vector<double> fixed_;  // the part of a pair's price that the informed attacker has no say in
  std::vector<double> best_, heights_;
  const ShareLimits limits_;
};

void OnSupport::expand_learned_scores() {
  if (!counts_learned(task_)) return;
  const PersonPool& pool = task_.pool;
  profile_scores_.resize(at(support_.people_count()), profile_count(pool));
  const Eigen::MatrixXd profiles = pool.profiles.cast<double>();
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const auto scores = duals_.learned.row(at(j)).cast<double>().array() - duals_.learned_excess[j];
      if (profiles.size() == 0)
        profile_scores_.row(at(j)) = scores;
      else
        profile_scores_.row(at(j)).noalias() = (profiles * scores.matrix().transpose()).transpose();
    }
  });
}

double OnSupport::fixed_price(std::size_t pair, std::size_t u) const {
  const double price =
      task_.multiplier * (support_.distances[pair] - static_cast<double>(support_.nearest[u]));
  // lambda (d - nearest_u) + w2 sum_y P2(u,y) s2_j(y). Distances count from the nearest donor: see "Digits".
  if (!counts_learned(task_)) return price;
  const auto weights = task_.pool.learned.row(at(u)).cast<double>();
  const auto scores =
      profile_scores_.row(support_.donors[pair]).segment(first_profile(task_.pool, u), weights.size());
  return price + task_.terms.learned_weight * weights.dot(scores);
}

void OnSupport::price_cells(std::size_t j) {
  for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
    // person_sparse.md, "The bound", "Choosing s and nu": w1 b_j(y) = max_u (mu_u - fixed), the least that
    // keeps every price of the column from falling below mu.
    best_[c] = -std::numeric_limits<double>::infinity();
    for (std::size_t k = support_.cell_starts[c]; k < support_.cell_starts[c + 1]; ++k) {
      best_[c] = std::max(best_[c], duals_.rows[support_.people[k]] - fixed_[support_.by_column[k]]);
    }
  }
}

void OnSupport::price_column(std::size_t j, const Eigen::VectorXd& shares) {
  const std::size_t first = support_.column_cells[j], last = support_.column_cells[j + 1];
  if (first == last) return;
  // w1 h_j = w1 log sum_y q_y e^b, with the largest exponent taken out so that nothing overflows. Cells off
  // the support have b = -infinity and add nothing.
  const double highest = *std::max_element(best_.begin() + static_cast<std::ptrdiff_t>(first),
                                           best_.begin() + static_cast<std::ptrdiff_t>(last));
  heights_[j] = highest;
  // no s1 to choose: the column price alone, nu_j = -max_u (mu_u - fixed)
  if (!counts_informed(task_)) return;
  const double weight = task_.terms.informed_weight;
  double mass = 0;
  for (std::size_t c = first; c < last; ++c)
    mass += shares(support_.cell_values[c]) * std::exp((best_[c] - highest) / weight);
  heights_[j] += weight * std::log(mass);
}

/// "Limits on lifts": the height of a column is its largest over the shares that are allowed.
void OnSupport::price_limited_column(std::size_t j, const Eigen::VectorXd& shares) {
  const std::size_t first = support_.column_cells[j], last = support_.column_cells[j + 1];
  std::vector<double> q, least, most;
  for (std::size_t c = first; c < last; ++c) {
    const std::uint32_t y = support_.cell_values[c];
    q.push_back(shares(y));
    least.push_back(limits_.least[y]);
    most.push_back(limits_.most[y]);
  }
  heights_[j] =
      LimitedMaximum()({best_.data() + first, last - first}, q, least, most, task_.terms.informed_weight);
}

double OnSupport::least_price(std::size_t u) const {
  const bool informed = prices_values(task_);
  // how a price depends on the height of its column: -height of w1 s1, +height of -nu
  const double sign = (informed ? -1.0 : 0.0) + (task_.terms.balanced ? 1.0 : 0.0);
  // The minimum is taken once more with s1 = b - h: at least mu_u - w1 h_j (free) or mu_u (balanced), so
  // the new prices are no worse than the given ones.
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
    const double score = informed ? best_[support_.cell_of_pair[pair]] : 0;
    least = std::min(least, fixed_[pair] + score + sign * heights_[support_.donors[pair]]);
  }
  return least;
}

double OnSupport::bound() {
  const std::size_t people = support_.people_count();
  const Eigen::VectorXd shares = informed_shares(task_.pool);
  expand_learned_scores();
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
        fixed_[pair] = fixed_price(pair, u);
  });
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      price_cells(j);
      if (limits_.any())
        price_limited_column(j, shares);
      else
        price_column(j, shares);
    }
  });
  // Each sum is lowered by its rounding: a bound may be too small, never too large.
  SafeSum sum;
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) duals_.rows[u] = least_price(u);
  });
  for (std::size_t u = 0; u < people; ++u) sum.add(duals_.rows[u] + task_.multiplier * support_.nearest[u]);
  if (task_.terms.balanced)
    for (std::size_t j = 0; j < people; ++j) {
      // nu_j = -w1 h_j enters twice: with + in the sum of nu and, above, with - in every price of the column.
      duals_.columns[j] = -heights_[j];
      sum.add(-heights_[j]);
    }
  return sum.lower();
}

}  // namespace

double bound_on_support(const PoolTask& task, const Support& support, PoolDuals& duals) {
  return OnSupport(task, support, duals).bound();
}

}  // namespace hyobscure::solve
