#include <gtest/gtest.h>

#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/person/person_channel.h"
#include "hyobscure/solve/person/person_terms.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

RowMatrixXf random_distributions(Eigen::Index rows, Eigen::Index columns, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(0.01F, 1);
  RowMatrixXf result = RowMatrixXf::NullaryExpr(rows, columns, [&] { return uniform(random); });
  result.array().colwise() /= result.rowwise().sum().array().eval();
  return result;
}

/// A model that says mixtures of profiles, two blocks of `width`; and the same with the mixtures written out.
struct Both {
  OwnedPool profiled, plain;
};

Both make_both(unsigned seed, std::uint32_t people, std::uint32_t values, Eigen::Index width) {
  std::mt19937 random(seed);
  Both both{random_pool(seed, people, values), random_pool(seed, people, values)};
  PersonPool& pool = both.profiled.pool;
  pool.learned = random_distributions(people, width, random);
  pool.profiles = random_distributions(2 * width, values, random);
  for (std::uint32_t u = 0; u < people; ++u) pool.profile_block.push_back(u % 3 == 0);
  both.plain.pool.learned.resize(people, values);
  for (std::uint32_t u = 0; u < people; ++u)
    both.plain.pool.learned.row(u) =
        pool.learned.row(u) * pool.profiles.middleRows(pool.profile_block[u] * width, width);
  return both;
}

TEST(PersonProfiles, AreTheMixturesWrittenOut) {
  for (const Eigen::Index width : {3, 8}) {
    const Both both = make_both(1, 60, 12, width);
    for (std::size_t u = 0; u < 60; ++u)
      EXPECT_TRUE(posterior(both.profiled.pool, u).isApprox(posterior(both.plain.pool, u), 1e-5));
    for (const bool balanced : {true, false}) {
      const PersonTerms terms{.informed_weight = 0.3, .learned_weight = 0.7, .balanced = balanced};
      const PersonSettings settings{.gap_tolerance_bits = 1e-4};
      const PersonResult profiled =
          solve_people_with_multiplier({&both.profiled.pool, 1}, terms, 0.5, settings);
      const PersonResult plain = solve_people_with_multiplier({&both.plain.pool, 1}, terms, 0.5, settings);
      EXPECT_TRUE(profiled.info.solved && plain.info.solved);
      const auto value = [](const PersonInfo& info) { return info.objective_nats + 0.5 * info.distance; };
      EXPECT_NEAR(value(profiled.info), value(plain.info), 1e-4 / kBitsPerNat + 1e-6);
      // the accounts agree for one and the same channel
      const PersonInfo a = evaluate_people({&both.profiled.pool, 1}, terms, profiled.channels);
      const PersonInfo b = evaluate_people({&both.plain.pool, 1}, terms, profiled.channels);
      EXPECT_NEAR(a.learned_nats, b.learned_nats, 1e-6);
      EXPECT_NEAR(a.learned_nats, profiled.info.learned_nats, 1e-9);
    }
  }
}

TEST(PersonProfiles, BlocksThatDoNotFitAreRefused) {
  const PersonTerms terms{.informed_weight = 0.5, .learned_weight = 0.5};
  Both both = make_both(2, 20, 5, 3);
  both.profiled.pool.profile_block[4] = 2;
  EXPECT_THROW((void)solve_people_with_multiplier({&both.profiled.pool, 1}, terms, 0.5), InputError);
  both = make_both(2, 20, 5, 3);
  both.profiled.pool.profiles.row(0) *= 2;
  EXPECT_THROW((void)solve_people_with_multiplier({&both.profiled.pool, 1}, terms, 0.5), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
