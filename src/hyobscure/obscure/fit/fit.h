#pragma once

#include <optional>

#include "hyobscure/base/progress.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/obscure/groups/terms.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

/// How a spec with a given number of clusters wants its census.
[[nodiscard]] census::CensusSettings census_settings(const data::Spec& spec);
/// The key of that census.
[[nodiscard]] Key census_key(const data::Spec& spec);

/// Clusters people and measures distances as the spec says.
[[nodiscard]] census::Census census_of(const data::People& people, const data::Spec& spec,
                                       const Progress& progress = {});

/// The census as tables of the partition search.
[[nodiscard]] solve::SegmentTables segment_tables(const Population& population, const census::Census& census);

/// The terms of the spec, for its method: refuses what the method cannot do.
[[nodiscard]] Terms terms_of(const Population& population, const data::Spec& spec);

/// All that a method needs but the budget. People, terms, census and tables must outlive it.
[[nodiscard]] MethodInput method_input(const data::People& people, const data::Spec& spec, const Terms& terms,
                                       const census::Census& census, const solve::SegmentTables& tables);

/// What the features of the result's release would tell.
[[nodiscard]] FeatureLeakage leakage_of(const data::People& people, const census::Census& census,
                                        const data::Spec& spec, const MethodResult& result, int shuffles,
                                        const Progress& progress = {});

/// The figures that every budget has: without entropies, the null and what other channels would leak.
[[nodiscard]] Figures basic_figures(const Population& population, const MethodInput& input,
                                    const MethodResult& result, const FeatureLeakage& features);

/// How far the objective is proven to be above the optimum over all groupings; NaN: not proven.
[[nodiscard]] double joint_gap_bits(const MethodResult& result);

/// The answer of a method as a mechanism with its figures. `shuffles` as for account(). The key of its draws
/// is the spec's, or a new one.
[[nodiscard]] Mechanism mechanism_of(const data::People& people, const data::Spec& spec,
                                     const census::Census& census, const MethodInput& input,
                                     const MethodResult& result, int shuffles, const Progress& progress = {});

/// Finds the mechanism: first groups, census, method, figures, and the key of the draws.
///
///   minimise  I(Y; C', G)   subject to  expected distance <= budget,  k <= people <= alpha,  l <= values <=
///   beta
///
/// Where `groups` are given they stay: no method moves a boundary.
///
/// A budget by what the release must be good for is not for it, but for audit::fit_for_use. Throws InputError
/// for whatever the caller can correct, Stopped when stopped before there is an answer.
[[nodiscard]] Mechanism fit(const data::People& people, const data::Spec& spec, const Progress& progress = {},
                            const std::optional<solve::Partition>& groups = {});

/// The same on a census that is already taken.
[[nodiscard]] Mechanism fit(const data::People& people, const data::Spec& spec, const census::Census& census,
                            const Progress& progress = {},
                            const std::optional<solve::Partition>& groups = {});

/// The same where people are only counted, each on a machine somewhere: the census has their counts,
/// distances and cluster model, and nobody's cluster; the fingerprint is that of the people. Same bits as
/// fit. Nothing is kept (people.keep), and the method must not look at each person.
[[nodiscard]] Mechanism fit_counted(const Population& population, const data::Spec& spec,
                                    const census::Census& census, const std::string& fingerprint,
                                    const Progress& progress = {});

/// The same bits as fit where the people are known without their ids, whose fingerprint this is; and, for
/// methods that ask `rows` (methods/fine_rows.h), without their features: rows of nothing.
[[nodiscard]] Mechanism fit_people(const data::People& people, const data::Spec& spec,
                                   const census::Census& census, const std::string& fingerprint,
                                   FineRowsOf* rows = nullptr, const Progress& progress = {});

}  // namespace hyobscure::obscure
