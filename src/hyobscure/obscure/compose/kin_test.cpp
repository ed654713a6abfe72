#include "hyobscure/obscure/compose/kin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/compose/test_tables.h"

namespace hyobscure::obscure {
namespace {

struct Found {
  data::People people;
  std::vector<std::uint32_t> members;
  std::vector<double> lengths;
  Kin kin;
};

Found kin_of_raters(unsigned seed, std::size_t size, int most) {
  Found found{.people = raters(seed, size, 30, 0.3), .members = {}, .lengths = {}, .kin = {}};
  found.members.resize(size);
  std::iota(found.members.begin(), found.members.end(), 0u);
  for (std::size_t u = 0; u < size; ++u)
    found.lengths.push_back(static_cast<double>(found.people.features[u].items.size()));
  found.kin =
      kin_of(census::Distance::JensenShannon, found.people.features, found.members, found.lengths, most);
  return found;
}

std::size_t places_of(const Kin& kin, std::uint32_t person, std::size_t at) {
  return static_cast<std::size_t>(std::ranges::count(kin.of(at), person));
}

TEST(Kin, EverybodyIsInAsManyPlacesAsTheyHaveAndKinIsMutual) {
  for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 12, 41, 60})
    for (const int most : {2, 3, 4, 5, 8}) {
      const Kin kin = kin_of_raters(static_cast<unsigned>(size), size, most).kin;
      ASSERT_EQ(kin.places, std::min<std::size_t>(size, static_cast<std::size_t>(most)));
      std::size_t twice = 0;
      for (std::uint32_t i = 0; i < size; ++i) {
        std::size_t places = 0;
        for (std::uint32_t j = 0; j < size; ++j) {
          places += places_of(kin, i, j);
          EXPECT_EQ(places_of(kin, i, j), places_of(kin, j, i));
          if (i != j) {
            EXPECT_LE(places_of(kin, i, j), 1U);
          }
        }
        EXPECT_EQ(places, kin.places);
        EXPECT_GE(places_of(kin, i, i), 1U);
        EXPECT_LE(places_of(kin, i, i), 2U);
        twice += places_of(kin, i, i) - 1;
      }
      EXPECT_LE(twice, 1U) << size << " people, " << most << " places";
    }
}

TEST(Kin, AreMuchNearerThanAnybody) {
  const Found found = kin_of_raters(3, 200, 5);
  double of_kin = 0, of_all = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto to = [&](std::uint32_t j) {
      return census::distance_between(census::Distance::JensenShannon, found.people.features[i],
                                      found.people.features[j], 30);
    };
    for (const std::uint32_t j : found.kin.of(i)) of_kin += to(j) / (200.0 * 4);
    for (std::uint32_t j = 0; j < 200; ++j) of_all += to(j) / (200.0 * 199);
  }
  EXPECT_LT(of_kin, 0.85 * of_all);
}

TEST(Kin, AreAlikeInTheLengthOfTheirRows) {
  const Found found = kin_of_raters(4, 200, 5);
  double of_kin = 0, of_all = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto ratio = [&](std::uint32_t j) {
      return std::abs(std::log(found.lengths[i] / found.lengths[j]));
    };
    for (const std::uint32_t j : found.kin.of(i)) of_kin += ratio(j) / (200.0 * 4);
    for (std::uint32_t j = 0; j < 200; ++j) of_all += ratio(j) / (200.0 * 199);
  }
  EXPECT_LT(of_kin, 0.6 * of_all);
}

TEST(Kin, OfALargePoolAreFoundInsideLeavesOnAnyNumberOfThreads) {
  const Found found = kin_of_raters(5, 1500, 4);
  EXPECT_GE(found.kin.leaves.size(), 3U);
  for (std::uint32_t i = 0; i < 1500; ++i)
    for (const std::uint32_t j : found.kin.of(i)) EXPECT_EQ(found.kin.leaf_of[i], found.kin.leaf_of[j]);
  const ThreadLimit one(1);
  EXPECT_EQ(kin_of_raters(5, 1500, 4).kin.of_place, found.kin.of_place);
}

}  // namespace
}  // namespace hyobscure::obscure
