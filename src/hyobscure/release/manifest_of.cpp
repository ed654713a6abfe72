#include "hyobscure/release/manifest_of.h"

#include "hyobscure/base/version.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/published/coarse.h"

namespace hyobscure::release {

published::ManifestLeakage published_leakage(const std::vector<published::Group>& groups,
                                             const obscure::Promise& promise) {
  std::int64_t people = 0;
  for (const published::Group& group : groups) people += group.people;
  published::ManifestLeakage leakage{.leakage_groups = published::bits_of_groups(groups),
                                     .distance = published::rounded_up_distance(promise.distance)};
  leakage.leakage_added = published::rounded_up_bits(promise.leakage - leakage.leakage_groups, people);
  leakage.leakage = published::sum_of_published(leakage.leakage_groups, leakage.leakage_added);
  return leakage;
}

published::Manifest manifest_of(const obscure::Mechanism& mechanism, const data::Spec& spec) {
  published::Manifest manifest;
  manifest.version = version();
  manifest.method = mechanism.method;
  manifest.objective = mechanism.objective;
  manifest.distance = mechanism.distance;
  manifest.shape = spec.is_long() ? "long" : "wide";
  manifest.ids = spec.release.ids;
  manifest.draw = published::name_of_draws(mechanism.key);
  manifest.least_people = mechanism.limits.least_people;
  manifest.most_people = mechanism.limits.most_people;
  manifest.least_values = mechanism.limits.least_values;
  manifest.most_values = mechanism.limits.most_values;
  manifest.limits_for_pools = mechanism.limits.for_pools;
  manifest.groups = mechanism.groups;
  for (published::Group& group : manifest.groups) {
    group.members.clear();
    group.values = 0;
  }
  manifest.leakage = published_leakage(manifest.groups, mechanism.promise);
  manifest.seeded = mechanism.seeded;
  manifest.accepted_leakage = !obscure::shortfalls(mechanism).empty();
  return manifest;
}

}  // namespace hyobscure::release
