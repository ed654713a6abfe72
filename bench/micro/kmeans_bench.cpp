// Sparse k-means: growth with the entries and with the clusters, and a sample against all rows.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "hyobscure/census/kmeans.h"

namespace {

using hyobscure::Key;
using hyobscure::census::cluster_rows;
using hyobscure::census::KMeansSettings;
using hyobscure::data::SparseRows;

constexpr std::size_t kColumns = 1500;
constexpr unsigned kTastes = 12;

// Ratings 1 to 5, about 110 a person; people of a taste rate a third of the items more often.
SparseRows raters(std::size_t people) {
  std::mt19937 random(7);  // fixed: runs on different days compare the same people
  std::uniform_real_distribution<double> unit(0, 1);
  SparseRows rows;
  rows.columns = kColumns;
  for (std::size_t u = 0; u < people; ++u) {
    const unsigned taste = static_cast<unsigned>(random()) % kTastes;
    for (std::uint32_t item = 0; item < kColumns; ++item) {
      const double liking = (item * 7 + taste) % kTastes < 4 ? 1.6 : 0.7;
      if (unit(random) > liking * 1.5 / std::sqrt(item + 10.0)) continue;
      rows.items.push_back(item);
      rows.values.push_back(1 + static_cast<double>(random() % 5));
    }
    rows.end_row();
  }
  return rows;
}

void ClusterRows(benchmark::State& state) {
  const SparseRows rows = raters(static_cast<std::size_t>(state.range(0)));
  const KMeansSettings settings{.clusters = static_cast<int>(state.range(1))};

  // A fast wrong answer is not a result: check once, outside the timed loop.
  const auto checked = cluster_rows(rows, settings, Key::from_seed(1));
  const auto mean = cluster_rows(rows, {.clusters = 1, .starts = 1}, Key::from_seed(1));
  if (assign(checked.model, rows) != checked.cluster_of_row || !(checked.inertia < mean.inertia)) {
    state.SkipWithError("the clusters are not those of the model, or explain nothing");
    return;
  }

  for (auto _ : state) benchmark::DoNotOptimize(cluster_rows(rows, settings, Key::from_seed(1)));

  state.counters["entries"] = static_cast<double>(rows.entries());
  state.counters["iterations"] = checked.iterations;
  state.counters["explained"] = 1 - checked.inertia / mean.inertia;
}

// The default sample against all rows, which is what sample = people asks for. Both keep the best of their
// starts; the excess of the inertia is derived in kmeans.md.
void SampleAgainstAll(benchmark::State& state) {
  const SparseRows rows = raters(static_cast<std::size_t>(state.range(0)));
  const int clusters = static_cast<int>(state.range(1));
  const KMeansSettings all{.clusters = clusters, .sample = rows.size()};
  const auto full = cluster_rows(rows, all, Key::from_seed(1));
  const auto sampled = cluster_rows(rows, {.clusters = clusters}, Key::from_seed(1));
  if (assign(sampled.model, rows) != sampled.cluster_of_row) {
    state.SkipWithError("the clusters are not those of the model");
    return;
  }
  const bool only_sample = state.range(2) != 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cluster_rows(rows, only_sample ? KMeansSettings{.clusters = clusters} : all, Key::from_seed(1)));

  const double sample = static_cast<double>(hyobscure::census::default_sample(clusters));
  const double people = static_cast<double>(rows.size());
  state.counters["excess"] = sampled.inertia / full.inertia - 1;
  state.counters["expected"] = clusters / sample * (1 - sample / people);
  state.counters["iterations_all"] = full.iterations;
  state.counters["iterations_sample"] = sampled.iterations;
}

void Assign(benchmark::State& state) {
  const SparseRows rows = raters(static_cast<std::size_t>(state.range(0)));
  const KMeansSettings settings{
      .clusters = static_cast<int>(state.range(1)), .starts = 1, .max_iterations = 5};
  const auto clustering = cluster_rows(rows, settings, Key::from_seed(1));
  if (assign(clustering.model, rows) != clustering.cluster_of_row) {
    state.SkipWithError("the clusters are not those of the model");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(assign(clustering.model, rows));
  state.counters["entries_per_second"] =
      benchmark::Counter(static_cast<double>(rows.entries()), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(ClusterRows)
    ->ArgNames({"people", "clusters"})
    ->ArgsProduct({{800, 20'000, 40'000, 80'000, 400'000}, {10}})
    ->Args({20'000, 50})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(SampleAgainstAll)
    ->ArgNames({"people", "clusters", "sampled"})
    ->ArgsProduct({{100'000}, {10, 50}, {0, 1}})
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(Assign)
    ->ArgNames({"people", "clusters"})
    ->ArgsProduct({{20'000}, {4, 10, 16, 50, 200}})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
