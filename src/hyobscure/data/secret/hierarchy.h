#pragma once

#include <string>
#include <vector>

#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::data {

/// A tree whose nodes were named in some order: parent[n] of node n, or kNoParent.
struct NamedTree {
  static constexpr std::uint32_t kNoParent = ~0u;
  std::vector<std::string> names;
  std::vector<std::uint32_t> parents;
};

/// The tree from its root: several roots come under one without a name, and siblings follow each other in the
/// order of the names. `leaves` gets the node of each leaf.
std::vector<HierarchyNode> ordered_hierarchy(const NamedTree& tree, std::vector<std::uint32_t>& leaves);

/// Without the leaves that are not kept. Nodes with no leaf vanish, and of a chain of single children the
/// lowest stays. Parents stand before their children, here and there.
std::vector<HierarchyNode> prune(const std::vector<HierarchyNode>& nodes,
                                 const std::vector<bool>& leaf_is_kept);

/// Similarity of pairs of `names`, symmetric: rows one after the other.
struct SimilarityTable {
  std::vector<std::string> names;
  std::vector<double> similarity;
};

/// Joins the two clusters whose members are on average most alike, until one is left (average linkage). Of
/// equals, those of the first names. Time and memory are quadratic.
NamedTree average_linkage(SimilarityTable table);

}  // namespace hyobscure::data
