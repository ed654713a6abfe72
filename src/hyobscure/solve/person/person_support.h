#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

/// A donor of some person.
struct Donor {
  std::uint32_t donor;
  float distance;
};

/// The donors of each person, ascending and without repetition.
using DonorRows = std::vector<std::vector<Donor>>;

/// Pairs (person, donor) that a channel may use, by rows and by columns. The pairs of a column are sorted by
/// the value of the person; those of one donor and one value form a cell. Memory O(pairs).
struct Support {
  std::vector<std::size_t> starts = {0};  ///< row u: pairs starts[u] .. starts[u + 1] - 1
  std::vector<std::uint32_t> donors;      ///< of each pair
  std::vector<float> distances;           ///< of each pair
  std::vector<float> nearest;             ///< of each person: the least distance to any donor that is allowed

  std::vector<std::uint32_t> by_column;     ///< pairs sorted by donor, value, person
  std::vector<std::uint32_t> people;        ///< of each pair, in the order of by_column
  std::vector<std::uint32_t> cell_of_pair;  ///< in the order of the rows
  std::vector<std::size_t> cell_starts = {
      0};  ///< cell c: by_column[cell_starts[c] .. cell_starts[c + 1] - 1]
  std::vector<std::uint32_t> cell_values;
  std::vector<std::size_t> column_cells = {
      0};  ///< column j: cells column_cells[j] .. column_cells[j + 1] - 1

  std::size_t people_count() const { return starts.size() - 1; }
  std::size_t pairs() const { return donors.size(); }
  std::size_t cells() const { return cell_values.size(); }
};

/// Sorts every row by donor and drops repetitions.
void tidy_rows(DonorRows& rows);

[[nodiscard]] Support index_pairs(const PersonPool& pool, const DonorRows& rows, std::vector<float> nearest);

/// Whether u may be published as j.
inline bool is_allowed(const PersonPool& pool, const PersonTerms& terms, std::size_t u, std::size_t j) {
  return u != j || terms.self_donor || pool.size() == 1;
}

/// Donors of person u in a pool with candidates, ascending: the candidates that are allowed and, where
/// balanced, the ring below. Never empty.
[[nodiscard]] std::vector<std::uint32_t> considered_donors(const PersonPool& pool, const PersonTerms& terms,
                                                           std::size_t u);

/// Donors of person u that a balanced channel keeps besides the near ones: oneself and the next person, or
/// the next two where nobody is their own donor. Two permutations that differ by a single cycle through
/// everybody: every pair of a support that contains them lies on a doubly stochastic matrix, so that
/// Sinkhorn's scalings converge, and fast.
[[nodiscard]] std::vector<std::uint32_t> ring_donors(const PersonTerms& terms, std::size_t people,
                                                     std::size_t u);

}  // namespace hyobscure::solve
