#include <benchmark/benchmark.h>

#include "cube_problem.h"

namespace {

using namespace hyobscure::solve;

void SolveChannel(benchmark::State& state) {
  const auto problem = clusters_in_a_cube(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const double budget = usual_budget(problem);

  // A fast wrong answer is not a result: check once, outside the timed loop.
  const auto checked = solve_with_budget(problem, budget);
  if (checked.info.status != SolveStatus::Solved) {
    state.SkipWithError("did not reach the certified gap");
    return;
  }

  for (auto _ : state) benchmark::DoNotOptimize(solve_with_budget(problem, budget));

  state.counters["iterations"] = checked.info.iterations;
  state.counters["leakage_nats"] = checked.info.leakage_nats;
  state.counters["gap_nats"] = checked.info.gap_nats;
}

BENCHMARK(SolveChannel)
    ->ArgNames({"clusters", "values"})
    ->Args({10, 8})
    ->Args({10, 30})
    ->Args({50, 30})
    ->Args({200, 8})
    ->Args({200, 30})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
