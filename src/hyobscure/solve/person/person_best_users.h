#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>

#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {

inline constexpr float kLowestScore = -std::numeric_limits<float>::infinity();
inline constexpr std::size_t kRowsAtOnce = 16;  ///< people whose distance rows are held together

/// People of one value, at most kRowsAtOnce.
struct Batch {
  std::size_t value;
  std::vector<std::uint32_t> people;
};

[[nodiscard]] std::vector<Batch> batches_by_value(const PersonPool& pool);

/// The batches whose values fit into one table: indices begin .. end - 1.
struct Slice {
  std::size_t begin, end;
  std::size_t first_value, values;
};

/// As many values at once as a table of `table_cells` cells holds.
[[nodiscard]] std::vector<Slice> slices(const std::vector<Batch>& batches, std::size_t people,
                                        std::size_t table_cells);

/// For each value of a slice and each donor the two users of the highest score. The order in which they
/// arrive does not matter: equal scores go to the smaller index.
class BestUsers {
 public:
  struct Two {
    float first = kLowestScore, second = kLowestScore;
    std::uint32_t first_user = std::numeric_limits<std::uint32_t>::max(),
                  second_user = std::numeric_limits<std::uint32_t>::max();

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

/// Fills a row of scores for each person of the batch.
using BatchScores = std::function<void(const Batch&, RowMatrixXf&)>;

[[nodiscard]] BestUsers find_best_users(const std::vector<Batch>& batches, const Slice& slice,
                                        std::size_t people, const BatchScores& scores_of);

/// Distances of a batch; infinite where the pair is not allowed.
void load_distances(const PoolTask& task, const Batch& batch, RowMatrixXf& to);

/// The `count` donors of smallest finite distance, in no particular order; ties go to the smaller number.
[[nodiscard]] std::vector<Donor> nearest_of_row(std::span<const float> distances, std::size_t count);

/// Keeps the `count` donors of smallest distance, in no particular order.
void keep_nearest(std::vector<Donor>& row, std::size_t count);

inline void append(std::vector<Donor>& row, const std::vector<Donor>& more) {
  row.insert(row.end(), more.begin(), more.end());
}

/// A person gets at most so many donors at once for being among their best users.
inline constexpr std::size_t kDonorsPerPass = 256;

/// For each person of the batch the donors that have this person among their two best users, and that
/// `wanted` accepts. `best`: of the batch's value; `distances`: a row per person of the batch.
template <class Wanted>
std::vector<std::vector<Donor>> donors_with_users(const BestUsers::Two* best, const Batch& batch,
                                                  const RowMatrixXf& distances, const Wanted& wanted) {
  std::vector<std::vector<Donor>> rows(batch.people.size());
  const auto add = [&](std::uint32_t user, std::size_t j) {
    const auto place = std::ranges::lower_bound(batch.people, user);  // people of a batch ascend
    if (place == batch.people.end() || *place != user) return;
    const auto k = static_cast<std::size_t>(place - batch.people.begin());
    const float distance = distances(at(k), at(j));
    if (std::isfinite(distance)) rows[k].push_back({static_cast<std::uint32_t>(j), distance});
  };
  for (std::size_t j = 0; j < static_cast<std::size_t>(distances.cols()); ++j) {
    if (!wanted(j)) continue;
    add(best[j].first_user, j);
    add(best[j].second_user, j);
  }
  for (auto& row : rows) keep_nearest(row, kDonorsPerPass);
  return rows;
}

}  // namespace hyobscure::solve
