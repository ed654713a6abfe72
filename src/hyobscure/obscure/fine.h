#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/obscure/method.h"
#include "hyobscure/solve/person_channel.h"

namespace hyobscure::obscure {

/// The people of given groups as pools of the person-level solver: distances, values, and what a model
/// trained on other people would say of each. Costs the most of the method, and does not depend on budget,
/// threat or balance.
class FinePeople {
 public:
  FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress);

  std::span<const solve::PersonPool> pools() const { return pools_; }

 private:
  /// Pools above this size are solved on candidates from a forest; up to it the proof covers all donors.
  static constexpr std::size_t kMostForAllDonors = 20'000;

  std::vector<std::unique_ptr<solve::PersonDistances>> distances_;
  std::vector<solve::PersonPool> pools_;
};

/// Prepared people by their groups, so that budgets, threats and methods share them.
class FineCache {
 public:
  [[nodiscard]] const FinePeople& people(const MethodInput& input, const solve::Partition& partition,
                                         const Progress& progress);

 private:
  std::map<std::vector<int>, std::unique_ptr<FinePeople>> by_groups_;
};

/// The attackers weighed as the threat says. Both: each by the other's unobscured leakage, so that neither
/// drowns the other.
[[nodiscard]] solve::PersonTerms person_terms(const MethodInput& input,
                                              std::span<const solve::PersonPool> pools);

}  // namespace hyobscure::obscure
