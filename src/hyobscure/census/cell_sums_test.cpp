#include "hyobscure/census/cell_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/census/census.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using data::People;
using data::SparseRows;
using Eigen::MatrixXd;

People rated_people(std::size_t count, std::uint32_t values) {
  People people;
  people.features = rated_rows(3, count, 300, 3);
  people.features.columns += 4;  // items that nobody has
  people.secrets = random_labels(2, count, values);
  for (std::size_t u = 0; u < count; ++u) people.ids.push_back(std::to_string(u));
  people.values.resize(values);
  return people;
}

struct PartOfPeople {
  SparseRows rows;
  std::vector<std::uint32_t> cells;
};

/// Everybody in one of the parts, in no order.
std::vector<PartOfPeople> cut(const People& people, const Census& census, std::size_t parts) {
  std::vector<std::size_t> order(people.size());
  for (std::size_t u = 0; u < order.size(); ++u) order[u] = u;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::vector<PartOfPeople> cut(parts);
  for (std::size_t i = 0; i < order.size(); ++i) {
    PartOfPeople& part = cut[i * i % parts];  // parts of unlike sizes
    part.rows.columns = people.features.columns;
    part.rows.append_row(people.features[order[i]]);
    part.cells.push_back(static_cast<std::uint32_t>(cell_index(
        people.secrets[order[i]], census.clustering.cluster_of_row[order[i]], census.counts.rows())));
  }
  return cut;
}

Extent extent_of_parts(const std::vector<PartOfPeople>& parts) {
  Extent extent;
  for (const PartOfPeople& part : parts) extent.include(extent_of(part.rows));
  return extent;
}

std::vector<CellSums::Part> joined(const std::vector<PartOfPeople>& parts, const AdditiveDistance& distance,
                                   std::size_t people) {
  std::map<std::uint32_t, std::vector<std::string>> by_item;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    CellSums sums(distance, people);
    sums.add(part->rows, part->cells);
    for (CellSums::Part& item : sums.take_parts()) by_item[item.item].push_back(std::move(item.bytes));
  }
  std::vector<CellSums::Part> all;
  for (const auto& [item, bytes] : by_item) {
    const std::vector<std::string_view> views(bytes.begin(), bytes.end());
    all.push_back({.item = item, .bytes = CellSums::join(views)});
  }
  return all;
}

class Additive : public testing::TestWithParam<Distance> {};

TEST_P(Additive, PartsOfThePeopleJoinToTheBitsOfTheWholeCensus) {
  // Few cells, so that nearly all items are frequent, and so many that most are rare and many are empty.
  for (const auto& [count, values, clusters] : {std::tuple(2000u, 3u, 2), std::tuple(400u, 40u, 8)}) {
    const People people = rated_people(count, values);
    const Census census = take_census(people, {.clustering = {.clusters = clusters}, .distance = GetParam()},
                                      Key::from_seed(1));
    for (const std::size_t parts : {1u, 2u, 13u}) {
      const auto pieces = cut(people, census, parts);
      const AdditiveDistance distance =
          additive_distance(GetParam(), people.features.columns, extent_of_parts(pieces));
      const MatrixXd sums =
          pair_sums_of_parts(distance, joined(pieces, distance, people.size()), census.counts,
                             people.features.columns, people.features.entries());
      EXPECT_TRUE(sums == census.pair_sums) << count << " people in " << parts << " parts";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, Additive,
                         testing::Values(Distance::JensenShannon, Distance::SquaredEuclidean,
                                         Distance::Hamming));

TEST(CellSums, RefusesPartsThatAreDamaged) {
  const People people = rated_people(30, 3);
  const Census census = take_census(people, {.clustering = {.clusters = 2}}, Key::from_seed(1));
  const AdditiveDistance distance = additive_distance(Distance::JensenShannon, people.features.columns, {});
  auto parts = joined(cut(people, census, 1), distance, people.size());
  const auto sums = [&] {
    return pair_sums_of_parts(distance, parts, census.counts, people.features.columns,
                              people.features.entries());
  };
  EXPECT_NO_THROW((void)sums());
  parts[5].bytes.pop_back();
  EXPECT_THROW((void)sums(), InputError);
}

TEST(FixedPoint, AddsUpExactlyInAnyOrderAndIsAsNearAsItSays) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-3, 3);
  std::vector<double> numbers(100'000);
  for (double& x : numbers) x = any(random);
  const FixedPoint fixed(3, numbers.size());
  const auto total = [&] {
    std::int64_t sum = 0;
    for (const double x : numbers) sum += fixed(x);
    return sum;
  };
  const std::int64_t before = total();
  for (const double x : numbers)
    ASSERT_NEAR(static_cast<double>(fixed(x)) * fixed.unit(), x, fixed.unit() / 2);
  std::shuffle(numbers.begin(), numbers.end(), random);
  EXPECT_EQ(total(), before);
  EXPECT_LT(fixed.unit(), 3 * 0x1p-43);  // 17 of 62 bits count the numbers
}

TEST(FixedPoint, OfTheLargestNumbersDoesNotOverflow) {
  for (const std::uint64_t count : {1ull, 1000ull, 1'000'000'000ull, 1ull << 40}) {
    const FixedPoint fixed(7.99, count);
    EXPECT_GT(fixed(7.99), 0);
    EXPECT_LE(static_cast<long double>(fixed(7.99)) * static_cast<long double>(count), 0x1p62L);
    EXPECT_EQ(fixed(-7.99), -fixed(7.99));
  }
}

}  // namespace
}  // namespace hyobscure::census
