#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hyobscure/census/additive.h"

namespace hyobscure::census {

/// What part of the people adds to the distances of a census. Parts that were added up anywhere, in any
/// order, join to the very bits that take_census finds from all rows at once.
///
/// Sums are kept by item: so many machines can join them, each some of the items.
class CellSums {
 public:
  /// `people` are those of all parts, and so is the extent.
  CellSums(const AdditiveDistance& distance, std::uint64_t people);

  /// Rows that have passed check_rows.
  void add(const data::SparseRows& rows, std::span<const std::uint32_t> cell_of_row);

  /// One item's sums as bytes. What people have without any item, the squares of their rows, is under
  /// kNoItem.
  struct Part {
    std::uint32_t item = 0;
    std::string bytes = {};
  };
  static constexpr std::uint32_t kNoItem = ~0u;

  /// All items, ascending; starts again.
  [[nodiscard]] std::vector<Part> take_parts();
  /// Bytes that the sums take in memory.
  [[nodiscard]] std::size_t memory() const { return sums_.size() * sizeof(std::int64_t); }

  /// The sums of one item from several machines.
  [[nodiscard]] static std::string join(std::span<const std::string_view> parts);

 private:
  struct Item {
    std::size_t entries = 0;
    std::unordered_map<std::uint32_t, std::size_t> place_of_cell = {};  ///< of its features in sums_
  };

  const AdditiveDistance distance_;
  FixedPoint features_, squares_;
  std::vector<std::int64_t> sums_;
  std::vector<Item> items_;
  std::unordered_map<std::uint32_t, std::int64_t> square_of_cell_;
};

/// The table of a census (Census::pair_sums) from the joined parts of all items. counts: clusters x values;
/// cells are numbered by cell_index; `entries` are those of all rows, `columns` the items that there are.
/// Throws InputError for parts that are damaged.
[[nodiscard]] Eigen::MatrixXd pair_sums_of_parts(const AdditiveDistance& distance,
                                                 std::span<const CellSums::Part> parts,
                                                 const Eigen::MatrixXd& counts, std::size_t columns,
                                                 std::size_t entries);

}  // namespace hyobscure::census
