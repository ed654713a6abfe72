#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::obscure {

/// The people of given groups as pools of the person-level solver: distances and values; once learned, also
/// what a model trained on other people would say of each. Costs the most of the method, and does not depend
/// on budget, threat or balance.
class FinePeople {
 public:
  FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress);

  /// Trains the models, once.
  void learn(const MethodInput& input, const Progress& progress);

  std::span<const solve::PersonPool> pools() const { return pools_; }
  /// Whether a model trained on other people predicts the secret better than the group alone does.
  bool model_predicts() const { return model_predicts_; }

 private:
  /// Pools above this size are solved on candidates from a forest; up to it the proof covers all donors.
  static constexpr std::size_t kMostForAllDonors = 20'000;

  solve::Partition partition_;
  Pools groups_;
  std::vector<std::unique_ptr<solve::PersonDistances>> distances_;
  std::vector<solve::PersonPool> pools_;
  bool learned_ = false;
  bool model_predicts_ = false;
};

/// Prepared people by their groups, so that budgets, threats and methods share them.
class FineCache {
 public:
  /// With what a model would say of them.
  [[nodiscard]] const FinePeople& learned(const MethodInput& input, const solve::Partition& partition,
                                          const Progress& progress);
  /// Distances and values at least.
  [[nodiscard]] FinePeople& people(const MethodInput& input, const solve::Partition& partition,
                                   const Progress& progress);

 private:
  std::map<std::vector<int>, std::unique_ptr<FinePeople>> by_groups_;
};

/// The attackers weighed as the threat says (docs/method.md, "Two attackers"):
///
///   informed  w = 1
///   both      w = max(w0, I_learned / (I_informed + I_learned)) of unprotected features: neither drowns the
///             other, and the informed attacker never has less than w0 = input.person.least_informed_weight
///   learned   w = kLeastWeightOfInformed: only where the model leaves it open does the informed attacker
///   decide
///
/// w = 1 for every threat where the model does not predict: there is nothing to hide from it, and an
/// objective without the informed attacker would hide nothing at all.
[[nodiscard]] solve::PersonTerms person_terms(const MethodInput& input, const FinePeople& people);

inline constexpr double kLeastWeightOfInformed = 0.01;

}  // namespace hyobscure::obscure
