#include "hyobscure/audit/attack/attack_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"

namespace hyobscure::audit {
namespace {

void require(bool fits, const char* source, const char* problem, const char* remedy) {
  if (!fits) throw InputError({.source = source}, problem, remedy);
}

bool all_below(std::span<const std::uint32_t> labels, std::size_t limit) {
  return std::all_of(labels.begin(), labels.end(), [&](std::uint32_t label) { return label < limit; });
}

}  // namespace

void check(const Victims& victims) {
  const std::size_t people = victims.size();
  require(victims.features.size() == people && victims.group_of_person.size() == people &&
              (victims.kept_of_person.empty() || victims.kept_of_person.size() == people),
          "people", "secrets, features, groups and kept cells are of different people",
          "Read them together.");
  if (people < kFewestPeople)
    throw InputError({.source = "people"}, fmt::format("{} are too few to attack", people),
                     fmt::format("An audit needs at least {} people.", kFewestPeople));
  require(all_below(victims.value_of_person, victims.values) &&
              all_below(victims.group_of_person, victims.groups) &&
              all_below(victims.kept_of_person, victims.kept_combinations),
          "people", "a value, group or kept combination is beyond their number", "Read the people again.");
  require(!victims.ordered() || (victims.numbers.size() == victims.values &&
                                 std::all_of(victims.numbers.begin(), victims.numbers.end(),
                                             [](double number) { return std::isfinite(number); })),
          "secret", "an ordered secret needs a finite number for each value", "Read the people again.");
  require(!victims.spatial() ||
              (!victims.ordered() && victims.places.size() == victims.values &&
               std::all_of(victims.places.begin(), victims.places.end(),
                           [](const Place& p) { return std::isfinite(p.east) && std::isfinite(p.north); })),
          "secret", "a spatial secret needs a finite place for each value and no numbers",
          "Read the people again.");
  require(std::adjacent_find(victims.value_of_person.begin(), victims.value_of_person.end(),
                             std::not_equal_to<>()) != victims.value_of_person.end(),
          "secret", "all people have the same value: there is nothing to infer",
          "Audit a secret that differs between people.");
  census::check_rows(census::Distance::Euclidean, victims.features);
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
