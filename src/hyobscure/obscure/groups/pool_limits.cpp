#include "hyobscure/obscure/groups/pool_limits.h"

#include <algorithm>

namespace hyobscure::obscure {
namespace {

Eigen::MatrixXd running_sums(const Eigen::MatrixXd& of_value) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(of_value.rows(), of_value.cols() + 1);
  for (Eigen::Index v = 0; v < of_value.cols(); ++v) sums.col(v + 1) = sums.col(v) + of_value.col(v);
  return sums;
}

}  // namespace

PoolLimits::PoolLimits(const Population& population, double least_people, double least_values)
    : least_people_(std::max(least_people, kFewestPeople)),
      least_values_(least_values),
      people_(running_sums(population.kept_people)),
      distinct_(running_sums(population.kept_distinct)) {}

bool PoolLimits::allow_pools(const Eigen::VectorXd& people, const Eigen::VectorXd& distinct) const {
  for (Eigen::Index kept = 0; kept < people.size(); ++kept)
    if (people[kept] > 0 && (people[kept] < least_people_ || distinct[kept] < least_values_)) return false;
  return true;
}

bool PoolLimits::allow_run(int first, int end) const {
  if (people_.rows() == 0) return true;  // people who were only counted: nothing is kept
  return allow_pools(people_.col(end) - people_.col(first), distinct_.col(end) - distinct_.col(first));
}

bool PoolLimits::allow(std::span<const int> values) const {
  if (people_.rows() == 0) return true;
  Eigen::VectorXd people = Eigen::VectorXd::Zero(people_.rows()), distinct = people;
  for (const int value : values) {
    people += people_.col(value + 1) - people_.col(value);
    distinct += distinct_.col(value + 1) - distinct_.col(value);
  }
  return allow_pools(people, distinct);
}

}  // namespace hyobscure::obscure
