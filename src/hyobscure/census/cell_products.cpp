#include "hyobscure/census/cell_products.h"

#include <algorithm>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kChunkEntries = 4'000'000;   // entries turned into item order at a time, 64 MB
constexpr std::size_t kMostChunks = 16;            // each costs a look at every row
constexpr std::size_t kBatchNumbers = 12'000'000;  // features of cells held at a time, 96 MB
constexpr std::size_t kEntriesAtOnce = 256;        // features of entries held at a time, fits the cache
constexpr std::size_t kItemBlock = 16;
constexpr std::size_t kStripe = 64;  // columns of P that belong to one task

struct Range {
  std::size_t begin;
  std::size_t end;
};

// The entries of some items, item by item, each in the order of the cells.
struct ItemLists {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> cells;
  std::vector<double> values;

  std::size_t size() const { return starts.size() - 1; }
  std::size_t length(std::size_t item) const { return starts[item + 1] - starts[item]; }
};

// The summed features of the cells that have an item.
struct ItemFeatures {
  std::vector<std::uint32_t> cells;  // ascending
  MatrixXd sums;                     // a row for each of them
};

std::vector<std::size_t> entries_of_items(const SparseRows& rows) {
  std::vector<std::size_t> counts(rows.columns, 0);
  for (std::size_t e = 0; e < rows.entries(); ++e) counts[rows.items[e]] += rows.values[e] != 0 ? 1 : 0;
  return counts;
}

// Cuts the items into ranges whose weights stay below the limit where a single item does not exceed it.
std::vector<Range> cut_by_weight(std::size_t items, std::size_t limit, const auto& weight_of_item) {
  std::vector<Range> ranges;
  std::size_t begin = 0, weight = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t next = weight_of_item(i);
    if (i > begin && weight + next > limit) {
      ranges.push_back({begin, i});
      begin = i;
      weight = 0;
    }
    weight += next;
  }
  if (begin < items) ranges.push_back({begin, items});
  return ranges;
}

// Visits the rows in the given order and moves their cursors past the items of the range.
ItemLists collect_items(const SparseRows& rows, std::span<const double> scale_of_row,
                        std::span<const std::uint32_t> cell_of_row, std::span<const std::uint32_t> order,
                        std::span<const std::size_t> counts, Range items, std::vector<std::size_t>& cursors) {
  ItemLists lists;
  lists.starts.assign(1, 0);
  for (std::size_t i = items.begin; i < items.end; ++i)
    lists.starts.push_back(lists.starts.back() + counts[i]);
  lists.cells.resize(lists.starts.back());
  lists.values.resize(lists.starts.back());

  std::vector<std::size_t> next(lists.starts.begin(), lists.starts.end() - 1);
  for (const std::uint32_t row : order) {
    const double scale = scale_of_row.empty() ? 1.0 : scale_of_row[row];
    std::size_t entry = cursors[row];
    for (; entry < rows.starts[row + 1] && rows.items[entry] < items.end; ++entry) {
      if (rows.values[entry] == 0) continue;
      const std::size_t place = next[rows.items[entry] - items.begin]++;
      lists.cells[place] = cell_of_row[row];
      lists.values[place] = rows.values[entry] * scale;
    }
    cursors[row] = entry;
  }
  return lists;
}

// The distinct cells of an item.
std::vector<std::uint32_t> cells_of_item(const ItemLists& lists, std::size_t item) {
  std::vector<std::uint32_t> cells(lists.cells.begin() + static_cast<std::ptrdiff_t>(lists.starts[item]),
                                   lists.cells.begin() + static_cast<std::ptrdiff_t>(lists.starts[item + 1]));
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

// The entries from `entry` on that belong to the same cell, before `end`.
std::size_t same_cell(const ItemLists& lists, std::size_t entry, std::size_t end) {
  std::size_t last = entry + 1;
  while (last < end && lists.cells[last] == lists.cells[entry]) ++last;
  return last - entry;
}

ItemFeatures sum_features(const ItemLists& lists, std::size_t item, const FeatureMap& map) {
  const Index width = map.scale.size();
  ItemFeatures result{.cells = cells_of_item(lists, item), .sums = {}};
  result.sums = MatrixXd::Zero(static_cast<Index>(result.cells.size()), width);

  MatrixXd features(static_cast<Index>(std::min(lists.length(item), kEntriesAtOnce)), width);
  Index position = 0;
  for (std::size_t begin = lists.starts[item]; begin < lists.starts[item + 1]; begin += kEntriesAtOnce) {
    const std::size_t end = std::min(begin + kEntriesAtOnce, lists.starts[item + 1]);
    map.raw({lists.values.data() + begin, end - begin}, features.topRows(static_cast<Index>(end - begin)));
    for (std::size_t entry = begin; entry < end;) {
      const std::size_t count = same_cell(lists, entry, end);
      while (result.cells[static_cast<std::size_t>(position)] != lists.cells[entry]) ++position;
      for (Index j = 0; j < width; ++j)
        result.sums(position, j) +=
            features.col(j).segment(static_cast<Index>(entry - begin), static_cast<Index>(count)).sum();
      entry += count;
    }
  }
  result.sums *= map.scale.asDiagonal();
  return result;
}

std::vector<ItemFeatures> sum_features(const ItemLists& lists, Range items, const FeatureMap& map) {
  std::vector<ItemFeatures> batch(items.end - items.begin);
  parallel_blocks(batch.size(), kItemBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) batch[i] = sum_features(lists, items.begin + i, map);
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
  const auto left = item.sums.middleRows(begin, rows);
  const auto right = item.sums.middleRows(begin, columns).transpose();

  const bool gapless = item.cells.back() - *low + 1 == rows;
  if (gapless) {
    products.block(*low, *low, rows, columns).noalias() += left * right;
    return;
  }
  scratch.resize(rows, columns);
  scratch.noalias() = left * right;
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

}  // namespace

MatrixXd cell_products(const SparseRows& rows, std::span<const double> scale_of_row,
                       std::span<const std::uint32_t> cell_of_row, std::size_t cells, const FeatureMap& map,
                       const Progress& progress) {
  const RowsByCell by_cell(cell_of_row, cells);
  const auto counts = entries_of_items(rows);
  const std::size_t chunk_limit = std::max(kChunkEntries, rows.entries() / kMostChunks);
  const auto width = static_cast<std::size_t>(map.scale.size());
  std::vector<std::size_t> cursors(rows.starts.begin(), rows.starts.end() - 1);
  MatrixXd products = MatrixXd::Zero(static_cast<Index>(cells), static_cast<Index>(cells));

  for (const Range chunk :
       cut_by_weight(rows.columns, chunk_limit, [&](std::size_t i) { return counts[i]; })) {
    const ItemLists lists =
        collect_items(rows, scale_of_row, cell_of_row, by_cell.order, counts, chunk, cursors);
    const auto numbers = [&](std::size_t i) { return width * std::min(lists.length(i), cells); };
    for (const Range items : cut_by_weight(lists.size(), kBatchNumbers, numbers)) {
      progress.throw_if_stopped();
      progress.report("distances", static_cast<double>(chunk.begin + items.begin),
                      static_cast<double>(rows.columns));
      add_products(sum_features(lists, items, map), products);
    }
  }
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();
  return products;
}

}  // namespace hyobscure::census
