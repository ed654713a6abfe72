#include "hyobscure/studio/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/version.h"
#include "hyobscure/obscure/methods/settings.h"
#include "hyobscure/studio/page_files.h"
#include "hyobscure/studio/told_error.h"
#include "hyobscure/workflow/starting_spec.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

constexpr int kCorrectInput = 422, kOurFault = 500;

Json parse_request(const std::string& body) {
  try {
    Json json = parse_json(body.empty() ? "{}" : body);
    if (json.is_object()) return json;
  } catch (const Json::exception&) {
  }
  throw InputError({.source = "request"}, "is no JSON object", "Load the page again.");
}

std::string text_at(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || !found->is_string())
    throw InputError({.source = key}, "expected a text", "Load the page again.");
  return found->get<std::string>();
}

Json settings_json() {
  Json list = Json::array();
  for (const data::Setting& setting : obscure::settings())
    list.push_back({{"key", setting.full_name()},
                    {"type", setting.type},
                    {"fallback", setting.fallback},
                    {"help", setting.help},
                    {"choices", setting.choices}});
  return list;
}

Json values_json(const data::Spec& spec) {
  Json values = Json::object();
  for (const data::SettingValue& setting : data::setting_values(spec))
    if (setting.given && setting.value != "none") values[setting.name] = setting.value;
  return values;
}

/// The spec without these keys.
std::string without(const data::Spec& spec, const std::vector<std::string>& keys) {
  std::string toml;
  for (const data::SettingValue& setting : data::setting_values(spec))
    if (setting.given && setting.value != "none" && std::ranges::find(keys, setting.name) == keys.end())
      toml += fmt::format("{} = {}\n", setting.name, setting.value);
  return toml;
}

std::string type_of(const fs::path& file) {
  static const std::map<std::string, std::string> kTypes = {
      {".csv", "text/csv"}, {".json", "application/json"}, {".toml", "text/plain"}, {".txt", "text/plain"}};
  const auto found = kTypes.find(file.extension().string());
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

}  // namespace

Reply json_reply(const Json& json, int status) {
  return {.status = status, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

Reply refusal_reply(const Refusal& refusal) {
  return json_reply({{"error", {{"problem", refusal.problem}, {"remedy", refusal.remedy}}}}, refusal.status);
}

Api::Api(const fs::path& folder, Sessions& sessions, const workflow::Resources& resources,
         Jobs::Changed changed)
    : folder_(folder),
      lock_(folder_),
      sessions_(sessions),
      versions_(folder_),
      known_(folder_),
      work_(folder_, known_, resources),
      jobs_(
          folder_.state() / "jobs",
          [this](const Job& job, const Progress& progress) { return work_.run(job, progress); },
          std::move(changed)) {}

Reply Api::answer(const Passage& passage, const std::string& body) {
  try {
    return answer_or_throw(passage, body);
  } catch (...) {
    const Json error = told_error(std::current_exception());
    return json_reply({{"error", error}}, error.at("ours") == true ? kOurFault : kCorrectInput);
  }
}

Reply Api::answer_or_throw(const Passage& passage, const std::string& body) {
  switch (passage.rule->route) {
    case Route::Page:
      return {.type = "text/html; charset=utf-8", .body = std::string(kPageHtml)};
    case Route::Script:
      return {.type = "text/javascript; charset=utf-8", .body = std::string(kPageScript)};
    case Route::Style:
      return {.type = "text/css; charset=utf-8", .body = std::string(kPageStyle)};
    case Route::OpenSession:
      if (const auto bearer = sessions_.exchange(text_at(parse_request(body), "link")))
        return json_reply({{"bearer", *bearer}});
      return refusal_reply({403, "this link was used before, or is none of this studio",
                            "Open a new tab from the page that is open, or start the studio again."});
    case Route::NewLink:
      return json_reply({{"link", sessions_.new_link()}});
    case Route::State:
      return json_reply(state());
    case Route::Settings:
      return json_reply(settings_json());
    case Route::Spec:
      return json_reply(spec(parse_request(body)));
    case Route::Limits:
      return json_reply(limits(parse_request(body)));
    case Route::StartJob: {
      const Json request = parse_request(body);
      const std::string kind = text_at(request, "kind");
      return json_reply(job_json(jobs_.submit(kind, work_.accept(kind, request)), false));
    }
    case Route::Job:
      return json_reply(job_json(jobs_.get(passage.number), true));
    case Route::CancelJob:
      return json_reply(job_json(jobs_.cancel(passage.number), false));
    case Route::File:
      return file(passage);
    case Route::Events:
      break;  // the server's own: it does not end
  }
  throw std::logic_error("a route without an answer");
}

Json Api::state() const {
  Json json = {{"version", version()}, {"folder", folder_.path().string()}};
  json["tables"] = Json::array();
  for (const DataFile& file : folder_.tables())
    json["tables"].push_back({{"name", file.name}, {"bytes", file.bytes}});
  json["specs"] = folder_.specs();
  json["versions"] = Json::array();
  for (const int version : versions_.all())
    json["versions"].push_back({{"version", version},
                                {"fitted", fs::exists(folder_.path() / Versions::mechanism(version))},
                                {"published", fs::exists(folder_.path() / Versions::release(version))}});
  json["jobs"] = Json::array();
  for (const Job& job : jobs_.all()) json["jobs"].push_back(job_json(job, false));
  return json;
}

/// By `version`, by `file`, one of the folder's specs, or as `toml`.
std::string Api::text_of_spec(const Json& request) const {
  if (request.contains("version") && request.at("version").is_number_integer())
    return versions_.text(request.at("version").get<int>());
  if (!request.contains("file")) return text_at(request, "toml");
  const std::string name = text_at(request, "file");
  const std::vector<std::string> specs = folder_.specs();
  require(std::ranges::find(specs, name) != specs.end(), name, "is no spec of this folder",
          "Copy the spec into the folder itself.");
  return read_file(folder_.existing(name));
}

Json Api::spec(const Json& request) const {
  std::string toml = text_of_spec(request);
  std::vector<data::Override> changes;
  std::vector<std::string> gone;
  const Json set =
      request.contains("set") && request.at("set").is_object() ? request.at("set") : Json::object();
  for (const auto& [key, value] : set.items())
    if (value.is_string())
      changes.push_back({key, value.get<std::string>(), key});
    else
      gone.push_back(key);
  if (!gone.empty()) toml = without(data::parse_spec(toml, "spec", folder_.path()), gone);
  const data::Spec spec = data::parse_spec(toml, "spec", folder_.path(), changes);
  if (!gone.empty() || !changes.empty()) toml = workflow::spec_text(spec);
  const std::optional<int> version = versions_.find(toml);
  return {{"toml", toml},
          {"values", values_json(spec)},
          {"keys", keys_of(spec)},
          {"version", version ? Json(*version) : Json(nullptr)},
          {"queries", !(spec.people.source.query + spec.events.source.query).empty()}};
}

Json Api::limits(const Json& request) const { return known_.limits(work_.parse(text_at(request, "toml"))); }

/// Of what the studio wrote for others to have: specs, reports and the files of releases.
Reply Api::file(const Passage& passage) const {
  const auto name = passage.query.find("name");
  const std::string wanted = name == passage.query.end() ? "" : name->second;
  for (const int version : versions_.all()) {
    const bool may =
        wanted == Versions::spec(version) || wanted == Versions::report(version) ||
        (fs::path(wanted).parent_path() == Versions::release(version) && !wanted.ends_with(".."));
    if (!may) continue;
    const fs::path real = folder_.existing(wanted);
    if (fs::is_regular_file(real)) return {.type = type_of(real), .file = real};
  }
  throw InputError({.source = wanted}, "is not handed out",
                   "Specs, reports and files of releases are; look into the folder for others.");
}

}  // namespace hyobscure::studio
