#include "hyobscure/data/secret/hierarchy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using Cluster = std::set<std::size_t>;

TEST(Hierarchy, SiblingsFollowTheOrderOfTheirNames) {
  // 0 under 3, 1 under 2, 2 under 3: the tree from its root is 3, 0, 2, 1
  const NamedTree tree{{"a", "b", "c", "d"}, {3, 2, 3, NamedTree::kNoParent}};
  std::vector<std::uint32_t> leaves;
  const auto nodes = ordered_hierarchy(tree, leaves);
  EXPECT_THAT(leaves, ElementsAre(0, 1));
  ASSERT_EQ(nodes.size(), 5u);  // with a root above all
  EXPECT_EQ(nodes[1].name, "d");
  EXPECT_EQ(nodes[1].end, 2u);
  EXPECT_EQ(nodes[3].name, "c");
  EXPECT_EQ(nodes[3].first, 1u);
  const auto pruned = prune(nodes, {true, true});
  ASSERT_EQ(pruned.size(), 3u);
  EXPECT_EQ(pruned[0].name, "d");
  EXPECT_EQ(pruned[2].name, "b");  // of the chain c - b
}

TEST(Hierarchy, AChainOfAMillionIsNoTrouble) {
  NamedTree tree;
  for (std::uint32_t n = 0; n < 1'000'000; ++n) {
    tree.names.emplace_back();
    tree.parents.push_back(n == 0 ? NamedTree::kNoParent : n - 1);
  }
  std::vector<std::uint32_t> leaves;
  EXPECT_EQ(prune(ordered_hierarchy(tree, leaves), {true}).size(), 1u);
}

SimilarityTable random_table(std::mt19937& random, std::size_t count) {
  SimilarityTable table{std::vector<std::string>(count), std::vector<double>(count * count, 1.0)};
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      table.similarity[a * count + b] = table.similarity[b * count + a] =
          std::uniform_real_distribution<double>()(random);
  return table;
}

/// All pairs of clusters again in each step, from the similarities of their members.
std::set<Cluster> slowly(const SimilarityTable& table) {
  const std::size_t count = table.names.size();
  std::set<Cluster> waiting, all;
  for (std::size_t n = 0; n < count; ++n) waiting.insert({n});
  while (waiting.size() > 1) {
    double best = -1;
    std::pair<Cluster, Cluster> pair;
    for (const Cluster& a : waiting)
      for (const Cluster& b : waiting) {
        if (a >= b) continue;
        double sum = 0;
        for (const std::size_t i : a)
          for (const std::size_t j : b) sum += table.similarity[i * count + j];
        const double average = sum / static_cast<double>(a.size() * b.size());
        if (average > best) {
          best = average;
          pair = {a, b};
        }
      }
    waiting.erase(pair.first);
    waiting.erase(pair.second);
    Cluster joined = pair.first;
    joined.insert(pair.second.begin(), pair.second.end());
    all.insert(joined);
    waiting.insert(std::move(joined));
  }
  return all;
}

TEST(Hierarchy, AverageLinkageJoinsTheMostAlike) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const std::size_t count = 2 + seed % 17;
    const SimilarityTable table = random_table(random, count);
    const NamedTree tree = average_linkage(table);
    std::vector<Cluster> members(tree.names.size());
    for (std::size_t leaf = 0; leaf < count; ++leaf)
      for (std::uint32_t n = tree.parents[leaf]; n != NamedTree::kNoParent; n = tree.parents[n])
        members[n].insert(leaf);
    EXPECT_EQ(std::set(members.begin() + static_cast<std::ptrdiff_t>(count), members.end()), slowly(table))
        << seed;
  }
}

TEST(Hierarchy, EqualSimilaritiesEndInATreeAllTheSame) {
  const NamedTree tree = average_linkage({std::vector<std::string>(50), std::vector<double>(2500, 0.0)});
  std::vector<std::uint32_t> leaves;
  const auto nodes = prune(ordered_hierarchy(tree, leaves), std::vector<bool>(50, true));
  EXPECT_EQ(nodes.size(), 99u);
  for (const HierarchyNode& node : nodes) EXPECT_TRUE(node.children.empty() || node.children.size() == 2);
}

}  // namespace
}  // namespace hyobscure::data
