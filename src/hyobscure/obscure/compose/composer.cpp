#include "hyobscure/obscure/compose/composer.h"

#include "hyobscure/obscure/groups/pools.h"

namespace hyobscure::obscure {

Composer::Composer(const data::People& people, census::Distance distance, Composing composing, const Key& key)
    : people_(people),
      distance_(distance),
      composing_(std::move(composing)),
      units_(people, composing_.together),
      key_(key) {}

std::shared_ptr<const ComposedRows> Composer::rows(const Pools& pools, const Progress& progress) {
  constexpr std::size_t kMostKept = 3;  // a search tries few groups at a time
  for (const Kept& kept : kept_)
    if (kept.pool_of_person == pools.pool_of_person) return kept.rows;
  progress.report("composing rows", 0, 0);
  auto rows = std::make_shared<const ComposedRows>(
      compose_rows(people_, distance_, pools, units_, composing_, key_, progress));
  kept_.push_back({pools.pool_of_person, rows});
  if (kept_.size() > kMostKept) kept_.pop_front();
  return rows;
}

Key key_of_draws(const data::Spec& spec) {
  return spec.method.seed ? Key::from_seed(*spec.method.seed).derive("draws") : Key::from_system();
}

std::optional<Composing> composing_of(const data::Spec& spec) {
  if (spec.release.rows == data::PublishedRows::Donor) return std::nullopt;
  return Composing{.kin = spec.release.kin, .owners = spec.release.owners, .together = spec.release.together};
}

std::shared_ptr<const ComposedRows> composed_rows_of(const Mechanism& mechanism, const data::People& people,
                                                     const Progress& progress) {
  if (!mechanism.composing) return nullptr;
  return Composer(people, census::distance_named(mechanism.distance), *mechanism.composing, mechanism.key)
      .rows(pools_by_group(people, mechanism.partition()), progress);
}

}  // namespace hyobscure::obscure
