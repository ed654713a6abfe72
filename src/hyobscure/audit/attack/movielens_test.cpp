// The paper's first data set, where it is at hand; the figures are those of the authors' program.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "hyobscure/audit/attack/attack.h"
#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/test_publications.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/audit/utility/recommend.h"
#include "hyobscure/audit/utility/utility_repetitions.h"

namespace hyobscure::audit {
namespace {

class MovieLens : public testing::Test {
 protected:
  void SetUp() override {
    people_ = census::movielens();
    if (!people_) GTEST_SKIP() << "no movielens-100k in " << census::data_folder() << "; set HYOBSCURE_DATA";
  }

  std::optional<data::People> people_;
};

class MovieLensUtility : public MovieLens {};

class MovieLensAttack : public MovieLens {
 protected:
  // Scenario I on the true rows with groups that begin at these ages.
  std::vector<AttackResult> attack_groups(const std::vector<std::uint32_t>& first_ages,
                                          const AttackSettings& settings) const {
    std::vector<std::uint32_t> group_of_person;
    for (const std::uint32_t secret : people_->secrets)
      group_of_person.push_back(static_cast<std::uint32_t>(
          std::upper_bound(first_ages.begin(), first_ages.end(), secret + 18) - first_ages.begin() - 1));
    std::vector<double> ages(33);
    std::iota(ages.begin(), ages.end(), 18.0);
    const AttackTargets targets{.features = people_->features,
                                .value_of_person = people_->secrets,
                                .values = 33,
                                .numbers = ages,
                                .group_of_person = group_of_person,
                                .groups = static_cast<std::uint32_t>(first_ages.size())};
    return attack(
        targets, [&](int) { return Publication{people_->features, own_rows(people_->size())}; }, Scenario::I,
        settings, Key::from_seed(1));
  }
};

// A mean of ten splits deviates from another by about .02 (their deviation over seeds is .045 for the
// forest); .05 on either side.
TEST_F(MovieLensAttack, HasTheErrorsOfTheAuthorsProgramWithTheirGroups) {
  const auto found = attack_groups(
      {18, 25, 35, 45}, {.attackers = {Attacker::Forest, Attacker::PaperBoosting}, .repetitions = 10});
  EXPECT_EQ(found[0].known_people, 401U);
  EXPECT_NEAR(found[0].error.unobscured.mean, 2.129, 0.05);
  EXPECT_NEAR(found[1].error.unobscured.mean, 2.177, 0.05);
  EXPECT_NEAR(found[0].error.group_only.mean, 2.12, 0.05);
  // What mathematics.md says of these groups: features give nothing beyond the group.
  for (const AttackResult& result : found) EXPECT_FALSE(result.error.advantage.above_zero());
}

TEST_F(MovieLensAttack, FindsTheSignalThatWiderGroupsLeave) {
  const auto found = attack_groups({18, 30}, {.attackers = {Attacker::Forest}, .repetitions = 5});
  EXPECT_TRUE(found[0].error.advantage.above_zero());
  EXPECT_NEAR(found[0].error.unobscured.mean, 4.05, 0.15);  // their other splits: 4.00
  EXPECT_NEAR(found[0].error.group_only.mean, 4.28, 0.15);
}

// The authors publish a random half of the people. results.md gives 1.0244 for true rows, and 1.0363
// to 1.0366 for rows of nearly anybody (DP 3, Frapp 60, Sim 0), without the columns that their program takes
// for films. One split deviates by .040, and by .004 in the paired loss (300 splits of another, dense
// program, whose means are 1.040 and .0150); their means of ten by .0126 and .0013. Three times that, and for
// the loss half as much again, as their rows are not quite anybody's: Frapp 60 publishes 13 % of the people
// as they are.
TEST_F(MovieLensUtility, PredictsRatingsAsWellAsTheAuthorsProgram) {
  const std::vector<std::uint32_t> own = own_rows(people_->size());
  double rmse = 0, loss = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const data::SparseRows half = rows_of({.rows = &people_->features, .row_of_person = own},
                                          split_by_share(802, 0.5, Key::from_seed(seed)).known);
    const UtilityFigures found =
        *recommend(half, rows_of_anybody(half), {}, Key::from_seed(seed)).rating_prediction.figures;
    rmse += found.unobscured.mean / 12;
    loss += found.loss.mean / 12;
  }
  EXPECT_NEAR(rmse, 1.0244, 0.038);
  EXPECT_NEAR(loss, 0.0120, 0.006);
}

// What utility.md says: features add little to the mean rating of a film, and much to its popularity.
TEST_F(MovieLensUtility, RowsOfAnybodyCostAllThatFeaturesGave) {
  const auto [rating, ranking] =
      recommend(people_->features, rows_of_anybody(people_->features), {}, Key::from_seed(1));
  EXPECT_TRUE(rating.figures->loss.above_zero());
  EXPECT_TRUE(ranking.figures->loss.above_zero());
  EXPECT_NEAR(rating.figures->unobscured.mean / rating.figures->baseline.mean, 0.994, 0.005);
  EXPECT_GT(ranking.figures->unobscured.mean, 1.15 * ranking.figures->baseline.mean);
  EXPECT_NEAR(ranking.figures->published.mean / ranking.figures->baseline.mean, 1, 0.03);
}

}  // namespace
}  // namespace hyobscure::audit
