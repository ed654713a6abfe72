#include "hyobscure/obscure/fit/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::obscure {
namespace {

struct Loaded {
  data::Spec spec;
  data::People people;
};

Loaded load(const TestFolder& folder, double dependence, const std::vector<data::Override>& overrides = {}) {
  data::synthesise({.people = 800, .dependence = dependence, .items = 300, .entries = 40}, folder / "d",
                   true);
  Loaded loaded{data::read_spec(folder / "d" / "spec.toml", overrides), {}};
  data::Engine engine({.folder = loaded.spec.folder}, {});
  loaded.people = data::read_people(engine, loaded.spec).people;
  return loaded;
}

TEST(Inspection, FindsAPlantedLeakAndNoneWhereNoneIsPlanted) {
  const TestFolder folder;
  const auto excess = [&](double dependence) {
    const Loaded loaded = load(folder, dependence);
    const MeasuredLeakage leak = inspect(loaded.people, loaded.spec).features;
    return (leak.bits - leak.null_bits) / leak.null_deviation_bits;
  };
  EXPECT_GT(excess(0.9), 10);           // ten deviations above chance
  EXPECT_LT(std::abs(excess(0.0)), 4);  // odds of a false alarm below 1e-4; the seed is fixed
}

TEST(Inspection, TheBudgetsItNamesAreTheEndsOfWhatFitAccepts) {
  const TestFolder folder;
  const Loaded loaded = load(folder, 0.5);
  const Inspection inspection = inspect(loaded.people, loaded.spec);
  ASSERT_TRUE(inspection.preview);
  data::Spec spec = loaded.spec;
  spec.method.name = "xobf";
  spec.channel.budget_share.reset();
  spec.channel.budget = inspection.preview->largest_budget;
  EXPECT_LE(fit(loaded.people, spec).figures.leakage.features, 1e-8);
  spec.channel.budget = inspection.preview->smallest_budget;
  EXPECT_GT(fit(loaded.people, spec).figures.leakage.features, 0);
  spec.channel.budget = inspection.preview->smallest_budget * 0.999;
  EXPECT_THROW((void)fit(loaded.people, spec), InputError);
}

TEST(Inspection, TheLimitsItNamesAreTight) {
  const TestFolder folder;
  const Loaded loaded = load(folder, 0.5);
  const auto values = ordered_values(loaded.people);
  const double inf = std::numeric_limits<double>::infinity();
  const auto possible = [&](solve::GroupLimits limits, int count) {
    return !solve::feasible_counts(values, limits).empty() &&
           std::ranges::count(solve::feasible_counts(values, limits), count) == 1;
  };
  for (const GroupCountOption& option : inspect(loaded.people, loaded.spec).options) {
    EXPECT_TRUE(possible({option.extremes.largest_k, inf, 1, inf}, option.count));
    EXPECT_FALSE(possible({option.extremes.largest_k + 1, inf, 1, inf}, option.count));
    EXPECT_TRUE(possible({1, option.extremes.smallest_alpha, 1, inf}, option.count));
    EXPECT_FALSE(possible({1, option.extremes.smallest_alpha - 1, 1, inf}, option.count));
    EXPECT_TRUE(possible({1, inf, option.extremes.largest_l, inf}, option.count));
    EXPECT_FALSE(possible({1, inf, option.extremes.largest_l + 1, inf}, option.count));
    EXPECT_TRUE(possible({1, inf, 1, option.extremes.smallest_beta}, option.count));
    EXPECT_FALSE(possible({1, inf, 1, option.extremes.smallest_beta - 1}, option.count));
  }
}

TEST(Inspection, WorksWithoutLimitsAndWithImpossibleOnes) {
  const TestFolder folder;
  Loaded loaded = load(folder, 0.5);
  loaded.spec.groups.people = data::Interval{700, 800};
  const Inspection impossible = inspect(loaded.people, loaded.spec);
  EXPECT_FALSE(impossible.preview);
  EXPECT_THAT(impossible.no_preview_because, testing::HasSubstr("no grouping meets the limits"));
  loaded.spec.groups.people.reset();
  const Inspection open = inspect(loaded.people, loaded.spec);
  ASSERT_TRUE(open.preview && open.recommendation);
  EXPECT_FALSE(open.preview->of_the_spec);
  EXPECT_FALSE(open.recommendation->terms_are_the_specs);
  for (const published::Group& group : open.preview->groups) {
    EXPECT_GE(static_cast<double>(group.people), open.recommendation->limits.least_people);
    EXPECT_LE(static_cast<double>(group.values), open.recommendation->limits.most_values);
  }
  EXPECT_GT(open.secret_entropy_bits, 4);
  EXPECT_LE(open.secret_entropy_bits, std::log2(53));
}

TEST(Inspection, WhatAColumnTellsIsItsInformationBesideChance) {
  const std::string people =
      "SELECT 'p' || i AS id, 20 + i % 4 AS age, 'half ' || (i % 4) // 2 AS half, hash(i) % 5 AS chance, "
      "CASE WHEN i % 2 = 0 THEN i END AS odd_is_empty FROM range(400) t(i)";
  const data::Spec spec = data::parse_spec("", "test", ".",
                                           {{"people.query", people},
                                            {"people.id", "id"},
                                            {"people.secret", "age"},
                                            {"people.features", "[\"half\", \"chance\", \"odd_is_empty\"]"}});
  data::Engine engine({}, {});
  const auto columns = inspect_columns(data::ColumnTable(engine, spec), spec);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_NEAR(columns[0].leakage.bits, 1, 1e-12);
  EXPECT_LT(columns[0].leakage.null_bits, 0.05);
  const MeasuredLeakage& chance = columns[1].leakage;  // four deviations: the hash is fixed
  EXPECT_LT(std::abs(chance.bits - chance.null_bits), 4 * chance.null_deviation_bits);
  EXPECT_GT(columns[2].leakage.bits, 1);             // an empty cell tells as others do
  EXPECT_TRUE(std::isnan(columns[3].leakage.bits));  // the secret itself
}

}  // namespace
}  // namespace hyobscure::obscure
