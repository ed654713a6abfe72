#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "hyobscure/solve/person/person_finish.h"
#include "hyobscure/solve/person/person_lifts.h"
#include "hyobscure/solve/person/person_mirror.h"
#include "hyobscure/solve/person/person_pricing.h"
#include "hyobscure/solve/person/person_start.h"

namespace hyobscure::solve {
namespace {

constexpr double kFirstTolerance = 1e-2;  // nats a person: the first support is not worth more
constexpr double kNextTolerance = 0.2;    // of the gap over all pairs, for the support that comes next
constexpr double kLastTolerance = 0.5;    // of what was asked for: leaves room for pairs off the support
constexpr double kOnlyTolerance = 0.8;    // the same where the support is all there is: room for pruning
constexpr double kSlack = 0.05;  // of the tolerance a person: columns violated by less are left alone
constexpr float kShareOfNew =
    1e-3f;  // of a row that is spread evenly over its pairs, so that new ones can grow
constexpr int kMostRounds = 40;
constexpr int kRoundsThatDrop = 6;  // later ones only add: pairs must not come and go for ever
constexpr float kFaded = 1e-6f;     // a pair with less is left out when others are added

/// The probabilities of `channel` on the support, a small share spread over all pairs. Pairs of the channel
/// that are not on the support, should there be any, are left out.
template <class Channel, class Values>
Floats spread(const Channel& channel, const Values& probabilities, const Support& support) {
  Floats values(support.pairs());
  for (std::size_t u = 0; u < support.people_count(); ++u) {
    const std::size_t begin = support.starts[u], end = support.starts[u + 1];
    const float even = 1.0f / static_cast<float>(end - begin);
    std::size_t k = channel.starts[u];
    double sum = 0;
    for (std::size_t pair = begin; pair < end; ++pair) {
      while (k < channel.starts[u + 1] && channel.donors[k] < support.donors[pair]) ++k;
      const bool known = k < channel.starts[u + 1] && channel.donors[k] == support.donors[pair];
      // person_sparse.md, "Pricing": a pair of probability 0 could never grow in a multiplicative step
      values[pair] = kShareOfNew * even + (known ? static_cast<float>(probabilities[k]) : 0.0f);
      sum += values[pair];
    }
    for (std::size_t pair = begin; pair < end; ++pair) values[pair] /= static_cast<float>(sum);
  }
  return values;
}

Floats first_values(const PoolTask& task, const Support& support) {
  if (task.start != nullptr) return spread(*task.start, task.start->probabilities, support);
  SparseChannel nothing;
  nothing.starts.assign(support.people_count() + 1, 0);
  return spread(nothing, nothing.probabilities, support);
}

/// Whether any pair was new.
bool add_pairs(const DonorRows& additions, DonorRows& rows) {
  std::size_t before = 0, after = 0;
  for (std::size_t u = 0; u < rows.size(); ++u) {
    before += rows[u].size();
    rows[u].insert(rows[u].end(), additions[u].begin(), additions[u].end());
  }
  tidy_rows(rows);
  for (const auto& row : rows) after += row.size();
  return after > before;
}

/// Takes out the pairs that have lost their probability, but for those that every support must hold: pricing
/// brings back what was taken out too early.
void drop_faded(const PoolTask& task, const Support& support, std::span<const float> channel,
                DonorRows& rows) {
  std::optional<EvenDonors> even;
  if (task.terms.lifts.any()) even.emplace(task.pool);
  parallel_blocks(rows.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      const auto ring = ring_donors(task.terms, task.pool.size(), static_cast<std::uint32_t>(u));
      const auto needed = [&](std::uint32_t donor) {
        return donor == u || std::ranges::find(ring, donor) != std::ranges::end(ring) ||
               (even && even->of(u).contains(donor));
      };
      std::size_t kept = 0;
      for (std::size_t k = 0; k < rows[u].size(); ++k)
        if (channel[support.starts[u] + k] >= kFaded || needed(rows[u][k].donor))
          rows[u][kept++] = rows[u][k];
      rows[u].resize(kept);
    }
  });
}

/// No leakage, and everybody as near as can be.
double trivial_bound(const PoolTask& task, const std::vector<float>& nearest) {
  double sum = 0;
  for (const float distance : nearest) sum += task.multiplier * distance;
  // F >= 0 and nobody is nearer than the nearest donor
  return sum * (1 - 1e-14 * static_cast<double>(nearest.size()));
}

/// Restricted solutions on growing supports, and the best that was proven about them.
class Rounds {
 public:
  explicit Rounds(const PoolTask& task)
      : task_(task), start_(start_rows(task)), support_(index_pairs(task.pool, start_.rows, start_.nearest)) {
    answer_.all_donors = task.pool.candidates.empty();
    answer_.lower_bound = trivial_bound(task, start_.nearest);
  }

  PoolAnswer solve(const Progress& progress);

 private:
  double people() const { return static_cast<double>(task_.pool.size()); }
  double gap() const { return answer_.objective - answer_.lower_bound; }
  bool price(const MirrorSolver& solver);
  void finish(const MirrorSolver& solver);
  void grow(std::unique_ptr<MirrorSolver>& solver);

  const PoolTask& task_;
  StartRows start_;
  Support support_;
  PoolAnswer answer_;
  int round_ = 0;
};

/// Raises the bound; whether the support grew.
bool Rounds::price(const MirrorSolver& solver) {
  if (!answer_.all_donors) {
    // "Pools with candidates": the restricted bound is the certificate
    answer_.lower_bound = std::max(answer_.lower_bound, solver.bound());
    return false;
  }
  const double slack = kSlack * task_.tolerance / people();
  const FullBound full = bound_on_all_pairs(task_, start_.nearest, solver.duals(), slack);
  // "The bound": over all pairs, hence for the full problem
  answer_.lower_bound = std::max(answer_.lower_bound, full.bound);
  if (solver.value() - answer_.lower_bound <= kLastTolerance * task_.tolerance) return false;
  if (round_ < kRoundsThatDrop) drop_faded(task_, support_, solver.channel(), start_.rows);
  return add_pairs(full.additions, start_.rows);
}

/// The channel of the solver, if it is better than what we have.
void Rounds::finish(const MirrorSolver& solver) {
  SparseChannel channel = finish_channel(task_, support_, solver.channel());
  const double distance = distance_of_channel(task_.pool, support_, channel);
  const double objective = leakage_of_channel(task_, channel) + task_.multiplier * distance;
  if (answer_.objective <= objective) return;
  answer_.objective = objective;
  answer_.distance = distance;
  answer_.channel = std::move(channel);
}

void Rounds::grow(std::unique_ptr<MirrorSolver>& solver) {
  Support larger = index_pairs(task_.pool, start_.rows, start_.nearest);
  MirrorState state = solver->state();
  // the scheme goes on where it was: a few new pairs of little weight do not ask for another beginning
  state.x = spread(support_, state.x, larger);
  state.w = spread(support_, state.w, larger);
  support_ = std::move(larger);
  solver = std::make_unique<MirrorSolver>(task_, support_, std::move(state));
}

PoolAnswer Rounds::solve(const Progress& progress) {
  auto solver = std::make_unique<MirrorSolver>(
      task_, support_,
      MirrorState{.x = first_values(task_, support_), .column_prices = Floats(task_.pool.size(), 0.0f)});
  const bool complete = !answer_.all_donors;  // candidates: nothing will be added to them
  const double last_tolerance = (complete ? kOnlyTolerance : kLastTolerance) * task_.tolerance;
  double tolerance = complete ? last_tolerance : std::max(last_tolerance, kFirstTolerance * people());
  for (int round = 0; round < kMostRounds; ++round) {
    const int before = solver->iterations();
    solver->run(tolerance, std::max(1, task_.max_iterations - answer_.iterations), progress);
    answer_.iterations += solver->iterations() - before;
    round_ = round;
    const bool grew = price(*solver);
    const bool last = answer_.iterations >= task_.max_iterations || round + 1 == kMostRounds;
    const double estimate = solver->value() - answer_.lower_bound;
    if (last || estimate <= task_.tolerance) finish(*solver);
    if (last || gap() <= task_.tolerance) break;
    // "Pricing": a fifth of the gap over all pairs; solving an incomplete support well is wasted
    const double next_tolerance = std::min(tolerance, std::max(last_tolerance, kNextTolerance * estimate));
    if (grew) grow(solver);
    // pruning, or pairs not worth adding, cost more than was left
    const bool stuck = !grew && (estimate <= task_.tolerance || next_tolerance == tolerance);
    tolerance = (stuck ? kNextTolerance : 1) * next_tolerance;
  }
  return std::move(answer_);
}

}  // namespace

PoolAnswer solve_pool_sparse(const PoolTask& task, const Progress& progress) {
  return Rounds(task).solve(progress);
}

}  // namespace hyobscure::solve
