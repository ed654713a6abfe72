#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// What travels from a contributor to a composed row as one piece: an item of long data with its value, an
/// element of a set, the cell of a column, or the cells of columns that stay together.
///
/// Every row has the units 0 .. fixed-1, which are cells; of the others it has those whose item it has.
class Units {
 public:
  /// Throws InputError for columns that do not exist or stand in two lists, and for long data with any.
  Units(const data::People& people, const std::vector<std::vector<std::string>>& together);

  std::uint32_t fixed() const { return fixed_; }
  std::uint32_t of_item(std::uint32_t item) const {
    return unit_of_item_.empty() ? item : unit_of_item_[item];
  }
  /// The unit of a column of wide data; absent for a set whose elements travel alone.
  std::optional<std::uint32_t> of_column(std::size_t column) const { return unit_of_column_[column]; }
  /// A category, an element or an item points at those who have it; a number is the column's.
  bool has_owners(std::uint32_t item) const { return has_owners_.empty() || has_owners_[item]; }
  /// It stands for having nothing, and does not travel.
  bool is_nothing(std::uint32_t item) const { return nothing_ == item; }
  std::optional<std::uint32_t> nothing() const { return nothing_; }

 private:
  std::uint32_t fixed_ = 0;
  std::vector<std::uint32_t> unit_of_item_;
  std::vector<std::optional<std::uint32_t>> unit_of_column_;
  std::vector<bool> has_owners_;
  std::optional<std::uint32_t> nothing_;
};

}  // namespace hyobscure::obscure
