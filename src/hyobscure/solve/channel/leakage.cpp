#include "hyobscure/solve/channel/leakage.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "hyobscure/base/numeric.h"

namespace hyobscure::solve {
namespace {

/// sum of v log(v / (q R)) for the weights v(y, c') of one group.
double information(const Eigen::MatrixXd& published) {
  const Eigen::VectorXd of_value = published.rowwise().sum();
  const Eigen::RowVectorXd of_cluster = published.colwise().sum();
  const double total = of_value.sum();
  double sum = 0;
  for (Eigen::Index j = 0; j < published.cols(); ++j)
    for (Eigen::Index y = 0; y < published.rows(); ++y) {
      const double v = published(y, j);
      if (v > 0) sum += v * std::log((v / of_value(y)) * (total / of_cluster(j)));
    }
  return std::max(sum, 0.0);
}

}  // namespace

double group_leakage(const Eigen::MatrixXd& joint, const Eigen::MatrixXd& channel) {
  return information(joint.transpose() * channel);
}

double conditional_leakage(std::span<const Eigen::MatrixXd> joints,
                           std::span<const Eigen::MatrixXd> channels) {
  assert(joints.size() == channels.size());
  double sum = 0;
  for (std::size_t g = 0; g < joints.size(); ++g) sum += group_leakage(joints[g], channels[g]);
  return sum;
}

double unobscured_leakage(std::span<const Eigen::MatrixXd> joints) {
  double sum = 0;
  for (const auto& joint : joints) sum += information(joint.transpose());
  return sum;
}

double group_entropy(std::span<const Eigen::MatrixXd> joints) {
  double sum = 0;
  for (const auto& joint : joints) sum -= x_log_x(joint.sum());
  return sum;
}

double secret_entropy(std::span<const Eigen::MatrixXd> joints) {
  double sum = 0;
  for (const auto& joint : joints)
    for (const double weight : Eigen::VectorXd(joint.colwise().sum())) sum -= x_log_x(weight);
  return sum;
}

double total_leakage(std::span<const Eigen::MatrixXd> joints, std::span<const Eigen::MatrixXd> channels) {
  return group_entropy(joints) + conditional_leakage(joints, channels);
}

}  // namespace hyobscure::solve
