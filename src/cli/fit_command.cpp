// hyobscure fit spec.toml -o mechanism.json

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "hyobscure/audit/mechanism/fit_for_use.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/files.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/frontier.h"
#include "hyobscure/obscure/fit/saved_census.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/report/summary.h"

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
obscure::Frontier write_frontier(const FitOptions& options, const obscure::TakenCensus& taken,
                                 const data::Spec& spec, const Progress& progress) {
  const obscure::Frontier frontier =
      obscure::trace_frontier(taken.people, spec, taken.census, options.frontier, progress);
  write_file(beside(options.output, "frontier.csv"), report::frontier_csv(frontier), FileAccess::Everyone);
  write_file(beside(options.output, "frontier.json"), report::frontier_json(frontier) + "\n",
             FileAccess::Everyone);
  return frontier;
}

struct Fitted {
  obscure::Mechanism mechanism;
  std::optional<audit::KeptPromise> promise = {};
};

/// By an expected distance, or by what the release must be good for.
Fitted fit(data::Engine& engine, const obscure::TakenCensus& taken, const data::Spec& spec,
           const Progress& progress) {
  if (!spec.channel.promise) return {obscure::fit(taken.people, spec, taken.census, progress)};
  audit::FitForUse found =
      audit::fit_for_use(taken.people, spec, taken.census, audit::task_label(engine, spec), progress);
  return {std::move(found.mechanism), std::move(found.promise)};
}

void check_outputs(const FitOptions& options) {
  check_output_file(options.output, options.force);
  if (options.frontier > 0)
    for (const char* extension : {"frontier.csv", "frontier.json"})
      check_output_file(beside(options.output, extension), options.force);
  if (!options.save_census.empty())
    check_output_folder(options.save_census, options.force, obscure::census_folder());
}

obscure::TakenCensus take_census(const FitOptions& options, data::Engine& engine, const data::Spec& spec,
                                 const Progress& progress) {
  if (!options.census.empty()) return obscure::load_census(options.census, spec);
  obscure::TakenCensus taken = obscure::take_census_of(engine, spec, progress);
  if (!options.save_census.empty()) {
    progress.report("saving the census", 0, 0);
    obscure::save_census(taken, spec, options.save_census, options.force);
  }
  return taken;
}

int run(const FitOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.spec.read();
  check_outputs(options);
  data::Engine engine(engine_settings(common, spec), progress);
  const obscure::TakenCensus taken = take_census(options, engine, spec, progress);
  const Fitted fitted = fit(engine, taken, spec, progress);
  const obscure::Mechanism& mechanism = fitted.mechanism;
  obscure::write_mechanism(mechanism, options.output);
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n",
                      report::mechanism_json(mechanism, taken.counts, watch.seconds(), fitted.promise)));
  else
    print(fmt::format(
        "{}{}\nWrote {} (private: keep it, readable by you only)\n{}Next: hyobscure publish {} -m {} -o "
        "release\n",
        report::mechanism_text(mechanism, taken.counts),
        fitted.promise ? "\n" + report::kept_promise_text(*fitted.promise) : "", options.output,
        options.save_census.empty()
            ? ""
            : fmt::format("Wrote {} (private too: it holds everybody's secret and features)\n",
                          options.save_census),
        options.spec.file, options.output));
  const bool good = mechanism.converged && obscure::shortfalls(mechanism).empty();
  if (options.frontier == 0) return good ? kGood : kWeaker;
  const obscure::Frontier frontier = write_frontier(options, taken, spec, progress);
  progress.report("", 0, 0);
  if (!common.json)
    print(fmt::format("\n{}Wrote {} and .json\n", report::frontier_text(frontier),
                      beside(options.output, "frontier.csv").string()));
  return good && frontier.complete ? kGood : kWeaker;
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
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
