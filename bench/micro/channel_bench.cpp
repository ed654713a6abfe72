#include <benchmark/benchmark.h>

#include <random>

#include "hyobscure/solve/channel.h"

namespace {

using namespace hyobscure::solve;

/// Counts of people over clusters that are points in a cube; values shift people towards some clusters.
ChannelProblem clusters_in_a_cube(int clusters, int values) {
  std::mt19937 rng(7);  // fixed: runs on different days compare the same problem
  std::gamma_distribution<double> weight(0.5);
  std::uniform_real_distribution<double> uniform(0, 1);
  Eigen::MatrixXd joint = Eigen::MatrixXd::NullaryExpr(clusters, values, [&] { return weight(rng) + 1e-6; });
  joint /= joint.sum();
  const Eigen::MatrixXd points = Eigen::MatrixXd::NullaryExpr(clusters, 3, [&] { return uniform(rng); });
  Eigen::MatrixXd distance(clusters, clusters);
  for (int i = 0; i < clusters; ++i)
    for (int j = 0; j < clusters; ++j) distance(i, j) = 0.2 + (points.row(i) - points.row(j)).norm();
  return {{joint}, {distance}};
}

void SolveChannel(benchmark::State& state) {
  const auto problem = clusters_in_a_cube(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const double smallest = smallest_distance(problem);
  const double budget = smallest + 0.3 * (harmless_distance(problem) - smallest);

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
