#include "hyobscure/obscure/groups/pool_limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::obscure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// 240 people of twelve ages; every eighth of the young, and one in four of the old, is "rare".
class KeptColumn : public testing::Test {
 protected:
  KeptColumn() {
    std::string rows = "id,age,kind,name,a,b\n";
    for (int p = 0; p < 240; ++p) {
      const int age = 20 + p % 12;
      const bool rare = p % 12 < 6 ? p / 12 % 8 == 0 : p / 12 % 4 == 0;
      rows += fmt::format("p{:03},{},{},{},{},{}\n", p, age, rare ? "rare" : "common",
                          p == 5 ? "one" : "many", p % 12 + p % 5, p * p % 17);
    }
    folder_.write("people.csv", rows);
  }

  data::Spec spec(const std::vector<data::Override>& overrides) const {
    return data::parse_spec(R"([people]
file = "people.csv"
id = "id"
secret = "age"
features = ["a", "b"]
keep = ["kind"]
[groups]
count = 2
people = [60, 180]
values = [3, 9]
[channel]
clusters = 4
distance = "squared-euclidean"
budget_share = 0.5
[method]
name = "exact"
seed = 1
)",
                            "spec.toml", folder_.path(), overrides);
  }

  static data::People read(const data::Spec& spec) {
    data::Engine engine({.folder = spec.folder}, {});
    return data::read_people(engine, spec).people;
  }

  Mechanism fitted(const std::vector<data::Override>& overrides) const {
    const data::Spec terms = spec(overrides);
    return fit(read(terms), terms);
  }

  std::string refusal(const std::vector<data::Override>& overrides) const {
    try {
      (void)fitted(overrides);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  /// People and distinct values of the smallest pools, from the people themselves.
  static std::pair<std::size_t, std::size_t> smallest(const data::People& people,
                                                      const Mechanism& mechanism) {
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::uint32_t>> pools;
    for (std::size_t u = 0; u < people.size(); ++u)
      pools[{mechanism.group_of_value(people.secrets[u]), people.kept[u]}].push_back(people.secrets[u]);
    std::pair<std::size_t, std::size_t> result = {people.size(), people.values.size()};
    for (const auto& [pool, secrets] : pools) {
      result.first = std::min(result.first, secrets.size());
      result.second = std::min(result.second, std::set(secrets.begin(), secrets.end()).size());
    }
    return result;
  }

  TestFolder folder_;
};

TEST_F(KeptColumn, ByDefaultEveryPoolIsWithinTheLimits) {
  for (const std::string method : {"exact", "fine", "hyobscure", "xobf"}) {
    const data::Spec terms =
        spec({{"method.name", method}, {"groups.people", "15,220"}, {"groups.values", "3,9"}});
    const data::People people = read(terms);
    const Mechanism mechanism = fit(people, terms);
    const auto [fewest, values] = smallest(people, mechanism);
    EXPECT_GE(fewest, 15u) << method;
    EXPECT_GE(values, 3u) << method;
    EXPECT_EQ(mechanism.smallest_pool, static_cast<std::int64_t>(fewest)) << method;
    EXPECT_TRUE(mechanism.limits.for_pools) << method;
  }
}

TEST_F(KeptColumn, LimitsThatOnlyGroupsMeetAreRefusedWithLimitsThatWork) {
  const std::string refused = refusal({});
  EXPECT_THAT(refused, AllOf(HasSubstr("kept columns (kind) make pools"),
                             HasSubstr("no groups have pools of at least 60 people and 3 values"),
                             HasSubstr("people.keep"), HasSubstr("groups.limits_for = \"groups\""),
                             HasSubstr("Lower limits that work:\n  people = [")));
  const std::size_t at = refused.find("people = [", refused.find("that work:")) + 10;
  const int k = std::stoi(refused.substr(at));
  EXPECT_EQ(refusal({{"groups.people", fmt::format("{},180", k)}}), "accepted");
  EXPECT_THAT(refusal({{"groups.people", fmt::format("{},180", k + 1)}}), HasSubstr("make pools"));
}

TEST_F(KeptColumn, LimitsOfGroupsOnlyAreAChoiceThatTheMechanismStates) {
  const Mechanism mechanism = fitted({{"groups.limits_for", "groups"}});
  EXPECT_FALSE(mechanism.limits.for_pools);
  EXPECT_LT(mechanism.smallest_pool, 60);
  EXPECT_THAT(mechanism.note, HasSubstr("The limits hold for groups only"));
  const Mechanism again = parse_mechanism(mechanism_content(mechanism), "m.json");
  EXPECT_EQ(again.smallest_pool, mechanism.smallest_pool);
  EXPECT_FALSE(again.limits.for_pools);
}

TEST_F(KeptColumn, APoolOfOnePersonIsRefusedWhateverTheSetting) {
  const std::string alone = "such a person could publish only themselves";
  EXPECT_THAT(
      refusal(
          {{"people.keep", "name"}, {"people.allow_identifying", "name"}, {"groups.limits_for", "groups"}}),
      AllOf(HasSubstr("kept columns (name)"), HasSubstr(alone), HasSubstr("merge its rare values"),
            Not(HasSubstr("limits_for"))));
  EXPECT_THAT(
      refusal({{"people.keep", "name"}, {"people.allow_identifying", "name"}, {"groups.people", "1,180"}}),
      HasSubstr("make pools"));
}

TEST_F(KeptColumn, GivenGroupsAreCheckedToo) {
  const std::vector<data::Override> fixed = {{"groups.fixed", "[[20, 25], [26, 31]]"}};
  auto with = fixed;
  with.push_back({"groups.limits_for", "groups"});
  EXPECT_EQ(refusal(with), "accepted");
  EXPECT_THAT(refusal(fixed), HasSubstr("make pools"));
}

TEST_F(KeptColumn, WhatIsWrongWithoutKeptColumnsIsSaidFirst) {
  EXPECT_THAT(refusal({{"groups.people", "130,180"}}), HasSubstr("no grouping meets the limits"));
}

TEST_F(KeptColumn, NothingKeptAsksForNothing) {
  data::People people = read(spec({{"groups.people", "15,220"}}));
  people.kept.clear();
  const Population population(people);
  EXPECT_TRUE(PoolLimits(population, 60, 3).allow_run(0, 12));
  EXPECT_EQ(population.kept_people.size(), 0);
}

}  // namespace
}  // namespace hyobscure::obscure
