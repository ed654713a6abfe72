#include "hyobscure/release/manifest_of.h"

#include "hyobscure/base/version.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/published/coarse.h"

namespace hyobscure::release {

published::ManifestLeakage published_leakage(const std::vector<published::Group>& groups,
                                             const obscure::Figures& figures) {
  std::int64_t people = 0;
  for (const published::Group& group : groups) people += group.people;
  published::ManifestLeakage leakage{.leakage_groups = published::bits_of_groups(groups),
                                     .distance = published::rounded_up_distance(figures.distance)};
  leakage.leakage_added = published::rounded_up_bits(figures.leakage.total - leakage.leakage_groups, people);
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
  manifest.order = spec.release.order;
  manifest.draw = published::name_of_draws(mechanism.key);
  manifest.limits = mechanism.limits;
  manifest.groups = mechanism.groups;
  for (published::Group& group : manifest.groups) {
    group.members.clear();
    group.values = 0;
  }
  if (mechanism.composing) {
    manifest.rows = data::PublishedRows::Composed;
    manifest.composed = {
        .kin = mechanism.composing->kin,
        .owners = mechanism.composing->owners,
        .largest_share = published::rounded_up_share(mechanism.figures.composed.largest_share),
        .together = mechanism.composing->together};
  }
  manifest.leakage = published_leakage(manifest.groups, mechanism.figures);
  manifest.seeded = mechanism.seeded;
  manifest.accepted_leakage = !obscure::shortfalls(mechanism).empty();
  return manifest;
}

}  // namespace hyobscure::release
