// hyobscure inspect spec.toml

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

int run(const SpecOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench(options.read(), resources(common), progress);
  const auto [inspection, counts] = bench.inspect();
  progress.report("", 0, 0);
  print(common.json ? report::inspection_json(inspection, counts, watch.seconds()) + "\n"
                    : report::inspection_text(inspection, counts, bench.spec()));
  return kGood;
}

}  // namespace

void add_inspect_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<SpecOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "inspect", "Show what is in the data, what it leaks today and which limits can be met");
  add_spec_options(*sub, *options);
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure inspect spec.toml --groups.people 100,400 --groups.values 4,12");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
