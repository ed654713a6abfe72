#include "hyobscure/report/static_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

using Row = std::vector<std::string>;

std::string escaped(std::string_view text) {
  std::string html;
  for (const char letter : text) switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  return html;
}

std::string section_html(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format("<section><h2>{}</h2>\n{}</section>\n", escaped(title), body);
}

std::string list_html(const std::vector<std::string>& items) {
  std::string html;
  for (const std::string& item : items) html += fmt::format("<li>{}</li>\n", escaped(item));
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string titled_list(const std::string& title, const std::vector<std::string>& items) {
  return items.empty() ? "" : fmt::format("<h3>{}</h3>\n{}", escaped(title), list_html(items));
}

std::string table_html(const std::string& caption, const Row& header, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string html =
      fmt::format("<div class=\"table\"><table><caption>{}</caption>\n<thead><tr>", escaped(caption));
  for (const std::string& name : header) html += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  html += "</tr></thead>\n<tbody>\n";
  for (const Row& row : rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += fmt::format("<td>{}</td>", escaped(cell));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string number_or_dash(const Json& facts, std::initializer_list<const char*> keys) {
  const auto found = number_at(facts, keys);
  return found ? figure_text(*found) : "not measured";
}

std::string whole_or_dash(const Json& facts, std::initializer_list<const char*> keys) {
  const auto found = number_at(facts, keys);
  return found ? count_text(std::llround(*found)) : "not measured";
}

/// "0.281 (0.25 to 0.31)"
std::string interval_or_dash(const Json& facts, const char* key) {
  const std::string mean = number_or_dash(facts, {key, "mean"});
  const auto low = number_at(facts, {key, "low"}), high = number_at(facts, {key, "high"});
  return low && high ? fmt::format("{} ({} to {})", mean, figure_text(*low), figure_text(*high)) : mean;
}

// --- sections

std::string verdict_section(const Json& facts) {
  std::string body;
  if (const std::string headline = text_at(facts, {"verdict", "headline"}); !headline.empty())
    body += fmt::format("<p><b>{}</b></p>\n", escaped(headline));
  for (const Json& figure : objects_at(facts, {"verdict", "figures"}))
    body += fmt::format("<p><b>{}: {}</b> {}</p>\n", escaped(text_at(figure, {"title"})),
                        escaped(text_at(figure, {"figure"})), escaped(text_at(figure, {"text"})));
  body += titled_list("Against publishing", texts_at(facts, {"verdict", "failed"}));
  body += titled_list("Open, for you to judge", texts_at(facts, {"verdict", "open"}));
  body += titled_list("Passes", texts_at(facts, {"verdict", "passes"}));
  body += titled_list("Not measured", texts_at(facts, {"verdict", "not_measured"}));
  body += titled_list("Not stated by the publisher", texts_at(facts, {"verdict", "not_stated"}));
  return section_html(
      fact(facts, {"comparison"}) == nullptr ? "May this be published?" : "The comparison at a glance", body);
}

/// "ISO/IEC 27559:2022, 7.3.2"
std::string place_of_question(const Json& question) {
  const std::string clause = text_at(question, {"clause"});
  return text_at(question, {"source"}) + (clause.empty() ? "" : ", " + clause);
}

/// Those without an answer first.
std::string evidence_section(const Json& facts) {
  std::vector<std::string> gaps;
  std::vector<Row> rows, techniques;
  for (const Json& question : objects_at(facts, {"evidence", "questions"})) {
    const std::string state = text_at(question, {"state"}), asked = text_at(question, {"question"}),
                      answer = text_at(question, {"answer"});
    if (state.starts_with("not ")) gaps.push_back(fmt::format("{}: {} {}", asked, state, answer));
    rows.push_back({place_of_question(question), asked, state, answer, text_at(question, {"figure"})});
  }
  for (const Json& one : objects_at(facts, {"evidence", "techniques"}))
    techniques.push_back(
        {text_at(one, {"name"}), is_true_at(one, {"used"}) ? "used" : "not used", text_at(one, {"how"})});
  if (rows.empty()) return "";
  return section_html(
      "Evidence", fmt::format("<p>{}</p>\n", escaped(text_at(facts, {"evidence", "headline"}))) +
                      titled_list("Without an answer", gaps) +
                      table_html("All questions; context as stated by the publisher",
                                 {"document", "question", "state", "answer", "figure"}, rows) +
                      table_html("Techniques of ISO/IEC 20889:2018", {"technique", "", "how"}, techniques));
}

const char* word_of_state(CheckState state) {
  switch (state) {
    case CheckState::Passed:
      return "holds";
    case CheckState::Failed:
      return "FAILED";
    case CheckState::Note:
      return "note";
    case CheckState::Open:
      break;
  }
  return "not measured";
}

std::string checks_section(const Json& facts) {
  std::vector<Row> rows;
  for (const CheckState state : {CheckState::Failed, CheckState::Note, CheckState::Open, CheckState::Passed})
    for (const Json& check : objects_at(facts, {"checks"}))
      if (state_of_check(check) == state)
        rows.push_back(
            {word_of_state(state), text_at(check, {"what"}, "unnamed check"), text_at(check, {"detail"})});
  return section_html("Checks of the release",
                      table_html("Failed ones first", {"", "check", "detail"}, rows));
}

std::string groups_section(const Json& facts) {
  std::vector<Row> rows;
  for (const Json& group : objects_at(facts, {"groups"}))
    rows.push_back({text_at(group, {"label"}, "unnamed"), whole_or_dash(group, {"people"}),
                    whole_or_dash(group, {"values"})});
  return section_html("The groups",
                      table_html("What is published in place of the exact " + secret_name(facts),
                                 {"group", "people", "distinct values"}, rows));
}

std::string leakage_rows(const Json& facts) {
  std::vector<Row> rows;
  const auto add = [&](const char* key, const std::string& name) {
    if (fact(facts, {"leakage"}) != nullptr && facts["leakage"].is_object() && facts["leakage"].contains(key))
      rows.push_back({name, number_or_dash(facts, {"leakage", key})});
  };
  add("secret_entropy", "what an exact " + secret_name(facts) + " holds, H(Y)");
  add("total", "what the release leaks in all");
  add("groups", "of it by the groups");
  add("features", "of it by the features, to the informed attacker");
  add("learned", "by the features, to a model trained on other people");
  add("null", "by the features, if values were shuffled within groups");
  add("unprotected", "by true features within the same groups");
  std::string body = table_html("Leakage in bits", {"figure", "bits"}, rows);
  if (const auto bound = number_at(facts, {"leakage", "fano_error_bound"}); bound && *bound > 0)
    body += fmt::format(
        "<p>Fano's bound: no attacker names the exact {} of more than {:.0f} % of the people from "
        "this release.</p>\n",
        escaped(secret_name(facts)), std::min(100.0, std::ceil(100 * (1 - *bound) - 1e-9)));
  return body;
}

/// Attackers who look for a person's row.
std::string row_attacks_tables(const Json& facts) {
  std::vector<Row> known, matching;
  for (const Json& one : objects_at(facts, {"audit", "known_entries", "of"}))
    known.push_back({whole_or_dash(one, {"known"}), interval_or_dash(one, "own_row"),
                     interval_or_dash(one, "rest_true"), interval_or_dash(one, "rest_true_random")});
  if (const Json* found = fact(facts, {"audit", "matching"}))
    for (const auto& [name, key, control] :
         {std::tuple{"probability that the row under the id is nearer than another", "auc", "shuffled_auc"},
          std::tuple{"it is the nearest of all", "nearest", "shuffled_nearest"},
          std::tuple{"it is the person's own row", "own_row", "shuffled_own_row"}})
      matching.push_back({name, interval_or_dash(*found, key), interval_or_dash(*found, control)});
  return table_html("Known entries: shares of people, and of the other entries of the row that was found",
                    {"known entries", "own true row found", "other entries true", "of a random row"}, known) +
         table_html("Matching of a person's whole true row",
                    {"figure", "on the release", "ids shuffled in the group"}, matching);
}

std::string attacks_section(const Json& facts) {
  std::vector<Row> rows;
  for (const Json& attack : objects_at(facts, {"audit", "attacks"})) {
    const std::string scenario = text_at(attack, {"scenario"});
    rows.push_back({text_at(attack, {"attacker"}, "unnamed attacker") +
                        (scenario.empty() ? "" : ", scenario " + scenario),
                    interval_or_dash(attack, "published"), interval_or_dash(attack, "unobscured"),
                    interval_or_dash(attack, "group_only"), interval_or_dash(attack, "advantage")});
  }
  std::string body = table_html(
      fmt::format("{} with its 95 % interval", text_at(facts, {"audit", "error"}, "error")),
      {"attack", "on the release", "on true features", "guess from the group alone", "gain over that guess"},
      rows);
  if (fact(facts, {"audit", "informed"}) != nullptr)
    body += fmt::format(
        "<p>Informed attacker (knows all rows, secrets and the channel, not which row is the target's): "
        "error {}; "
        "with the group alone {}.</p>\n",
        number_or_dash(facts, {"audit", "informed", "error"}),
        number_or_dash(facts, {"audit", "informed", "group_only"}));
  return section_html("What attackers achieve", body + row_attacks_tables(facts));
}

std::string row_attacks_section(const Json& facts) {
  std::vector<Row> found;
  for (const Json& entries : objects_at(facts, {"audit", "known_entries", "of"}))
    found.push_back({number_or_dash(entries, {"known"}), interval_or_dash(entries, "own_row"),
                     interval_or_dash(entries, "one_fits_absent"), interval_or_dash(entries, "rest_true"),
                     interval_or_dash(entries, "rest_true_random")});
  std::vector<Row> matched;
  if (const Json* matching = fact(facts, {"audit", "matching"}))
    for (const auto& [name, key, control] :
         {std::array{"AUC", "auc", "shuffled_auc"},
          std::array{"the nearest row is the one under the id", "nearest", "shuffled_nearest"},
          std::array{"the row under the id is the person's own", "own_row", "shuffled_own_row"}})
      matched.push_back({name, interval_or_dash(*matching, key), interval_or_dash(*matching, control)});
  std::string body;
  if (!found.empty())
    body += table_html(
        "The attacker knows some entries of a person and takes the published row that fits best",
        {"known entries", "the one best row is the person's own", "one row fits people who are absent",
         "rest of that row true", "rest of a random row of the group true"},
        found);
  if (!matched.empty())
    body += table_html("The attacker has a person's whole true row",
                       {"figure", "release", "ids shuffled within the group"}, matched);
  return section_html("Whether a person's row is found", body);
}

std::string uses_section(const Json& facts) {
  std::vector<Row> rows;
  for (const Json& use : objects_at(facts, {"audit", "utilities"}))
    rows.push_back({text_at(use, {"name"}, "a use"), text_at(use, {"measure"}), text_at(use, {"better"}),
                    interval_or_dash(use, "published"), interval_or_dash(use, "unobscured"),
                    interval_or_dash(use, "baseline")});
  return section_html(
      "What the data are still good for",
      table_html("With the release, with true features, with no features",
                 {"use", "measure", "better", "release", "true features", "no features"}, rows) +
          titled_list("Notes on the audit", texts_at(facts, {"audit", "notes"})));
}

std::string curves_section(const Json& facts) {
  std::vector<Row> rows;
  for (const Json& curve : objects_at(facts, {"frontier"}))
    for (const Json& point : objects_at(curve, {"points"}))
      rows.push_back({text_at(curve, {"method"}, "unnamed method"), number_or_dash(point, {"budget"}),
                      number_or_dash(point, {"distance"}), number_or_dash(point, {"leakage"}),
                      number_or_dash(point, {"features"})});
  return section_html("Leakage and budget",
                      table_html("Leakage by method and budget, in bits",
                                 {"method", "budget", "distance", "in all", "by the features"}, rows));
}

std::string left_out_section(const Json& facts) {
  std::vector<std::string> items;
  for (const Json& reason : objects_at(facts, {"data", "left_out"}))
    items.push_back(
        fmt::format("{} people: {}", whole_or_dash(reason, {"people"}), text_at(reason, {"why"})));
  for (const Json& reason : objects_at(facts, {"data", "events_left_out"}))
    items.push_back(
        fmt::format("{} events: {}", whole_or_dash(reason, {"events"}), text_at(reason, {"why"})));
  return section_html("Left out of the release", list_html(items));
}

std::string settings_section(const Json& facts) {
  std::vector<Row> rows;
  for (const Json& setting : objects_at(facts, {"settings"}))
    if (is_true_at(setting, {"given"})) {
      const Json* value = fact(setting, {"value"});
      rows.push_back({text_at(setting, {"key"}), value == nullptr     ? "not set"
                                                 : value->is_string() ? value->get<std::string>()
                                                                      : value->dump()});
    }
  return section_html("Settings given",
                      table_html("All others have their defaults", {"setting", "value"}, rows));
}

}  // namespace

std::string static_page(const Json& facts) {
  std::string html =
      fmt::format("<h2>{}</h2>\n", escaped(text_at(facts, {"title"}, "Report on a protected release")));
  html += fmt::format("<p class=\"private\">{}</p>\n", escaped(text_at(facts, {"notice"})));
  html += "<p>Scripts are off: this page shows its facts as text and tables, without charts.</p>\n";
  html += verdict_section(facts) + evidence_section(facts) + checks_section(facts) + groups_section(facts) +
          section_html("How much the release leaks", leakage_rows(facts)) + attacks_section(facts) +
          row_attacks_section(facts) + uses_section(facts) + curves_section(facts) + left_out_section(facts) +
          settings_section(facts);
  return html + section_html("Limits of the protection", list_html(texts_at(facts, {"limits"})));
}

}  // namespace hyobscure::report
