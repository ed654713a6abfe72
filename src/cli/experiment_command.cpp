// hyobscure experiment trade-off --quick -o results

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/json.h"
#include "hyobscure/data/spec/nearest_word.h"
#include "hyobscure/experiment/run_experiment.h"

namespace hyobscure::cli {
namespace {

struct ExperimentOptions {
  std::string name;
  std::string output = "results";
  std::string data;
  bool quick = false;
};

/// The source folder's experiments, seen from its build folders, or the installed ones.
std::filesystem::path experiments_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  constexpr int kFoldersUp = 3;  // build/asan/hyobscure
  for (int i = 0; i < kFoldersUp && !error; ++i, folder = folder.parent_path())
    for (const char* place : {"share/hyobscure/experiments", "experiments"})
      if (std::filesystem::exists(folder / place / "trade-off.toml")) return folder / place;
  return {};
}

std::vector<std::filesystem::path> known_experiments() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = experiments_folder();
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::filesystem::path file_of(const std::string& name) {
  if (name.ends_with(".toml")) return name;
  std::vector<std::string> names;
  for (const std::filesystem::path& file : known_experiments()) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  const auto near = data::nearest_word(name, names);
  throw InputError({.source = name}, "there is no experiment of this name",
                   near ? fmt::format("Did you mean {}?", *near)
                        : "`hyobscure experiment list` names them; or give a file that ends in .toml.");
}

int list(const CommonOptions& common) {
  for (const std::filesystem::path& file : known_experiments()) {
    const experiment::Experiment experiment = experiment::read_experiment(file, true);
    if (common.quiet)
      print(fmt::format("{}\n", experiment.name));
    else
      print(fmt::format("{:<16} {}\n{:<16} {}\n", experiment.name, experiment.title, "", experiment.what));
  }
  return kGood;
}

std::filesystem::path data_folder(const ExperimentOptions& options) {
  if (!options.data.empty()) return options.data;
  const char* given = std::getenv("HYOBSCURE_DATA");
  return given == nullptr ? "" : given;
}

/// The key of a row and what is worth seeing during the run.
void show_row(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  static const std::vector<std::string> kShown = {"reason",         "round",          "leakage_bits",
                                                  "forest_I_error", "rmse_published", "census_seconds",
                                                  "method_seconds"};
  std::string line;
  const auto key_end = std::ranges::find(columns, "reason") - columns.begin();
  for (std::ptrdiff_t i = 0; i < std::ssize(columns); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (cells[at].empty() || (i >= key_end && std::ranges::find(kShown, columns[at]) == kShown.end()))
      continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", columns[at], cells[at]);
  }
  print(fmt::format("{}\n", line));
  std::fflush(stdout);
}

int run(const ExperimentOptions& options, const CommonOptions& common, const Progress& progress) {
  if (options.name == "list") return list(common);
  const Stopwatch watch;
  const experiment::Experiment experiment = experiment::read_experiment(file_of(options.name), options.quick);
  experiment::OnRow on_row;
  if (!common.json && !common.quiet)
    on_row = [&](const auto& columns, const auto& cells) {
      progress.report("", 0, 0);
      show_row(columns, cells);
    };
  const experiment::ExperimentOutcome outcome =
      experiment::run_experiment(experiment,
                                 {.output = options.output,
                                  .data = data_folder(options),
                                  .engine = {.memory = common.memory, .threads = common.threads}},
                                 progress, on_row);
  progress.report("", 0, 0);
  if (common.json)
    print(fmt::format("{}\n", Json({{"command", "experiment"},
                                    {"name", experiment.name},
                                    {"computed", outcome.computed},
                                    {"kept", outcome.kept},
                                    {"impossible", outcome.impossible},
                                    {"complete", outcome.complete},
                                    {"seconds", watch.seconds()}})
                                  .dump()));
  else
    print(fmt::format("{}: {} points computed ({} impossible), {} were there. {} {}\n", experiment.name,
                      outcome.computed, outcome.impossible, outcome.kept,
                      outcome.complete ? "The results are in" : "Stopped; the same command continues",
                      outcome.table.string()));
  return outcome.complete ? kGood : kStopped;
}

}  // namespace

void add_experiment_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<ExperimentOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand("experiment", "Repeat an experiment of the paper, or one of your own");
  sub->add_option("NAME", options->name, "its name, a .toml file, or `list`")->required();
  sub->add_flag("--quick", options->quick, "the small size, on synthetic people");
  sub->add_option("-o,--out", options->output,
                  "folder of the results; rows that are there are not computed again")
      ->capture_default_str();
  sub->add_option("--data", options->data, "folder of the data sets; else the variable HYOBSCURE_DATA");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure experiment trade-off --quick -o results");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
