#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// First groups of an ordered secret: the I-problem. Every function validates its values and limits and
/// throws InputError for malformed ones; limits that nothing satisfies are an answer, not an error.

/// Sum over groups and people of (value - mean of the group)^2, the quantity that first groups minimise.
[[nodiscard]] double spread(const OrderedValues& values, const Partition& partition);

/// The contiguous groups of smallest spread within the limits, by a dynamic programme in O(groups n^2).
/// Nothing: it is proven that no contiguous grouping exists.
[[nodiscard]] std::optional<Partition> optimal_groups(const OrderedValues& values, const GroupLimits& limits,
                                                      int groups);

/// All numbers of groups for which a grouping exists, increasing; O(n^3) at worst.
[[nodiscard]] std::vector<int> feasible_counts(const OrderedValues& values, const GroupLimits& limits);

/// How many groupings there are.
[[nodiscard]] double count_groupings(const OrderedValues& values, const GroupLimits& limits, int groups);

struct PaperGroups {
  Partition partition;    ///< contiguous and within the limits
  bool repaired = false;  ///< the rounds left groups that interleave or break a limit; boundaries were moved
  bool replaced = false;  ///< that did not help: these are the optimal groups of the same number
  int rounds = 0;         ///< of the last start
  int restarts = 0;  ///< with one more group where the number is impossible, with new centres at a dead end
};

/// The constraint-aware k-means of the paper (Algorithm 1): values go to the nearest centre, first to groups
/// that lack people or values, never beyond the upper limits. As printed it leaves groups that interleave in
/// most runs, it may cycle, and it takes one more group whenever a value fits nowhere, even if the number of
/// groups is possible. Here the rounds are bounded; the number of groups grows only where it is proven
/// impossible, a dead end starts again with new centres; the groups keep their sizes and take the values in
/// order; boundaries move while that lowers the violation of the limits. Throws InputError, with the reason
/// of explain_infeasible, if no grouping into `groups` or more groups exists.
[[nodiscard]] PaperGroups paper_groups(const OrderedValues& values, const GroupLimits& limits, int groups,
                                       RandomStream& random);

/// Settings under which a grouping exists.
struct Suggestion {
  int groups = 0;
  GroupLimits limits;
  bool operator==(const Suggestion&) const = default;
};

struct Infeasibility {
  std::string reason;               ///< a sentence without its full stop
  std::vector<Suggestion> nearest;  ///< each proven to work; at most six
};

/// Why no contiguous grouping exists, in plain words, and the nearest settings that admit one. First those
/// that keep k and l: the same number of groups with the upper limits raised as little as possible (no other
/// pair is smaller in both), and other numbers of groups. Then one lower limit reduced as little as possible.
/// Both only where nothing else is left. Expects that optimal_groups found nothing.
[[nodiscard]] Infeasibility explain_infeasible(const OrderedValues& values, const GroupLimits& limits,
                                               int groups);

}  // namespace hyobscure::solve
