#include "hyobscure/learn/stopped_boosting.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/learn/training.h"
#include "hyobscure/learn/xgboost_model.h"

namespace hyobscure::learn {

using data::SparseRows;
using Eigen::Index;

namespace {

using RowNumbers = std::span<const std::uint32_t>;

constexpr double kSmallestProbability = 1e-7;  // of a float that is still above 0

void validate(const SparseRows& rows, std::size_t labels, const Predictions& guesses,
              const StoppedBoostingSettings& settings) {
  const auto require_range = [](bool fits, const char* name, const char* range) {
    require(fits, name, "the setting is out of range", range);
  };
  require_range(settings.most_rounds >= 1, "most_rounds", "Take at least 1.");
  require_range(settings.patience >= 1, "patience", "Take at least 1.");
  require_range(settings.depth >= 1 && settings.depth <= 16, "depth", "Take 1 to 16.");
  require_range(settings.rate > 0 && settings.rate <= 1, "rate", "Take a number above 0, at most 1.");
  require_range(settings.parts >= 2, "parts", "Take at least 2.");
  check_training(rows, labels);
  require(guesses.rows() == static_cast<Index>(labels) && guesses.allFinite(), "guesses",
          "there is not one finite guess for each row", "Give one for each row.");
}

/// What trees add to: the number, or the logarithm of every probability.
PosteriorMatrix margins_of(const Predictions& guesses, BoostObjective objective) {
  if (objective != BoostObjective::Classes) return guesses.cast<float>();
  return guesses.array().max(kSmallestProbability).log().matrix().cast<float>();
}

/// The rows of one part, and a model of the others.
struct Part {
  Part(const SparseRows& rows, RowNumbers others, RowNumbers held_out, const PosteriorMatrix& margins,
       const BoostModel::Settings& settings)
      : tested(held_out.begin(), held_out.end()),
        training(rows, others, margins),
        watched(rows, held_out, margins),
        model(settings, training, &watched) {}

  std::vector<std::uint32_t> tested;
  BoostData training, watched;
  BoostModel model;
};

double absolute_error(const PosteriorMatrix& predicted, RowNumbers rows, std::span<const double> numbers) {
  double sum = 0;
  for (std::size_t n = 0; n < rows.size(); ++n)
    sum += std::abs(static_cast<double>(predicted(static_cast<Index>(n), 0)) - numbers[rows[n]]);
  return sum;
}

/// From margins: -log of the probability of the true class.
double log_loss(const PosteriorMatrix& margins, RowNumbers rows, std::span<const std::uint32_t> classes) {
  double sum = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto row = margins.row(static_cast<Index>(n)).cast<double>().eval();
    const double most = row.maxCoeff();
    sum += std::log((row.array() - most).exp().sum()) + most - row(classes[rows[n]]);
  }
  return sum;
}

}  // namespace

struct StoppedBoosting::Parts {
  BoostObjective objective = BoostObjective::Number;
  int rounds = 0;
  double loss = 0;  ///< of the held-out rows after so many rounds
  std::vector<std::unique_ptr<Part>> parts;

  /// Grows all parts in step. `loss_of` judges margins of held-out rows, `set_labels` gives the training rows
  /// theirs.
  template <class SetLabels, class LossOf>
  Parts(const SparseRows& rows, const Predictions& guesses, const BoostModel::Settings& model,
        const StoppedBoostingSettings& settings, const Key& key, const Progress& progress,
        const SetLabels& set_labels, const LossOf& loss_of)
      : objective(model.objective) {
    const PosteriorMatrix margins = margins_of(guesses, objective);
    const std::vector<std::uint32_t> part_of_row = random_parts(rows.size(), settings.parts, key);
    for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(settings.parts); ++p) {
      std::vector<std::uint32_t> held_out, others;
      for (std::uint32_t r = 0; r < rows.size(); ++r) (part_of_row[r] == p ? held_out : others).push_back(r);
      if (held_out.empty() || others.empty()) continue;  // fewer rows than parts
      parts.push_back(std::make_unique<Part>(rows, others, held_out, margins, model));
      set_labels(parts.back()->training, others);
      loss += loss_of(margins(held_out, Eigen::all), held_out);
    }
    for (int round = 1; round <= settings.most_rounds && round <= rounds + settings.patience; ++round) {
      progress.throw_if_stopped();
      double after = 0;
      for (const auto& part : parts) {
        part->model.add_round();
        after += loss_of(part->model.predict_margins(part->watched), part->tested);
      }
      if (after >= loss) continue;
      loss = after;
      rounds = round;
    }
  }
};

StoppedBoosting::StoppedBoosting(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
StoppedBoosting::~StoppedBoosting() = default;
StoppedBoosting::StoppedBoosting(StoppedBoosting&&) noexcept = default;

int StoppedBoosting::rounds() const { return parts_->rounds; }

StoppedBoosting StoppedBoosting::of_numbers(const SparseRows& rows, std::span<const double> number_of_row,
                                            const Predictions& guess_of_row,
                                            const StoppedBoostingSettings& settings, const Key& key,
                                            const Progress& progress) {
  validate(rows, number_of_row.size(), guess_of_row, settings);
  // A leaf of fewer rows says little about a number that is spread over a whole group.
  constexpr double kRowsOfLeaf = 10;
  std::unique_ptr<Parts> best;
  for (const BoostObjective objective : {BoostObjective::Median, BoostObjective::Number}) {
    auto grown = std::make_unique<Parts>(
        rows, guess_of_row,
        BoostModel::Settings{.objective = objective,
                             .classes = 1,
                             .depth = settings.depth,
                             .rate = settings.rate,
                             .least_weight_of_leaf = kRowsOfLeaf},
        settings, key, progress,
        [&](BoostData& training, RowNumbers chosen) {
          std::vector<float> labels;
          for (const std::uint32_t row : chosen) labels.push_back(static_cast<float>(number_of_row[row]));
          training.set_labels(labels);
        },
        [&](const PosteriorMatrix& margins, RowNumbers chosen) {
          return absolute_error(margins, chosen, number_of_row);
        });
    if (!best || grown->loss < best->loss) best = std::move(grown);
  }
  return StoppedBoosting(std::move(best));
}

StoppedBoosting StoppedBoosting::of_classes(const SparseRows& rows,
                                            std::span<const std::uint32_t> class_of_row,
                                            const Predictions& guess_of_row,
                                            const StoppedBoostingSettings& settings, const Key& key,
                                            const Progress& progress) {
  validate(rows, class_of_row.size(), guess_of_row, settings);
  return StoppedBoosting(std::make_unique<Parts>(
      rows, guess_of_row,
      BoostModel::Settings{.objective = BoostObjective::Classes,
                           .classes = static_cast<std::uint32_t>(guess_of_row.cols()),
                           .depth = settings.depth,
                           .rate = settings.rate},
      settings, key, progress,
      [&](BoostData& training, RowNumbers chosen) {
        std::vector<std::uint32_t> labels;
        for (const std::uint32_t row : chosen) labels.push_back(class_of_row[row]);
        training.set_labels(labels);
      },
      [&](const PosteriorMatrix& margins, RowNumbers chosen) {
        return log_loss(margins, chosen, class_of_row);
      }));
}

Predictions StoppedBoosting::predict(const SparseRows& rows, const Predictions& guess_of_row) const {
  assert(guess_of_row.rows() == static_cast<Index>(rows.size()));
  if (parts_->rounds == 0) return guess_of_row;
  const BoostData data(rows, margins_of(guess_of_row, parts_->objective));
  Predictions mean = Predictions::Zero(guess_of_row.rows(), guess_of_row.cols());
  for (const auto& part : parts_->parts)
    mean += part->model.predict_margins(data, parts_->rounds).cast<double>();
  mean /= static_cast<double>(parts_->parts.size());
  if (parts_->objective != BoostObjective::Classes) return mean;
  mean.colwise() -= mean.rowwise().maxCoeff().eval();
  mean = mean.array().exp();
  mean.array().colwise() /= mean.rowwise().sum().array().eval();
  return mean;
}

std::vector<std::uint32_t> random_parts(std::size_t rows, int parts, const Key& key) {
  std::vector<std::uint32_t> part_of_row(rows);
  const auto count = static_cast<std::size_t>(parts);
  for (std::size_t r = 0; r < rows; ++r) part_of_row[r] = static_cast<std::uint32_t>(r % count);
  RandomStream random(key.derive("parts"));
  for (std::size_t n = rows; n > 1; --n) std::swap(part_of_row[n - 1], part_of_row[random.below(n)]);
  return part_of_row;
}

}  // namespace hyobscure::learn
