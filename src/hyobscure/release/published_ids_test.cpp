#include "hyobscure/release/published_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace hyobscure::release {
namespace {

data::People people_with_ids(std::size_t count) {
  data::People people;
  for (std::size_t u = 0; u < count; ++u) people.ids.push_back("person" + std::to_string(10000 + u));
  return people;
}

data::Spec spec_of_ids(data::PublishedIds ids, data::RowOrder order) {
  data::Spec spec;
  spec.release.ids = ids;
  spec.release.order = order;
  return spec;
}

std::vector<std::uint32_t> order_of(const PublishedIds& published, std::size_t count) {
  std::vector<std::uint32_t> order;
  for (std::size_t row = 0; row < count; ++row) order.push_back(published.person_at(row));
  return order;
}

bool is_everybody(std::vector<std::uint32_t> order) {
  std::ranges::sort(order);
  std::vector<std::uint32_t> all(order.size());
  std::iota(all.begin(), all.end(), 0u);
  return order == all;
}

constexpr std::size_t kCount = 5000;  // two blocks of draws

TEST(PublishedIds, KeptOnesStayInTheOrderOfThePeople) {
  const data::People people = people_with_ids(kCount);
  const PublishedIds published(spec_of_ids(data::PublishedIds::Keep, data::RowOrder::Sorted),
                               Key::from_seed(1), people);
  for (const std::size_t u : {0u, 17u, 4999u}) {
    EXPECT_EQ(published.id(u), people.ids[u]);
    EXPECT_EQ(published.person_at(u), u);
  }
}

TEST(PublishedIds, NewOnesAreRowsInTheirOwnOrderAndSayNothingOfTheOld) {
  const data::People people = people_with_ids(kCount);
  const data::Spec spec = spec_of_ids(data::PublishedIds::Replace, data::RowOrder::Sorted);
  const PublishedIds published(spec, Key::from_seed(1), people);
  const std::vector<std::uint32_t> order = order_of(published, kCount);
  EXPECT_TRUE(is_everybody(order));
  std::vector<std::string> ids;
  for (const std::uint32_t person : order) ids.push_back(published.id(person));
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), kCount);
  for (const std::string& id : ids)
    ASSERT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  // Spearman's correlation of row and person is 0 with deviation 1 / sqrt(5000): beyond 5 of them once in a
  // million keys.
  double covariance = 0;
  const double middle = (kCount - 1) / 2.0, variance = (double(kCount) * kCount - 1) / 12;
  for (std::size_t row = 0; row < kCount; ++row)
    covariance += (static_cast<double>(row) - middle) * (static_cast<double>(order[row]) - middle) / kCount;
  EXPECT_LT(std::abs(covariance / variance), 5 / std::sqrt(double(kCount)));
}

TEST(PublishedIds, DependOnTheKeyAndThePersonsOwnIdAlone) {
  const data::People people = people_with_ids(kCount), fewer = people_with_ids(100);
  const data::Spec spec = spec_of_ids(data::PublishedIds::Replace, data::RowOrder::Sorted);
  const PublishedIds one(spec, Key::from_seed(1), people), other(spec, Key::from_seed(2), people),
      alone(spec, Key::from_seed(1), fewer);
  for (std::size_t u = 0; u < 100; ++u) {
    EXPECT_EQ(alone.id(u), one.id(u));
    EXPECT_NE(other.id(u), one.id(u));
  }
}

TEST(PublishedIds, ShuffledRowsOfKeptIdsAreInAnotherOrder) {
  const data::People people = people_with_ids(200);
  const PublishedIds published(spec_of_ids(data::PublishedIds::Keep, data::RowOrder::Shuffled),
                               Key::from_seed(1), people);
  const std::vector<std::uint32_t> order = order_of(published, 200);
  EXPECT_TRUE(is_everybody(order));
  EXPECT_FALSE(std::ranges::is_sorted(order));
  EXPECT_EQ(published.id(7), people.ids[7]);
}

}  // namespace
}  // namespace hyobscure::release
