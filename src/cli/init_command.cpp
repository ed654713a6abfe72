// hyobscure init people.csv events.csv -o spec.toml

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/files_to_start_from.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/spec/nearest_word.h"
#include "hyobscure/obscure/fit/recommendation.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

struct InitOptions {
  FilesToStartFrom files;
  std::string output = "spec.toml";
  bool yes = false, force = false;
  bool care_given = false;
};

struct Choice {
  std::string word, means;
};

/// The place of a number from 1, or of a word; none where it is neither.
std::optional<std::size_t> place_of(const std::string& answer, const std::vector<Choice>& choices) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  if (error == std::errc{} && end == answer.data() + answer.size() && number >= 1 && number <= choices.size())
    return number - 1;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (lower_case(choices[i].word) == lower_case(answer)) return i;
  return std::nullopt;
}

/// An empty answer takes the usual one.
std::string ask(const std::string& question, const std::vector<Choice>& choices, std::size_t usual) {
  std::size_t widest = 0;
  for (const Choice& choice : choices) widest = std::max(widest, choice.word.size());
  print("\n" + question + "\n");
  std::vector<std::string> words;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    print(fmt::format("  {:>2}  {:<{}}  {}\n", i + 1, choices[i].word, widest, choices[i].means));
    words.push_back(choices[i].word);
  }
  for (;;) {
    print(fmt::format("Number or name [{}]: ", choices[usual].word));
    std::fflush(stdout);
    std::string answer;
    if (!std::getline(std::cin, answer)) throw Stopped();
    if (answer.empty()) return choices[usual].word;
    if (const auto place = place_of(answer, choices)) return choices[*place].word;
    const auto near = data::nearest_word(answer, words);
    print(near ? fmt::format("There is no {}. Did you mean {}?\n", answer, *near)
               : fmt::format("There is no {}.\n", answer));
  }
}

std::string ask_for_secret(const std::vector<data::SecretCandidate>& columns) {
  std::vector<Choice> choices;
  for (const data::SecretCandidate& column : columns)
    choices.push_back({column.name, column.holds + (choices.empty() ? ": the likeliest" : "")});
  return ask("What may nobody be able to infer about a person?", choices, 0);
}

std::string ask_for_care() {
  std::vector<Choice> choices;
  for (const obscure::Care& care : obscure::kCares) choices.push_back({care.name, care.means});
  return ask("How far may published features be from the true ones?", choices, 1);
}

bool can_ask(const InitOptions& options, const CommonOptions& common) {
  return !options.yes && !common.json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

std::string summary(const workflow::StartingSpec& start, const InitOptions& options) {
  const data::Spec& spec = start.guess.spec;
  std::string text = fmt::format("{} people; nobody may infer {} ({})\n", report::count_text(start.people),
                                 spec.people.secret.text(), start.guess.reasons.at("people.secret"));
  text += spec.is_long() ? fmt::format("Published: events, {} by {}\n", spec.events.person, spec.events.item)
                         : fmt::format("Published: {}\n", fmt::join(spec.people.features, ", "));
  for (const data::ColumnLeftOut& column : start.guess.left_out)
    text += fmt::format("Not published: {} ({})\n", column.name, column.because);
  return report::wrapped(text, 2) +
         fmt::format(
             "Wrote {}: read it, each guess has its reason beside it\nNext: hyobscure fit {} -o "
             "mechanism.json\n",
             options.output, shell_word(options.output));
}

std::string summary_json(const workflow::StartingSpec& start, const InitOptions& options) {
  nlohmann::ordered_json json = {{"command", "init"},
                                 {"spec", options.output},
                                 {"people", start.people},
                                 {"id", start.guess.spec.people.id},
                                 {"secret", start.guess.spec.people.secret.all},
                                 {"reasons", start.guess.reasons}};
  json["not_published"] = nlohmann::ordered_json::array();
  for (const data::ColumnLeftOut& column : start.guess.left_out)
    json["not_published"].push_back({{"column", column.name}, {"because", column.because}});
  return json.dump() + "\n";
}

int run(const InitOptions& given, const CommonOptions& common, const Progress& progress) {
  InitOptions options = given;
  check_output_file(options.output, options.force);
  const bool asks = can_ask(options, common);
  if (asks && !options.care_given) options.files.care = ask_for_care();
  const auto choose = [&](const std::vector<data::SecretCandidate>& columns) {
    progress.report("", 0, 0);  // the line of progress makes room
    return ask_for_secret(columns);
  };
  const workflow::StartingSpec start =
      start_from(options.files, options.output, asks ? data::ChooseSecret(choose) : data::ChooseSecret(),
                 common, progress);
  progress.report("", 0, 0);
  write_file(options.output, start.toml, FileAccess::Everyone);
  print(common.json ? summary_json(start, options) : summary(start, options));
  return kGood;
}

}  // namespace

void add_init_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<InitOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub =
      app.add_subcommand("init", "Write a first spec for your files, with the reason for each guess");
  sub->add_option("PEOPLE", options->files.people, "table of people, one row each")->required();
  sub->add_option("EVENTS", options->files.events,
                  "table of what they did, many rows each; absent: the "
                  "features are columns of the people");
  sub->add_option("-o,--out", options->output, "spec file to write")->capture_default_str();
  add_start_options(*sub, options->files);
  sub->get_option("--care")->each([options](const std::string&) { options->care_given = true; });
  sub->add_flag("-y,--yes", options->yes, "ask nothing on a terminal; take what is likeliest");
  sub->add_flag("--force", options->force, "replace an existing file");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure init people.csv events.csv --secret age");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
