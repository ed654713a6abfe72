#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hyobscure/solve/person/person_channel.h"
#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

/// A pool to be solved at a price of distance.
struct PoolOrder {
  std::size_t pool = 0;
  double price = 0;
  double tolerance = 0;  ///< of the gap, nats per person
};

/// What the search knows of a solved pool; sums over its people.
struct PoolFigures {
  double bound = 0;  ///< of objective + price * distance
  double distance = 0;
  double informed = 0, learned = 0;
  int iterations = 0;
};

/// What an attacker would learn if everybody published their own row; sums over the people of a pool.
struct OwnRows {
  double informed = 0, learned = 0;
};

/// Solves pools wherever they are, on threads or on machines, and keeps the channels: the search sees figures
/// alone. The figures of a pool depend on the orders for it so far, never on who else is solved.
class PoolSolver {
 public:
  virtual ~PoolSolver() = default;
  /// Each from the channel that its pool was last solved with, if any. Figures are in the order of the
  /// orders.
  [[nodiscard]] virtual std::vector<PoolFigures> solve(std::span<const PoolOrder> orders,
                                                       const Progress& progress) = 0;
  /// These pools will be solved again and again, until others are kept.
  virtual void keep(std::span<const std::size_t>) {}
  [[nodiscard]] virtual OwnRows own_rows(std::size_t pool) const = 0;
  /// The channels of all pools, once.
  [[nodiscard]] virtual std::vector<SparseChannel> take_channels() = 0;
};

/// One order; `start` may be a channel of this pool at another price, or nothing.
struct SolvedPool {
  PoolFigures figures;
  SparseChannel channel;
};
[[nodiscard]] SolvedPool solve_order(const PersonPool& pool, const PersonTerms& terms,
                                     const PersonSettings& settings, const PoolOrder& order,
                                     SparseChannel start, const Progress& progress = {});

/// Of everybody's own row. Distances are not looked at.
[[nodiscard]] OwnRows own_rows_of(const PersonPool& pool);

/// solve_many_pools_with_budget (person_channel.h) where `solver` solves the pools.
[[nodiscard]] PersonResult solve_many_pools_with_budget(const PoolList& pools, PoolSolver& solver,
                                                        const PersonTerms& terms, double budget,
                                                        const PersonSettings& settings = {},
                                                        const Progress& progress = {});

}  // namespace hyobscure::solve
