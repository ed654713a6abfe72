#pragma once

#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

enum class SourceKind { Csv, Parquet, Json, DuckDb, Query };

/// A source of the spec as something that SQL can select from.
struct Relation {
  std::string sql;   ///< stands after FROM
  std::string name;  ///< for messages: the file, or "people.query"
  SourceKind kind = SourceKind::Csv;
  std::vector<Column> columns;  ///< with the types that their content suggests

  /// The column's name in quotes, for SQL. Throws InputError when there is none, or two of the name.
  std::string column(const std::string& wanted) const;
  /// The type of a column that exists.
  const std::string& type(const std::string& wanted) const;

  std::vector<std::string> duplicate_names;  ///< names that a CSV header holds more than once
};

/// By its name, or as the spec says.
SourceKind kind_of_source(const SourceSpec& source);

/// Throws InputError where there is no such file, or it is empty or not whole.
void check_source_file(const Spec& spec, const SourceSpec& source);

/// Opens what [section] of the spec names: finds the file, checks that it is whole, learns its columns.
Relation open_source(Engine& engine, const Spec& spec, const SourceSpec& source, const std::string& section);

/// What read_csv must know of a CSV file beside its name and header, as SQL that begins with a comma. Quotes
/// are fixed rather than guessed: a guess turns an unclosed quote into data. `all_text`: numbers stay as
/// written.
std::string csv_options(const SourceSpec& source, bool all_text);

/// The engine's errors about `relation`, as errors for the user.
template <class Work>
auto about(const Relation& relation, Work&& work) {
  try {
    return work();
  } catch (const EngineError& error) {
    throw explain(error, relation.name);
  }
}

}  // namespace hyobscure::data
