#include "hyobscure/data/read/row_collector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "hyobscure/base/parallel.h"

namespace hyobscure::data {
namespace {

struct Event {
  std::uint32_t person;
  std::string item;
  double value;
};

std::vector<Event> random_events(std::size_t people, std::size_t events, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Event> result;
  for (std::size_t e = 0; e < events; ++e) {
    const auto person = static_cast<std::uint32_t>(random() % people);
    if (person % 7 == 3) continue;  // some people have none
    result.push_back({person, fmt::format("item {}", random() % 40), static_cast<double>(random() % 4)});
  }
  return result;
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

SparseRows collect(const std::vector<Event>& events, std::size_t people, std::size_t memory) {
  RowCollector rows(people, memory);
  for (const Event& event : events) rows.add(event.person, event.item, event.value);
  return rows.finish(sum);
}

bool same(const SparseRows& a, const SparseRows& b) {
  return a.starts == b.starts && a.items == b.items && a.values == b.values && a.columns == b.columns;
}

constexpr std::size_t kEnough = 1 << 30;

TEST(RowCollector, GivesTheRowsThatAMapGives) {
  const std::size_t people = 3000;
  const auto events = random_events(people, 20'000, 1);
  std::map<std::string, std::uint32_t> number;
  for (const Event& event : events) number[event.item];
  for (std::uint32_t next = 0; auto& [item, n] : number) n = next++;
  std::vector<std::map<std::uint32_t, double>> expected(people);
  for (const Event& event : events) expected[event.person][number[event.item]] += event.value;

  const SparseRows rows = collect(events, people, kEnough);
  ASSERT_EQ(rows.size(), people);
  EXPECT_EQ(rows.columns, number.size());
  for (std::size_t u = 0; u < people; ++u) {
    std::erase_if(expected[u], [](const auto& entry) { return entry.second == 0; });
    ASSERT_EQ(rows[u].items.size(), expected[u].size()) << u;
    std::size_t at = 0;
    for (const auto& [item, value] : expected[u]) {
      EXPECT_EQ(rows[u].items[at], item);
      EXPECT_EQ(rows[u].values[at++], value);
    }
  }
}

TEST(RowCollector, OrderMemoryAndThreadsChangeNothing) {
  const std::size_t people = 2500;
  auto events = random_events(people, 30'000, 2);
  const SparseRows whole = collect(events, people, kEnough);
  EXPECT_FALSE(whole.items.is_mapped());
  std::ranges::shuffle(events, std::mt19937(3));
  for (const std::size_t memory : {std::size_t{1000}, std::size_t{50'000}}) {
    const SparseRows spilt = collect(events, people, memory);
    EXPECT_TRUE(spilt.items.is_mapped());
    EXPECT_TRUE(same(whole, spilt)) << memory;
  }
  const ThreadLimit one(1);
  EXPECT_TRUE(same(whole, collect(events, people, 5000)));
}

TEST(RowCollector, MergesInAscendingOrder) {
  for (const std::size_t memory : {std::size_t{20}, kEnough}) {
    RowCollector rows(2, memory);
    for (const double value : {5.0, -1.0, 3.0}) rows.add(1, "a", value);
    std::vector<double> seen;
    const SparseRows merged = rows.finish([&](std::span<const double> values) {
      seen.assign(values.begin(), values.end());
      return values.back();
    });
    EXPECT_EQ(seen, (std::vector{-1.0, 3.0, 5.0}));
    EXPECT_EQ(merged[1].values[0], 5);
    EXPECT_TRUE(merged[0].items.empty());
  }
}

TEST(RowCollector, NobodyAndNothing) {
  EXPECT_EQ(RowCollector(0, kEnough).finish(sum).size(), 0u);
  EXPECT_EQ(RowCollector(3, kEnough).finish(sum).size(), 3u);
}

TEST(RowCollector, PartsGiveTheSameRowsWhicheverHadAnEntry) {
  const std::size_t people = 500;
  const auto events = random_events(people, 20'000, 3);
  const SparseRows expected = collect(events, people, kEnough);
  for (const std::size_t memory : {kEnough, std::size_t{30'000}}) {
    RowCollector rows(people, memory, 3);
    RowCollector::Part* parts[] = {&rows.new_part(), &rows.new_part(), &rows.new_part()};
    std::mt19937 random(4);
    for (const Event& event : events) parts[random() % 3]->add(event.person, event.item, event.value);
    EXPECT_TRUE(same(rows.finish(sum), expected)) << memory;
  }
}

TEST(RowCollector, TellsWhetherEntriesAreInTheRowsAsTheyWere) {
  const auto lost = [](const std::vector<Event>& events) {
    RowCollector rows(3, kEnough);
    for (const Event& event : events) rows.add(event.person, event.item, event.value);
    (void)rows.finish(sum);
    return rows.lost();
  };
  EXPECT_FALSE(lost({{0, "a", 1}, {0, "b", 1}, {2, "a", 1}}));
  EXPECT_TRUE(lost({{0, "a", 1}, {0, "a", 1}}));
  EXPECT_TRUE(lost({{0, "a", 0}}));
}

}  // namespace
}  // namespace hyobscure::data
