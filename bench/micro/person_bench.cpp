// Person-level channels of synthetic people at one price of distance: four pools of 200 by the interior
// point, one of 2,000 by the first-order method over all pairs.

#include <benchmark/benchmark.h>

#include "sparse_people.h"

namespace {

using namespace hyobscure::solve;

constexpr double kMultiplier = 4;  // nats: inside the frontier, where most rows use several donors

/// Pools of equal size with kept distances: computing these is not what is measured.
struct Pools {
  std::vector<DistanceMatrix> distances;
  std::vector<PersonPool> pools;
};

Pools pools_of(std::size_t count, std::size_t people) {
  const SparsePeople made = sparse_people(count * people);
  Pools result;
  for (std::size_t g = 0; g < count; ++g) {
    const auto members = positions(g * people, (g + 1) * people);
    const SparsePeopleDistances rows(made.rows, members);
    const auto size = static_cast<Eigen::Index>(people);
    DistanceMatrix::Table table(size, size);
    for (std::size_t u = 0; u < people; ++u)
      rows.row(u, {table.row(static_cast<Eigen::Index>(u)).data(), people});
    result.distances.emplace_back(std::move(table));
    PersonPool pool{.distances = nullptr, .value_of_person = {}, .values = kSparseValues};
    for (const std::uint32_t u : members) pool.value_of_person.push_back(made.values[u]);
    result.pools.push_back(std::move(pool));
  }
  for (std::size_t g = 0; g < count; ++g) result.pools[g].distances = &result.distances[g];
  return result;
}

void solve_pools(benchmark::State& state, std::size_t count, std::size_t people, double gap_bits) {
  const Pools made = pools_of(count, people);
  const PersonTerms terms{.balanced = state.range(0) != 0};
  PersonResult result;
  for (auto _ : state)
    result = solve_people_with_multiplier(made.pools, terms, kMultiplier, {.gap_tolerance_bits = gap_bits});
  if (!result.info.solved) state.SkipWithError("the gap stayed open");
  state.counters["iterations"] = result.info.iterations;
  state.counters["bits"] = result.info.informed_nats * hyobscure::kBitsPerNat;
  state.counters["distance"] = result.info.distance;
  state.counters["gap_bits"] = result.info.gap_nats * hyobscure::kBitsPerNat;
}

void Dense(benchmark::State& state) { solve_pools(state, 4, 200, 1e-5); }
void Sparse(benchmark::State& state) { solve_pools(state, 1, 2000, 1e-3); }

BENCHMARK(Dense)
    ->ArgName("balanced")
    ->DenseRange(0, 1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Sparse)
    ->ArgName("balanced")
    ->DenseRange(0, 1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
