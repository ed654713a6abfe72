#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// The values of a secret that lie next to each other otherwise than in a row: on a map, or in several
/// dimensions. Groups are connected sets of them.
struct AreaValues {
  Eigen::MatrixXi positions;                 ///< values x dimensions: steps along each
  Eigen::VectorXd people;                    ///< how many people have each value
  Eigen::VectorXd distinct;                  ///< how many distinct values each stands for
  std::vector<std::vector<int>> neighbours;  ///< of each value, ascending and both ways; all are connected
  std::vector<std::string> names = {};       ///< for messages
  /// What a group must be besides connected; empty: nothing.
  std::function<bool(std::span<const int> values)> may_be_group = {};

  int count() const { return static_cast<int>(people.size()); }
};

/// Throws InputError unless all parts have the same number of values and neighbours go both ways.
void validate(const AreaValues& areas);

/// The values are one piece; no values are none.
[[nodiscard]] bool connected(const AreaValues& areas, std::span<const int> values);

/// Every group is connected and within the limits.
[[nodiscard]] bool satisfies(const AreaValues& areas, const GroupLimits& limits, const Partition& partition);

/// The values along a curve: value i of the result is curve[i]. Runs that cannot be a group are not joinable.
[[nodiscard]] OrderedValues along(const AreaValues& areas, std::span<const int> curve);

/// Groups that are runs along a curve, as groups of the values themselves.
[[nodiscard]] Partition from_curve_order(const Partition& runs, std::span<const int> curve);

/// Orders of the values in which near ones follow each other: Hilbert curves from several corners, and
/// serpentines along each dimension. Different ones only.
[[nodiscard]] std::vector<std::vector<int>> curves_through(const AreaValues& areas);

/// A value that leaves its group for that of a neighbour.
struct AreaMove {
  int value;
  int to;  ///< group
};

/// The moves after which both groups are connected and within the limits, in the order of values and groups.
[[nodiscard]] std::vector<AreaMove> allowed_moves(const AreaValues& areas, const GroupLimits& limits,
                                                  const std::vector<int>& group_of_value);

/// Two values of neighbouring groups that change places.
struct AreaExchange {
  int value, other;
};

/// The exchanges of values at the boundary of their groups after which both are connected and within the
/// limits: what single moves cannot do where the limits are tight. In the order of values.
[[nodiscard]] std::vector<AreaExchange> allowed_exchanges(const AreaValues& areas, const GroupLimits& limits,
                                                          const std::vector<int>& group_of_value);

/// Sum over people of the squared distance to the mean position of their group.
[[nodiscard]] double spread(const AreaValues& areas, const Partition& partition);

/// First areas by the paper's constraint-aware k-means on positions, repaired: pieces that are cut off go to
/// the areas around them, then single values move while that lowers the violation of the limits. The answer
/// of least spread over several starts. Nothing: no start led to areas within the limits, which does not
/// prove that there are none.
[[nodiscard]] std::optional<Partition> clustered_areas(const AreaValues& areas, const GroupLimits& limits,
                                                       int groups, int starts, RandomStream& random);

/// The areas of least spread among the runs of the curves: found whenever a curve has any within the limits.
[[nodiscard]] std::optional<Partition> areas_along_curves(const AreaValues& areas, const GroupLimits& limits,
                                                          int groups);

/// The paper's search of better groups for given channels (boundary_search.h), where a move takes one value
/// at the boundary to the area beside it. The areas must satisfy the limits (InputError otherwise).
[[nodiscard]] BoundarySearchResult search_area_boundaries(const SegmentTables& tables,
                                                          const AreaValues& areas, const GroupLimits& limits,
                                                          const Partition& partition,
                                                          const PartitionChannels& channels,
                                                          const BoundarySearchSettings& settings,
                                                          RandomStream& random);

/// The least H(G), in nats, of any groups within the limits on people, be they connected or not.
[[nodiscard]] double least_group_entropy(double people, const GroupLimits& limits, std::optional<int> groups);

}  // namespace hyobscure::solve
