#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "cli/command.h"
#include "cli/progress_line.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/terminal.h"
#include "hyobscure/base/version.h"
#include "hyobscure/data/spec/nearest_word.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

std::atomic<bool> stop_requested{false};

/// The first Ctrl-C asks the work to stop; the second one ends the program.
void install_stop_signal() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop_requested.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::atomic<bool> json_asked_for{false};

/// Features of many people are mapped files. Where another process shortens one, or its disk fails, the
/// kernel raises SIGBUS at the next look at it: only what a signal handler may do is possible then.
void tell_of_lost_file(int) {
  constexpr std::string_view kText =
      "hyobscure: a file was shortened, or its disk failed, while it was read. Leave the files of a run "
      "alone, "
      "look at the disk, and run it again.\n";
  constexpr std::string_view kJson =
      "{\"error\":{\"message\":\"a file was shortened, or its disk failed, while it was "
      "read\",\"exit_code\":2}}\n";
  if (json_asked_for) (void)!::write(STDOUT_FILENO, kJson.data(), kJson.size());
  (void)!::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kCorrectInput);
}

void install_lost_file_signal() {
  struct sigaction action{};
  action.sa_handler = tell_of_lost_file;
  sigaction(SIGBUS, &action, nullptr);
}

/// Files that grow beyond a limit (ulimit -f) are a full disk, which is told in words.
void take_file_limits_as_errors() { std::signal(SIGXFSZ, SIG_IGN); }

/// A core file would hold people.
void forbid_core_dumps() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0);  // also where the system hands cores to a program instead of a file
}

/// Every thread's own arena of the C library reserves 128 MB of addresses for a moment. Where addresses are
/// limited (ulimit -v), threads that start together would leave none for each other: they share one arena.
void spare_addresses() {
  rlimit addresses{};
  constexpr rlim_t kPlenty = rlim_t{8} << 30;
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur < kPlenty) ::mallopt(M_ARENA_MAX, 1);
}

void add_commands(CLI::App& app, Command& chosen) {
  add_demo_command(app, chosen);
  add_init_command(app, chosen);
  add_inspect_command(app, chosen);
  add_fit_command(app, chosen);
  add_compare_command(app, chosen);
  add_publish_command(app, chosen);
  add_verify_command(app, chosen);
  add_audit_command(app, chosen);
  add_experiment_command(app, chosen);
  add_studio_command(app, chosen);
  add_synth_command(app, chosen);
  add_keygen_command(app, chosen);
  add_settings_command(app, chosen);
}

/// Where and what may hold names of others, and are one line; the remedy is ours, and may be a list.
std::string lines_of(const InputError& error) {
  const std::string_view text = error.what();
  const std::size_t remedy = text.size() - error.remedy().size();
  return one_line(text.substr(0, remedy)) + for_terminal(text.substr(remedy));
}

int tell_error(const CommonOptions& common, int code, const std::string& text,
               const InputError* input = nullptr) {
  if (common.json) {
    nlohmann::ordered_json error = {{"message", text}, {"exit_code", code}};
    if (input != nullptr) {
      error["source"] = input->place().source;
      error["row"] = input->place().row;
      error["column"] = input->place().column;
      error["problem"] = input->problem();
      error["remedy"] = input->remedy();
    }
    print(fmt::format("{}\n", nlohmann::ordered_json{{"error", error}}.dump(
                                  -1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
  fmt::print(stderr, "hyobscure: {}\n", input != nullptr ? lines_of(*input) : one_line(text));
  return code;
}

/// A mistyped flag is often a key of the spec.
std::string near_flag(const std::vector<std::string>& arguments) {
  std::vector<std::string> keys;
  for (const data::Setting& setting : data::settings()) keys.push_back("--" + setting.full_name());
  for (const std::string& word : arguments)
    if (word.starts_with("--") && std::ranges::find(keys, word) == keys.end())
      if (const auto near = data::nearest_word(word, keys)) return fmt::format("Did you mean {}?", *near);
  return "See --help.";
}

int tell_wrong_usage(const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const bool json = std::ranges::find(arguments, "--json") != arguments.end();
  const InputError input({}, error.what(), near_flag(arguments));
  return tell_error({.json = json}, kCorrectInput, input.what(), &input);
}

/// Help or version, in place of a command.
int show_help(const CLI::App& app, const CLI::ParseError& error) {
  constexpr std::size_t kHelpColumn = 30;
  std::ostringstream text;
  const int code = app.exit(error, text, text);
  print(report::wrapped(text.str(), kHelpColumn));
  return code;
}

/// The standard library, OpenMP's users and the table engine each say it in their own words.
bool is_lack_of_threads(const std::exception& error) {
  const std::string_view text = error.what();
  return text.find("pthread_create") != text.npos ||
         text.find("Resource temporarily unavailable") != text.npos;
}

int run_chosen(const Command& chosen) {
  const CommonOptions& common = chosen.common;
  try {
    const ThreadLimit limit(common.threads);
    ProgressLine line(!common.quiet && !common.json);
    const Progress progress(
        [&](std::string_view stage, double done, double total) { line.report(stage, done, total); },
        &stop_requested, [&](double done, double total) { line.whole(done, total); });
    return chosen.run(common, progress);
  } catch (const InputError& error) {
    return tell_error(common, kCorrectInput, error.what(), &error);
  } catch (const data::EngineError& error) {
    return tell_error(common, kCorrectInput, data::explain(error, "data").what());
  } catch (const Stopped& stopped) {
    return tell_error(common, kStopped, stopped.what());
  } catch (const std::bad_alloc&) {
    return tell_error(common, kCorrectInput,
                      "there is not enough memory. Use fewer clusters, or a larger machine.");
  } catch (const std::filesystem::filesystem_error& error) {
    return tell_error(
        common, kCorrectInput,
        fmt::format("{}: {}. Correct the path.", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    if (is_lack_of_threads(error))
      return tell_error(common, kCorrectInput,
                        "no more threads can be started. Raise the limit (ulimit -u), or use --threads 1.");
    return tell_error(common, kOurFault,
                      fmt::format("this is a fault of hyobscure, please report it: {}", error.what()));
  }
}

int main(int argc, char** argv) {
  spare_addresses();
  CLI::App app{"Publish data about people so that attackers cannot infer what each person keeps private."};
  app.name("hyobscure");
  app.require_subcommand(1);
  app.set_version_flag("--version", version());
  app.footer(
      "Start with `hyobscure demo`. Each command has --help with an example.\n"
      "Exit codes: 0 good, 2 correct the input, 3 usable but weaker than asked, 1 our fault, 130 stopped.");
  Command chosen;
  add_commands(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return show_help(app, error);
    return tell_wrong_usage(error, {argv + 1, argv + argc});
  }
  install_stop_signal();
  json_asked_for = chosen.common.json;
  install_lost_file_signal();
  forbid_core_dumps();
  take_file_limits_as_errors();
  const int code = run_chosen(chosen);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return tell_error({}, kCorrectInput,
                    "the output cannot be written: the disk is full or the reader has gone");
}

}  // namespace
}  // namespace hyobscure::cli

int main(int argc, char** argv) { return hyobscure::cli::main(argc, argv); }
