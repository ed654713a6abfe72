#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/obscure/neighbours/scaled_rows.h"

namespace hyobscure::obscure {

/// A direction in which the rows of a sample differ much: some power steps from random weights towards the
/// first principal direction. Memory: one number per column of the data.
class Direction {
 public:
  explicit Direction(const ScaledRows& pool) : pool_(pool), along_(pool.rows.columns, 0.0F) {}

  /// Learns from rows of the pool; replaces what was learned before. Where all rows are alike every
  /// projection is 0.
  void learn(std::vector<std::uint32_t> sample, int power_steps, RandomStream& random);

  /// Depends on the direction and this row alone.
  [[nodiscard]] float project(std::uint32_t i) const;

 private:
  void add_row(std::uint32_t i, float weight);
  void forget();

  const ScaledRows& pool_;
  std::vector<float> along_;
  std::vector<std::uint32_t> sample_;
  std::vector<float> weights_;
};

}  // namespace hyobscure::obscure
