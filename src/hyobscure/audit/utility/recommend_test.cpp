#include "hyobscure/audit/utility/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>

#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/test_publications.h"
#include "hyobscure/audit/utility/ranking.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using testing::HasSubstr;
using Dense = std::vector<std::vector<double>>;

// People of two tastes; each has mostly, and likes, the items of its own.
Dense people_of_taste(unsigned seed, std::size_t people, std::size_t items) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Dense dense(people, std::vector<double>(items, 0));
  for (std::size_t u = 0; u < people; ++u)
    for (std::size_t i = 0; i < items; ++i) {
      const bool likes = i % 2 == u % 2;
      if (unit(random) < (likes ? 0.5 : 0.15)) dense[u][i] = (likes ? 3 : 1) + std::floor(3 * unit(random));
    }
  return dense;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b,
              const std::vector<std::uint32_t>& items) {
  double product = 0, aa = 0, bb = 0;
  for (const std::uint32_t i : items) {
    product += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa > 0 && bb > 0 ? product / std::sqrt(aa * bb) : 0;
}

struct Definition {
  double rmse = 0, precision = 0;
};

// The definition, on dense rows; `seen` are the rows that similarities come from, nothing for the baseline.
// Every item is had by somebody.
Definition by_definition(const Dense& truth, const Dense* seen, const Key& key,
                         const std::string& repetition) {
  const Split people = split_by_share(truth.size(), 0.7, key.derive("split " + repetition));
  const Split items = split_by_share(truth[0].size(), 0.8, key.derive("items " + repetition));
  double overall = 0, known_ratings = 0, squares = 0, ratings = 0, precision = 0, with_items = 0;
  for (const std::uint32_t k : people.known)
    for (const std::uint32_t i : items.tested) {
      overall += truth[k][i];
      known_ratings += truth[k][i] != 0 ? 1 : 0;
    }
  for (const std::uint32_t t : people.tested) {
    std::vector<double> places;
    std::vector<char> has;
    for (const std::uint32_t i : items.tested) {
      double weights = 0, weighted = 0, raters = 0, sum = 0;
      for (const std::uint32_t k : people.known) {
        if (truth[k][i] == 0) continue;
        const double s = seen != nullptr ? std::max(0.0, cosine((*seen)[t], (*seen)[k], items.known)) : 1;
        weights += s;
        weighted += s * truth[k][i];
        raters += 1;
        sum += truth[k][i];
      }
      places.push_back(weights);
      has.push_back(truth[t][i] != 0 ? 1 : 0);
      if (truth[t][i] == 0) continue;
      const double predicted = weights > 0  ? weighted / weights
                               : raters > 0 ? sum / raters
                                            : overall / known_ratings;
      squares += (predicted - truth[t][i]) * (predicted - truth[t][i]);
      ratings += 1;
    }
    if (std::count(has.begin(), has.end(), 1) == 0) continue;
    precision += average_precision(places, has);
    with_items += 1;
  }
  return {.rmse = std::sqrt(squares / ratings), .precision = precision / with_items};
}

TEST(Recommend, AgreesWithTheDefinition) {
  Dense dense = people_of_taste(1, 41, 23);
  for (std::size_t u = 0; u < 41; u += 5) dense[u] = std::vector<double>(23, 0);  // like nobody
  for (std::size_t u = 1; u < 41; ++u) dense[u][7] = 0;                           // rarely rated
  for (std::size_t i = 0; i < 23; ++i) dense[1][i] = i < 8 ? -1 : 2;              // unlike others
  const data::SparseRows features = sparse(dense);
  const PublicationOf publish = rows_of_anybody(features);
  const Key key = Key::from_seed(5);
  const RecommendUtility found = recommend(features, publish, {.repetitions = 4}, key);

  Definition published, unobscured, baseline;
  const auto add = [](Definition& sum, const Definition& term) {
    sum = {.rmse = sum.rmse + term.rmse / 4, .precision = sum.precision + term.precision / 4};
  };
  for (int r = 0; r < 4; ++r) {
    Dense seen;
    for (const std::uint32_t row : publish(r).row_of_person) seen.push_back(dense[row]);
    add(published, by_definition(dense, &seen, key, std::to_string(r)));
    add(unobscured, by_definition(dense, &dense, key, std::to_string(r)));
    add(baseline, by_definition(dense, nullptr, key, std::to_string(r)));
  }
  EXPECT_NEAR(found.rating_prediction.figures->published.mean, published.rmse, 1e-12);
  EXPECT_NEAR(found.rating_prediction.figures->unobscured.mean, unobscured.rmse, 1e-12);
  EXPECT_NEAR(found.rating_prediction.figures->baseline.mean, baseline.rmse, 1e-12);
  EXPECT_NEAR(found.recommendation.figures->published.mean, published.precision, 1e-12);
  EXPECT_NEAR(found.recommendation.figures->unobscured.mean, unobscured.precision, 1e-12);
  EXPECT_NEAR(found.recommendation.figures->baseline.mean, baseline.precision, 1e-12);
  EXPECT_NEAR(found.rating_prediction.figures->loss.mean, published.rmse - unobscured.rmse, 1e-12);
  EXPECT_NEAR(found.recommendation.figures->loss.mean, unobscured.precision - published.precision, 1e-12);
  for (const UtilityResult* result : {&found.rating_prediction, &found.recommendation}) {
    const UtilityFigures& figures = *result->figures;
    const double sign = result->lower_is_better ? 1 : -1;
    EXPECT_NEAR(figures.gain_unobscured.mean, sign * (figures.baseline.mean - figures.unobscured.mean),
                1e-12);
    EXPECT_NEAR(figures.gain_published.mean, sign * (figures.baseline.mean - figures.published.mean), 1e-12);
    EXPECT_NEAR(figures.gain_unobscured.mean - figures.gain_published.mean, figures.loss.mean, 1e-12);
  }
  EXPECT_THAT(found.rating_prediction.note, HasSubstr("no similar rater"));
  EXPECT_EQ(found.rating_prediction.known_people, 29U);
  EXPECT_EQ(found.rating_prediction.tested_people, 12U);
}

TEST(Recommend, LosesNothingWhereEverybodyHasTheOwnRow) {
  const data::SparseRows features = sparse(people_of_taste(2, 60, 30));
  const RecommendUtility found = recommend(features, as_they_are(features), {}, Key::from_seed(1));
  for (const UtilityResult& result : {found.rating_prediction, found.recommendation}) {
    EXPECT_EQ(result.figures->loss.low, 0);
    EXPECT_EQ(result.figures->loss.high, 0);
    EXPECT_EQ(result.figures->published.mean, result.figures->unobscured.mean);
    EXPECT_EQ(result.repetitions, 10);
  }
}

TEST(Recommend, LosesWithRowsOfAnybodyWhatTasteGave) {
  const data::SparseRows features = sparse(people_of_taste(3, 150, 40));
  const RecommendUtility found = recommend(features, rows_of_anybody(features), {}, Key::from_seed(1));
  EXPECT_TRUE(found.rating_prediction.figures->loss.above_zero());
  EXPECT_TRUE(found.recommendation.figures->loss.above_zero());
  EXPECT_LT(found.rating_prediction.figures->unobscured.mean, found.rating_prediction.figures->baseline.mean);
  EXPECT_GT(found.recommendation.figures->unobscured.mean, found.recommendation.figures->baseline.mean);
  EXPECT_TRUE(found.rating_prediction.lower_is_better);
  EXPECT_FALSE(found.recommendation.lower_is_better);
}

TEST(Recommend, DoesNotDependOnTheNumberOfThreads) {
  const data::SparseRows features = sparse(people_of_taste(4, 150, 30));
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    const RecommendUtility found =
        recommend(features, rows_of_anybody(features), {.repetitions = 3}, Key::from_seed(2));
    std::vector<double> numbers = numbers_of(found.rating_prediction);
    for (const double number : numbers_of(found.recommendation)) numbers.push_back(number);
    return numbers;
  };
  EXPECT_EQ(run(1), run(4));
}

// Cosines do not know the scale of a row, however large: their squares must not overflow.
TEST(Recommend, ComparesRowsOfAnyScale) {
  const data::SparseRows features = sparse(people_of_taste(5, 40, 20));
  data::SparseRows huge = features;
  for (double& x : huge.values.writable()) x *= 1e200;
  const RecommendUtility found = recommend(
      features, [&](int) { return Publication{.rows = huge, .row_of_person = own_rows(40)}; }, {},
      Key::from_seed(1));
  EXPECT_NEAR(found.rating_prediction.figures->loss.high, 0, 1e-9);
  EXPECT_NEAR(found.recommendation.figures->loss.high, 0, 1e-9);
}

TEST(Recommend, OfManyPeopleTakesSomeInEachRepetition) {
  const data::SparseRows features = sparse(people_of_taste(6, 100, 20));
  const RecommendUtility found =
      recommend(features, as_they_are(features), {.most_people = 30}, Key::from_seed(1));
  EXPECT_EQ(found.rating_prediction.known_people, 21U);
  EXPECT_EQ(found.rating_prediction.tested_people, 9U);
  EXPECT_THAT(found.recommendation.note, HasSubstr("of 100 people, 30 are drawn"));
}

TEST(Recommend, SaysWhatCannotBeMeasured) {
  const auto run = [](const Dense& dense) {
    const data::SparseRows features = sparse(dense);
    return recommend(features, as_they_are(features), {.repetitions = 2}, Key::from_seed(1));
  };
  Dense ones = people_of_taste(7, 40, 20);
  for (auto& row : ones)
    for (double& x : row) x = x > 0 ? 1 : 0;
  EXPECT_EQ(run(ones).rating_prediction.note, "not measurable: all values are alike");
  EXPECT_FALSE(run(ones).rating_prediction.measurable());
  EXPECT_TRUE(run(ones).recommendation.measurable());

  Dense full = people_of_taste(8, 40, 20);
  for (auto& row : full)
    for (double& x : row) x += 1;
  EXPECT_TRUE(run(full).rating_prediction.measurable());
  EXPECT_EQ(run(full).recommendation.note, "not measurable: every person has every item");

  EXPECT_THAT(run(Dense(20, {1, 2})).rating_prediction.note, HasSubstr("too few items"));
  EXPECT_THAT(run(Dense(20, {0, 0, 0, 0, 0, 0})).recommendation.note, HasSubstr("too few items"));
  Dense lonely(20, std::vector<double>(10, 0));  // one person has all there is: tested or known, not both
  lonely[3] = std::vector<double>(10, 2);
  lonely[3][0] = 1;
  EXPECT_THAT(run(lonely).rating_prediction.note, HasSubstr("hidden item"));
  EXPECT_FALSE(run(lonely).recommendation.measurable());
}

TEST(Recommend, RefusesWhatDoesNotFit) {
  const data::SparseRows features = sparse(people_of_taste(9, 40, 20)),
                         few = sparse(Dense(19, {1, 2, 3, 4, 5}));
  const auto run = [&](const data::SparseRows& rows, const PublicationOf& publish,
                       const RecommendSettings& settings) {
    (void)recommend(rows, publish, settings, Key::from_seed(1));
  };
  EXPECT_THROW(run(few, as_they_are(few), {}), InputError);
  EXPECT_THROW(run(features, as_they_are(few), {}), InputError);
  for (const RecommendSettings& wrong :
       {RecommendSettings{.hidden_share = 0}, RecommendSettings{.hidden_share = 1},
        RecommendSettings{.known_share = 0}, RecommendSettings{.known_share = 1},
        RecommendSettings{.known_share = NAN}, RecommendSettings{.repetitions = 1},
        RecommendSettings{.most_people = 5}})
    EXPECT_THROW(run(features, as_they_are(features), wrong), InputError);
  data::SparseRows broken = features;
  broken.values.writable()[3] = INFINITY;
  EXPECT_THROW(run(broken, as_they_are(broken), {}), InputError);
  EXPECT_THROW(
      run(features, [&](int) { return Publication{.rows = broken, .row_of_person = own_rows(40)}; }, {}),
      InputError);
}

TEST(Recommend, StopsWhenAsked) {
  const data::SparseRows features = sparse(people_of_taste(10, 40, 20));
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)recommend(features, as_they_are(features), {}, Key::from_seed(1), Progress({}, &stop)),
               Stopped);
}

}  // namespace
}  // namespace hyobscure::audit
