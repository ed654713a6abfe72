#include "hyobscure/solve/person/person_support.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"

namespace hyobscure::solve {
namespace {

constexpr std::size_t kRowsPerBlock = 256;

// Both orders are kept because steps go by rows (scaling) and by columns (masses): person_sparse.md, "Steps
// on a support".
void index_rows(const DonorRows& rows, Support& support) {
  for (const auto& row : rows) support.starts.push_back(support.starts.back() + row.size());
  support.donors.resize(support.starts.back());
  support.distances.resize(support.starts.back());
  parallel_blocks(rows.size(), kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      for (std::size_t k = 0; k < rows[u].size(); ++k) {
        const std::size_t pair = support.starts[u] + k;
        support.donors[pair] = rows[u][k].donor;
        support.distances[pair] = rows[u][k].distance;
      }
  });
}

std::vector<std::uint32_t> people_by_value(const PersonPool& pool) {
  std::vector<std::uint32_t> people(pool.size());
  std::iota(people.begin(), people.end(), 0u);
  // stable: people of one value ascend, so sums over a cell have one order ("Determinism")
  std::ranges::stable_sort(people, {}, [&](std::uint32_t u) { return pool.value_of_person[u]; });
  return people;
}

/// Pairs by donor; walking through the people in the order of their values sorts each column by value.
std::vector<std::size_t> sort_into_columns(const PersonPool& pool, Support& support) {
  std::vector<std::size_t> column_starts(pool.size() + 1, 0);
  for (const std::uint32_t donor : support.donors) column_starts[donor + 1] += 1;
  std::partial_sum(column_starts.begin(), column_starts.end(), column_starts.begin());
  auto next = column_starts;
  support.by_column.resize(support.pairs());
  support.people.resize(support.pairs());
  for (const std::uint32_t u : people_by_value(pool))
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair) {
      const std::size_t place = next[support.donors[pair]]++;
      support.by_column[place] = static_cast<std::uint32_t>(pair);
      support.people[place] = u;
    }
  return column_starts;
}

void cut_into_cells(const PersonPool& pool, const std::vector<std::size_t>& column_starts, Support& support) {
  support.cell_of_pair.resize(support.pairs());
  for (std::size_t j = 0; j < pool.size(); ++j) {
    for (std::size_t k = column_starts[j]; k < column_starts[j + 1]; ++k) {
      const std::uint32_t value = pool.value_of_person[support.people[k]];
      if (k == column_starts[j] || value != support.cell_values.back()) {
        // a new cell starts where the value or the donor changes; the first start is there already
        if (k > 0) support.cell_starts.push_back(k);
        support.cell_values.push_back(value);
      }
      support.cell_of_pair[support.by_column[k]] = static_cast<std::uint32_t>(support.cells() - 1);
    }
    support.column_cells.push_back(support.cells());
  }
  support.cell_starts.push_back(support.pairs());
}

}  // namespace

void tidy_rows(DonorRows& rows) {
  parallel_blocks(rows.size(), kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      std::ranges::sort(rows[u], {}, &Donor::donor);
      const auto rest = std::ranges::unique(rows[u], {}, &Donor::donor);
      rows[u].erase(rest.begin(), rest.end());
    }
  });
}

Support index_pairs(const PersonPool& pool, const DonorRows& rows, std::vector<float> nearest) {
  Support support;
  support.nearest = std::move(nearest);
  index_rows(rows, support);
  const auto column_starts = sort_into_columns(pool, support);
  cut_into_cells(pool, column_starts, support);
  return support;
}

std::vector<std::uint32_t> considered_donors(const PersonPool& pool, const PersonTerms& terms,
                                             std::size_t u) {
  std::vector<std::uint32_t> donors;
  std::ranges::copy_if(pool.candidates[u], std::back_inserter(donors),
                       [&](std::uint32_t donor) { return is_allowed(pool, terms, u, donor); });
  // a free channel needs no more; a person whose only candidate is excluded still needs somebody
  if (!terms.balanced && !donors.empty()) return donors;
  // person_sparse.md, "Steps on a support", "Balanced": two permutations that differ by one cycle
  const auto ring = ring_donors(terms, pool.size(), u);
  donors.insert(donors.end(), ring.begin(), ring.end());
  std::ranges::sort(donors);
  const auto repeated = std::ranges::unique(donors);
  donors.erase(repeated.begin(), repeated.end());
  return donors;
}

std::vector<std::uint32_t> ring_donors(const PersonTerms& terms, std::size_t people, std::size_t u) {
  // sigma is u -> u and tau u -> u + 1; one further where nobody is their own donor
  const std::size_t first = terms.self_donor || people == 1 ? 0 : 1;
  std::vector<std::uint32_t> donors;
  for (std::size_t shift = first; shift < std::min(first + 2, people); ++shift)
    donors.push_back(static_cast<std::uint32_t>((u + shift) % people));
  return donors;
}

}  // namespace hyobscure::solve
