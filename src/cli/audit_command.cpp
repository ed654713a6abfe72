// hyobscure audit spec.toml release/ -m mechanism.json

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/data/read.h"
#include "hyobscure/release/manifest.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/study/audit.h"
#include "hyobscure/study/utilities.h"

namespace hyobscure::cli {
namespace {

struct AuditOptions {
  SpecOptions spec;
  std::string folder;
  std::string mechanism;
};

/// The mechanism that made the release, by what both say of themselves.
obscure::Mechanism mechanism_of(const AuditOptions& options, const data::People& people) {
  obscure::Mechanism mechanism = obscure::read_mechanism(options.mechanism);
  if (mechanism.data_fingerprint != data::fingerprint(people))
    throw InputError({.source = options.mechanism}, "was made for other data",
                     "Give the spec that it was made from.");
  const std::filesystem::path folder = options.folder;
  const release::Manifest manifest = release::read_manifest(folder / release::Manifest::kFileName);
  bool same = manifest.method == mechanism.method && manifest.groups.size() == mechanism.groups.size() &&
              manifest.leakage.leakage == mechanism.promise.leakage;
  for (std::size_t g = 0; same && g < manifest.groups.size(); ++g)
    same = manifest.groups[g].label == mechanism.groups[g].label &&
           manifest.groups[g].people == mechanism.groups[g].people;
  if (!same)
    throw InputError({.source = options.folder}, "was not made by this mechanism",
                     "Give the mechanism that it was published with, or leave -m out.");
  return mechanism;
}

study::Audit audit(const AuditOptions& options, const CommonOptions& common, const data::Spec& spec,
                   const data::People& people, const std::optional<audit::TaskLabel>& task,
                   const Progress& progress) {
  if (options.mechanism.empty())
    return study::audit_release(people, spec, options.folder, task, progress,
                                {.memory = common.memory, .threads = common.threads});
  return study::audit_mechanism(people, spec, mechanism_of(options, people), task, progress);
}

int run(const AuditOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.spec.read();
  data::Engine engine(engine_settings(common, spec), progress);
  const data::Reading reading = data::read_people(engine, spec);
  const study::Audit found =
      audit(options, common, spec, reading.people, study::task_label(engine, spec), progress);
  progress.report("", 0, 0);
  fmt::print("{}", common.json ? report::audit_json(found, spec, watch.seconds()) + "\n"
                               : report::audit_text(found, spec));
  return kGood;
}

}  // namespace

void add_audit_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<AuditOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "audit", "Attack a release as machine-learning attackers would, and use it as its users would");
  add_spec_options(*sub, options->spec);
  sub->add_option("FOLDER", options->folder, "folder of the release")->required();
  sub->add_option(
      "-m,--mechanism", options->mechanism,
      "mechanism of the release: repetitions then draw anew, and attackers who know the channel take part");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure audit spec.toml release -m mechanism.json");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
