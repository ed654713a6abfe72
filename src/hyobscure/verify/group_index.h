#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hyobscure/published/manifest.h"

namespace hyobscure::verify {

/// Finds the groups that may hold a secret without asking each: by the axis of the secret that tells groups
/// apart best. There may be as many groups as people. The manifest must outlive it.
class GroupIndex {
 public:
  explicit GroupIndex(const published::Manifest& manifest);

  /// Groups whose cover of the axis may hold that of the secret; others do not hold it.
  const std::vector<std::uint32_t>& near(const std::vector<data::Coordinate>& secret) const;

  /// Groups that share something of the axis stand in one list, at least; the others do not overlap.
  const std::vector<std::vector<std::uint32_t>>& lists() const { return lists_; }

 private:
  using Lists = std::vector<std::vector<std::uint32_t>>;
  struct ByAxis {
    std::vector<double> begins = {};                   ///< numbers: a list from each to the next; ascending
    std::map<data::GridCell, std::size_t> cells = {};  ///< the list of a cell
    std::map<std::string, std::size_t> names = {};
    Lists lists = {};
  };
  static ByAxis by_axis(const published::Manifest& manifest, std::size_t axis);

  std::size_t axis_ = 0;
  data::AxisKind kind_ = data::AxisKind::Ordered;
  ByAxis places_;
  Lists lists_;
  std::vector<std::uint32_t> none_ = {};
};

}  // namespace hyobscure::verify
