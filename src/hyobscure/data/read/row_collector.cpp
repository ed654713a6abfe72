#include "hyobscure/data/read/row_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"

namespace hyobscure::data {
namespace {

constexpr std::size_t kRanges = 1024;
constexpr std::size_t kRangesAtOnce = 4;  // sorted in parallel, then appended in order

/// The numbers in the order of their texts.
std::vector<std::uint32_t> order_by_text(const TextNumbers& texts) {
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {},
                    [&](std::uint32_t number) -> const std::string& { return texts.text(number); });
  return order;
}

}  // namespace

RowCollector::RowCollector(std::size_t people, std::size_t memory)
    : people_(people),
      memory_(memory),
      people_of_range_(std::max<std::size_t>(1, (people + kRanges - 1) / kRanges)),
      ranges_((people + people_of_range_ - 1) / people_of_range_) {}

void RowCollector::add(std::uint32_t person, std::uint32_t item, double value) {
  ranges_[person / people_of_range_].entries.push_back({person, item, value});
  if (++entries_in_memory_ * sizeof(Entry) > memory_) spill();
}

void RowCollector::spill() {
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

std::vector<RowCollector::Entry> RowCollector::take(Range& range, const Stored<Entry>& file) const {
  std::vector<Entry> entries = std::exchange(range.entries, {});
  for (const Segment& segment : range.earlier) {
    const Entry* first = file.data() + segment.first;
    entries.insert(entries.end(), first, first + segment.count);
    file.release_pages(segment.first, segment.first + segment.count);
  }
  return entries;
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
  std::ranges::sort(entries, [](const RowEntry& a, const RowEntry& b) {
    return a.item != b.item ? a.item < b.item : a.value < b.value;
  });
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

SparseRows RowCollector::rows_of_range(std::size_t range, const Stored<Entry>& file,
                                       std::span<const std::uint32_t> item_order, const Merge& merge) {
  std::vector<Entry> entries = take(ranges_[range], file);
  const std::size_t first = range * people_of_range_, last = std::min(people_, first + people_of_range_);
  std::vector<std::size_t> starts(last - first + 1, 0);
  for (const Entry& entry : entries) starts[entry.person - first + 1] += 1;
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  std::vector<RowEntry> cells(entries.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const Entry& entry : entries)
    cells[next[entry.person - first]++] = {item_order[entry.item], entry.value};
  std::vector<Entry>().swap(entries);

  SparseRows rows;
  rows.items.reserve(cells.size());
  rows.values.reserve(cells.size());
  for (std::size_t person = 0; person + 1 < starts.size(); ++person)
    if (append_merged(std::span(cells).subspan(starts[person], starts[person + 1] - starts[person]), merge,
                      rows))
      merged_ = true;
  return rows;
}

SparseRows RowCollector::finish(const Merge& merge) {
  std::vector<std::uint32_t> item_order(items_.size());
  for (std::uint32_t place = 0; const std::uint32_t item : order_by_text(items_)) item_order[item] = place++;
  Sink sink(file_.has_value(), entries_in_memory_);
  const Stored<Entry> file = file_ ? Stored<Entry>(file_->map()) : Stored<Entry>();
  for (std::size_t begin = 0; begin < ranges_.size(); begin += kRangesAtOnce) {
    std::vector<SparseRows> rows(std::min(kRangesAtOnce, ranges_.size() - begin));
    parallel_blocks(rows.size(), 1, [&](std::size_t at, std::size_t) {
      rows[at] = rows_of_range(begin + at, file, item_order, merge);
    });
    for (const SparseRows& part : rows) sink.append(part);
  }
  SparseRows rows = sink.finish();
  rows.columns = items_.size();
  return rows;
}

std::vector<std::string> RowCollector::item_names() const {
  std::vector<std::string> names;
  for (const std::uint32_t item : order_by_text(items_)) names.push_back(items_.text(item));
  return names;
}

}  // namespace hyobscure::data
