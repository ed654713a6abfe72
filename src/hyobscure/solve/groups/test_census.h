#pragma once

// People at random, for the tests of this folder: every table can be checked against sums over people.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::solve {

struct CensusShape {
  int people = 60;
  int clusters = 4;
  int values = 7;
};

struct RandomCensus {
  struct Person {
    int cluster, value;
    double feature;
  };
  CensusShape shape;
  std::vector<Person> people;

  static double distance(const Person& a, const Person& b) { return std::abs(a.feature - b.feature); }

  SegmentTables tables() const {
    Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(shape.clusters, shape.values);
    const int cells = shape.clusters * shape.values;
    Eigen::MatrixXd pairs = Eigen::MatrixXd::Zero(cells, cells);
    for (const auto& a : people) {
      counts(a.cluster, a.value) += 1;
      for (const auto& b : people)
        pairs(a.value * shape.clusters + a.cluster, b.value * shape.clusters + b.cluster) += distance(a, b);
    }
    return {counts, Eigen::VectorXd::Ones(shape.values), pairs};
  }

  OrderedValues values() const {
    OrderedValues result{.positions = Eigen::VectorXd::LinSpaced(shape.values, 0, shape.values - 1),
                         .people = Eigen::VectorXd::Zero(shape.values),
                         .distinct = Eigen::VectorXd::Ones(shape.values)};
    for (const auto& person : people) result.people(person.value) += 1;
    return result;
  }

  double mean_distance(int first, int end, int cluster, int other) const {
    const auto inside = [&](const Person& p, int c) {
      return p.cluster == c && p.value >= first && p.value < end;
    };
    double sum = 0;
    int pairs = 0;
    for (const auto& a : people)
      for (const auto& b : people)
        if (inside(a, cluster) && inside(b, other)) {
          sum += distance(a, b);
          ++pairs;
        }
    return sum / pairs;
  }
};

/// Every value has somebody; features depend on the cluster and the value.
inline RandomCensus random_census(unsigned seed, const CensusShape& shape) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> noise(0, 1);
  RandomCensus census{shape, {}};
  for (int i = 0; i < shape.people; ++i) {
    const int value = i < shape.values ? i : static_cast<int>(rng() % static_cast<unsigned>(shape.values));
    const double drift = value + 2 * noise(rng);
    const int cluster =
        std::clamp(static_cast<int>(drift * shape.clusters / shape.values), 0, shape.clusters - 1);
    census.people.push_back({cluster, value, cluster + noise(rng)});
  }
  return census;
}

/// Every partition within the limits, by brute force.
inline std::vector<Partition> all_partitions(const OrderedValues& values, const GroupLimits& limits,
                                             std::optional<int> groups) {
  std::vector<Partition> found;
  Partition partial{{0}};
  const std::function<void()> extend = [&] {
    const int first = partial.starts.back();
    if (first == values.count()) {
      if (!groups || partial.groups() == *groups) found.push_back(partial);
      return;
    }
    for (int end = first + 1; end <= values.count(); ++end)
      if (allowed(values, limits, first, end)) {
        partial.starts.push_back(end);
        extend();
        partial.starts.pop_back();
      }
  };
  extend();
  return found;
}

}  // namespace hyobscure::solve
