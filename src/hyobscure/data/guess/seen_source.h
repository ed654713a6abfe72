#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

/// A column of a file that nobody has described yet.
struct SeenColumn {
  std::string name;
  std::string type;  ///< as DuckDB names it
  std::int64_t given = 0;
  std::int64_t distinct = 0;   ///< about, of many rows
  std::int64_t no_number = 0;  ///< of a text most of whose cells are numbers: how many are none
  std::string separator = {};  ///< of a text whose cells hold several words; else empty

  bool is_number() const;
  bool is_whole_number() const;
  bool is_date() const;  ///< or a time stamp
  bool is_text() const { return type == "VARCHAR" || type.starts_with("ENUM"); }
};

/// A file as it looks from inside: how it must be read, and what its columns hold.
struct SeenSource {
  SourceSpec source;
  std::map<std::string, std::string> reasons;  ///< why a key of the source was set, by its name
  Relation relation;
  std::int64_t rows = 0;
  std::vector<SeenColumn> columns;

  const SeenColumn& column(const std::string& name) const;
  /// A cell in SQL, as text.
  std::string text_of(const std::string& column) const;
};

/// Looks at a file: encoding, delimiter, header, what means an empty cell, decimal commas, types. `file` is
/// as a spec in `folder` would name it. Cost: a few passes over the file. Throws InputError as open_source
/// does.
[[nodiscard]] SeenSource look_at_source(Engine& engine, const std::filesystem::path& folder,
                                        const std::string& file, const std::string& section);

/// The column that numbers the rows of a table of memory.
inline constexpr const char* kRowInMemory = "hyo_row";

/// The same for a table of the caller's memory (EngineSettings::tables).
[[nodiscard]] SeenSource look_at_table(Engine& engine, const std::string& table, const std::string& section);

}  // namespace hyobscure::data
