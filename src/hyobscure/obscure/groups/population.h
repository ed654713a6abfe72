#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// The people, counted by the value of their secret: all that groups are found from.
struct Population {
  const std::vector<data::SecretValue>& values;
  const std::optional<data::SecretSpace>& space;
  Eigen::VectorXd people;  ///< of each value
  // By combination of kept cells and value; empty where nothing is kept.
  Eigen::MatrixXd kept_people = {};
  Eigen::MatrixXd kept_distinct = {};  ///< distinct exact secrets

  Population(const std::vector<data::SecretValue>& values_, const std::optional<data::SecretSpace>& space_,
             Eigen::VectorXd people_)
      : values(values_), space(space_), people(std::move(people_)) {}
  /// Wherever a population is asked for, people will do.
  Population(const data::People& counted)
      : values(counted.values),
        space(counted.space),
        people(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(counted.values.size()))) {
    for (const std::uint32_t secret : counted.secrets) people[secret] += 1;
    if (!counted.kept.empty()) count_kept(counted);
  }

  double size() const { return people.sum(); }

 private:
  void count_kept(const data::People& counted) {
    kept_people = Eigen::MatrixXd::Zero(counted.kept_combinations, people.size());
    kept_distinct = kept_people;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    const auto exact = counted.exact_secrets();
    for (std::size_t u = 0; u < counted.size(); ++u) {
      kept_people(counted.kept[u], counted.secrets[u]) += 1;
      if (seen.emplace(counted.kept[u], exact[u]).second)
        kept_distinct(counted.kept[u], counted.secrets[u]) += 1;
    }
  }
};

}  // namespace hyobscure::obscure
