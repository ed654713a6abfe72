#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"

namespace hyobscure::audit {

/// Somebody of whom an attacker knows entries of the true row.
struct SoughtPerson {
  struct Entry {
    std::uint32_t item;
    double value;
  };
  std::uint32_t person;
  std::vector<Entry> known;  ///< in the order in which they become known; at most kMostKnown
};
inline constexpr std::size_t kMostKnown = 64;

/// Up to `most` entries of the person's true row, drawn uniformly.
[[nodiscard]] SoughtPerson draw_entries(const data::SparseRows& features, std::uint32_t person,
                                        std::size_t most, const Key& key);

/// The published rows that have the most of the known entries.
struct BestRows {
  std::size_t fits = 0;       ///< known entries that each of them has; 0: no row has any
  std::size_t copies = 0;     ///< published rows that have so many
  bool alike = true;          ///< they have the same entries: one row, published once or several times
  std::uint64_t content = 0;  ///< of one of them (content_of)
  std::uint32_t under = 0;    ///< the person under whom one of them stands that was drawn by lot
  bool own_id = false;        ///< one of them stands under the sought person
  std::uint64_t lot = 0;      ///< the smallest lot is drawn

  bool has_one_row() const { return fits > 0 && alike; }
};

struct FoundRows {
  BestRows of_all;
  BestRows of_others;  ///< where no published row has exactly the sought person's entries
};

/// What an attacker finds who looks through all published rows for some known entries: of person s with the
/// first known[m] of them at [s * known.size() + m]. One pass over the rows; the result does not depend on
/// threads. `known` is ascending.
[[nodiscard]] std::vector<FoundRows> search_rows(const Publication& publication,
                                                 const data::SparseRows& features,
                                                 std::span<const SoughtPerson> sought,
                                                 std::span<const std::size_t> known, const Key& key,
                                                 const Progress& progress = {});

}  // namespace hyobscure::audit
