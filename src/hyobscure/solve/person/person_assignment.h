#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace hyobscure::solve {

/// The cheapest permutation, and prices that prove it: cost(u, j) >= person_prices(u) + donor_prices(j), with
/// equality where u gets j.
struct Assignment {
  std::vector<std::uint32_t> donors;  ///< of each person
  Eigen::VectorXd person_prices, donor_prices;
};

/// Shortest augmenting paths with potentials (Jonker and Volgenant): people^3 at worst, mostly far less.
[[nodiscard]] Assignment cheapest_assignment(const Eigen::MatrixXd& cost);

}  // namespace hyobscure::solve
