// hyobscure synth --people 2000 --seed 1 -o people/

#include <fmt/format.h>

#include <map>

#include "cli/command.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

struct SynthOptions {
  data::SynthSettings settings;
  std::string output;
  std::string format = "csv";
  bool force = false;
};

int run(const SynthOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  data::SynthSettings settings = options.settings;
  settings.parquet = options.format == "parquet";
  data::synthesise(settings, options.output, options.force, progress);
  if (common.json)
    print(fmt::format("{{\"command\":\"synth\",\"people\":{},\"seconds\":{}}}\n", settings.people,
                      watch.seconds()));
  else
    print(fmt::format("{} people and their spec.toml are in {}\nNext: hyobscure inspect {}\n",
                      report::count_text(settings.people), options.output,
                      shell_word((std::filesystem::path(options.output) / "spec.toml").string())));
  return kGood;
}

}  // namespace

void add_synth_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<SynthOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("synth", "Make synthetic people, for trials and benchmarks");
  static const std::map<std::string, data::SynthKind> kKinds = {{"ratings", data::SynthKind::Ratings},
                                                                {"tabular", data::SynthKind::Tabular},
                                                                {"check-ins", data::SynthKind::CheckIns}};
  sub->add_option("-o,--out", options->output, "folder to write")->required();
  sub->add_option("--people", options->settings.people, "number of people")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000));
  sub->add_option("--seed", options->settings.seed, "the same seed gives the same people")
      ->capture_default_str();
  sub->add_option("--kind", options->settings.kind,
                  "ratings (long: people and events), tabular (wide) or check-ins (long, the secret is a "
                  "home in a city)")
      ->transform(CLI::CheckedTransformer(kKinds).description("{ratings,tabular,check-ins}"));
  sub->add_option("--dependence", options->settings.dependence,
                  "how much the features depend on the secret, from 0 to 1")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  sub->add_option("--items", options->settings.items, "ratings: number of items")
      ->capture_default_str()
      ->check(CLI::Range(10, 10'000'000));
  sub->add_option("--entries", options->settings.entries, "ratings, check-ins: mean number per person")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  sub->add_option("--format", options->format, "csv or parquet")
      ->capture_default_str()
      ->check(CLI::IsMember({"csv", "parquet"}));
  sub->add_flag("--force", options->force, "replace an existing folder");
  sub->footer("Example: hyobscure synth --people 2000 --dependence 0.8 -o people");
  add_common_options(*sub, chosen.common);
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
