#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/kept_outcomes.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/learn/boosting.h"

namespace hyobscure::audit {

/// What the user of the data wants to predict: a column that is published as it is. Either classes or
/// numbers.
struct TaskLabel {
  std::string name = {};                            ///< of the column
  std::vector<std::uint32_t> class_of_person = {};  ///< any numbers; people of one class share one
  std::vector<double> number_of_person = {};
};

struct TaskSettings {
  double known_share = 0.7;          ///< of the people: the others are tested
  int repetitions = 10;              ///< each with its own split and its own publication; at least 2
  std::size_t most_people = 20'000;  ///< of more, so many are drawn again for each repetition
  learn::BoostingSettings boosting = {};
  KeptOutcomes* kept = nullptr;  ///< of finished repetitions
};

/// Is a model that was trained on the publication good for real people? XGBoost learns from the published
/// rows and own labels of the known people, and is tested on the *true* rows of the others; unobscured: it
/// learns from true rows.
///
///   two classes    area under the ROC curve     baseline 0.5
///   more classes   accuracy                     baseline: the most frequent class of the known people
///   numbers        RMSE                         baseline: the mean of the known people
///
/// Known people who publish the row of a tested person are left out, from both models: a model must not be
/// tested on rows it has seen. With random donors that is the share of tested people. Give publications as
/// donors among the features where they are known; rows of a release are recognised by their content, and
/// only if no known person has the same.
///
/// Equally probable classes count by their odds. A label that is the same for all, or two classes of which a
/// split has one only, is not measurable.
///
/// Deterministic for a key, whatever the number of threads; models run side by side. Intervals: utility.md.
/// Throws InputError for people, labels, publications or settings that do not fit, and Stopped.
[[nodiscard]] UtilityResult task_utility(const data::SparseRows& features, const TaskLabel& label,
                                         const PublicationOf& publication_of, const TaskSettings& settings,
                                         const Key& key, const Progress& progress = {});

}  // namespace hyobscure::audit
