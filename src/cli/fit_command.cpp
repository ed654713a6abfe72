// hyobscure fit spec.toml -o mechanism.json

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/base/files.h"
#include "hyobscure/data/read.h"
#include "hyobscure/obscure/fit.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct FitOptions {
  SpecOptions spec;
  std::string output;
  bool force = false;
};

int run(const FitOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  const data::Spec spec = options.spec.read();
  check_output_file(options.output, options.force);
  data::Engine engine(engine_settings(common, spec), progress);
  const data::Reading reading = data::read_people(engine, spec);
  const obscure::Mechanism mechanism = obscure::fit(reading.people, spec, progress);
  obscure::write_mechanism(mechanism, options.output);
  progress.report("", 0, 0);
  if (common.json)
    fmt::print("{}\n", report::mechanism_json(mechanism, reading.counts, watch.seconds()));
  else
    fmt::print(
        "{}\nWrote {} (private: keep it, readable by you only)\nNext: hyobscure publish {} -m {} -o "
        "release\n",
        report::mechanism_text(mechanism, reading.counts), options.output, options.spec.file, options.output);
  return mechanism.converged ? kGood : kWeaker;
}

}  // namespace

void add_fit_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<FitOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("fit", "Find the mechanism: groups and channels with the least leakage");
  add_spec_options(*sub, options->spec);
  sub->add_option("-o,--out", options->output, "mechanism file to write")->required();
  sub->add_flag("--force", options->force, "replace an existing file");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure fit spec.toml --budget 0.49 -o mechanism.json");
  sub->callback([options, &chosen] {
    chosen.run = [options](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

}  // namespace hyobscure::cli
