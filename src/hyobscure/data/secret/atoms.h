#pragma once

#include <cstdint>
#include <vector>

#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::data {

/// Joins neighbouring values until at most `atoms` are left, each with about as many people. `people` counts
/// by value.
struct AtomCut {
  std::vector<std::uint32_t> atom_of_value;
  std::uint32_t atoms = 0;
};
AtomCut cut_into_atoms(const std::vector<std::int64_t>& people, int atoms);

/// Which value each point belongs to, so that at most `atoms` values are left: again and again the value with
/// fewest people is joined with the one of its neighbours that has fewest. Values stay connected. Where there
/// is a hierarchy, only siblings that follow each other are joined, and a node whose children are all one
/// counts as that one: values are runs of leaves. Values are numbered by their first points. `people` counts
/// by point.
///
/// The time is that of neighbours_of_points; names alone need no graph, and a hundred thousand of them are
/// quick.
std::vector<std::uint32_t> join_points(const SecretSpace& space, const std::vector<std::int64_t>& people,
                                       int atoms);

}  // namespace hyobscure::data
