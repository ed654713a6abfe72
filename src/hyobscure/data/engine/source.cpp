#include "hyobscure/data/engine/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/engine/compressed.h"
#include "hyobscure/data/spec/nearest_word.h"

namespace hyobscure::data {
namespace {

namespace fs = std::filesystem;

SourceKind kind_by_name(const SourceSpec& source) {
  static const std::map<std::string, SourceKind> kExtensions = {
      {".parquet", SourceKind::Parquet}, {".pq", SourceKind::Parquet},  {".json", SourceKind::Json},
      {".jsonl", SourceKind::Json},      {".ndjson", SourceKind::Json}, {".duckdb", SourceKind::DuckDb},
      {".ddb", SourceKind::DuckDb}};
  switch (source.format) {
    case FileFormat::Auto:
      break;
    case FileFormat::Csv:
      return SourceKind::Csv;
    case FileFormat::Parquet:
      return SourceKind::Parquet;
    case FileFormat::Json:
      return SourceKind::Json;
    case FileFormat::DuckDb:
      return SourceKind::DuckDb;
  }
  fs::path name = lower_case(source.file);
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const auto found = kExtensions.find(name.extension().string());
  return found == kExtensions.end() ? SourceKind::Csv : found->second;
}

fs::path path_of_source(const Spec& spec, const SourceSpec& source) {
  return fs::path(source.file).is_absolute() ? fs::path(source.file) : spec.folder / source.file;
}

/// A file of exactly this name goes first.
bool names_many(const fs::path& file) { return is_pattern(file.filename().string()) && !fs::exists(file); }

void check_file(const fs::path& file, const std::string& as_written) {
  const fs::path folder = fs::path(as_written).parent_path();
  if (!fs::exists(file) && is_pattern(folder.string()) && !fs::exists(file.parent_path()))
    throw InputError({.source = file.string()}, "there is no such folder, and it is no pattern",
                     "Only the last part of a path may be a pattern, such as part-*.csv: name one folder.");
  if (names_many(file)) return;
  if (!fs::exists(file))
    throw InputError({.source = file.string()}, "there is no such file",
                     "Correct the path; relative paths start at the folder of the spec.");
  if (!fs::is_regular_file(file))
    throw InputError({.source = file.string()}, "this is not a file",
                     "Name a file, or a pattern such as part-*.csv.");
  if (fs::file_size(file) == 0)
    throw InputError({.source = file.string()}, "the file is empty", "Check how it was made.");
  check_compressed_file_is_whole(file);
}

std::string files_to_read(const fs::path& file) {
  return names_many(file) ? quoted_pattern(file) : quoted_file(file);
}

/// The empty cell is one of them.
std::string list_of_nulls(const SourceSpec& source) {
  std::string list = "''";
  for (const std::string& null : source.nulls) list += ", " + quoted_text(null);
  return list;
}

std::string csv_call(const SourceSpec& source, const fs::path& file, bool header, bool all_text) {
  return fmt::format("read_csv({}, header = {}, all_varchar = {}{})", files_to_read(file), header, all_text,
                     csv_options(source, all_text));
}

/// Everything is read as text; numbers with a comma become numbers with a point here.
std::string with_points(const std::string& sql, const std::vector<Column>& columns) {
  std::vector<std::string> replaced;
  for (const Column& column : columns)
    if (column.type == "DOUBLE")
      replaced.push_back(fmt::format("replace({0}, ',', '.') AS {0}", quoted_name(column.name)));
  if (replaced.empty()) return sql;
  return fmt::format("(SELECT * REPLACE ({}) FROM {})", fmt::join(replaced, ", "), sql);
}

std::string without_semicolon(std::string query) {
  while (!query.empty() &&
         (query.back() == ';' || std::isspace(static_cast<unsigned char>(query.back())) != 0))
    query.pop_back();
  return query;
}

std::string relation_sql(Engine& engine, const SourceSpec& source, const fs::path& file, SourceKind kind,
                         const std::string& section) {
  switch (kind) {
    case SourceKind::Csv:
      return csv_call(source, file, source.header, true);
    case SourceKind::Parquet:
      return fmt::format("read_parquet({})", files_to_read(file));
    case SourceKind::Json:
      return fmt::format("read_json({}, format = 'newline_delimited')", files_to_read(file));
    case SourceKind::DuckDb:
      if (source.table.empty())
        throw InputError({.source = file.string()}, "a DuckDB file needs the name of a table",
                         fmt::format("Set {}.table.", section));
      engine.run(
          fmt::format("ATTACH IF NOT EXISTS {} AS {}_file (READ_ONLY)", quoted_text(file.string()), section));
      return fmt::format("{}_file.{}", section, quoted_name(source.table));
    case SourceKind::Query:
      break;
  }
  engine.check_is_one_statement(source.query);
  return "(" + without_semicolon(source.query) + "\n)";  // in parentheses only a SELECT can stand
}

/// Only a SELECT can be described: what is valid SQL by itself and not here is something else.
std::vector<Column> columns_of_query(Engine& engine, const std::string& query) {
  try {
    return engine.describe_query(query);
  } catch (const EngineError& error) {
    if (error.private_text().find("syntax error") == std::string::npos) throw;
    throw EngineError(EngineError::Kind::Statement, "it is not a SELECT");
  }
}

std::vector<std::string> repeated_names(const std::vector<Column>& columns) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (++seen[lower_case(column.name)] == 2) names.push_back(lower_case(column.name));
  return names;
}

/// DuckDB renames the second of two equal names; the header itself tells.
std::vector<std::string> duplicate_names(Engine& engine, const SourceSpec& source, const fs::path& file) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  engine.query("SELECT * FROM " + csv_call(source, file, false, true) + " LIMIT 1", [&](const Chunk& chunk) {
    if (chunk.rows() == 0) return;
    const std::size_t columns = chunk.columns();
    for (std::size_t column = 0; column < columns; ++column)
      if (!chunk.is_null(column, 0) && ++seen[lower_case(std::string(chunk.text(column, 0)))] == 2)
        names.push_back(lower_case(std::string(chunk.text(column, 0))));
  });
  return names;
}

}  // namespace

std::string csv_options(const SourceSpec& source, bool all_text) {
  std::string options = ", quote = '\"', escape = '\"'";
  if (!source.delimiter.empty()) options += fmt::format(", delim = {}", quoted_text(source.delimiter));
  if (source.encoding != TextEncoding::Utf8)
    options += fmt::format(", encoding = {}", quoted_text(word(source.encoding)));
  if (!source.nulls.empty()) options += fmt::format(", nullstr = [{}]", list_of_nulls(source));
  if (source.decimal == DecimalMark::Comma && !all_text) options += ", decimal_separator = ','";
  return options;
}

std::string Relation::column(const std::string& wanted) const {
  const std::string low = lower_case(wanted);
  const auto same = [&](const Column& column) { return lower_case(column.name) == low; };
  if (std::ranges::find(duplicate_names, low) != duplicate_names.end())
    throw InputError({.source = name, .column = wanted}, "there are two columns so named",
                     "Rename one of them.");
  const auto found = std::ranges::find_if(columns, same);
  if (found != columns.end()) return quoted_name(found->name);
  // Only a name that is nearly the wanted one is shown: without a header, "names" may be somebody's cells.
  std::vector<std::string> names;
  for (const Column& known : columns) names.push_back(known.name);
  const auto near = nearest_word(wanted, names);
  throw InputError(
      {.source = name, .column = wanted},
      fmt::format("there is no such column; there {} {}", columns.size() == 1 ? "is" : "are", columns.size()),
      (near ? fmt::format("Did you mean \"{}\"? ", *near) : "") +
          "Correct the name; for a CSV file check also `delimiter` and `header`.");
}

SourceKind kind_of_source(const SourceSpec& source) {
  return source.query.empty() ? kind_by_name(source) : SourceKind::Query;
}

void check_source_file(const Spec& spec, const SourceSpec& source) {
  check_file(path_of_source(spec, source), source.file);
}

const std::string& Relation::type(const std::string& wanted) const {
  const std::string quoted = column(wanted);
  return std::ranges::find_if(columns, [&](const Column& known) { return quoted_name(known.name) == quoted; })
      ->type;
}

Relation open_source(Engine& engine, const Spec& spec, const SourceSpec& source, const std::string& section) {
  Relation relation;
  if (!source.query.empty()) {
    relation.kind = SourceKind::Query;
    relation.name = section + ".query";
    about(relation, [&] {
      relation.sql = relation_sql(engine, source, {}, relation.kind, section);
      relation.columns = columns_of_query(engine, without_semicolon(source.query));
      relation.duplicate_names = repeated_names(relation.columns);
    });
    return relation;
  }
  const fs::path file = path_of_source(spec, source);
  relation.kind = kind_of_source(source);
  relation.name = file.string();
  check_file(file, source.file);
  about(relation, [&] {
    const fs::path absolute = fs::absolute(file);
    relation.sql = relation_sql(engine, source, absolute, relation.kind, section);
    const bool csv = relation.kind == SourceKind::Csv;
    relation.columns = engine.describe(csv ? csv_call(source, absolute, source.header, false) : relation.sql);
    if (csv && source.header) relation.duplicate_names = duplicate_names(engine, source, absolute);
    if (csv && source.decimal == DecimalMark::Comma)
      relation.sql = with_points(relation.sql, relation.columns);
  });
  return relation;
}

}  // namespace hyobscure::data
