#include "hyobscure/solve/person_pricing.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

namespace hyobscure::solve {
namespace {

using Eigen::Index;

constexpr std::size_t kNearestDonors = 20;  // of each person, in the first support
constexpr std::size_t kDonorsPerPass =
    256;  // a person gets at most so many donors as their near user at once
constexpr std::size_t kCheapestDonors = 10;  // that a pass adds to a row
constexpr std::size_t kRowsAtOnce = 16;      // people whose distance rows are held together
constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr double kRounding = 1e-14;  // of a price: some forty operations
constexpr std::size_t kBlock = 256;  // rows or columns that one thread takes at a time

Index at(std::size_t i) { return static_cast<Index>(i); }

/// People of one value, at most kRowsAtOnce.
struct Batch {
  std::size_t value;
  std::vector<std::uint32_t> people;
};

std::vector<Batch> batches_by_value(const PersonPool& pool) {
  std::vector<std::vector<std::uint32_t>> classes(pool.values);
  for (std::size_t u = 0; u < pool.size(); ++u)
    classes[pool.value_of_person[u]].push_back(static_cast<std::uint32_t>(u));
  std::vector<Batch> batches;
  for (std::size_t y = 0; y < classes.size(); ++y)
    for (std::size_t k = 0; k < classes[y].size(); k += kRowsAtOnce) {
      const auto begin = classes[y].begin() + static_cast<std::ptrdiff_t>(k);
      const auto size = std::min(kRowsAtOnce, classes[y].size() - k);
      batches.push_back({.value = y, .people = {begin, begin + static_cast<std::ptrdiff_t>(size)}});
    }
  return batches;
}

/// The batches whose values fit into one table: indices begin .. end - 1.
struct Slice {
  std::size_t begin, end;
  std::size_t first_value, values;
};

std::vector<Slice> slices(const std::vector<Batch>& batches, std::size_t people, std::size_t table_cells) {
  const std::size_t at_once = std::max<std::size_t>(1, table_cells / people);
  std::vector<Slice> result;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (result.empty() || batches[b].value - result.back().first_value >= at_once)
      result.push_back({.begin = b, .end = b, .first_value = batches[b].value, .values = 0});
    result.back().end = b + 1;
    result.back().values = batches[b].value - result.back().first_value + 1;
  }
  return result;
}

/// For each value of a slice and each donor the two users of the highest score. The order in which they
/// arrive does not matter: equal scores go to the smaller index.
class BestUsers {
 public:
  struct Two {
    float first = kLowest, second = kLowest;
    std::uint32_t first_user = kNobody, second_user = kNobody;

    void add(float score, std::uint32_t user) {
      if (score > first || (score == first && user < first_user)) {
        second = first;
        second_user = first_user;
        first = score;
        first_user = user;
      } else if (score > second || (score == second && user < second_user)) {
        second = score;
        second_user = user;
      }
    }
    /// The higher score, no lower than before it was rounded to float. Any number gives a valid bound; with
    /// one that is too low the price of a pair that costs a million would lose a tenth.
    double best() const { return first + 3e-7 * std::abs(static_cast<double>(first)); }
    bool contains(std::uint32_t user) const { return first_user == user || second_user == user; }
  };

  BestUsers(const Slice& slice, std::size_t people)
      : first_value_(slice.first_value),
        people_(people),
        table_(slice.values * people),
        locks_(std::make_unique<std::mutex[]>(slice.values)) {}

  const Two* of_value(std::size_t value) const { return table_.data() + (value - first_value_) * people_; }

  void add(const Batch& batch, const RowMatrixXf& scores) {
    const std::lock_guard lock(locks_[batch.value - first_value_]);
    Two* row = table_.data() + (batch.value - first_value_) * people_;
    for (std::size_t k = 0; k < batch.people.size(); ++k) {
      const float* score = scores.row(at(k)).data();
      for (std::size_t j = 0; j < people_; ++j)
        if (score[j] >= row[j].second) row[j].add(score[j], batch.people[k]);
    }
  }

 private:
  std::size_t first_value_, people_;
  std::vector<Two> table_;
  std::unique_ptr<std::mutex[]> locks_;
};

/// A sum that is never above its exact value: compensated, less the rounding of its terms.
class SafeSum {
 public:
  void add(double term) {
    sum_.add(term);
    size_ += std::abs(term);
  }
  double lower() const { return sum_.value() - kRounding * size_; }

 private:
  CompensatedSum sum_;
  double size_ = 0;
};

using BatchScores = std::function<void(const Batch&, RowMatrixXf&)>;

BestUsers find_best_users(const std::vector<Batch>& batches, const Slice& slice, std::size_t people,
                          const BatchScores& scores_of) {
  BestUsers best(slice, people);
  parallel_blocks(slice.end - slice.begin, 1, [&](std::size_t k, std::size_t) {
    const Batch& batch = batches[slice.begin + k];
    RowMatrixXf scores(at(batch.people.size()), at(people));
    scores_of(batch, scores);
    best.add(batch, scores);
  });
  return best;
}

/// Distances of a batch; infinite where the pair is not allowed.
void load_distances(const PoolTask& task, const Batch& batch, RowMatrixXf& to) {
  const std::size_t people = task.pool.size();
  to.resize(at(batch.people.size()), at(people));
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::size_t u = batch.people[k];
    task.pool.distances->row(u, {to.row(at(k)).data(), people});
    if (!is_allowed(task.pool, task.terms, u, u)) to(at(k), at(u)) = -kLowest;
  }
}

/// The `count` pairs of smallest distance, in no particular order.
void keep_nearest(std::vector<Donor>& row, std::size_t count) {
  if (row.size() <= count) return;
  const auto nearer = [](const Donor& a, const Donor& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.donor < b.donor;
  };
  std::ranges::nth_element(row, row.begin() + static_cast<std::ptrdiff_t>(count), nearer);
  row.resize(count);
}

std::vector<Donor> nearest_donors(std::span<const float> distances, std::size_t count) {
  std::vector<Donor> row;
  row.reserve(distances.size());
  for (std::size_t j = 0; j < distances.size(); ++j)
    if (std::isfinite(distances[j])) row.push_back({static_cast<std::uint32_t>(j), distances[j]});
  keep_nearest(row, count);
  return row;
}

void append(std::vector<Donor>& row, const std::vector<Donor>& more) {
  row.insert(row.end(), more.begin(), more.end());
}

/// The donors that have u among their two best users of u's value, and that `wanted` accepts.
template <class Wanted>
std::vector<Donor> donors_with_user(const BestUsers::Two* best, std::uint32_t u,
                                    std::span<const float> distances, const Wanted& wanted) {
  std::vector<Donor> row;
  for (std::size_t j = 0; j < distances.size(); ++j)
    if (best[j].contains(u) && std::isfinite(distances[j]) && wanted(j))
      row.push_back({static_cast<std::uint32_t>(j), distances[j]});
  keep_nearest(row, kDonorsPerPass);
  return row;
}

/// sum_y P(u,y) s2_j(y), in double and with s2 feasible.
double learned_score(const PersonPool& pool, const PoolDuals& duals, std::size_t u, std::size_t j) {
  return pool.learned.row(at(u)).cast<double>().dot(duals.learned.row(at(j)).cast<double>()) -
         duals.learned_excess[j];
}

/// Everything about one bound over all pairs.
class AllPairs {
 public:
  AllPairs(const PoolTask& task, const std::vector<float>& nearest, const PoolDuals& duals)
      : task_(task), nearest_(nearest), duals_(duals), batches_(batches_by_value(task.pool)) {}

  FullBound bound(double slack, std::size_t table_cells);

 private:
  double weight() const { return task_.terms.informed_weight; }
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

/// mu_u - multiplier (d - nearest) - w2 sum_y P(u,y) s2_j(y): what w1 s1_j(y_u) must not fall below.
void AllPairs::add_scores(const Batch& batch, RowMatrixXf& scores) const {
  load_distances(task_, batch, scores);
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::size_t u = batch.people[k];
    const auto price = static_cast<float>(task_.multiplier);
    const auto mu = static_cast<float>(duals_.rows[u]);
    // an infinite distance stays infinite at a multiplier of 0
    scores.row(at(k)) = (scores.row(at(k)).array().isFinite())
                            .select(mu - price * (scores.row(at(k)).array() - nearest_[u]), kLowest);
  }
  if (!counts_learned(task_)) return;
  RowMatrixXf probabilities(at(batch.people.size()), task_.pool.learned.cols());
  for (std::size_t k = 0; k < batch.people.size(); ++k)
    probabilities.row(at(k)) = task_.pool.learned.row(at(batch.people[k]));
  scores.noalias() -=
      static_cast<float>(task_.terms.learned_weight) * probabilities * duals_.learned.transpose();
}

void AllPairs::add_to_column_prices(const BestUsers& best, const Slice& slice) {
  const Eigen::VectorXd shares = informed_shares(task_.pool);
  const double scale = counts_informed(task_) ? 1 / weight() : 1;
  parallel_blocks(task_.pool.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = slice.first_value; y < slice.first_value + slice.values; ++y) {
      if (shares(at(y)) == 0) continue;
      const BestUsers::Two* row = best.of_value(y);
      for (std::size_t j = begin; j < end; ++j) {
        if (row[j].first == kLowest) continue;
        const double b = scale * row[j].best();
        if (b > highest_[j]) {
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
    best = std::make_unique<BestUsers>(find_best_users(batches_, slice, people, scores));
    add_to_column_prices(*best, slice);
  }
  finish_column_prices();

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
    RowMatrixXf probabilities(at(batch.people.size()), task_.pool.learned.cols());
    for (std::size_t k = 0; k < batch.people.size(); ++k)
      probabilities.row(at(k)) = task_.pool.learned.row(at(batch.people[k]));
    learned.noalias() = probabilities * duals_.learned.transpose();
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
    const auto violated = [&](std::size_t j) { return height_[j] + duals_.columns[j] > slack; };
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
    const double height = sign != 0 ? sign * height_[j] : 0;
    return task_.multiplier * (distances[j] - nearest) + score + height;
  };
  double least = std::numeric_limits<double>::infinity();
  if (learned.empty()) {
    for (std::size_t j = 0; j < distances.size(); ++j)
      if (std::isfinite(distances[j])) least = std::min(least, price_without_learned(j));
    return least;
  }
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
    if (counts_informed(task_)) gain += height_[j] - best[j].best();
    if (!learned.empty()) gain -= task_.terms.learned_weight * learned[j];
    if (gain > slack) gains.push_back({gain, {static_cast<std::uint32_t>(j), distances[j]}});
  }
  if (gains.size() > kCheapestDonors) {
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
  const double largest = duals_.learned.cwiseAbs().maxCoeff();
  const auto terms = static_cast<double>(task_.pool.learned.cols() + 2);
  const double excess = std::ranges::max(duals_.learned_excess, {}, [](double e) { return std::abs(e); });
  return 2 * terms * std::numeric_limits<float>::epsilon() * largest + std::abs(excess);
}

}  // namespace

FullBound bound_on_all_pairs(const PoolTask& task, const std::vector<float>& nearest, const PoolDuals& duals,
                             double slack, std::size_t table_cells) {
  return AllPairs(task, nearest, duals).bound(slack, table_cells);
}

namespace {

/// Donors that a person keeps however far they are.
std::vector<std::uint32_t> fixed_donors(const PoolTask& task, std::uint32_t u) {
  std::vector<std::uint32_t> donors;
  if (task.start != nullptr)
    for (std::size_t k = task.start->starts[u]; k < task.start->starts[u + 1]; ++k)
      donors.push_back(task.start->donors[k]);
  if (!task.pool.candidates.empty())
    donors.insert(donors.end(), task.pool.candidates[u].begin(), task.pool.candidates[u].end());
  else if (task.terms.self_donor)
    donors.push_back(u);
  if (task.terms.balanced || donors.empty()) {
    const auto ring = ring_donors(task.terms, task.pool.size(), u);
    donors.insert(donors.end(), ring.begin(), ring.end());
  }
  return donors;
}

void add_fixed_donors(const PoolTask& task, std::uint32_t u, std::span<const float> distances,
                      std::vector<Donor>& row) {
  for (const std::uint32_t donor : fixed_donors(task, u))
    if (is_allowed(task.pool, task.terms, u, donor)) row.push_back({donor, distances[donor]});
}

StartRows candidate_pairs(const PoolTask& task) {
  const std::size_t people = task.pool.size();
  StartRows start{.rows = DonorRows(people), .nearest = std::vector<float>(people)};
  parallel_blocks(people, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<float> distances(people);
    for (std::size_t u = begin; u < end; ++u) {
      task.pool.distances->row(u, distances);
      add_fixed_donors(task, static_cast<std::uint32_t>(u), distances, start.rows[u]);
      if (start.rows[u].empty())  // oneself was the only candidate, and is not allowed
        for (const std::uint32_t donor : ring_donors(task.terms, people, u))
          start.rows[u].push_back({donor, distances[donor]});
      start.nearest[u] = std::ranges::min(start.rows[u], {}, &Donor::distance).distance;
    }
  });
  return start;
}

StartRows near_pairs(const PoolTask& task) {
  const std::size_t people = task.pool.size();
  const auto batches = batches_by_value(task.pool);
  StartRows start{.rows = DonorRows(people), .nearest = std::vector<float>(people)};
  for (const Slice& slice : slices(batches, people, kTableCells)) {
    const auto best = find_best_users(batches, slice, people, [&](const Batch& batch, RowMatrixXf& scores) {
      load_distances(task, batch, scores);
      scores = -scores;
    });
    parallel_blocks(slice.end - slice.begin, 1, [&](std::size_t k, std::size_t) {
      const Batch& batch = batches[slice.begin + k];
      RowMatrixXf distances;
      load_distances(task, batch, distances);
      for (std::size_t i = 0; i < batch.people.size(); ++i) {
        const std::uint32_t u = batch.people[i];
        const std::span<const float> row{distances.row(at(i)).data(), people};
        start.nearest[u] = *std::ranges::min_element(row);
        start.rows[u] = nearest_donors(row, kNearestDonors);
        append(start.rows[u],
               donors_with_user(best.of_value(batch.value), u, row, [](std::size_t) { return true; }));
        add_fixed_donors(task, u, row, start.rows[u]);
      }
    });
  }
  return start;
}

}  // namespace

StartRows start_rows(const PoolTask& task) {
  StartRows start = task.pool.candidates.empty() ? near_pairs(task) : candidate_pairs(task);
  tidy_rows(start.rows);
  return start;
}

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
        heights_(support.people_count(), 0.0) {}

  double bound();

 private:
  double fixed_price(std::size_t pair, std::size_t u) const;
  void price_cells(std::size_t j);
  void price_column(std::size_t j, const Eigen::VectorXd& shares);
  double least_price(std::size_t u) const;

  const PoolTask& task_;
  const Support& support_;
  PoolDuals& duals_;
  std::vector<double> fixed_;  // the part of a pair's price that the informed attacker has no say in
  std::vector<double> best_, heights_;
};

double OnSupport::fixed_price(std::size_t pair, std::size_t u) const {
  const double price =
      task_.multiplier * (support_.distances[pair] - static_cast<double>(support_.nearest[u]));
  if (!counts_learned(task_)) return price;
  return price + task_.terms.learned_weight * learned_score(task_.pool, duals_, u, support_.donors[pair]);
}

void OnSupport::price_cells(std::size_t j) {
  for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
    best_[c] = -std::numeric_limits<double>::infinity();
    for (std::size_t k = support_.cell_starts[c]; k < support_.cell_starts[c + 1]; ++k) {
      const std::uint32_t pair = support_.by_column[k];
      best_[c] = std::max(best_[c], duals_.rows[support_.people[pair]] - fixed_[pair]);
    }
  }
}

void OnSupport::price_column(std::size_t j, const Eigen::VectorXd& shares) {
  const std::size_t first = support_.column_cells[j], last = support_.column_cells[j + 1];
  if (first == last) return;
  const double highest = *std::max_element(best_.begin() + static_cast<std::ptrdiff_t>(first),
                                           best_.begin() + static_cast<std::ptrdiff_t>(last));
  heights_[j] = highest;
  if (!counts_informed(task_)) return;
  const double weight = task_.terms.informed_weight;
  double mass = 0;
  for (std::size_t c = first; c < last; ++c)
    mass += shares(support_.cell_values[c]) * std::exp((best_[c] - highest) / weight);
  heights_[j] += weight * std::log(mass);
}

double OnSupport::least_price(std::size_t u) const {
  const bool informed = counts_informed(task_);
  // how a price depends on the height of its column: -height of w1 s1, +height of -nu
  const double sign = (informed ? -1.0 : 0.0) + (task_.terms.balanced ? 1.0 : 0.0);
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
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
        fixed_[pair] = fixed_price(pair, u);
  });
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      price_cells(j);
      price_column(j, shares);
    }
  });
  SafeSum sum;
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) duals_.rows[u] = least_price(u);
  });
  for (std::size_t u = 0; u < people; ++u) sum.add(duals_.rows[u] + task_.multiplier * support_.nearest[u]);
  if (task_.terms.balanced)
    for (std::size_t j = 0; j < people; ++j) {
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
