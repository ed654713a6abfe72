#include "hyobscure/published/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/published/group_json.h"
#include "hyobscure/published/signature.h"

namespace hyobscure::published {
namespace {

constexpr const char* kTrial = "seeded for a trial: must not be published";

// One list of fields serves both directions.

template <class M, class Visit>
void visit_texts(M& manifest, Visit&& visit) {
  visit("program", manifest.program);
  visit("version", manifest.version);
  visit("method", manifest.method);
  visit("objective", manifest.objective);
  visit("distance_name", manifest.distance);
  visit("shape", manifest.shape);
  visit("ids", manifest.ids);
  visit("order", manifest.order);
  visit("rows", manifest.rows);
  visit("file_format", manifest.format);
  visit("draw", manifest.draw);
}

std::string text_of(const std::string& text) { return text; }
template <data::SpecWord Word>
std::string text_of(Word word) {
  return data::word(word);
}

void take_text(const Json& json, std::string& text) { text = json; }
template <data::SpecWord Word>
void take_text(const Json& json, Word& word) {
  const auto known = data::word_named<Word>(json.get<std::string>());
  if (!known) throw std::out_of_range("a word that the manifest does not have");
  word = *known;
}

template <class L, class Visit>
void visit_leakage(L& leakage, Visit&& visit) {
  visit("leakage_bits", leakage.leakage);
  visit("leakage_groups_bits", leakage.leakage_groups);
  visit("leakage_added_bits", leakage.leakage_added);
  visit("distance", leakage.distance);
}

template <class C, class Visit>
void visit_columns(C& columns, Visit&& visit) {
  visit("id", columns.id);
  visit("secret", columns.secret);
  visit("person", columns.person);
  visit("item", columns.item);
  visit("value", columns.value);
  visit("time", columns.time);
}

Json columns_json(const ManifestColumns& columns) {
  Json json = Json::object();
  visit_columns(columns, [&](const char* role, const std::string& name) {
    if (!name.empty()) json[role] = name;
  });
  if (!columns.parts.empty()) json["parts"] = columns.parts;
  if (!columns.keep.empty()) json["keep"] = columns.keep;
  if (!columns.features.empty()) json["features"] = columns.features;
  return json;
}

ManifestColumns columns_from(const Json& json) {
  ManifestColumns columns;
  visit_columns(columns, [&](const char* role, std::string& name) { name = json.value(role, ""); });
  if (json.contains("parts")) columns.parts = json.at("parts").get<std::vector<std::string>>();
  if (json.contains("keep")) columns.keep = json.at("keep").get<std::vector<std::string>>();
  if (json.contains("features")) columns.features = json.at("features").get<std::vector<std::string>>();
  return columns;
}

Json kinds_json(const std::vector<data::AxisKind>& kinds) {
  Json json = Json::array();
  for (const data::AxisKind kind : kinds) json.push_back(data::word(kind));
  return json;
}

/// Without the kinds that are none: their number is then another than that of the covers.
std::vector<data::AxisKind> kinds_from(const Json& json) {
  std::vector<data::AxisKind> kinds;
  for (const Json& name : json)
    if (const auto kind = data::word_named<data::AxisKind>(name.get<std::string>())) kinds.push_back(*kind);
  return kinds;
}

template <class G, class Visit>
void visit_degrees(G& grid, Visit&& visit) {
  visit("south", grid.south);
  visit("west", grid.west);
  visit("height", grid.height);
  visit("width", grid.width);
}

Json grid_json(const data::Grid& grid) {
  Json json = {{"cell_km", grid.cell_km}, {"on_earth", grid.on_earth}};
  if (grid.on_earth) visit_degrees(grid, [&](const char* name, double degrees) { json[name] = degrees; });
  return json;
}

data::Grid grid_from(const Json& json) {
  data::Grid grid{.cell_km = json.at("cell_km"), .on_earth = json.at("on_earth")};
  if (grid.on_earth) visit_degrees(grid, [&](const char* name, double& degrees) { degrees = json.at(name); });
  return grid;
}

/// Without the number of distinct values: who has a value that nobody else has would change it.
Json published_group_json(const Group& group) {
  Json json = group_json(group);
  json.erase("values");
  return json;
}

Group published_group_from(Json json) {
  json["values"] = 0;
  return group_from(json);
}

Json composed_json(const ManifestComposed& composed) {
  Json json = {{"kin", composed.kin}, {"owners", composed.owners}, {"largest_share", composed.largest_share}};
  if (!composed.together.empty()) json["together"] = composed.together;
  return json;
}

ManifestComposed composed_from(const Json& json) {
  return {.kin = json.at("kin"),
          .owners = json.at("owners"),
          .largest_share = json.at("largest_share"),
          .together = json.value("together", std::vector<std::vector<std::string>>{})};
}

Json unsealed_json(const Manifest& manifest) {
  Json json = {{"kind", "hyobscure release"}, {"format", Manifest::kFormat}};
  visit_texts(manifest, [&](const char* name, const auto& text) { json[name] = text_of(text); });
  json["seeded"] = manifest.seeded;
  if (manifest.seeded) json["warning"] = kTrial;
  if (manifest.accepted_leakage) json["accepted_leakage"] = true;
  if (manifest.rows == data::PublishedRows::Composed) json["composed"] = composed_json(manifest.composed);
  json["columns"] = columns_json(manifest.columns);
  json["files"] = Json::array();
  for (const ManifestFile& file : manifest.files)
    json["files"].push_back({{"name", file.name}, {"rows", file.rows}, {"sha256", file.sha256}});
  json["constraints"] = limits_json(manifest.limits, !manifest.columns.keep.empty());
  json["secret_kinds"] = kinds_json(manifest.kinds);
  json["secret_whole_numbers"] = manifest.whole_numbers;
  if (manifest.grid) json["grid"] = grid_json(*manifest.grid);
  json["groups"] = Json::array();
  for (const Group& group : manifest.groups) json["groups"].push_back(published_group_json(group));
  visit_leakage(manifest.leakage, [&](const char* name, double value) { json[name] = number(value); });
  if (manifest.composition.earlier_draws > 0)
    json["second_draw"] = {{"earlier_draws", manifest.composition.earlier_draws},
                           {"leakage_together_bits", number(manifest.composition.leakage)}};
  return json;
}

std::string seal_of(const Json& unsealed) { return sha256(unsealed.dump()); }

Manifest from_json(const Json& json) {
  Manifest manifest;
  visit_texts(manifest, [&](const char* name, auto& text) { take_text(json.at(name), text); });
  manifest.seeded = json.at("seeded");
  manifest.accepted_leakage = json.value("accepted_leakage", false);
  if (manifest.rows == data::PublishedRows::Composed) manifest.composed = composed_from(json.at("composed"));
  manifest.columns = columns_from(json.at("columns"));
  for (const Json& file : json.at("files"))
    manifest.files.push_back({.name = file.at("name"), .rows = file.at("rows"), .sha256 = file.at("sha256")});
  manifest.limits = limits_from(json.at("constraints"));
  manifest.kinds = kinds_from(json.at("secret_kinds"));
  manifest.whole_numbers = json.at("secret_whole_numbers");
  if (json.contains("grid")) manifest.grid = grid_from(json.at("grid"));
  for (const Json& group : json.at("groups")) manifest.groups.push_back(published_group_from(group));
  visit_leakage(manifest.leakage, [&](const char* name, double& value) { value = number(json.at(name)); });
  if (json.contains("second_draw"))
    manifest.composition = {.earlier_draws = json["second_draw"].at("earlier_draws"),
                            .leakage = number(json["second_draw"].at("leakage_together_bits"))};
  return manifest;
}

Json without_seal(Json json) {
  json.erase("seal");
  return json;
}

bool is_seal_intact(const Json& json) { return json.value("seal", "") == seal_of(without_seal(json)); }

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_cover_of(const Cover& cover, data::AxisKind kind) {
  return cover.cells.empty() == (kind != data::AxisKind::Spatial) &&
         cover.names.empty() == (kind != data::AxisKind::Categorical);
}

/// Every group covers every axis, by what the kind of the axis has.
bool has_axes(const Group& group, const std::vector<data::AxisKind>& kinds) {
  return std::ranges::equal(group.covers, kinds, is_cover_of) &&
         std::ranges::all_of(group.combinations,
                             [&](const auto& combination) { return combination.size() == kinds.size(); }) &&
         (kinds.size() > 1 || group.combinations.empty());
}

/// File names become paths and words become branches: only what publish writes is taken.
bool is_consistent(const Manifest& manifest) {
  const bool words = one_of(manifest.shape, {"long", "wide"}) && one_of(manifest.format, {"csv", "parquet"});
  const ManifestColumns& columns = manifest.columns;
  const bool roles =
      !columns.secret.empty() && columns.id.empty() == (manifest.ids == data::PublishedIds::Drop) &&
      (manifest.is_long() ? !columns.person.empty() && !columns.item.empty() && !columns.id.empty()
                          : !columns.features.empty());
  std::vector<std::string> expected = {manifest.people_file()};
  if (manifest.is_long()) expected.push_back(manifest.events_file());
  if (manifest.spatial_axis()) expected.push_back(Manifest::kAreasFile);
  expected.insert(expected.end(), {Manifest::kGroupsFile, Manifest::kReadmeFile});
  const bool files = std::ranges::equal(manifest.files, expected, {}, &ManifestFile::name);
  const bool axes = !manifest.kinds.empty() &&
                    manifest.spatial_axis().has_value() == manifest.grid.has_value() &&
                    columns.parts.size() == (manifest.has_several_secrets() ? manifest.kinds.size() : 0);
  const bool groups = !manifest.groups.empty() &&
                      std::ranges::all_of(manifest.groups,
                                          [&](const auto& group) { return has_axes(group, manifest.kinds); });
  return words && roles && files && axes && groups;
}

[[noreturn]] void throw_damaged(const std::filesystem::path& file) {
  throw InputError({.source = file.string()}, "this is not the manifest of a release, or it is damaged",
                   "Give the folder that `hyobscure publish` wrote, or publish again.");
}

}  // namespace

std::optional<std::size_t> Manifest::spatial_axis() const {
  const auto found = std::ranges::find(kinds, data::AxisKind::Spatial);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kinds.begin());
}

std::vector<std::filesystem::path> parts_of_table(const std::filesystem::path& table) {
  if (!std::filesystem::is_directory(table)) return {table};
  std::vector<std::filesystem::path> parts;
  for (const auto& part : std::filesystem::directory_iterator(table)) parts.push_back(part.path());
  std::ranges::sort(parts);
  return parts;
}

std::string sha256_of_table(const std::filesystem::path& table, const Progress& progress) {
  if (!std::filesystem::is_directory(table)) return sha256_of_file(table, progress);
  std::string hashes;
  for (const auto& part : parts_of_table(table)) hashes += sha256_of_file(part, progress);
  return sha256(hashes);
}

OurFolder release_folder() {
  return {.marker = Manifest::kFileName,
          .says = "\"hyobscure release\"",
          .files = {"people.csv", "events.csv", "people.parquet", "events.parquet", "people.csv/",
                    "events.csv/", "people.parquet/", "events.parquet/", Manifest::kAreasFile,
                    Manifest::kGroupsFile, Manifest::kReadmeFile, Signature::kFileName}};
}

std::string name_of_draws(const Key& key) { return key.derive("name of the release").text(); }

std::string to_json(const Manifest& manifest) {
  Json json = unsealed_json(manifest);
  json["seal"] = seal_of(json);
  return json.dump(2) + "\n";
}

Manifest read_manifest(const std::filesystem::path& file) { return manifest_from(read_file(file), file); }

Manifest manifest_from(const std::string& text, const std::filesystem::path& file) {
  try {
    const Json json = parse_json(text);
    if (json.at("kind") != "hyobscure release") throw_damaged(file);
    if (json.at("format") != Manifest::kFormat)
      throw InputError(
          {.source = file.string()},
          fmt::format("the release has another format than {}, which this program reads", Manifest::kFormat),
          "Use the version of hyobscure that wrote it.");
    Manifest manifest = from_json(json);
    if (!is_consistent(manifest)) throw_damaged(file);
    manifest.seal_intact = is_seal_intact(json);
    manifest.says_nothing_else = without_seal(json) == unsealed_json(manifest);
    Json written = unsealed_json(manifest);
    written["seal"] = json.value("seal", "");  // whether it fits is another question
    manifest.is_canonical = text == written.dump(2) + "\n";
    return manifest;
  } catch (const Json::exception&) {
    throw_damaged(file);
  } catch (const std::out_of_range&) {
    throw_damaged(file);
  }
}

}  // namespace hyobscure::published
