#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "hyobscure/data/people.h"

namespace hyobscure::obscure {

/// The people, counted by the value of their secret: all that groups are found from.
struct Population {
  const std::vector<data::SecretValue>& values;
  const std::optional<data::SecretSpace>& space;
  Eigen::VectorXd people;  ///< of each value

  Population(const std::vector<data::SecretValue>& values_, const std::optional<data::SecretSpace>& space_,
             Eigen::VectorXd people_)
      : values(values_), space(space_), people(std::move(people_)) {}
  /// Wherever a population is asked for, people will do.
  Population(const data::People& counted)
      : values(counted.values),
        space(counted.space),
        people(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(counted.values.size()))) {
    for (const std::uint32_t secret : counted.secrets) people[secret] += 1;
  }

  double size() const { return people.sum(); }
};

}  // namespace hyobscure::obscure
