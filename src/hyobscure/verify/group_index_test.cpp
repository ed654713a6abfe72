#include "hyobscure/verify/group_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace hyobscure::verify {
namespace {

using data::AxisKind;
using published::Cover;

Cover random_cover(std::mt19937& random, AxisKind kind) {
  Cover cover;
  if (kind == AxisKind::Categorical) {
    for (const char name : {'a', 'b', 'c', 'd'})
      if (random() % 2 == 0) cover.names.emplace_back(1, name);
    if (cover.names.empty()) cover.names = {"a"};
  } else if (kind == AxisKind::Spatial) {
    for (std::int32_t cell = 0; cell < 4; ++cell)
      if (random() % 2 == 0 || cell == 3) cover.cells.push_back({cell / 2, cell % 2});
  } else {
    const double low = static_cast<double>(random() % 6), high = low + static_cast<double>(random() % 4);
    if (random() % 5 != 0) cover.low = low;
    if (random() % 5 != 0) cover.high = high;
    cover.high_included = random() % 2 == 0;
  }
  return cover;
}

data::Coordinate random_coordinate(std::mt19937& random) {
  return {.number = static_cast<double>(random() % 21) / 2 - 1,
          .cell = {static_cast<std::int32_t>(random() % 3), static_cast<std::int32_t>(random() % 3)},
          .name = std::string(1, static_cast<char>('a' + random() % 5))};
}

// Against asking every group, on random groups of one to three secrets that may overlap.
TEST(GroupIndex, MissesNoGroupThatHoldsASecretAndNoPairThatOverlaps) {
  std::mt19937 random(17);
  int held = 0;
  for (int trial = 0; trial < 400; ++trial) {
    published::Manifest manifest;
    manifest.kinds.clear();
    for (std::size_t axes = 1 + random() % 3; axes > 0; --axes)
      manifest.kinds.push_back(
          std::array{AxisKind::Ordered, AxisKind::Spatial, AxisKind::Categorical}[random() % 3]);
    for (int g = 0; g < 6; ++g) {
      published::Group group{.label = std::to_string(g), .covers = {}};
      for (const AxisKind kind : manifest.kinds) group.covers.push_back(random_cover(random, kind));
      manifest.groups.push_back(std::move(group));
    }
    const GroupIndex index(manifest);
    for (int n = 0; n < 20; ++n) {
      std::vector<data::Coordinate> secret;
      for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis)
        secret.push_back(random_coordinate(random));
      const auto& near = index.near(secret);
      std::vector<std::uint32_t> holding;
      for (std::uint32_t g = 0; g < manifest.groups.size(); ++g)
        if (covers(manifest.groups[g], secret, manifest.kinds)) holding.push_back(g);
      for (const std::uint32_t g : holding) EXPECT_TRUE(std::ranges::count(near, g) == 1) << trial;
      for (const std::uint32_t a : holding)
        for (const std::uint32_t b : holding)
          EXPECT_TRUE(std::ranges::any_of(index.lists(), [&](const auto& list) {
            return std::ranges::count(list, a) > 0 && std::ranges::count(list, b) > 0;
          }));
      held += static_cast<int>(holding.size());
    }
  }
  EXPECT_GT(held, 1'000);
}

TEST(GroupIndex, TakesTheAxisThatTellsGroupsApart) {
  published::Manifest manifest;
  manifest.kinds = {AxisKind::Categorical, AxisKind::Ordered};
  for (int g = 0; g < 50; ++g)
    manifest.groups.push_back({.label = std::to_string(g),
                               .covers = {{.label = "all", .names = {"a", "b"}},
                                          {.label = "", .low = 2.0 * g, .high = 2.0 * g + 1}}});
  const GroupIndex index(manifest);
  EXPECT_EQ(index.lists().size(), 50u);
  for (const auto& list : index.lists()) EXPECT_EQ(list.size(), 1u);
}

}  // namespace
}  // namespace hyobscure::verify
