#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

inline constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

/// Some of the items, numbered again in the same order.
struct ItemChoice {
  std::vector<std::uint32_t> number_of_item = {};  ///< or kLeftOut
  std::size_t count = 0;
};

/// Who is known, and which items are hidden from similarities.
struct Repetition {
  Split split;
  ItemChoice visible, hidden;
};

/// What is to be predicted, and from what; the same for published and true rows.
struct HiddenEntries {
  HiddenEntries(const AttackerView& truth, const Repetition& repetition);

  bool measurable() const { return tested.entries() > 0 && known_by_item.entries() > 0; }

  data::SparseRows tested;         ///< people x hidden items
  data::SparseRows known_by_item;  ///< hidden items x people
  std::vector<double> mean;        ///< of the known ratings of an item, or of all where it has none
  std::vector<double> raters;      ///< known people who have the item
};

struct Score {
  TrialFigure rmse;              ///< of the tested people
  TrialFigure mean_precision;    ///< of those with a hidden item
  double share_without_similar;  ///< of the ratings: predicted by the mean
};

/// `tested` of the repetition has the people. Formulas: recommend.h. One row of similarities a thread is in
/// memory, never people x people. Throws Stopped.
Score score_by_similarity(const AttackerView& view, const Repetition& repetition, const HiddenEntries& hidden,
                          const Progress& progress);
/// By means and numbers of raters.
Score score_without_features(const Repetition& repetition, const HiddenEntries& hidden);

}  // namespace hyobscure::audit
