#include "hyobscure/obscure/null.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {
namespace {

/// The people of one group, as the joint distribution needs them.
struct GroupPeople {
  std::vector<std::uint32_t> clusters;  ///< row of the group's channel
  std::vector<std::uint32_t> values;    ///< counted from the group's first value
  Eigen::Index value_count = 0;
};

std::vector<GroupPeople> people_by_group(const data::People& people,
                                         std::span<const std::uint32_t> cluster_of_person,
                                         const Mechanism& mechanism) {
  std::vector<GroupPeople> groups(mechanism.groups.size());
  std::vector<std::vector<std::uint32_t>> row_of(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    row_of[g].assign(static_cast<std::size_t>(mechanism.clusters.clusters()), 0);
    const auto& clusters = mechanism.channels[g].clusters;
    for (std::size_t i = 0; i < clusters.size(); ++i)
      row_of[g][static_cast<std::size_t>(clusters[i])] = static_cast<std::uint32_t>(i);
    const auto next = g + 1 < groups.size() ? static_cast<std::size_t>(mechanism.groups[g + 1].first_value)
                                            : people.values.size();
    groups[g].value_count = static_cast<Eigen::Index>(next) - mechanism.groups[g].first_value;
  }
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::size_t g = mechanism.group_of_value(people.secrets[u]);
    groups[g].clusters.push_back(row_of[g][cluster_of_person[u]]);
    groups[g].values.push_back(people.secrets[u] -
                               static_cast<std::uint32_t>(mechanism.groups[g].first_value));
  }
  return groups;
}

double shuffled_leakage(std::vector<GroupPeople> groups, const Mechanism& mechanism, double weight,
                        RandomStream random) {
  double leakage = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto& values = groups[g].values;
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
    Eigen::MatrixXd joint =
        Eigen::MatrixXd::Zero(mechanism.channels[g].probabilities.rows(), groups[g].value_count);
    for (std::size_t i = 0; i < values.size(); ++i) joint(groups[g].clusters[i], values[i]) += weight;
    leakage += solve::group_leakage(joint, mechanism.channels[g].probabilities);
  }
  return leakage * kBitsPerNat;
}

}  // namespace

int shuffles_for(std::size_t people) {
  return static_cast<int>(std::clamp<std::size_t>(20'000'000 / std::max<std::size_t>(people, 1), 20, 200));
}

NullLeakage null_leakage(const data::People& people, std::span<const std::uint32_t> cluster_of_person,
                         const Mechanism& mechanism, const Key& key) {
  const auto groups = people_by_group(people, cluster_of_person, mechanism);
  std::vector<double> leakage(static_cast<std::size_t>(shuffles_for(people.size())));
  parallel_blocks(leakage.size(), 1, [&](std::size_t i, std::size_t) {
    leakage[i] = shuffled_leakage(groups, mechanism, 1.0 / static_cast<double>(people.size()),
                                  RandomStream(key.derive(fmt::format("shuffle {}", i))));
  });
  const Eigen::Map<const Eigen::ArrayXd> all(leakage.data(), static_cast<Eigen::Index>(leakage.size()));
  const double mean = all.mean();
  return {mean, std::sqrt((all - mean).square().sum() / static_cast<double>(leakage.size() - 1))};
}

}  // namespace hyobscure::obscure
