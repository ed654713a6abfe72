#include "hyobscure/audit/attack/attack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "hyobscure/audit/attack/secret_model.h"
#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

// Small, so that a test takes a second under sanitizers.
const AttackSettings kQuick{
    .attackers = {Attacker::Forest, Attacker::Boosting, Attacker::Linear, Attacker::PaperBoosting},
    .repetitions = 5,
    .trees = 25,
    .boosting = {.most_rounds = 25, .patience = 5},
    .paper_boosting = {.rounds = 25}};

Publication as_they_are(const Sample& sample) {
  return {.rows = sample.features, .row_of_person = own_rows(sample.value_of_person.size())};
}

// Every person gets the row of a random member of the group: says nothing about the secret but the group.
Publication mixed_in_groups(const Sample& sample, unsigned seed) {
  std::mt19937 random(seed);
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t u = 0; u < sample.value_of_person.size(); ++u)
    members[sample.group_of_person[u]].push_back(u);
  Publication published{.rows = sample.features, .row_of_person = {}};
  for (const std::uint32_t group : sample.group_of_person)
    published.row_of_person.push_back(members[group][random() % members[group].size()]);
  return published;
}

std::vector<AttackResult> attack_as_they_are(const Sample& sample, Scenario scenario,
                                             const AttackSettings& settings = kQuick) {
  return attack(
      sample.targets(), [&](int) { return as_they_are(sample); }, scenario, settings, Key::from_seed(1));
}

class Scenarios : public testing::TestWithParam<std::tuple<Scenario, bool>> {
 protected:
  Scenario scenario() const { return std::get<0>(GetParam()); }
  bool ordered() const { return std::get<1>(GetParam()); }
};

TEST_P(Scenarios, FindAPlantedLeak) {
  const Sample sample = planted_people(1, 400, 12, 4, 0.9, ordered());
  for (const AttackResult& found : attack_as_they_are(sample, scenario())) {
    EXPECT_TRUE(found.error.advantage.above_zero()) << found.error.advantage.low;
    EXPECT_EQ(found.scenario, scenario());
    // The attack on what is not obscured is the attack itself, but for those who do not trust what they see.
    const bool trusts = scenario() != Scenario::I || found.attacker == Attacker::Forest ||
                        found.attacker == Attacker::PaperBoosting;
    if (trusts) {
      EXPECT_EQ(found.error.attack.mean, found.error.unobscured.mean);
    }
    EXPECT_LT(found.error.attack.mean, (trusts ? 0.6 : 0.8) * found.error.group_only.mean);
    EXPECT_LT(found.error.unobscured.mean, 0.6 * found.error.group_only.mean);
    EXPECT_LT(found.error.group_only.mean, found.error.no_information.mean);
  }
}

/// learn::Boosting once more, as somebody else would bring it.
OwnAttacker own_boosting() {
  return {.name = "mine",
          .learn = [](const data::SparseRows& rows, std::span<const double> labels, std::uint32_t classes,
                      std::uint64_t) -> OwnModel {
            const std::vector<std::uint32_t> class_of_row(labels.begin(), labels.end());
            const auto model = std::make_shared<learn::Boosting>(
                classes == 0
                    ? learn::Boosting::of_numbers(rows, labels, kQuick.paper_boosting)
                    : learn::Boosting::of_classes(rows, class_of_row, classes, kQuick.paper_boosting));
            return [model](const data::SparseRows& tested) { return model->predict(tested); };
          }};
}

TEST_P(Scenarios, TreatAnAttackerOfTheCallersLikeTheOthers) {
  const Sample sample = planted_people(2, 200, 12, 4, 0.9, ordered());
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::PaperBoosting};
  settings.own = {own_boosting()};
  const auto found = attack_as_they_are(sample, scenario(), settings);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[1].attacker, Attacker::Own);
  EXPECT_EQ(found[1].own_name, "mine");
  EXPECT_EQ(found[1].error.attack.mean, found[0].error.attack.mean);
  EXPECT_EQ(found[1].error.unobscured.mean, found[0].error.unobscured.mean);
  EXPECT_EQ(found[1].error.group_only.mean, found[0].error.group_only.mean);
  EXPECT_EQ(found[1].error.advantage.low, found[0].error.advantage.low);
}

TEST(OwnAttackers, MustPredictForEveryRow) {
  const Sample sample = planted_people(2, 100, 12, 4, 0.9, true);
  AttackSettings settings = kQuick;
  settings.attackers = {};
  settings.own = {{.name = "short",
                   .learn = [](const data::SparseRows&, std::span<const double>, std::uint32_t,
                               std::uint64_t) -> OwnModel {
                     return [](const data::SparseRows&) { return learn::Predictions::Zero(1, 1).eval(); };
                   }}};
  EXPECT_THROW((void)attack_as_they_are(sample, Scenario::I, settings), InputError);
}

// An attacker who learns noise is worse than the group alone, so the advantage is below 0 rather than at it;
// the lower end of a 95 % interval lies above 0 with odds below 1/40 for each of the 16 intervals.
TEST_P(Scenarios, FindNothingWhereNothingIsPlanted) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const AttackResult& found :
         attack_as_they_are(planted_people(seed, 400, 12, 4, 0, ordered()), scenario())) {
      EXPECT_FALSE(found.error.advantage.above_zero());
      EXPECT_FALSE(found.error.unobscured_advantage.above_zero());
    }
}

TEST_P(Scenarios, FindNothingInRowsOfRandomMembersOfTheGroup) {
  const Sample sample = planted_people(3, 400, 12, 4, 0.9, ordered());
  const auto found = attack(
      sample.targets(), [&](int r) { return mixed_in_groups(sample, static_cast<unsigned>(r)); }, scenario(),
      kQuick, Key::from_seed(1));
  for (const AttackResult& result : found) {
    EXPECT_FALSE(result.error.advantage.above_zero());
    EXPECT_TRUE(result.error.unobscured_advantage.above_zero());
    EXPECT_GT(result.error.attack.mean, result.error.unobscured.mean);
  }
}

TEST_P(Scenarios, DoNotDependOnTheNumberOfThreads) {
  const Sample sample = planted_people(4, 120, 6, 3, 0.5, ordered());
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    std::vector<double> numbers;
    for (const AttackResult& found : attack_as_they_are(sample, scenario()))
      for (const Estimate& e : {found.error.attack, found.error.advantage, found.error.group_only})
        numbers.insert(numbers.end(), {e.mean, e.low, e.high});
    return numbers;
  };
  EXPECT_EQ(run(1), run(4));
}

INSTANTIATE_TEST_SUITE_P(Attack, Scenarios,
                         testing::Combine(testing::Values(Scenario::I, Scenario::II), testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == Scenario::I ? "I" : "II") +
                                  (std::get<1>(test.param) ? "Ordered" : "Categories");
                         });

// --- places

class PlaceScenarios : public testing::TestWithParam<Scenario> {};

TEST_P(PlaceScenarios, FindAPlantedPlace) {
  const Sample sample = planted_places(1, 400, 12, 4, 0.9);
  for (const AttackResult& found : attack_as_they_are(sample, GetParam())) {
    ASSERT_TRUE(found.km_error);
    EXPECT_TRUE(found.error.advantage.above_zero());
    EXPECT_TRUE(found.km_error->advantage.above_zero()) << found.km_error->advantage.low;
    EXPECT_LT(found.km_error->attack.mean, 0.6 * found.km_error->group_only.mean);
    EXPECT_LT(found.km_error->group_only.mean, found.km_error->no_information.mean);
  }
}

TEST_P(PlaceScenarios, ComeToTheVeryPlaceThatTheFeaturesTell) {
  for (const AttackResult& found : attack_as_they_are(planted_places(2, 300, 8, 4, 1), GetParam())) {
    EXPECT_EQ(found.error.attack.mean, 0);
    EXPECT_EQ(found.km_error->attack.mean, 0);
    EXPECT_GT(found.km_error->group_only.mean, 1);
  }
}

// As for FindNothingWhereNothingIsPlanted: odds below 1/40 for each of the 16 intervals.
TEST_P(PlaceScenarios, FindNothingWhereNothingIsPlanted) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const AttackResult& found : attack_as_they_are(planted_places(seed, 400, 12, 4, 0), GetParam())) {
      EXPECT_FALSE(found.km_error->advantage.above_zero());
      EXPECT_FALSE(found.km_error->unobscured_advantage.above_zero());
    }
}

TEST_P(PlaceScenarios, FindNothingInRowsOfRandomMembersOfTheGroup) {
  const Sample sample = planted_places(3, 400, 12, 4, 0.9);
  for (const AttackResult& found : attack(
           sample.targets(), [&](int r) { return mixed_in_groups(sample, static_cast<unsigned>(r)); },
           GetParam(), kQuick, Key::from_seed(1))) {
    EXPECT_FALSE(found.km_error->advantage.above_zero());
    EXPECT_TRUE(found.km_error->unobscured_advantage.above_zero());
  }
}

INSTANTIATE_TEST_SUITE_P(Attack, PlaceScenarios, testing::Values(Scenario::I, Scenario::II),
                         [](const auto& test) { return test.param == Scenario::I ? "I" : "II"; });

TEST(Attack, GroupOnlyOfPlacesIsTheNearestValueToTheKnownPeopleOfTheGroup) {
  const Sample sample = planted_places(6, 101, 12, 4, 0.5);
  const Key key = Key::from_seed(7);
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::Boosting};
  const auto found =
      attack(sample.targets(), [&](int) { return as_they_are(sample); }, Scenario::I, settings, key);
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    return std::hypot(sample.places[a].east - sample.places[b].east,
                      sample.places[a].north - sample.places[b].north);
  };
  // Tries every value that people of the group (of all: group -1) have; the mean over the best.
  const auto error_of = [&](const Split& split, int group, std::uint32_t truth) {
    double least = INFINITY, sum_of_best = 0, best = 0;
    for (std::uint32_t guess = 0; guess < 12; ++guess) {
      if (group >= 0 && guess / 4 != static_cast<std::uint32_t>(group)) continue;
      double sum = 0;
      for (const std::uint32_t u : split.known)
        if (group < 0 || sample.group_of_person[u] == static_cast<std::uint32_t>(group))
          sum += distance(guess, sample.value_of_person[u]);
      if (sum < least - 1e-9) least = sum, sum_of_best = best = 0;
      if (sum <= least + 1e-9) sum_of_best += distance(guess, truth), best += 1;
    }
    return sum_of_best / best;
  };
  double by_group = 0, by_all = 0;
  for (int r = 0; r < settings.repetitions; ++r) {
    const Split split = split_by_share(101, 0.5, key.derive("split " + std::to_string(r)));
    for (const std::uint32_t u : split.tested) {
      const double share = 1.0 / static_cast<double>(split.tested.size()) / settings.repetitions;
      by_group +=
          share * error_of(split, static_cast<int>(sample.group_of_person[u]), sample.value_of_person[u]);
      by_all += share * error_of(split, -1, sample.value_of_person[u]);
    }
  }
  ASSERT_TRUE(found[0].km_error);
  EXPECT_NEAR(found[0].km_error->group_only.mean, by_group, 1e-9);
  EXPECT_NEAR(found[0].km_error->no_information.mean, by_all, 1e-9);
}

TEST(Attack, PlacesThatDoNotFitAreRefusedAndOtherSecretsHaveNone) {
  Sample sample = planted_places(7, 60, 6, 3, 0.5);
  sample.places.pop_back();
  EXPECT_THROW((void)attack_as_they_are(sample, Scenario::I), InputError);
  sample.places.push_back({NAN, 0});
  EXPECT_THROW((void)attack_as_they_are(sample, Scenario::I), InputError);
  sample.places.clear();
  EXPECT_FALSE(attack_as_they_are(sample, Scenario::I).front().km_error);
}

// --- who knows the secrets of a part of the released people

/// A defence that adds an item that no true row has to the rows of most people of one value, and of few of
/// the other: true features say nothing, published ones do.
Publication marked(const Sample& sample, data::SparseRows& rows) {
  std::mt19937 random(8);
  for (std::uint32_t u = 0; u < sample.value_of_person.size(); ++u) {
    const auto row = sample.features[u];
    rows.items.append(row.items);
    rows.values.append(row.values);
    if (random() % 10 < (sample.value_of_person[u] == 0 ? 2 : 8)) {
      rows.items.push_back(static_cast<std::uint32_t>(sample.features.columns - 1));
      rows.values.push_back(3);
    }
    rows.end_row();
  }
  return {.rows = rows, .row_of_person = own_rows(sample.value_of_person.size())};
}

TEST(KnownPart, FindsADefenceThatRevealsMoreThanTrueFeatures) {
  Sample sample = planted_people(4, 600, 2, 2, 0, false);
  ++sample.features.columns;  // nobody has the item that marks
  data::SparseRows rows;
  rows.columns = sample.features.columns;
  const Publication published = marked(sample, rows);
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::Boosting, Attacker::Linear};
  for (const double known : {0.1, 0.9}) {
    settings.known_share = known;
    for (const AttackResult& found : attack(
             sample.targets(), [&](int) { return published; }, Scenario::KnownPart, settings,
             Key::from_seed(1))) {
      EXPECT_EQ(found.known_people, std::lround(600 * known));
      EXPECT_NEAR(found.known_share, known, 1e-12);
      ASSERT_TRUE(found.auc);
      EXPECT_TRUE(found.auc->reveals_more()) << known;
      EXPECT_GT(found.auc->attack.mean, 0.7);
      EXPECT_EQ(found.auc->no_information.mean, 0.5);
      EXPECT_LE(found.auc->attack.high, 1);
      EXPECT_TRUE(found.error.reveals_more() || known < 0.5);
    }
  }
}

TEST(KnownPart, TrueFeaturesRevealNoMoreThanThemselves) {
  const Sample sample = planted_people(1, 400, 12, 4, 0.9, true);
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::Linear};
  settings.known_share = 0.9;
  const auto found = attack_as_they_are(sample, Scenario::KnownPart, settings);
  EXPECT_TRUE(found[0].error.advantage.above_zero());
  EXPECT_FALSE(found[0].error.reveals_more());
  EXPECT_EQ(found[0].error.over_unobscured.mean, 0);
}

// --- controls against their definition

TEST(Attack, GroupOnlyIsTheMedianOfTheKnownPeopleOfTheGroup) {
  const Sample sample = planted_people(5, 101, 12, 4, 0.5, true);
  const Key key = Key::from_seed(7);
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::Boosting};
  const auto found =
      attack(sample.targets(), [&](int) { return as_they_are(sample); }, Scenario::I, settings, key);

  std::vector<double> by_group, by_all;
  std::vector<TrialFigure> by_person;
  for (int r = 0; r < settings.repetitions; ++r) {
    const Split split = split_by_share(101, 0.5, key.derive("split " + std::to_string(r)));
    ASSERT_EQ(split.known.size(), 51U);
    std::map<int, std::vector<double>> known;  // -1: all
    for (const std::uint32_t u : split.known)
      for (const int group : {-1, static_cast<int>(sample.group_of_person[u])})
        known[group].push_back(sample.numbers[sample.value_of_person[u]]);
    const auto median = [](std::vector<double> x) {
      std::sort(x.begin(), x.end());
      return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
    };
    double group_error = 0, all_error = 0;
    std::vector<double> of_person;
    for (const std::uint32_t u : split.tested) {
      const double truth = sample.numbers[sample.value_of_person[u]];
      of_person.push_back(std::abs(median(known[static_cast<int>(sample.group_of_person[u])]) - truth));
      group_error += of_person.back();
      all_error += std::abs(median(known[-1]) - truth);
    }
    by_group.push_back(group_error / 50);
    by_all.push_back(all_error / 50);
    by_person.push_back(mean_figure(split.tested, of_person));
  }
  EXPECT_NEAR(found[0].error.group_only.mean, estimate(by_group).mean, 1e-12);
  EXPECT_NEAR(found[0].error.group_only.high, estimate(over_people(by_person), kError).high, 1e-12);
  EXPECT_NEAR(found[0].error.no_information.mean, estimate(by_all).mean, 1e-12);
  EXPECT_NEAR(found[0].error.advantage.mean, found[0].error.group_only.mean - found[0].error.attack.mean,
              1e-12);
}

TEST(Attack, AGuessAmongTiesIsCountedByItsOdds) {
  // One group of four values, equally frequent among the known: the first guess misses 3 of 4, and there is
  // no fifth guess to make.
  Sample sample = planted_people(6, 80, 8, 4, 0, false);
  for (std::uint32_t u = 0; u < 80; ++u) {
    sample.value_of_person[u] = u % 8;
    sample.group_of_person[u] = u % 8 / 4;
  }
  const AttackTargets targets = sample.targets();
  const GroupValues groups(targets);
  std::vector<std::uint32_t> known(40), tested(40);
  for (std::uint32_t u = 0; u < 40; ++u) {
    known[u] = u;
    tested[u] = u + 40;
  }
  const GroupGuess guess(targets, groups, known);
  EXPECT_THAT(guess.errors(tested).first, testing::Each(testing::DoubleEq(0.75)));
  EXPECT_THAT(guess.errors(tested).fifth, testing::Each(0));
  EXPECT_THAT(guess.errors_without_group(tested).first, testing::Each(testing::DoubleEq(7.0 / 8)));
  EXPECT_THAT(guess.errors_without_group(tested).fifth, testing::Each(testing::DoubleEq(3.0 / 8)));
}

TEST(Attack, TopFiveIsMeasuredWhereAGroupHasMoreValues) {
  const Sample wide = planted_people(7, 300, 20, 10, 0.9, false);
  const AttackResult found = attack_as_they_are(wide, Scenario::I)[0];
  ASSERT_TRUE(found.top5_error.has_value());
  EXPECT_LT(found.top5_error->attack.mean, found.error.attack.mean);
  EXPECT_NEAR(found.top5_error->group_only.mean, 0.5, 0.1);  // five of ten, about equally frequent
  EXPECT_FALSE(
      attack_as_they_are(planted_people(7, 300, 20, 5, 0.9, false), Scenario::I)[0].top5_error.has_value());
}

TEST(Attack, KeptCellsAreKnownToAttackerAndControl) {
  // The kept cell reveals the value: the control knows it already, so features give no advantage.
  Sample sample = planted_people(8, 300, 6, 3, 0.9, true);
  sample.kept_combinations = 3;
  for (const std::uint32_t value : sample.value_of_person) sample.kept_of_person.push_back(value % 3);
  for (const AttackResult& found : attack_as_they_are(sample, Scenario::I)) {
    EXPECT_EQ(found.error.group_only.mean, 0);
    EXPECT_LT(found.error.attack.mean, 0.2);  // a fifth of what the group alone leaves
    EXPECT_FALSE(found.error.advantage.above_zero());
  }
}

TEST(Attack, ANumberOutsideTheRangeOfTheGroupIsNeverGuessed) {
  const Sample sample = planted_people(9, 100, 12, 4, 0.5, true);
  const AttackTargets targets = sample.targets();
  const GroupValues groups(targets);
  EXPECT_EQ(groups.into_range(1, 3), 24);
  EXPECT_EQ(groups.into_range(1, 99), 27);
  EXPECT_EQ(groups.into_range(1, 25.5), 25.5);
}

TEST(Attack, GroupsEnterAsNumbersThatAscendWithTheSecret) {
  Sample sample = planted_people(10, 60, 6, 2, 0, true);
  for (auto& group : sample.group_of_person) group = (group + 1) % 3;  // names of groups do not matter
  const AttackTargets targets = sample.targets();
  const GroupValues groups(targets);
  EXPECT_LT(groups.rank(1), groups.rank(2));
  EXPECT_LT(groups.rank(2), groups.rank(0));
  const std::vector<std::uint32_t> own = own_rows(60), people = {3};
  const auto rows = seen_rows(targets, groups, {.rows = &sample.features, .row_of_person = own}, people);
  EXPECT_EQ(rows.columns, sample.features.columns + 1);
  EXPECT_EQ(rows[0].items.back(), sample.features.columns);
  EXPECT_EQ(rows[0].values.back(), groups.rank(sample.group_of_person[3]));
}

TEST(Attack, FoldsTestEverybodyOnce) {
  std::vector<int> times(23, 0);
  for (const Split& split : split_by_folds(23, 4, Key::from_seed(1))) {
    EXPECT_EQ(split.known.size() + split.tested.size(), 23U);
    for (const std::uint32_t u : split.tested) {
      times[u] += 1;
      EXPECT_FALSE(std::binary_search(split.known.begin(), split.known.end(), u));
    }
  }
  EXPECT_THAT(times, testing::Each(1));
}

TEST(Attack, OfManyPeopleSomeAreDrawnForEachRepetition) {
  std::vector<int> drawn(200, 0);
  for (int r = 0; r < 400; ++r)
    for (const std::uint32_t u : drawn_people(200, 50, Key::from_seed(12).derive(std::to_string(r))))
      ++drawn[u];
  // Binomial(400, 1/4): five deviations off for none of 200 people but once in 10,000 runs of other keys.
  EXPECT_THAT(drawn, testing::Each(testing::AllOf(testing::Gt(100 - 44), testing::Lt(100 + 44))));
  EXPECT_EQ(drawn_people(50, 50, Key::from_seed(1)), own_rows(50));
  const std::vector<std::uint32_t> three = {4, 7, 9};
  EXPECT_THAT(among(three, {.known = {0, 2}, .tested = {1}}).known, testing::ElementsAre(4, 9));
}

TEST(Attack, ASampleOfThePeopleFindsWhatLeaksAndSaysHowManyItKnew) {
  const Sample leaking = planted_people(11, 900, 12, 4, 1, true);
  AttackSettings settings = kQuick;
  settings.most_people = 300;
  for (const Scenario scenario : {Scenario::I, Scenario::II})
    for (const AttackResult& found : attack_as_they_are(leaking, scenario, settings)) {
      EXPECT_EQ(found.known_people + found.tested_people, 300U);
      const bool doubts = scenario == Scenario::I &&
                          (found.attacker == Attacker::Boosting || found.attacker == Attacker::Linear);
      EXPECT_GT(found.error.advantage.low, doubts ? 0.2 : 0.5);
    }
  settings.most_people = kFewestPeople - 1;
  EXPECT_THROW((void)attack_as_they_are(leaking, Scenario::I, settings), InputError);
}

TEST(Attack, OneRepetitionHasAnInterval) {
  AttackSettings settings = kQuick;
  settings.repetitions = 1;
  const Sample sample = planted_people(11, 300, 12, 4, 0.9, true);
  for (const Scenario scenario : {Scenario::I, Scenario::II})
    for (const AttackResult& found : attack_as_they_are(sample, scenario, settings)) {
      EXPECT_TRUE(found.error.advantage.above_zero());
      EXPECT_LT(found.error.attack.low, found.error.attack.mean);
    }
}

// --- power

/// Everybody has the row of a random member of the group, but for a share of the people who have their own.
Publication some_own_rows(const Sample& sample, unsigned seed, double share) {
  Publication published = mixed_in_groups(sample, seed);
  std::mt19937 random(seed + 1000);
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::uint32_t u = 0; u < published.row_of_person.size(); ++u)
    if (unit(random) < share) published.row_of_person[u] = u;
  return published;
}

AttackErrors errors_with(const Sample& sample, unsigned seed, double share, Scenario scenario) {
  AttackSettings settings = kQuick;
  settings.attackers = {Attacker::Linear};
  settings.repetitions = 2;
  return attack(
             sample.targets(),
             [&](int r) { return some_own_rows(sample, 2 * seed + static_cast<unsigned>(r), share); },
             scenario, settings, Key::from_seed(seed))
      .front()
      .error;
}

// Other people are drawn, published with so many own rows that the attack gains its power on average, and
// attacked: nine of ten are found. Of 60, 54 with a deviation of 2.3; the power is that of one sample and so
// deviates too: at least 44, and not all of them at a third of the share.
// The gain of scenario I is a line in the share: half of what the row says counts, on own rows and others.
TEST(Power, OfAnAttackIsWhatItFindsNineTimesOfTen) {
  const auto people = [](unsigned seed) { return planted_people(seed, 400, 12, 4, 0.9, true); };
  std::optional<AttackErrors> silent;
  unsigned silent_seed = 1;
  for (; !silent || silent->advantage.above_zero(); ++silent_seed)
    silent = errors_with(people(silent_seed), silent_seed, 0, Scenario::I);
  ASSERT_TRUE(silent->power);
  const double nothing = silent->advantage.mean;
  const double all = errors_with(people(silent_seed - 1), silent_seed - 1, 1, Scenario::I).advantage.mean;
  const double share = (*silent->power - nothing) / (all - nothing);
  ASSERT_GT(share, 0);
  ASSERT_LT(share, 1);
  int found = 0, found_of_less = 0;
  for (unsigned seed = 100; seed < 160; ++seed) {
    found += errors_with(people(seed), seed, share, Scenario::I).advantage.above_zero() ? 1 : 0;
    found_of_less += errors_with(people(seed), seed, share / 3, Scenario::I).advantage.above_zero() ? 1 : 0;
  }
  EXPECT_GE(found, 44);
  EXPECT_LT(found_of_less, found);
}

// In scenario II: the share of people with their own rows, among those of a ladder, from which on nine of ten
// are found gains about the power or less. Of 30, 27 with a deviation of 1.6: at least 21.
TEST(Power, OfScenarioIICountsThatLittleLeaksTeachLittle) {
  const auto people = [](unsigned seed) { return planted_people(seed, 400, 12, 4, 0.9, true); };
  const AttackErrors silent = errors_with(people(1), 1, 0, Scenario::II);
  ASSERT_TRUE(silent.power);
  for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}) {
    int found = 0;
    double gain = 0;
    for (unsigned seed = 200; seed < 230; ++seed) {
      const AttackErrors errors = errors_with(people(seed), seed, share, Scenario::II);
      found += errors.advantage.above_zero() ? 1 : 0;
      gain += errors.advantage.mean / 30;
    }
    if (gain < *silent.power) continue;
    EXPECT_GE(found, 21) << share;
    return;
  }
  FAIL() << "no share gains the power";
}

// --- what cannot be attacked

TEST(Attack, EveryRepetitionAttacksItsOwnPublication) {
  const Sample sample = planted_people(12, 60, 6, 3, 0.5, true);
  std::vector<int> asked;
  (void)attack(
      sample.targets(),
      [&](int r) {
        asked.push_back(r);
        return as_they_are(sample);
      },
      Scenario::I, kQuick, Key::from_seed(1));
  EXPECT_THAT(asked, testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(Attack, GroupsOfOnePersonAndRareValuesGiveFiniteFigures) {
  for (const bool ordered : {true, false}) {
    Sample sample = planted_people(13, 40, 8, 4, 0.5, ordered);
    sample.values = 9;
    sample.groups = 3;
    if (ordered) sample.numbers.push_back(99);
    sample.value_of_person[5] = 8;  // the only one of value and group
    sample.group_of_person[5] = 2;
    for (const Scenario scenario : {Scenario::I, Scenario::II})
      for (const AttackResult& found : attack_as_they_are(sample, scenario))
        for (const Estimate& e :
             {found.error.attack, found.error.unobscured, found.error.group_only, found.error.no_information,
              found.error.advantage, found.error.unobscured_advantage})
          EXPECT_TRUE(std::isfinite(e.mean) && std::isfinite(e.low) && std::isfinite(e.high));
  }
}

TEST(Attack, RefusesWhatCannotBeAttackedAndSaysWhy) {
  const auto message = [](const Sample& sample, const AttackSettings& settings = kQuick) -> std::string {
    try {
      (void)attack_as_they_are(sample, Scenario::I, settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(planted_people(1, 19, 4, 2, 0, true)), testing::HasSubstr("too few to attack"));
  Sample constant = planted_people(1, 50, 4, 2, 0, true);
  std::fill(constant.value_of_person.begin(), constant.value_of_person.end(), 1U);
  EXPECT_THAT(message(constant), testing::HasSubstr("nothing to infer"));
  const Sample good = planted_people(1, 50, 4, 2, 0, true);
  EXPECT_THAT(message(good, {.known_share = 0.999}), testing::HasSubstr("known_share"));
  EXPECT_THAT(message(good, {.known_share = NAN}), testing::HasSubstr("known_share"));
  EXPECT_THAT(message(good, {.folds = 1}), testing::HasSubstr("folds"));
  EXPECT_THAT(message(good, {.repetitions = 0}), testing::HasSubstr("repetitions"));
  EXPECT_THAT(message(good, {.attackers = {}}), testing::HasSubstr("attackers"));
}

TEST(Attack, RefusesAReleaseOfOtherPeople) {
  const Sample sample = planted_people(1, 50, 4, 2, 0, true), other = planted_people(2, 50, 4, 3, 0, true);
  const auto attack_on = [&](const Publication& published) {
    (void)attack(sample.targets(), [&](int) { return published; }, Scenario::II, kQuick, Key::from_seed(1));
  };
  EXPECT_THROW(attack_on({.rows = sample.features, .row_of_person = own_rows(49)}), InputError);
  EXPECT_THROW(attack_on({.rows = sample.features, .row_of_person = std::vector<std::uint32_t>(50, 50)}),
               InputError);
  EXPECT_THROW(attack_on({.rows = other.features, .row_of_person = own_rows(50)}), InputError);
}

TEST(Attack, StopsWhenAsked) {
  const Sample sample = planted_people(1, 50, 4, 2, 0, true);
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)attack(
                   sample.targets(), [&](int) { return as_they_are(sample); }, Scenario::I, kQuick,
                   Key::from_seed(1), Progress({}, &stop)),
               Stopped);
}

}  // namespace
}  // namespace hyobscure::audit
