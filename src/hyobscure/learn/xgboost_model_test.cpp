#include "hyobscure/learn/xgboost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

constexpr BoostModel::Settings kNumber{
    .objective = BoostObjective::Number, .classes = 1, .depth = 1, .rate = 0.3};

TEST(BoostModel, WithoutTreesPredictsThePrior) {
  const data::SparseRows rows = census::sparse({{1, 0}, {0, 2}, {0, 0}});
  const std::vector<float> number = {2.5F};
  BoostData numbers(rows, number);
  numbers.set_labels(std::vector<float>{1, 2, 3});
  const PosteriorMatrix predicted = BoostModel(kNumber, numbers).predict(numbers);
  ASSERT_EQ(predicted.rows(), 3);
  for (Eigen::Index r = 0; r < 3; ++r) EXPECT_FLOAT_EQ(predicted(r, 0), 2.5F);

  const std::vector<float> prior = {std::log(0.5F), std::log(0.3F), std::log(0.2F)};
  BoostData classes(rows, prior);
  classes.set_labels(std::vector<std::uint32_t>{0, 1, 2});
  const PosteriorMatrix beliefs =
      BoostModel({.objective = BoostObjective::Classes, .classes = 3, .depth = 2, .rate = 0.1}, classes)
          .predict(classes);
  ASSERT_EQ(beliefs.cols(), 3);
  for (Eigen::Index r = 0; r < 3; ++r) {
    EXPECT_NEAR(beliefs(r, 0), 0.5, 1e-6);
    EXPECT_NEAR(beliefs(r, 1), 0.3, 1e-6);
    EXPECT_NEAR(beliefs(r, 2), 0.2, 1e-6);
  }
}

/// One split, two leaves: XGBoost's leaf is rate * (sum of residuals) / (rows + lambda), lambda = 1 unless
/// set.
TEST(BoostModel, OneRoundMovesByTheFormulaOfTheLeaf) {
  std::vector<std::vector<double>> dense;
  std::vector<float> labels;
  for (int r = 0; r < 10; ++r) {
    dense.push_back({r < 4 ? 1.0 : 5.0});
    labels.push_back(r < 4 ? 10.0F : 20.0F);
  }
  const std::vector<float> prior = {12};
  BoostData data(census::sparse(dense), prior);
  data.set_labels(labels);
  BoostModel model(kNumber, data);
  model.add_round();
  const PosteriorMatrix predicted = model.predict(data);
  EXPECT_NEAR(predicted(0, 0), 12 + 0.3 * (4 * -2.0) / (4 + 1), 1e-5);
  EXPECT_NEAR(predicted(9, 0), 12 + 0.3 * (6 * 8.0) / (6 + 1), 1e-5);
  model.add_round();  // from where the first round left off
  const double left = 10 - predicted(0, 0);
  EXPECT_NEAR(model.predict(data)(0, 0), predicted(0, 0) + 0.3 * 4 * left / (4 + 1), 1e-5);
}

TEST(BoostModel, TellsValuesApartThatNoFloatHolds) {
  for (const double large : {1e37, 1e39, 1e100, 1e307}) {
    std::vector<std::vector<double>> dense;
    std::vector<float> labels;
    for (int r = 0; r < 20; ++r) {
      dense.push_back({(r % 2 == 0 ? 1 : 3) * large, -large});
      labels.push_back(r % 2 == 0 ? 10.0F : 20.0F);
    }
    const std::vector<float> prior = {15};
    BoostData data(census::sparse(dense), prior);
    data.set_labels(labels);
    BoostModel model(kNumber, data);
    for (int round = 0; round < 30; ++round) model.add_round();
    EXPECT_NEAR(model.predict(data)(0, 0), 10, 0.1) << large;
    EXPECT_NEAR(model.predict(data)(1, 0), 20, 0.1) << large;
  }
}

TEST(BoostModel, ProbabilitiesSumToOneAndRiseForTheClassOfTheRow) {
  std::vector<std::vector<double>> dense;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t r = 0; r < 60; ++r) {
    classes.push_back(r % 3);
    dense.push_back({r % 3 == 0 ? 1.0 : 0.0, r % 3 == 1 ? 1.0 : 0.0});
  }
  const std::vector<float> prior(3, std::log(1.0F / 3));
  BoostData data(census::sparse(dense), prior);
  data.set_labels(classes);
  BoostModel model({.objective = BoostObjective::Classes, .classes = 3, .depth = 2, .rate = 0.5}, data);
  double before = 1.0 / 3;
  for (int round = 0; round < 3; ++round) {
    model.add_round();
    const PosteriorMatrix beliefs = model.predict(data);
    for (Eigen::Index r = 0; r < beliefs.rows(); ++r) EXPECT_NEAR(beliefs.row(r).sum(), 1, 1e-5);
    EXPECT_GT(beliefs(0, 0), before);
    before = beliefs(0, 0);
  }
}

TEST(BoostModel, ChosenRowsAreLikeATableOfTheirOwnAndWatchingChangesNothing) {
  std::vector<std::vector<double>> dense, chosen_dense;
  std::vector<float> labels;
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t r = 0; r < 80; ++r) {
    dense.push_back({static_cast<double>(r % 7), static_cast<double>(r % 4)});
    if (r % 3 != 0) continue;
    chosen.push_back(r);
    chosen_dense.push_back(dense.back());
    labels.push_back(static_cast<float>(r % 7 + 2 * (r % 4)));
  }
  const std::vector<float> prior = {3};
  const data::SparseRows rows = census::sparse(dense);
  BoostData some(rows, chosen, prior), own(census::sparse(chosen_dense), prior);
  EXPECT_EQ(some.size(), chosen.size());
  some.set_labels(labels);
  own.set_labels(labels);
  const BoostData all(rows, prior);
  BoostModel model(kNumber, some), watching(kNumber, some, &all), of_own(kNumber, own);
  for (int round = 0; round < 4; ++round) {
    model.add_round();
    watching.add_round();
    of_own.add_round();
  }
  EXPECT_EQ(model.predict(all), watching.predict(all));
  EXPECT_EQ(model.predict(all), of_own.predict(all));
}

}  // namespace
}  // namespace hyobscure::learn
