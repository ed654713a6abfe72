#include "hyobscure/data/read/row_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"

namespace hyobscure::data {
namespace {

constexpr std::size_t kRanges = 1024;
constexpr std::size_t kRangesAtOnce = 16;  // sorted in parallel, then appended in order

}  // namespace

RowCollector::RowCollector(std::size_t people, std::size_t memory, std::size_t threads)
    : people_(people),
      memory_of_part_(memory / threads),
      people_of_range_(std::max<std::size_t>(1, (people + kRanges - 1) / kRanges)),
      ranges_((people + people_of_range_ - 1) / people_of_range_) {}

RowCollector::~RowCollector() = default;

RowCollector::Part& RowCollector::new_part() {
  const std::lock_guard lock(mutex_);
  return *parts_.emplace_back(std::make_unique<Part>(ranges_, people_of_range_, memory_of_part_));
}

void RowCollector::add(std::uint32_t person, std::string_view item, double value) {
  if (parts_.empty()) (void)new_part();
  parts_.front()->add(person, item, value);
}

void RowCollector::Part::spill() {
  if (!file_) file_.emplace();
  for (Range& range : ranges_) {
    if (range.entries.empty()) continue;
    file_->append_numbers(std::span<const Entry>(range.entries));
    range.earlier.push_back({entries_in_file_, range.entries.size()});
    entries_in_file_ += range.entries.size();
    std::vector<Entry>().swap(
        range.entries);  // with its memory: sorted input fills one range after the other
  }
  entries_in_memory_ = 0;
}

void RowCollector::Part::end_of_entries() {
  if (file_) spilled_ = Stored<Entry>(file_->map());
}

template <class Visit>
void RowCollector::Part::look_at_people(std::size_t range, Visit&& visit) const {
  for (const Entry& entry : ranges_[range].entries) visit(entry.person);
  for (const Segment& segment : ranges_[range].earlier)
    for (std::size_t n = 0; n < segment.count; ++n) visit(spilled_[segment.first + n].person);
}

template <class Visit>
void RowCollector::Part::take(std::size_t range, Visit&& visit) {
  const auto each = [&](const Entry& entry) { visit(entry.person, item_order_[entry.item], entry.value); };
  for (const Entry& entry : std::exchange(ranges_[range].entries, {})) each(entry);
  for (const Segment& segment : ranges_[range].earlier) {
    for (std::size_t n = 0; n < segment.count; ++n) each(spilled_[segment.first + n]);
    spilled_.release_pages(segment.first, segment.first + segment.count);
  }
}

/// In the order of their texts, whichever part saw them first.
void RowCollector::number_items() {
  for (const auto& part : parts_)
    for (std::uint32_t item = 0; item < part->items_.size(); ++item)
      item_names_.push_back(part->items_.text(item));
  std::ranges::sort(item_names_);
  item_names_.erase(std::unique(item_names_.begin(), item_names_.end()), item_names_.end());
  for (const auto& part : parts_)
    for (std::uint32_t item = 0; item < part->items_.size(); ++item)
      part->item_order_.push_back(static_cast<std::uint32_t>(
          std::ranges::lower_bound(item_names_, part->items_.text(item)) - item_names_.begin()));
}

/// Where finished rows go: to memory, or to files.
class RowCollector::Sink {
 public:
  Sink(bool to_files, std::size_t most_entries) {
    if (to_files) {
      items_.emplace();
      values_.emplace();
    } else {
      rows_.items.reserve(most_entries);
      rows_.values.reserve(most_entries);
    }
  }

  void append(const SparseRows& rows) {
    const std::size_t before = rows_.starts.back();
    for (std::size_t r = 1; r < rows.starts.size(); ++r) rows_.starts.push_back(before + rows.starts[r]);
    if (items_) {
      items_->append_numbers(std::span<const std::uint32_t>(rows.items));
      values_->append_numbers(std::span<const double>(rows.values));
    } else {
      rows_.items.append(rows.items);
      rows_.values.append(rows.values);
    }
  }

  SparseRows finish() {
    if (items_) {
      rows_.items = Stored<std::uint32_t>(items_->map());
      rows_.values = Stored<double>(values_->map());
    }
    return std::move(rows_);
  }

 private:
  SparseRows rows_;
  std::optional<ScratchFile> items_, values_;
};

bool append_merged(std::span<RowEntry> entries, const MergeValues& merge, SparseRows& rows) {
  const auto before = [](const RowEntry& a, const RowEntry& b) {
    return a.item != b.item ? a.item < b.item : a.value < b.value;
  };
  if (!std::ranges::is_sorted(entries, before)) std::ranges::sort(entries, before);  // files often are
  bool merged = false;
  std::vector<double> same;
  for (std::size_t at = 0; at < entries.size();) {
    same.clear();
    const std::uint32_t item = entries[at].item;
    for (; at < entries.size() && entries[at].item == item; ++at) same.push_back(entries[at].value);
    merged = merged || same.size() > 1;
    const double value = same.size() == 1 ? same[0] : merge(same);
    if (value == 0) continue;  // says nothing that an absent entry does not say
    rows.items.push_back(item);
    rows.values.push_back(value);
  }
  rows.end_row();
  return merged;
}

SparseRows RowCollector::rows_of_range(std::size_t range, const Merge& merge) {
  const std::size_t first = range * people_of_range_, last = std::min(people_, first + people_of_range_);
  std::vector<std::size_t> starts(last - first + 1, 0);
  for (const auto& part : parts_)
    part->look_at_people(range, [&](std::uint32_t person) { starts[person - first + 1] += 1; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  std::vector<RowEntry> cells(starts.back());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const auto& part : parts_)
    part->take(range, [&](std::uint32_t person, std::uint32_t item, double value) {
      cells[next[person - first]++] = {item, value};
    });

  SparseRows rows;
  rows.items.reserve(cells.size());
  rows.values.reserve(cells.size());
  for (std::size_t person = 0; person + 1 < starts.size(); ++person)
    if (append_merged(std::span(cells).subspan(starts[person], starts[person + 1] - starts[person]), merge,
                      rows))
      merged_ = true;
  if (rows.entries() != cells.size()) lost_ = true;
  return rows;
}

SparseRows RowCollector::finish(const Merge& merge) {
  number_items();
  bool to_files = false;
  std::size_t entries = 0;
  for (const auto& part : parts_) {
    part->end_of_entries();
    to_files = to_files || part->file_.has_value();
    entries += part->entries_in_memory_;
  }
  Sink sink(to_files, entries);
  for (std::size_t begin = 0; begin < ranges_; begin += kRangesAtOnce) {
    std::vector<SparseRows> rows(std::min(kRangesAtOnce, ranges_ - begin));
    parallel_blocks(rows.size(), 1,
                    [&](std::size_t at, std::size_t) { rows[at] = rows_of_range(begin + at, merge); });
    for (const SparseRows& part : rows) sink.append(part);
  }
  SparseRows rows = sink.finish();
  rows.columns = item_names_.size();
  return rows;
}

}  // namespace hyobscure::data
