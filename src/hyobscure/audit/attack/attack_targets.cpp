#include "hyobscure/audit/attack/attack_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"

namespace hyobscure::audit {
namespace {

bool all_below(std::span<const std::uint32_t> labels, std::size_t limit) {
  return std::all_of(labels.begin(), labels.end(), [&](std::uint32_t label) { return label < limit; });
}

}  // namespace

void check(const AttackTargets& targets) {
  const std::size_t people = targets.size();
  require(targets.features.size() == people && targets.group_of_person.size() == people &&
              (targets.kept_of_person.empty() || targets.kept_of_person.size() == people),
          "people", "secrets, features, groups and kept cells are of different people",
          "Read them together.");
  if (people < kFewestPeople)
    throw InputError({.source = "people"}, fmt::format("{} are too few to attack", people),
                     fmt::format("An audit needs at least {} people.", kFewestPeople));
  require(all_below(targets.value_of_person, targets.values) &&
              all_below(targets.group_of_person, targets.groups) &&
              all_below(targets.kept_of_person, targets.kept_combinations),
          "people", "a value, group or kept combination is beyond their number", "Read the people again.");
  require(!targets.ordered() || (targets.numbers.size() == targets.values &&
                                 std::all_of(targets.numbers.begin(), targets.numbers.end(),
                                             [](double number) { return std::isfinite(number); })),
          "secret", "an ordered secret needs a finite number for each value", "Read the people again.");
  require(!targets.spatial() ||
              (!targets.ordered() && targets.places.size() == targets.values &&
               std::all_of(targets.places.begin(), targets.places.end(),
                           [](const Place& p) { return std::isfinite(p.east) && std::isfinite(p.north); })),
          "secret", "a spatial secret needs a finite place for each value and no numbers",
          "Read the people again.");
  require(std::adjacent_find(targets.value_of_person.begin(), targets.value_of_person.end(),
                             std::not_equal_to<>()) != targets.value_of_person.end(),
          "secret", "all people have the same value: there is nothing to infer",
          "Audit a secret that differs between people.");
  census::check_rows(census::Distance::Euclidean, targets.features);
}

void check(const Publication& publication, const data::SparseRows& features) {
  require(publication.row_of_person.size() == features.size() &&
              all_below(publication.row_of_person, publication.rows.size()),
          "release", "it is not a release of these people", "Audit it with the spec it was published from.");
  require(publication.rows.columns == features.columns, "release",
          "its columns differ from those of the people", "Audit it with the spec it was published from.");
  if (&publication.rows != &features)
    census::check_rows(census::Distance::Euclidean, publication.rows, "release");
}

}  // namespace hyobscure::audit
