#pragma once

#include <Eigen/Core>
#include <span>

namespace hyobscure::solve {

/// Leakage of given channels, straight from the definitions and in nats. Joints hold absolute weights P(c, y)
/// as in ChannelProblem; zeros are welcome everywhere.

/// p_g I(Y; C'|g) of one group: sum over c', y of v log(v / (q_y R)), where v = sum_c P(c,y) O(c'|c), R its
/// sum over y, and q the distribution of the values inside the group. Never negative.
[[nodiscard]] double group_leakage(const Eigen::MatrixXd& joint, const Eigen::MatrixXd& channel);

/// I(Y; C'|G): what the published features tell beyond the published groups.
[[nodiscard]] double conditional_leakage(std::span<const Eigen::MatrixXd> joints,
                                         std::span<const Eigen::MatrixXd> channels);

/// I(Y; C|G) when the clusters are published as they are.
[[nodiscard]] double unobscured_leakage(std::span<const Eigen::MatrixXd> joints);

/// H(G) = I(Y; G): what the published groups tell.
[[nodiscard]] double group_entropy(std::span<const Eigen::MatrixXd> joints);

/// H(Y): all there is to know.
[[nodiscard]] double secret_entropy(std::span<const Eigen::MatrixXd> joints);

/// I(Y; C', G) = H(G) + I(Y; C'|G).
[[nodiscard]] double total_leakage(std::span<const Eigen::MatrixXd> joints,
                                   std::span<const Eigen::MatrixXd> channels);

}  // namespace hyobscure::solve
