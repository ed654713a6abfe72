#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "hyobscure/base/terminal.h"
#include "hyobscure/obscure/methods/settings.h"

namespace hyobscure::cli {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const obscure::Method& method : obscure::methods()) names.push_back(method.name);
  return names;
}

}  // namespace

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-./,:=+@%").find(letter) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string SpecOptions::flags() const {
  std::string text;
  for (const data::Override& key : overrides)
    text += fmt::format(" {} {}", key.flag.empty() ? "--" + key.name : key.flag, shell_word(key.text));
  return text;
}

std::string SpecOptions::words() const { return shell_word(file) + flags(); }

void print(std::string_view text) {
  const std::string shown = for_terminal(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void add_common_options(CLI::App& command, CommonOptions& common) {
  command.add_flag("--json", common.json, "print one JSON object instead of text");
  command.add_flag("-q,--quiet", common.quiet, "show no progress");
  command
      .add_option("--threads", common.threads,
                  "threads to use (default: all cores); the result does not depend on it")
      ->check(CLI::Range(0, 1024));
  command
      .add_option("--memory", common.memory,
                  "memory for the whole program, such as 2GB; what exceeds it goes to files")
      ->check(CLI::Validator(
          [](std::string& text) {
            char* unit = nullptr;
            const double amount = std::strtod(text.c_str(), &unit);
            static const std::set<std::string> kUnits = {"KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"};
            return amount > 0 && kUnits.contains(unit) ? ""
                                                       : "expected an amount of memory, such as 2GB or 500MB";
          },
          "AMOUNT"));
}

void add_spec_flags(CLI::App& command, SpecOptions& spec) {
  const auto add = [&](const std::string& flag, const std::string& key, const std::string& help,
                       const std::string& group) {
    command
        .add_option_function<std::string>(
            flag,
            [&spec, key, flag](const std::string& text) { spec.overrides.push_back({key, text, flag}); },
            help)
        ->group(group);
  };
  const std::string kShort = "Often used keys of the spec (every key is a flag too: --groups.people 100,400)";
  add("--budget", "channel.budget",
      "largest expected distance, or such as \"at most 2 % of rating RMSE\" (channel.budget)", kShort);
  add("--clusters", "channel.clusters", "clusters of people (channel.clusters)", kShort);
  add("--groups", "groups.count", "number of groups (groups.count)", kShort);
  add("--method", "method.name", fmt::format("{} (method.name)", fmt::join(method_names(), ", ")), kShort);
  add("--seed", "method.seed", "repeatable draws, for trials only (method.seed)", kShort);
  for (const data::Setting& setting : obscure::settings())
    add("--" + setting.full_name(), setting.full_name(), setting.help, "");
}

void add_spec_options(CLI::App& command, SpecOptions& spec) {
  command.add_option("SPEC", spec.file, "spec file (TOML); see docs/settings.md")->required();
  add_spec_flags(command, spec);
}

workflow::Resources resources(const CommonOptions& common) {
  return {.memory = common.memory, .threads = common.threads};
}

}  // namespace hyobscure::cli
