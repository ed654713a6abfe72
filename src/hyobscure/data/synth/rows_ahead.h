#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <utility>
#include <vector>

#include "hyobscure/base/parallel.h"

namespace hyobscure::data {

/// Rows of people who are made by number, 1 to `people`, in their order. People are made on all threads, a
/// batch ahead of the one that is read, so memory does not grow with their number.
template <class Row>
class RowsAhead {
 public:
  /// Appends the rows of people first, first + 1 ... last - 1; called from several threads.
  using Make = std::function<void(std::int64_t first, std::int64_t last, std::vector<Row>& rows)>;

  /// `entries`: about how many rows a person has.
  RowsAhead(std::int64_t people, int entries, Make make)
      : people_(people), block_(std::max(1, kRowsOfABlock / entries)), make_(std::move(make)) {
    start_next();
  }

  /// The next row, or null after the last one.
  const Row* next() {
    while (block_read_ < batch_.size() || take_batch()) {
      if (row_ < batch_[block_read_].size()) return &batch_[block_read_][row_++];
      ++block_read_;
      row_ = 0;
    }
    return nullptr;
  }

 private:
  static constexpr int kRowsOfABlock = 8192;
  static constexpr std::int64_t kBlocksOfABatch = 64;
  using Batch = std::vector<std::vector<Row>>;

  bool take_batch() {
    if (!ahead_.valid()) return false;
    batch_ = ahead_.get();
    block_read_ = row_ = 0;
    start_next();
    return true;
  }

  void start_next() {
    if (started_ >= people_) return;
    const std::int64_t first = started_;
    started_ = std::min(people_, first + kBlocksOfABatch * block_);
    ahead_ = std::async(std::launch::async, [this, first, count = started_ - first] {
      const auto people = static_cast<std::size_t>(count), block = static_cast<std::size_t>(block_);
      Batch batch(block_count(people, block));
      parallel_blocks(people, block, [&](std::size_t begin, std::size_t end) {
        make_(first + 1 + static_cast<std::int64_t>(begin), first + 1 + static_cast<std::int64_t>(end),
              batch[begin / block]);
      });
      return batch;
    });
  }

  std::int64_t people_, block_;
  Make make_;
  std::int64_t started_ = 0;
  Batch batch_;
  std::size_t block_read_ = 0, row_ = 0;
  std::future<Batch> ahead_;  // last: it is waited for before the rest goes
};

}  // namespace hyobscure::data
