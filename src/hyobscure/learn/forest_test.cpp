#include "hyobscure/learn/forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

using Dense = std::vector<std::vector<double>>;
using Node = Forest::Node;

constexpr ForestSettings kOneTree{.trees = 1, .bootstrap = false};

// --- the definition, written out: impurity of the two sides, for every column and every threshold

double squared_error(const std::vector<double>& labels) {
  const double mean = std::accumulate(labels.begin(), labels.end(), 0.0) / static_cast<double>(labels.size());
  double sum = 0;
  for (const double label : labels) sum += (label - mean) * (label - mean);
  return sum;
}

double gini(const std::vector<double>& labels) {
  std::map<double, double> counts;
  for (const double label : labels) counts[label] += 1;
  const auto n = static_cast<double>(labels.size());
  double pure = 0;
  for (const auto& [label, count] : counts) pure += count / n * count / n;
  return n * (1 - pure);
}

using Impurity = double (*)(const std::vector<double>&);

struct Oracle {
  const Dense& rows;
  const std::vector<double>& labels;
  Impurity impurity;

  std::vector<double> labels_of(const std::vector<std::size_t>& members) const {
    std::vector<double> found;
    for (const std::size_t r : members) found.push_back(labels[r]);
    return found;
  }
  std::array<std::vector<std::size_t>, 2> sides(const std::vector<std::size_t>& members, std::size_t column,
                                                double threshold) const {
    std::array<std::vector<std::size_t>, 2> parts;
    for (const std::size_t r : members) parts[rows[r][column] <= threshold ? 0 : 1].push_back(r);
    return parts;
  }
  double after(const std::vector<std::size_t>& members, std::size_t column, double threshold) const {
    const auto parts = sides(members, column, threshold);
    return impurity(labels_of(parts[0])) + impurity(labels_of(parts[1]));
  }
  // Smallest impurity that any split reaches; infinity where none is possible.
  double best(const std::vector<std::size_t>& members) const {
    double least = INFINITY;
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
      std::set<double> values;
      for (const std::size_t r : members) values.insert(rows[r][column]);
      for (auto value = values.begin(); value != std::prev(values.end()); ++value)
        least = std::min(least, after(members, column, *value));
    }
    return least;
  }
};

void expect_every_node_is_best(const Oracle& oracle, const Forest::Tree& tree, std::uint32_t at,
                               const std::vector<std::size_t>& members) {
  const Node& node = tree.nodes[at];
  ASSERT_FALSE(members.empty());
  if (node.column == Node::kLeaf) {
    EXPECT_TRUE(oracle.impurity(oracle.labels_of(members)) < 1e-9 || std::isinf(oracle.best(members)));
    return;
  }
  EXPECT_NEAR(oracle.after(members, node.column, node.threshold), oracle.best(members), 1e-8);
  const auto parts = oracle.sides(members, node.column, node.threshold);
  // Half-way between the nearest values of the two sides.
  double below = -INFINITY, above = INFINITY;
  for (const std::size_t r : parts[0]) below = std::max(below, oracle.rows[r][node.column]);
  for (const std::size_t r : parts[1]) above = std::min(above, oracle.rows[r][node.column]);
  EXPECT_DOUBLE_EQ(node.threshold, (below + above) / 2);
  expect_every_node_is_best(oracle, tree, node.left, parts[0]);
  expect_every_node_is_best(oracle, tree, node.right, parts[1]);
}

std::vector<std::size_t> all(std::size_t count) {
  std::vector<std::size_t> members(count);
  std::iota(members.begin(), members.end(), std::size_t{0});
  return members;
}

TEST(Forest, EverySplitOfNumbersIsTheBestByDefinition) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Dense dense = census::small_numbers(seed, 5 + seed, 1 + seed % 6);
    std::mt19937 random(seed);
    std::vector<double> numbers(dense.size());
    for (double& number : numbers) number = 30 + static_cast<double>(random() % 50) / 7;
    const Forest forest = Forest::of_numbers(census::sparse(dense), numbers, kOneTree, Key::from_seed(seed));
    expect_every_node_is_best({dense, numbers, squared_error}, forest.trees()[0], 0, all(dense.size()));
  }
}

TEST(Forest, EverySplitOfClassesIsTheBestByDefinition) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Dense dense = census::small_numbers(seed, 5 + seed, 1 + seed % 6);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> classes(dense.size());
    for (auto& c : classes) c = static_cast<std::uint32_t>(random() % 4);
    const Forest forest =
        Forest::of_classes(census::sparse(dense), classes, 4, kOneTree, Key::from_seed(seed));
    const std::vector<double> labels(classes.begin(), classes.end());
    expect_every_node_is_best({dense, labels, gini}, forest.trees()[0], 0, all(dense.size()));
  }
}

TEST(Forest, GrowsTheTreeThatOneWouldDrawByHand) {
  // Numbers 1 1 9 5: column 1 sets 9 and 5 apart from the ones; then column 0 tells 9 from 5.
  const Dense dense = {{0, 0}, {4, 0}, {2, 3}, {-2, 3}};
  const std::vector<double> numbers = {1, 1, 9, 5};
  const Forest forest = Forest::of_numbers(census::sparse(dense), numbers, kOneTree, Key::from_seed(1));
  const auto& nodes = forest.trees()[0].nodes;
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(nodes[0].column, 1U);
  EXPECT_EQ(nodes[0].threshold, 1.5);
  EXPECT_EQ(nodes[nodes[0].left].column, Node::kLeaf);
  EXPECT_EQ(nodes[nodes[0].right].column, 0U);
  EXPECT_EQ(nodes[nodes[0].right].threshold, 0);
  const Predictions predicted = forest.predict(census::sparse({{7, 1}, {1, 2}, {0, 2}, {-1, 1.5}}));
  EXPECT_THAT(std::vector<double>(predicted.data(), predicted.data() + 4), testing::ElementsAre(1, 9, 5, 1));
}

TEST(Forest, AWholeTreeRemembersItsRows) {
  const Dense dense = census::small_numbers(3, 60, 12);
  std::mt19937 random(3);
  std::map<std::vector<double>, double> number_of;  // equal rows cannot be told apart
  std::vector<double> numbers;
  for (const auto& row : dense)
    numbers.push_back(number_of.try_emplace(row, static_cast<double>(random() % 100)).first->second);
  const Predictions predicted =
      Forest::of_numbers(census::sparse(dense), numbers, kOneTree, Key::from_seed(1))
          .predict(census::sparse(dense));
  for (std::size_t r = 0; r < dense.size(); ++r)
    EXPECT_NEAR(predicted(static_cast<Eigen::Index>(r), 0), numbers[r], 1e-9);
}

TEST(Forest, RowsThatCannotBeToldApartShareALeaf) {
  const Dense dense = {{1, 0}, {1, 0}, {1, 0}, {0, 2}};
  const std::vector<std::uint32_t> classes = {0, 0, 1, 2};
  const Predictions predicted =
      Forest::of_classes(census::sparse(dense), classes, 4, kOneTree, Key::from_seed(1))
          .predict(census::sparse(dense));
  EXPECT_NEAR(predicted(0, 0), 2.0 / 3, 1e-12);
  EXPECT_NEAR(predicted(0, 1), 1.0 / 3, 1e-12);
  EXPECT_EQ(predicted(3, 2), 1);
  EXPECT_EQ(predicted.col(3).sum(), 0);
}

TEST(Forest, ProbabilitiesSumToOneWithDrawnColumns) {
  const Dense dense = census::small_numbers(5, 200, 40);
  const auto classes = census::random_labels(5, 200, 5);
  const Forest forest = Forest::of_classes(census::sparse(dense), classes, 5,
                                           {.trees = 20, .columns_tried = 6}, Key::from_seed(1));
  const Predictions predicted = forest.predict(census::sparse(census::small_numbers(6, 50, 40)));
  for (Eigen::Index r = 0; r < predicted.rows(); ++r) EXPECT_NEAR(predicted.row(r).sum(), 1, 1e-12);
  EXPECT_GE(predicted.minCoeff(), 0);
}

TEST(Forest, ABootstrapLeavesOutAThirdOfTheRows) {
  // Every row its own class: a tree knows the classes of its bootstrap, (1 - 1/e) of 1000 in the mean, with
  // a deviation of less than 10; over 20 trees 10 is beyond four deviations of the mean, odds below 1e-4.
  std::vector<std::uint32_t> classes(1000);
  std::iota(classes.begin(), classes.end(), 0U);
  Dense dense(1000, {0});
  for (std::size_t r = 0; r < 1000; ++r) dense[r][0] = static_cast<double>(r) - 500;
  const Forest forest =
      Forest::of_classes(census::sparse(dense), classes, 1000, {.trees = 20}, Key::from_seed(2));
  double known = 0;
  for (const auto& tree : forest.trees()) known += static_cast<double>(tree.leaf_outputs.size()) / 20;
  EXPECT_NEAR(known, 1000 * (1 - std::exp(-1)), 10);
}

TEST(Forest, EquallyGoodColumnsAreDrawnByLot) {
  // Eight equal columns, 400 trees: each is drawn 50 times, deviation 6.6; 4.5 of them is odds of 1e-5 each.
  Dense dense;
  for (int r = 0; r < 20; ++r) dense.emplace_back(8, r % 2);
  std::vector<double> numbers;
  for (int r = 0; r < 20; ++r) numbers.push_back(r % 2);
  const Forest forest = Forest::of_numbers(census::sparse(dense), numbers, {.trees = 400}, Key::from_seed(3));
  std::vector<int> drawn(8, 0);
  for (const auto& tree : forest.trees()) drawn[tree.nodes[0].column] += 1;
  for (const int times : drawn) EXPECT_NEAR(times, 50, 30);
}

TEST(Forest, AColumnThatIsAlwaysTriedIsNeverMissed) {
  Dense dense = census::small_numbers(7, 100, 50);
  std::vector<std::uint32_t> classes;
  for (std::size_t r = 0; r < dense.size(); ++r) {
    classes.push_back(r % 2);
    dense[r][49] = static_cast<double>(r % 2 + 1);
  }
  const ForestSettings settings{.trees = 50, .columns_tried = 1, .always_tried_from = 49};
  const Forest forest = Forest::of_classes(census::sparse(dense), classes, 2, settings, Key::from_seed(1));
  for (const auto& tree : forest.trees()) {
    EXPECT_EQ(tree.nodes[0].column, 49U);
    EXPECT_EQ(tree.nodes.size(), 3U);
  }
}

TEST(Forest, DependsOnTheKeyAndNotOnTheNumberOfThreads) {
  const auto rows = census::sparse(census::small_numbers(8, 150, 30));
  std::vector<double> numbers;
  for (const auto label : census::random_labels(8, 150, 40)) numbers.push_back(label);
  const auto run = [&](int threads, std::uint64_t seed) {
    const ThreadLimit limit(threads);
    return Forest::of_numbers(rows, numbers, {.trees = 10}, Key::from_seed(seed)).predict(rows);
  };
  EXPECT_EQ(run(1, 1), run(4, 1));
  EXPECT_NE(run(1, 1), run(1, 2));
}

TEST(Forest, RefusesNothingToLearnFromAndNumbersThatAreNone) {
  EXPECT_THROW((void)Forest::of_numbers(census::sparse({}), {}, {}, Key::from_seed(1)), InputError);
  const std::vector<double> one = {1};
  EXPECT_THROW((void)Forest::of_numbers(census::sparse({{NAN, 1}}), one, {}, Key::from_seed(1)), InputError);
  EXPECT_THROW((void)Forest::of_numbers(census::sparse({{1, 1}}), one, {.trees = 0}, Key::from_seed(1)),
               InputError);
  EXPECT_THROW((void)Forest::of_numbers(census::sparse({{1}, {2}}), one, {}, Key::from_seed(1)), InputError);
}

TEST(Forest, OneRowOrOneLabelGivesTheLabel) {
  const std::vector<double> one = {42}, same = {42, 42, 42};
  for (const auto& forest :
       {Forest::of_numbers(census::sparse({{1, 2}}), one, {.trees = 3}, Key::from_seed(1)),
        Forest::of_numbers(census::sparse({{1, 2}, {3, 0}, {0, 0}}), same, {.trees = 3}, Key::from_seed(1))})
    EXPECT_EQ(forest.predict(census::sparse({{9, 9}}))(0, 0), 42);
}

}  // namespace
}  // namespace hyobscure::learn
