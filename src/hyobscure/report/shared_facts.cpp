#include "hyobscure/report/shared_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "hyobscure/data/spec/spec_text.h"
#include "hyobscure/report/derived_facts.h"

namespace hyobscure::report {
namespace {

// --- numbers

double step_of_digits(double x, int digits) {
  return std::pow(10.0, std::floor(std::log10(std::abs(x))) + 1 - digits);
}

enum class Towards { Nearest, Up, Down };

double coarse(double x, double step, Towards towards) {
  constexpr double kHair = 1e-9;  // 0.29 is 28.999999999999996 hundredths
  const double steps = x / step;
  const double whole = towards == Towards::Up     ? std::ceil(steps - kHair)
                       : towards == Towards::Down ? std::floor(steps + kHair)
                                                  : std::round(steps);
  return std::stod(fmt::format("{:.10g}", whole * step));
}

double with_digits(double x, int digits, Towards towards = Towards::Nearest) {
  return x == 0 || !std::isfinite(x) ? x : coarse(x, step_of_digits(x, digits), towards);
}

/// All numbers in it that are not whole.
void round_all(Json& json, int digits) {
  if (json.is_number_float())
    json = with_digits(json.get<double>(), digits);
  else if (json.is_structured())
    for (Json& part : json) round_all(part, digits);
}

template <class Change>
void change_number(Json& object, const char* key, Change&& change) {
  if (object.is_object() && object.contains(key) && object[key].is_number())
    object[key] = change(object[key].get<double>());
}

// --- what stays

Json chosen(const Json& object, std::initializer_list<const char*> keys) {
  Json kept = Json::object();
  if (!object.is_object()) return kept;
  for (const char* key : keys)
    if (object.contains(key)) kept[key] = object[key];
  return kept;
}

Json without(const Json& list, std::initializer_list<const char*> keys) {
  Json kept = list;
  for (Json& one : kept)
    for (const char* key : keys) one.erase(key);
  return kept;
}

Json shared_lift(const Json& lift) {
  Json kept = chosen(lift, {"highest", "lowest", "of_population", "own_largest", "own_largest_median",
                            "own_expected", "own_expected_median", "own_of_population"});
  for (auto& [key, figure] : kept.items())
    if (figure.is_number())
      figure = with_digits(figure.get<double>(), 2, key == "lowest" ? Towards::Down : Towards::Up);
  return kept;
}

/// Exact figures favour the attacker: its own error is less, its own hits are more, than they are.
void make_coarse_of_informed(Json& informed) {
  const auto hundredths = [](Towards towards) {
    return [towards](double share) { return coarse(share, 0.01, towards); };
  };
  const auto two_digits = [](Towards towards) {
    return [towards](double error) { return with_digits(error, 2, towards); };
  };
  change_number(informed, "named", hundredths(Towards::Up));
  change_number(informed, "group_only_named", hundredths(Towards::Down));
  change_number(informed, "error", two_digits(Towards::Down));
  change_number(informed, "group_only", two_digits(Towards::Up));
}

Json shared_audit(Json audit) {
  if (audit.contains("informed")) {
    make_coarse_of_informed(audit["informed"]);
    if (audit["informed"].contains("km")) make_coarse_of_informed(audit["informed"]["km"]);
  }
  for (auto& [key, part] : audit.items()) round_all(part, key == "utilities" ? 4 : 2);
  return audit;
}

/// As the manifest has them, which anybody may read.
void add_leakage_of(const published::Manifest& manifest, Json& shared) {
  shared["leakage"] = {{"total", number(manifest.leakage.leakage)},
                       {"groups", number(manifest.leakage.leakage_groups)},
                       {"features", number(manifest.leakage.leakage_added)}};
  shared["distance"] = number(manifest.leakage.distance);
}

// --- settings

bool is_query(const std::string& key) { return key == "people.query" || key == "events.query"; }

/// That there is no ledger is no path.
bool stays_private(const data::Spec& spec, const std::string& key) {
  return key == "method.seed" || (key == "release.ledger" && spec.release.ledger != "none");
}

bool is_file(const std::string& key) {
  return key == "people.file" || key == "events.file" || key == "secret.hierarchy" ||
         key == "secret.similarity";
}

/// What a reader goes by: "csv", "csv.gz"; nothing of the file's own name.
std::string ending_of(const std::string& file) {
  const std::filesystem::path path(file);
  static const std::set<std::string> packed = {".gz", ".zst"};
  static const std::set<std::string> known = {".csv",   ".tsv",    ".txt",    ".parquet", ".json",
                                              ".jsonl", ".ndjson", ".duckdb", ".db"};
  const std::string last = path.extension().string();
  if (packed.contains(last)) return ending_of(path.stem().string()) + last;
  return known.contains(last) ? last : ".csv";
}

std::string file_of_setting(const data::Spec& spec, const std::string& key) {
  return key == "people.file"        ? spec.people.source.file
         : key == "events.file"      ? spec.events.source.file
         : key == "secret.hierarchy" ? spec.secret.hierarchy
                                     : spec.secret.similarity;
}

std::string quoted_name_of_file(const data::Spec& spec, const std::string& key) {
  const std::size_t point = key.find('.');
  const std::string base = key.substr(point + 1) == "file" ? key.substr(0, point) : key.substr(point + 1);
  return fmt::format("\"{}{}\"", base, ending_of(file_of_setting(spec, key)));
}

Json settings_json(const std::vector<data::SettingValue>& settings) {
  Json json = Json::array();
  for (const data::SettingValue& setting : settings)
    json.push_back({{"key", setting.name}, {"value", setting.value}, {"given", true}});
  return json;
}

}  // namespace

std::vector<data::SettingValue> shared_settings(const data::Spec& spec) {
  std::vector<data::SettingValue> shared;
  for (data::SettingValue setting : data::setting_values(spec)) {
    if (!setting.given || stays_private(spec, setting.name)) continue;
    // A query reads where its author may: a table with its columns takes its place.
    if (is_query(setting.name))
      setting = {setting.name.substr(0, setting.name.find('.')) + ".file", "", true};
    if (is_file(setting.name)) setting.value = quoted_name_of_file(spec, setting.name);
    shared.push_back(std::move(setting));
  }
  return shared;
}

std::string shared_spec(const data::Spec& spec) {
  const std::string toml =
      "# The settings that were given, of the bundle of an audit. Left out: folders of files, SQL (a file "
      "with\n"
      "# the columns of its result takes its place), the ledger, a seed. Put your copies of the files beside "
      "this one.\n";
  return toml + "\n" + data::spec_text(shared_settings(spec));
}

Json shared_facts(const Json& facts, const data::Spec& spec, const published::Manifest& manifest) {
  Json shared = chosen(facts, {"format", "program", "title", "not_seen", "constraints", "limits", "context"});
  shared["shared"] = true;
  if (facts.contains("data"))
    shared["data"] =
        chosen(facts["data"], {"people", "left_out", "events", "events_left_out", "features", "entries",
                               "secret", "secret_kind", "axes", "kept", "distance", "joined"});
  if (facts.contains("release")) {
    shared["release"] = facts["release"];
    shared["release"].erase("shortfalls");  // sentences with figures
    change_number(shared["release"], "own_rows",
                  [](double share) { return coarse(share, 0.01, Towards::Up); });
  }
  if (facts.contains("checks")) shared["checks"] = without(facts["checks"], {"detail"});
  if (facts.contains("groups")) shared["groups"] = without(facts["groups"], {"values"});
  add_leakage_of(manifest, shared);
  if (facts.contains("lift")) shared["lift"] = shared_lift(facts["lift"]);
  if (facts.contains("audit")) shared["audit"] = shared_audit(facts["audit"]);
  shared["settings"] = settings_json(shared_settings(spec));
  add_derived_facts(shared);
  return shared;
}

}  // namespace hyobscure::report
