#include <gtest/gtest.h>

#include <memory>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_channel.h"
#include "hyobscure/solve/person/person_many.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

/// Pools that are made when they are asked for.
class MadePools final : public PoolSource {
 public:
  /// Distances of every third pool are `wider` times as large.
  MadePools(std::size_t pools, std::uint32_t people, double wider = 1) {
    for (std::size_t g = 0; g < pools; ++g) {
      OwnedPool made =
          random_pool(static_cast<unsigned>(g + 1), people + static_cast<std::uint32_t>(g % 3), 4);
      if (g % 3 == 0) made = make_pool(wider * made.distance, made.pool.value_of_person);
      pools_.push_back(std::move(made));
    }
  }
  std::size_t size() const override { return pools_.size(); }
  std::size_t people(std::size_t pool) const override { return pools_[pool].pool.size(); }
  std::size_t stratum(std::size_t pool) const override { return pool % 2; }
  double spread(std::size_t pool) const override { return pools_[pool].distance.mean(); }
  bool own_rows_are_free() const override { return true; }
  std::shared_ptr<const PersonPool> load(std::size_t pool) const override {
    return std::make_shared<PersonPool>(pools_[pool].pool);
  }
  std::vector<PersonPool> together() const {
    std::vector<PersonPool> all;
    for (const OwnedPool& owned : pools_) all.push_back(owned.pool);
    return all;
  }

 private:
  std::vector<OwnedPool> pools_;
};

TEST(PersonMany, MeetsTheSearchWithAllPoolsInMemory) {
  const MadePools pools(12, 40);
  const auto together = pools.together();
  for (const bool balanced : {true, false}) {
    const PersonTerms terms{.balanced = balanced};
    const double harmless = harmless_person_distance(together, terms);
    for (const double share : {0.2, 0.5, 0.8}) {
      const double budget = share * harmless;
      const PersonSettings settings{.gap_tolerance_bits = 2e-3};
      const PersonResult many = solve_many_pools_with_budget(pools, terms, budget, settings);
      const PersonResult exact =
          solve_people_with_budget(together, terms, budget, {.gap_tolerance_bits = 1e-6});
      EXPECT_LE(many.info.distance, budget * (1 + 1e-9)) << share;
      EXPECT_LE(many.info.objective_nats, exact.info.objective_nats + many.info.gap_nats + 1e-9);
      EXPECT_GE(many.info.objective_nats, exact.info.objective_nats - exact.info.gap_nats - 1e-9);
      EXPECT_TRUE(many.info.solved) << share << " gap " << many.info.gap_nats * kBitsPerNat;
      // what it says of its channels is what they do
      const PersonInfo info = evaluate_people(together, terms, many.channels);
      EXPECT_NEAR(info.informed_nats, many.info.informed_nats, 1e-12);
      EXPECT_NEAR(info.distance, many.info.distance, 1e-7);
    }
  }
}

TEST(PersonMany, ScoutsStandForWiderPoolsToo) {
  const MadePools pools(30, 30, 3);
  const auto together = pools.together();
  const double budget = 0.5 * harmless_person_distance(together, {});
  const PersonResult many = solve_many_pools_with_budget(pools, {}, budget, {.gap_tolerance_bits = 2e-3});
  const PersonResult exact = solve_people_with_budget(together, {}, budget, {.gap_tolerance_bits = 1e-6});
  EXPECT_TRUE(many.info.solved);
  EXPECT_LE(many.info.distance, budget * (1 + 1e-9));
  EXPECT_LE(many.info.objective_nats, exact.info.objective_nats + 2e-3 / kBitsPerNat);
}

TEST(PersonMany, ABudgetBeyondEverythingNeedLeakNothing) {
  const MadePools pools(6, 30);
  const double harmless = harmless_person_distance(pools.together(), {});
  const PersonResult result =
      solve_many_pools_with_budget(pools, {}, 1.5 * harmless, {.gap_tolerance_bits = 1e-3});
  EXPECT_LT(result.info.objective_nats, 1e-3);
  EXPECT_LE(result.info.distance, 1.5 * harmless);
}

TEST(PersonMany, DoesNotDependOnThreads) {
  const MadePools pools(7, 30);
  PersonResult results[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    results[threads - 1] = solve_many_pools_with_budget(pools, {}, 0.15, {.gap_tolerance_bits = 1e-3});
  }
  ASSERT_EQ(results[0].channels.size(), results[1].channels.size());
  for (std::size_t g = 0; g < results[0].channels.size(); ++g) {
    EXPECT_EQ(results[0].channels[g].donors, results[1].channels[g].donors);
    EXPECT_EQ(results[0].channels[g].probabilities, results[1].channels[g].probabilities);
  }
}

TEST(PersonMany, TheSmallestDistanceIsThatOfThePoolsTogether) {
  const MadePools pools(4, 20);
  const PersonTerms nobody_themselves{.balanced = false, .self_donor = false};
  EXPECT_NEAR(smallest_person_distance(pools, nobody_themselves),
              smallest_person_distance(pools.together(), nobody_themselves), 1e-12);
  EXPECT_EQ(smallest_person_distance(pools, {}), 0);
}

/// Solves pools from the last to the first, and loads each anew.
class BackwardPools final : public PoolSolver {
 public:
  BackwardPools(const MadePools& pools, const PersonSettings& settings)
      : pools_(pools), settings_(settings), channels_(pools.size()) {}

  std::vector<PoolFigures> solve(std::span<const PoolOrder> orders, const Progress&) override {
    std::vector<PoolFigures> figures(orders.size());
    for (std::size_t n = orders.size(); n-- > 0;) {
      SparseChannel& channel = channels_[orders[n].pool];
      SolvedPool solved =
          solve_order(*pools_.load(orders[n].pool), {}, settings_, orders[n], std::move(channel));
      channel = std::move(solved.channel);
      figures[n] = solved.figures;
    }
    solved_ += orders.size();
    return figures;
  }
  OwnRows own_rows(std::size_t pool) const override { return own_rows_of(*pools_.load(pool)); }
  std::vector<SparseChannel> take_channels() override { return std::move(channels_); }
  std::size_t solved() const { return solved_; }

 private:
  const MadePools& pools_;
  const PersonSettings& settings_;
  std::vector<SparseChannel> channels_;
  std::size_t solved_ = 0;
};

TEST(PersonMany, WhoSolvesThePoolsDoesNotMatter) {
  const MadePools pools(10, 30);
  const double budget = 0.4 * harmless_person_distance(pools.together(), {});
  const PersonSettings settings{.gap_tolerance_bits = 2e-3};
  BackwardPools solver(pools, settings);
  const PersonResult one = solve_many_pools_with_budget(pools, solver, {}, budget, settings);
  const PersonResult other = solve_many_pools_with_budget(pools, {}, budget, settings);
  EXPECT_GE(solver.solved(), 2 * pools.size());
  EXPECT_EQ(one.info.multiplier, other.info.multiplier);
  EXPECT_EQ(one.info.distance, other.info.distance);
  EXPECT_EQ(one.info.objective_nats, other.info.objective_nats);
  EXPECT_EQ(one.info.gap_nats, other.info.gap_nats);
  ASSERT_EQ(one.channels.size(), other.channels.size());
  for (std::size_t g = 0; g < one.channels.size(); ++g) {
    EXPECT_EQ(one.channels[g].donors, other.channels[g].donors);
    EXPECT_EQ(one.channels[g].probabilities, other.channels[g].probabilities);
  }
}

}  // namespace
}  // namespace hyobscure::solve
