#include "hyobscure/data/guess/seen_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <set>
#include <string_view>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"

namespace hyobscure::data {
namespace {

namespace fs = std::filesystem;

/// What people write where nothing is known.
constexpr std::array kNulls = {"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "-", "--", "?", "."};
constexpr std::int64_t kMostCountedExactly = 500'000;  // rows
constexpr double kMostlyNumbers = 0.9;
constexpr double kManyHaveSeveralWords = 0.2;

Spec spec_with(const fs::path& folder, const SourceSpec& source) {
  Spec spec;
  spec.folder = folder;
  spec.people.source = source;
  return spec;
}

// --- letters

/// How many bytes follow the first of a letter in UTF-8; -1: it begins none.
int bytes_that_follow(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  if (first >= 0xF0 && first < 0xF5) return 3;
  return -1;
}

bool is_utf8(std::istream& stream) {
  int missing = 0;
  std::array<char, 1 << 16> part;
  while (stream.read(part.data(), part.size()), stream.gcount() > 0)
    for (std::streamsize i = 0; i < stream.gcount(); ++i) {
      const auto byte = static_cast<unsigned char>(part[static_cast<std::size_t>(i)]);
      if (missing > 0) {
        if ((byte & 0xC0) != 0x80) return false;
        missing -= 1;
      } else if ((missing = bytes_that_follow(byte)) < 0) {
        return false;
      }
    }
  return missing == 0;
}

bool is_compressed(const std::string& file) {
  const std::string low = lower_case(file);
  return low.ends_with(".gz") || low.ends_with(".zst");
}

void find_encoding(const fs::path& file, SeenSource& seen) {
  if (is_compressed(file.string())) return;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 2> mark = {};
  stream.read(mark.data(), mark.size());
  const std::string_view begins(mark.data(), mark.size());
  if (begins == "\xFF\xFE" || begins == "\xFE\xFF") {
    seen.source.encoding = TextEncoding::Utf16;
    seen.reasons["encoding"] = "by the first two bytes";
    return;
  }
  stream.clear();
  stream.seekg(0);
  if (is_utf8(stream)) return;
  seen.source.encoding = TextEncoding::Latin1;
  seen.reasons["encoding"] = "the file is no UTF-8";
}

// --- lines

std::vector<std::string> first_line(Engine& engine, const Relation& without_header) {
  std::vector<std::string> cells;
  engine.query("SELECT * FROM " + without_header.sql + " LIMIT 1", [&](const Chunk& chunk) {
    for (std::size_t column = 0; chunk.rows() > 0 && column < chunk.columns(); ++column)
      cells.emplace_back(chunk.is_null(column, 0) ? "" : chunk.text(column, 0));
  });
  return cells;
}

/// Names are all there, all different, and none is a number or a date.
bool are_names(const std::vector<std::string>& cells) {
  const std::set<std::string> different(cells.begin(), cells.end());
  return different.size() == cells.size() && std::ranges::all_of(cells, [](const std::string& cell) {
           return !cell.empty() && cell.size() <= 64 &&
                  std::isdigit(static_cast<unsigned char>(cell[0])) == 0 && cell[0] != '-' && cell[0] != '.';
         });
}

void find_lines(Engine& engine, const fs::path& folder, const std::string& section, SeenSource& seen) {
  const std::string file = quoted_file(fs::absolute(folder / seen.source.file));
  const std::string encoding = seen.source.encoding == TextEncoding::Utf8
                                   ? ""
                                   : fmt::format(", encoding = {}", quoted_text(word(seen.source.encoding)));
  engine.query(
      fmt::format("SELECT Delimiter FROM sniff_csv({}, quote = '\"', escape = '\"'{})", file, encoding),
      [&](const Chunk& chunk) {
        if (chunk.rows() > 0 && chunk.text(0, 0) != ",")
          seen.source.delimiter = std::string(chunk.text(0, 0));
      });
  if (!seen.source.delimiter.empty()) seen.reasons["delimiter"] = "what lines are cut by";
  SourceSpec headless = seen.source;
  headless.header = false;
  const Spec spec = spec_with(folder, headless);
  const Relation relation = open_source(engine, spec, headless, section);
  if (are_names(first_line(engine, relation))) return;
  seen.source.header = false;
  seen.reasons["header"] = "the first line does not look like names";
}

// --- cells that are none

/// How many cells of a column are numbers, how many are not, and which of what usually means nothing occur.
struct TextCells {
  std::int64_t numbers = 0, others = 0, with_comma = 0;
  std::vector<std::string> nulls;
};

TextCells count_texts(Engine& engine, const Relation& relation, const std::string& column) {
  const std::string cell = relation.column(column);
  std::string null_counts;
  std::vector<std::string> quoted;
  for (const char* null : kNulls) {
    quoted.push_back(quoted_text(null));
    null_counts += fmt::format(", count_if({} = {})::BIGINT", cell, quoted.back());
  }
  const auto sums = engine.integers(
      fmt::format("SELECT count_if(TRY_CAST({0} AS DOUBLE) IS NOT NULL)::BIGINT, count_if({0} IS NOT NULL "
                  "AND TRY_CAST({0} "
                  "AS DOUBLE) IS NULL AND {0} NOT IN ({1}))::BIGINT, count_if(regexp_full_match({0}, "
                  "'[+-]?[0-9]+,[0-9]+'))::BIGINT{2} FROM {3}",
                  cell, fmt::join(quoted, ", "), null_counts, relation.sql));
  TextCells found{.numbers = sums[0], .others = sums[1], .with_comma = sums[2], .nulls = {}};
  for (std::size_t i = 0; i < kNulls.size(); ++i)
    if (sums[3 + i] > 0) found.nulls.emplace_back(kNulls[i]);
  return found;
}

/// Sets nulls and decimal; counts the texts among numbers.
void find_cells(Engine& engine, const fs::path& folder, const std::string& section, SeenSource& seen,
                std::map<std::string, std::int64_t>& texts_among_numbers) {
  const Relation relation = open_source(engine, spec_with(folder, seen.source), seen.source, section);
  std::set<std::string> nulls;
  bool commas = false;
  for (const Column& column : relation.columns) {
    if (column.type != "VARCHAR") continue;
    const TextCells cells = count_texts(engine, relation, column.name);
    const bool decimal = cells.with_comma > 0 && cells.with_comma == cells.others;
    commas = commas || decimal;
    if (!decimal && cells.others > 0) {
      if (static_cast<double>(cells.numbers) >=
          kMostlyNumbers * static_cast<double>(cells.numbers + cells.others))
        texts_among_numbers[column.name] = cells.others;
      continue;
    }
    if (cells.numbers + cells.with_comma > 0) nulls.insert(cells.nulls.begin(), cells.nulls.end());
  }
  if (!nulls.empty()) {
    seen.source.nulls.assign(nulls.begin(), nulls.end());
    seen.reasons["nulls"] = "stand among numbers";
  }
  if (commas) {
    seen.source.decimal = DecimalMark::Comma;
    seen.reasons["decimal"] = "numbers have a comma";
  }
}

// --- columns

/// The sign between the words of cells that hold several; empty where most hold one. Words occur again, or
/// they are sentences.
std::string separator_of(Engine& engine, const SeenSource& seen, const std::string& column,
                         std::int64_t given) {
  const std::string cell = seen.text_of(column);
  for (const char* sign : {"|", ";"}) {
    const auto counts =
        engine.integers(fmt::format("SELECT count_if(contains({0}, {1}))::BIGINT, (SELECT count(DISTINCT w) "
                                    "FROM (SELECT unnest(string_split({0}, "
                                    "{1})) AS w FROM {2}))::BIGINT FROM {2}",
                                    cell, quoted_text(sign), seen.relation.sql));
    if (static_cast<double>(counts[0]) >= kManyHaveSeveralWords * static_cast<double>(given) &&
        2 * counts[1] < given)
      return sign;
  }
  return {};
}

void measure_columns(Engine& engine, SeenSource& seen) {
  seen.rows = engine.integers("SELECT count(*) FROM " + seen.relation.sql)[0];
  const char* count_distinct =
      seen.rows <= kMostCountedExactly ? "count(DISTINCT {0})" : "approx_count_distinct({0})";
  std::vector<std::string> counts;
  for (const Column& column : seen.relation.columns) {
    const std::string cell = quoted_name(column.name);
    counts.push_back(fmt::format("count({})", cell));
    counts.push_back(fmt::format("CAST({} AS BIGINT)", fmt::format(fmt::runtime(count_distinct), cell)));
  }
  const auto sums =
      engine.integers(fmt::format("SELECT {} FROM {}", fmt::join(counts, ", "), seen.relation.sql));
  for (std::size_t i = 0; i < seen.relation.columns.size(); ++i)
    seen.columns.push_back({.name = seen.relation.columns[i].name,
                            .type = seen.relation.columns[i].type,
                            .given = sums[2 * i],
                            .distinct = sums[2 * i + 1]});
  for (SeenColumn& column : seen.columns)
    if (column.is_text()) column.separator = separator_of(engine, seen, column.name, column.given);
}

bool is_one_of(const std::string& type, std::initializer_list<const char*> types) {
  return std::ranges::find(types, type) != types.end();
}

}  // namespace

bool SeenColumn::is_whole_number() const {
  return is_one_of(type, {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
                          "UINTEGER", "UBIGINT", "UHUGEINT"});
}

bool SeenColumn::is_number() const {
  return is_whole_number() || is_one_of(type, {"FLOAT", "DOUBLE", "BOOLEAN"}) || type.starts_with("DECIMAL");
}

bool SeenColumn::is_date() const { return type == "DATE" || type.starts_with("TIMESTAMP"); }

const SeenColumn& SeenSource::column(const std::string& name) const {
  (void)relation.column(name);  // throws where there is none
  return *std::ranges::find(columns, lower_case(name),
                            [](const SeenColumn& column) { return lower_case(column.name); });
}

std::string SeenSource::text_of(const std::string& column) const {
  return fmt::format("CAST({} AS VARCHAR)", relation.column(column));
}

SeenSource look_at_source(Engine& engine, const fs::path& folder, const std::string& file,
                          const std::string& section) {
  SeenSource seen;
  seen.source.file = file;
  const Spec plain = spec_with(folder, seen.source);
  engine.set_stage("looking at " + section);
  std::map<std::string, std::int64_t> texts_among_numbers;
  if (kind_of_source(seen.source) == SourceKind::Csv) {
    check_source_file(plain, seen.source);
    const Relation about_file{.sql = {}, .name = file, .columns = {}, .duplicate_names = {}};
    about(about_file, [&] {
      find_encoding(folder / file, seen);
      find_lines(engine, folder, section, seen);
      find_cells(engine, folder, section, seen, texts_among_numbers);
    });
  }
  seen.relation = open_source(engine, spec_with(folder, seen.source), seen.source, section);
  about(seen.relation, [&] { measure_columns(engine, seen); });
  for (SeenColumn& column : seen.columns)
    if (const auto found = texts_among_numbers.find(column.name); found != texts_among_numbers.end())
      column.no_number = found->second;
  return seen;
}

SeenSource look_at_table(Engine& engine, const std::string& table, const std::string& section) {
  SeenSource seen;
  seen.source.query = fmt::format("SELECT * FROM {}", quoted_name(table));
  engine.set_stage("looking at " + section);
  seen.relation = open_source(engine, spec_with(".", seen.source), seen.source, section);
  std::erase_if(seen.relation.columns, [](const Column& column) { return column.name == kRowInMemory; });
  about(seen.relation, [&] { measure_columns(engine, seen); });
  return seen;
}

}  // namespace hyobscure::data
