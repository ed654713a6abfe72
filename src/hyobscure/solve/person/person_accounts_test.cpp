#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Some donors of each person, with probabilities that sum to 1; some donors may have nobody.
SparseChannel random_sparse_channel(std::size_t people, std::size_t donors, std::mt19937& rng) {
  std::uniform_real_distribution<double> weight(0.01, 1);
  SparseChannel channel;
  for (std::size_t u = 0; u < people; ++u) {
    const std::size_t begin = channel.donors.size();
    double sum = 0;
    for (std::size_t j = 0; j < people && channel.donors.size() < begin + donors; ++j) {
      if (rng() % people > 2 * donors && people - j > donors - (channel.donors.size() - begin)) continue;
      channel.donors.push_back(static_cast<std::uint32_t>(j));
      channel.probabilities.push_back(weight(rng));
      sum += channel.probabilities.back();
    }
    for (std::size_t e = begin; e < channel.donors.size(); ++e) channel.probabilities[e] /= sum;
    channel.starts.push_back(channel.donors.size());
  }
  return channel;
}

TEST(PersonAccounts, InformationAndDistanceAreThoseOfTheDefinition) {
  std::mt19937 rng(3);
  for (unsigned seed = 1; seed < 9; ++seed) {
    const std::uint32_t people = 20 + 7 * seed;
    const OwnedPool owned = pool_with_model(seed, people, 2 + seed % 4);
    const SparseChannel channel = random_sparse_channel(people, 1 + seed, rng);
    const MatrixXd x = dense(channel);
    EXPECT_NEAR(informed_information(owned.pool, channel),
                information_by_definition(informed_beliefs(owned.pool), x), 1e-10);
    EXPECT_NEAR(learned_information(owned.pool, channel),
                information_by_definition(owned.pool.learned.cast<double>(), x), 1e-10);
    EXPECT_NEAR(total_distance(owned.pool, channel), x.cwiseProduct(owned.distance).sum(), 1e-10);
  }
}

TEST(PersonAccounts, OneOwnRowEachTellsTheWholeSecretAndMovesNobody) {
  const OwnedPool owned = random_pool(4, 30, 5);
  std::vector<std::uint32_t> oneself(30);
  std::iota(oneself.begin(), oneself.end(), 0U);
  const SparseChannel channel = one_donor_each(oneself);
  EXPECT_TRUE(dense(channel).isIdentity(0));
  double entropy = 0;  // of the values, people weighing 1
  for (const double share : informed_shares(owned.pool)) entropy -= 30 * share * std::log(share);
  EXPECT_NEAR(informed_information(owned.pool, channel), entropy, 1e-12);
  EXPECT_EQ(total_distance(owned.pool, channel), 0);
}

TEST(PersonAccounts, OneDonorForEverybodyTellsNothing) {
  const OwnedPool owned = pool_with_model(5, 40, 3);
  const SparseChannel channel = one_donor_each(std::vector<std::uint32_t>(40, 7));
  EXPECT_NEAR(informed_information(owned.pool, channel), 0, 1e-12);
  EXPECT_GE(informed_information(owned.pool, channel), 0);
  EXPECT_NEAR(learned_information(owned.pool, channel), 0, 1e-12);
  EXPECT_NEAR(total_distance(owned.pool, channel), owned.distance.col(7).sum(), 1e-12);
}

TEST(PersonAccounts, HaveTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 rng(8);
  const OwnedPool owned = pool_with_model(6, 300, 4);  // several blocks of people
  const SparseChannel channel = random_sparse_channel(300, 9, rng);
  std::vector<double> figures;
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    figures.push_back(informed_information(owned.pool, channel));
    figures.push_back(learned_information(owned.pool, channel));
    figures.push_back(total_distance(owned.pool, channel));
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(figures[k], figures[k + 3]);
}

TEST(PersonAccounts, RefuseDistancesThatAreNone) {
  for (const double wrong : {-1e-3, std::numeric_limits<double>::infinity(), std::nan("")}) {
    MatrixXd distance = MatrixXd::Ones(3, 3);
    distance(1, 2) = wrong;
    const OwnedPool owned = make_pool(distance, {0, 1, 0});
    std::vector<float> row(3);
    EXPECT_NO_THROW(read_distances(owned.pool, 0, row));
    EXPECT_THROW(read_distances(owned.pool, 1, row), InputError);
    std::vector<float> some;
    EXPECT_NO_THROW(read_distances(owned.pool, 1, std::vector<std::uint32_t>{0, 1}, some));
    EXPECT_EQ(some, (std::vector<float>{1, 1}));
    EXPECT_THROW(read_distances(owned.pool, 1, std::vector<std::uint32_t>{0, 2}, some), InputError);
    EXPECT_THROW((void)total_distance(owned.pool, one_donor_each({0, 2, 1})), InputError);
  }
}

}  // namespace
}  // namespace hyobscure::solve
