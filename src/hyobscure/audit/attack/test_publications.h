#pragma once

// Publications for the tests of utilities.

#include <cstdint>
#include <random>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/audit/utility/utility.h"

namespace hyobscure::audit {

inline PublicationOf as_they_are(const data::SparseRows& features) {
  return
      [&features](int) { return Publication{.rows = features, .row_of_person = own_rows(features.size())}; };
}

/// Everybody has the row of a random person.
inline PublicationOf rows_of_anybody(const data::SparseRows& features) {
  return [&features](int repetition) {
    std::mt19937 random(static_cast<unsigned>(repetition) + 100);
    Publication published{.rows = features, .row_of_person = {}};
    for (std::size_t u = 0; u < features.size(); ++u)
      published.row_of_person.push_back(static_cast<std::uint32_t>(random() % features.size()));
    return published;
  };
}

inline std::vector<double> numbers_of(const UtilityResult& result) {
  std::vector<double> numbers;
  for (const Estimate& e : {result.figures->published, result.figures->unobscured, result.figures->baseline,
                            result.figures->loss})
    numbers.insert(numbers.end(), {e.mean, e.low, e.high});
  return numbers;
}

}  // namespace hyobscure::audit
