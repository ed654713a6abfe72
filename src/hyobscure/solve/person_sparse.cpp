#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include <cmath>

#include "hyobscure/solve/person_mirror.h"
#include "hyobscure/solve/person_pricing.h"

namespace hyobscure::solve {
namespace {

constexpr int kRounds = 12;

std::vector<float> uniform_rows(const Support& support) {
  std::vector<float> values(support.pairs());
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t k = support.starts[u]; k < support.starts[u + 1]; ++k)
      values[k] = 1.0f / static_cast<float>(support.starts[u + 1] - support.starts[u]);
  return values;
}

std::vector<float> carry_over(const Support& from, const std::vector<float>& x, const Support& to, float blend) {
  auto values = uniform_rows(to);
  for (std::size_t u = 0; u < to.people_count(); ++u) {
    std::size_t k = from.starts[u];
    for (std::size_t pair = to.starts[u]; pair < to.starts[u + 1]; ++pair) {
      values[pair] *= blend;
      while (k < from.starts[u + 1] && from.donors[k] < to.donors[pair]) ++k;
      if (k < from.starts[u + 1] && from.donors[k] == to.donors[pair]) values[pair] += (1 - blend) * x[k];
    }
  }
  return values;
}

}  // namespace

PoolAnswer solve_pool_sparse(const PoolTask& task, const Progress& progress) {
  const double m = static_cast<double>(task.pool.size());
  auto t0 = std::chrono::steady_clock::now();
  const auto sec = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(); };
  StartRows start = near_pairs(task);
  Support support = index_pairs(task.pool, start.rows, start.nearest);
  std::printf("  start pairs %zu (%.1f a person) %.2fs\n", support.pairs(), double(support.pairs()) / m, sec());
  auto x = uniform_rows(support);
  PoolAnswer answer;
  double bound = -1e300;
  double tol = std::max(0.5 * task.tolerance, 1e-3 * m);
  for (int round = 0; round < kRounds; ++round) {
    MirrorSolver solver(task, support, x);
    solver.run(tol, task.max_iterations - answer.iterations, progress);
    answer.iterations += solver.iterations();
    const auto t1 = sec();
    const FullBound full = bound_on_all_pairs(task, start.nearest, solver.duals(), 0.05 * task.tolerance / m);
    bound = std::max(bound, full.bound);
    std::size_t added = 0;
    for (auto& r : full.additions) added += r.size();
    std::printf("  round %d: it %d value %.6f restricted gap %.2e full gap %.2e (bits/person), additions %zu  %.2fs, pricing %.2fs\n", round,
                answer.iterations, solver.value() / m, (solver.value() - solver.bound()) / m * 1.4427,
                (solver.value() - bound) / m * 1.4427, added, t1, sec() - t1);
    answer.objective = solver.value();
    if (solver.value() - bound <= task.tolerance || answer.iterations >= task.max_iterations) { x = solver.channel(); break; }
    tol = std::max(0.3 * task.tolerance, std::min(tol, 0.2 * (solver.value() - bound)));
    for (std::size_t u = 0; u < start.rows.size(); ++u)
      start.rows[u].insert(start.rows[u].end(), full.additions[u].begin(), full.additions[u].end());
    tidy_rows(start.rows);
    Support larger = index_pairs(task.pool, start.rows, start.nearest);
    x = carry_over(support, solver.channel(), larger, 1e-3f);
    support = std::move(larger);
  }
  answer.lower_bound = bound;
  answer.channel.starts = support.starts;
  answer.channel.donors = support.donors;
  answer.channel.probabilities.assign(x.begin(), x.end());
  return answer;
}

}  // namespace hyobscure::solve
