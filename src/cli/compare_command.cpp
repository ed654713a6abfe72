// hyobscure compare spec.toml -o comparison/

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/audit/mechanism/trade_off.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/files.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/comparison.h"
#include "hyobscure/report/facts.h"
#include "hyobscure/report/html.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

OurFolder comparison_folder() {
  return {.marker = "comparison.json",
          .says = "{\"command\":\"compare\"",
          .files = {"comparison.csv", "audits.csv", "report.html"}};
}

struct CompareOptions {
  SpecOptions spec;
  std::string output;
  obscure::ComparisonSettings settings;
  bool audit = false;
  bool force = false;
};

int run(const CompareOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.spec.read();
  check_output_folder(options.output, options.force, comparison_folder());
  data::Engine engine(engine_settings(common, spec), progress);
  const data::Reading reading = data::read_people(engine, spec);
  audit::TradeOff found;
  if (options.audit)
    found = audit::audit_methods(reading.people, spec, options.settings, audit::task_label(engine, spec),
                                 progress);
  else
    found.comparison = obscure::compare_methods(reading.people, spec, options.settings, progress);
  const obscure::Comparison& comparison = found.comparison;
  const std::string json = options.audit ? report::trade_off_json(found, watch.seconds())
                                         : report::comparison_json(comparison, watch.seconds());
  StagedFolder folder(options.output, options.force, comparison_folder());
  write_file(folder.path() / "comparison.csv", report::comparison_csv(comparison), FileAccess::Everyone);
  write_file(folder.path() / "comparison.json", json + "\n", FileAccess::Everyone);
  if (options.audit)
    write_file(folder.path() / "audits.csv", report::trade_off_csv(found), FileAccess::Everyone);
  write_file(
      folder.path() / "report.html",
      report::html_report(report::report_facts({.spec = spec, .reading = reading, .comparison = json})),
      FileAccess::OwnerOnly);
  folder.commit();
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n", json));
  else
    print(fmt::format("{}{}\nWrote {}/comparison.csv, comparison.json and report.html{}\n",
                      report::comparison_text(comparison),
                      options.audit ? "\n" + report::trade_off_text(found) : "", options.output,
                      options.audit ? ", audits.csv" : ""));
  return comparison.complete() ? kGood : kWeaker;
}

}  // namespace

void add_compare_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<CompareOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("compare", "Every method over a sweep of budgets, side by side");
  add_spec_options(*sub, options->spec);
  sub->add_option("-o,--out", options->output, "folder to write")->required();
  sub->add_option("--methods", options->settings.methods, "methods to compare; all of them when absent")
      ->delimiter(',');
  sub->add_option("--points", options->settings.points,
                  "number of budgets over the range of the first groups")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000));
  sub->add_option("--budgets", options->settings.budgets, "these budgets instead")->delimiter(',');
  sub->add_flag("--audit", options->audit,
                "also attack and use the release of every method and budget, as [audit] says");
  sub->add_flag("--force", options->force, "replace an earlier comparison");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure compare spec.toml --methods exact,hyobscure,dp --points 5 -o comparison");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
