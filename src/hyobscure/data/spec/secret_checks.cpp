#include "hyobscure/data/spec/secret_checks.h"

#include <fmt/format.h>

#include <set>

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"

namespace hyobscure::data {
namespace {

[[noreturn]] void refuse(const Spec& spec, const std::string& problem, const std::string& remedy) {
  throw InputError({.source = spec.name}, problem, remedy);
}

std::ptrdiff_t count_of_kind(const Spec& spec, AxisKind kind) {
  std::ptrdiff_t count = 0;
  for (std::size_t axis = 0; axis < spec.people.secret.all.size(); ++axis)
    count += kind_of_secret(spec, axis) == kind ? 1 : 0;
  return count;
}

void check_kinds(const Spec& spec) {
  const std::size_t kinds = spec.secret.kind.all.size(), secrets = spec.people.secret.all.size();
  if (kinds != 1 && kinds != secrets)
    refuse(spec,
           fmt::format("secret.kind has {} entries, and people.secret names {}", kinds,
                       secrets == 1 ? "one secret" : fmt::format("{} secrets", secrets)),
           "Give one kind for each secret, or one for all.");
  if (count_of_kind(spec, AxisKind::Spatial) > 1)
    refuse(spec, "more than one secret is spatial",
           "Keep one place; give each secret its kind in secret.kind.");
}

struct GivenKey {
  const char* name;
  bool given;
};

void refuse_keys(const Spec& spec, const std::vector<GivenKey>& keys, const std::string& why,
                 const std::string& remedy) {
  for (const GivenKey& key : keys)
    if (key.given) refuse(spec, fmt::format("{} is given, and {}", key.name, why), remedy);
}

void refuse_keys_of_other_kinds(const Spec& spec) {
  const SecretSpec& s = spec.secret;
  if (count_of_kind(spec, AxisKind::Spatial) == 0)
    refuse_keys(spec,
                {{"secret.latitude", !s.latitude.empty()},
                 {"secret.longitude", !s.longitude.empty()},
                 {"secret.grid_columns", s.grid_columns.has_value()},
                 {"secret.cell_km", s.cell_km != SecretSpec{}.cell_km},
                 {"secret.home", s.home != HomeRule::Given},
                 {"secret.home_column", !s.home_column.empty()},
                 {"secret.home_category", !s.home_category.empty()},
                 {"secret.home_events", s.home_events != HomeEvents::Keep}},
                "no secret is spatial", "Set secret.kind = \"spatial\", or leave it out.");
  const bool names = secret_is_one_name(spec);
  if (!names)
    refuse_keys(spec,
                {{"secret.hierarchy", !s.hierarchy.empty()},
                 {"secret.similarity", !s.similarity.empty()},
                 {"secret.order", !s.order.empty()}},
                "the secret is not a single categorical one",
                "Set secret.kind = \"categorical\" for one secret, or leave it out.");
  if (!s.hierarchy.empty() + !s.similarity.empty() + !s.order.empty() > 1)
    refuse(spec, "of secret.hierarchy, secret.similarity and secret.order more than one is given",
           "Keep one of them.");
  if (std::set<std::string>(s.order.begin(), s.order.end()).size() < s.order.size())
    refuse(spec, "secret.order has a name twice", "Name each category once.");
  if (!secret_is_one_number(spec))
    refuse_keys(spec, {{"secret.keep", s.keep.has_value()}, {"groups.fixed", !spec.groups.fixed.empty()}},
                "the secret is not a single ordered one", "Leave it out; select people with a query.");
}

void check_home_rule(const Spec& spec) {
  const SecretSpec& s = spec.secret;
  const bool category = s.home == HomeRule::Category;
  if (home_is_found(spec) && !spec.is_long())
    refuse(spec, fmt::format("secret.home = \"{}\" needs events to find home from", word(s.home)),
           "Add [events], or give home with the person.");
  if (category && (s.home_column.empty() || s.home_category.empty()))
    refuse(spec, "secret.home = \"category\" needs secret.home_column and secret.home_category",
           "Name the column of events and the category that reveals home.");
  if (!category)
    refuse_keys(
        spec,
        {{"secret.home_column", !s.home_column.empty()}, {"secret.home_category", !s.home_category.empty()}},
        "secret.home is not \"category\"", "Set secret.home = \"category\", or leave it out.");
  if (!home_is_found(spec))
    refuse_keys(spec, {{"secret.home_events", s.home_events != HomeEvents::Keep}},
                "home is given with the person", "Set secret.home, or leave it out.");
}

void check_place(const Spec& spec) {
  const SecretSpec& s = spec.secret;
  if (s.latitude.empty() != s.longitude.empty())
    refuse(spec, "secret.latitude and secret.longitude go together, and one is not given",
           "Name both columns.");
  if (s.grid_columns && !s.latitude.empty())
    refuse(spec, "both degrees (secret.latitude) and secret.grid_columns are given", "Keep one of them.");
  if (home_is_found(spec) && s.latitude.empty())
    refuse(spec, fmt::format("secret.home = \"{}\" needs the places of events", word(s.home)),
           "Name their columns in secret.latitude and secret.longitude.");
  if (!s.grid_columns && s.latitude.empty())
    refuse(spec, "a spatial secret needs secret.latitude and secret.longitude, or secret.grid_columns",
           "Name the two columns with degrees; or say how many columns the grid has whose cell numbers are "
           "the secret.");
  if (!home_is_found(spec))
    for (const std::vector<std::string>* list : {&spec.people.features, &spec.people.keep})
      for (const std::string& column : *list)
        if (lower_case(column) == lower_case(s.latitude) || lower_case(column) == lower_case(s.longitude))
          throw InputError({.source = spec.name, .column = column},
                           "is part of the secret and among people.features or people.keep as well",
                           "Give every column one role.");
}

}  // namespace

AxisKind kind_of_secret(const Spec& spec, std::size_t axis) {
  const auto& kinds = spec.secret.kind.all;
  return kinds.size() == 1 ? kinds[0] : kinds[axis];
}

bool secret_is_one_number(const Spec& spec) {
  return spec.people.secret.all.size() == 1 && kind_of_secret(spec, 0) == AxisKind::Ordered;
}

bool secret_is_one_name(const Spec& spec) {
  return spec.people.secret.all.size() == 1 && kind_of_secret(spec, 0) == AxisKind::Categorical;
}

bool home_is_found(const Spec& spec) { return spec.secret.home != HomeRule::Given; }

void check_secret(const Spec& spec) {
  check_kinds(spec);
  refuse_keys_of_other_kinds(spec);
  if (count_of_kind(spec, AxisKind::Spatial) == 0) return;
  check_home_rule(spec);
  check_place(spec);
}

}  // namespace hyobscure::data
