// Areas and channels at one budget, on people at random on a map of 68 cells, as many as the check-ins of the
// paper have.

#include <benchmark/benchmark.h>

#include "hyobscure/solve/areas/area_search.h"
#include "hyobscure/solve/areas/test_areas.h"

namespace {

using namespace hyobscure::solve;

void Areas(benchmark::State& state) {
  const RandomCensus census = random_census(7, {.people = 692, .clusters = 8, .values = 68});
  const SegmentTables tables = census.tables();
  const AreaValues areas = grid_map(4, 17, census);
  const GroupLimits limits{.least_people = 100, .most_people = 250, .least_values = 5, .most_values = 25};
  AreaSearchResult result;
  double smallest = 0;
  for (auto _ : state) {
    // What one budget teaches serves the next: each run starts again.
    AreaSearch search(tables, areas, limits, {.groups = 4}, {});
    smallest = search.smallest_distance();
    result = search.solve(0.01 * static_cast<double>(state.range(0)) * smallest);
  }
  state.counters["moves"] = result.moves_tried;
  state.counters["made"] = result.moves_made;
  state.counters["moves_a_second"] =
      benchmark::Counter(result.moves_tried, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(Areas)
    ->ArgName("budget_percent_of_smallest")
    ->Arg(105)
    ->Arg(115)
    ->Arg(140)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
