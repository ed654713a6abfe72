#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// A figure with what chance may add to it or take from it: 0 where it is exact.
struct Estimate {
  double value = kUnset;
  double error = 0;
};

/// Figures of a mechanism, computed a second time from its channels and the people by the definition
///
///   I(Y; V, S) = 1/N  sum over strata s, donors v, secrets y   w(y, v, s) log( w(y, v, s) / (w(v, s) P(y)) )
///
/// where w(y, v, s) is how often v is published for people of secret y and stratum s, in expectation, and a
/// stratum is what stands beside a row: the group and the kept cells. It shares no code with the searches,
/// nor with the accounting that `fit` states the figures with.
struct Recomputed {
  double leakage = kUnset;                 ///< I(Y; V, S), bits
  double leakage_groups = kUnset;          ///< I(Y; S)
  double secret_entropy = kUnset;          ///< H(Y)
  double unprotected = kUnset;             ///< as Leakage::unprotected
  double max_lift = kUnset;                ///< max over v, y of w(y, v, s) w(s) / (w(v, s) w(y, s))
  double min_lift = kUnset;                ///< min of the same
  double max_lift_of_population = kUnset;  ///< max over v, y of w(y, v, s) / (w(v, s) P(y))
  double own_rows = kUnset;
  Estimate distance;  ///< exact for few people, else from people and donors drawn anew
  std::optional<ComposedFigures> composed = {};  ///< where rows are composed; without the smallest distance
};

/// For mechanisms that draw within groups, and fit the people (misfit.h).
[[nodiscard]] Recomputed recompute(const Mechanism& mechanism, const data::People& people,
                                   std::span<const std::uint32_t> cluster_of_person,
                                   const Progress& progress = {});

/// Where the mechanism does not say of itself what it does: one sentence each, none where it is true. Looks
/// at the figures above, its groups and its limits (group_statements.h; `keep`: secret.keep of the spec). Not
/// at what a model learns, shuffled secrets, what other channels would leak, gaps and budgets: those take
/// another fit.
[[nodiscard]] std::vector<std::string> untrue_statements(const Mechanism& mechanism,
                                                         const data::People& people,
                                                         std::span<const std::uint32_t> cluster_of_person,
                                                         const std::optional<data::Interval>& keep = {},
                                                         const Progress& progress = {});
/// The same where the figures were computed again already.
[[nodiscard]] std::vector<std::string> untrue_statements(const Mechanism& mechanism,
                                                         const data::People& people, const Recomputed& found,
                                                         const std::optional<data::Interval>& keep = {});

/// Throws InputError where there are any.
void refuse_untrue(const Mechanism& mechanism, const data::People& people,
                   std::span<const std::uint32_t> cluster_of_person,
                   const std::optional<data::Interval>& keep = {}, const Progress& progress = {});

}  // namespace hyobscure::obscure
