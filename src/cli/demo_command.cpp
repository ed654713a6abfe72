// hyobscure demo

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

struct DemoOptions {
  std::string output = "hyobscure-demo";
  std::int64_t people = 600;
  bool force = false;
};

/// The command that a user would type for the step that follows.
void announce(const CommonOptions& common, const std::string& command) {
  if (common.json) return;
  constexpr char kStay = '\1';  // a space at which a line must not end: behind a flag is its value
  std::string line = "$ hyobscure " + command;
  for (std::size_t at = 0; at + 1 < line.size(); ++at)
    if (line[at] == ' ' && line[at + 1] != '-') line[at] = kStay;
  std::string shown;
  for (const char letter : report::wrapped(line, 4, report::kScreenColumns - 2))
    shown += letter == '\n'    ? std::string(" \\\n")  // as a shell continues a line
             : letter == kStay ? std::string(" ")
                               : std::string(1, letter);
  print(fmt::format("\n{}\n", shown));
}

void show(const CommonOptions& common, const std::string& text) {
  if (!common.json) print(text);
}

/// Also what its commands write when they are typed again, as it asks for.
OurFolder demo_folder() {
  OurFolder ours = data::synthetic_folder();
  ours.marker = "data/" + ours.marker;
  for (std::string& name : ours.files) name = "data/" + name;
  const OurFolder release = published::release_folder();
  for (const std::string& name : release.files) ours.files.push_back("release/" + name);
  for (const char* name : {"release/manifest.json", "data/hyobscure-ledger.json", "mechanism.json",
                           "report.html", "comparison/comparison.json", "comparison/comparison.csv",
                           "comparison/audits.csv", "comparison/report.html"})
    ours.files.emplace_back(name);
  return ours;
}

int run(const DemoOptions& options, StagedFolder& staged, const CommonOptions& common,
        const Progress& progress) {
  const Stopwatch watch;
  const std::filesystem::path folder = options.output, stage = staged.path();
  const auto named = [&](const char* name) { return (folder / name).string(); };

  announce(common, fmt::format("synth --people {} --dependence 0.8 -o {}", options.people, named("data")));
  data::synthesise({.people = options.people, .dependence = 0.8}, stage / "data", false, progress);
  // The people are made up and the folder has no name yet: nothing to remember.
  workflow::Workbench bench(data::read_spec(stage / "data" / "spec.toml", {{"release.ledger", "none"}}),
                            resources(common), progress);
  show(common, fmt::format("{} people who rated films; their age is the secret\n", options.people));

  announce(common, "inspect " + named("data/spec.toml"));
  const auto [inspection, counts] = bench.inspect();
  show(common, report::inspection_text(inspection, counts, bench.spec()));

  announce(common, fmt::format("fit {} -o {}", named("data/spec.toml"), named("mechanism.json")));
  const workflow::Fitted fitted = bench.fit();
  const obscure::Mechanism& mechanism = fitted.mechanism;
  obscure::write_mechanism(mechanism, stage / "mechanism.json");
  show(common, report::mechanism_text(mechanism, bench.counts()));

  announce(common, fmt::format("publish {} -m {} -o {}", named("data/spec.toml"), named("mechanism.json"),
                               named("release")));
  const release::PublishResult result = bench.publish(mechanism, {.output = stage / "release"});
  show(common, report::release_text(result));

  announce(common, fmt::format("verify {} --against {} -m {}", named("release"), named("data/spec.toml"),
                               named("mechanism.json")));
  const verify::Verification verification = bench.verify(stage / "release", {.mechanism = &mechanism});
  show(common, report::verification_text(verification));

  announce(common,
           fmt::format(
               "compare {} --methods fine,exact,dp --points 3 --audit --audit.releases 4 --audit.scenarios I "
               "--audit.attackers boosting --audit.row_attacks [] -o {}",
               named("data/spec.toml"), named("comparison")));
  // Quickly: a real comparison takes all methods, and more repetitions.
  const data::AuditSpec usual = bench.spec().audit;
  data::AuditSpec quick = usual;
  quick.releases = 4;
  quick.scenarios = {data::AttackScenario::I};
  quick.attackers = {data::AttackModel::Boosting};
  quick.row_attacks = {};
  bench.set_audit(quick);
  const Stopwatch comparing;
  const audit::TradeOff compared = bench.compare({.methods = {"fine", "exact", "dp"}, .points = 3}, true);
  bench.write_comparison(compared, true, comparing.seconds(), stage / "comparison", false);
  show(common, "Three methods, three budgets: their curves will be in the report\n");

  announce(common, fmt::format("audit {} {} -m {} --audit.releases 4 --comparison {} --report {}",
                               named("data/spec.toml"), named("release"), named("mechanism.json"),
                               named("comparison"), named("report.html")));
  quick = usual;
  quick.releases = 4;
  bench.set_audit(quick);
  const audit::Audit audit = bench.audit(mechanism, stage / "release");
  show(common, report::audit_text(audit, bench.spec()));
  write_file(stage / "report.html",
             bench
                 .report({.release = stage / "release",
                          .mechanism = &mechanism,
                          .audit = &audit,
                          .comparison = stage / "comparison"})
                 .html,
             FileAccess::OwnerOnly);
  staged.commit();

  if (common.json)
    print(fmt::format("{}\n", report::mechanism_json(mechanism, bench.counts(), watch.seconds())));
  else
    print(fmt::format(
        "\nLook at\n  {:<38} everything on one page: open it in a browser\n  {:<38} what is published\n  "
        "{:<38} its constraints, groups, leakage and hashes\n"
        "  {:<38} the settings: change one and run the commands above again\n  {:<38} private: never publish "
        "it\n",
        named("report.html"), named("release/people.csv"), named("release/manifest.json"),
        named("data/spec.toml"), named("mechanism.json")));
  return verification.passed() ? (fitted.is_good() ? kGood : kWeaker) : kOurFault;
}

}  // namespace

void add_demo_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<DemoOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "demo", "Make a data set, protect it, publish it, verify and audit the release, write a report");
  sub->add_option("-o,--out", options->output, "folder to write")->capture_default_str();
  sub->add_option("--people", options->people, "number of people")
      ->capture_default_str()
      ->check(CLI::Range(200, 10'000'000));
  sub->add_flag("--force", options->force, "replace an existing folder");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure demo --people 5000");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      StagedFolder staged(options->output, options->force, demo_folder());
      try {
        return run(*options, staged, common, progress);
      } catch (const InputError& error) {
        if (!error.place().source.starts_with(staged.path().string())) throw;
        // The user named this folder, not its temporary neighbour.
        throw InputError({.source = options->output}, error.problem(), error.remedy());
      }
    };
  });
}

}  // namespace hyobscure::cli
