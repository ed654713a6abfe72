#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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

/// Makes sparse rows of entries that come in any order, on any number of threads. The rows depend on the
/// entries alone: not on their order, nor on what fits into memory.
///
/// Entries are kept by ranges of people. What exceeds `memory` bytes goes to a file without a name, and so do
/// the finished rows then, which are mapped. Cost: O(entries log(entries of a row)), and for what does not
/// fit, 16 bytes an entry written and read once, and 12 written.
class RowCollector {
 public:
  /// `memory` is shared by at most `threads` parts.
  RowCollector(std::size_t people, std::size_t memory, std::size_t threads = 1);
  ~RowCollector();

  /// What one thread at a time fills.
  class Part;
  /// Lives as long as the collector. May be called on many threads at once.
  Part& new_part();
  /// Where there is one thread only: to a part of its own.
  void add(std::uint32_t person, std::string_view item, double value);

  using Merge = MergeValues;
  /// Items are numbered in the order of their texts, people as they were added; zeros are left out. Call
  /// once.
  SparseRows finish(const Merge& merge);

  /// The texts of the items in the order of their numbers, once finished.
  const std::vector<std::string>& item_names() const { return item_names_; }
  /// Whether some person had several entries of one item.
  bool merged() const { return merged_; }
  /// Whether some entry is not in the rows as it was added: merged with others, or zero.
  bool lost() const { return lost_; }

 private:
  class Sink;

  void number_items();
  SparseRows rows_of_range(std::size_t range, const Merge& merge);

  std::size_t people_, memory_of_part_, people_of_range_, ranges_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::string> item_names_;
  std::atomic<bool> merged_ = false, lost_ = false;
};

class RowCollector::Part {
 public:
  Part(std::size_t ranges, std::size_t people_of_range, std::size_t memory)
      : people_of_range_(people_of_range), memory_(memory), ranges_(ranges) {}

  void add(std::uint32_t person, std::string_view item, double value) {
    ranges_[person / people_of_range_].entries.push_back({person, items_.number(item), value});
    if (++entries_in_memory_ * sizeof(Entry) > memory_) spill();
  }

 private:
  friend class RowCollector;
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

  void spill();
  void end_of_entries();
  /// Calls visit(person, item, value) for all entries of a range, and lets them go.
  template <class Visit>
  void take(std::size_t range, Visit&& visit);
  /// Calls visit(person) likewise, and keeps them.
  template <class Visit>
  void look_at_people(std::size_t range, Visit&& visit) const;

  std::size_t people_of_range_, memory_;
  std::size_t entries_in_memory_ = 0, entries_in_file_ = 0;
  std::optional<ScratchFile> file_;
  Stored<Entry> spilled_;
  TextNumbers items_;
  std::vector<std::uint32_t> item_order_;  ///< of its items, the number among all
  std::vector<Range> ranges_;
};

}  // namespace hyobscure::data
