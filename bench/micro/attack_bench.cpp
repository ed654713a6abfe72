// Attacks: a forest on sparse and on mixed rows, and whole scenarios on people like those of MovieLens-100K.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "hyobscure/audit/attack/attack.h"
#include "hyobscure/learn/forest.h"

namespace {

using namespace hyobscure;

struct Crowd {
  data::SparseRows rows;
  std::vector<double> ages;
};

// About 106 ratings of 1538 items a person, few items popular; half of them are liked by the young or the
// old.
Crowd raters(std::size_t people) {
  std::mt19937 random(7);  // fixed: runs on different days compare the same people
  std::uniform_real_distribution<double> unit(0, 1);
  Crowd crowd;
  crowd.rows.columns = 1538;
  for (std::size_t u = 0; u < people; ++u) {
    const double age = 18 + static_cast<double>(random() % 33), young = (50 - age) / 32;
    for (std::uint32_t item = 0; item < 1538; ++item) {
      const double taste = item % 4 == 0 ? 2 * young : item % 4 == 1 ? 2 * (1 - young) : 1;
      if (unit(random) > taste * 1.4 / std::sqrt(item + 1.0)) continue;
      crowd.rows.items.push_back(item);
      crowd.rows.values.push_back(1 + static_cast<double>(random() % 5));
    }
    crowd.rows.end_row();
    crowd.ages.push_back(age);
  }
  return crowd;
}

// Five numbers, of which two are often zero, and eight categories of 12 values, one-hot, as in Adult.
Crowd mixed(std::size_t people) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  Crowd crowd;
  crowd.rows.columns = 101;
  const auto add = [&](std::uint32_t column, double value) {
    crowd.rows.items.push_back(column);
    crowd.rows.values.push_back(value);
  };
  for (std::size_t u = 0; u < people; ++u) {
    const double age = 18 + static_cast<double>(random() % 43);
    add(0, std::round(1e5 * std::exp(normal(random))));
    add(1, std::round(age / 4 + 4 * normal(random)) + 30);
    add(2, 20 + static_cast<double>(random() % 40));
    if (unit(random) < 0.1) add(3, static_cast<double>(random() % 10000 + 1));
    if (unit(random) < 0.05) add(4, static_cast<double>(random() % 4000 + 1));
    for (std::uint32_t category = 0; category < 8; ++category) {
      const bool tells = category < 3 && unit(random) < 0.5;
      const auto value =
          tells ? static_cast<std::uint32_t>(age / 6) : static_cast<std::uint32_t>(random() % 12);
      add(5 + 12 * category + value % 12, 1);
    }
    crowd.rows.end_row();
    crowd.ages.push_back(age);
  }
  return crowd;
}

double mean_error(const learn::Forest& forest, const Crowd& crowd) {
  const learn::Predictions predicted = forest.predict(crowd.rows);
  double sum = 0;
  for (std::size_t u = 0; u < crowd.ages.size(); ++u)
    sum += std::abs(predicted(static_cast<Eigen::Index>(u), 0) - crowd.ages[u]);
  return sum / static_cast<double>(crowd.ages.size());
}

template <Crowd (*make)(std::size_t)>
void GrowForest(benchmark::State& state) {
  const Crowd crowd = make(static_cast<std::size_t>(state.range(0)));
  const auto grow = [&] { return learn::Forest::of_numbers(crowd.rows, crowd.ages, {}, Key::from_seed(1)); };

  // A forest of whole trees nearly remembers its rows: a third of what the best constant misses, or less.
  const double error = mean_error(grow(), crowd);
  if (!(error < 4)) {
    state.SkipWithError("the forest did not learn its own rows");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(grow());
  state.counters["own_error"] = error;
}

BENCHMARK(GrowForest<raters>)
    ->ArgName("people")
    ->Arg(401)
    ->Arg(4000)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(GrowForest<mixed>)
    ->ArgName("people")
    ->Arg(30000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// Both attackers at their full size, ten releases: every person's row is that of a random member of the
// group.
void AttackTenReleases(benchmark::State& state) {
  const Crowd crowd = raters(802);
  std::vector<std::uint32_t> values, groups, own(802);
  std::vector<std::vector<std::uint32_t>> members(4);
  for (std::uint32_t u = 0; u < 802; ++u) {
    own[u] = u;
    values.push_back(static_cast<std::uint32_t>(crowd.ages[u]) - 18);
    groups.push_back(std::min(values.back() / 8, 3U));
    members[groups.back()].push_back(u);
  }
  std::vector<double> numbers;
  for (int age = 18; age <= 50; ++age) numbers.push_back(age);
  const audit::AttackTargets targets{.features = crowd.rows,
                                     .value_of_person = values,
                                     .values = 33,
                                     .numbers = numbers,
                                     .group_of_person = groups,
                                     .groups = 4};
  const auto publish = [&](int r) {
    std::mt19937 random(static_cast<unsigned>(r));
    audit::Publication published{.rows = crowd.rows, .row_of_person = {}};
    for (const std::uint32_t group : groups)
      published.row_of_person.push_back(members[group][random() % members[group].size()]);
    return published;
  };
  const audit::Scenario scenario = state.range(0) == 1 ? audit::Scenario::I : audit::Scenario::II;
  std::vector<audit::AttackResult> results;
  for (auto _ : state) results = audit::attack(targets, publish, scenario, {}, Key::from_seed(1));

  for (const audit::AttackResult& result : results)
    if (result.error.advantage.above_zero() || !result.error.unobscured_advantage.above_zero())
      state.SkipWithError("found what is not there, or missed what is");
  state.counters["forest_error"] = results[0].error.attack.mean;
  state.counters["boosting_error"] = results[1].error.attack.mean;
}

BENCHMARK(AttackTenReleases)
    ->ArgName("scenario")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
