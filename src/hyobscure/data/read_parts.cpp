#include "hyobscure/data/read_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace hyobscure::data {
namespace {

/// Several events of one person and item become one entry.
class EntryMerger {
 public:
  explicit EntryMerger(const Spec& spec)
      : rule_(spec.events.repeated != "auto" ? spec.events.repeated
              : spec.events.value.empty()    ? "sum"
                                             : "refuse") {}

  double merge(double first, double next, std::size_t so_far) const {
    if (rule_ == "sum") return first + next;
    if (rule_ == "max") return std::max(first, next);
    if (rule_ == "mean") return first + (next - first) / static_cast<double>(so_far + 1);
    throw RepeatedEvents();
  }

 private:
  std::string rule_;
};

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

SparseRows fetch_rows(Engine& engine, const Spec& spec, std::size_t people, const std::string& entries) {
  engine.run(
      "CREATE OR REPLACE TEMP TABLE hyo_items AS SELECT item, row_number() OVER (ORDER BY item) - 1 AS i "
      "FROM (SELECT "
      "DISTINCT item FROM " +
      entries + ")");
  SparseRows rows;
  rows.columns = static_cast<std::size_t>(engine.integers("SELECT count(*) FROM hyo_items")[0]);
  const EntryMerger merger(spec);
  std::size_t repeats = 1;
  std::uint32_t last_item = 0;
  const auto open_entry = [&](std::uint32_t item, double value) {
    rows.items.push_back(item);
    rows.values.push_back(value);
    repeats = 1;
    last_item = item;
  };
  engine.query(fmt::format("SELECT u, i, CAST(value AS DOUBLE) FROM {} JOIN hyo_items USING (item) WHERE "
                           "value IS NOT NULL ORDER BY ALL",
                           entries),
               [&](const Chunk& chunk) {
                 const auto person = chunk.integers(0), item = chunk.integers(1);
                 const auto value = chunk.doubles(2);
                 for (std::size_t r = 0; r < chunk.rows(); ++r) {
                   while (rows.size() < static_cast<std::size_t>(person[r])) rows.end_row();
                   const auto this_item = static_cast<std::uint32_t>(item[r]);
                   if (rows.items.size() > rows.starts.back() && last_item == this_item)
                     rows.values.writable().back() = merger.merge(rows.values.back(), value[r], repeats++);
                   else
                     open_entry(this_item, value[r]);
                 }
               });
  while (rows.size() < people) rows.end_row();
  return rows;
}

}  // namespace hyobscure::data
