#include "hyobscure/obscure/methods/method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/base/test_sanitized.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/comparison.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

using testing::HasSubstr;

/// Synthetic people, read once.
class Methods : public testing::Test {
 protected:
  struct Loaded {
    TestFolder folder;
    data::People people;
    Loaded() {
      data::synthesise({.people = 400, .dependence = 0.8, .items = 150, .entries = 25}, folder / "d", false);
      const data::Spec spec = data::read_spec(folder / "d" / "spec.toml");
      data::Engine engine({.folder = spec.folder}, {});
      people = data::read_people(engine, spec).people;
    }
  };
  static const data::People& people() {
    static const Loaded* loaded = new Loaded;  // lives as long as the tests
    folder_ = &loaded->folder;
    return loaded->people;
  }
  static data::Spec spec(const std::string& method, std::vector<data::Override> overrides = {}) {
    (void)people();
    overrides.push_back({"method.name", method});
    overrides.push_back({"channel.budget_share", "0.3"});
    return data::read_spec(*folder_ / "d" / "spec.toml", overrides);
  }
  static data::Spec with_budget(data::Spec spec, double budget) {
    spec.channel.budget_share.reset();
    spec.channel.budget = budget;
    return spec;
  }
  static std::string refusal(const data::Spec& spec) {
    try {
      (void)fit(people(), spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  static const TestFolder* folder_;
};
const TestFolder* Methods::folder_ = nullptr;

/// Mean distance of the mechanism's own draws, by pairs of people: shares nothing with the census.
double distance_by_pairs(const data::People& people, const Mechanism& mechanism) {
  const auto clusters = census::assign(mechanism.clusters, people.features);
  const Pools pools =
      mechanism.within_groups ? pools_by_group(people, mechanism.partition()) : one_pool(people.size());
  const auto distance = census::distance_named(mechanism.distance);
  double sum = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& members = pools.members[p];
    const Channel& channel = mechanism.channels[p];
    for (const std::uint32_t u : members) {
      double weights = 0, distances = 0;
      for (const std::uint32_t v : members) {
        double weight = v == u ? 0 : 1;  // others
        if (const CellDraw* cells = channel.cells()) {
          const auto place = [&](std::uint32_t person) {
            return std::ranges::find(cells->clusters, static_cast<int>(clusters[person])) -
                   cells->clusters.begin();
          };
          weight = cells->probabilities(place(u), place(v)) /
                   double(cells->people[static_cast<std::size_t>(place(v))]);
        } else if (const auto* near = std::get_if<NearDraw>(&channel.draw)) {
          const double d = census::distance_between(census::Distance::Jaccard, people.features[u],
                                                    people.features[v], people.features.columns);
          weight = near->decay ? std::exp(-*near->decay * d) : v == u ? 0 : 1 - d;
        }
        weights += weight;
        distances += weight * census::distance_between(distance, people.features[u], people.features[v],
                                                       people.features.columns);
      }
      sum += (1 - channel.retain) * distances / weights;
    }
  }
  return sum / static_cast<double>(people.size());
}

TEST_F(Methods, KeepTheBudgetAndSayTheirTrueDistance) {
  HYOBSCURE_ONLY_IN_RELEASE();
  for (const Method& method : methods())
    for (const char* within : {"true", "false"}) {
      if (method.name == "fine") continue;  // has its own tests
      if (std::string(within) == "false" && !method.across_groups) continue;
      const Mechanism mechanism =
          fit(people(), with_budget(spec(method.name, {{"method.within_groups", within}}), 0.43));
      const Figures& figures = mechanism.figures;
      EXPECT_LE(figures.distance, figures.budget * (1 + 1e-9)) << method.name << within;
      EXPECT_NEAR(figures.distance, distance_by_pairs(people(), mechanism), 2e-6) << method.name << within;
      EXPECT_EQ(mechanism.within_groups, std::string(within) == "true");
      EXPECT_GE(figures.leakage.features, figures.leakage.clusters - 1e-9) << method.name;
      EXPECT_EQ(mechanism.parameter.has_value(), method.has_parameter);
    }
}

TEST_F(Methods, AreNotThoseThatAnotherMechanismNames) {
  for (const Method& method : methods()) {
    Mechanism mechanism = fit(people(), spec(method.name));
    EXPECT_NO_THROW(refuse_other_method(mechanism)) << method.name;
    for (const Method& other : methods()) {
      mechanism.method = other.name;
      if (other.makes(mechanism.channels[0])) continue;
      EXPECT_THROW(refuse_other_method(mechanism), InputError) << method.name << other.name;
    }
    mechanism.method = "best of all";
    EXPECT_THROW(refuse_other_method(mechanism), InputError);
  }
  const auto makers = [](const Channel& channel) {
    return std::ranges::count_if(methods(), [&](const Method& method) { return method.makes(channel); });
  };
  EXPECT_EQ(makers({.draw = PersonDraw{}}), 1);            // fine
  EXPECT_EQ(makers({.draw = OtherDraw{}}), 2);             // frapp, random
  EXPECT_EQ(makers({.draw = NearDraw{.decay = 1.0}}), 1);  // dp
  EXPECT_EQ(makers({.draw = NearDraw{}}), 1);              // simp
  EXPECT_EQ(makers({.draw = CellDraw{}}), std::ssize(methods()) - 5);
}

TEST_F(Methods, ExactIsAtOrBelowEveryMethodThatDrawsFromCells) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const Comparison comparison = compare_methods(
      people(), spec("exact"), {.methods = {"exact", "hyobscure", "xobf", "ygen", "privcheck"}, .points = 5});
  ASSERT_EQ(comparison.curves.size(), 5u);
  EXPECT_TRUE(comparison.complete());
  const Frontier& exact = comparison.curves[0];
  ASSERT_EQ(exact.points.size(), 5u);
  int compared = 0;
  for (const Frontier& curve : comparison.curves) {
    for (const FrontierPoint& point : curve.points) {
      const auto same = std::ranges::find(exact.points, point.budget, &FrontierPoint::budget);
      ASSERT_NE(same, exact.points.end());
      EXPECT_LE(same->leakage.total, point.leakage.total + 2e-8) << curve.method;
      EXPECT_LE(same->joint_gap, 2e-8);
      EXPECT_EQ(point.groups.size(), exact.points[0].groups.size());
      ++compared;
    }
  }
  EXPECT_GE(compared, 16);
}

TEST_F(Methods, EachPointOfTheComparisonIsWhatFitGives) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const Comparison comparison = compare_methods(
      people(), spec("exact"),
      {.methods = {"exact", "hyobscure", "xobf", "ygen", "privcheck", "dp", "simp", "frapp", "random"},
       .points = 4});
  for (const Frontier& curve : comparison.curves) {
    if (curve.points.empty()) continue;
    const FrontierPoint& point = curve.points.back();
    data::Spec one = with_budget(spec(curve.method), point.budget);
    one.groups.count = comparison.groups;
    const Mechanism mechanism = fit(people(), one);
    EXPECT_NEAR(mechanism.figures.leakage.total, point.leakage.total, 2e-8) << curve.method;
    EXPECT_NEAR(mechanism.figures.distance, point.distance, 1e-9) << curve.method;
  }
}

TEST_F(Methods, TheKnobOfABaselineCanBeGiven) {
  const Mechanism random = fit(people(), spec("random", {{"method.parameter", "0.25"}}));
  for (const Channel& channel : random.channels) EXPECT_EQ(channel.retain, 0.75);
  EXPECT_TRUE(std::isnan(random.figures.budget));

  // gamma / (gamma + m - 1) for oneself, in each pool of m people.
  const Mechanism frapp = fit(people(), spec("frapp", {{"method.parameter", "50"}}));
  for (const Channel& channel : frapp.channels)
    EXPECT_NEAR(channel.retain, 50 / (49.0 + double(channel.people)), 1e-12);

  const Mechanism dp = fit(people(), spec("dp", {{"method.parameter", "4"}}));
  EXPECT_EQ(std::get<NearDraw>(dp.channels[0].draw).decay, 4);
  EXPECT_LE(dp.figures.epsilon, 8 * (1 + 1e-12));  // 2 beta d_max, and no Jaccard distance is above 1
  EXPECT_GT(dp.figures.epsilon, 4);

  EXPECT_THAT(refusal(spec("random", {{"method.parameter", "1.5"}})), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal(spec("frapp", {{"method.parameter", "0.5"}})), HasSubstr("from 1"));
  EXPECT_THAT(refusal(spec("exact", {{"method.parameter", "1"}})), HasSubstr("has no parameter"));
  EXPECT_THAT(refusal(spec("xobf", {{"method.within_groups", "false"}})), HasSubstr("inside the groups"));
}

TEST_F(Methods, DpKeepsItsGuarantee) {
  const Mechanism mechanism = fit(people(), spec("dp", {{"method.parameter", "2"}}));
  const Pools pools = pools_by_group(people(), mechanism.partition());
  double worst = 0;
  for (const auto& members : pools.members) {
    const NearRows rows({.decay = 2}, people().features, members);
    const std::size_t size = std::min<std::size_t>(members.size(), 40);
    std::vector<std::vector<double>> table(size, std::vector<double>(members.size()));
    for (std::size_t i = 0; i < size; ++i) rows.row(i, table[i]);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t v = 0; v < members.size(); ++v)
          worst = std::max(worst, std::log(table[i][v] / table[j][v]));
  }
  EXPECT_GT(worst, 0.5);
  EXPECT_LE(worst, mechanism.figures.epsilon);
}

TEST_F(Methods, RetainedRowsCostNoDistanceAndTellMore) {
  const Mechanism without = fit(people(), spec("xobf"));
  const Mechanism with = fit(people(), with_budget(spec("xobf", {{"method.retain", "0.3"}}),
                                                   0.7 * without.figures.budget));  // the same draws
  EXPECT_NEAR(with.figures.distance, 0.7 * without.figures.distance, 1e-9);
  EXPECT_GT(with.figures.leakage.features, without.figures.leakage.features + 0.3);
  EXPECT_LT(with.figures.leakage.clusters, with.figures.leakage.features);
  EXPECT_TRUE(std::isnan(with.figures.gap));  // the proof is about drawn rows
  EXPECT_FALSE(std::isnan(without.figures.gap));
  EXPECT_TRUE(std::isnan(fit(people(), spec("dp", {{"method.retain", "0.1"}})).figures.epsilon));
}

TEST_F(Methods, PrivCheckIsBlindToTheGroups) {
  const Mechanism mechanism =
      fit(people(), with_budget(spec("privcheck", {{"method.within_groups", "false"}}), 0.43));
  ASSERT_EQ(mechanism.channels.size(), 1u);
  const Mechanism ygen = fit(people(), spec("ygen", {{"method.acceptance", "budget"}}));
  const Mechanism within = fit(people(), spec("privcheck"));
  EXPECT_LE(ygen.figures.leakage.total,
            within.figures.leakage.total + 1e-12);  // the search can only lower it
  // Wherever two groups have the same clusters they have the same channel.
  for (const Channel& channel : within.channels) {
    if (channel.cells()->clusters != within.channels[0].cells()->clusters) continue;
    EXPECT_TRUE(channel.cells()->probabilities.isApprox(within.channels[0].cells()->probabilities, 1e-12));
  }
}

TEST_F(Methods, ThreadsDoNotMatter) {
  for (const char* method : {"ygen", "privcheck", "dp", "simp", "frapp", "random"}) {
    const auto with_threads = [&](int threads) {
      const ThreadLimit limit(threads);
      return fit(people(), spec(method, {{"method.seed", "1"}}));
    };
    const Mechanism one = with_threads(1), two = with_threads(2);
    EXPECT_EQ(one.figures.leakage.total, two.figures.leakage.total) << method;
    EXPECT_EQ(one.figures.leakage.null, two.figures.leakage.null) << method;
    EXPECT_EQ(one.figures.distance, two.figures.distance) << method;
  }
}

TEST_F(Methods, OneThatDoesNotExistIsRefusedWhereItWasAskedFor) {
  const data::Spec asked = data::parse_spec(
      "[people]\nfile = \"p.csv\"\nid = \"id\"\nsecret = \"y\"\nfeatures = [\"x\"]\n[method]\nname = "
      "\"magic\"\n",
      "spec.toml", ".");
  try {
    (void)method_of(asked);
    FAIL() << "magic was found";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("spec.toml, line 7, method.name: expected one of \"fine\", "));
  }
}

TEST_F(Methods, ComparisonRefusesWhatDoesNotExist) {
  EXPECT_THROW((void)compare_methods(people(), spec("exact"), {.methods = {"magic"}}), InputError);
  EXPECT_THROW((void)compare_methods(people(), spec("exact"), {.budgets = {-1, 0.5}}), InputError);
}

TEST_F(Methods, ABudgetOutOfReachIsLeftOutOfTheCurve) {
  const Comparison comparison =
      compare_methods(people(), spec("exact"), {.methods = {"xobf", "random"}, .budgets = {0.01, 0.3, 0.6}});
  EXPECT_EQ(comparison.curves[1].points.size(), 3u);
  EXPECT_LT(comparison.curves[0].points.size(), 3u);
  EXPECT_TRUE(comparison.complete());
}

}  // namespace
}  // namespace hyobscure::obscure
