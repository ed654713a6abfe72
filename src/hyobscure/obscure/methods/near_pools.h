#pragma once

#include <Eigen/Core>
#include <vector>

#include "hyobscure/obscure/methods/baseline.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {

/// Pools whose people draw near donors: person by person while all pairs fit, else cell by cell.
class NearPools {
 public:
  /// Computes the distances of all pairs, or takes those of the cells where there are more than kMostPairs.
  NearPools(const MethodInput& input, const Progress& progress);

  bool person_by_person() const { return person_by_person_; }
  double largest_distance() const { return largest_; }  ///< that decides about a draw

  /// Expected distance of the draws (the spec's distance), everybody drawing.
  [[nodiscard]] double distance(const NearDraw& draw) const;
  /// The channels, none of them retaining.
  [[nodiscard]] std::vector<Channel> channels(const MethodInput& input, const NearDraw& draw) const;
  /// For the user, where cells stand for people; else empty.
  [[nodiscard]] std::string note() const;

 private:
  static constexpr double kMostPairs = 1e8;  // two tables of floats: 0.8 GB

  [[nodiscard]] Eigen::MatrixXd cell_probabilities(const DonorPool& pool, const NearDraw& draw) const;
  [[nodiscard]] double cell_distance(const NearDraw& draw) const;

  std::vector<DonorPool> pools_;
  double people_ = 0;
  bool person_by_person_ = true;
  double largest_ = 0;
  std::vector<obscure::DistanceTable> deciding_;   ///< Jaccard, one a pool: decides about the draw
  std::vector<obscure::DistanceTable> distances_;  ///< the spec's distance, which the budget limits
};

/// The sweep of a method that draws in near pools: the same pairs for all budgets.
template <MethodResult (*answer)(const MethodInput&, const NearPools&)>
void sweep_near(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                const OnBudget& on_budget) {
  const NearPools pools(input, progress);
  answer_each(input, budgets, progress, on_budget, [&](const MethodInput& at) { return answer(at, pools); });
}

}  // namespace hyobscure::obscure
