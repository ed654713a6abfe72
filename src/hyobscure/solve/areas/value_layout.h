#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::solve {

/// Groups and their channels, found together for one budget.
struct FoundGroups {
  Partition partition;
  ChannelResult solution;  ///< the optimal channels for the partition
  double objective_nats = kUnset;
  double lower_bound_nats = kUnset;  ///< proven for all groups within the limits
  bool finished = true;              ///< false: stopped early, or the proof is open where there should be one
};

struct JointSearchSettings {
  std::optional<int> groups;  ///< absent: any number
  Objective objective = Objective::Total;
  double gap_bits = 1e-9;                ///< of the channels returned
  double closing_tolerance_bits = 1e-8;  ///< groups that could only be better by less are not looked at
  LiftLimits lifts = {};
};

/// Searches groups and channels together. What one budget teaches serves the next.
class JointSearch {
 public:
  virtual ~JointSearch() = default;
  /// `also`: further groups to start from, for this budget; a search with a proof needs none.
  [[nodiscard]] virtual FoundGroups solve(double budget, const Progress& progress,
                                          const std::vector<Partition>& also) = 0;
  [[nodiscard]] virtual double smallest_distance() const = 0;
};

/// How the values of a secret lie next to each other: what may be a group, how groups are found and moved. In
/// a row (RunLayout: groups are runs), or otherwise (AreaLayout: groups are connected areas). Who uses it
/// need not ask which.
class ValueLayout {
 public:
  virtual ~ValueLayout() = default;

  /// The rows in which the values lie: one, or curves through them. Groups that are runs of any are groups.
  [[nodiscard]] virtual std::vector<OrderedValues> rows() const = 0;
  /// Numbers of groups to try, ascending: all that may be within the limits.
  [[nodiscard]] virtual std::vector<int> counts_to_try(const GroupLimits& limits) const = 0;
  /// Groups to start from: the best known way, or the paper's. Nothing: none were found within the limits.
  [[nodiscard]] virtual std::optional<Partition> first_groups(const GroupLimits& limits, int count,
                                                              bool as_the_paper,
                                                              RandomStream& random) const = 0;
  /// The paper's search of better groups for given channels.
  [[nodiscard]] virtual BoundarySearchResult move_boundaries(const SegmentTables& tables,
                                                             const GroupLimits& limits,
                                                             const Partition& partition,
                                                             const PartitionChannels& channels,
                                                             const BoundarySearchSettings& settings,
                                                             RandomStream& random) const = 0;
  /// Tables, limits and this layout must outlive the search. `known`: groups to start from.
  [[nodiscard]] virtual std::unique_ptr<JointSearch> joint_search(
      const SegmentTables& tables, const GroupLimits& limits, const JointSearchSettings& settings,
      const std::vector<Partition>& known) const = 0;
  /// The joint search proves its answer best of all groups within the limits, and finds some wherever there
  /// are any. Else it is the best found.
  [[nodiscard]] virtual bool search_is_exact() const = 0;
};

class RunLayout final : public ValueLayout {
 public:
  explicit RunLayout(OrderedValues values) : values_(std::move(values)) {}

  [[nodiscard]] std::vector<OrderedValues> rows() const override { return {values_}; }
  [[nodiscard]] std::vector<int> counts_to_try(const GroupLimits& limits) const override;
  [[nodiscard]] std::optional<Partition> first_groups(const GroupLimits& limits, int count, bool as_the_paper,
                                                      RandomStream& random) const override;
  [[nodiscard]] BoundarySearchResult move_boundaries(const SegmentTables& tables, const GroupLimits& limits,
                                                     const Partition& partition,
                                                     const PartitionChannels& channels,
                                                     const BoundarySearchSettings& settings,
                                                     RandomStream& random) const override;
  [[nodiscard]] std::unique_ptr<JointSearch> joint_search(const SegmentTables& tables,
                                                          const GroupLimits& limits,
                                                          const JointSearchSettings& settings,
                                                          const std::vector<Partition>& known) const override;
  [[nodiscard]] bool search_is_exact() const override { return true; }

 private:
  OrderedValues values_;
};

class AreaLayout final : public ValueLayout {
 public:
  explicit AreaLayout(AreaValues areas) : areas_(std::move(areas)) {}

  const AreaValues& areas() const { return areas_; }
  [[nodiscard]] std::vector<OrderedValues> rows() const override;
  [[nodiscard]] std::vector<int> counts_to_try(const GroupLimits& limits) const override;
  [[nodiscard]] std::optional<Partition> first_groups(const GroupLimits& limits, int count, bool as_the_paper,
                                                      RandomStream& random) const override;
  [[nodiscard]] BoundarySearchResult move_boundaries(const SegmentTables& tables, const GroupLimits& limits,
                                                     const Partition& partition,
                                                     const PartitionChannels& channels,
                                                     const BoundarySearchSettings& settings,
                                                     RandomStream& random) const override;
  [[nodiscard]] std::unique_ptr<JointSearch> joint_search(const SegmentTables& tables,
                                                          const GroupLimits& limits,
                                                          const JointSearchSettings& settings,
                                                          const std::vector<Partition>& known) const override;
  [[nodiscard]] bool search_is_exact() const override { return false; }

 private:
  AreaValues areas_;
};

}  // namespace hyobscure::solve
