#include "hyobscure/census/merge_rows.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

TEST(MergeRows, VisitsWhatADenseComparisonSees) {
  const data::SparseRows rows = skewed_rows(2, 20, 9);
  const auto dense = [&](std::size_t row) {
    std::vector<double> all(9, 0);
    for (std::size_t e = 0; e < rows[row].items.size(); ++e) all[rows[row].items[e]] = rows[row].values[e];
    return all;
  };
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b) {
      std::vector<std::pair<double, double>> expected, visited;
      const auto x = dense(a), y = dense(b);
      for (std::size_t item = 0; item < 9; ++item)
        if (x[item] != 0 || y[item] != 0) expected.emplace_back(x[item], y[item]);
      merge_rows(rows[a], rows[b], [&](double p, double q) { visited.emplace_back(p, q); });
      EXPECT_EQ(visited, expected) << a << " " << b;
    }
}

}  // namespace
}  // namespace hyobscure::census
