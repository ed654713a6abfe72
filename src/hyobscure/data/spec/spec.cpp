#include "hyobscure/data/spec/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/spec/nearest_word.h"
#include "hyobscure/data/spec/secret_checks.h"
#include "hyobscure/data/spec/setting_list.h"

namespace hyobscure::data {
namespace {

// --- reading

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Setting& setting : settings()) names.push_back(setting.full_name());
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest_word(word, known);
  return near ? fmt::format("Did you mean \"{}\"?", *near) : "See docs/settings.md for the keys there are.";
}

InputPlace place_of(const Spec& spec, const toml::node& node) {
  const auto line = node.source().begin.line;
  return {.source = line > 0 ? fmt::format("{}, line {}", spec.name, line) : spec.name};
}

void refuse_unknown_keys(const Spec& spec, const toml::table& document) {
  const auto known = all_names();
  std::set<std::string> sections;
  for (const Setting& setting : settings()) sections.insert(setting.section);
  for (const auto& [section, node] : document) {
    const std::string name(section.str());
    if (!sections.contains(name) || !node.is_table())
      throw InputError(place_of(spec, node), fmt::format("\"{}\" is not a section of a spec", name),
                       fmt::format("The sections are {}.", fmt::join(sections, ", ")));
    for (const auto& [key, value] : *node.as_table()) {
      const std::string full = name + "." + std::string(key.str());
      if (std::ranges::find(known, full) == known.end())
        throw InputError(place_of(spec, value), fmt::format("there is no key \"{}\"", full),
                         did_you_mean(full, known));
    }
  }
}

toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InputError({.source = fmt::format("{}, line {}", name, error.source().begin.line)},
                     fmt::format("not valid TOML: {}", error.description()), "Correct the line.");
  }
}

std::string flag_of(const Override& given) { return given.flag.empty() ? "--" + given.name : given.flag; }

/// The value of a flag is TOML too; texts and lists may go without their quotes and brackets.
toml::table parse_override(const Override& given, const Setting& setting) {
  const auto parse = [](const std::string& value) -> std::optional<toml::table> {
    try {
      return toml::parse("x = " + value);
    } catch (const toml::parse_error&) {
      return std::nullopt;
    }
  };
  if (setting.type == "text" || given.text == "auto") return toml::table{{"x", given.text}};
  if ((setting.type == "number" || setting.type == kNumberOrText) && given.text.starts_with('.'))
    return parse_override({given.name, "0" + given.text, given.flag}, setting);
  if (setting.type.ends_with("list of texts") && !given.text.starts_with('[')) {
    toml::array words;
    std::string word;
    for (const char letter : given.text + ",")
      if (letter != ',')
        word += letter;
      else
        words.push_back(std::exchange(word, {}));
    return toml::table{{"x", std::move(words)}};
  }
  if (setting.type == "[low, high]" && !given.text.starts_with('['))
    if (auto table = parse("[" + given.text + "]")) return *std::move(table);
  if (auto table = parse(given.text)) return *std::move(table);
  if (setting.type == kNumberOrText) return toml::table{{"x", given.text}};
  throw InputError({.source = flag_of(given)}, "expected " + expectation(setting.type, {}, {}),
                   "Write it as in a spec file.");
}

void apply_overrides(toml::table& document, const std::vector<Override>& overrides) {
  for (const Override& given : overrides) {
    const auto found = std::ranges::find(settings(), given.name, &Setting::full_name);
    if (found == settings().end())
      throw InputError({.source = flag_of(given)}, "there is no such key",
                       did_you_mean(given.name, all_names()));
    if (!document.contains(found->section)) document.insert(found->section, toml::table{});
    if (given.name == "channel.budget") document["channel"].as_table()->erase("budget_share");
    if (given.name == "channel.budget_share") document["channel"].as_table()->erase("budget");
    document[found->section].as_table()->insert_or_assign(found->key,
                                                          *parse_override(given, *found).get("x"));
  }
}

/// The flag, or the line and key of the file.
InputPlace place_of_key(const Spec& spec, const toml::node& node, const std::string& name,
                        const std::vector<Override>& overrides) {
  const auto given = std::ranges::find(overrides, name, &Override::name);
  if (given != overrides.end()) return {.source = flag_of(*given)};
  return {.source = place_of(spec, node).source + ", " + name};
}

void fill(Spec& spec, const toml::table& document, const std::vector<Override>& overrides) {
  visit_settings(spec, [&](const char* section, const char* key, auto& field, const Rule& rule, const char*) {
    const toml::node* node = document[section][key].node();
    if (node == nullptr) return;
    const std::string name = fmt::format("{}.{}", section, key);
    const InputPlace place = place_of_key(spec, *node, name, overrides);
    spec.places[name] = place.source;
    if (!read_value(*node, field) || !in_range(field, rule))
      throw InputError(place, "expected " + expectation(type_name(field), rule, choices_of(field)),
                       "Correct the value.");
  });
}

// --- what must hold between keys

void check_source(const Spec& spec, const SourceSpec& source, const char* section) {
  if (!source.file.empty() && !source.query.empty())
    throw InputError({.source = spec.name}, fmt::format("[{}] has both a file and a query", section),
                     "Keep one of them.");
  if (source.delimiter.size() > 4)
    throw InputError({.source = spec.name},
                     fmt::format("{}.delimiter: expected at most four letters", section),
                     "Correct the value.");
}

void refuse_column_in_two_roles(const Spec& spec) {
  std::set<std::string> seen;
  std::vector<std::string> columns = spec.people.features;
  columns.insert(columns.end(), spec.people.keep.begin(), spec.people.keep.end());
  columns.push_back(spec.people.id);
  columns.insert(columns.end(), spec.people.secret.all.begin(), spec.people.secret.all.end());
  for (const std::string& column : columns)
    if (!seen.insert(lower_case(column)).second)  // SQL does not tell AGE from age
      throw InputError({.source = spec.name, .column = column},
                       "is named twice among id, secret, features and keep", "Give every column one role.");
  for (const auto* list : {&spec.people.categorical, &spec.people.sets})
    for (const std::string& column : *list)
      if (std::ranges::find(spec.people.features, column) == spec.people.features.end())
        throw InputError({.source = spec.name, .column = column}, "is not among people.features",
                         "Add it there, or take it away here.");
}

void refuse_to_allow_what_is_not_published(const Spec& spec) {
  for (const std::string& column : spec.people.allow_identifying) {
    const auto listed = [&](const std::vector<std::string>& list) {
      return std::ranges::find(list, column) != list.end();
    };
    if (!listed(spec.people.features) && !listed(spec.people.keep) && column != spec.events.time)
      throw InputError({.source = spec.name, .column = column},
                       "is in people.allow_identifying, and is not published",
                       "Take it away there, or correct its name.");
  }
}

void check_roles(const Spec& spec) {
  if (!spec.people.source.given())
    throw InputError({.source = spec.name}, "[people] names neither a file nor a query",
                     "Add `file` or `query`.");
  for (const auto& [absent, key] :
       {std::pair{spec.people.id.empty(), "id"}, std::pair{spec.people.secret.empty(), "secret"}})
    if (absent)
      throw InputError({.source = spec.name}, fmt::format("people.{} is not given", key), "Name the column.");
  refuse_column_in_two_roles(spec);
  refuse_to_allow_what_is_not_published(spec);
  if (!spec.is_long() && spec.people.features.empty())
    throw InputError({.source = spec.name}, "there is nothing to publish",
                     "List the feature columns in people.features, or add [events].");
  if (spec.is_long() && !spec.people.features.empty())
    throw InputError({.source = spec.name}, "features come from both people.features and [events]",
                     "Keep one of them.");
  if (spec.is_long() && (spec.events.person.empty() || spec.events.item.empty()))
    throw InputError({.source = spec.name}, "[events] needs person and item", "Name the two columns.");
}

void check_channel(const Spec& spec) {
  const auto& target = spec.channel.target;
  if ((spec.channel.budget || target) && spec.channel.budget_share)
    throw InputError({.source = spec.name}, "both channel.budget and channel.budget_share are given",
                     "Keep one of them.");
  if (target && target->measure == "task" && spec.audit.task.empty())
    throw InputError({.source = spec.name}, "channel.budget speaks of the task, and audit.task names none",
                     "Name in audit.task the kept column that users of the release will predict.");
}

void check_groups(const Spec& spec) {
  const auto& fixed = spec.groups.fixed;
  for (std::size_t g = 1; g < fixed.size(); ++g)
    if (fixed[g][0] <= fixed[g - 1][1])
      throw InputError({.source = spec.name}, "groups.fixed overlap or are out of order",
                       "Write them in ascending order.");
  if (!fixed.empty() && spec.groups.count && *spec.groups.count != static_cast<int>(fixed.size()))
    throw InputError({.source = spec.name}, "groups.count differs from the number of groups.fixed",
                     "Leave groups.count out.");
}

}  // namespace

std::string Spec::place_of(const std::string& key) const {
  const auto found = places.find(key);
  return found != places.end() ? found->second : name + ", " + key;
}

std::string Names::text() const { return fmt::format("{}", fmt::join(all, ", ")); }

std::string Kinds::text() const {
  std::vector<std::string> words;
  for (const AxisKind kind : all) words.push_back(word(kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

const std::vector<std::string>& target_measures() {
  static const std::vector<std::string> list = {"rating RMSE", "mAP", "task", "distance"};
  return list;
}

std::string target_text(const UtilityTarget& target) {
  return fmt::format("at most {} % of {}", target.percent, target.measure);
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> list = [] {
    std::vector<Setting> result;
    Spec defaults;
    visit_settings(
        defaults, [&](const char* section, const char* key, auto& field, const Rule& rule, const char* help) {
          result.push_back({section, key, type_name(field), rule.required ? "required" : value_text(field),
                            help, choices_of(field)});
        });
    return result;
  }();
  return list;
}

std::vector<SettingValue> setting_values(const Spec& spec) {
  std::vector<SettingValue> values;
  Spec copy = spec, defaults;
  const auto collect = [](Spec& from) {
    std::vector<std::string> texts;
    visit_settings(from, [&](const char*, const char*, auto& field, const Rule&, const char*) {
      texts.push_back(value_text(field));
    });
    return texts;
  };
  const auto given = collect(copy), fallback = collect(defaults);
  for (std::size_t i = 0; i < settings().size(); ++i)
    values.push_back({settings()[i].full_name(), given[i], given[i] != fallback[i]});
  return values;
}

std::map<std::string, std::string> stated_context(const Spec& spec) {
  std::map<std::string, std::string> stated;
  ContextSpec copy = spec.context;
  visit_context(copy, [&](const char*, const char* key, const std::string& text, const Rule&, const char*) {
    if (text.find_first_not_of(" \t\r\n") != text.npos) stated[key] = text;
  });
  return stated;
}

Spec parse_spec(const std::string& toml, const std::string& name, const std::filesystem::path& folder,
                const std::vector<Override>& overrides) {
  Spec spec;
  spec.name = name;
  spec.folder = folder;
  auto document = parse_toml(toml, name);
  refuse_unknown_keys(spec, document);
  apply_overrides(document, overrides);
  fill(spec, document, overrides);
  check_source(spec, spec.people.source, "people");
  check_source(spec, spec.events.source, "events");
  check_roles(spec);
  check_secret(spec);
  check_channel(spec);
  check_groups(spec);
  return spec;
}

Spec read_spec(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return parse_spec(read_file(file), file.string(), folder, overrides);
}

}  // namespace hyobscure::data
