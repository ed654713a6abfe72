// hyobscure inspect spec.toml

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/files_to_start_from.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct InspectOptions {
  SpecOptions spec;
  FilesToStartFrom files;  ///< where the spec is none, but a table of people
};

/// A table of people has no spec yet: the one that `init` would write is made in memory.
data::Spec spec_of(const InspectOptions& options, const CommonOptions& common, const Progress& progress) {
  if (options.spec.file.ends_with(".toml")) return options.spec.read();
  FilesToStartFrom files = options.files;
  files.people = options.spec.file;
  const std::string place = "spec.toml";
  return data::parse_spec(start_from(files, place, {}, common, progress).toml, options.spec.file, ".",
                          options.spec.overrides);
}

/// What to run for the recommended settings; a table of people gets a spec first, which has them.
std::string next_command(const InspectOptions& options, const obscure::Recommendation& recommended) {
  if (!options.spec.file.ends_with(".toml"))
    return fmt::format("hyobscure init {}{}{}", options.spec.words(),
                       options.files.events.empty() ? "" : " " + shell_word(options.files.events),
                       recommended.choice.empty() ? "" : " --care " + recommended.choice);
  std::string flags;
  if (!recommended.terms_are_the_specs)
    flags = fmt::format(" --groups.count {} --groups.people {},{} --groups.values {},{}", recommended.groups,
                        recommended.limits.least_people, recommended.limits.most_people,
                        recommended.limits.least_values, recommended.limits.most_values);
  for (const obscure::BudgetChoice& budget : recommended.budgets)
    if (budget.name == recommended.choice)
      flags += fmt::format(" --channel.budget_share {}", budget.budget_share);
  return fmt::format("hyobscure fit {}{} -o mechanism.json", options.spec.words(), flags);
}

int run(const InspectOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench(spec_of(options, common, progress), resources(common), progress);
  const auto [inspection, counts] = bench.inspect();
  progress.report("", 0, 0);
  print(common.json ? report::inspection_json(inspection, counts, watch.seconds()) + "\n"
                    : report::inspection_text(inspection, counts, bench.spec()));
  if (!common.json && inspection.recommendation)
    print(fmt::format("\nNext: {}\n", next_command(options, *inspection.recommendation)));
  return kGood;
}

}  // namespace

void add_inspect_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<InspectOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "inspect", "Show what is in the data, what it leaks today and which limits can be met");
  add_spec_options(*sub, options->spec);
  sub->add_option("--events", options->files.events,
                  "instead of a spec, SPEC may be a table of people: its events");
  add_start_options(*sub, options->files);
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure inspect spec.toml --groups.people 100,400 --groups.values 4,12");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
