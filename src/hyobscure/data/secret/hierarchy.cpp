#include "hyobscure/data/secret/hierarchy.h"

#include <algorithm>
#include <numeric>

namespace hyobscure::data {
namespace {

std::vector<std::vector<std::uint32_t>> children_of(const NamedTree& tree, std::uint32_t top) {
  std::vector<std::vector<std::uint32_t>> children(tree.names.size() + 1);
  for (std::uint32_t node = 0; node < tree.names.size(); ++node)
    children[tree.parents[node] == NamedTree::kNoParent ? top : tree.parents[node]].push_back(node);
  return children;
}

/// Clusters that still wait to be joined.
class Linkage {
 public:
  explicit Linkage(SimilarityTable table)
      : count_(table.names.size()),
        sum_(std::move(table.similarity)),
        members_(count_, 1.0),
        node_(count_),
        waits_(count_, true) {
    std::iota(node_.begin(), node_.end(), 0u);
    tree_.names = std::move(table.names);
    tree_.parents.assign(count_, NamedTree::kNoParent);
  }

  /// Follows nearest neighbours until two are each other's: average linkage may join those at once.
  NamedTree run() {
    std::vector<std::size_t> chain;
    for (std::size_t left = count_; left > 1; --left) {
      if (chain.empty()) chain.push_back(first_waiting());
      std::size_t next = nearest(chain);
      while (chain.size() < 2 || next != chain[chain.size() - 2]) {
        chain.push_back(next);
        next = nearest(chain);
      }
      const std::size_t one = chain.back();
      chain.resize(chain.size() - 2);
      join(std::min(one, next), std::max(one, next));
    }
    return std::move(tree_);
  }

 private:
  double average(std::size_t a, std::size_t b) const {
    return sum_[a * count_ + b] / (members_[a] * members_[b]);
  }

  std::size_t first_waiting() const {
    return static_cast<std::size_t>(std::ranges::find(waits_, true) - waits_.begin());
  }

  /// The one before the last of the chain wins where others are as near: the chain must end.
  std::size_t nearest(const std::vector<std::size_t>& chain) const {
    const std::size_t at = chain.back();
    std::size_t best = chain.size() > 1 ? chain[chain.size() - 2] : count_;
    for (std::size_t other = 0; other < count_; ++other)
      if (waits_[other] && other != at && (best == count_ || average(at, other) > average(at, best)))
        best = other;
    return best;
  }

  void join(std::size_t a, std::size_t b) {
    for (std::size_t other = 0; other < count_; ++other) {
      sum_[a * count_ + other] += sum_[b * count_ + other];
      sum_[other * count_ + a] = sum_[a * count_ + other];
    }
    members_[a] += members_[b];
    waits_[b] = false;
    const auto joined = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.emplace_back();
    tree_.parents.push_back(NamedTree::kNoParent);
    tree_.parents[node_[a]] = tree_.parents[node_[b]] = joined;
    node_[a] = joined;
  }

  std::size_t count_;
  std::vector<double> sum_;  ///< of the similarities of all pairs of members
  std::vector<double> members_;
  std::vector<std::uint32_t> node_;
  std::vector<bool> waits_;
  NamedTree tree_;
};

}  // namespace

std::vector<HierarchyNode> ordered_hierarchy(const NamedTree& tree, std::vector<std::uint32_t>& leaves) {
  const auto top = static_cast<std::uint32_t>(tree.names.size());
  const auto children = children_of(tree, top);
  std::vector<HierarchyNode> nodes;
  struct Visit {
    std::uint32_t node, parent;
  };
  std::vector<Visit> stack{{top, 0}};
  std::vector<std::uint32_t> parents;
  while (!stack.empty()) {
    const auto [node, parent] = stack.back();
    stack.pop_back();
    const auto place = static_cast<std::uint32_t>(nodes.size());
    const auto first = static_cast<std::uint32_t>(leaves.size());
    nodes.push_back({.name = node == top ? "" : tree.names[node], .first = first, .end = first});
    parents.push_back(parent);
    if (place > 0) nodes[parent].children.push_back(place);
    if (children[node].empty() && node != top) {
      leaves.push_back(node);
      nodes[place].end += 1;
    }
    for (auto child = children[node].rbegin(); child != children[node].rend(); ++child)
      stack.push_back({*child, place});
  }
  for (std::size_t place = nodes.size(); place-- > 1;)
    nodes[parents[place]].end = std::max(nodes[parents[place]].end, nodes[place].end);
  return nodes;
}

std::vector<HierarchyNode> prune(const std::vector<HierarchyNode>& nodes,
                                 const std::vector<bool>& leaf_is_kept) {
  std::vector<std::uint32_t> kept_before{0};
  for (const bool kept : leaf_is_kept) kept_before.push_back(kept_before.back() + (kept ? 1 : 0));
  const auto has_leaves = [&](const HierarchyNode& node) {
    return kept_before[node.first] < kept_before[node.end];
  };
  std::vector<HierarchyNode> result;
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> parent(nodes.size(), kNone);  // in the result
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!has_leaves(nodes[n])) continue;
    const auto branches = std::ranges::count_if(
        nodes[n].children, [&](std::uint32_t child) { return has_leaves(nodes[child]); });
    std::uint32_t place = parent[n];
    if (branches != 1) {
      place = static_cast<std::uint32_t>(result.size());
      if (parent[n] != kNone) result[parent[n]].children.push_back(place);
      result.push_back(
          {.name = nodes[n].name, .first = kept_before[nodes[n].first], .end = kept_before[nodes[n].end]});
    }
    for (const std::uint32_t child : nodes[n].children) parent[child] = place;
  }
  return result;
}

NamedTree average_linkage(SimilarityTable table) { return Linkage(std::move(table)).run(); }

}  // namespace hyobscure::data
