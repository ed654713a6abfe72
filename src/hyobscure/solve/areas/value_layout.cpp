#include "hyobscure/solve/areas/value_layout.h"

#include <algorithm>
#include <cmath>

#include "hyobscure/solve/areas/area_search.h"
#include "hyobscure/solve/groups/exact.h"
#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::solve {
namespace {

constexpr int kAreaStarts = 30;   // of k-means, for areas of least spread
constexpr int kPaperStarts = 20;  // until one is within the limits

class RunSearch final : public JointSearch {
 public:
  RunSearch(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
            const JointSearchSettings& settings)
      : search_(tables, values, limits,
                {.groups = settings.groups,
                 .objective = settings.objective,
                 .gap_tolerance_bits = settings.gap_bits,
                 .closing_tolerance_bits = settings.closing_tolerance_bits,
                 .lifts = settings.lifts}) {}

  FoundGroups solve(double budget, const Progress& progress, const std::vector<Partition>&) override {
    ExactResult found = search_.solve(budget, progress);
    return {std::move(found.partition), std::move(found.solution), found.objective_nats,
            found.lower_bound_nats, found.closed};
  }
  double smallest_distance() const override { return search_.smallest_distance(); }

 private:
  ExactSearch search_;
};

class BestAreaSearch final : public JointSearch {
 public:
  BestAreaSearch(const SegmentTables& tables, const AreaValues& areas, const GroupLimits& limits,
                 const JointSearchSettings& settings, const std::vector<Partition>& known)
      : search_(tables, areas, limits,
                {.groups = settings.groups,
                 .objective = settings.objective,
                 .gap_tolerance_bits = settings.gap_bits,
                 .lifts = settings.lifts},
                known) {}

  FoundGroups solve(double budget, const Progress& progress, const std::vector<Partition>& also) override {
    AreaSearchResult found = search_.solve(budget, progress, also);
    return {std::move(found.partition), std::move(found.solution), found.objective_nats,
            found.lower_bound_nats, !found.stopped};
  }
  double smallest_distance() const override { return search_.smallest_distance(); }

 private:
  AreaSearch search_;
};

}  // namespace

// --- runs

std::vector<int> RunLayout::counts_to_try(const GroupLimits& limits) const {
  return feasible_counts(values_, limits);
}

std::optional<Partition> RunLayout::first_groups(const GroupLimits& limits, int count, bool as_the_paper,
                                                 RandomStream& random) const {
  auto optimal = optimal_groups(values_, limits, count);
  if (!optimal || !as_the_paper) return optimal;
  return paper_groups(values_, limits, count, random).partition;
}

BoundarySearchResult RunLayout::move_boundaries(const SegmentTables& tables, const GroupLimits& limits,
                                                const Partition& partition, const PartitionChannels& channels,
                                                const BoundarySearchSettings& settings,
                                                RandomStream& random) const {
  return search_boundaries(tables, values_, limits, partition, channels, settings, random);
}

std::unique_ptr<JointSearch> RunLayout::joint_search(const SegmentTables& tables, const GroupLimits& limits,
                                                     const JointSearchSettings& settings,
                                                     const std::vector<Partition>&) const {
  return std::make_unique<RunSearch>(tables, values_, limits, settings);
}

// --- areas

std::vector<OrderedValues> AreaLayout::rows() const {
  std::vector<OrderedValues> rows;
  for (const auto& curve : curves_through(areas_)) rows.push_back(along(areas_, curve));
  return rows;
}

std::vector<int> AreaLayout::counts_to_try(const GroupLimits& limits) const {
  const double people = areas_.people.sum(), distinct = areas_.distinct.sum();
  const double fewest = std::max(people / limits.most_people, distinct / limits.most_values);
  const double most =
      std::min(people / std::max(1.0, limits.least_people), distinct / std::max(1.0, limits.least_values));
  std::vector<int> counts;
  for (int count = std::max(1, static_cast<int>(std::ceil(fewest)));
       count <= std::min(static_cast<int>(most), areas_.count()); ++count)
    counts.push_back(count);
  return counts;
}

std::optional<Partition> AreaLayout::first_groups(const GroupLimits& limits, int count, bool as_the_paper,
                                                  RandomStream& random) const {
  if (as_the_paper)
    for (int start = 0; start < kPaperStarts; ++start)
      if (auto found = clustered_areas(areas_, limits, count, 1, random)) return found;
  auto best = areas_along_curves(areas_, limits, count);
  if (as_the_paper) return best;
  auto clustered = clustered_areas(areas_, limits, count, kAreaStarts, random);
  if (clustered && (!best || spread(areas_, *clustered) < spread(areas_, *best))) return clustered;
  return best;
}

BoundarySearchResult AreaLayout::move_boundaries(const SegmentTables& tables, const GroupLimits& limits,
                                                 const Partition& partition,
                                                 const PartitionChannels& channels,
                                                 const BoundarySearchSettings& settings,
                                                 RandomStream& random) const {
  return search_area_boundaries(tables, areas_, limits, partition, channels, settings, random);
}

std::unique_ptr<JointSearch> AreaLayout::joint_search(const SegmentTables& tables, const GroupLimits& limits,
                                                      const JointSearchSettings& settings,
                                                      const std::vector<Partition>& known) const {
  return std::make_unique<BestAreaSearch>(tables, areas_, limits, settings, known);
}

}  // namespace hyobscure::solve
