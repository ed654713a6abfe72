#pragma once

#include <span>
#include <vector>

#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

/// What limits on lifts say of one pool: least[y] <= v_j(y) / R_j <= most[y] of every donor j. Without limits
/// empty.
struct ShareLimits {
  std::vector<double> least, most;  ///< by value; around the pool's own share of each
  bool any() const { return !most.empty(); }
};

[[nodiscard]] ShareLimits share_limits(const PersonPool& pool, const PersonTerms& terms);

/// Throws InputError where a pool's own shares are outside of the limits: wards reveal that much by
/// themselves.
void require_shares_within(const PersonPool& pool, const PersonTerms& terms);

/// shares = the distribution within the limits that is nearest to the weights in relative entropy:
/// clip( c weights, least, most ), whose sum is 1. Returns c. Some weights must be positive, and the limits
/// must leave a distribution.
double nearest_shares(std::span<const double> weights, std::span<const double> least,
                      std::span<const double> most, std::span<double> shares);

/// The largest of  sum_y p(y) b(y) - weight sum_y p(y) log( p(y) / q(y) )  over distributions p within the
/// limits, but for rounding never too small: person_sparse.md, "Limits on lifts". Without limits it is
/// weight log sum_y q e^(b / weight).
class LimitedMaximum {
 public:
  double operator()(std::span<const double> b, std::span<const double> q, std::span<const double> least,
                    std::span<const double> most, double weight);

 private:
  double log_scale_by_halving(double lowest, std::span<const double> least,
                              std::span<const double> most) const;
  double of_linear(std::span<const double> b, std::span<const double> least, std::span<const double> most);

  std::vector<double> logs_, weights_, shares_;
  std::vector<std::size_t> order_;
};

/// Donors with whom a channel that reveals nothing can do: rank i of the n people of a value, in a pool of m,
/// may be published as i m / n to (i + 1) m / n. Each donor then has each value's share. A support that holds
/// them carries a channel within any limits.
class EvenDonors {
 public:
  explicit EvenDonors(const PersonPool& pool);
  struct Range {
    std::uint32_t first, last;  ///< both included
    bool contains(std::uint32_t donor) const { return first <= donor && donor <= last; }
  };
  Range of(std::size_t person) const;

 private:
  const PersonPool& pool_;
  std::vector<std::uint64_t> people_of_value_;
  std::vector<std::uint32_t> rank_;
};

/// What is to be within the limits exactly, from a channel that is so nearly: rows sum to 1, columns where
/// balanced. Moves as little mass as that takes, within each value, to whatever donors lack it.
[[nodiscard]] SparseChannel within_lift_limits(const PersonPool& pool, const PersonTerms& terms,
                                               const SparseChannel& nearly);

/// No channel within the limits leaks more, people weighing 1: of the weighted sum.
[[nodiscard]] double most_leakage(const PersonPool& pool, const PersonTerms& terms);

/// Whether every donor that is published keeps the limits.
[[nodiscard]] bool keeps_lifts(const PersonPool& pool, const PersonTerms& terms,
                               const SparseChannel& channel);

}  // namespace hyobscure::solve
