#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/solve/channel/lift_limits.h"

namespace hyobscure::solve {

/// Distances between the people of a pool, row by row, so that they can be kept or computed on demand.
class PersonDistances {
 public:
  virtual ~PersonDistances() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// d(person, v) for all v; finite, not negative, need not be symmetric. Called from several threads at
  /// once.
  virtual void row(std::size_t person, std::span<float> to) const = 0;
  /// to[k] = d(person, donors[k]), the same numbers as row() has, whatever else that costs: from all of the
  /// row unless overridden. Large pools read a few donors of each person and no whole rows.
  virtual void distances_to(std::size_t person, std::span<const std::uint32_t> donors,
                            std::span<float> to) const {
    std::vector<float> all(size());
    row(person, all);
    for (std::size_t k = 0; k < donors.size(); ++k) to[k] = all[donors[k]];
  }
};

/// Distances that are kept: people^2 floats.
class DistanceMatrix final : public PersonDistances {
 public:
  using Table = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit DistanceMatrix(Table table) : table_(std::move(table)) {}
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(table_.rows()); }
  void row(std::size_t person, std::span<float> to) const override {
    const auto values = table_.row(static_cast<Eigen::Index>(person));
    std::copy(values.data(), values.data() + values.size(), to.begin());
  }
  void distances_to(std::size_t person, std::span<const std::uint32_t> donors,
                    std::span<float> to) const override {
    const auto values = table_.row(static_cast<Eigen::Index>(person));
    for (std::size_t k = 0; k < donors.size(); ++k) to[k] = values(static_cast<Eigen::Index>(donors[k]));
  }

 private:
  Table table_;
};

using RowMatrixXf = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// People who may donate to each other: those of one group (and of the same kept columns).
struct PersonPool {
  const PersonDistances* distances = nullptr;
  std::vector<std::uint32_t> value_of_person;  ///< y_u: what the informed attacker knows; below `values`
  std::uint32_t values = 0;
  /// p(y | x_u) as an attacker's model sees it, people x values, rows sum to 1. Empty: no learned attacker.
  /// With profiles: people x r weights z_u, rows sum to 1, and p(y | x_u) = sum_k z_uk profiles(r b_u + k,
  /// y).
  RowMatrixXf learned = {};
  /// Distributions over the values, in blocks of r. A pair then costs r numbers instead of one per value.
  RowMatrixXf profiles = {};
  std::vector<std::uint8_t> profile_block = {};  ///< b_u of each person; empty: all 0
  /// Donors considered for each person, ascending; empty: all people of the pool. For pools too large for all
  /// pairs: time and memory then follow the number of candidates, and the certificate covers these only.
  ///
  /// A balanced channel considers two donors more, oneself and the next person of the pool (the next two
  /// where nobody may publish himself), without which some candidates carry no balanced channel at all. Where
  /// scalings balance too slowly, it may also hold a few pairs beyond, of a tiny probability: see
  /// person_sparse.md. A free channel stays on the candidates.
  std::vector<std::vector<std::uint32_t>> candidates = {};
  /// Shares of the values that limits on lifts are about; empty: those of the pool itself. A ward has its
  /// pool's, which are its own up to rounding.
  std::vector<double> shares_of_lifts = {};

  std::size_t size() const { return value_of_person.size(); }
};

/// What a search of the price of distance must know of pools, wherever these are.
class PoolList {
 public:
  virtual ~PoolList() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;  ///< number of pools
  [[nodiscard]] virtual std::size_t people(std::size_t pool) const = 0;
  /// Pools of one stratum are more alike than others.
  [[nodiscard]] virtual std::size_t stratum(std::size_t) const { return 0; }
  /// Mean distance between people of the pool, roughly. In a stratum the distances that channels need at a
  /// price are taken to be in proportion to it.
  [[nodiscard]] virtual double spread(std::size_t) const { return 1; }
  /// Whether d(u,u) = 0 for everybody.
  [[nodiscard]] virtual bool own_rows_are_free() const { return false; }
};

/// Pools that need not be in memory together: each is made when it is solved, and may be dropped after it.
class PoolSource : public PoolList {
 public:
  /// The same pool each time. Called from several threads at once.
  [[nodiscard]] virtual std::shared_ptr<const PersonPool> load(std::size_t pool) const = 0;
};

/// What is minimised:  informed_weight I(Y;V|pool) + learned_weight I(Y';V|pool), Y' drawn from p(y | x_u).
struct PersonTerms {
  double informed_weight = 1;
  double learned_weight = 0;
  bool balanced = true;    ///< every row is published once in expectation: columns sum to 1 as well
  bool self_donor = true;  ///< false: nobody's own row (but for the only person of a pool)
  /// Of every donor that is published, kept within kPersonLiftTolerance. Not with candidates, nor where
  /// nobody may publish their own row.
  LiftLimits lifts = {};
};

inline constexpr double kPersonLiftTolerance = 1e-9;  ///< relative

inline constexpr double kLeastGapBits = 2e-4;

struct PersonSettings {
  double gap_tolerance_bits = 1e-5;
  /// With a budget: an objective smaller than the tolerance is not proven by it. The gap is also brought
  /// below this share of the objective, down to kLeastGapBits. 0: the tolerance alone decides.
  double gap_share = 0;
  /// Pools up to this size are solved by the dense interior point, where only the informed attacker counts.
  std::size_t dense_limit = 400;
  int max_iterations = 2000;
};

/// O(v | u) without its zeros, rows in the order of the people.
struct SparseChannel {
  std::vector<std::size_t> starts = {0};  ///< row u: entries starts[u] .. starts[u + 1] - 1
  std::vector<std::uint32_t> donors;      ///< ascending in each row
  std::vector<double> probabilities;      ///< of a row sum to 1 within 1e-12

  std::size_t size() const { return starts.size() - 1; }
};

struct PersonInfo {
  bool solved = false;             ///< the gap is within the tolerance
  double informed_nats = kUnset;   ///< sum over pools of p I(Y;V|pool), exact for the returned channels
  double learned_nats = kUnset;    ///< the same for the learned attacker; unset where there is none
  double distance = kUnset;        ///< expected, of the returned channels
  double objective_nats = kUnset;  ///< the weighted sum of the two leakages
  double gap_nats =
      kUnset;              ///< proven: objective + multiplier * distance exceeds its optimum by no more. With
                           ///< a budget: the objective exceeds the optimum within the budget by no more.
  bool all_donors = true;  ///< the proof covers every pair of a pool, not just candidates
  double multiplier = kUnset;  ///< price of distance in nats
  int iterations = 0;
  double seconds = 0;
};

struct PersonResult {
  std::vector<SparseChannel> channels;  ///< one a pool
  PersonInfo info;
};

/// Who publishes whose features: the O-problem with every person their own cluster.
///
///   minimise  objective(O) + multiplier * D,   D = mean over all people u of sum_v O(v|u) d(u,v)
///
/// A person weighs 1 / (people of all pools). Convex; person_channel.md derives solvers and certificate.
/// The result does not depend on the number of threads. Throws InputError for malformed input, and Stopped.
[[nodiscard]] PersonResult solve_people_with_multiplier(std::span<const PersonPool> pools,
                                                        const PersonTerms& terms, double multiplier,
                                                        const PersonSettings& settings = {},
                                                        const Progress& progress = {});

/// The same within a budget: minimise the objective subject to D <= budget. Throws InputError, naming
/// smallest_person_distance(), if no channel is that near, and LiftsOutOfReach (channel.h) if none that keeps
/// the limits on lifts is. Stopped after its first solves it returns the best
/// so far with the gap that is proven for it, not solved; before them it throws Stopped.
[[nodiscard]] PersonResult solve_people_with_budget(std::span<const PersonPool> pools,
                                                    const PersonTerms& terms, double budget,
                                                    const PersonSettings& settings = {},
                                                    const Progress& progress = {});

/// The same for pools that are loaded one by one: the price of distance is found on a few of them, then each
/// is solved at it, and some again at a price nearby until the budget is spent (person_many.md). Keeps the
/// channels of all pools, and of everything else as much as one pool per thread and the few need. Stopped
/// once every pool is solved it returns the first channels within the budget; before that it throws Stopped.
[[nodiscard]] PersonResult solve_many_pools_with_budget(const PoolSource& pools, const PersonTerms& terms,
                                                        double budget, const PersonSettings& settings = {},
                                                        const Progress& progress = {});

/// Many budgets, in any order, each started from the answers to larger ones.
[[nodiscard]] std::vector<PersonResult> solve_people_with_budgets(std::span<const PersonPool> pools,
                                                                  const PersonTerms& terms,
                                                                  std::span<const double> budgets,
                                                                  const PersonSettings& settings = {},
                                                                  const Progress& progress = {});

/// No channel within the terms has a smaller expected distance: 0 with self donors where d(u,u) = 0; else
/// each person's nearest donor, or the cheapest assignment where balanced. Beyond 1500 people a pool, or with
/// candidates, the assignment is replaced by a bound from below. Considers the candidates where there are
/// any, and what balance adds to them.
[[nodiscard]] double smallest_person_distance(std::span<const PersonPool> pools, const PersonTerms& terms);
[[nodiscard]] double smallest_person_distance(const PoolSource& pools, const PersonTerms& terms);

/// From this distance on nothing need leak: free, the cheapest donor of each pool for everybody; balanced,
/// the uniform donor; without self donors the uniform donor, those of one's own value a little more often.
/// Where nobody may publish themselves and somebody is the only one with their value, a balanced channel must
/// leak: then the distance of the uniform donor.
///
/// On candidates something mostly leaks at any distance. A pool that has them counts with the mean distance
/// of its candidates, from which on the budget hardly matters: such budgets are first tried with distance
/// free of charge, and searched like others if that is too far. The expected distance of a result is never
/// above its budget.
[[nodiscard]] double harmless_person_distance(std::span<const PersonPool> pools, const PersonTerms& terms);

/// Person u publishes the row of donors[u], for certain.
[[nodiscard]] SparseChannel one_donor_each(std::vector<std::uint32_t> donors);

/// informed_nats, learned_nats and distance of any channels, exactly as in PersonInfo; the rest is unset.
[[nodiscard]] PersonInfo evaluate_people(std::span<const PersonPool> pools, const PersonTerms& terms,
                                         std::span<const SparseChannel> channels);

}  // namespace hyobscure::solve
