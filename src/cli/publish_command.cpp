// hyobscure publish spec.toml -m mechanism.json -o release/

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct PublishOptions {
  SpecOptions spec;
  std::string mechanism;
  std::string output;
  std::string census;
  std::string sign;
  bool force = false;
  bool second_draw = false;
  bool other_people = false;
  bool accept_leakage = false;
};

int run(const PublishOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  std::optional<published::SigningKey> key;
  if (!options.sign.empty()) key = published::SigningKey::read(options.sign);
  const obscure::Mechanism mechanism = obscure::read_mechanism(options.mechanism);
  workflow::Workbench bench(options.spec.read(), resources(common), progress);
  if (!options.census.empty()) bench.load_census(options.census);
  const release::PublishResult result = bench.publish(mechanism, {.output = options.output,
                                                                  .force = options.force,
                                                                  .second_draw = options.second_draw,
                                                                  .other_people = options.other_people,
                                                                  .accept_leakage = options.accept_leakage,
                                                                  .sign = key});
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n", report::release_json(result, watch.seconds())));
  else
    print(fmt::format("{}\nWrote {}\nNext: hyobscure verify {} --against {} -m {}\n",
                      report::release_text(result), options.output, shell_word(options.output),
                      options.spec.words(), shell_word(options.mechanism)));
  return kGood;
}

}  // namespace

void add_publish_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<PublishOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("publish", "Apply a mechanism: write the release and its manifest");
  add_spec_options(*sub, options->spec);
  sub->add_option("-m,--mechanism", options->mechanism, "mechanism file that fit wrote")->required();
  sub->add_option("-o,--out", options->output, "folder to write")->required();
  sub->add_option("--census", options->census,
                  "a folder of fit --save-census instead of reading the features again");
  sub->add_flag("--force", options->force, "replace an existing folder");
  sub->add_flag("--second-draw", options->second_draw,
                "publish although the same people are in an earlier release: both together leak more");
  sub->add_flag(
      "--other-people", options->other_people,
      "publish although an earlier release has the same ids: they are those of other people; refused "
      "where the rows are the same, too");
  sub->add_flag("--accept-leakage", options->accept_leakage,
                "publish although fit called the mechanism weaker than it should be (exit code 3)");
  sub->add_option("--sign", options->sign,
                  "signing key of `hyobscure keygen`: says who published, not that the release is safe");
  add_common_options(*sub, chosen.common);
  sub->footer(
      "Publishing again gives the same release: the draws belong to the mechanism.\n"
      "Example: hyobscure publish spec.toml -m mechanism.json -o release --release.ids replace");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
