#include "hyobscure/obscure/leakage/lift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/leakage/test_draws.h"

namespace hyobscure::obscure {
namespace {

constexpr std::uint32_t kExamplePeople = 40;

/// From P(v | u) of everybody and the definition alone.
class ByTable {
 public:
  ByTable(const Example& example, const Eigen::MatrixXd& drawn) : example_(example), drawn_(drawn) {}

  /// Of those who share the stratum, or of all.
  double people(std::uint32_t stratum, std::uint32_t value, bool any_stratum = false,
                bool any_value = false) const {
    double sum = 0;
    for (std::uint32_t u = 0; u < kExamplePeople; ++u)
      if ((any_stratum || stratum_of(u) == stratum) && (any_value || value_of(u) == value)) sum += 1;
    return sum;
  }
  double share(std::uint32_t stratum, std::uint32_t value) const {
    return people(stratum, value) / people(stratum, value, false, true);
  }
  /// P(value | v, stratum) / P(value | stratum); NaN: v is not published there.
  double lift(std::uint32_t stratum, std::uint32_t value, std::uint32_t v) const {
    double of_value = 0, of_all = 0;
    for (std::uint32_t u = 0; u < kExamplePeople; ++u)
      if (stratum_of(u) == stratum) {
        of_all += drawn_(u, v);
        if (value_of(u) == value) of_value += drawn_(u, v);
      }
    return of_all > 0 ? of_value / of_all / share(stratum, value) : kUnset;
  }
  std::pair<double, double> range(std::uint32_t stratum, std::uint32_t value) const {
    double highest = 0, lowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t v = 0; v < kExamplePeople; ++v)
      if (const double x = lift(stratum, value, v); !std::isnan(x)) {
        highest = std::max(highest, x);
        lowest = std::min(lowest, x);
      }
    return {lowest, highest};
  }
  OwnLift own(std::uint32_t u) const {
    const std::uint32_t s = stratum_of(u), y = value_of(u);
    OwnLift own{.by_group = share(s, y) / (people(s, y, true) / kExamplePeople), .expected = 0, .largest = 0};
    for (std::uint32_t v = 0; v < kExamplePeople; ++v)
      if (drawn_(u, v) > 0) {
        own.expected += drawn_(u, v) * lift(s, y, v);
        own.largest = std::max(own.largest, lift(s, y, v));
      }
    return own;
  }

  std::uint32_t stratum_of(std::uint32_t u) const { return example_.strata.pool_of_person[u]; }
  std::uint32_t value_of(std::uint32_t u) const { return example_.people.secrets[u]; }

 private:
  const Example& example_;
  const Eigen::MatrixXd& drawn_;
};

/// The strata counted: every value a column, with or without people.
std::vector<CountedStratum> counted_strata(const Example& example, const std::vector<Channel>& channels,
                                           bool within) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t v = 0; v < 9; ++v) values.push_back(v);
  std::vector<CountedStratum> strata;
  for (std::size_t s = 0; s < example.strata.size(); ++s) {
    strata.push_back({Eigen::MatrixXd::Zero(kClusters, 9), Eigen::VectorXd::Zero(kClusters),
                      channels[within ? s : 0], values});
    for (std::uint32_t u = 0; u < kExamplePeople; ++u) {
      const bool member = example.strata.pool_of_person[u] == s;
      if (member) strata.back().counts(example.cluster_of_person[u], example.people.secrets[u]) += 1;
      if (member || !within) strata.back().pool[example.cluster_of_person[u]] += 1;
    }
  }
  return strata;
}

void expect_as_by_table(const Example& example, const Lifts& lifts, const Eigen::MatrixXd& drawn,
                        double room) {
  const ByTable table(example, drawn);
  double values = 0;
  for (const ValueLift& value : lifts.values) {
    const auto [lowest, highest] = table.range(value.stratum, value.value);
    EXPECT_EQ(value.people, table.people(value.stratum, value.value));
    EXPECT_NEAR(value.highest, highest, room) << value.stratum << " " << value.value;
    EXPECT_NEAR(value.lowest, lowest, room) << value.stratum << " " << value.value;
    values += value.people;
  }
  EXPECT_EQ(values, kExamplePeople) << "every value with people";
  ASSERT_EQ(lifts.own.size(), kExamplePeople);
  double largest = 0;
  for (std::uint32_t u = 0; u < kExamplePeople; ++u) {
    const OwnLift own = table.own(u);
    EXPECT_NEAR(lifts.own[u].by_group, own.by_group, room);
    EXPECT_NEAR(lifts.own[u].expected, own.expected, room) << u;
    EXPECT_NEAR(lifts.own[u].largest, own.largest, room) << u;
    largest = std::max(largest, own.largest);
  }
  const LiftFigures figures = figures_of(lifts);
  EXPECT_NEAR(figures.own_largest, largest, room);
  EXPECT_NEAR(figures.highest, largest, room)
      << "whoever raises a value most is published for somebody of it";
}

TEST(Lift, EveryKindOfDrawIsWhatThePersonByPersonTableSays) {
  const Example example;
  for (const bool within : {true, false})
    for (const double retain : {0.0, 0.25, 1.0})
      for (const int kind : {0, 1, 2, 3}) {
        SCOPED_TRACE(fmt::format("within {} retain {} kind {}", within, retain, kind));
        const auto channels =
            channels_of_kind(example, within ? example.strata : example.everyone, kind, retain);
        const Eigen::MatrixXd drawn = donor_matrix(example, within, channels);
        // distances of near donors are kept with 24 bits
        expect_as_by_table(example, lifts_of(example.input(within, channels)), drawn,
                           kind < 2 ? 1e-11 : 2e-5);
      }
}

TEST(Lift, PeoplesOwnListsAreWhatTheTableSays) {
  const Example example;
  for (const bool within : {true, false})
    for (const double retain : {0.0, 0.25}) {
      const auto [channels, drawn] = lists_of_people(within ? example.strata : example.everyone, retain);
      expect_as_by_table(example, lifts_of(example.input(within, channels)), drawn, 1e-11);
    }
}

TEST(Lift, CountsOfPeopleGiveTheSameFigures) {
  const Example example;
  for (const bool within : {true, false})
    for (const double retain : {0.0, 0.25})
      for (const int kind : {0, 1}) {
        const auto channels =
            channels_of_kind(example, within ? example.strata : example.everyone, kind, retain);
        const LiftFigures people = figures_of(lifts_of(example.input(within, channels))),
                          counts = figures_of(lifts_of(counted_strata(example, channels, within)));
        EXPECT_NEAR(people.highest, counts.highest, 1e-12);
        EXPECT_NEAR(people.lowest, counts.lowest, 1e-12);
        EXPECT_NEAR(people.highest_of_population, counts.highest_of_population, 1e-12);
        EXPECT_NEAR(people.own_largest, counts.own_largest, 1e-12);
        EXPECT_NEAR(people.own_largest_median, counts.own_largest_median, 1e-12);
        EXPECT_NEAR(people.own_expected, counts.own_expected, 1e-12);
        EXPECT_NEAR(people.own_expected_median, counts.own_expected_median, 1e-12);
        EXPECT_NEAR(people.own_of_population, counts.own_of_population, 1e-12);
      }
}

TEST(Lift, OfExactValuesIsThatOfTheValuesBeforeTheyWereJoined) {
  Example joined, exact;
  for (std::uint32_t u = 0; u < kExamplePeople; ++u) {
    joined.people.exact.push_back(exact.people.secrets[u]);
    joined.people.secrets[u] = exact.people.secrets[u] / 3;
  }
  joined.people.exact_values = 9;
  for (const int kind : {0, 1, 2}) {
    const auto channels = channels_of_kind(joined, joined.strata, kind, 0.1);
    const Lifts found = lifts_of(joined.input(true, channels)),
                expected = lifts_of(exact.input(true, channels));
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      EXPECT_EQ(found.values[i].value, expected.values[i].value);
      EXPECT_EQ(found.values[i].highest, expected.values[i].highest);
    }
  }
}

TEST(Lift, AConstantChannelTeachesNothingAndAnOwnRowEverything) {
  const Example example;
  std::vector<Channel> constant, own;
  for (const auto& pool : example.strata.members) {
    constant.push_back(example.cells(pool, 0));
    auto& rows = constant.back().cells()->probabilities;
    rows = Eigen::VectorXd::Ones(rows.rows()) * rows.row(0).eval();
    own.push_back({static_cast<std::int64_t>(pool.size()), 1, OtherDraw{}});
  }
  const LiftFigures nothing = figures_of(lifts_of(example.input(true, constant)));
  EXPECT_NEAR(nothing.highest, 1, 1e-12);
  EXPECT_NEAR(nothing.lowest, 1, 1e-12);
  EXPECT_NEAR(nothing.own_expected_median, 1, 1e-12);
  const Lifts everything = lifts_of(example.input(true, own));
  for (const OwnLift& lift : everything.own) EXPECT_NEAR(lift.largest, lift.expected, 1e-12);
  for (const ValueLift& value : everything.values) {
    EXPECT_EQ(value.lowest, 0);
    const double stratum = static_cast<double>(example.strata.members[value.stratum].size());
    EXPECT_NEAR(value.highest, stratum / value.people, 1e-12);
  }
}

TEST(Lift, MediansAreOfPeople) {
  Lifts lifts;
  lifts.own = {{.people = 2, .expected = 3, .largest = 5},
               {.people = 3, .expected = 1, .largest = 9},
               {.people = 1, .by_group = 10, .expected = 2, .largest = 1}};
  const LiftFigures figures = figures_of(lifts);
  EXPECT_EQ(figures.own_expected_median, 1);
  EXPECT_EQ(figures.own_largest_median, 5);
  EXPECT_EQ(figures.own_expected, 3);
  EXPECT_EQ(figures.own_of_population, 20);
}

TEST(Lift, ThreadsDoNotMatter) {
  const Example example;
  const auto channels = channels_of_kind(example, example.strata, 2, 0.1);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return figures_of(lifts_of(example.input(true, channels)));
  };
  const LiftFigures one = with_threads(1), two = with_threads(2);
  EXPECT_EQ(one.highest, two.highest);
  EXPECT_EQ(one.own_expected, two.own_expected);
}

}  // namespace
}  // namespace hyobscure::obscure
