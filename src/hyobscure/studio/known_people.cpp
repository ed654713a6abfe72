#include "hyobscure/studio/known_people.h"

#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/groups/group_extremes.h"
#include "hyobscure/obscure/groups/labels.h"
#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/obscure/groups/terms.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/report/group_facts.h"
#include "hyobscure/studio/told_error.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

/// Size and time of a file, where the source is one.
std::string stamp(const fs::path& folder, const data::SourceSpec& source) {
  std::error_code missing;
  const fs::path file = folder / source.file;
  const auto bytes = fs::file_size(file, missing);
  if (source.file.empty() || missing) return "-";
  return fmt::format("{} {}", bytes, fs::last_write_time(file, missing).time_since_epoch().count());
}

Json extremes_json(const obscure::GroupExtremes& extremes) {
  return {{"largest_k", number(extremes.largest_k)},
          {"smallest_alpha", number(extremes.smallest_alpha)},
          {"largest_l", number(extremes.largest_l)},
          {"smallest_beta", number(extremes.smallest_beta)}};
}

}  // namespace

std::string KnownPeople::name_of(const data::Spec& spec) const {
  std::string name = stamp(folder_.path(), spec.people.source) + stamp(folder_.path(), spec.events.source);
  for (const data::SettingValue& setting : data::setting_values(spec))
    if (setting.name.starts_with("people.") || setting.name.starts_with("events.") ||
        setting.name.starts_with("secret."))
      name += fmt::format("\n{} = {}", setting.name, setting.value);
  return name;
}

void KnownPeople::remember(const data::Spec& spec, const data::People& people) {
  auto secrets = std::make_shared<data::People>();
  secrets->secrets = people.secrets;
  secrets->values = people.values;
  secrets->space = people.space;
  secrets->exact = people.exact;
  secrets->exact_values = people.exact_values;
  secrets->kept = people.kept;
  secrets->kept_combinations = people.kept_combinations;
  const std::string name = name_of(spec);
  const std::lock_guard lock(mutex_);
  name_ = name;
  people_ = std::move(secrets);
}

Json KnownPeople::limits(const data::Spec& spec) const {
  std::shared_ptr<const data::People> people;
  {
    const std::string name = name_of(spec);
    const std::lock_guard lock(mutex_);
    if (people_ == nullptr || name_ != name) return {{"known", false}};
    people = people_;
  }
  Json json = {{"known", true}, {"people", people->secrets.size()}};
  try {
    const obscure::Population population(*people);
    const obscure::Terms terms = obscure::first_terms_of(population, spec);
    obscure::Mechanism groups_only;
    groups_only.groups = obscure::label_groups(population, terms.first_groups, spec);
    report::add_group_facts(json, *people, groups_only);
    json["extremes"] = extremes_json(
        obscure::group_extremes(terms.layout->rows(), static_cast<int>(groups_only.groups.size())));
  } catch (...) {
    json["error"] = told_error(std::current_exception());
  }
  return json;
}

}  // namespace hyobscure::studio
