#pragma once

#include <cstddef>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::learn {

/// A person added to every count (Krichevsky and Trofimov): no log of 0.
inline constexpr double kHalf = 0.5;

/// Throws InputError unless there are rows to learn from, a label for each, and all entries are finite.
inline void check_training(const data::SparseRows& rows, std::size_t labels) {
  if (rows.size() == 0)
    throw InputError({.source = "training rows"}, "there are none",
                     "Give the attacker people to learn from.");
  if (rows.size() != labels)
    throw InputError({.source = "training rows"}, "their number differs from the number of labels",
                     "Give one label for each row.");
  census::check_rows(census::Distance::Euclidean, rows);
}

}  // namespace hyobscure::learn
