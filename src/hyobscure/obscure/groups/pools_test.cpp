#include "hyobscure/obscure/groups/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hyobscure::obscure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

data::People people_of_six_values(unsigned seed, std::size_t count, std::uint32_t combinations) {
  std::mt19937 random(seed);
  data::People people;
  people.values.resize(6);
  people.kept_combinations = combinations;
  for (std::size_t u = 0; u < count; ++u) {
    people.ids.push_back(std::to_string(u));
    people.secrets.push_back(static_cast<std::uint32_t>(random() % 6));
    if (combinations > 1) people.kept.push_back(static_cast<std::uint32_t>(random() % combinations));
  }
  return people;
}

TEST(Pools, ArePeopleWhoShareGroupAndKeptCells) {
  const std::vector<int> group_of_value = {0, 1, 0, 2, 1, 2};  // no runs
  const solve::Partition partition = solve::Partition::of(group_of_value);
  const data::People people = people_of_six_values(1, 25, 5);  // more pairs than people: some are empty
  std::map<std::pair<int, std::uint32_t>, std::vector<std::uint32_t>> expected;
  for (std::uint32_t u = 0; u < 25; ++u)
    expected[{group_of_value[people.secrets[u]], people.kept[u]}].push_back(u);
  ASSERT_LT(expected.size(), 15u);

  const Pools pools = pools_by_group(people, partition);
  ASSERT_EQ(pools.size(), expected.size());
  std::uint32_t number = 0;
  for (const auto& [pair, members] : expected) {  // in the order of group, then combination
    EXPECT_EQ(pools.members[number], members);
    for (const std::uint32_t u : members) EXPECT_EQ(pools.pool_of_person[u], number);
    ++number;
  }
}

TEST(Pools, AreTheGroupsWhereNothingIsKeptEvenEmptyOnes) {
  data::People people = people_of_six_values(2, 30, 1);
  for (std::uint32_t& secret : people.secrets) secret = secret % 2 == 0 ? 0 : 5;
  const Pools pools = pools_by_group(people, {.starts = {0, 2, 4, 6}});
  ASSERT_EQ(pools.size(), 3u);
  EXPECT_THAT(pools.members[1], IsEmpty());
  EXPECT_EQ(pools.members[0].size() + pools.members[2].size(), 30u);
}

TEST(Pools, OfGroupsAloneIgnoreWhatIsKept) {
  const data::People people = people_of_six_values(3, 40, 4);
  const Pools pools = groups_alone(people, {.starts = {0, 3, 6}});
  ASSERT_EQ(pools.size(), 2u);
  for (std::uint32_t u = 0; u < 40; ++u) EXPECT_EQ(pools.pool_of_person[u], people.secrets[u] / 3);
}

TEST(Pools, OneHoldsEverybody) {
  EXPECT_THAT(one_pool(3).members, ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(one_pool(3).pool_of_person, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace hyobscure::obscure
