// hyobscure fit spec.toml -o mechanism.json

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "hyobscure/base/files.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

struct FitOptions {
  SpecOptions spec;
  std::string output;
  int frontier = 0;
  std::string census, save_census;  ///< folders; empty: none
  bool force = false;
};

/// mechanism.json -> mechanism.frontier.csv
std::filesystem::path beside(const std::string& output, const char* extension) {
  return std::filesystem::path(output).replace_extension(extension);
}

/// The whole curve of budgets beside the one that was asked for.
void write_frontier(const FitOptions& options, const obscure::Frontier& frontier) {
  write_file(beside(options.output, "frontier.csv"), report::frontier_csv(frontier), FileAccess::Everyone);
  write_file(beside(options.output, "frontier.json"), report::frontier_json(frontier) + "\n",
             FileAccess::Everyone);
}

void check_outputs(const FitOptions& options) {
  check_output_file(options.output, options.force);
  if (options.frontier > 0)
    for (const char* extension : {"frontier.csv", "frontier.json"})
      check_output_file(beside(options.output, extension), options.force);
  if (!options.save_census.empty())
    check_output_folder(options.save_census, options.force, obscure::census_folder());
}

/// Before a long search, what else could be done.
void advise(const workflow::FitPrediction& predicted, const Progress& progress) {
  if (predicted.advice.empty()) return;
  progress.report("", 0, 0);
  fmt::print(stderr, "{}",
             report::wrapped(fmt::format("fit will take about {}. Instead, {}.\n",
                                         report::seconds_text(predicted.seconds), predicted.advice)));
}

int run(const FitOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench(options.spec.read(), resources(common), progress);
  check_outputs(options);
  if (!options.census.empty()) bench.load_census(options.census);
  if (!options.save_census.empty()) bench.save_census(options.save_census, options.force);
  if (!common.quiet && !common.json) advise(bench.predicted_fit(), progress);
  const workflow::Fitted fitted = bench.fit();
  const obscure::Mechanism& mechanism = fitted.mechanism;
  obscure::write_mechanism(mechanism, options.output);
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n",
                      report::mechanism_json(mechanism, bench.counts(), watch.seconds(), fitted.target)));
  else
    print(fmt::format(
        "{}{}\nWrote {} (private: keep it, readable by you only)\n{}Next: hyobscure publish {} -m {} -o "
        "release{}\n",
        report::mechanism_text(mechanism, bench.counts()),
        fitted.target ? "\n" + report::target_search_text(*fitted.target) : "", options.output,
        options.save_census.empty()
            ? ""
            : fmt::format("Wrote {} (private too: it holds the secret and features of each person)\n",
                          options.save_census),
        options.spec.words(), shell_word(options.output), fitted.is_good() ? "" : " --accept-leakage"));
  if (options.frontier == 0) return fitted.is_good() ? kGood : kWeaker;
  const obscure::Frontier frontier = bench.frontier(options.frontier);
  write_frontier(options, frontier);
  progress.report("", 0, 0);
  if (!common.json)
    print(fmt::format("\n{}Wrote {} and .json\n", report::frontier_text(frontier),
                      beside(options.output, "frontier.csv").string()));
  return fitted.is_good() && frontier.complete ? kGood : kWeaker;
}

}  // namespace

void add_fit_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<FitOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("fit", "Find the mechanism: groups and channels with the least leakage");
  add_spec_options(*sub, options->spec);
  sub->add_option("-o,--out", options->output, "mechanism file to write")->required();
  sub->add_option("--frontier", options->frontier, "also trace the trade-off curve with this many budgets")
      ->check(CLI::Range(2, 1000));
  CLI::Option* save =
      sub->add_option("--save-census", options->save_census,
                      "also write people and census to this folder, for further fits (private)");
  sub->add_option("--census", options->census, "a folder of --save-census instead of reading the data again")
      ->excludes(save);
  sub->add_flag("--force", options->force, "replace existing files");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure fit spec.toml --budget 0.49 -o mechanism.json");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
