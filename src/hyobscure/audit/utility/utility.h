#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hyobscure/audit/attack/interval.h"

namespace hyobscure::audit {

/// What a use of the data reaches, each with its 95 % interval. All are of the same people and splits, so the
/// loss is paired.
struct UtilityFigures {
  Estimate published;   ///< with the published features
  Estimate unobscured;  ///< the same with the true features
  Estimate baseline;    ///< with no features at all
  /// By how much `published` is worse than `unobscured`, in units of the measure; below 0: better.
  Estimate loss;
  Estimate gain_unobscured;  ///< by how much `unobscured` is better than `baseline`: what there is to lose
  Estimate gain_published;   ///< the same of `published`: what is left of it
};

struct UtilityResult {
  std::string name = {};     ///< "rating prediction"
  std::string measure = {};  ///< "RMSE"
  bool lower_is_better = true;
  std::optional<UtilityFigures> figures = {};  ///< nothing where it cannot be measured: the note says why
  int repetitions = 0;
  std::size_t known_people = 0;   ///< learned from, in the mean of the repetitions
  std::size_t tested_people = 0;  ///< of a repetition
  std::string note = {};          ///< for the reader; may be empty

  bool measurable() const { return figures.has_value(); }
};

}  // namespace hyobscure::audit
