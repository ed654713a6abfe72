#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "hyobscure/learn/forest.h"

// What a split of a node is worth. Both criteria maximise a sum over the two sides that differs from the
// weighted fall of impurity by a constant of the node.
//
// A search moves rows from the one side (all rows of the node) to the other, one by one, and asks for the
// score in between.

namespace hyobscure::learn {

/// sum over sides of (sum of numbers)^2 / weight: the squared error falls by as much as this rises.
class SquaredError {
 public:
  /// Numbers are taken from their mean, where squares of sums lose no digits.
  explicit SquaredError(std::span<const double> number_of_row)
      : mean_(std::accumulate(number_of_row.begin(), number_of_row.end(), 0.0) /
              static_cast<double>(number_of_row.size())) {
    for (const double number : number_of_row) numbers_.push_back(number - mean_);
  }

  void start_node(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& weight_of_row) {
    total_ = 0;
    weight_ = 0;
    pure_ = true;
    for (const std::uint32_t row : rows) {
      total_ += weight_of_row[row] * numbers_[row];
      weight_ += weight_of_row[row];
      pure_ = pure_ && numbers_[row] == numbers_[rows.front()];
    }
  }
  bool pure() const { return pure_; }
  void start_side() {
    moved_ = 0;
    moved_weight_ = 0;
  }
  void move(std::uint32_t row, std::uint32_t weight) {
    moved_ += weight * numbers_[row];
    moved_weight_ += weight;
  }
  void undo(std::uint32_t) {}
  bool both_sides_filled() const { return moved_weight_ > 0 && moved_weight_ < weight_; }
  double score() const {
    const double rest = total_ - moved_;
    return moved_ * moved_ / static_cast<double>(moved_weight_) +
           rest * rest / static_cast<double>(weight_ - moved_weight_);
  }
  void write_leaf(std::vector<Forest::LeafOutput>& outputs) const {
    outputs.push_back({.output = 0, .value = mean_ + total_ / static_cast<double>(weight_)});
  }

 private:
  double mean_;
  std::vector<double> numbers_;
  double total_ = 0, moved_ = 0;
  std::uint64_t weight_ = 0, moved_weight_ = 0;
  bool pure_ = false;
};

/// sum over sides of (sum over classes of count^2) / weight: Gini impurity falls by as much as this rises.
class Gini {
 public:
  Gini(std::vector<std::uint32_t> class_of_row, std::uint32_t classes)
      : classes_(std::move(class_of_row)), total_(classes, 0), moved_(classes, 0) {}

  void start_node(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& weight_of_row) {
    for (const std::uint32_t c : present_) total_[c] = 0;
    present_.clear();
    weight_ = 0;
    for (const std::uint32_t row : rows) {
      const std::uint32_t c = classes_[row];
      if (total_[c] == 0) present_.push_back(c);
      total_[c] += weight_of_row[row];
      weight_ += weight_of_row[row];
    }
    squares_ = 0;
    for (const std::uint32_t c : present_) squares_ += total_[c] * total_[c];
  }
  bool pure() const { return present_.size() == 1; }
  void start_side() {
    rest_squares_ = squares_;
    moved_squares_ = 0;
    moved_weight_ = 0;
  }
  void move(std::uint32_t row, std::uint32_t weight) {
    const std::uint32_t c = classes_[row];
    const std::int64_t w = weight, moved = moved_[c], rest = total_[c] - moved;
    moved_squares_ += w * (2 * moved + w);
    rest_squares_ -= w * (2 * rest - w);
    moved_[c] += w;
    moved_weight_ += w;
  }
  /// Every moved row must be given back before the next side starts.
  void undo(std::uint32_t row) { moved_[classes_[row]] = 0; }
  bool both_sides_filled() const { return moved_weight_ > 0 && moved_weight_ < weight_; }
  double score() const {
    return static_cast<double>(moved_squares_) / static_cast<double>(moved_weight_) +
           static_cast<double>(rest_squares_) / static_cast<double>(weight_ - moved_weight_);
  }
  void write_leaf(std::vector<Forest::LeafOutput>& outputs) const {
    for (const std::uint32_t c : present_)
      outputs.push_back(
          {.output = c, .value = static_cast<double>(total_[c]) / static_cast<double>(weight_)});
  }

 private:
  std::vector<std::uint32_t> classes_;
  std::vector<std::int64_t> total_, moved_;
  std::vector<std::uint32_t> present_;  // classes of the node
  std::int64_t weight_ = 0, squares_ = 0;
  std::int64_t moved_weight_ = 0, moved_squares_ = 0, rest_squares_ = 0;
};

}  // namespace hyobscure::learn
