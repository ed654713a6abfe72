#include "hyobscure/verify/verify_tables.h"

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/source.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using data::Engine;
using data::quoted_name;
using data::quoted_text;

/// Empty text and no text are one in a CSV file.
std::string comparable(const std::string& cell) { return fmt::format("nullif({}, '')", as_text(cell)); }

std::string reader(const published::Manifest& manifest, const fs::path& file, const std::string& options) {
  std::vector<std::string> files;
  for (const fs::path& part : published::parts_of_table(file)) files.push_back(data::quoted_file(part));
  const std::string list = fmt::format("[{}]", fmt::join(files, ", "));
  if (manifest.format == "parquet") return fmt::format("read_parquet({})", list);
  return fmt::format("read_csv({}, header = true, delim = ',', quote = '\"', escape = '\"', {})", list,
                     options);
}

std::string typed_as_text(const std::vector<std::string>& names) {
  std::vector<std::string> columns;
  for (const std::string& name : names) columns.push_back(quoted_text(name) + ": 'VARCHAR'");
  return fmt::format("auto_detect = false, columns = {{{}}}", fmt::join(columns, ", "));
}

void load_table(Engine& engine, const published::Manifest& manifest, const fs::path& file,
                const ReleasedTable& table) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const bool key = table.roles[i] == "id" || table.roles[i] == "label" || table.roles[i] == "person" ||
                     table.roles[i][0] == 's';
    const std::string name = quoted_name(table.names[i]);
    columns.push_back(fmt::format("{} AS {}", key ? as_text(name) : name, table.roles[i]));
  }
  engine.run(fmt::format("CREATE OR REPLACE TEMP {} {} AS SELECT *, {} AS kept FROM (SELECT {} FROM {})",
                         table.is_view ? "VIEW" : "TABLE", table.table, packed(table.kept_cells()),
                         fmt::join(columns, ", "), reader(manifest, file, typed_as_text(table.names))));
}

}  // namespace

std::string as_text(const std::string& cell) { return fmt::format("CAST({} AS VARCHAR)", cell); }

std::string packed(const std::vector<std::string>& cells) {
  if (cells.empty()) return "''";
  std::vector<std::string> parts;
  for (const std::string& cell : cells)
    parts.push_back(fmt::format("coalesce(strlen({0}) || ':' || {0}, '-')", comparable(cell)));
  return fmt::format("{}", fmt::join(parts, " || "));
}

std::string packed_exactly(const std::vector<std::string>& cells) {
  std::vector<std::string> parts;
  for (const std::string& cell : cells)
    parts.push_back(fmt::format("coalesce(strlen({0}) || ':' || {0}, '-')", cell));
  return fmt::format("{}", fmt::join(parts, " || "));
}

std::string table_reader(const published::Manifest& manifest, const fs::path& file) {
  return reader(manifest, file, "all_varchar = true");
}

std::int64_t count(Engine& engine, const std::string& from_where) {
  return engine.integers("SELECT count(*) FROM " + from_where)[0];
}

std::map<std::string, std::int64_t> count_by_label(Engine& engine, const std::string& what,
                                                   const std::string& from) {
  std::map<std::string, std::int64_t> counts;
  engine.query(fmt::format("SELECT coalesce(label, ''), CAST({} AS BIGINT) FROM {} GROUP BY 1", what, from),
               [&](const data::Chunk& chunk) {
                 for (std::size_t row = 0; row < chunk.rows(); ++row)
                   counts[std::string(chunk.text(0, row))] += chunk.integers(1)[row];
               });
  return counts;
}

ReleasedTable people_table(const published::Manifest& manifest) {
  ReleasedTable table{.file = manifest.people_file(), .table = "rel_people", .names = {}, .roles = {}};
  table.add(manifest.columns.id, "id");
  table.add(manifest.columns.secret, "label");
  for (const std::string& column : manifest.columns.parts)
    table.add(column, fmt::format("s{}", table.parts().size()));
  for (const std::string& column : manifest.columns.keep)
    table.add(column, fmt::format("k{}", table.kept_cells().size()));
  for (const std::string& feature : manifest.columns.features)
    table.add(feature, fmt::format("c{}", table.cells().size()));
  return table;
}

ReleasedTable events_table(const published::Manifest& manifest) {
  ReleasedTable table{
      .file = manifest.events_file(), .table = "rel_events", .is_view = true, .names = {}, .roles = {}};
  table.add(manifest.columns.person, "person");
  for (const std::string& name : {manifest.columns.item, manifest.columns.value, manifest.columns.time})
    table.add(name, fmt::format("c{}", table.cells().size()));
  return table;
}

bool check_columns_and_load(Engine& engine, const published::Manifest& manifest, const fs::path& folder,
                            ReleasedTable& table, Findings& findings, const std::function<void()>& look) {
  const NamedCheck name(rule("columns"), table.file);
  const auto fail = [&](const std::string& why) {
    findings.add(name, false, why);
    return false;
  };
  try {
    table.columns = engine.describe(reader(manifest, folder / table.file, "all_varchar = true"));
    std::vector<std::string> found;
    for (const data::Column& column : table.columns) found.push_back(column.name);
    if (found != table.names)
      return fail(fmt::format("{} has {} columns, and not just {}", table.file, found.size(),
                              fmt::join(table.names, ", ")));
    load_table(engine, manifest, folder / table.file, table);
    look();
  } catch (const data::EngineError& error) {
    // Then nothing is known of the release: that is no failed check.
    if (error.lies_with_the_machine()) throw explain(error, (folder / table.file).string());
    return fail(fmt::format("{}: {}", table.file, explain(error, table.file).problem()));
  }
  constexpr std::size_t kListed = 12;  // more names say less than their number
  findings.add(name, true,
               table.names.size() <= kListed ? fmt::format("{}", fmt::join(table.names, ", "))
                                             : fmt::format("{} columns", table.names.size()));
  return true;
}

void check_row_counts(std::int64_t rows, const published::ManifestFile& file, const ReleasedTable& table,
                      Findings& findings) {
  findings.add({rule("rows"), table.file}, rows == file.rows,
               rows == file.rows ? fmt::format("{} rows", rows)
                                 : fmt::format("{} rows, {} declared", rows, file.rows));
}

}  // namespace hyobscure::verify
