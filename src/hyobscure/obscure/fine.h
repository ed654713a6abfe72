#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hyobscure/obscure/method.h"
#include "hyobscure/solve/person_channel.h"

namespace hyobscure::obscure {

/// The people of given groups as a problem of the person-level solver: distances, values, and what a model
/// trained on other people would say of each.
class FineProblem {
 public:
  /// Trains the model whatever the threat: both leakages belong into every result.
  FineProblem(const MethodInput& input, const solve::Partition& partition, const Progress& progress);

  std::span<const solve::PersonPool> pools() const { return pools_; }
  const solve::Partition& partition() const { return partition_; }
  /// Weighs the two attackers as the threat says. Both: each by the other's unobscured leakage, so that
  /// neither drowns the other.
  const solve::PersonTerms& terms() const { return terms_; }
  solve::PersonSettings settings() const;

 private:
  /// Pools above this size are solved on candidates from a forest; up to it the proof covers all donors.
  static constexpr std::size_t kMostForAllDonors = 20'000;

  solve::PersonTerms weighed_terms() const;

  const MethodInput& input_;
  solve::Partition partition_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::unique_ptr<solve::PersonDistances>> distances_;
  std::vector<solve::PersonPool> pools_;
  solve::PersonTerms terms_;
};

}  // namespace hyobscure::obscure
