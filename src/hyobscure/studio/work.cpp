#include "hyobscure/studio/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/workflow/starting_spec.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 8> kKinds = {"synth", "start", "inspect", "frontier",
                                               "fit",   "audit", "publish", "verify"};

/// Of a request; what is of another type counts as missing.
std::string text_of(const Json& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_true(const Json& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && found->is_boolean() && found->get<bool>();
}

std::int64_t whole_number(const Json& request, const char* key, std::int64_t low, std::int64_t high,
                          std::int64_t otherwise) {
  const auto found = request.find(key);
  if (found == request.end() || found->is_null()) return otherwise;
  if (!found->is_number_integer() || found->get<std::int64_t>() < low || found->get<std::int64_t>() > high)
    throw InputError({.source = key}, fmt::format("expected a whole number from {} to {}", low, high),
                     "Correct the value.");
  return found->get<std::int64_t>();
}

bool is_of_a_spec(const std::string& kind) { return kind != "synth" && kind != "start" && kind != "verify"; }

bool begins_with_one_of(const std::string& name, std::initializer_list<const char*> beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* beginning) { return name.starts_with(beginning); });
}

/// The parts of an audit that are finished, so that publishing has them for its report.
std::string finished_audit(int version) { return fmt::format("audit-{}.kept", version); }

/// The spec of a folder in the studio's, as it reads from there.
std::string spec_beside(const fs::path& studio, const std::string& folder) {
  const data::Spec there = data::read_spec(studio / folder / "spec.toml");
  std::vector<data::Override> files = {{"people.file", folder + "/" + there.people.source.file}};
  if (there.is_long()) files.push_back({"events.file", folder + "/" + there.events.source.file});
  return workflow::spec_text(data::read_spec(studio / folder / "spec.toml", files));
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder)) names.push_back(file.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

Json keys_of(const data::Spec& spec) {
  std::string data, curve;
  for (const data::SettingValue& setting : data::setting_values(spec)) {
    const std::string line = setting.name + " = " + setting.value + "\n";
    if (begins_with_one_of(setting.name, {"people.", "events.", "secret."})) data += line;
    if (!begins_with_one_of(setting.name, {"channel.budget", "audit.", "release."})) curve += line;
  }
  return {{"data", sha256(data)}, {"curve", sha256(curve)}};
}

Work::Work(const Folder& folder, KnownPeople& known, workflow::Resources resources)
    : folder_(folder), versions_(folder), known_(known), resources_(std::move(resources)) {
  resources_.only_in = folder_.path();
}

data::Spec Work::parse(const std::string& toml, const std::string& name) const {
  data::Spec spec = data::parse_spec(toml, name, folder_.path());
  folder_.refuse_outside(spec);
  return spec;
}

Json Work::accept(const std::string& kind, const Json& request) const {
  if (std::ranges::find(kKinds, kind) == kKinds.end())
    throw InputError({.source = "kind"}, "there is no such job", "Load the page again.");
  Json accepted = request;
  accepted.erase("toml");
  accepted.erase("kind");
  if (!is_of_a_spec(kind)) return accepted;
  const std::string toml =
      request.contains("version")
          ? versions_.text(static_cast<int>(whole_number(request, "version", 1, 1'000'000, 0)))
          : text_of(request, "toml");
  const data::Spec spec = parse(toml);
  if (!(spec.people.source.query + spec.events.source.query).empty() && !is_true(request, "runs_queries"))
    throw InputError({.source = "people.query, events.query"}, "this spec runs SQL of its own",
                     "Read it, and say that it may run.");
  accepted["version"] = versions_.save(toml);
  accepted["keys"] = keys_of(spec);
  return accepted;
}

Json Work::run(const Job& job, const Progress& progress) {
  const int version = is_of_a_spec(job.kind) ? job.request.at("version").get<int>() : 0;
  if (job.kind == "synth") return synthesise(job.request, progress);
  if (job.kind == "start") return start(job.request, progress);
  if (job.kind == "inspect") return inspect(version, progress);
  if (job.kind == "frontier") return frontier(version, job.request, progress);
  if (job.kind == "fit") return fit(version, job.request, progress);
  if (job.kind == "audit") return audit(version, progress);
  if (job.kind == "publish") return publish(version, job.request, progress);
  return verify(job.request, progress);
}

workflow::Workbench Work::bench(int version, const Progress& progress) const {
  return {parse(versions_.text(version), Versions::spec(version)), resources_, progress};
}

Json Work::synthesise(const Json& request, const Progress& progress) const {
  static const std::map<std::string, data::SynthKind> kShapes = {{"ratings", data::SynthKind::Ratings},
                                                                 {"tabular", data::SynthKind::Tabular},
                                                                 {"check-ins", data::SynthKind::CheckIns}};
  const auto shape = kShapes.find(text_of(request, "shape"));
  if (shape == kShapes.end())
    throw InputError({.source = "shape"}, "there is no such word", "Take ratings, tabular or check-ins.");
  data::SynthSettings settings{.kind = shape->second, .dependence = 0.8};
  settings.people = whole_number(request, "people", 200, 1'000'000, 600);
  settings.items = static_cast<int>(whole_number(request, "items", 10, 1'000'000, settings.items));
  settings.entries = static_cast<int>(whole_number(request, "entries", 1, 10'000, settings.entries));
  settings.seed = static_cast<std::uint64_t>(whole_number(request, "seed", 1, 1'000'000'000, 1));
  const std::string name = "made-up-" + shape->first;
  data::synthesise(settings, folder_.to_write(name), true, progress);
  Json files = Json::array();
  for (const DataFile& file : folder_.tables())
    if (file.name.starts_with(name + "/")) files.push_back(file.name);
  return {{"files", files}, {"toml", spec_beside(folder_.path(), name)}};
}

Json Work::start(const Json& request, const Progress& progress) const {
  const auto named = [&](const char* key) {
    const std::string name = text_of(request, key);
    if (!name.empty()) (void)folder_.existing(name);
    return data::is_pattern(name) ? workflow::name_in_spec(folder_.path(), name) : name;  // which refuses it
  };
  const std::string care = text_of(request, "care");
  const workflow::StartingSpec start = workflow::starting_spec(
      {.folder = folder_.path(),
       .people = named("people"),
       .events = named("events"),
       .secret = text_of(request, "secret")},
      workflow::budget_share_of(care.empty() ? "balanced" : care), {}, resources_, progress);
  Json json = {{"toml", start.toml},
               {"people", start.people},
               {"reasons", start.guess.reasons},
               {"other_secrets", start.guess.secrets},
               {"left_out", Json::array()}};
  for (const data::ColumnLeftOut& column : start.guess.left_out)
    json["left_out"].push_back({{"column", column.name}, {"because", column.because}});
  return json;
}

Json Work::inspect(int version, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench = this->bench(version, progress);
  const workflow::Inspected inspected = bench.inspect();
  try {
    known_.remember(bench.spec(), bench.people());
  } catch (const InputError&) {
    // Columns that may not be published: the inspection says so, and groups wait for another spec.
  }
  return parse_json(report::inspection_json(inspected.inspection, inspected.counts, watch.seconds()));
}

Json Work::frontier(int version, const Json& request, const Progress& progress) const {
  const int points = static_cast<int>(whole_number(request, "points", 2, 50, 9));
  return parse_json(report::frontier_json(bench(version, progress).frontier(points)));
}

Json Work::fit(int version, const Json& request, const Progress& progress) const {
  const Stopwatch watch;
  const fs::path output = folder_.to_write(Versions::mechanism(version));
  check_output_file(output, is_true(request, "again"));
  if (fs::exists(folder_.path() / Versions::release(version)))
    throw InputError({.source = Versions::mechanism(version)}, "its release is published",
                     "Change a setting: that makes a new version. This one stays as it is.");
  workflow::Workbench bench = this->bench(version, progress);
  const workflow::Fitted fitted = bench.fit();
  if (progress.stop_requested())
    throw Stopped();  // the page asked to cancel: it does not want a weaker answer
  fs::remove(folder_.state() / finished_audit(version));  // of an earlier mechanism
  obscure::write_mechanism(fitted.mechanism, output);
  Json json =
      parse_json(report::mechanism_json(fitted.mechanism, bench.counts(), watch.seconds(), fitted.target));
  json["good"] = fitted.is_good();
  json["facts"] = parse_json(bench.facts(fitted.mechanism));
  return json;
}

Json Work::audit(int version, const Progress& progress) const {
  const Stopwatch watch;
  const auto mechanism = obscure::read_mechanism(folder_.existing(Versions::mechanism(version)));
  workflow::Workbench bench = this->bench(version, progress);
  const audit::Audit found =
      bench.audit(mechanism, {}, {}, folder_.to_write(".hyobscure-studio/" + finished_audit(version)));
  Json json = parse_json(report::audit_json(found, bench.spec(), watch.seconds()));
  json["facts"] = parse_json(bench.facts(mechanism, &found));
  return json;
}

Json Work::publish(int version, const Json& request, const Progress& progress) const {
  const Stopwatch watch;
  const auto mechanism = obscure::read_mechanism(folder_.existing(Versions::mechanism(version)));
  workflow::Workbench bench = this->bench(version, progress);
  const fs::path release = folder_.to_write(Versions::release(version));
  const release::PublishResult result =
      bench.publish(mechanism, {.output = release,
                                .force = true,
                                .second_draw = is_true(request, "second_draw"),
                                .other_people = is_true(request, "other_people"),
                                .accept_leakage = is_true(request, "accept_leakage")});
  Json json = parse_json(report::release_json(result, watch.seconds()));
  const Stopwatch verifying;
  const verify::Verification verification = bench.verify(release, {.mechanism = &mechanism});
  json["verification"] = parse_json(report::verification_json(verification, verifying.seconds()));
  std::optional<audit::Audit> found;
  const std::string kept = ".hyobscure-studio/" + finished_audit(version);
  if (fs::exists(folder_.path() / kept)) found = bench.audit(mechanism, release, {}, folder_.existing(kept));
  write_file(
      folder_.to_write(Versions::report(version)),
      bench.report({.release = release, .mechanism = &mechanism, .audit = found ? &*found : nullptr}).html,
      FileAccess::OwnerOnly);
  json["release"] = Versions::release(version);
  json["report"] = Versions::report(version);
  json["names"] = names_in(release);
  return json;
}

Json Work::verify(const Json& request, const Progress& progress) const {
  const Stopwatch watch;
  const fs::path release = folder_.existing(text_of(request, "release"));
  return parse_json(
      report::verification_json(workflow::verify_alone(release, resources_, progress), watch.seconds()));
}

}  // namespace hyobscure::studio
