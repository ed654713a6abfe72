#include "hyobscure/census/census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using data::People;
using Eigen::Index;
using Eigen::MatrixXd;

People planted_people(std::size_t count, std::size_t clusters, std::uint32_t values) {
  People people;
  people.features = planted_rows(1, count, clusters);
  people.secrets = random_labels(2, count, values);
  for (std::size_t u = 0; u < count; ++u) people.ids.push_back(std::to_string(u));
  people.values.resize(values);
  return people;
}

// From the definition, for one pair of cells.
double slow_pair_sum(const People& people, const Census& census, Distance distance, Index a, Index b) {
  const Index clusters = census.counts.rows();
  const auto cell = [&](std::size_t u) {
    return cell_index(people.secrets[u], census.clustering.cluster_of_row[u], clusters);
  };
  double sum = 0;
  for (std::size_t u = 0; u < people.size(); ++u)
    for (std::size_t v = 0; cell(u) == a && v < people.size(); ++v)
      if (cell(v) == b)
        sum += distance_between(distance, people.features[u], people.features[v], people.features.columns);
  return sum;
}

TEST(Census, CountsEveryPersonOnce) {
  const People people = planted_people(60, 3, 5);
  const Census census = take_census(people, {.clustering = {.clusters = 3}}, Key::from_seed(1));
  EXPECT_EQ(census.counts.rows(), 3);
  EXPECT_EQ(census.counts.cols(), 5);
  EXPECT_EQ(census.counts.sum(), 60);
  for (Index y = 0; y < 5; ++y)
    EXPECT_EQ(census.counts.col(y).sum(), std::count(people.secrets.begin(), people.secrets.end(), y));
  for (Index c = 0; c < 3; ++c) EXPECT_EQ(census.counts.row(c).sum(), 20);
}

TEST(Census, PairSumsStandAtTheirCellsAndEmptyCellsHaveNone) {
  const People people = planted_people(24, 4, 9);  // 36 cells for 24 people: some are empty
  for (const Distance distance : {Distance::JensenShannon, Distance::SquaredEuclidean, Distance::Jaccard}) {
    const Census census =
        take_census(people, {.clustering = {.clusters = 4}, .distance = distance}, Key::from_seed(1));
    ASSERT_EQ(census.pair_sums.rows(), 36);
    ASSERT_EQ(census.counts.reshaped().cwiseMin(1).sum() < 36, true);
    for (Index a = 0; a < 36; ++a)
      for (Index b = 0; b < 36; ++b) {
        const double expected = slow_pair_sum(people, census, distance, a, b);
        EXPECT_NEAR(census.pair_sums(a, b), expected, 1e-5 + 1e-12 * expected) << a << ' ' << b;
      }
  }
}

TEST(Census, ValuesThatNobodyHasKeepTheirColumn) {
  People people = planted_people(20, 2, 3);
  people.values.resize(4);
  const Census census = take_census(people, {.clustering = {.clusters = 2}}, Key::from_seed(1));
  EXPECT_EQ(census.counts.cols(), 4);
  EXPECT_EQ(census.counts.col(3).sum(), 0);
  EXPECT_TRUE(census.pair_sums.rightCols(2).isZero(0));
}

TEST(Census, IsTheSameWithOneThreadAndWithTwo) {
  const People people = planted_people(700, 5, 8);
  const CensusSettings settings{.clustering = {.clusters = 7}};
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return take_census(people, settings, Key::from_seed(3));
  };
  const Census one = with_threads(1), two = with_threads(2);
  EXPECT_EQ(one.clustering.cluster_of_row, two.clustering.cluster_of_row);
  EXPECT_TRUE(one.clustering.model.centres == two.clustering.model.centres);
  EXPECT_TRUE(one.pair_sums == two.pair_sums);
}

TEST(Census, RefusesATableBeyondTwoGibibytes) {
  People people = planted_people(20, 2, 3);
  people.values.resize(2000);
  try {
    (void)take_census(people, {.clustering = {.clusters = 10}}, Key::from_seed(1));
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "clusters: 2000 values x 10 clusters need a table of 3.0 GiB, more than the 2 GiB allowed. Ask for "
        "fewer clusters, or cut the secret into fewer atoms.");
  }
}

TEST(Census, OfMappedRowsFromASampleHasTheSameBits) {
  const TestFolder folder;
  People people = planted_people(700, 5, 8);
  const CensusSettings settings{.clustering = {.clusters = 5, .sample = 200}};
  const Census in_memory = take_census(people, settings, Key::from_seed(3));
  people.features = mapped(people.features, folder.path());
  const Census in_files = take_census(people, settings, Key::from_seed(3));
  EXPECT_EQ(in_memory.clustering.cluster_of_row, in_files.clustering.cluster_of_row);
  EXPECT_TRUE(in_memory.counts == in_files.counts);
  EXPECT_TRUE(in_memory.pair_sums == in_files.pair_sums);
}

TEST(Census, NamesTheSourceOfRowsThatItRefuses) {
  People people = planted_people(20, 2, 3);
  people.features.values.writable()[0] = -1;
  try {
    (void)take_census(people, {.clustering = {.clusters = 2}, .source = "people.csv"}, Key::from_seed(1));
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().source, "people.csv");
    EXPECT_EQ(error.place().row, 1u);
  }
}

TEST(Census, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)take_census(planted_people(20, 2, 3), {.clustering = {.clusters = 2}}, Key::from_seed(1),
                                 Progress({}, &stop)),
               Stopped);
}

class MovieLensCensus : public testing::Test {
 protected:
  void SetUp() override {
    people_ = movielens();
    if (!people_) GTEST_SKIP() << "no movielens-100k in " << data_folder() << "; set HYOBSCURE_DATA";
  }
  std::optional<People> people_;
};

TEST_F(MovieLensCensus, AgreesWithTheDefinitionOnAHandfulOfCells) {
  ASSERT_EQ(people_->size(), 802u);
  ASSERT_EQ(people_->features.columns, 1538u);
  const Census census = take_census(*people_, {.clustering = {.clusters = 10}}, Key::from_seed(1));
  const auto people_in = census.counts.reshaped();
  int compared = 0;
  for (Index a = 0; a < 330; a += 7)
    for (Index b = a; b < 330; b += 41) {
      if (people_in(a) * people_in(b) == 0) continue;
      const double expected = slow_pair_sum(*people_, census, Distance::JensenShannon, a, b);
      EXPECT_NEAR(census.pair_sums(a, b), expected, kJensenShannonError * people_in(a) * people_in(b));
      compared += 1;
    }
  EXPECT_GT(compared, 50);
}

// The figures of mathematics.md, section 11: 0.2565 bits, null 0.2386 +- 0.0171. The clusters depend on the
// key.
TEST_F(MovieLensCensus, ClustersTellLittleMoreAboutAgesThanChanceDoes) {
  const auto clustering = cluster_rows(people_->features, {.clusters = 10}, Key::from_seed(1));
  std::vector<std::uint32_t> group_of_person;
  for (const std::uint32_t secret : people_->secrets)
    group_of_person.push_back(secret <= 6 ? 0 : secret <= 16 ? 1 : secret <= 26 ? 2 : 3);
  const double observed =
      conditional_information(clustering.cluster_of_row, people_->secrets, group_of_person) * kBitsPerNat;
  const auto null =
      permutation_null(clustering.cluster_of_row, people_->secrets, group_of_person, 200, Key::from_seed(2));
  RecordProperty("observed_bits", std::to_string(observed));
  EXPECT_NEAR(observed, 0.26, 0.05);
  EXPECT_NEAR(null.mean_nats * kBitsPerNat, 0.24, 0.04);
  EXPECT_NEAR(null.deviation_nats * kBitsPerNat, 0.017, 0.005);
}

}  // namespace
}  // namespace hyobscure::census
