#include "hyobscure/learn/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/learn/forest_split.h"
#include "hyobscure/learn/training.h"

namespace hyobscure::learn {
namespace {

using data::SparseRows;
using Rows = std::span<const std::uint32_t>;

struct Entry {
  std::uint32_t column;
  std::uint32_t row;
  double value;
};

// Sorted by column, then value. Splitting a node keeps the order, so nothing is ever sorted again.
std::vector<Entry> sorted_entries(const SparseRows& rows) {
  std::vector<Entry> entries;
  entries.reserve(rows.entries());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].items.size(); ++i)
      if (rows[r].values[i] != 0)
        entries.push_back(
            {.column = rows[r].items[i], .row = static_cast<std::uint32_t>(r), .value = rows[r].values[i]});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.column != b.column) return a.column < b.column;
    return a.value != b.value ? a.value < b.value : a.row < b.row;
  });
  return entries;
}

struct Split {
  std::uint32_t column;
  double threshold;
  double score;
};

// Rows of a node are rows_[row_begin .. row_end), their entries likewise.
struct Range {
  std::uint32_t node;
  std::size_t row_begin, row_end;
  std::size_t entry_begin, entry_end;
};

// Half-way, so that a row between two training values goes to the nearer; never up to `above` itself.
double between(double below, double above) {
  const double middle = below / 2 + above / 2;
  return middle < above ? std::max(middle, below) : below;
}

template <class Criterion>
class TreeGrower {
 public:
  TreeGrower(const std::vector<Entry>& sorted, std::size_t rows, std::size_t columns, Criterion criterion,
             const ForestSettings& settings, const Key& key)
      : settings_(settings),
        columns_(columns),
        criterion_(std::move(criterion)),
        random_(key),
        weight_of_row_(rows, 1),
        goes_left_(rows, 0) {
    if (settings.bootstrap) draw_rows();
    for (std::uint32_t row = 0; row < rows; ++row)
      if (weight_of_row_[row] > 0) rows_.push_back(row);
    for (const Entry& entry : sorted)
      if (weight_of_row_[entry.row] > 0) entries_.push_back(entry);
    if (draws_columns()) {
      column_order_.resize(columns);
      std::iota(column_order_.begin(), column_order_.end(), 0U);
      segment_of_column_.assign(columns, {});
    }
  }

  Forest::Tree grow() {
    tree_.nodes.emplace_back();
    std::vector<Range> open = {
        {.node = 0, .row_begin = 0, .row_end = rows_.size(), .entry_begin = 0, .entry_end = entries_.size()}};
    while (!open.empty()) {
      const Range range = open.back();
      open.pop_back();
      criterion_.start_node(rows_of(range), weight_of_row_);
      const std::optional<Split> split = criterion_.pure() ? std::nullopt : best_split(range);
      if (split)
        divide(range, *split, open);
      else
        make_leaf(range.node);
    }
    return std::move(tree_);
  }

 private:
  using Segment = std::span<const Entry>;  // entries of one column in a node

  bool draws_columns() const { return settings_.columns_tried > 0 && settings_.columns_tried < columns_; }

  void draw_rows() {
    std::fill(weight_of_row_.begin(), weight_of_row_.end(), 0U);
    for (std::size_t n = 0; n < weight_of_row_.size(); ++n)
      weight_of_row_[random_.below(weight_of_row_.size())] += 1;
  }

  Rows rows_of(const Range& range) const {
    return {rows_.data() + range.row_begin, range.row_end - range.row_begin};
  }

  // A column that has one value in all rows of the node cannot split it.
  bool constant(Segment segment) const {
    return segment.size() == node_rows_ && segment.front().value == segment.back().value;
  }

  void find_segments(const Range& range) {
    segments_.clear();
    for (std::size_t begin = range.entry_begin; begin < range.entry_end;) {
      std::size_t end = begin + 1;
      while (end < range.entry_end && entries_[end].column == entries_[begin].column) ++end;
      const Segment segment(entries_.data() + begin, end - begin);
      if (!constant(segment)) segments_.push_back(segment);
      begin = end;
    }
  }

  std::optional<Split> best_split(const Range& range) {
    node_rows_ = range.row_end - range.row_begin;
    find_segments(range);
    if (draws_columns()) keep_drawn_segments();
    std::optional<Split> best;
    std::uint64_t equally_good = 0;
    for (const Segment segment : segments_) {
      const std::optional<Split> found = best_of_column(segment);
      if (!found) continue;
      // Scores of the same division differ in the last bits between columns; without the tolerance such ties,
      // the rule in small nodes, would not be drawn by lot.
      const double tolerance = best ? 1e-10 * std::abs(best->score) : 0;
      if (!best || found->score > best->score + tolerance) {
        best = found;
        equally_good = 1;
      } else if (found->score >= best->score - tolerance && random_.below(++equally_good) == 0) {
        best = found;
      }
    }
    return best;
  }

  // Draws columns_tried of all columns; those that cannot split this node count as drawn (as in
  // scikit-learn), but where none of the drawn can, one that can is drawn.
  void keep_drawn_segments() {
    if (segments_.empty()) return;
    std::vector<Segment> kept;
    for (const Segment segment : segments_) {
      segment_of_column_[segment.front().column] = segment;
      if (segment.front().column >= settings_.always_tried_from) kept.push_back(segment);
    }
    for (std::size_t n = 0; n < settings_.columns_tried; ++n) {
      std::swap(column_order_[n], column_order_[n + random_.below(columns_ - n)]);
      const std::uint32_t column = column_order_[n];
      if (column < settings_.always_tried_from && !segment_of_column_[column].empty())
        kept.push_back(segment_of_column_[column]);
    }
    if (kept.empty()) kept.push_back(segments_[random_.below(segments_.size())]);
    for (const Segment segment : segments_) segment_of_column_[segment.front().column] = {};
    segments_ = std::move(kept);
  }

  // Positive values from the largest down, negative ones from the smallest up: each split is then the moved
  // entries against all other rows of the node, the zeros among them, whom nobody has to visit.
  std::optional<Split> best_of_column(Segment segment) {
    std::optional<Split> best;
    const auto first_positive = static_cast<std::size_t>(
        std::find_if(segment.begin(), segment.end(), [](const Entry& e) { return e.value > 0; }) -
        segment.begin());
    const bool has_zeros = segment.size() < node_rows_;
    criterion_.start_side();
    for (std::size_t n = segment.size(); n-- > first_positive;) {
      criterion_.move(segment[n].row, weight_of_row_[segment[n].row]);
      const double below = n > first_positive || (!has_zeros && n > 0) ? segment[n - 1].value : 0.0;
      consider(segment[n].column, below, segment[n].value, best);
    }
    give_back(segment.subspan(first_positive));
    criterion_.start_side();
    for (std::size_t n = 0; n < first_positive; ++n) {
      criterion_.move(segment[n].row, weight_of_row_[segment[n].row]);
      const bool last = n + 1 == first_positive;
      const double above = !last || (!has_zeros && n + 1 < segment.size()) ? segment[n + 1].value : 0.0;
      consider(segment[n].column, segment[n].value, above, best);
    }
    give_back(segment.first(first_positive));
    return best;
  }

  void consider(std::uint32_t column, double below, double above, std::optional<Split>& best) {
    if (below == above || !criterion_.both_sides_filled()) return;
    const double score = criterion_.score();
    if (!best || score > best->score)
      best = {.column = column, .threshold = between(below, above), .score = score};
  }

  void give_back(Segment moved) {
    for (const Entry& entry : moved) criterion_.undo(entry.row);
  }

  void divide(const Range& range, const Split& split, std::vector<Range>& open) {
    mark_sides(range, split);
    const auto is_left = [&](std::uint32_t row) { return goes_left_[row] != 0; };
    const std::size_t row_middle = partition(rows_, range.row_begin, range.row_end, right_rows_, is_left);
    const std::size_t entry_middle = partition(entries_, range.entry_begin, range.entry_end, right_entries_,
                                               [&](const Entry& entry) { return is_left(entry.row); });
    const auto left = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes[range.node] = {
        .column = split.column, .threshold = split.threshold, .left = left, .right = left + 1};
    tree_.nodes.resize(tree_.nodes.size() + 2);
    open.push_back({.node = left,
                    .row_begin = range.row_begin,
                    .row_end = row_middle,
                    .entry_begin = range.entry_begin,
                    .entry_end = entry_middle});
    open.push_back({.node = left + 1,
                    .row_begin = row_middle,
                    .row_end = range.row_end,
                    .entry_begin = entry_middle,
                    .entry_end = range.entry_end});
  }

  void mark_sides(const Range& range, const Split& split) {
    const std::uint8_t zeros_go_left = 0 <= split.threshold;
    for (const std::uint32_t row : rows_of(range)) goes_left_[row] = zeros_go_left;
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(range.entry_begin);
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(range.entry_end);
    auto entry = std::lower_bound(begin, end, split.column,
                                  [](const Entry& e, std::uint32_t column) { return e.column < column; });
    for (; entry != end && entry->column == split.column; ++entry)
      goes_left_[entry->row] = entry->value <= split.threshold;
  }

  // Stable; returns where the right side begins.
  template <class T, class IsLeft>
  static std::size_t partition(std::vector<T>& all, std::size_t begin, std::size_t end, std::vector<T>& right,
                               const IsLeft& is_left) {
    right.clear();
    std::size_t middle = begin;
    for (std::size_t n = begin; n < end; ++n) {
      if (is_left(all[n]))
        all[middle++] = all[n];
      else
        right.push_back(all[n]);
    }
    std::copy(right.begin(), right.end(), all.begin() + static_cast<std::ptrdiff_t>(middle));
    return middle;
  }

  void make_leaf(std::uint32_t node) {
    const auto begin = static_cast<std::uint32_t>(tree_.leaf_outputs.size());
    criterion_.write_leaf(tree_.leaf_outputs);
    tree_.nodes[node] = {.column = Forest::Node::kLeaf,
                         .threshold = 0,
                         .left = begin,
                         .right = static_cast<std::uint32_t>(tree_.leaf_outputs.size())};
  }

  const ForestSettings& settings_;
  std::size_t columns_;
  Criterion criterion_;
  RandomStream random_;
  std::vector<std::uint32_t> weight_of_row_;
  std::vector<std::uint8_t> goes_left_;
  std::vector<std::uint32_t> rows_;
  std::vector<Entry> entries_;
  std::size_t node_rows_ = 0;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> column_order_;
  std::vector<Segment> segment_of_column_;
  std::vector<Entry> right_entries_;
  std::vector<std::uint32_t> right_rows_;
  Forest::Tree tree_;
};

void validate(const SparseRows& rows, std::size_t labels, const ForestSettings& settings) {
  if (settings.trees < 1) throw InputError({.source = "trees"}, "a forest needs a tree", "Take at least 1.");
  check_training(rows, labels);
}

template <class Criterion>
std::vector<Forest::Tree> grow_trees(const SparseRows& rows, const Criterion& criterion,
                                     const ForestSettings& settings, const Key& key,
                                     const Progress& progress) {
  const std::vector<Entry> sorted = sorted_entries(rows);
  std::vector<Forest::Tree> trees(static_cast<std::size_t>(settings.trees));
  parallel_blocks(trees.size(), 1, [&](std::size_t t, std::size_t) {
    progress.throw_if_stopped();
    const Key tree_key = key.derive(fmt::format("tree {}", t));
    trees[t] = TreeGrower(sorted, rows.size(), rows.columns, criterion, settings, tree_key).grow();
  });
  return trees;
}

const Forest::Node& find_leaf(const Forest::Tree& tree, const std::vector<double>& dense) {
  const Forest::Node* node = &tree.nodes.front();
  while (node->column != Forest::Node::kLeaf)
    node = &tree.nodes[dense[node->column] <= node->threshold ? node->left : node->right];
  return *node;
}

constexpr std::size_t kRowsPredictedTogether = 64;  // a task of some tenths of a millisecond

}  // namespace

Forest Forest::of_numbers(const SparseRows& rows, std::span<const double> number_of_row,
                          const ForestSettings& settings, const Key& key, const Progress& progress) {
  validate(rows, number_of_row.size(), settings);
  const SquaredError criterion(number_of_row);
  return {grow_trees(rows, criterion, settings, key, progress), rows.columns, 1};
}

Forest Forest::of_classes(const SparseRows& rows, std::span<const std::uint32_t> class_of_row,
                          std::uint32_t classes, const ForestSettings& settings, const Key& key,
                          const Progress& progress) {
  validate(rows, class_of_row.size(), settings);
  assert(std::all_of(class_of_row.begin(), class_of_row.end(), [&](auto c) { return c < classes; }));
  const Gini criterion({class_of_row.begin(), class_of_row.end()}, classes);
  return {grow_trees(rows, criterion, settings, key, progress), rows.columns, classes};
}

Predictions Forest::predict(const SparseRows& rows) const {
  assert(rows.columns == columns_);
  Predictions result =
      Predictions::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(outputs_));
  parallel_blocks(rows.size(), kRowsPredictedTogether, [&](std::size_t begin, std::size_t end) {
    std::vector<double> dense(columns_, 0);
    for (std::size_t r = begin; r < end; ++r) {
      const SparseRows::Row row = rows[r];
      for (std::size_t i = 0; i < row.items.size(); ++i) dense[row.items[i]] = row.values[i];
      for (const Tree& tree : trees_) {
        const Node& leaf = find_leaf(tree, dense);
        for (std::uint32_t n = leaf.left; n < leaf.right; ++n)
          result(static_cast<Eigen::Index>(r), tree.leaf_outputs[n].output) += tree.leaf_outputs[n].value;
      }
      for (const std::uint32_t item : row.items) dense[item] = 0;
    }
  });
  return result / static_cast<double>(trees_.size());
}

}  // namespace hyobscure::learn
