// The recommender: rating prediction and recommendation, whose similarities are quadratic in people.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "hyobscure/audit/utility/recommend.h"

namespace {

using namespace hyobscure;

constexpr std::uint32_t kItems = 3000;

// About 110 ratings of 3000 items a person, few items popular. Half of the people prefer even items, half odd
// ones.
data::SparseRows raters(std::size_t people) {
  std::mt19937 random(7);  // fixed: runs on different days compare the same people
  std::uniform_real_distribution<double> unit(0, 1);
  data::SparseRows rows;
  rows.columns = kItems;
  for (std::size_t u = 0; u < people; ++u) {
    for (std::uint32_t item = 0; item < kItems; ++item) {
      const bool likes = item % 2 == u % 2;
      if (unit(random) > (likes ? 1.5 : 0.5) / std::sqrt(item + 1.0)) continue;
      rows.items.push_back(item);
      rows.values.push_back((likes ? 2 : 1) + static_cast<double>(random() % 4));
    }
    rows.end_row();
  }
  return rows;
}

// Ten repetitions, published and unobscured each, of a publication of the rows of random people.
void Recommend(benchmark::State& state) {
  const auto people = static_cast<std::size_t>(state.range(0));
  const data::SparseRows rows = raters(people);
  const auto publish = [&](int r) {
    std::mt19937 random(static_cast<unsigned>(r));
    audit::Publication published{.rows = rows, .row_of_person = {}};
    for (std::size_t u = 0; u < people; ++u)
      published.row_of_person.push_back(static_cast<std::uint32_t>(random() % people));
    return published;
  };
  audit::RecommendUtility found;
  for (auto _ : state) found = audit::recommend(rows, publish, {}, Key::from_seed(1));

  if (!found.rating_prediction.figures->loss.above_zero() || !found.recommendation.figures->loss.above_zero())
    state.SkipWithError("rows of random people cost nothing");
  state.counters["entries"] = static_cast<double>(rows.entries()) / static_cast<double>(people);
  state.counters["rmse"] = found.rating_prediction.figures->unobscured.mean;
  state.counters["precision"] = found.recommendation.figures->unobscured.mean;
}

BENCHMARK(Recommend)
    ->ArgName("people")
    ->Arg(1250)
    ->Arg(2500)
    ->Arg(5000)
    ->Arg(10000)
    ->Arg(20000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
