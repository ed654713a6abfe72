#pragma once

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"

namespace hyobscure::audit {

struct ItemStatistics {
  UtilityResult means;
  UtilityResult popularity;
};

/// What counts over items would get wrong. With n_i people who truly have item i, m_i their mean
/// value, and c_i, p_i the same in the publication:
///
///   means        sum_i n_i |p_i - m_i| / sum_i n_i         in units of the values
///   popularity   sum_i |c_i - n_i| / sum_i n_i             the relative error of n_i, weighted by n_i
///
/// Items that nobody has do not count. An item that is in no published row has the published mean of all
/// entries. Unobscured is 0. The baseline knows one number for all items: the mean of all entries, the mean
/// count.
///
/// All people are counted in each repetition (at least 2), so nothing is split: the interval is Student's,
/// over publications of these people. Where all publications are the same release it has no width.
///
/// Throws InputError for people or publications that do not fit, and Stopped.
[[nodiscard]] ItemStatistics item_statistics(const data::SparseRows& features,
                                             const PublicationOf& publication_of, int repetitions,
                                             const Progress& progress = {});

}  // namespace hyobscure::audit
