#pragma once

// Data for the tests of this folder.

#include <cstdint>
#include <random>
#include <vector>

#include "hyobscure/census/test_data.h"
#include "hyobscure/data/people.h"

namespace hyobscure::audit {

using census::sparse;

/// Small whole numbers, many zeros, some negative: ties and zeros are where sparse splits go wrong.
inline std::vector<std::vector<double>> small_numbers(unsigned seed, std::size_t rows, std::size_t columns) {
  std::mt19937 random(seed);
  std::vector<std::vector<double>> dense(rows, std::vector<double>(columns, 0));
  for (auto& row : dense)
    for (double& x : row)
      if (random() % 5 < 2) x = static_cast<double>(static_cast<int>(random() % 7) - 3);
  return dense;
}

}  // namespace hyobscure::audit
