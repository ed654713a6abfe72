// Sums of distances between cells: the linear path against the pairwise definition, and its growth.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "hyobscure/census/distance.h"

namespace {

using hyobscure::census::Distance;
using hyobscure::census::distance_between;
using hyobscure::census::pair_sums;
using hyobscure::data::SparseRows;

constexpr std::size_t kColumns = 1500;
constexpr std::uint32_t kCells = 530;  // 53 values x 10 clusters

struct Crowd {
  SparseRows rows;
  std::vector<std::uint32_t> cell_of_row;
};

// Ratings 1 to 5, about 110 a person, a few items far more popular than most.
Crowd raters(std::size_t people) {
  std::mt19937 random(7);  // fixed: runs on different days compare the same people
  std::uniform_real_distribution<double> unit(0, 1);
  Crowd crowd;
  crowd.rows.columns = kColumns;
  for (std::size_t u = 0; u < people; ++u) {
    for (std::uint32_t item = 0; item < kColumns; ++item) {
      if (unit(random) > 1.6 / std::sqrt(item + 1.0) && item > 0) continue;
      crowd.rows.items.push_back(item);
      crowd.rows.values.push_back(1 + static_cast<double>(random() % 5));
    }
    crowd.rows.end_row();
    crowd.cell_of_row.push_back(static_cast<std::uint32_t>(random() % kCells));
  }
  return crowd;
}

// The definition, each pair once.
Eigen::MatrixXd pair_by_pair(Distance distance, const Crowd& crowd) {
  Eigen::MatrixXd half = Eigen::MatrixXd::Zero(kCells, kCells);
  for (std::size_t u = 0; u < crowd.rows.size(); ++u)
    for (std::size_t v = 0; v < u; ++v)
      half(crowd.cell_of_row[u], crowd.cell_of_row[v]) +=
          distance_between(distance, crowd.rows[u], crowd.rows[v], kColumns);
  return half + half.transpose();
}

// Largest error of the mean distance of two cells, on a crowd small enough for the definition.
double largest_error(Distance distance) {
  const Crowd crowd = raters(400);
  Eigen::VectorXd people = Eigen::VectorXd::Zero(kCells);
  for (const std::uint32_t cell : crowd.cell_of_row) people(cell) += 1;
  const Eigen::MatrixXd error =
      pair_sums(distance, crowd.rows, crowd.cell_of_row, kCells) - pair_by_pair(distance, crowd);
  return (error.array() / (people * people.transpose()).array().max(1)).abs().maxCoeff();
}

void PairSums(benchmark::State& state) {
  const auto distance = static_cast<Distance>(state.range(0));
  const Crowd crowd = raters(static_cast<std::size_t>(state.range(1)));

  // A fast wrong answer is not a result: check once, outside the timed loop.
  const double error = largest_error(distance);
  if (!(error <= hyobscure::census::kJensenShannonError)) {
    state.SkipWithError("the error is above what is promised");
    return;
  }

  for (auto _ : state) benchmark::DoNotOptimize(pair_sums(distance, crowd.rows, crowd.cell_of_row, kCells));

  const auto entries = static_cast<double>(crowd.rows.entries());
  state.counters["entries"] = entries;
  state.counters["largest_error"] = error;
  // The CPU time of an entry: the clock of the rate is that of the process.
  state.counters["cpu_per_entry"] = benchmark::Counter(
      entries, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void PairByPair(benchmark::State& state) {
  const auto distance = static_cast<Distance>(state.range(0));
  const Crowd crowd = raters(static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(pair_by_pair(distance, crowd));
  state.counters["entries"] = static_cast<double>(crowd.rows.entries());
}

constexpr auto kJensenShannon = static_cast<std::int64_t>(Distance::JensenShannon);
constexpr auto kSquared = static_cast<std::int64_t>(Distance::SquaredEuclidean);
constexpr auto kJaccard = static_cast<std::int64_t>(Distance::Jaccard);

// Entries doubled twice. At 20,000 people nearly all cells have nearly all popular items: from there on
// linear.
BENCHMARK(PairSums)
    ->ArgNames({"distance", "people"})
    ->ArgsProduct({{kJensenShannon, kSquared}, {800, 20'000, 40'000, 80'000, 1'000'000}})
    ->ArgsProduct({{kJaccard}, {800, 1600, 3200}})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(PairByPair)
    ->ArgNames({"distance", "people"})
    ->ArgsProduct({{kJensenShannon, kSquared, kJaccard}, {800}})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
