#pragma once

#include <functional>

#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {

/// How categories follow each other, and what they belong to.
struct CategoryOrder {
  std::vector<std::uint32_t> order;  ///< indices of the names, in their new order
  std::vector<HierarchyNode> nodes;  ///< over the names in that order
};

/// Throws InputError about the people of a category (an index of the names): what is wrong, what to do.
using RefuseCategory = std::function<void(std::uint32_t, const std::string&, const std::string&)>;

/// By the file secret.hierarchy. `names` are those that somebody has, ascending. Throws InputError for a node
/// with two parents, a circle, an empty cell inside a path, and by `refuse` for a category that is not in the
/// file or that others belong to.
CategoryOrder read_hierarchy(Engine& engine, const Spec& spec, const std::vector<std::string>& names,
                             const RefuseCategory& refuse);

/// By the list secret.order. `refuse` for a category that is not in it.
CategoryOrder order_by_list(const Spec& spec, const std::vector<std::string>& names,
                            const RefuseCategory& refuse);

/// By the file secret.similarity: average linkage. Pairs that are not in the file have nothing in common.
CategoryOrder read_similarity(Engine& engine, const Spec& spec, const std::vector<std::string>& names);

}  // namespace hyobscure::data
