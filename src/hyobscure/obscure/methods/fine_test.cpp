#include "hyobscure/obscure/methods/fine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/base/test_sanitized.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/comparison.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/shortfalls.h"

namespace hyobscure::obscure {
namespace {

using testing::HasSubstr;

/// Few synthetic people, read once.
class Fine : public testing::Test {
 protected:
  struct Loaded {
    TestFolder folder;
    data::People people;
    Loaded() {
      data::synthesise({.people = 240, .dependence = 0.8, .items = 100, .entries = 20}, folder / "d", false);
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
    overrides.insert(overrides.begin(), {"method.seed", "3"});
    return data::read_spec(loaded().folder / "d" / "spec.toml", overrides);
  }
  static const PersonDraw& draw(const Channel& channel) { return std::get<PersonDraw>(channel.draw); }
};

TEST_F(Fine, IsTheDefaultAndKeepsItsPromises) {
  const Mechanism mechanism = fit(people(), spec());
  EXPECT_EQ(mechanism.method, "fine");
  EXPECT_EQ(mechanism.threat, "both");
  EXPECT_TRUE(mechanism.balanced);
  const Figures& figures = mechanism.figures;
  EXPECT_LE(figures.distance, figures.budget * (1 + 1e-9));
  EXPECT_LT(figures.leakage.features, 0.2 * figures.leakage.unprotected);
  EXPECT_NEAR(figures.leakage.unprotected, figures.leakage.secret_entropy - figures.leakage.groups, 1e-9);
  EXPECT_GE(figures.leakage.learned, 0);
  EXPECT_TRUE(std::isfinite(figures.gap));
  const Pools pools = pools_by_group(people(), mechanism.partition());
  double distance = 0;  // by pairs
  for (std::size_t p = 0; p < pools.size(); ++p)
    for (std::size_t u = 0; u < pools.members[p].size(); ++u)
      for (std::size_t e = draw(mechanism.channels[p]).starts[u];
           e < draw(mechanism.channels[p]).starts[u + 1]; ++e)
        distance += draw(mechanism.channels[p]).probabilities[e] *
                    census::distance_between(
                        census::Distance::JensenShannon, people().features[pools.members[p][u]],
                        people().features[pools.members[p][draw(mechanism.channels[p]).donors[e]]], 0);
  EXPECT_NEAR(figures.distance, distance / double(people().size()), 1e-6);
}

// Balanced: every row is published once in expectation, so the mean of any feature over a group is that of
// its people, whatever the feature is.
TEST_F(Fine, BalancedChannelsKeepTheAveragesOfEveryGroup) {
  const Mechanism mechanism = fit(people(), spec({{"method.threat", "informed"}}));
  const Pools pools = pools_by_group(people(), mechanism.partition());
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const PersonDraw& lists = draw(mechanism.channels[p]);
    std::vector<double> published(lists.size(), 0);
    for (std::size_t e = 0; e < lists.donors.size(); ++e)
      published[lists.donors[e]] += lists.probabilities[e];
    for (const double times : published) EXPECT_NEAR(times, 1, 1e-8);
    for (std::uint32_t item = 0; item < 5; ++item) {
      double truth = 0, expected = 0;
      for (std::size_t u = 0; u < lists.size(); ++u) {
        const auto row = people().features[pools.members[p][u]];
        for (std::size_t e = 0; e < row.items.size(); ++e)
          if (row.items[e] == item) {
            truth += row.values[e];
            expected += published[u] * row.values[e];
          }
      }
      EXPECT_NEAR(expected, truth, 1e-6 * std::max(1.0, truth));
    }
  }
}

TEST_F(Fine, NobodyPublishesTheirOwnRowWhereThatIsForbidden) {
  for (const char* balanced : {"true", "false"}) {
    const Mechanism mechanism = fit(
        people(),
        spec({{"method.self_donor", "never"}, {"method.balanced", balanced}, {"method.threat", "informed"}}));
    for (const Channel& channel : mechanism.channels)
      for (std::size_t u = 0; u < draw(channel).size(); ++u)
        for (std::size_t e = draw(channel).starts[u]; e < draw(channel).starts[u + 1]; ++e)
          EXPECT_NE(draw(channel).donors[e], u);
  }
}

TEST_F(Fine, FreeAndInformedItIsAtOrBelowEveryMethodAtEveryBudget) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const Comparison comparison =
      compare_methods(people(), spec(),
                      {.methods = {"fine-free", "exact", "hyobscure", "xobf", "ygen", "privcheck", "dp",
                                   "simp", "frapp", "random"},
                       .points = 6});
  const Frontier& fine = comparison.curves[0];
  ASSERT_EQ(fine.points.size(), 6u);
  EXPECT_TRUE(comparison.complete());
  int compared = 0;
  for (const Frontier& curve : comparison.curves)
    for (const FrontierPoint& point : curve.points) {
      const auto same = std::ranges::find(fine.points, point.budget, &FrontierPoint::budget);
      ASSERT_NE(same, fine.points.end());
      EXPECT_LE(same->leakage.total, point.leakage.total + 2e-5) << curve.method << " at " << point.budget;
      EXPECT_LE(same->gap, 1e-5);
      ++compared;
    }
  EXPECT_GE(compared, 40);
}

/// People whose first item follows the secret closely, so that a model learns it, and 20 of each of 12
/// values.
data::People predictable_people() {
  data::People people;
  for (std::uint32_t v = 0; v < 12; ++v) people.values.push_back({20.0 + v, 20.0 + v, 20.0 + v});
  people.features.columns = 16;
  for (std::uint32_t u = 0; u < 240; ++u) {
    const std::uint32_t value = u % 12, other = 12 + u * 7 % 4;
    people.ids.push_back(fmt::format("{:03}", u));
    people.secrets.push_back(value);
    const std::uint32_t likely = u % 5 == 0 ? (value + 1) % 12 : value;
    for (const auto& [item, rating] : {std::pair{likely, 5.0}, std::pair{other, 1.0 + u % 3}}) {
      people.features.items.push_back(item);
      people.features.values.push_back(rating);
    }
    people.features.end_row();
  }
  return people;
}

TEST_F(Fine, HidesFromTheModelWhatTheThreatSays) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const data::People people = predictable_people();
  const auto with = [&](const char* threat) {
    return fit(people, spec({{"method.threat", threat},
                             {"channel.budget_share", "0.5"},
                             {"groups.count", "2"},
                             {"groups.people", "[100, 140]"},
                             {"groups.values", "[4, 8]"}}))
        .figures;
  };
  const Figures informed = with("informed"), learned = with("learned"), both = with("both");
  EXPECT_EQ(informed.informed_weight, 1);
  EXPECT_LT(both.informed_weight, 1);
  EXPECT_EQ(learned.informed_weight, kLeastWeightOfInformed);
  EXPECT_LT(informed.leakage.features, learned.leakage.features);
  EXPECT_LT(learned.leakage.learned, informed.leakage.learned);
  EXPECT_LT(both.leakage.features, learned.leakage.features);
}

// A model that learns nothing has nothing to be hidden from, and an objective of its leakage alone would
// publish everybody's own row: whatever the threat, the informed attacker then decides.
TEST_F(Fine, WhereNoModelPredictsTheInformedAttackerDecides) {
  const TestFolder folder;
  data::synthesise({.people = 240, .dependence = 0, .items = 100, .entries = 20}, folder / "d", false);
  data::Engine engine({.folder = folder / "d"}, {});
  const data::People people = data::read_people(engine, data::read_spec(folder / "d" / "spec.toml")).people;
  std::vector<double> leakages;
  for (const char* threat : {"informed", "both", "learned"}) {
    const Mechanism mechanism =
        fit(people, spec({{"method.threat", threat}, {"channel.budget_share", "0.7"}}));
    EXPECT_EQ(mechanism.figures.informed_weight, 1) << threat;
    EXPECT_THAT(shortfalls(mechanism), testing::IsEmpty()) << threat;
    leakages.push_back(mechanism.figures.leakage.features);
  }
  EXPECT_EQ(leakages[0], leakages[1]);
  EXPECT_EQ(leakages[0], leakages[2]);
}

TEST_F(Fine, TheInformedAttackerNeverHasLessThanItsLeastWeight) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const data::People people = predictable_people();
  for (const char* least : {"0.2", "0.9"}) {
    const data::Spec at = spec({{"method.least_informed_weight", least},
                                {"channel.budget_share", "0.5"},
                                {"groups.count", "2"},
                                {"groups.people", "[100, 140]"},
                                {"groups.values", "[4, 8]"}});
    EXPECT_GE(fit(people, at).figures.informed_weight, at.method.least_informed_weight);
  }
}

TEST_F(Fine, WhatASweepShowsNeverRisesWithTheBudget) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const data::People few = predictable_people();
  for (const char* threat : {"informed", "both", "learned"}) {
    const data::Spec at = spec({{"method.threat", threat},
                                {"groups.count", "2"},
                                {"groups.people", "[100, 140]"},
                                {"groups.values", "[4, 8]"}});
    const Frontier frontier = trace_frontier(few, at, census_of(few, at), 4);
    ASSERT_EQ(frontier.points.size(), 4u);
    double least = std::numeric_limits<double>::infinity();
    for (const FrontierPoint& point : frontier.points) {
      EXPECT_LE(point.leakage.total, least + 1e-4 + 1e-9) << threat << " at " << point.budget;
      EXPECT_LE(point.distance, point.budget * (1 + 1e-9));
      least = std::min(least, point.leakage.total);
    }
  }
}

// What a publisher must not be given without a word: own rows, because the budget allows nothing else.
TEST_F(Fine, AMechanismThatPublishesTheOriginalIsNoSuccess) {
  const Mechanism mechanism = fit(people(), spec({{"channel.budget_share", "0"}}));
  EXPECT_EQ(mechanism.figures.own_rows, 1);
  EXPECT_NEAR(mechanism.figures.leakage.features, mechanism.figures.leakage.unprotected, 1e-9);
  EXPECT_THAT(shortfalls(mechanism), testing::ElementsAre(HasSubstr("100 % of what unprotected features"),
                                                          HasSubstr("their own row")));
}

TEST_F(Fine, SharesOfTheBudgetBeginWithTheNearestOthersWhereNobodyPublishesTheirOwnRow) {
  const Mechanism mechanism = fit(people(), spec({{"channel.budget_share", "0.05"},
                                                  {"method.self_donor", "never"},
                                                  {"method.threat", "informed"}}));
  EXPECT_EQ(mechanism.figures.own_rows, 0);
  EXPECT_LE(mechanism.figures.distance, mechanism.figures.budget * (1 + 1e-9));
}

TEST_F(Fine, ThreadsDoNotMatter) {
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return fit(people(), spec());
  };
  const Mechanism one = with_threads(1), two = with_threads(2);
  EXPECT_EQ(one.figures.leakage.total, two.figures.leakage.total);
  ASSERT_EQ(one.channels.size(), two.channels.size());
  for (std::size_t p = 0; p < one.channels.size(); ++p) {
    EXPECT_EQ(draw(one.channels[p]).donors, draw(two.channels[p]).donors);
    EXPECT_EQ(draw(one.channels[p]).probabilities, draw(two.channels[p]).probabilities);
  }
}

/// I(Y; V | pool) of the channels, bits, from the definition.
double informed_bits(const data::People& people, const Mechanism& mechanism) {
  const Pools pools = pools_by_group(people, mechanism.partition());
  double bits = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& draw = std::get<PersonDraw>(mechanism.channels[p].draw);
    const auto size = static_cast<double>(draw.size());
    std::map<std::uint32_t, double> values;
    std::map<std::uint32_t, double> donors;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> joint;
    for (std::size_t u = 0; u < draw.size(); ++u) {
      const std::uint32_t value = people.secrets[pools.members[p][u]];
      values[value] += 1 / size;
      for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e) {
        donors[draw.donors[e]] += draw.probabilities[e] / size;
        joint[{value, draw.donors[e]}] += draw.probabilities[e] / size;
      }
    }
    for (const auto& [key, probability] : joint)
      bits += size / static_cast<double>(people.size()) * probability *
              std::log2(probability / (values[key.first] * donors[key.second]));
  }
  return bits;
}

// Few wards are solved together, many one by one: both say what the definition says of the joined channels.
TEST(FineWards, LeakageCountsWhatWardsReveal) {
  TestFolder folder;
  data::synthesise({.people = 320, .dependence = 0.8, .items = 60, .entries = 12}, folder / "d", false);
  data::Spec spec = data::read_spec(folder / "d" / "spec.toml", {{"method.seed", "3"}});
  data::Engine engine({.folder = spec.folder}, {});
  const data::People people = data::read_people(engine, spec).people;
  const Mechanism whole = fit(people, spec);
  EXPECT_EQ(whole.note, "");
  for (const int ward : {90, 24}) {
    spec.method.ward = ward;
    const Mechanism mechanism = fit(people, spec);
    EXPECT_THAT(mechanism.note, HasSubstr("wards"));
    const Figures& figures = mechanism.figures;
    EXPECT_LE(figures.distance, figures.budget * (1 + 1e-9));
    EXPECT_GE(figures.distance, 0.97 * figures.budget);
    EXPECT_NEAR(figures.leakage.features, informed_bits(people, mechanism), 1e-7) << ward;
    // borders cost something, and not very much
    EXPECT_GT(figures.leakage.features, 0);
    EXPECT_LT(figures.leakage.features, 0.5 * figures.leakage.unprotected);
    for (std::size_t p = 0; p < mechanism.channels.size(); ++p) {
      const auto& draw = std::get<PersonDraw>(mechanism.channels[p].draw);
      std::vector<double> published(draw.size(), 0);
      for (std::size_t e = 0; e < draw.donors.size(); ++e) published[draw.donors[e]] += draw.probabilities[e];
      for (const double times : published) EXPECT_NEAR(times, 1, 1e-7);
    }
  }
}

/// Rows that are not with the people, as on a cluster: in the memory of somebody else.
class RowsElsewhere final : public FineRowsOf {
 public:
  RowsElsewhere(const data::People& people, census::Distance distance)
      : people_(people), distance_(distance) {}
  std::unique_ptr<FineRows> pools(const Pools& pools) override {
    return rows_in_memory(people_, distance_, pools);
  }

 private:
  const data::People& people_;
  census::Distance distance_;
};

/// The smallest and the largest P(y | j, pool) / P(y | pool), by the definition.
std::pair<double, double> lifts_of_rows(const data::People& people, const Mechanism& mechanism) {
  const Pools pools = pools_by_group(people, mechanism.partition());
  double lowest = 1, highest = 1;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& draw = std::get<PersonDraw>(mechanism.channels[p].draw);
    std::map<std::uint32_t, double> values;
    std::map<std::uint32_t, std::map<std::uint32_t, double>> joint;  // of each donor
    for (std::size_t u = 0; u < draw.size(); ++u) {
      const std::uint32_t value = people.secrets[pools.members[p][u]];
      values[value] += 1 / static_cast<double>(draw.size());
      for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e)
        joint[draw.donors[e]][value] += draw.probabilities[e];
    }
    for (auto& [donor, of_value] : joint) {
      double all = 0;
      for (const auto& [value, mass] : of_value) all += mass;
      for (const auto& [value, share] : values) {
        lowest = std::min(lowest, of_value[value] / all / share);
        highest = std::max(highest, of_value[value] / all / share);
      }
    }
  }
  return {lowest, highest};
}

// A ward has its pool's shares up to rounding: lifts are of the pool.
TEST_F(Fine, KeepsLimitsOnLiftsOfPoolsThatAreCutIntoWards) {
  HYOBSCURE_ONLY_IN_RELEASE();
  const Mechanism mechanism =
      fit(people(), spec({{"method.ward", "60"}, {"channel.max_lift", "2.5"}, {"method.gap", "3e-3"}}));
  EXPECT_THAT(mechanism.note, HasSubstr("wards"));
  EXPECT_LE(lifts_of_rows(people(), mechanism).second, 2.5);
  // some ward of so few people has a rare value more often than that
  EXPECT_THROW((void)fit(people(), spec({{"method.ward", "20"}, {"channel.max_lift", "1.05"}})), InputError);
}

TEST_F(Fine, WhoDecidesNeedNotHaveTheRows) {
  HYOBSCURE_ONLY_IN_RELEASE();
  data::People numbers = people();
  for (std::string& id : numbers.ids) id.clear();
  numbers.features = {};
  numbers.features.columns = people().features.columns;
  numbers.features.starts.assign(numbers.size() + 1, 0);
  for (const char* ward : {"4096", "70", "20"}) {
    const data::Spec at = spec({{"method.ward", ward}});
    const census::Census census = census_of(people(), at);
    RowsElsewhere rows(people(), at.channel.distance);
    EXPECT_EQ(mechanism_content(fit_people(numbers, at, census, data::fingerprint(people()), &rows)),
              mechanism_content(fit(people(), at, census)))
        << ward;
  }
}

TEST_F(Fine, KeepsLimitsOnLiftsInTheRoundedMechanism) {
  HYOBSCURE_ONLY_IN_RELEASE();
  for (const char* threat : {"informed", "both"}) {
    SCOPED_TRACE(threat);
    const Mechanism free = fit(people(), spec({{"method.threat", threat}}));
    ASSERT_GT(lifts_of_rows(people(), free).second, 1.6);
    const Mechanism limited = fit(people(), spec({{"method.threat", threat},
                                                  {"channel.max_lift", "1.6"},
                                                  {"channel.min_lift", "0.4"},
                                                  {"channel.budget_share", "0.8"}}));
    const auto [lowest, highest] = lifts_of_rows(people(), limited);
    EXPECT_LE(highest, 1.6);
    EXPECT_GE(lowest, 0.4);
    EXPECT_NEAR(limited.figures.lift.highest, highest, 1e-9);
    EXPECT_NEAR(limited.figures.lift.lowest, lowest, 1e-9);
    EXPECT_LE(limited.figures.distance, limited.figures.budget * (1 + 1e-9));
  }
}

TEST_F(Fine, NamesTheNearestBudgetThatKeepsTheLimitsOnLifts) {
  HYOBSCURE_ONLY_IN_RELEASE();
  data::Spec near = spec({{"method.threat", "informed"}, {"channel.max_lift", "1.2"}});
  near.channel.budget_share.reset();
  near.channel.budget = 0.05;
  try {
    (void)fit(people(), near);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    const std::string before = "0.05 is below ";
    ASSERT_THAT(text, HasSubstr(before));
    near.channel.budget = std::stod(text.substr(text.find(before) + before.size()));
    const std::string cap = "at this budget ";
    ASSERT_THAT(text, HasSubstr(cap));
    data::Spec wider = near;
    wider.channel.budget = 0.05;
    wider.channel.max_lift = std::stod(text.substr(text.find(cap) + cap.size()));
    EXPECT_LE(lifts_of_rows(people(), fit(people(), wider)).second, *wider.channel.max_lift);
  }
  EXPECT_LE(lifts_of_rows(people(), fit(people(), near)).second, 1.2);
}

TEST_F(Fine, RefusesLimitsOnLiftsWhereNobodyPublishesTheirOwnRow) {
  EXPECT_THROW((void)fit(people(), spec({{"method.self_donor", "never"}, {"channel.max_lift", "2"}})),
               InputError);
}

TEST_F(Fine, RefusesABudgetThatNobodyCanMeet) {
  data::Spec near = spec({{"method.self_donor", "never"}, {"method.threat", "informed"}});
  near.channel.budget_share.reset();
  near.channel.budget = 1e-4;
  try {
    (void)fit(people(), near);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("smallest expected distance"));
  }
}

// mathematics.md section 7: the published curve of the prototype, within 1 %.
TEST(FineMovieLens, PassesThroughThePublishedCurve) {
  const std::filesystem::path data = shared_folder("HYOBSCURE_DATA", "data") / "movielens-100k";
  if (!std::filesystem::exists(data / "u.user"))
    GTEST_SKIP() << "needs MovieLens-100K in " << data << " (set HYOBSCURE_DATA)";
  const TestFolder copy;
  for (const char* name : {"u.user", "u.data"}) std::filesystem::copy_file(data / name, copy / name);
  std::filesystem::copy_file(source_folder() / "examples/movielens.toml", copy / "spec.toml");
  data::Spec spec =
      data::read_spec(copy / "spec.toml", {{"method.name", "fine"},
                                           {"method.threat", "informed"},
                                           {"groups.fixed", "[[18,24],[25,34],[35,44],[45,50]]"}});
  data::Engine engine({.folder = spec.folder}, {});
  const data::People people = data::read_people(engine, spec).people;
  const Terms terms = terms_of(people, spec);
  const census::Census census = census_of(people, spec);
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(people, spec, terms, census, tables);
  FineCache cache;
  const FinePeople& prepared = cache.learned(input, terms.first_groups, {});
  const auto pools = prepared.kept();
  struct Point {
    bool balanced;
    double multiplier, distance, bits;
  };
  for (const Point& point :
       {Point{false, 0.5, 0.355, 0.00326}, Point{false, 1, 0.345, 0.0139}, Point{false, 2, 0.321, 0.0677},
        Point{false, 4, 0.244, 0.411}, Point{true, 0.5, 0.376, 0.0047}, Point{true, 1, 0.361, 0.0207},
        Point{true, 2, 0.326, 0.0976}}) {
    input.person.balanced = point.balanced;
    const solve::PersonResult solved =
        solve::solve_people_with_multiplier(pools, person_terms(input, prepared), point.multiplier);
    EXPECT_NEAR(solved.info.informed_nats * kBitsPerNat, point.bits, 0.01 * point.bits) << point.distance;
    EXPECT_NEAR(solved.info.distance, point.distance, 0.01 * point.distance) << point.bits;
    EXPECT_LE(solved.info.gap_nats * kBitsPerNat, 1e-5);
    EXPECT_TRUE(solved.info.all_donors);
  }
}

}  // namespace
}  // namespace hyobscure::obscure
