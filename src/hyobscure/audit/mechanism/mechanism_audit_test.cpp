#include "hyobscure/audit/mechanism/mechanism_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <numeric>

#include "hyobscure/audit/mechanism/informed_attack.h"
#include "hyobscure/audit/mechanism/redraw.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/release/publish.h"

namespace hyobscure::audit {
namespace {

/// Synthetic people whose features reveal their age, and a mechanism for them.
class AuditTest : public testing::Test {
 protected:
  struct Loaded {
    TestFolder folder;
    data::People people;
    Loaded() {
      data::synthesise({.people = 240, .dependence = 0.9, .items = 60, .entries = 20}, folder / "d", false);
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
                                         {"method.name", "xobf"},
                                         {"channel.clusters", "4"},
                                         {"channel.budget_share", "0.5"},
                                         {"release.ids", "keep"},
                                         {"audit.releases", "2"},
                                         {"audit.attackers", "[\"boosting\"]"}});
    return data::read_spec(loaded().folder / "d" / "spec.toml", overrides);
  }
};

TEST_F(AuditTest, FirstDrawIsTheReleaseAndTheOthersAreTheirOwn) {
  const obscure::Mechanism mechanism = obscure::fit(people(), spec());
  const Redraw redraw(mechanism, people());
  EXPECT_EQ(redraw.donors(0), redraw.donors(0));
  EXPECT_NE(redraw.donors(0), redraw.donors(1));
  EXPECT_NE(redraw.donors(1), redraw.donors(2));
  EXPECT_EQ(redraw.donors(2), Redraw(mechanism, people()).donors(2));
}

TEST_F(AuditTest, HasEveryAttackOfTheSpecAndNobodyBeatsTheInformedAttacker) {
  const obscure::Mechanism mechanism = obscure::fit(people(), spec());
  const Audit audit = audit_mechanism(people(), spec(), mechanism, {});
  ASSERT_EQ(audit.attacks.size(), 4u);
  ASSERT_TRUE(audit.informed);
  for (const audit::AttackResult& attack : audit.attacks) {
    // A trained attacker's mean over few draws may lie below the informed one's expectation by its interval.
    EXPECT_GT(attack.error.attack.high, audit.informed->error);
    EXPECT_LT(attack.error.group_only.mean, attack.error.no_information.mean);
  }
  ASSERT_FALSE(audit.repeated.empty());
  EXPECT_LE(audit.repeated.back().error.mean, audit.repeated.front().error.mean + 1e-9);
}

/// The same people where every age is a place of its own: a road of cells, 2 km each, that turns back on
/// itself.
data::People on_a_road(const data::People& people) {
  data::SecretSpace space{.axes = {{"home", data::AxisKind::Spatial, {}}},
                          .grid = data::Grid{.cell_km = 2},
                          .hierarchy = {},
                          .points = {},
                          .value_of_point = {}};
  for (std::uint32_t v = 0; v < people.values.size(); ++v) {
    const auto n = static_cast<std::int32_t>(v);
    space.axes[0].values.push_back({.cell = {.row = n / 6, .column = n / 6 % 2 == 0 ? n % 6 : 5 - n % 6}});
    space.points.push_back({v});
    space.value_of_point.push_back(v);
  }
  data::People result = people;
  result.space = space;
  return result;
}

TEST_F(AuditTest, PlacesAreAuditedByWrongGuessesAndKilometres) {
  const obscure::Mechanism mechanism = obscure::fit(people(), spec());
  const data::People homes = on_a_road(people());
  const Audit audit = audit_mechanism(homes, spec(), mechanism, {});
  EXPECT_FALSE(audit.ordered);
  ASSERT_EQ(audit.attacks.size(), 4u);
  for (const audit::AttackResult& attack : audit.attacks) {
    EXPECT_GT(attack.error.attack.mean, 0);
    EXPECT_LE(attack.error.attack.mean, 1);
    ASSERT_TRUE(attack.km_error);
    EXPECT_LT(attack.km_error->group_only.mean, attack.km_error->no_information.mean);
    EXPECT_GT(attack.km_error->attack.high, audit.informed->km);
  }
  // Cells are 2 km wide: a wrong guess is at least that far off.
  EXPECT_GE(audit.informed->km, 2 * audit.informed->error - 1e-9);
  EXPECT_LT(audit.informed->km, audit.informed->group_only_km);
  ASSERT_FALSE(audit.repeated.empty());
  for (const audit::RepeatedErrors& repeated : audit.repeated) ASSERT_TRUE(repeated.km);
  EXPECT_LE(audit.repeated.back().km->mean, audit.repeated.front().km->mean + 1e-9);
}

TEST_F(AuditTest, PlaceThatOwnRowsTellIsFoundExactly) {
  obscure::Mechanism mechanism = obscure::fit(people(), spec());
  for (obscure::Channel& channel : mechanism.channels) channel.retain = 1;
  const Audit audit = audit_mechanism(on_a_road(people()), spec({{"audit.scenarios", "[]"}}), mechanism, {});
  ASSERT_TRUE(audit.informed);
  EXPECT_NEAR(audit.informed->error, 0, 1e-12);
  EXPECT_NEAR(audit.informed->km, 0, 1e-9);
  EXPECT_GT(audit.informed->group_only_km, 1);
}

TEST_F(AuditTest, InformedAttackerKnowsEverythingWhereOwnRowsArePublished) {
  obscure::Mechanism mechanism = obscure::fit(people(), spec());
  for (obscure::Channel& channel : mechanism.channels) channel.retain = 1;
  const Redraw redraw(mechanism, people());
  const obscure::Signals signals(mechanism, people(), redraw.cluster_of_person());
  std::vector<double> numbers;
  for (const auto& value : people().values) numbers.push_back(value.centre);
  const auto errors = audit::informed_attack(signal_tables(signals, people()), numbers);
  EXPECT_NEAR(errors.error, 0, 1e-12);
  EXPECT_GT(errors.group_only, 1);
}

TEST_F(AuditTest, TablesOfSignalsAreTheJointDistribution) {
  const obscure::Mechanism mechanism = obscure::fit(people(), spec({{"method.name", "fine"}}));
  const Redraw redraw(mechanism, people());
  const obscure::Signals signals(mechanism, people(), redraw.cluster_of_person());
  double all = 0, left = 0;
  for (const audit::SignalTable& table : signal_tables(signals, people())) {
    all += table.joint.sum();
    for (Eigen::Index s = 0; s < table.joint.rows(); ++s)
      for (decltype(table.joint)::InnerIterator of_value(table.joint, s); of_value; ++of_value)
        left -= of_value.value() * std::log2(of_value.value() / table.joint.row(s).sum());
  }
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_NEAR(mechanism.figures.leakage.secret_entropy - left, mechanism.figures.leakage.total, 1e-9);
}

// Balanced: every row is published once in expectation, so the sum of every feature over a group is unbiased.
TEST_F(AuditTest, ManyBalancedReleasesHaveTheSumsOfTheTruth) {
  const obscure::Mechanism mechanism = obscure::fit(people(), spec({{"method.name", "fine"}}));
  ASSERT_TRUE(mechanism.balanced);
  const Redraw redraw(mechanism, people());
  constexpr int kDraws = 400;
  const auto groups = static_cast<Eigen::Index>(mechanism.groups.size());
  const auto items = static_cast<Eigen::Index>(people().features.columns);
  const auto sums = [&](const std::vector<std::uint32_t>& donors) {
    Eigen::MatrixXd total = Eigen::MatrixXd::Zero(groups, items);
    for (std::size_t u = 0; u < donors.size(); ++u) {
      const auto row = people().features[donors[u]];
      const auto group = static_cast<Eigen::Index>(mechanism.group_of_value(people().secrets[u]));
      for (std::size_t i = 0; i < row.items.size(); ++i) total(group, row.items[i]) += row.values[i];
    }
    return total;
  };
  std::vector<std::uint32_t> own(people().size());
  std::iota(own.begin(), own.end(), 0u);
  const Eigen::MatrixXd truth = sums(own);
  Eigen::ArrayXXd mean = Eigen::ArrayXXd::Zero(groups, items), squares = mean;
  for (int r = 1; r <= kDraws; ++r) {
    const Eigen::ArrayXXd off = (sums(redraw.donors(r)) - truth).array();
    mean += off / kDraws;
    squares += off.square() / kDraws;
  }
  const Eigen::ArrayXXd deviation = ((squares - mean.square()).max(0) / kDraws).sqrt();
  // 240 sums, five deviations each: a false alarm in 7,000 runs, were the draws not seeded.
  EXPECT_LE((mean.abs() - 5 * deviation).maxCoeff(), 1e-9);
  EXPECT_GT(deviation.maxCoeff(), 0);
}

TEST_F(AuditTest, FilesOfAReleaseGiveTheDonorsBack) {
  const data::Spec terms = spec({{"audit.scenarios", "[\"I\"]"}, {"audit.releases", "1"}});
  const obscure::Mechanism mechanism = obscure::fit(people(), terms);
  const TestFolder out;
  data::Engine engine({.folder = terms.folder}, {});
  const data::Reading reading = data::read_people(engine, terms);
  (void)release::publish(engine, terms, reading, mechanism, {.output = out / "r"});
  const Audit from_files = audit_release({engine, terms, reading}, out / "r", {});
  const Audit from_mechanism = audit_mechanism(people(), terms, mechanism, {});
  ASSERT_EQ(from_files.attacks.size(), 1u);
  EXPECT_FALSE(from_files.informed);
  // The first draw is the release, so both saw the same rows and splits.
  EXPECT_EQ(from_files.attacks[0].error.attack.mean, from_mechanism.attacks[0].error.attack.mean);
}

TEST_F(AuditTest, ReleaseOfOtherDataOrWithoutIdsIsRefused) {
  const data::Spec terms = spec({{"release.ids", "replace"}});
  const obscure::Mechanism mechanism = obscure::fit(people(), terms);
  const TestFolder out;
  data::Engine engine({.folder = terms.folder}, {});
  const data::Reading reading = data::read_people(engine, terms);
  (void)release::publish(engine, terms, reading, mechanism, {.output = out / "replaced"});
  EXPECT_THROW((void)audit_release({engine, terms, reading}, out / "replaced", {}), InputError);
  (void)release::publish(engine, spec(), reading, mechanism, {.output = out / "edited"});
  std::ofstream(out / "edited" / "people.csv", std::ios::app) << "stranger,18-20\n";
  const data::Spec kept = spec();
  EXPECT_THROW((void)audit_release({engine, kept, reading}, out / "edited", {}), InputError);
  EXPECT_THROW((void)audit_release({engine, kept, reading}, out / "none", {}), InputError);
}

TEST_F(AuditTest, ShadowAttackerFitsTheSameMethodToPeopleOfHisOwn) {
  // Random donors need no budget that half of the people might miss.
  const data::Spec terms =
      spec({{"audit.shadow", "1"}, {"audit.scenarios", "[]"}, {"method.name", "random"}});
  const Audit audit = audit_mechanism(people(), terms, obscure::fit(people(), terms), {});
  ASSERT_EQ(audit.attacks.size(), 1u);
  EXPECT_EQ(audit.attacks[0].scenario, audit::Scenario::Shadow);
  EXPECT_TRUE(audit.notes.empty());
}

TEST_F(AuditTest, ShadowAttackerOfPlacesHasTheAreasOfTheRelease) {
  const data::Spec terms =
      spec({{"audit.shadow", "1"}, {"audit.scenarios", "[]"}, {"method.name", "random"}});
  const obscure::Mechanism mechanism = obscure::fit(people(), terms);
  const Audit audit = audit_mechanism(on_a_road(people()), terms, mechanism, {});
  EXPECT_THAT(audit.notes, testing::IsEmpty());
  ASSERT_EQ(audit.attacks.size(), 1u);
  EXPECT_EQ(audit.attacks[0].scenario, audit::Scenario::Shadow);
  EXPECT_TRUE(audit.attacks[0].km_error);
}

std::vector<double> numbers_of(const Audit& audit) {
  std::vector<double> numbers = {static_cast<double>(audit.repetitions)};
  const auto add = [&](const audit::Estimate& e) { numbers.insert(numbers.end(), {e.mean, e.low, e.high}); };
  for (const audit::AttackResult& attack : audit.attacks) {
    add(attack.error.attack);
    add(attack.error.advantage);
    numbers.push_back(attack.error.power.value_or(-1));
  }
  for (const audit::UtilityResult& use : audit.utilities)
    if (use.measurable()) add(use.figures->loss);
  for (const audit::RepeatedErrors& repeated : audit.repeated) add(repeated.error);
  return numbers;
}

TEST_F(AuditTest, StoppedAnywhereItGoesOnToTheSameFigures) {
  const data::Spec terms = spec({{"audit.releases", "3"}, {"audit.attackers", "[\"boosting\",\"linear\"]"}});
  const obscure::Mechanism mechanism = obscure::fit(people(), terms);
  const std::vector<double> whole = numbers_of(audit_mechanism(people(), terms, mechanism, {}));
  const TestFolder folder;
  int stops = 0;
  for (int after = 1;; ++after) {  // every run is stopped a little later than the one before
    std::atomic<bool> stop{false};
    int told = 0;
    const Progress progress([&](std::string_view, double, double) { stop = ++told > 3 * after; }, &stop);
    try {
      const Audit found = audit_mechanism(people(), terms, mechanism, {}, progress, {}, folder / "kept");
      EXPECT_EQ(numbers_of(found), whole);
      break;
    } catch (const Stopped&) {
      ASSERT_LT(++stops, 100);
    }
  }
  EXPECT_GT(stops, 1);
}

TEST_F(AuditTest, MoreRepetitionsTakeTheFirstOnesFromTheFile) {
  const TestFolder folder;
  const obscure::Mechanism mechanism = obscure::fit(people(), spec());
  const auto with = [&](const std::string& releases, const std::filesystem::path& kept) {
    return numbers_of(
        audit_mechanism(people(), spec({{"audit.releases", releases}}), mechanism, {}, {}, {}, kept));
  };
  (void)with("2", folder / "kept");
  EXPECT_EQ(with("4", folder / "kept"), with("4", {}));
}

TEST_F(AuditTest, OutcomesOfAnotherMechanismOrSettingAreRefused) {
  const TestFolder folder;
  const obscure::Mechanism mechanism = obscure::fit(people(), spec());
  const auto run = [&](const obscure::Mechanism& made, std::vector<data::Override> changed) {
    (void)audit_mechanism(people(), spec(std::move(changed)), made, {}, {}, {}, folder / "kept");
  };
  run(mechanism, {});
  EXPECT_NO_THROW(run(mechanism, {{"audit.releases", "1"}}));
  EXPECT_THROW(run(mechanism, {{"audit.known", "0.4"}}), InputError);
  EXPECT_THROW(run(mechanism, {{"audit.folds", "3"}}), InputError);
  obscure::Mechanism other = mechanism;
  other.key = Key::from_seed(99);  // the same channels, other draws
  EXPECT_THROW(run(other, {}), InputError);
}

TEST_F(AuditTest, MinutesAreUsedForMoreRepetitions) {
  const data::Spec terms =
      spec({{"audit.releases", "1"}, {"audit.minutes", "0.02"}, {"audit.scenarios", "[\"I\"]"}});
  const obscure::Mechanism mechanism = obscure::fit(people(), terms);
  const Stopwatch watch;
  const Audit found = audit_mechanism(people(), terms, mechanism, {});
  if (watch.seconds() < 1.0) {
    EXPECT_GT(found.repetitions, 1);
  }
  // as many repetitions, asked for at once, give the same
  EXPECT_EQ(numbers_of(found),
            numbers_of(audit_mechanism(
                people(),
                spec({{"audit.releases", std::to_string(found.repetitions)}, {"audit.scenarios", "[\"I\"]"}}),
                mechanism, {})));
}

// Everybody publishes the own row, which tells the age: the stronger of the default attackers gains. With
// random donors of the group nobody does; that the lower end of a 95 % interval lies above 0 all the same has
// odds of 1/40 for each of the four.
TEST_F(AuditTest, LeaksByConstructionAreFoundAndNoOthers) {
  for (const std::string scenario : {"I", "II"}) {
    const data::Spec terms = spec({{"method.name", "random"},
                                   {"audit.releases", "3"},
                                   {"audit.scenarios", "[\"" + scenario + "\"]"},
                                   {"audit.attackers", "[\"boosting\",\"linear\"]"}});
    obscure::Mechanism mechanism = obscure::fit(people(), terms);
    const auto attacks = [&](double retain) {
      for (obscure::Channel& channel : mechanism.channels) channel.retain = retain;
      return audit_mechanism(people(), terms, mechanism, {}).attacks;
    };
    bool any = false;
    for (const audit::AttackResult& attack : attacks(1)) any = any || attack.error.advantage.above_zero();
    EXPECT_TRUE(any) << scenario;
    bool any_power = false;
    for (const audit::AttackResult& attack : attacks(0)) {
      EXPECT_FALSE(attack.error.advantage.above_zero()) << scenario;
      if (!attack.error.power) continue;
      any_power = true;
      EXPECT_GT(*attack.error.power, 0);
      EXPECT_LE(*attack.error.power, attack.error.unobscured_advantage.high);
    }
    // 120 people are few for an attacker who trusts rows by half.
    if (scenario == "II") {
      EXPECT_TRUE(any_power);
    }
  }
}

}  // namespace
}  // namespace hyobscure::audit
