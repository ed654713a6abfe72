#include "hyobscure/report/column_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "hyobscure/base/numeric.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

const char* role_name(data::ColumnRole role) {
  switch (role) {
    case data::ColumnRole::Feature:
      return "feature";
    case data::ColumnRole::Kept:
      return "kept";
    case data::ColumnRole::Secret:
      return "secret";
    case data::ColumnRole::Item:
      return "item";
    case data::ColumnRole::Value:
      return "value";
    case data::ColumnRole::Time:
      return "time";
  }
  return "";
}

/// Events of one person may well be unique.
bool is_of_people(data::ColumnRole role) {
  return role == data::ColumnRole::Feature || role == data::ColumnRole::Kept ||
         role == data::ColumnRole::Secret;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string number_or_nothing(double value, const char* form) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(form), value);
}

std::vector<std::string> row_of(const obscure::InspectedColumn& column) {
  const data::ColumnFacts& facts = column.facts;
  return {facts.name,
          role_name(facts.role),
          facts.type.empty() ? "-" : facts.type,
          share_text(share(facts.rows - facts.given, facts.rows), 1),
          count_text(facts.distinct),
          is_of_people(facts.role) ? share_text(share(facts.unique, facts.given), 1) : "-",
          number_or_nothing(facts.smallest, "{:.6g}"),
          number_or_nothing(facts.largest, "{:.6g}"),
          number_or_nothing(column.leakage.bits, "{:.4f}"),
          number_or_nothing(column.leakage.null_bits, "{:.4f}")};
}

std::string refusals_text(const obscure::Inspection& inspection) {
  std::string text;
  bool refused = false;
  for (const auto& [facts, leakage] : inspection.columns) {
    if (facts.identifies.empty()) continue;
    refused = refused || facts.refused();
    text += fmt::format("  {}: \"{}\", because {}\n", facts.allowed ? "allowed" : "refused", facts.name,
                        facts.identifies);
  }
  if (refused)
    text +=
        "  fit and publish refuse such columns until the spec leaves them out or allows them by name "
        "(people.allow_identifying); what follows is without them\n";
  return text;
}

}  // namespace

std::string columns_text(const obscure::Inspection& inspection) {
  if (inspection.columns.empty()) return "";
  TextTable table({"column", "role", "type", "empty", "distinct", "unique", "smallest", "largest",
                   "leaks (bits)", "by chance"});
  for (const obscure::InspectedColumn& column : inspection.columns) table.row(row_of(column));
  std::string text = "\nColumns, and what each by itself leaks about the secret\n" + table.text() +
                     refusals_text(inspection);
  for (const data::ImplausibleSecrets& found : inspection.implausible)
    text += fmt::format(
        "  check: {} {} an implausible \"{}\" ({}); correct it, or leave them out with secret.keep\n",
        count_text(found.people), found.people == 1 ? "person has" : "people have", found.name,
        found.because);
  return text;
}

Json columns_json(const obscure::Inspection& inspection) {
  Json list = Json::array();
  for (const auto& [facts, leakage] : inspection.columns)
    list.push_back({{"name", facts.name},
                    {"role", role_name(facts.role)},
                    {"type", facts.type},
                    {"empty_share", share(facts.rows - facts.given, facts.rows)},
                    {"distinct", facts.distinct},
                    {"unique_share", share(facts.unique, facts.given)},
                    {"smallest", number(facts.smallest)},
                    {"largest", number(facts.largest)},
                    {"leakage_bits", number(leakage.bits)},
                    {"leakage_null_bits", number(leakage.null_bits)},
                    {"leakage_null_deviation_bits", number(leakage.null_deviation_bits)},
                    {"identifies", facts.identifies.empty() ? Json() : Json(facts.identifies)},
                    {"refused", facts.refused()}});
  return list;
}

Json implausible_json(const obscure::Inspection& inspection) {
  Json list = Json::array();
  for (const data::ImplausibleSecrets& found : inspection.implausible)
    list.push_back({{"secret", found.name}, {"people", found.people}, {"because", found.because}});
  return list;
}

}  // namespace hyobscure::report
