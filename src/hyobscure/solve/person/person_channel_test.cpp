#include "hyobscure/solve/person/person_channel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr PersonSettings kSharp{.gap_tolerance_bits = 1e-6};
constexpr double kSharpNats = 1e-6 / kBitsPerNat;

/// Pools whose distances stay where they are.
class Crowd {
 public:
  explicit Crowd(std::vector<OwnedPool> owned) : owned_(std::move(owned)) {
    for (const auto& one : owned_) pools_.push_back(one.pool);
  }

  const std::vector<PersonPool>& pools() const { return pools_; }
  ChannelProblem clusters() const { return one_person_clusters(owned_); }
  const OwnedPool& owned(std::size_t g) const { return owned_[g]; }

  double leakage(const std::vector<SparseChannel>& channels) const {
    std::vector<MatrixXd> full;
    for (const auto& channel : channels) full.push_back(dense(channel));
    return conditional_leakage(clusters().joints, full);
  }
  double distance(const std::vector<SparseChannel>& channels) const {
    std::vector<MatrixXd> full;
    for (const auto& channel : channels) full.push_back(dense(channel));
    return expected_distance(clusters(), full);
  }

 private:
  std::vector<OwnedPool> owned_;
  std::vector<PersonPool> pools_;
};

Crowd random_crowd(unsigned seed) {
  std::vector<OwnedPool> owned;
  owned.push_back(random_pool(seed, 9, 3));
  owned.push_back(random_pool(seed + 1000, 5, 2));
  return Crowd(std::move(owned));
}

double between(const Crowd& crowd, const PersonTerms& terms, double share) {
  const double smallest = smallest_person_distance(crowd.pools(), terms);
  return smallest + share * (harmless_person_distance(crowd.pools(), terms) - smallest);
}

class People : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, People, testing::Range(1U, 7U));

TEST_P(People, FreeChannelsAreThoseOfOnePersonClusters) {
  const Crowd crowd = random_crowd(GetParam());
  const PersonTerms terms{.balanced = false};
  const auto result = solve_people_with_multiplier(crowd.pools(), terms, 2.0, kSharp);
  const auto clusters = solve_with_multiplier(crowd.clusters(), 2.0);
  EXPECT_TRUE(result.info.solved);
  EXPECT_NEAR(result.info.objective_nats + 2 * result.info.distance,
              clusters.info.leakage_nats + 2 * clusters.info.distance, kSharpNats);
  EXPECT_NEAR(result.info.informed_nats, crowd.leakage(result.channels), 1e-12);
  EXPECT_NEAR(result.info.distance, crowd.distance(result.channels), 1e-12);
  EXPECT_NEAR(smallest_person_distance(crowd.pools(), terms), smallest_distance(crowd.clusters()), 1e-12);
  EXPECT_NEAR(harmless_person_distance(crowd.pools(), terms), harmless_distance(crowd.clusters()), 1e-12);
}

TEST_P(People, FreeBudgetsLeakWhatOnePersonClustersLeak) {
  const Crowd crowd = random_crowd(GetParam());
  const PersonTerms terms{.balanced = false};
  for (const double share : {0.05, 0.3, 0.6, 0.9}) {
    const double budget = between(crowd, terms, share);
    const auto result = solve_people_with_budget(crowd.pools(), terms, budget, kSharp);
    const auto clusters = solve_with_budget(crowd.clusters(), budget);
    EXPECT_TRUE(result.info.solved);
    EXPECT_LE(result.info.distance, budget + 1e-12);
    EXPECT_NEAR(result.info.informed_nats, clusters.info.leakage_nats, kSharpNats);
    EXPECT_GE(result.info.informed_nats - result.info.gap_nats,
              clusters.info.leakage_nats - kSharpNats - clusters.info.gap_nats);
  }
}

TEST_P(People, AllTermsKeepTheirPromisesForEveryBudget) {
  const Crowd crowd = random_crowd(GetParam());
  for (const bool balanced : {false, true})
    for (const bool own : {false, true}) {
      const PersonTerms terms{.balanced = balanced, .self_donor = own};
      const std::vector<double> budgets{between(crowd, terms, 0.5), between(crowd, terms, 0.1),
                                        between(crowd, terms, 0.8), between(crowd, terms, 1)};
      const auto results = solve_people_with_budgets(crowd.pools(), terms, budgets, kSharp);
      for (std::size_t i = 0; i < budgets.size(); ++i) {
        const auto& [channels, info] = results[i];
        EXPECT_TRUE(info.solved) << balanced << own << i;
        EXPECT_LE(info.distance, budgets[i] + 1e-12);
        EXPECT_NEAR(info.distance, crowd.distance(channels), 1e-12);
        EXPECT_NEAR(info.informed_nats, crowd.leakage(channels), 1e-12);
        for (const auto& channel : channels) {
          const MatrixXd full = dense(channel);
          EXPECT_LE((full.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
          if (balanced) {
            EXPECT_LE((full.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
          }
          if (!own) {
            EXPECT_EQ(full.diagonal().maxCoeff(), 0);
          }
        }
      }
      for (const auto& [more, less] : {std::pair{0, 1}, {2, 0}, {3, 2}}) {
        const auto& roomy = results[static_cast<std::size_t>(more)].info;
        EXPECT_LE(roomy.informed_nats,
                  results[static_cast<std::size_t>(less)].info.informed_nats + roomy.gap_nats);
      }
    }
}

TEST_P(People, BudgetAndMultiplierMeet) {
  const Crowd crowd = random_crowd(GetParam());
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const auto priced = solve_people_with_multiplier(crowd.pools(), terms, 1.5, kSharp);
    const auto result = solve_people_with_budget(crowd.pools(), terms, priced.info.distance, kSharp);
    EXPECT_NEAR(result.info.informed_nats, priced.info.informed_nats, 2 * kSharpNats);
  }
}

TEST_P(People, SmallestDistanceOfBalancedStrangersIsTheCheapestAssignment) {
  const Crowd crowd = random_crowd(GetParam());
  double sum = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    MatrixXd cost = crowd.owned(g).distance;
    cost.diagonal().setConstant(100);
    sum += cheapest_permutation(cost);
  }
  const PersonTerms terms{.balanced = true, .self_donor = false};
  const double smallest = smallest_person_distance(crowd.pools(), terms);
  EXPECT_NEAR(smallest, sum / 14, 1e-9);
  const auto result = solve_people_with_budget(crowd.pools(), terms, smallest, kSharp);
  EXPECT_LE(result.info.distance, smallest + 1e-9);
  EXPECT_TRUE(result.info.solved);
}

TEST(PeopleBudget, FromTheHarmlessDistanceOnNothingLeaks) {
  std::vector<OwnedPool> owned;
  owned.push_back(make_pool(random_pool(3, 8, 1).distance, {0, 0, 0, 1, 1, 2, 2, 2}));
  const Crowd crowd(std::move(owned));
  for (const bool balanced : {false, true})
    for (const bool own : {false, true}) {
      const PersonTerms terms{.balanced = balanced, .self_donor = own};
      const double budget = harmless_person_distance(crowd.pools(), terms) + 1e-9;
      const auto result = solve_people_with_budget(crowd.pools(), terms, budget, kSharp);
      EXPECT_EQ(result.info.iterations, 0);
      EXPECT_TRUE(result.info.solved);
      EXPECT_NEAR(crowd.leakage(result.channels), 0, 1e-15);
      EXPECT_LE(result.info.distance, budget);
      const MatrixXd full = dense(result.channels.front());
      EXPECT_LE((full.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
      if (balanced) {
        EXPECT_LE((full.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
      }
      if (!own) {
        EXPECT_EQ(full.diagonal().maxCoeff(), 0);
      }
    }
}

TEST(PeopleBudget, ARowWithoutItsOwnersValueMustLeakWhenBalanced) {
  std::vector<OwnedPool> owned;
  owned.push_back(random_pool(4, 5, 5));  // everybody has a value of their own
  const Crowd crowd(std::move(owned));
  const PersonTerms terms{.balanced = true, .self_donor = false};
  const auto result = solve_people_with_budget(crowd.pools(), terms, 100, kSharp);
  EXPECT_TRUE(result.info.solved);
  // By symmetry and convexity the uniform donor is the best: log 5 - log 4.
  EXPECT_NEAR(result.info.informed_nats, std::log(5.0 / 4), kSharpNats);
}

TEST(PeopleBudget, AtTheSmallestDistanceTwinsStillHideEachOther) {
  // Two pairs of twins; within a pair the values differ.
  MatrixXd distance = MatrixXd::Ones(4, 4);
  distance.topLeftCorner(2, 2).setZero();
  distance.bottomRightCorner(2, 2).setZero();
  std::vector<OwnedPool> owned;
  owned.push_back(make_pool(distance, {0, 1, 0, 2}));
  const Crowd crowd(std::move(owned));
  const auto clusters = solve_with_budget(crowd.clusters(), 0);
  for (const bool balanced : {false, true}) {
    const auto result = solve_people_with_budget(crowd.pools(), {.balanced = balanced}, 0, kSharp);
    EXPECT_LE(result.info.distance, 1e-12);
    EXPECT_NEAR(result.info.informed_nats, clusters.info.leakage_nats, kSharpNats);
    EXPECT_TRUE(result.info.solved);
  }
}

/// On this pool the interior point once returned NaN at the prices that a budget at the smallest distance
/// leads to: no factor of the row sums had any digits left.
OwnedPool crowd_on_a_coarse_grid() {
  std::mt19937 rng(115);
  const auto people = static_cast<Index>(6 + rng() % 30);
  const auto dimensions = static_cast<Index>(1 + rng() % 3);
  return pool_of_ties(rng, people, dimensions, 5);
}

TEST(PeopleBudget, AtTheSmallestDistanceOfManyTiesTheAnswerIsAChannelWithinTheBudget) {
  std::vector<OwnedPool> owned;
  owned.push_back(crowd_on_a_coarse_grid());
  const Crowd crowd(std::move(owned));
  const PersonTerms terms{.balanced = true, .self_donor = false};
  const PersonSettings settings{.gap_tolerance_bits = 1e-3, .max_iterations = 300};
  const double smallest = smallest_person_distance(crowd.pools(), terms);
  for (const double more : {0.0, 1e-13, 1e-9, 1e-3}) {
    const auto result = solve_people_with_budget(crowd.pools(), terms, smallest + more, settings);
    EXPECT_TRUE(std::isfinite(result.info.informed_nats));
    EXPECT_TRUE(std::isfinite(result.info.gap_nats));
    EXPECT_LE(result.info.distance, smallest + more + 2e-12);
    const MatrixXd channel = dense(result.channels.front());
    EXPECT_TRUE(channel.allFinite());
    EXPECT_GE(channel.minCoeff(), 0);
    EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_LE((channel.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
    EXPECT_EQ(channel.diagonal().maxCoeff(), 0);
    EXPECT_NEAR(crowd.leakage(result.channels), result.info.informed_nats, 1e-10);
    const double people = static_cast<double>(channel.rows());
    EXPECT_LE(channel.cwiseProduct(crowd.owned(0).distance).sum() / people, smallest + more + 2e-12);
  }
}

TEST(PeopleBudget, MoreOfItNeverCostsLeakageToTheLearnedAttacker) {
  // Nobody publishes themselves: what is harmless to the informed attacker leaks to a model of something
  // else.
  OwnedPool made = make_pool(solve::random_pool(1, 8, 2).distance, {0, 1, 0, 1, 0, 1, 0, 1});
  made.pool.learned.resize(8, 2);
  for (Index u = 0; u < 8; ++u)
    for (Index y = 0; y < 2; ++y) made.pool.learned(u, y) = u / 2 % 2 == y ? 0.99f : 0.01f;
  const std::span<const PersonPool> pools{&made.pool, 1};
  const PersonSettings settings{.gap_tolerance_bits = 1e-4};
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{
        .informed_weight = 0.2, .learned_weight = 0.8, .balanced = balanced, .self_donor = false};
    const double harmless = harmless_person_distance(pools, terms);
    const auto less = solve_people_with_budget(pools, terms, 0.9 * harmless, settings);
    const auto more = solve_people_with_budget(pools, terms, 1.5 * harmless, settings);
    EXPECT_TRUE(more.info.solved);
    EXPECT_LE(more.info.objective_nats, less.info.objective_nats + 1e-4);
  }
}

TEST(PeopleAccounts, CountTheLearnedAttackerToo) {
  Crowd crowd = random_crowd(8);
  auto pools = crowd.pools();
  std::mt19937 rng(8);
  std::uniform_real_distribution<float> uniform(0.1F, 1);
  std::vector<MatrixXd> joints;
  std::vector<MatrixXd> full;
  std::vector<SparseChannel> channels;
  for (auto& pool : pools) {
    pool.learned.resize(static_cast<Index>(pool.size()), pool.values);
    for (auto& belief : pool.learned.reshaped()) belief = uniform(rng);
    pool.learned.array().colwise() /= pool.learned.rowwise().sum().eval().array();
    joints.push_back(pool.learned.cast<double>() / 14);
  }
  const auto result = solve_people_with_multiplier(pools, {}, 1.0, kSharp);
  for (const auto& channel : result.channels) full.push_back(dense(channel));
  EXPECT_NEAR(result.info.learned_nats, conditional_leakage(joints, full), 1e-7);  // floats
  EXPECT_DOUBLE_EQ(result.info.objective_nats, result.info.informed_nats);
  const auto again = evaluate_people(pools, {}, result.channels);
  EXPECT_DOUBLE_EQ(again.informed_nats, result.info.informed_nats);
  EXPECT_DOUBLE_EQ(again.learned_nats, result.info.learned_nats);
  EXPECT_NEAR(again.distance, result.info.distance, 1e-14);
  EXPECT_TRUE(std::isnan(again.gap_nats));
  EXPECT_TRUE(std::isnan(evaluate_people(crowd.pools(), {}, result.channels).learned_nats));
}

TEST(PeopleAccounts, DoNotDependOnTheNumberOfThreads) {
  const Crowd crowd = random_crowd(9);
  std::vector<PersonResult> results;
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    results.push_back(solve_people_with_budget(crowd.pools(), {}, between(crowd, {}, 0.4)));
  }
  EXPECT_EQ(results[0].info.informed_nats, results[1].info.informed_nats);
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_EQ(results[0].channels[g].donors, results[1].channels[g].donors);
    EXPECT_EQ(results[0].channels[g].probabilities, results[1].channels[g].probabilities);
  }
}

TEST(PeopleAccounts, StopWhenAsked) {
  const Crowd crowd = random_crowd(10);
  const std::atomic<bool> stop{true};
  const Progress progress({}, &stop);
  EXPECT_THROW((void)solve_people_with_multiplier(crowd.pools(), {}, 1, {}, progress), Stopped);
  EXPECT_THROW((void)solve_people_with_budget(crowd.pools(), {}, 0.1, {}, progress), Stopped);
}

// Stopped when it first tells of channels within the budget: those are worth keeping, and what is said of
// them is true.
TEST(PeopleAccounts, StoppedLaterIsTheBestSoFarWithItsProvenGap) {
  for (unsigned seed = 11; seed < 15; ++seed) {
    const Crowd crowd = random_crowd(seed);
    const double budget = between(crowd, {}, 0.4);
    std::atomic<bool> stop{false};
    int told = 0;
    const Progress progress([&](std::string_view, double, double) { stop = ++told >= 2; }, &stop);
    const PersonResult found = solve_people_with_budget(crowd.pools(), {}, budget, kSharp, progress);
    const PersonResult best = solve_people_with_budget(crowd.pools(), {}, budget, kSharp);
    EXPECT_TRUE(stop);
    EXPECT_LE(found.info.distance, budget + 1e-9);
    EXPECT_NEAR(found.info.distance, crowd.distance(found.channels), 1e-9);
    EXPECT_NEAR(found.info.informed_nats, crowd.leakage(found.channels), 1e-9);
    EXPECT_TRUE(std::isfinite(found.info.gap_nats));
    EXPECT_LE(found.info.objective_nats - found.info.gap_nats, best.info.objective_nats + 1e-9);
    EXPECT_EQ(found.info.solved, found.info.gap_nats <= kSharpNats);
    EXPECT_GE(found.info.objective_nats, best.info.objective_nats - kSharpNats);
  }
}

// ---- Refusals ----

template <class Call>
void expect_refusal(const Call& call, const std::string& source, const std::string& text) {
  try {
    call();
    FAIL() << "expected InputError about " << source;
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().source, source);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(PeopleRefusals, NameTheSmallestDistance) {
  const Crowd crowd = random_crowd(11);
  expect_refusal([&] { (void)solve_people_with_budget(crowd.pools(), {}, -0.1); }, "budget",
                 "The smallest that can be reached is 0.");
  const PersonTerms strangers{.balanced = false, .self_donor = false};
  expect_refusal([&] { (void)solve_people_with_budget(crowd.pools(), strangers, 0.001); }, "budget",
                 fmt::format("{:.6g}", smallest_person_distance(crowd.pools(), strangers)));
}

TEST(PeopleRefusals, SayWhatIsWrong) {
  const Crowd crowd = random_crowd(12);
  const auto with = [&](auto change) {
    auto pools = crowd.pools();
    change(pools.front());
    (void)solve_people_with_multiplier(pools, {}, 1);
  };
  expect_refusal([&] { with([](PersonPool& pool) { pool.value_of_person.clear(); }); }, "pools", "nobody");
  expect_refusal([&] { with([](PersonPool& pool) { pool.value_of_person.pop_back(); }); }, "distances",
                 "all people");
  expect_refusal([&] { with([](PersonPool& pool) { pool.distances = nullptr; }); }, "distances",
                 "all people");
  expect_refusal([&] { with([](PersonPool& pool) { pool.values = 2; }); }, "value_of_person", "range");
  expect_refusal([&] { with([](PersonPool& pool) { pool.learned.setOnes(2, 2); }); }, "learned", "one row");
  expect_refusal([&] { with([](PersonPool& pool) { pool.learned.setOnes(9, 3); }); }, "learned", "sum to 1");
  expect_refusal([&] { with([](PersonPool& pool) { pool.candidates = {{0}}; }); }, "candidates", "one list");
  expect_refusal([&] { with([](PersonPool& pool) { pool.candidates.assign(9, {3, 1}); }); }, "candidates",
                 "ascending");

  const auto pools = std::span(crowd.pools());
  expect_refusal([&] { (void)solve_people_with_multiplier({}, {}, 1); }, "pools", "none");
  expect_refusal([&] { (void)solve_people_with_multiplier(pools, {}, -1); }, "multiplier", "from 0");
  expect_refusal([&] { (void)solve_people_with_multiplier(pools, {.informed_weight = 0}, 1); }, "terms",
                 "above 0");
  expect_refusal([&] { (void)solve_people_with_multiplier(pools, {.learned_weight = 1}, 1); }, "learned",
                 "no model");
  expect_refusal([&] { (void)solve_people_with_multiplier(pools, {}, 1, {.gap_tolerance_bits = 0}); },
                 "gap_tolerance_bits", "above 0");
  expect_refusal([&] { (void)solve_people_with_budget(pools, {}, kUnset); }, "budget", "finite");
  expect_refusal([&] { (void)solve_people_with_budgets(pools, {}, {}); }, "budget", "none");
  expect_refusal([&] { (void)evaluate_people(pools, {}, {}); }, "channels", "one for each pool");
}

TEST(PeopleRefusals, DistancesThatAreNone) {
  MatrixXd distance = random_pool(13, 4, 2).distance;
  distance(2, 1) = -1;
  const OwnedPool owned = make_pool(distance, {0, 1, 0, 1});
  expect_refusal([&] { (void)solve_people_with_multiplier({&owned.pool, 1}, {}, 1); }, "distances",
                 "not negative");
}

// ---- Pools with candidates ----

/// People on a grid without borders, 50 wide, and no table: a row costs more than a large pool may spend, and
/// is refused.
class Grid final : public PersonDistances {
 public:
  static constexpr std::uint32_t kWidth = 50;

  explicit Grid(std::uint32_t height) : height_(height) {}
  std::size_t size() const override { return std::size_t{kWidth} * height_; }
  void row(std::size_t, std::span<float>) const override {
    throw std::logic_error("a pool with candidates must not read whole rows");
  }
  void distances_to(std::size_t person, std::span<const std::uint32_t> donors,
                    std::span<float> to) const override {
    const auto u = static_cast<std::uint32_t>(person);
    for (std::size_t k = 0; k < donors.size(); ++k)
      to[k] = static_cast<float>(0.1 * std::hypot(apart(u % kWidth, donors[k] % kWidth, kWidth),
                                                  apart(u / kWidth, donors[k] / kWidth, height_)));
  }
  std::uint32_t person(std::uint32_t column, std::uint32_t row) const {
    return row % height_ * kWidth + column % kWidth;
  }

 private:
  static double apart(std::uint32_t a, std::uint32_t b, std::uint32_t round) {
    const std::uint32_t steps = a > b ? a - b : b - a;
    return std::min(steps, round - steps);
  }

  std::uint32_t height_;
};

/// Everybody's 24 neighbours on the grid, and oneself. Values come in stripes, so that neighbours tell.
PersonPool pool_on_grid(const Grid& grid) {
  const auto people = static_cast<std::uint32_t>(grid.size());
  PersonPool pool{.distances = &grid, .value_of_person = {}, .values = 3};
  std::mt19937 rng(8);
  for (std::uint32_t u = 0; u < people; ++u) {
    pool.value_of_person.push_back(static_cast<std::uint32_t>(rng() % 3 == 0 ? rng() % 3 : u / 2 % 3));
    auto& donors = pool.candidates.emplace_back();
    for (std::uint32_t shift = 0; shift < 25; ++shift)
      donors.push_back(grid.person(u % Grid::kWidth + Grid::kWidth + shift % 5 - 2,
                                   u / Grid::kWidth + people + shift / 5 - 2));
    std::ranges::sort(donors);
  }
  return pool;
}

TEST(PeopleWithCandidates, StayWithinTheirBudgetsWithoutReadingARow) {
  const Grid grid(60);
  const PersonPool pool = pool_on_grid(grid);
  const std::span<const PersonPool> pools(&pool, 1);
  const PersonSettings settings{.gap_tolerance_bits = 1e-2};
  for (const bool balanced : {false, true}) {
    SCOPED_TRACE(balanced);
    const PersonTerms terms{.balanced = balanced};
    const double smallest = smallest_person_distance(pools, terms);
    const double uniform = harmless_person_distance(pools, terms);
    EXPECT_EQ(smallest, 0);
    const double of_25 = 4 * (1 + 2 + std::sqrt(2.0) + std::sqrt(8.0)) + 8 * std::sqrt(5.0);
    EXPECT_NEAR(uniform, 0.1 * of_25 / 25, balanced ? 0.01 : 1e-6);  // balance may add the next person
    const std::vector<double> budgets = {0.5 * uniform, 10.0};
    const auto results = solve_people_with_budgets(pools, terms, budgets, settings);
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      const PersonInfo& info = results[i].info;
      EXPECT_TRUE(info.solved);
      EXPECT_FALSE(info.all_donors);
      EXPECT_LE(info.distance, budgets[i]);
      const PersonInfo again = evaluate_people(pools, terms, results[i].channels);
      EXPECT_NEAR(again.distance, info.distance, 1e-9);
      EXPECT_NEAR(again.informed_nats, info.informed_nats, 1e-9);
    }
    // A budget beyond the reach of the candidates hides as much as they can.
    EXPECT_LT(results[1].info.informed_nats, results[0].info.informed_nats);
    EXPECT_EQ(results[1].info.multiplier, 0);
  }
}

TEST(PeopleWithCandidates, BalancedStrangersKnowABoundOnTheirDistance) {
  const Grid grid(20);
  const PersonPool pool = pool_on_grid(grid);
  const std::span<const PersonPool> pools(&pool, 1);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced, .self_donor = false};
    EXPECT_NEAR(smallest_person_distance(pools, terms), 0.1, 1e-7);  // the next person, all along a line
    const auto result = solve_people_with_budget(pools, terms, 0.16, {.gap_tolerance_bits = 1e-2});
    EXPECT_TRUE(result.info.solved);
    EXPECT_LE(result.info.distance, 0.16);
  }
}

TEST(PersonDistances, SomeAgreeWithTheRow) {
  struct RowsOnly final : PersonDistances {
    std::size_t size() const override { return 5; }
    void row(std::size_t person, std::span<float> to) const override {
      for (std::size_t v = 0; v < 5; ++v) to[v] = static_cast<float>(10 * person + v);
    }
  };
  const RowsOnly rows;
  DistanceMatrix::Table table(5, 5);
  for (std::size_t u = 0; u < 5; ++u) rows.row(u, {table.row(static_cast<Eigen::Index>(u)).data(), 5});
  const DistanceMatrix kept(table);
  const std::vector<std::uint32_t> donors = {4, 0, 2, 2};
  for (std::size_t u = 0; u < 5; ++u) {
    std::vector<float> by_default(4), from_table(4);
    rows.distances_to(u, donors, by_default);
    kept.distances_to(u, donors, from_table);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(by_default[k], static_cast<float>(10 * u + donors[k]));
      EXPECT_EQ(from_table[k], by_default[k]);
    }
  }
}

}  // namespace
}  // namespace hyobscure::solve
