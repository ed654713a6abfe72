#include "hyobscure/data/read/read_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hyobscure::data {
namespace {

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double mean(std::span<const double> values) {
  double mean = values[0];
  for (std::size_t n = 1; n < values.size(); ++n) mean += (values[n] - mean) / static_cast<double>(n + 1);
  return mean;
}

}  // namespace

std::string as_text(const std::string& column) { return fmt::format("CAST({} AS VARCHAR)", column); }

std::string as_number(const std::string& column, const std::string& type) {
  static const std::vector<std::string> kNumbers = {"TINYINT", "SMALLINT", "INTEGER",   "BIGINT",
                                                    "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                                                    "UBIGINT", "FLOAT",    "DOUBLE",    "BOOLEAN"};
  const bool number = std::ranges::find(kNumbers, type) != kNumbers.end() || type.starts_with("DECIMAL");
  if (number) return fmt::format("CAST({} AS DOUBLE)", column);
  return fmt::format("TRY_CAST({} AS DOUBLE)", type == "VARCHAR" ? column : as_text(column));
}

std::string stored_type(const Relation& relation, const std::string& column) {
  const std::string& type = relation.type(column);
  return relation.kind == SourceKind::Csv ? "VARCHAR" : type;
}

std::size_t first_row(Engine& engine, const Relation& relation, const std::string& projection,
                      const std::string& condition) {
  return static_cast<std::size_t>(engine.integers(fmt::format(
      "SELECT min(r) FROM (SELECT row_number() OVER () AS r, * FROM (SELECT {} FROM {})) WHERE {}",
      projection, relation.sql, condition))[0]);
}

std::string exact_number(double number) { return fmt::format("CAST('{:.17g}' AS DOUBLE)", number); }

std::string plural(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

RepeatedEvent rule_of(const Spec& spec) {
  if (spec.events.repeated != RepeatedEvent::Auto) return spec.events.repeated;
  return spec.events.value.empty() ? RepeatedEvent::Sum : RepeatedEvent::Refuse;
}

RowCollector::Merge merge_of(const Spec& spec) {
  const RepeatedEvent rule = rule_of(spec);
  if (rule == RepeatedEvent::Sum) return sum;
  if (rule == RepeatedEvent::Max) return [](std::span<const double> values) { return values.back(); };
  if (rule == RepeatedEvent::Mean) return mean;
  return [](std::span<const double>) -> double { throw RepeatedEvents(); };
}

}  // namespace hyobscure::data
