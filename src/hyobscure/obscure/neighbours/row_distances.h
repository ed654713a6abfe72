#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// Distances from one person to all others of a set, through the items they share: faster than pair by pair
/// by about the share of pairs of entries that meet.
///
/// `members` are rows of `rows`, which must have passed census::check_rows. Logarithms of Jensen-Shannon are
/// taken in single precision, eight at once, sums in double. Memory: 24 bytes for each entry of the members,
/// and as much again from the first row() on: a caller of distances_to() only does without.
class RowDistances {
 public:
  RowDistances(census::Distance distance, const data::SparseRows& rows,
               std::span<const std::uint32_t> members);
  /// From members of one table to members of another with the same columns, such as composed rows: not
  /// symmetric, and nobody is at distance 0 from themselves.
  RowDistances(census::Distance distance, const data::SparseRows& from, const data::SparseRows& to,
               std::span<const std::uint32_t> members);

  std::size_t size() const { return from_.own.size(); }
  /// Whether both ends are rows of one table.
  bool symmetric() const { return !to_; }

  /// to[j] = distance between members i and j: census::distance_between to within 1e-6 of its scale, 0 for i
  /// itself of one table. Cost: for each item of i, the members who have it. Safe to call from several
  /// threads.
  void row(std::size_t i, std::span<float> to) const { row_from(i, 0, to); }

  /// The same for members j >= first only: to[j - first].
  void row_from(std::size_t i, std::size_t first, std::span<float> to) const;

  /// to[k] = distance between members i and others[k], the very number that row() gives. Cost: the entries of
  /// i for each of the others, and theirs. Safe to call from several threads.
  void distances_to(std::size_t i, std::span<const std::uint32_t> others, std::span<float> to) const;

 private:
  struct Entry {
    std::uint32_t key;  ///< the item, in a member's list; the member, in an item's list
    double value;       ///< scaled to sum 1 for Jensen-Shannon
    double term;        ///< value log value for Jensen-Shannon, else unused
  };
  /// The rows at one end of the distances.
  struct Rows {
    std::vector<std::size_t> starts = {0};
    std::vector<Entry> entries = {};
    std::vector<double> own = {};  ///< |x|^2, or the number of non-zero items
  };
  static Rows rows_of(census::Distance distance, const data::SparseRows& rows,
                      std::span<const std::uint32_t> members);
  const Rows& to() const { return to_ ? *to_ : from_; }
  void index_items() const;
  void add_shared_terms(const Entry& mine, std::span<const Entry> theirs, Eigen::ArrayXf& room,
                        std::span<double> sums) const;
  double finish(double shared, std::size_t i, std::size_t j) const;

  census::Distance distance_;
  double columns_;
  Rows from_;
  std::optional<Rows> to_;  ///< absent: the same rows
  mutable std::once_flag items_indexed_;
  mutable std::vector<std::size_t> item_starts_;
  mutable std::vector<Entry> by_item_;
};

using DistanceTable = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The distances of all pairs, those of one table computed once each: size^2 floats. Throws Stopped.
[[nodiscard]] DistanceTable all_distances(const RowDistances& distances, const Progress& progress = {});

}  // namespace hyobscure::obscure
