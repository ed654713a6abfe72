#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {

/// What can be published under a person, and how likely it is.
struct Signal {
  std::uint32_t id = 0;
  double probability = 0;
};

/// O(. | u) of a mechanism, person by person, for all kinds of draws.
///
/// A signal is what an attacker who knows all rows and secrets recognises in a published row: the donor,
/// numbered as the people are; or, where donors are uniform in their cell and nothing is retained, the
/// donor's cluster, since which person of the cell it is tells nothing. Either belongs to the stratum in
/// which it is published.
class Signals {
 public:
  /// All three must outlive it. Throws InputError where the people do not fit the mechanism.
  Signals(const Mechanism& mechanism, const data::People& people,
          std::span<const std::uint32_t> cluster_of_person);
  ~Signals();
  Signals(Signals&&) noexcept;

  /// Ascending by id; probabilities sum to 1. Cost: the number of signals, for near donors a row of
  /// distances. Safe to call from several threads.
  [[nodiscard]] std::vector<Signal> of(std::uint32_t person) const;
  /// At most so many has `of(person)`; costs nothing.
  [[nodiscard]] std::size_t most(std::uint32_t person) const;
  /// The signal that the row of `donor` gives when it is published under `person`.
  [[nodiscard]] std::uint32_t shown_by(std::uint32_t person, std::uint32_t donor) const;
  /// What is published beside the row: the group and the kept columns.
  const Pools& strata() const { return strata_; }
  /// Every id of a signal is below it.
  std::uint64_t ids() const { return ids_; }

 private:
  struct Pool;

  const data::People& people_;
  std::span<const std::uint32_t> cluster_of_person_;
  Pools strata_;
  Pools donors_;  ///< who may donate to whom
  std::uint64_t ids_;
  std::vector<Pool> pools_;
};

/// What several releases of the same people tell together.
struct Composition {
  double bits = kUnset;  ///< I(Y; V1, G1, V2, G2, ...)
  bool exact = false;    ///< false: an upper bound, H(Y), since there are too many pairs of donors to add up
};

/// For releases whose draws are independent of each other:
///
///   P(y, v1, v2, ...) = 1/N  sum over people u of value y   O1(v1 | u) O2(v2 | u) ...
///
/// Even where each release alone tells nothing, together they may tell everything: the person is who is near
/// to all of their donors. Cost: for each person the product of the numbers of their signals.
[[nodiscard]] Composition compose(const data::People& people, std::span<const Signals> releases);

}  // namespace hyobscure::obscure
