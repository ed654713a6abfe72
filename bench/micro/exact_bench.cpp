// The joint optimum of groups and channels at one budget, on people at random in the shape of MovieLens-100K.

#include <benchmark/benchmark.h>

#include "hyobscure/solve/groups/exact.h"
#include "hyobscure/solve/groups/test_census.h"

namespace {

using namespace hyobscure::solve;

void Exact(benchmark::State& state) {
  const RandomCensus census =
      random_census(7, {.people = 802, .clusters = static_cast<int>(state.range(0)), .values = 33});
  const SegmentTables tables = census.tables();
  const OrderedValues values = census.values();
  const GroupLimits limits{.least_people = 100, .most_people = 400, .least_values = 4, .most_values = 12};
  const ExactSettings settings{.groups = 4};

  // From the smallest distance of any grouping to the one at which the best grouping tells nothing more.
  ExactSearch search(tables, values, limits, settings);
  const double smallest = search.smallest_distance();
  const ExactResult free = search.solve(1e9);
  const double budget =
      smallest + 0.01 * static_cast<double>(state.range(1)) * (free.solution.info.distance - smallest);

  ExactResult result;
  for (auto _ : state) {
    // What one budget teaches serves the next: each run starts again.
    ExactSearch fresh(tables, values, limits, settings);
    result = fresh.solve(budget);
  }
  if (!result.closed) state.SkipWithError("the gap stayed open");
  state.counters["multipliers"] = result.multipliers;
  state.counters["segments"] = result.segments_solved;
  state.counters["partitions"] = result.partitions_solved;
  state.counters["gap_nats"] = result.gap_nats();
}

BENCHMARK(Exact)
    ->ArgNames({"clusters", "percent"})
    ->ArgsProduct({{10, 50, 200}, {1, 10, 40, 80}})
    ->Iterations(1)  // seconds at 200 clusters
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
