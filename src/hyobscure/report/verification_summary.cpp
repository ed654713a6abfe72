#include <fmt/format.h>

#include "hyobscure/base/json.h"
#include "hyobscure/base/terminal.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

using verify::Mode;

constexpr std::size_t kCheckColumn = 8;  ///< behind "  ok    "

const char* word_of_mode(Mode mode) {
  switch (mode) {
    case Mode::Files:
      return "files";
    case Mode::Original:
      return "original";
    case Mode::Mechanism:
      return "mechanism";
  }
  return "";
}

const char* looked_at(Mode mode) {
  switch (mode) {
    case Mode::Files:
      return "the files alone";
    case Mode::Original:
      return "the files against the original";
    case Mode::Mechanism:
      return "the files against the original and the mechanism";
  }
  return "";
}

const char* how_to_see_more(Mode mode) {
  switch (mode) {
    case Mode::Files:
      return " With --against SPEC and -m MECHANISM more of it is seen.";
    case Mode::Original:
      return " With -m MECHANISM more of it is seen.";
    case Mode::Mechanism:
      return "";
  }
  return "";
}

std::string check_text(const verify::Check& check) {
  const char* word = check.passed ? "ok  " : check.warning ? "note" : "FAIL";
  return wrapped(fmt::format("  {}  {}{}{}\n", word, one_line(check.name), check.detail.empty() ? "" : ": ",
                             one_line(check.detail)),
                 kCheckColumn);
}

std::string not_seen_text(const verify::Verification& verification) {
  std::string text = fmt::format("Looked at {}. This cannot see:\n", looked_at(verification.mode));
  for (const std::string& what : verification.not_seen) text += wrapped(fmt::format("  - {}\n", what), 4);
  return text + wrapped(fmt::format("`hyobscure verify --list-checks` explains each check.{}\n",
                                    how_to_see_more(verification.mode)));
}

std::string looked_at_text(const verify::Verification& verification) {
  return wrapped(fmt::format("Looked at {}.{} -v lists all checks, and what this cannot see.\n",
                             looked_at(verification.mode), how_to_see_more(verification.mode)));
}

// --- the page

std::string table_of_checks(Mode mode) {
  std::string text =
      "\n| check | key | what it covers | what is the matter where it fails |\n| --- | --- | --- | --- |\n";
  for (const verify::CheckRule& rule : verify::kChecks) {
    if (rule.mode != mode) continue;
    std::string name(rule.name);
    if (const auto at = name.find("{}"); at != name.npos) name.replace(at, 2, "*TABLE*");
    text += fmt::format("| {}{} | `{}` | {} | {} |\n", name, rule.warning ? " (a note)" : "", rule.key,
                        rule.covers, rule.on_failure);
  }
  return text;
}

const char* whose(verify::Concerns concerns) {
  switch (concerns) {
    case verify::Concerns::AllReleases:
      return "";
    case verify::Concerns::ThoseWithoutIds:
      return " (where ids are replaced or dropped)";
    case verify::Concerns::ComposedRows:
      return " (of composed rows)";
    case verify::Concerns::ParquetOnly:
      return " (of Parquet)";
  }
  return "";
}

std::string table_of_blind_spots() {
  std::string text = "\n| what is not seen | files | original | mechanism |\n| --- | --- | --- | --- |\n";
  for (const verify::BlindSpot& spot : verify::kBlindSpots) {
    text += fmt::format("| {}{} |", spot.what, whose(spot.concerns));
    for (const Mode mode : {Mode::Files, Mode::Original, Mode::Mechanism})
      text += is_blind(spot, mode) ? " not seen |" : " seen |";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string verification_text(const verify::Verification& verification, bool everything) {
  std::string text;
  std::size_t failed = 0, notes = 0;
  for (const auto& check : verification.checks) {
    if (everything || !check.passed || check.key == "signed-by")
      text += check_text(check);  // who published it
    if (!check.passed) ++(check.warning ? notes : failed);
  }
  text += everything ? not_seen_text(verification) : looked_at_text(verification);
  const std::size_t all = verification.checks.size();
  if (failed > 0) return text + fmt::format("NOT verified: {} of {} checks failed.\n", failed, all);
  if (notes == 0) return text + fmt::format("Verified: all {} checks passed.\n", all);
  return text + fmt::format("Verified: {} of {} checks passed, {} above {} for you to judge.\n", all - notes,
                            all, notes == 1 ? "the note" : fmt::format("the {} notes", notes),
                            notes == 1 ? "is" : "are");
}

std::string verification_json(const verify::Verification& verification, double seconds) {
  Json json = {{"command", "verify"},
               {"passed", verification.passed()},
               {"mode", word_of_mode(verification.mode)},
               {"checks", Json::array()}};
  for (const auto& check : verification.checks)
    json["checks"].push_back({{"key", check.key},
                              {"name", check.name},
                              {"passed", check.passed},
                              {"warning", check.warning},
                              {"detail", check.detail}});
  json["not_seen"] = verification.not_seen;
  json["seconds"] = seconds;
  return json.dump();
}

std::string checks_page() {
  return fmt::format(
      "# What verify checks\n\n"
      "`hyobscure verify RELEASE` looks at the files alone: anyone who gets a release can run it. `--against "
      "SPEC` compares "
      "them with the original, which only the steward has; `-m MECHANISM` also with the mechanism, which is "
      "as private as "
      "the original. Each mode makes the checks of the modes before it. A check that is about something that "
      "a release "
      "does not have (kept columns, places) is left out. `--json` gives the key of each check, and what the "
      "mode "
      "cannot see.\n\n"
      "The first two modes share no code with what wrote the release: their library links only the format of "
      "a "
      "release and the reading of data (`tests/verify_release.cpp` is a program of nothing else). The third "
      "draws the "
      "release once more, in a folder of its own in TMPDIR, and takes the time of a publication.\n\n"
      "Checks that can fail by chance say how often: the odds are bounds that hold for any data and any "
      "number of "
      "people (Hoeffding's), so small releases must be far off before they fail.\n\n"
      "This page is written by `hyobscure verify --list-checks`.\n"
      "\n## The files alone\n{}\n## Against the original\n{}\n## Against original and mechanism\n{}"
      "\n## What a mode cannot see\n{}",
      table_of_checks(Mode::Files), table_of_checks(Mode::Original), table_of_checks(Mode::Mechanism),
      table_of_blind_spots());
}

}  // namespace hyobscure::report
