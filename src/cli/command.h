#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::cli {

enum ExitCode {
  kGood = 0,
  kOurFault = 1,      ///< a bug
  kCorrectInput = 2,  ///< the message says what to correct
  kWeaker = 3,        ///< usable, but less than was asked for
  kStopped = 130,     ///< Ctrl-C before there was an answer; nothing was written
};

/// What all commands share.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  int threads = 0;
  std::string memory = {};
};

/// A spec file, with keys given as flags.
struct SpecOptions {
  std::string file;
  std::vector<data::Override> overrides;

  data::Spec read() const { return data::read_spec(file, overrides); }
  /// Spec and flags as they were given, for the command that comes next.
  std::string words() const;
  std::string flags() const;
};

/// As a shell takes it for one word.
std::string shell_word(const std::string& text);

/// The chosen command's work. It returns its exit code and has written its answer to standard output.
using Run = std::function<int(const CommonOptions&, const Progress&)>;

struct Command {
  CommonOptions common;
  Run run;
};

/// Runs with these options if the user chose the command. They live as long as the parser's callbacks.
template <class Options>
void when_chosen(CLI::App& command, Command& chosen, const std::shared_ptr<Options>& options,
                 int (*run)(const std::type_identity_t<Options>&, const CommonOptions&, const Progress&)) {
  command.callback([options, run, &chosen] {
    chosen.run = [options, run](const CommonOptions& common, const Progress& progress) {
      return run(*options, common, progress);
    };
  });
}

void add_common_options(CLI::App& command, CommonOptions& common);
void add_spec_options(CLI::App& command, SpecOptions& spec);
/// The keys as flags only, for commands that take the spec file otherwise.
void add_spec_flags(CLI::App& command, SpecOptions& spec);

/// The one way to standard output: what files and manifests hold must not steer the terminal.
void print(std::string_view text);

workflow::Resources resources(const CommonOptions& common);

/// One line a command, each in its own file.
void add_demo_command(CLI::App& app, Command& chosen);
void add_init_command(CLI::App& app, Command& chosen);
void add_inspect_command(CLI::App& app, Command& chosen);
void add_fit_command(CLI::App& app, Command& chosen);
void add_compare_command(CLI::App& app, Command& chosen);
void add_publish_command(CLI::App& app, Command& chosen);
void add_verify_command(CLI::App& app, Command& chosen);
void add_audit_command(CLI::App& app, Command& chosen);
void add_experiment_command(CLI::App& app, Command& chosen);
void add_studio_command(CLI::App& app, Command& chosen);
void add_synth_command(CLI::App& app, Command& chosen);
void add_keygen_command(CLI::App& app, Command& chosen);
void add_settings_command(CLI::App& app, Command& chosen);

}  // namespace hyobscure::cli
