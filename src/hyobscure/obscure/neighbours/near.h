#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/obscure/mechanism/donor_channel.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {

/// The probabilities of a NearDraw, given the distances from person `self` to all of the pool. They sum to 1.
/// A person to whom nobody is similar draws uniformly among the others; the only person of a pool draws
/// themselves.
void near_probabilities(const NearDraw& draw, std::span<const float> distances, std::size_t self,
                        std::span<double> probabilities);

/// The same from the features of the pool's people.
class NearRows {
 public:
  NearRows(const NearDraw& draw, const data::SparseRows& features, std::span<const std::uint32_t> members);

  std::size_t size() const { return distances_.size(); }
  /// The donors of member i, by place in the pool. Safe to call from several threads.
  void row(std::size_t i, std::span<double> probabilities) const;

 private:
  NearDraw draw_;
  obscure::RowDistances distances_;
};

}  // namespace hyobscure::obscure
