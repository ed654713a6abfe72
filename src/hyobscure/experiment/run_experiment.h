#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/experiment/experiment.h"

namespace hyobscure::experiment {

struct ExperimentPlaces {
  std::filesystem::path output;     ///< folder of the results, made where it is missing
  std::filesystem::path data = {};  ///< folder of all data sets; empty: synthetic people only
  data::EngineSettings engine = {};
};

struct ExperimentOutcome {
  std::filesystem::path table;  ///< the CSV, <name>.csv
  std::size_t computed = 0;     ///< points of this run
  std::size_t kept = 0;         ///< points that were there already
  std::size_t impossible = 0;   ///< of the computed ones: rows with a reason instead of figures
  bool complete = true;         ///< false: stopped; run it again to go on
};

/// Called for each new row: its columns and cells.
using OnRow =
    std::function<void(const std::vector<std::string>& columns, const std::vector<std::string>& cells)>;

/// Runs what the experiment's table does not hold yet; a row is written as soon as it is known. Rows hold
/// figures about all people, never about one. Each point is computed by itself, from the experiment's seed,
/// so that a run which was interrupted ends with the same figures (but for seconds) as one which was not.
///
/// Limits that admit no grouping, and budgets out of a method's reach, give rows with a reason. Throws
/// InputError for data that are not there and for results of other settings.
[[nodiscard]] ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentPlaces& places,
                                               const Progress& progress = {}, const OnRow& on_row = {});

}  // namespace hyobscure::experiment
