#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

// --- small pieces of SQL

std::string as_text(const std::string& cell);
/// Cells as one text that no other cells give: every cell stands behind its length.
std::string packed(const std::vector<std::string>& cells);
/// The same where an empty cell and no cell are two things.
std::string packed_exactly(const std::vector<std::string>& cells);
std::int64_t count(data::Engine& engine, const std::string& from_where);
/// Rows of each group of a table, by label; a missing label is "".
std::map<std::string, std::int64_t> count_by_label(data::Engine& engine, const std::string& what,
                                                   const std::string& from);

// --- the files of a release: table rel_people (id, label, s0, s1, ..., k0, k1, ..., c0, c1, ..., kept) and
// view rel_events (person, c0, c1, ...), which reads its file whenever it is selected from: events are many
// more than fit into memory. `kept` is k0, k1, ... as one text

/// A file of the release, and what its columns are called in ours.
struct ReleasedTable {
  std::string file;
  std::string table;
  bool is_view = false;                    ///< else a copy in the engine
  std::vector<std::string> names;          ///< as declared
  std::vector<std::string> roles;          ///< id, label, person, k0, k1, ..., c0, c1, ...
  std::vector<data::Column> columns = {};  ///< as found

  std::string type_of(const std::string& role) const {
    return columns[static_cast<std::size_t>(std::ranges::find(roles, role) - roles.begin())].type;
  }
  bool has(const std::string& role) const { return std::ranges::find(roles, role) != roles.end(); }
  /// Roles of the cells that come from the donor.
  std::vector<std::string> cells() const { return roles_of('c'); }
  /// Roles of the cells that are the person's own.
  std::vector<std::string> kept_cells() const { return roles_of('k'); }
  /// Roles of what the group covers of each of several secrets.
  std::vector<std::string> parts() const { return roles_of('s'); }
  void add(const std::string& name, const std::string& role) {
    if (name.empty()) return;
    names.push_back(name);
    roles.push_back(role);
  }

 private:
  std::vector<std::string> roles_of(char kind) const {
    std::vector<std::string> result;
    std::ranges::copy_if(roles, std::back_inserter(result),
                         [&](const auto& role) { return role[0] == kind; });
    return result;
  }
};

/// Files alone. Whether the tables could be loaded, so that they can be compared with the original.
struct LoadedRelease {
  ReleasedTable people;
  ReleasedTable events;
  bool complete = false;
};

/// SQL: the rows of a table of the release, in their order, with the types that the file has; of CSV, texts.
std::string table_reader(const published::Manifest& manifest, const std::filesystem::path& file);

ReleasedTable people_table(const published::Manifest& manifest);
ReleasedTable events_table(const published::Manifest& manifest);

/// Whether the table is loaded. A table with wrong columns is not: nothing below would mean anything. `look`
/// is called once it is loaded; where it finds that the file cannot be read to its end, the table is wrong as
/// well.
bool check_columns_and_load(data::Engine& engine, const published::Manifest& manifest,
                            const std::filesystem::path& folder, ReleasedTable& table, Findings& findings,
                            const std::function<void()>& look);
void check_row_counts(std::int64_t rows, const published::ManifestFile& file, const ReleasedTable& table,
                      Findings& findings);

}  // namespace hyobscure::verify
