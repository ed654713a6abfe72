// What the table engine alone needs for the files of one release: the least that reading and writing can
// cost.
//
// usage: floor copy|join|sort FOLDER OUTPUT [memory]
//
//   copy  reads people and events of FOLDER (as synth writes them) and writes the same rows to OUTPUT
//   join  gives every person the events of a donor on the way
//   sort  and puts them in order, as a release does
//
// Format and compression are those of a release. The engine is the one the program is linked to, so a ratio
// to this floor compares what we add, never two builds of DuckDB.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "hyobscure/data/engine/engine.h"

namespace {

using hyobscure::data::Engine;
using hyobscure::data::quoted_text;
namespace fs = std::filesystem;

struct Files {
  fs::path folder;
  bool parquet;
  std::string path(const char* table) const {
    return quoted_text((folder / table).string() + (parquet ? ".parquet" : ".csv"));
  }
};

void copy(Engine& engine, const std::string& query, const Files& to, const char* table) {
  engine.run(fmt::format("COPY ({}) TO {} ({})", query, to.path(table),
                         to.parquet ? "FORMAT parquet, COMPRESSION zstd" : "FORMAT csv, HEADER true"));
}

/// Donors with replacement from the whole table, by a formula: no draw, no census.
void make_donors(Engine& engine, const Files& from) {
  engine.run("CREATE TEMP TABLE numbered AS SELECT id, row_number() OVER () - 1 AS n FROM " +
             from.path("people"));
  const auto people = engine.integers("SELECT count(*) FROM numbered")[0];
  engine.run(fmt::format(
      "CREATE TEMP TABLE donors AS SELECT a.id AS person, b.id AS donor, a.n AS place FROM (SELECT *, "
      "CAST(hash(n) % {} AS BIGINT) AS other FROM numbered) AS a JOIN numbered AS b ON b.n = a.other",
      people));
}

std::string donated_events(const Files& from, bool sorted) {
  return fmt::format(
      "SELECT d.person, e.item, e.rating FROM {} AS e JOIN donors AS d ON e.person = d.donor{}",
      from.path("events"), sorted ? " ORDER BY d.place, e.item, e.rating" : "");
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    fmt::print(stderr, "usage: floor copy|join|sort FOLDER OUTPUT [memory]\n");
    return 2;
  }
  const std::string kind = words[1];
  const Files from{words[2], fs::exists(fs::path(words[2]) / "people.parquet")};
  const Files to{words[3], from.parquet};
  fs::create_directories(to.folder);
  Engine engine({.memory = count > 4 ? words[4] : ""}, {});
  copy(engine, "FROM " + from.path("people"), to, "people");
  if (kind == "copy") {
    copy(engine, "FROM " + from.path("events"), to, "events");
  } else {
    make_donors(engine, from);
    copy(engine, donated_events(from, kind == "sort"), to, "events");
  }
}
