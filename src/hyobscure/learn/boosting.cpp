#include "hyobscure/learn/boosting.h"

#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/learn/training.h"
#include "hyobscure/learn/xgboost_model.h"

namespace hyobscure::learn {

using data::SparseRows;

struct Boosting::Model {
  Model(const SparseRows& rows, std::vector<float> prior_, const BoostModel::Settings& settings)
      : prior(std::move(prior_)), training(rows, prior), boosted(settings, training) {}

  void train(int rounds, const Progress& progress) {
    for (int round = 0; round < rounds; ++round) {
      progress.throw_if_stopped();
      boosted.add_round();
    }
  }

  std::vector<float> prior;
  BoostData training;
  BoostModel boosted;
};

namespace {

void validate(const SparseRows& rows, std::size_t labels, const BoostingSettings& settings) {
  const auto require = [](bool fits, const char* name, const char* range) {
    if (!fits) throw InputError({.source = name}, "the setting is out of range", range);
  };
  require(settings.rounds >= 1, "rounds", "Take at least 1.");
  require(settings.depth >= 1 && settings.depth <= 16, "depth", "Take 1 to 16.");
  require(settings.rate > 0 && settings.rate <= 1, "rate", "Take a number above 0, at most 1.");
  check_training(rows, labels);
}

std::vector<float> log_frequencies(std::span<const std::uint32_t> class_of_row, std::uint32_t classes) {
  std::vector<double> counts(classes, kHalf);
  for (const std::uint32_t c : class_of_row) counts[c] += 1;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<float> logs;
  for (const double count : counts) logs.push_back(static_cast<float>(std::log(count / total)));
  return logs;
}

}  // namespace

Boosting::Boosting(std::unique_ptr<Model> model) : model_(std::move(model)) {}
Boosting::~Boosting() = default;
Boosting::Boosting(Boosting&&) noexcept = default;

Boosting Boosting::of_numbers(const SparseRows& rows, std::span<const double> number_of_row,
                              const BoostingSettings& settings, const Progress& progress) {
  validate(rows, number_of_row.size(), settings);
  const double mean = std::accumulate(number_of_row.begin(), number_of_row.end(), 0.0) /
                      static_cast<double>(number_of_row.size());
  auto model = std::make_unique<Model>(
      rows, std::vector<float>{static_cast<float>(mean)},
      BoostModel::Settings{
          .objective = BoostObjective::Number, .classes = 1, .depth = settings.depth, .rate = settings.rate});
  model->training.set_labels(std::vector<float>(number_of_row.begin(), number_of_row.end()));
  model->train(settings.rounds, progress);
  return Boosting(std::move(model));
}

Boosting Boosting::of_classes(const SparseRows& rows, std::span<const std::uint32_t> class_of_row,
                              std::uint32_t classes, const BoostingSettings& settings,
                              const Progress& progress) {
  validate(rows, class_of_row.size(), settings);
  auto model = std::make_unique<Model>(rows, log_frequencies(class_of_row, classes),
                                       BoostModel::Settings{.objective = BoostObjective::Classes,
                                                            .classes = classes,
                                                            .depth = settings.depth,
                                                            .rate = settings.rate});
  model->training.set_labels(class_of_row);
  model->train(settings.rounds, progress);
  return Boosting(std::move(model));
}

Predictions Boosting::predict(const SparseRows& rows) const {
  return model_->boosted.predict(BoostData(rows, model_->prior)).cast<double>();
}

}  // namespace hyobscure::learn
