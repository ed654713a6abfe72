#include "hyobscure/obscure/fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/leakage/recomputed.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/exact.h"

namespace hyobscure::obscure {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Synthetic people, made once for all tests of the file.
class Fit : public testing::Test {
 protected:
  struct Loaded {
    TestFolder folder;
    data::People people;
    Loaded() {
      data::synthesise({.people = 600, .dependence = 0.9, .items = 300, .entries = 40}, folder / "d", false);
      const data::Spec spec = data::read_spec(folder / "d" / "spec.toml");
      data::Engine engine({.folder = spec.folder}, {});
      people = data::read_people(engine, spec).people;
    }
  };

  static const data::People& people() { return loaded_->people; }
  static data::Spec spec(std::vector<data::Override> overrides = {}) {
    std::vector<data::Override> all = {{"method.name", "hyobscure"}, {"channel.budget_share", "0.3"}};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return data::read_spec(loaded_->folder / "d" / "spec.toml", all);
  }
  static std::string refusal(const std::vector<data::Override>& overrides) {
    try {
      (void)fit(people(), spec(overrides));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  static void SetUpTestSuite() { loaded_ = new Loaded; }
  static void TearDownTestSuite() { delete loaded_; }
  static Loaded* loaded_;
};
Fit::Loaded* Fit::loaded_ = nullptr;

/// From the definitions and the people alone: shares nothing with the solver or the tables.
struct Recount {
  double leakage_bits, groups_bits, distance_free;
};
Recount recount(const data::People& people, const Mechanism& mechanism) {
  const auto clusters = census::assign(mechanism.clusters, people.features);
  const double n = static_cast<double>(people.size());
  std::map<std::pair<std::size_t, int>, std::map<std::uint32_t, double>> output;  // (g, c') -> y -> p
  std::map<std::size_t, double> group;
  std::map<std::uint32_t, double> value;
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::size_t g = mechanism.group_of_value(people.secrets[u]);
    const CellDraw& channel = *mechanism.channels[g].cells();
    const auto row =
        std::ranges::find(channel.clusters, static_cast<int>(clusters[u])) - channel.clusters.begin();
    group[g] += 1 / n;
    value[people.secrets[u]] += 1 / n;
    for (Eigen::Index j = 0; j < channel.probabilities.cols(); ++j)
      output[{g, static_cast<int>(j)}][people.secrets[u]] += channel.probabilities(row, j) / n;
  }
  Recount result{0, 0, 0};
  for (const auto& [g, p] : group) result.groups_bits -= p * std::log2(p);
  for (const auto& [cell, by_value] : output) {
    double total = 0;
    for (const auto& [y, p] : by_value) total += p;
    for (const auto& [y, p] : by_value)
      if (p > 0) result.leakage_bits += p * std::log2(p / (total * value[y]));
  }
  return result;
}

TEST_F(Fit, KeepsItsPromises) {
  const Mechanism mechanism = fit(people(), spec());
  const Figures& figures = mechanism.figures;
  const Recount truth = recount(people(), mechanism);
  EXPECT_NEAR(figures.leakage.total, truth.leakage_bits, 1e-9);
  EXPECT_NEAR(figures.leakage.groups, truth.groups_bits, 1e-9);
  EXPECT_NEAR(figures.leakage.total, figures.leakage.groups + figures.leakage.features, 1e-12);
  EXPECT_LE(figures.distance, figures.budget * (1 + 1e-9));
  EXPECT_LE(figures.gap, 1e-9);
  EXPECT_LT(figures.leakage.features, figures.leakage.unprotected);
  EXPECT_TRUE(mechanism.converged);
  EXPECT_EQ(mechanism.groups.size(), 4u);
  for (const published::Group& group : mechanism.groups) {
    EXPECT_GE(group.people, 60);
    EXPECT_LE(group.people, 300);
    EXPECT_GE(group.values, 4);
    EXPECT_LE(group.values, 20);
  }
}

TEST_F(Fit, ByAnyMethodSaysWhatItDoes) {
  for (const Method& method : methods())
    for (const char* retain : {"0", "0.2"}) {
      const Mechanism mechanism = fit(
          people(), spec({{"method.name", method.name}, {"method.retain", retain}, {"method.seed", "3"}}));
      const auto clusters = census::assign(mechanism.clusters, people().features);
      EXPECT_THAT(untrue_statements(mechanism, people(), clusters), testing::IsEmpty())
          << method.name << " retain " << retain;
    }
}

TEST_F(Fit, ChoosesTheNumberOfClustersByWhatItGives) {
  const auto leakage = [&](const std::string& clusters) {
    data::Spec one = spec({{"channel.clusters", clusters}, {"method.name", "xobf"}});
    one.channel.budget_share.reset();
    one.channel.budget = 0.46;
    const Mechanism mechanism = fit(people(), one);
    return std::pair{mechanism.clusters.clusters(), mechanism.figures.leakage.features};
  };
  const auto [count, automatic] = leakage("auto");
  EXPECT_GT(count, 5);
  EXPECT_LT(automatic, 0.9 * leakage("5").second);
  // The next doubling was not worth it, or left too few people a cell.
  const bool full = people().size() < 4u * 2u * 4u * static_cast<unsigned>(count);
  EXPECT_TRUE(full || leakage(std::to_string(2 * count)).second >= 0.9 * automatic);
}

// What many machines count and one solves.
TEST_F(Fit, OfCountsAloneIsTheSame) {
  for (const char* method : {"exact", "hyobscure", "xobf", "ygen", "privcheck", "frapp", "random"}) {
    const data::Spec settings = spec({{"method.name", method}, {"method.seed", "5"}});
    const Mechanism whole = fit(people(), settings);
    census::Census counted = census_of(people(), settings);
    counted.clustering.cluster_of_row.clear();
    const Population population(people().values, people().space, counted.counts.colwise().sum().transpose());
    const Mechanism from_counts = fit_counted(population, settings, counted, data::fingerprint(people()));
    EXPECT_EQ(mechanism_content(from_counts), mechanism_content(whole)) << method;
  }
}

TEST_F(Fit, OfCountsAloneRefusesMethodsThatLookAtEachPerson) {
  for (const char* method : {"fine", "dp", "simp"}) {
    const data::Spec settings = spec({{"method.name", method}});
    const census::Census counted = census_of(people(), settings);
    EXPECT_THROW((void)fit_counted(people(), settings, counted, ""), InputError) << method;
  }
}

TEST_F(Fit, RoundsNeverLeakMoreThanTheOneBefore) {
  for (const char* acceptance : {"paper", "budget"})
    for (const char* objective : {"total", "conditional"})
      for (const char* first : {"optimal", "paper"}) {
        const Mechanism mechanism = fit(people(), spec({{"method.acceptance", acceptance},
                                                        {"method.objective", objective},
                                                        {"groups.first", first}}));
        for (std::size_t i = 1; i < mechanism.history.size(); ++i)
          EXPECT_LT(mechanism.history[i].objective, mechanism.history[i - 1].objective)
              << acceptance << " " << objective;
        for (const Round& round : mechanism.history)
          EXPECT_LE(round.distance, mechanism.figures.budget * (1 + 1e-9));
      }
}

TEST_F(Fit, TheCrossIterationNeverLeaksMoreThanItsStart) {
  const double start = fit(people(), spec({{"method.name", "xobf"}})).figures.leakage.total;
  EXPECT_LE(fit(people(), spec()).figures.leakage.total, start + 1e-9);
  EXPECT_LE(fit(people(), spec({{"method.acceptance", "budget"}})).figures.leakage.total, start + 1e-9);
}

TEST_F(Fit, MoreBudgetNeverLeaksMoreWithTheSameGroups) {
  double before = 1e9;
  for (const char* share : {"0", "0.1", "0.3", "0.6", "1"}) {
    const double leakage = fit(people(), spec({{"method.name", "xobf"}, {"channel.budget_share", share}}))
                               .figures.leakage.features;
    EXPECT_LE(leakage, before + 1e-9) << share;
    before = leakage;
  }
  EXPECT_LE(before, 1e-8);  // at share 1 the features need tell nothing
}

TEST_F(Fit, IsTheSameForAnyNumberOfThreadsButForTheKey) {
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return fit(people(), spec());
  };
  const Mechanism one = run(1), two = run(2);
  ASSERT_EQ(one.channels.size(), two.channels.size());
  for (std::size_t g = 0; g < one.channels.size(); ++g)
    EXPECT_EQ(one.channels[g].cells()->probabilities, two.channels[g].cells()->probabilities);
  EXPECT_EQ(one.figures.leakage.total, two.figures.leakage.total);
  EXPECT_EQ(one.figures.leakage.null, two.figures.leakage.null);
  EXPECT_EQ(one.clusters.centres, two.clusters.centres);
  EXPECT_NE(one.key, two.key);
}

TEST_F(Fit, ASeedFixesTheKeyAndIsRemembered) {
  const Mechanism one = fit(people(), spec({{"method.seed", "5"}})),
                  two = fit(people(), spec({{"method.seed", "5"}}));
  EXPECT_EQ(one.key, two.key);
  EXPECT_TRUE(one.seeded);
  EXPECT_FALSE(fit(people(), spec()).seeded);
}

TEST_F(Fit, TakesGroupsAsGivenAndMovesNone) {
  const Mechanism mechanism =
      fit(people(), spec({{"groups.fixed", "[[18, 27], [28, 36], [37, 50], [51, 70]]"},
                          {"groups.people", "1,600"},
                          {"groups.values", "1,60"}}));
  EXPECT_EQ(mechanism.history.size(), 1u);
  EXPECT_EQ(mechanism.groups[1].label, "28-36");
}

TEST_F(Fit, ChoosesTheSmallestPossibleNumberOfGroupsWhenNoneIsGiven) {
  data::Spec terms = spec({{"groups.people", "20,300"}, {"groups.values", "4,12"}});
  terms.groups.count.reset();
  const Mechanism mechanism = fit(people(), terms);
  EXPECT_EQ(mechanism.groups.size(), 5u);  // 53 ages in groups of at most 12
}

TEST_F(Fit, RefusesLimitsThatNoGroupingMeetsAndProposesSome) {
  EXPECT_THAT(refusal({{"groups.people", "60,100"}}),
              AllOf(HasSubstr("no grouping meets the limits"), HasSubstr("hold at most 400"),
                    HasSubstr("Settings near yours that work:\n  count = ")));
  EXPECT_THAT(refusal({{"groups.people", "5000,6000"}}), HasSubstr("no grouping meets the limits"));
  EXPECT_THAT(refusal({{"groups.values", "4,5"}}), HasSubstr("no grouping meets the limits"));
}

TEST_F(Fit, RefusesABudgetThatNoChannelMeetsAndSaysTheSmallest) {
  EXPECT_THAT(refusal({{"channel.budget", "0.05"}}),
              AllOf(HasSubstr("0.05 is below 0."), HasSubstr("smallest expected distance")));
}

TEST_F(Fit, RefusesToChooseTheBudgetForTheUser) {
  data::Spec without = spec();
  without.channel.budget_share.reset();
  try {
    (void)fit(people(), without);
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("channel.budget is not given"));
  }
}

TEST_F(Fit, RefusesToChooseTheLimitsForTheUser) {
  data::Spec without = spec();
  without.groups.people.reset();
  EXPECT_THROW((void)fit(people(), without), InputError);
}

TEST_F(Fit, RefusesMoreClustersThanPeople) {
  EXPECT_THAT(refusal({{"channel.clusters", "1000"}}), HasSubstr("cluster"));
}

TEST_F(Fit, RefusesFixedGroupsThatLeaveSomebodyOutOrBreakALimit) {
  EXPECT_THAT(refusal({{"groups.fixed", "[[18, 30], [35, 50], [51, 60], [61, 70]]"}}),
              HasSubstr("groups.fixed"));
  EXPECT_THAT(refusal({{"groups.fixed", "[[18, 30], [31, 50], [51, 60], [61, 65]]"}}),
              HasSubstr("groups.fixed"));
  EXPECT_THAT(refusal({{"groups.fixed", "[[18, 20], [21, 50], [51, 60], [61, 70]]"}}),
              HasSubstr("outside people"));
}

TEST_F(Fit, StoppedDuringTheSearchItReturnsTheBestSoFar) {
  std::atomic<bool> stop{false};
  const Progress progress(
      [&](std::string_view stage, double, double) {
        if (stage == "solving the channel") stop = true;
      },
      &stop);
  const Mechanism mechanism = fit(people(), spec(), progress);
  EXPECT_FALSE(mechanism.converged);
  EXPECT_EQ(mechanism.history.size(), 1u);
}

TEST_F(Fit, StoppedBeforeThereIsAnAnswerItSaysSo) {
  std::atomic<bool> stop{true};
  EXPECT_THROW((void)fit(people(), spec(), Progress({}, &stop)), Stopped);
}

// --- MovieLens, where the data is at hand
// --------------------------------------------------------------------------------

class MovieLens : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = shared_folder("HYOBSCURE_DATA", "data") / "movielens-100k";
    if (!std::filesystem::exists(folder_ / "u.data"))
      GTEST_SKIP() << "MovieLens-100K is not in " << folder_ << " (HYOBSCURE_DATA)";
  }

  data::Spec spec(const std::vector<data::Override>& overrides) const {
    const std::string toml = R"toml([people]
query = "SELECT column0 AS id, column1 AS age FROM read_csv('u.user', delim='|', header=false)"
id = "id"
secret = "age"
[events]
query = "SELECT column0 AS id, column1 AS movie, column2 AS rating FROM read_csv('u.data', delim='\t', header=false)"
person = "id"
item = "movie"
value = "rating"
[secret]
keep = [18, 50]
[groups]
count = 4
people = [100, 400]
values = [4, 12]
[channel]
clusters = 10
budget = 0.49
)toml";
    return data::parse_spec(toml, "movielens.toml", folder_, overrides);
  }

  static data::People read(const data::Spec& spec) {
    data::Engine engine({.folder = spec.folder}, {});
    return data::read_people(engine, spec).people;
  }

  std::filesystem::path folder_;
};

TEST_F(MovieLens, TheCrossIterationFallsMonotonicallyAndEndsWithinItsThreshold) {
  const data::Spec terms = spec({{"method.name", "hyobscure"}});
  const data::People people = read(terms);
  EXPECT_EQ(people.size(), 802u);
  EXPECT_EQ(people.values.size(), 33u);
  const Mechanism mechanism = fit(people, terms);
  EXPECT_TRUE(mechanism.converged);
  ASSERT_GE(mechanism.history.size(), 2u);
  for (std::size_t i = 1; i < mechanism.history.size(); ++i)
    EXPECT_LT(mechanism.history[i].leakage, mechanism.history[i - 1].leakage);
  EXPECT_NEAR(mechanism.figures.leakage.total, recount(people, mechanism).leakage_bits, 1e-9);
}

TEST_F(MovieLens, ExactEqualsBruteForceOverAll346Groupings) {
  const data::Spec terms = spec({});
  const data::People people = read(terms);
  const solve::SegmentTables tables = segment_tables(people, census_of(people, terms));
  const solve::OrderedValues values = ordered_values(people);
  const solve::GroupLimits limits = group_limits(terms);
  std::vector<solve::ChannelProblem> problems;
  const int n = values.count();
  for (int a = 1; a < n; ++a)
    for (int b = a + 1; b < n; ++b)
      for (int c = b + 1; c < n; ++c)
        if (const solve::Partition partition{{0, a, b, c, n}}; solve::satisfies(values, limits, partition))
          problems.push_back(solve::problem_of(tables, partition).problem);
  ASSERT_EQ(problems.size(), 346u);

  solve::ExactSearch search(tables, values, limits, {.groups = 4});
  for (const double budget : {0.478, 0.480, 0.482, 0.486, 0.492, 0.498, 0.505}) {
    double best = 1e9;
    for (const solve::ChannelProblem& problem : problems)
      if (solve::smallest_distance(problem) <= budget)
        best = std::min(best, solve::group_entropy(problem.joints) +
                                  solve::solve_with_budget(problem, budget).info.leakage_nats);
    const solve::ExactResult exact = search.solve(budget);
    EXPECT_TRUE(exact.closed) << budget;
    EXPECT_NEAR(exact.objective_nats * kBitsPerNat, best * kBitsPerNat, 1e-7) << budget;
    EXPECT_LE(exact.lower_bound_nats, best + 1e-9) << budget;
  }
}

TEST_F(MovieLens, ThePapersOwnLimitsAreRefusedWithSettingsThatWork) {
  const data::Spec terms = spec({{"groups.people", "100,200"}, {"groups.values", "4,8"}});
  const data::People people = read(terms);
  try {
    (void)fit(people, terms);
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("hold at most 800 of 802 people"),
                                    HasSubstr("count = 4, people = [100, 236], values = [4, 9]")));
  }
}

TEST_F(Fit, StoppedWhileDonorsAreChosenIsTheBestSoFarWithItsGap) {
  std::atomic<bool> stop{false};
  int told = 0;
  const Progress progress(
      [&](std::string_view stage, double, double) {
        if (stage == "donors" && ++told == 2) stop = true;
      },
      &stop);
  const data::Spec terms = spec({{"method.name", "fine"}, {"method.seed", "1"}, {"method.gap", "1e-7"}});
  const Mechanism mechanism = fit(people(), terms, progress);
  EXPECT_TRUE(stop);
  EXPECT_FALSE(mechanism.converged);
  EXPECT_LE(mechanism.figures.distance, mechanism.figures.budget + 1e-9);
  EXPECT_GT(mechanism.figures.gap, 1e-7);
  EXPECT_LT(mechanism.figures.gap, mechanism.figures.leakage.secret_entropy);
  EXPECT_EQ(mechanism.channels.size(), mechanism.groups.size());
}

}  // namespace
}  // namespace hyobscure::obscure
