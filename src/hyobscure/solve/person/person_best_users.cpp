#include "hyobscure/solve/person/person_best_users.h"

namespace hyobscure::solve {

std::vector<Batch> batches_by_value(const PersonPool& pool) {
  // Rows of one value together: they compete for the same places of the table, under one lock.
  std::vector<std::vector<std::uint32_t>> classes(pool.values);
  for (std::size_t u = 0; u < pool.size(); ++u)
    classes[pool.value_of_person[u]].push_back(static_cast<std::uint32_t>(u));
  std::vector<Batch> batches;
  for (std::size_t y = 0; y < classes.size(); ++y)
    for (std::size_t k = 0; k < classes[y].size(); k += kRowsAtOnce) {
      const auto begin = classes[y].begin() + static_cast<std::ptrdiff_t>(k);
      const auto size = std::min(kRowsAtOnce, classes[y].size() - k);
      batches.push_back({.value = y, .people = {begin, begin + static_cast<std::ptrdiff_t>(size)}});
    }
  return batches;
}

std::vector<Slice> slices(const std::vector<Batch>& batches, std::size_t people, std::size_t table_cells) {
  // person_sparse.md, "Pricing": values x people cells of 16 bytes, at least one value whatever the limit
  const std::size_t at_once = std::max<std::size_t>(1, table_cells / people);
  std::vector<Slice> result;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (result.empty() || batches[b].value - result.back().first_value >= at_once)
      result.push_back({.begin = b, .end = b, .first_value = batches[b].value, .values = 0});
    result.back().end = b + 1;
    result.back().values = batches[b].value - result.back().first_value + 1;
  }
  return result;
}

BestUsers find_best_users(const std::vector<Batch>& batches, const Slice& slice, std::size_t people,
                          const BatchScores& scores_of) {
  BestUsers best(slice, people);
  parallel_blocks(slice.end - slice.begin, 1, [&](std::size_t k, std::size_t) {
    const Batch& batch = batches[slice.begin + k];
    RowMatrixXf scores(at(batch.people.size()), at(people));
    scores_of(batch, scores);
    // threads arrive in any order; BestUsers breaks ties by the smaller index, so the table does not depend
    // on it
    best.add(batch, scores);
  });
  return best;
}

void load_distances(const PoolTask& task, const Batch& batch, RowMatrixXf& to) {
  const std::size_t people = task.pool.size();
  to.resize(at(batch.people.size()), at(people));
  for (std::size_t k = 0; k < batch.people.size(); ++k) {
    const std::size_t u = batch.people[k];
    task.pool.distances->row(u, {to.row(at(k)).data(), people});
    // an excluded pair is infinitely far: it wins no minimum and no score
    if (!is_allowed(task.pool, task.terms, u, u)) to(at(k), at(u)) = -kLowestScore;
  }
}

namespace {

/// Ties by donor, so that the set does not depend on how elements are moved about.
bool nearer(const Donor& a, const Donor& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.donor < b.donor;
}

}  // namespace

void keep_nearest(std::vector<Donor>& row, std::size_t count) {
  if (row.size() <= count) return;
  std::ranges::nth_element(row, row.begin() + static_cast<std::ptrdiff_t>(count), nearer);
  row.resize(count);
}

std::vector<Donor> nearest_of_row(std::span<const float> distances, std::size_t count) {
  std::vector<Donor> row;  // a heap, the farthest first
  row.reserve(count + 1);
  float farthest = -kLowestScore;
  for (std::size_t j = 0; j < distances.size(); ++j) {
    // a later donor of the same distance has the larger number
    if (!(distances[j] < farthest)) continue;
    row.push_back({static_cast<std::uint32_t>(j), distances[j]});
    std::ranges::push_heap(row, nearer);
    if (row.size() <= count) continue;
    std::ranges::pop_heap(row, nearer);
    row.pop_back();
    farthest = row.front().distance;
  }
  return row;
}

}  // namespace hyobscure::solve
