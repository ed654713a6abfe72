// hyobscure compare spec.toml -o comparison/

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/base/files.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct CompareOptions {
  SpecOptions spec;
  std::string output;
  obscure::ComparisonSettings settings;
  bool audit = false;
  bool force = false;
};

int run(const CompareOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench(options.spec.read(), resources(common), progress);
  check_output_folder(options.output, options.force, workflow::comparison_folder());
  const audit::TradeOff found = bench.compare(options.settings, options.audit);
  const std::string json =
      bench.write_comparison(found, options.audit, watch.seconds(), options.output, options.force);
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n", json));
  else
    print(fmt::format("{}{}\nWrote {}/comparison.csv, comparison.json and report.html{}\n",
                      report::comparison_text(found.comparison),
                      options.audit ? "\n" + report::trade_off_text(found) : "", options.output,
                      options.audit ? ", audits.csv" : ""));
  return found.comparison.complete() ? kGood : kWeaker;
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
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
