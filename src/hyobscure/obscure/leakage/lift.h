#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/mechanism/figures.h"

namespace hyobscure::obscure {

// The worst person, where leakage is the average: how much one published row can change what an informed
// attacker believes of one value. With v_j(y) = sum over people u of value y in the stratum of O(j | u), the
// lift of row j for value y is
//
//   P(y | j, stratum) / q(y)  =  v_j(y) / (q(y) sum over y' of v_j(y')),
//
// q(y) the share of y among the people of the stratum (the same group and kept cells). A lift of 1 teaches
// nothing, one of 0 rules the value out. It is at most 1 / q(y). Against the whole population, group
// included, the lift is q(y) / P(y) times as much.

/// What the rows that are published in a stratum do to one value.
struct ValueLift {
  std::uint32_t stratum = 0;  ///< by its place in the input
  std::uint32_t value = 0;  ///< as the people's secrets are numbered, exact ones where leakage is about them
  double people = 0;        ///< of the stratum, with this value
  double by_group = 1;      ///< q(y) / P(y): how far the stratum alone raises the value
  double highest = 1;       ///< over all rows that may be published
  double lowest = 1;
};

/// What a person's draw does to the own value.
struct OwnLift {
  double people = 1;    ///< who have the same draw and the same value
  double by_group = 1;  ///< q(y) / P(y) of the own value
  double expected = 1;  ///< over the own draw; at least 1 on average over people
  double largest = 1;   ///< over all rows that may be published under the person
};

struct Lifts {
  std::vector<ValueLift> values;  ///< by stratum, then by value; values with people only
  /// One a person, in the order of the people; one a cell with people where they are only counted.
  std::vector<OwnLift> own;
};

/// Exact for every kind of draw. Cost: closed forms where clusters decide, else that of going through all
/// draws once; near donors twice.
[[nodiscard]] Lifts lifts_of(const AccountInput& input, const Progress& progress = {});
/// Where people are only counted: of strata whose columns are those of `CountedStratum::values`.
[[nodiscard]] Lifts lifts_of(std::span<const CountedStratum> strata);
/// Of a mechanism's people; they must fit it (misfit.h).
[[nodiscard]] Lifts lifts_of(const Mechanism& mechanism, const data::People& people,
                             std::span<const std::uint32_t> cluster_of_person, const Progress& progress = {});

/// The extremes and medians that fit states.
[[nodiscard]] LiftFigures figures_of(const Lifts& lifts);

}  // namespace hyobscure::obscure
