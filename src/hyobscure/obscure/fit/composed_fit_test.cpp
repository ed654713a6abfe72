#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/frontier.h"
#include "hyobscure/obscure/fit/inspection.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

using testing::HasSubstr;

/// Few people, read once, whose releases are composed.
class ComposedFit : public testing::Test {
 protected:
  struct Loaded {
    TestFolder folder;
    data::People people;
    Loaded() {
      data::synthesise({.people = 240, .dependence = 0.8, .items = 60, .entries = 20}, folder / "d", false);
      const data::Spec spec = data::read_spec(folder / "d" / "spec.toml");
      data::Engine engine({.folder = spec.folder}, {});
      people = data::read_people(engine, spec).people;
    }
  };
  static const Loaded& loaded() {
    static const Loaded* made = new Loaded;  // lives as long as the tests
    return *made;
  }
  static const data::People& people() { return loaded().people; }
  static data::Spec spec(std::vector<data::Override> overrides = {}) {
    overrides.insert(overrides.begin(), {{"method.seed", "3"},
                                         {"release.rows", "composed"},
                                         {"method.threat", "informed"},
                                         {"channel.budget_share", "0.5"}});
    return data::read_spec(loaded().folder / "d" / "spec.toml", overrides);
  }

  /// By the definition: the mean of d(x_u, z_v) over people u and their donors v.
  static double distance_of(const Mechanism& mechanism) {
    const auto composed = composed_rows_of(mechanism, people());
    const auto clusters = census::assign(mechanism.clusters, people().features);
    const Pools pools = pools_by_group(people(), mechanism.partition());
    double sum = 0;
    for (std::size_t p = 0; p < pools.size(); ++p) {
      const auto& members = pools.members[p];
      const Channel& channel = mechanism.channels[p];
      for (std::size_t i = 0; i < members.size(); ++i)
        for (std::size_t j = 0; j < members.size(); ++j) {
          const double drawn = probability(channel, members, clusters, i, j);
          const double all = (1 - channel.retain) * drawn + (i == j ? channel.retain : 0);
          if (all > 0)
            sum += all * census::distance_between(census::distance_named(mechanism.distance),
                                                  people().features[members[i]], composed->rows[members[j]],
                                                  people().features.columns);
        }
    }
    return sum / static_cast<double>(people().size());
  }

 private:
  static double probability(const Channel& channel, const std::vector<std::uint32_t>& members,
                            const std::vector<std::uint32_t>& clusters, std::size_t i, std::size_t j) {
    if (const CellDraw* cells = channel.cells()) {
      const auto cell = [&](std::size_t member) {
        return std::ranges::find(cells->clusters, static_cast<int>(clusters[members[member]])) -
               cells->clusters.begin();
      };
      return cells->probabilities(cell(i), cell(j)) /
             static_cast<double>(cells->people[static_cast<std::size_t>(cell(j))]);
    }
    if (const auto* lists = std::get_if<PersonDraw>(&channel.draw)) {
      for (std::size_t e = lists->starts[i]; e < lists->starts[i + 1]; ++e)
        if (lists->donors[e] == j) return lists->probabilities[e];
      return 0;
    }
    if (const auto* near = std::get_if<NearDraw>(&channel.draw)) {
      std::vector<double> row(members.size());
      NearRows(*near, people().features, members).row(i, row);
      return row[j];
    }
    return i == j ? 0 : 1 / static_cast<double>(members.size() - 1);
  }
};

TEST_F(ComposedFit, KeepsTheBudgetForWhatIsPublished) {
  for (const char* method : {"fine", "exact", "hyobscure", "xobf"}) {
    const Mechanism mechanism = fit(people(), spec({{"method.name", method}}));
    ASSERT_TRUE(mechanism.composing);
    const double distance = distance_of(mechanism);
    EXPECT_NEAR(distance, mechanism.figures.distance, 2e-6) << method;
    EXPECT_LE(distance, mechanism.figures.budget + 2e-6) << method;
    EXPECT_LT(mechanism.figures.composed.smallest_distance, mechanism.figures.distance) << method;
    EXPECT_LE(mechanism.figures.composed.largest_share, 0.5);
    EXPECT_EQ(mechanism.figures.own_rows, 0);
  }
}

TEST_F(ComposedFit, StatesTheDistanceOfComposedRowsForBaselines) {
  for (const char* method : {"dp", "simp", "frapp", "random", "privcheck", "ygen"}) {
    const Mechanism mechanism =
        fit(people(), spec({{"method.name", method}, {"channel.budget", "0.45"}, {"method.retain", "0.1"}}));
    EXPECT_NEAR(mechanism.figures.distance, distance_of(mechanism), 2e-6) << method;
  }
}

TEST_F(ComposedFit, RefusesABudgetBelowTheNearestComposedRowsAndTakesTheOneItNames) {
  for (const char* method : {"fine", "xobf"}) {
    try {
      (void)fit(people(), spec({{"method.name", method}, {"channel.budget", "0.01"}}));
      FAIL() << "expected InputError";
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_THAT(text, HasSubstr("with composed rows"));
      const auto at = text.find("is below ") + 9;
      const std::string smallest = text.substr(at, text.find(',', at) - at);
      const Mechanism mechanism =
          fit(people(), spec({{"method.name", method}, {"channel.budget", smallest}}));
      EXPECT_LE(mechanism.figures.distance, std::stod(smallest) * (1 + 1e-9)) << method;
    }
  }
}

TEST_F(ComposedFit, HasTheRowsOfItsFileAgain) {
  const TestFolder folder;
  const Mechanism mechanism = fit(people(), spec({{"method.name", "xobf"}}));
  write_mechanism(mechanism, folder / "m.json");
  const Mechanism read = read_mechanism(folder / "m.json");
  EXPECT_EQ(read.composing, mechanism.composing);
  const auto rows = composed_rows_of(mechanism, people()), again = composed_rows_of(read, people());
  EXPECT_EQ(rows->rows.items, again->rows.items);
  EXPECT_EQ(rows->contributors, again->contributors);
  EXPECT_EQ(rows->largest_share, mechanism.figures.composed.largest_share);
}

TEST_F(ComposedFit, MoreBudgetNeverLeaksMore) {
  for (const char* method : {"fine", "xobf"}) {
    const data::Spec asked = spec({{"method.name", method}});
    const Frontier frontier = trace_frontier(people(), asked, census_of(people(), asked), 5);
    ASSERT_GE(frontier.points.size(), 4U) << method;
    for (std::size_t i = 1; i < frontier.points.size(); ++i)
      EXPECT_LE(frontier.points[i].leakage.features, frontier.points[i - 1].leakage.features + 1e-3)
          << method;
  }
}

TEST_F(ComposedFit, IsInspectedByTheDistancesOfComposedRows) {
  const auto with = inspect(people(), spec()), without = inspect(people(), spec({{"release.rows", "donor"}}));
  ASSERT_TRUE(with.preview && without.preview && with.recommendation);
  EXPECT_NE(with.preview->smallest_budget, without.preview->smallest_budget);
  EXPECT_EQ(with.recommendation->budgets.size(), without.recommendation->budgets.size());
}

TEST_F(ComposedFit, IsRefusedAcrossGroupsAndForPeopleElsewhere) {
  EXPECT_THROW((void)fit(people(), spec({{"method.name", "random"}, {"method.within_groups", "false"}})),
               InputError);
  const data::Spec asked = spec({{"method.name", "xobf"}});
  const auto census = census_of(people(), asked);
  EXPECT_THROW((void)fit_counted(people(), asked, census, "fingerprint"), InputError);
}

}  // namespace
}  // namespace hyobscure::obscure
