// hyobscure audit spec.toml release/ -m mechanism.json

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/report/facts.h"
#include "hyobscure/report/html.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::cli {
namespace {

struct AuditOptions {
  SpecOptions spec;
  std::string folder;
  std::string mechanism;
  std::string report;
  std::string comparison;
  bool force = false;
};

/// The mechanism that made the release, by what both say of themselves.
std::optional<obscure::Mechanism> mechanism_of(const AuditOptions& options, const data::People& people) {
  if (options.mechanism.empty()) return std::nullopt;
  obscure::Mechanism mechanism = obscure::read_mechanism(options.mechanism);
  if (mechanism.data_fingerprint != data::fingerprint(people))
    throw InputError({.source = options.mechanism}, "was made for other data",
                     "Give the spec that it was made from.");
  const std::filesystem::path folder = options.folder;
  const published::Manifest manifest = published::read_manifest(folder / published::Manifest::kFileName);
  if (manifest.draw != published::name_of_draws(mechanism.key))
    throw InputError({.source = options.folder}, "was not made by this mechanism",
                     "Give the mechanism that it was published with, or leave -m out.");
  return mechanism;
}

/// Everything about the release in one file for who has to judge it.
void write_report(const AuditOptions& options, const CommonOptions& common, const data::Spec& spec,
                  const data::Reading& reading, const std::optional<obscure::Mechanism>& mechanism,
                  const audit::Audit& audit, const Progress& progress) {
  const std::filesystem::path folder = options.folder;
  const published::Manifest manifest = published::read_manifest(folder / published::Manifest::kFileName);
  const verify::Verification verification =
      verify::verify(folder, &spec, progress, {.memory = common.memory, .threads = common.threads});
  const report::ReportInput input{
      .spec = spec,
      .reading = reading,
      .mechanism = mechanism ? &*mechanism : nullptr,
      .manifest = &manifest,
      .release_folder = folder,
      .verification = &verification,
      .audit = &audit,
      .comparison = options.comparison.empty()
                        ? ""
                        : read_file(std::filesystem::path(options.comparison) / "comparison.json")};
  write_file(options.report, report::html_report(report::report_facts(input)), FileAccess::OwnerOnly);
}

int run(const AuditOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.spec.read();
  if (!options.report.empty()) check_output_file(options.report, options.force);
  if (options.report.empty() && !options.comparison.empty())
    throw InputError({.source = "--comparison"}, "its curves go into a report, and none is asked for",
                     "Add --report FILE.");
  data::Engine engine(engine_settings(common, spec), progress);
  const data::Reading reading = data::read_people(engine, spec);
  const auto mechanism = mechanism_of(options, reading.people);
  const auto task = audit::task_label(engine, spec);
  const audit::Audit found = mechanism
                                 ? audit::audit_mechanism(reading.people, spec, *mechanism, task, progress)
                                 : audit::audit_release(reading.people, spec, options.folder, task, progress,
                                                        {.memory = common.memory, .threads = common.threads});
  if (!options.report.empty()) write_report(options, common, spec, reading, mechanism, found, progress);
  progress.report("", 0, 0);
  print(common.json ? report::audit_json(found, spec, watch.seconds()) + "\n"
                    : report::audit_text(found, spec));
  if (!common.json && !options.report.empty())
    print(fmt::format("\nWrote {} (holds counts finer than the release: not part of it)\n", options.report));
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
  sub->add_option("--report", options->report,
                  "HTML file to write: everything about the release on one page");
  sub->add_option("--comparison", options->comparison,
                  "folder that compare wrote, for the curves of the report");
  sub->add_flag("--force", options->force, "replace an existing report");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure audit spec.toml release -m mechanism.json --report report.html");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
