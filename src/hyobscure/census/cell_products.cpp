#include "hyobscure/census/cell_products.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/row_features.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
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
  double scale_of(std::size_t row) const { return census::scale_of(rows[row], scaling); }
  FixedPoint fixed() const { return fixed_features(map, rows.size()); }
};

// What turns sums of raw features into sums of features.
VectorXd full_scale(const FeatureMap& map, const FixedPoint& fixed) { return map.scale * fixed.unit(); }

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

// Frequent items

// Sums of all cells, an item after the other in the column of a cell: whole numbers while they are added up,
// features afterwards, in the same memory, which is the largest that a census takes.
class SumTable {
 public:
  SumTable(std::size_t items, std::size_t width, std::size_t cells)
      : items_(static_cast<Index>(items)),
        width_(static_cast<Index>(width)),
        cells_(static_cast<Index>(cells)),
        memory_(items * width * cells) {
    parallel_blocks(cells, 1, [&](std::size_t cell, std::size_t) {  // by the thread that touches it first
      std::fill_n(sums(cell), items_ * width_, std::int64_t{0});
    });
  }

  std::int64_t* sums(std::size_t cell) {
    return reinterpret_cast<std::int64_t*>(memory_.data()) + static_cast<Index>(cell) * items_ * width_;
  }

  /// Call once.
  Eigen::Map<MatrixXd> features(const VectorXd& scale) {
    parallel_blocks(static_cast<std::size_t>(cells_), 1, [&](std::size_t cell, std::size_t) {
      std::int64_t* numbers = sums(cell);
      for (Index i = 0; i < items_ * width_; ++i) {
        const double feature = static_cast<double>(numbers[i]) * scale[i % width_];
        std::memcpy(numbers + i, &feature, sizeof feature);
      }
    });
    return {memory_.data(), items_ * width_, cells_};
  }

 private:
  Index items_, width_, cells_;
  Eigen::VectorXd memory_;
};

// Adds the features of the rows of one cell to its sums, item after item.
void add_rows(const Task& task, const ChosenItems& items, std::span<const std::uint32_t> members,
              std::size_t first_row, std::int64_t* sums) {
  const auto width = static_cast<Index>(task.width());
  RowFeatures features(task.map, task.fixed());
  for (const std::uint32_t member : members) {
    const std::size_t row = first_row + member;
    features.start_row(task.scale_of(row));
    items.for_entries(task.rows[row], [&](std::uint32_t place, double value) {
      const std::int64_t* added = features.of(value);
      std::int64_t* sum = sums + static_cast<Index>(place) * width;
      for (Index j = 0; j < width; ++j) sum[j] += added[j];
    });
  }
}

// psi summed over the people of each cell.
SumTable sum_features(const Task& task, const ChosenItems& items, const Progress& progress) {
  SumTable table(items.size(), task.width(), task.cells);
  for_row_segments(
      task.rows,
      [&](std::size_t begin, std::size_t end) {
        progress.throw_if_stopped();
        progress.report("distances", static_cast<double>(begin), static_cast<double>(task.rows.size()));
        const RowsByCell by_cell(task.cell_of_row.subspan(begin, end - begin), task.cells);
        parallel_blocks(task.cells, 1, [&](std::size_t cell, std::size_t) {
          const auto members = by_cell.members(cell);
          if (!members.empty()) add_rows(task, items, members, begin, table.sums(cell));
        });
      },
      task.limits.segment_entries);
  return table;
}

// Adds sums' * sums to P, at and below its diagonal.
void add_squared(const Eigen::Map<MatrixXd>& sums, MatrixXd& products) {
  parallel_blocks(static_cast<std::size_t>(products.cols()), kStripe,
                  [&](std::size_t begin, std::size_t end) {
                    const auto first = static_cast<Index>(begin), columns = static_cast<Index>(end - begin);
                    const Index below = products.rows() - first;
                    products.block(first, first, below, columns).noalias() +=
                        sums.rightCols(below).transpose() * sums.middleCols(first, columns);
                  });
}

// The items of one table each.
std::vector<std::span<const std::uint32_t>> parts_of_frequent(std::span<const std::uint32_t> frequent,
                                                              std::size_t cells, const FeatureMap& map,
                                                              const ProductLimits& limits) {
  const std::size_t item_bytes = cells * static_cast<std::size_t>(map.scale.size()) * sizeof(double);
  std::vector<std::span<const std::uint32_t>> parts;
  for (const Range part :
       cut_by_weight(frequent.size(), limits.table_bytes, [&](std::size_t) { return item_bytes; }))
    parts.push_back(frequent.subspan(part.begin, part.end - part.begin));
  return parts;
}

void add_frequent(const Task& task, const Items& frequent, const Progress& progress, MatrixXd& products) {
  const VectorXd scale = full_scale(task.map, task.fixed());
  for (const auto part : parts_of_frequent(frequent, task.cells, task.map, task.limits)) {
    SumTable table = sum_features(task, ChosenItems(part, task.rows.columns), progress);
    add_squared(table.features(scale), products);
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

ItemSums sum_item(const ItemLists& lists, Range entries, const FeatureMap& map, const FixedPoint& fixed) {
  const auto order = by_cell(lists, entries);
  ItemSums result;
  for (const std::uint64_t entry : order) result.cells.push_back(static_cast<std::uint32_t>(entry >> 32));
  result.cells.erase(std::unique(result.cells.begin(), result.cells.end()), result.cells.end());

  result.sums = ItemSums::Sums::Zero(map.scale.size(), static_cast<Index>(result.cells.size()));
  FixedFeatures fixed_features(map, fixed);
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1> features(map.scale.size());
  std::size_t position = 0;
  for (const std::uint64_t entry : order) {
    while (result.cells[position] != entry >> 32) ++position;
    fixed_features.write(lists.values[entries.begin + static_cast<std::uint32_t>(entry)], features.data());
    result.sums.col(static_cast<Index>(position)) += features;
  }
  return result;
}

ItemFeatures features_of(const ItemSums& item, const VectorXd& scale) {
  return {item.cells, scale.asDiagonal() * item.sums.cast<double>()};
}

std::vector<ItemFeatures> sum_features(const ItemLists& lists, Range items, const FeatureMap& map,
                                       const FixedPoint& fixed) {
  std::vector<ItemFeatures> batch(items.end - items.begin);
  const VectorXd scale = full_scale(map, fixed);
  parallel_blocks(batch.size(), kItemBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      batch[i] = features_of(sum_item(lists, lists.entries[items.begin + i], map, fixed), scale);
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
      add_products(sum_features(lists, batch, task.map, task.fixed()), products);
    }
  }
}

// Whether nearly all items must be frequent, so that counting them can be left out.
bool has_many_entries(std::size_t entries, std::size_t columns, std::size_t cells, const FeatureMap& map,
                      const ProductLimits& limits) {
  const std::size_t pairs = columns * cells;
  return entries / kSurelyFrequent >= pairs &&
         pairs * static_cast<std::size_t>(map.scale.size()) * sizeof(double) <= limits.table_bytes;
}

// Items by how they are summed; those that nobody has are in neither list.
struct Split {
  Items frequent, rare;
};

Split split_items(const std::vector<std::size_t>& counts, std::size_t cells) {
  Split split;
  for (std::uint32_t item = 0; item < counts.size(); ++item)
    if (counts[item] > 0) (counts[item] >= cells ? split.frequent : split.rare).push_back(item);
  return split;
}

// The part's sums, as sum_features gives them.
SumTable table_of(std::span<const std::uint32_t> part, std::span<const ItemSums* const> sums_of_item,
                  std::size_t width, std::size_t cells) {
  SumTable table(part.size(), width, cells);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const ItemSums* item = sums_of_item[part[i]];
    if (item == nullptr) continue;
    for (std::size_t c = 0; c < item->cells.size(); ++c)
      std::copy_n(item->sums.col(static_cast<Index>(c)).data(), width,
                  table.sums(item->cells[c]) + static_cast<Index>(i * width));
  }
  return table;
}

}  // namespace

double scale_of(SparseRows::Row row, RowScale scaling) {
  if (scaling == RowScale::AsTheyAre) return 1;
  return 1 / std::accumulate(row.values.begin(), row.values.end(), 0.0);
}

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
  const auto counts = has_many_entries(rows.entries(), rows.columns, cells, map, limits)
                          ? std::vector<std::size_t>(rows.columns, cells)
                          : entries_of_items(rows);
  const auto [frequent, rare] = split_items(counts, cells);
  add_frequent(task, frequent, progress, products);
  add_rare(task, rare, counts, progress, products);
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();
  return products;
}

MatrixXd products_of_sums(std::span<const ItemSums> sums, std::size_t columns, std::size_t entries,
                          std::uint64_t people, std::size_t cells, const FeatureMap& map,
                          const ProductLimits& limits) {
  const bool many = has_many_entries(entries, columns, cells, map, limits);
  std::vector<std::size_t> counts(columns, many ? cells : 0);
  std::vector<const ItemSums*> sums_of_item(columns, nullptr);
  for (const ItemSums& item : sums) {
    sums_of_item[item.item] = &item;
    if (!many) counts[item.item] = item.entries;
  }
  const auto [frequent, rare] = split_items(counts, cells);
  const VectorXd scale = full_scale(map, fixed_features(map, people));
  MatrixXd products = MatrixXd::Zero(static_cast<Index>(cells), static_cast<Index>(cells));
  for (const auto part : parts_of_frequent(frequent, cells, map, limits)) {
    SumTable table = table_of(part, sums_of_item, static_cast<std::size_t>(map.scale.size()), cells);
    add_squared(table.features(scale), products);
  }
  for (const std::uint32_t item : rare) add_products({features_of(*sums_of_item[item], scale)}, products);
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();
  return products;
}

}  // namespace hyobscure::census
