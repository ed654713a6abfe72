#pragma once

// Groups with their optimal channels, for the tests that carry channels to other groups.

#include "hyobscure/solve/channel/test_problems.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {

/// A census, groups to start from and their optimal channels.
struct Scene {
  RandomCensus census;
  SegmentTables tables;
  OrderedValues values;
  GroupLimits limits{.least_people = 5, .least_values = 2};
  Partition partition;
  PartitionChannels channels;
  double budget = 0;
};

inline Scene random_scene(unsigned seed) {
  const auto census = random_census(seed, {.people = 120, .clusters = 5, .values = 14});
  Scene scene{.census = census,
              .tables = census.tables(),
              .values = census.values(),
              .partition = {},
              .channels = {}};
  scene.partition = optimal_groups(scene.values, scene.limits, 4).value();
  const auto [problem, clusters] = problem_of(scene.tables, scene.partition);
  scene.budget = budget_at(problem, 0.4);
  scene.channels = {solve_with_budget(problem, scene.budget).channels, clusters};
  return scene;
}

}  // namespace hyobscure::solve
