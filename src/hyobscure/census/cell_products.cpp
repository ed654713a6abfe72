#include "hyobscure/census/cell_products.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Items = std::vector<std::uint32_t>;  // ascending

constexpr std::size_t kBatchNumbers = 12'000'000;  // features of rare items held at a time, 96 MB
constexpr std::size_t kItemBlock = 16;
constexpr std::size_t kStripe = 64;        // columns of P that belong to one task
constexpr std::size_t kCountingTasks = 8;  // each has counts of its own for all items
constexpr std::size_t kSurelyFrequent = 4;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// What every part of the work reads.
struct Task {
  const SparseRows& rows;
  RowScale scaling;
  std::span<const std::uint32_t> cell_of_row;
  std::size_t cells;
  const FeatureMap& map;
  const ProductLimits& limits;

  std::size_t width() const { return static_cast<std::size_t>(map.scale.size()); }
  double scale_of(std::size_t row) const {
    if (scaling == RowScale::AsTheyAre) return 1;
    const auto values = rows[row].values;
    return 1 / std::accumulate(values.begin(), values.end(), 0.0);
  }
};

struct Range {
  std::size_t begin;
  std::size_t end;
};

// Cuts 0 .. count-1 into ranges whose weights stay below the limit where a single one does not exceed it.
std::vector<Range> cut_by_weight(std::size_t count, std::size_t limit, const auto& weight_of) {
  std::vector<Range> ranges;
  std::size_t begin = 0, weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = weight_of(i);
    if (i > begin && weight + next > limit) {
      ranges.push_back({begin, i});
      begin = i;
      weight = 0;
    }
    weight += next;
  }
  if (begin < count) ranges.push_back({begin, count});
  return ranges;
}

// The items of one pass over the rows, and their places in what the pass fills.
class ChosenItems {
 public:
  ChosenItems(std::span<const std::uint32_t> items, std::size_t columns)
      : first_(items.front()), last_(items.back()), size_(items.size()), places_(columns, kNowhere) {
    for (std::size_t i = 0; i < items.size(); ++i) places_[items[i]] = static_cast<std::uint32_t>(i);
  }
  std::size_t size() const { return size_; }

  // Calls body(place, value) for the entries of the row that are chosen and not zero.
  void for_entries(SparseRows::Row row, const auto& body) const {
    const auto begin = std::lower_bound(row.items.begin(), row.items.end(), first_);
    for (auto e = static_cast<std::size_t>(begin - row.items.begin());
         e < row.items.size() && row.items[e] <= last_; ++e) {
      const std::uint32_t place = places_[row.items[e]];
      if (place != kNowhere && row.values[e] != 0) body(place, row.values[e]);
    }
  }

 private:
  std::uint32_t first_, last_;
  std::size_t size_;
  std::vector<std::uint32_t> places_;
};

// The features of the values that a row has: most rows repeat a few values (ratings, counts) many times.
class RowFeatures {
 public:
  explicit RowFeatures(const FeatureMap& map)
      : map_(map),
        width_(static_cast<std::size_t>(map.scale.size())),
        rows_(kSlots, 0),
        values_(kSlots, 0),
        features_(std::make_unique_for_overwrite<double[]>(kSlots * width_)) {}

  void start_row(double scale) {
    row_ += 1;
    scale_ = scale;
  }
  const double* of(double value) {
    const std::size_t slot = slot_of(value);
    double* features = features_.get() + slot * width_;
    if (rows_[slot] != row_ || values_[slot] != value) {
      map_.raw(value * scale_, features);
      rows_[slot] = row_;
      values_[slot] = value;
    }
    return features;
  }

 private:
  static constexpr int kSlotBits = 8;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  static std::size_t slot_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return ((bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15u) >> (64 - kSlotBits);
  }

  const FeatureMap& map_;
  std::size_t width_;
  std::size_t row_ = 0;
  double scale_ = 1;
  std::vector<std::size_t> rows_;  // whose features a slot holds
  std::vector<double> values_;
  std::unique_ptr<double[]> features_;
};

// Frequent items

// Adds the features of the rows of one cell to its sums, item after item.
void add_rows(const Task& task, const ChosenItems& items, std::span<const std::uint32_t> members,
              std::size_t first_row, double* sums) {
  const auto width = static_cast<Index>(task.width());
  RowFeatures features(task.map);
  for (const std::uint32_t member : members) {
    const std::size_t row = first_row + member;
    features.start_row(task.scale_of(row));
    items.for_entries(task.rows[row], [&](std::uint32_t place, double value) {
      const double* added = features.of(value);
      double* sum = sums + static_cast<Index>(place) * width;
      for (Index j = 0; j < width; ++j) sum[j] += added[j];
    });
  }
}

// A column for each cell: psi summed over its people, item after item.
MatrixXd sum_features(const Task& task, const ChosenItems& items, const Progress& progress) {
  const auto length = static_cast<Index>(items.size() * task.width());
  MatrixXd sums(length, static_cast<Index>(task.cells));
  parallel_blocks(task.cells, 1, [&](std::size_t cell, std::size_t) {
    sums.col(static_cast<Index>(cell)).setZero();  // by the thread that touches the memory first
  });
  for_row_segments(
      task.rows,
      [&](std::size_t begin, std::size_t end) {
        progress.throw_if_stopped();
        progress.report("distances", static_cast<double>(begin), static_cast<double>(task.rows.size()));
        const RowsByCell by_cell(task.cell_of_row.subspan(begin, end - begin), task.cells);
        parallel_blocks(task.cells, 1, [&](std::size_t cell, std::size_t) {
          const auto members = by_cell.members(cell);
          if (!members.empty())
            add_rows(task, items, members, begin, sums.col(static_cast<Index>(cell)).data());
        });
      },
      task.limits.segment_entries);
  parallel_blocks(task.cells, 1, [&](std::size_t cell, std::size_t) {
    auto column = sums.col(static_cast<Index>(cell));
    column.reshaped(task.map.scale.size(), static_cast<Index>(items.size())).array().colwise() *=
        task.map.scale.array();
  });
  return sums;
}

// Adds sums' * sums to P, at and below its diagonal.
void add_squared(const MatrixXd& sums, MatrixXd& products) {
  parallel_blocks(static_cast<std::size_t>(products.cols()), kStripe,
                  [&](std::size_t begin, std::size_t end) {
                    const auto first = static_cast<Index>(begin), columns = static_cast<Index>(end - begin);
                    const Index below = products.rows() - first;
                    products.block(first, first, below, columns).noalias() +=
                        sums.rightCols(below).transpose() * sums.middleCols(first, columns);
                  });
}

void add_frequent(const Task& task, const Items& frequent, const Progress& progress, MatrixXd& products) {
  const std::size_t item_bytes = task.cells * task.width() * sizeof(double);
  const auto weight = [&](std::size_t) { return item_bytes; };
  for (const Range part : cut_by_weight(frequent.size(), task.limits.table_bytes, weight)) {
    const ChosenItems items(
        std::span<const std::uint32_t>(frequent).subspan(part.begin, part.end - part.begin),
        task.rows.columns);
    add_squared(sum_features(task, items, progress), products);
  }
}

// Rare items

// The entries of some items, item after item, each in the order of the rows.
struct ItemLists {
  std::vector<Range> entries;  // of each item
  std::vector<std::uint32_t> cells;
  std::vector<double> values;

  std::size_t size() const { return entries.size(); }
  std::size_t length(std::size_t item) const { return entries[item].end - entries[item].begin; }
};

// The summed features of the cells that have an item.
struct ItemFeatures {
  std::vector<std::uint32_t> cells;  // ascending
  MatrixXd sums;                     // a column for each of them
};

// `counts` are those of the chosen items, zeros included. One thread: rare items are a small part of large
// data.
ItemLists collect_items(const Task& task, const ChosenItems& items, std::span<const std::size_t> counts,
                        const Progress& progress) {
  ItemLists lists;
  std::size_t entries = 0;
  for (const std::size_t count : counts) {
    lists.entries.push_back({entries, entries});
    entries += count;
  }
  lists.cells.resize(entries);
  lists.values.resize(entries);
  for_row_segments(
      task.rows,
      [&](std::size_t begin, std::size_t end) {
        progress.throw_if_stopped();
        for (std::size_t row = begin; row < end; ++row) {
          const double scale = task.scale_of(row);
          items.for_entries(task.rows[row], [&](std::uint32_t place, double value) {
            const std::size_t entry = lists.entries[place].end++;
            lists.cells[entry] = task.cell_of_row[row];
            lists.values[entry] = value * scale;
          });
        }
      },
      task.limits.segment_entries);
  return lists;
}

// The entries of an item by their cells, those of a cell in the order of the rows: the cell in the upper half
// of a number, the entry in the lower.
std::vector<std::uint64_t> by_cell(const ItemLists& lists, Range entries) {
  std::vector<std::uint64_t> order;
  order.reserve(entries.end - entries.begin);
  for (std::size_t e = entries.begin; e < entries.end; ++e)
    order.push_back((std::uint64_t{lists.cells[e]} << 32) | (e - entries.begin));
  std::sort(order.begin(), order.end());
  return order;
}

ItemFeatures sum_item(const ItemLists& lists, Range entries, const FeatureMap& map) {
  const auto order = by_cell(lists, entries);
  ItemFeatures result;
  for (const std::uint64_t entry : order) result.cells.push_back(static_cast<std::uint32_t>(entry >> 32));
  result.cells.erase(std::unique(result.cells.begin(), result.cells.end()), result.cells.end());

  result.sums = MatrixXd::Zero(map.scale.size(), static_cast<Index>(result.cells.size()));
  Eigen::VectorXd features(map.scale.size());
  std::size_t position = 0;
  for (const std::uint64_t entry : order) {
    while (result.cells[position] != entry >> 32) ++position;
    map.raw(lists.values[entries.begin + static_cast<std::uint32_t>(entry)], features.data());
    result.sums.col(static_cast<Index>(position)) += features;
  }
  result.sums = map.scale.asDiagonal() * result.sums;
  return result;
}

std::vector<ItemFeatures> sum_features(const ItemLists& lists, Range items, const FeatureMap& map) {
  std::vector<ItemFeatures> batch(items.end - items.begin);
  parallel_blocks(batch.size(), kItemBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) batch[i] = sum_item(lists, lists.entries[items.begin + i], map);
  });
  return batch;
}

// Adds the products of an item to the columns first_cell .. last_cell - 1 of P, at and below its diagonal.
// `scratch` keeps its memory between calls.
void add_products(const ItemFeatures& item, std::size_t first_cell, std::size_t last_cell, MatrixXd& scratch,
                  MatrixXd& products) {
  const auto low = std::lower_bound(item.cells.begin(), item.cells.end(), first_cell);
  const auto high = std::lower_bound(low, item.cells.end(), last_cell);
  if (low == high) return;
  const Index begin = low - item.cells.begin(), columns = high - low;
  const Index rows = static_cast<Index>(item.cells.size()) - begin;
  scratch.resize(rows, columns);
  scratch.noalias() = item.sums.rightCols(rows).transpose() * item.sums.middleCols(begin, columns);
  for (Index b = 0; b < columns; ++b) {
    double* column = &products(0, low[b]);
    for (Index a = b; a < rows; ++a) column[low[a]] += scratch(a, b);
  }
}

void add_products(const std::vector<ItemFeatures>& batch, MatrixXd& products) {
  const auto cells = static_cast<std::size_t>(products.cols());
  parallel_blocks(cells, kStripe, [&](std::size_t begin, std::size_t end) {
    MatrixXd scratch;
    for (const ItemFeatures& item : batch) add_products(item, begin, end, scratch, products);
  });
}

void add_rare(const Task& task, const Items& rare, const std::vector<std::size_t>& counts,
              const Progress& progress, MatrixXd& products) {
  std::vector<std::size_t> entries;
  for (const std::uint32_t item : rare) entries.push_back(counts[item]);
  const std::size_t most_entries = task.limits.table_bytes / (sizeof(double) + sizeof(std::uint32_t));
  const auto weight = [&](std::size_t i) { return entries[i]; };
  for (const Range part : cut_by_weight(rare.size(), most_entries, weight)) {
    const std::size_t size = part.end - part.begin;
    const ChosenItems items(std::span<const std::uint32_t>(rare).subspan(part.begin, size),
                            task.rows.columns);
    const ItemLists lists =
        collect_items(task, items, std::span(entries).subspan(part.begin, size), progress);
    const auto numbers = [&](std::size_t i) { return task.width() * lists.length(i); };
    for (const Range batch : cut_by_weight(lists.size(), kBatchNumbers, numbers)) {
      progress.throw_if_stopped();
      add_products(sum_features(lists, batch, task.map), products);
    }
  }
}

// Whether nearly all items must be frequent, so that counting them can be left out.
bool has_many_entries(const Task& task) {
  const std::size_t pairs = task.rows.columns * task.cells;
  return task.rows.entries() / kSurelyFrequent >= pairs &&
         pairs * task.width() * sizeof(double) <= task.limits.table_bytes;
}

}  // namespace

std::vector<std::size_t> entries_of_items(const SparseRows& rows) {
  std::vector<std::vector<std::size_t>> counts(kCountingTasks, std::vector<std::size_t>(rows.columns, 0));
  for_row_segments(rows, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = rows.starts[begin], entries = rows.starts[end] - first;
    const std::size_t block = std::max<std::size_t>(1, block_count(entries, kCountingTasks));
    parallel_blocks(entries, block, [&](std::size_t from, std::size_t to) {
      std::vector<std::size_t>& own = counts[from / block];
      for (std::size_t e = from; e < to; ++e) own[rows.items[first + e]] += 1;
    });
  });
  for (std::size_t task = 1; task < kCountingTasks; ++task)
    std::transform(counts[0].begin(), counts[0].end(), counts[task].begin(), counts[0].begin(), std::plus{});
  return std::move(counts[0]);
}

MatrixXd cell_products(const SparseRows& rows, RowScale scaling, std::span<const std::uint32_t> cell_of_row,
                       std::size_t cells, const FeatureMap& map, const Progress& progress,
                       const ProductLimits& limits) {
  const Task task{rows, scaling, cell_of_row, cells, map, limits};
  MatrixXd products = MatrixXd::Zero(static_cast<Index>(cells), static_cast<Index>(cells));
  const auto counts =
      has_many_entries(task) ? std::vector<std::size_t>(rows.columns, cells) : entries_of_items(rows);
  Items frequent, rare;
  for (std::uint32_t item = 0; item < rows.columns; ++item)
    if (counts[item] > 0) (counts[item] >= cells ? frequent : rare).push_back(item);
  add_frequent(task, frequent, progress, products);
  add_rare(task, rare, counts, progress, products);
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();
  return products;
}

}  // namespace hyobscure::census
