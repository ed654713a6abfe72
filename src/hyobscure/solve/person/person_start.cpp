#include "hyobscure/solve/person/person_start.h"

#include <algorithm>
#include <optional>

#include "hyobscure/solve/person/person_best_users.h"
#include "hyobscure/solve/person/person_lifts.h"

namespace hyobscure::solve {
namespace {

// person_sparse.md, "Pricing", "First support": near donors are cheap in distance, the two nearest users of
// each value let every donor look like the whole pool.
constexpr std::size_t kNearestDonors = 20;  // of each person
constexpr std::size_t kNearestAtStart = 5;  // the same where there is a channel to start from

/// Donors that a person keeps however far they are. `even`: where lifts are limited.
std::vector<std::uint32_t> fixed_donors(const PoolTask& task, const std::optional<EvenDonors>& even,
                                        std::uint32_t u) {
  std::vector<std::uint32_t> donors;
  if (task.start != nullptr)
    for (std::size_t k = task.start->starts[u]; k < task.start->starts[u + 1]; ++k)
      donors.push_back(task.start->donors[k]);
  // the channel of a large price: everybody as they are
  if (task.terms.self_donor) donors.push_back(u);
  if (task.terms.balanced || donors.empty()) {
    const auto ring = ring_donors(task.terms, task.pool.size(), u);
    donors.insert(donors.end(), ring.begin(), ring.end());
  }
  if (even) {
    const auto [first, last] = even->of(u);
    for (std::uint32_t donor = first; donor <= last; ++donor) donors.push_back(donor);
  }
  return donors;
}

std::optional<EvenDonors> even_donors(const PoolTask& task) {
  if (!task.terms.lifts.any()) return std::nullopt;
  return std::optional<EvenDonors>(task.pool);
}

void add_fixed_donors(const PoolTask& task, const std::optional<EvenDonors>& even, std::uint32_t u,
                      std::span<const float> distances, std::vector<Donor>& row) {
  for (const std::uint32_t donor : fixed_donors(task, even, u))
    if (is_allowed(task.pool, task.terms, u, donor)) row.push_back({donor, distances[donor]});
}

/// The candidates and nothing else: a support that stays the same for all prices of distance.
StartRows candidate_pairs(const PoolTask& task) {
  const std::size_t people = task.pool.size();
  StartRows start{.rows = DonorRows(people), .nearest = std::vector<float>(people)};
  parallel_blocks(people, kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> distances;
    for (std::size_t u = begin; u < end; ++u) {
      const auto donors = considered_donors(task.pool, task.terms, u);
      read_distances(task.pool, u, donors, distances);
      start.rows[u].reserve(donors.size());
      for (std::size_t k = 0; k < donors.size(); ++k) start.rows[u].push_back({donors[k], distances[k]});
      start.nearest[u] = std::ranges::min(distances);
    }
  });
  return start;
}

/// What the channel to start from uses and a few near donors; pricing finds what else a new price asks for.
StartRows pairs_of_start(const PoolTask& task) {
  const std::size_t people = task.pool.size();
  StartRows start{.rows = DonorRows(people), .nearest = std::vector<float>(people)};
  const auto batches = batches_by_value(task.pool);
  const std::optional<EvenDonors> even = even_donors(task);
  parallel_blocks(batches.size(), 1, [&](std::size_t b, std::size_t) {
    RowMatrixXf distances;
    load_distances(task, batches[b], distances);
    for (std::size_t i = 0; i < batches[b].people.size(); ++i) {
      const std::uint32_t u = batches[b].people[i];
      const std::span<const float> row{distances.row(at(i)).data(), people};
      start.nearest[u] = *std::ranges::min_element(row);
      start.rows[u] = nearest_of_row(row, kNearestAtStart);
      add_fixed_donors(task, even, u, row, start.rows[u]);
    }
  });
  return start;
}

StartRows near_pairs(const PoolTask& task) {
  const std::size_t people = task.pool.size();
  const auto batches = batches_by_value(task.pool);
  const std::optional<EvenDonors> even = even_donors(task);
  StartRows start{.rows = DonorRows(people), .nearest = std::vector<float>(people)};
  for (const Slice& slice : slices(batches, people, kTableCells)) {
    const auto best = find_best_users(batches, slice, people, [&](const Batch& batch, RowMatrixXf& scores) {
      load_distances(task, batch, scores);
      // the best users are the nearest ones; infinite distances become the lowest score
      scores = -scores;
    });
    parallel_blocks(slice.end - slice.begin, 1, [&](std::size_t k, std::size_t) {
      const Batch& batch = batches[slice.begin + k];
      RowMatrixXf distances;
      load_distances(task, batch, distances);
      const auto as_user =
          donors_with_users(best.of_value(batch.value), batch, distances, [](std::size_t) { return true; });
      for (std::size_t i = 0; i < batch.people.size(); ++i) {
        const std::uint32_t u = batch.people[i];
        const std::span<const float> row{distances.row(at(i)).data(), people};
        // over all allowed donors, not just those kept: prices count from here
        start.nearest[u] = *std::ranges::min_element(row);
        start.rows[u] = nearest_of_row(row, kNearestDonors);
        append(start.rows[u], as_user[i]);
        add_fixed_donors(task, even, u, row, start.rows[u]);
      }
    });
  }
  return start;
}

}  // namespace

StartRows start_rows(const PoolTask& task) {
  // person_sparse.md, "Pools with candidates": nothing reads a whole row of distances
  if (!task.pool.candidates.empty()) return candidate_pairs(task);
  StartRows start = task.start != nullptr ? pairs_of_start(task) : near_pairs(task);
  tidy_rows(start.rows);
  return start;
}

}  // namespace hyobscure::solve
