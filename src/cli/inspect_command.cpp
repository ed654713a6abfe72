// hyobscure inspect spec.toml

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/inspection.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct Looked {
  std::vector<obscure::InspectedColumn> columns;
  std::vector<data::ImplausibleSecrets> implausible;
  data::Spec spec;  ///< without the refused columns
};

Looked look_at_columns(data::Engine& engine, const data::Spec& spec) {
  const data::ColumnTable table(engine, spec);
  Looked looked{obscure::inspect_columns(table, spec), table.implausible(), table.without_refused()};
  if (!spec.is_long() && looked.spec.people.features.empty()) table.refuse_identifying();
  return looked;
}

int run(const SpecOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.read();
  data::Engine engine(engine_settings(common, spec), progress);
  // Columns first, as they are; the rest as it would be without those that nobody may publish.
  Looked looked = look_at_columns(engine, spec);
  const data::Reading reading = data::read_people(engine, looked.spec);
  obscure::Inspection inspection = obscure::inspect(reading.people, looked.spec, progress);
  inspection.columns = std::move(looked.columns);
  inspection.implausible = std::move(looked.implausible);
  progress.report("", 0, 0);
  print(common.json ? report::inspection_json(inspection, reading.counts, watch.seconds()) + "\n"
                    : report::inspection_text(inspection, reading.counts, spec));
  return kGood;
}

}  // namespace

void add_inspect_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<SpecOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "inspect", "Tell what is in the data, what it leaks today and which terms can be met");
  add_spec_options(*sub, *options);
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure inspect spec.toml --groups.people 100,400 --groups.values 4,12");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
