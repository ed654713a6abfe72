#include "hyobscure/obscure/groups/group_extremes.h"

#include <gtest/gtest.h>

namespace hyobscure::obscure {
namespace {

/// All runs of so many groups, tried one by one.
struct Tried {
  double largest_k = 0, largest_l = 0;
  double smallest_alpha = 1e9, smallest_beta = 1e9;

  Tried(const Eigen::VectorXd& people, int groups) { cut(people, groups, 0, 1e9, 0, 1e9, 0); }

 private:
  void cut(const Eigen::VectorXd& people, int groups, int first, double fewest, double most,
           double least_values, double most_values) {
    if (groups == 0) {
      if (first != people.size()) return;
      largest_k = std::max(largest_k, fewest);
      smallest_alpha = std::min(smallest_alpha, most);
      largest_l = std::max(largest_l, least_values);
      smallest_beta = std::min(smallest_beta, most_values);
      return;
    }
    for (int end = first + 1; end <= people.size(); ++end) {
      const double here = people.segment(first, end - first).sum(), values = end - first;
      cut(people, groups - 1, end, std::min(fewest, here), std::max(most, here),
          first == 0 ? values : std::min(least_values, values),
          first == 0 ? values : std::max(most_values, values));
    }
  }
};

TEST(GroupExtremes, AreThoseOfAllGroupings) {
  Eigen::VectorXd people(7);
  people << 4, 9, 2, 7, 1, 8, 3;
  const std::vector<solve::OrderedValues> rows = {{.positions = Eigen::VectorXd::LinSpaced(7, 0, 6),
                                                   .people = people,
                                                   .distinct = Eigen::VectorXd::Ones(7)}};
  for (int groups = 1; groups <= 5; ++groups) {
    const Tried tried(people, groups);
    const GroupExtremes found = group_extremes(rows, groups);
    EXPECT_EQ(found.largest_k, tried.largest_k) << groups;
    EXPECT_EQ(found.smallest_alpha, tried.smallest_alpha) << groups;
    EXPECT_EQ(found.largest_l, tried.largest_l) << groups;
    EXPECT_EQ(found.smallest_beta, tried.smallest_beta) << groups;
  }
}

}  // namespace
}  // namespace hyobscure::obscure
