#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/base/scratch.h"
#include "hyobscure/data/engine/text_numbers.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::data {

/// What several values of one person and item become; called with them in ascending order.
using MergeValues = std::function<double(std::span<const double> values)>;

struct RowEntry {
  std::uint32_t item;
  double value;
};

/// Appends a row: entries in any order, which it sorts; several of one item merged, zeros left out. Returns
/// whether there were several of one item.
bool append_merged(std::span<RowEntry> entries, const MergeValues& merge, SparseRows& rows);

/// Makes sparse rows of entries that come in any order. The rows depend on the entries alone: not on their
/// order, nor on what fits into memory.
///
/// Entries are kept by ranges of people. What exceeds `memory` bytes goes to a file without a name, and so do
/// the finished rows then, which are mapped. Cost: O(entries log(entries of a row)), and for what does not
/// fit, 16 bytes an entry written and read once, and 12 written.
class RowCollector {
 public:
  RowCollector(std::size_t people, std::size_t memory);

  void add(std::uint32_t person, std::string_view item, double value) {
    add(person, items_.number(item), value);
  }

  using Merge = MergeValues;
  /// Items are numbered in the order of their texts, people as they were added; zeros are left out. Call
  /// once.
  SparseRows finish(const Merge& merge);

  /// The texts of the items in the order of their numbers, once finished.
  std::vector<std::string> item_names() const;
  /// Whether some person had several entries of one item.
  bool merged() const { return merged_; }

 private:
  struct Entry {
    std::uint32_t person;
    std::uint32_t item;
    double value;
  };
  struct Segment {
    std::size_t first, count;  ///< entries of the file
  };
  struct Range {
    std::vector<Entry> entries = {};
    std::vector<Segment> earlier = {};
  };
  class Sink;

  void add(std::uint32_t person, std::uint32_t item, double value);
  void spill();
  std::vector<Entry> take(Range& range, const Stored<Entry>& file) const;
  SparseRows rows_of_range(std::size_t range, const Stored<Entry>& file,
                           std::span<const std::uint32_t> item_order, const Merge& merge);

  std::size_t people_, memory_, people_of_range_;
  std::size_t entries_in_memory_ = 0, entries_in_file_ = 0;
  std::optional<ScratchFile> file_;
  TextNumbers items_;
  std::atomic<bool> merged_ = false;
  std::vector<Range> ranges_;
};

}  // namespace hyobscure::data
