#include "hyobscure/data/read/read_tables.h"

#include <fmt/format.h>

#include <utility>

namespace hyobscure::data {
namespace {

std::string renamed(Engine& engine, const std::string& table) {
  const bool exists =
      engine.integers(fmt::format("SELECT count(*) FROM duckdb_tables() WHERE temporary AND table_name = {}",
                                  quoted_text(table)))[0] > 0;
  if (!exists) return "";
  std::string name = engine.new_name(table);
  engine.run(fmt::format("ALTER TABLE {} RENAME TO {}", table, name));
  return name;
}

}  // namespace

ReadTables::ReadTables(Engine& engine)
    : engine_(&engine),
      life_(engine.life()),
      people_(renamed(engine, "hyo_kept")),
      homes_(renamed(engine, "hyo_homes")) {
  engine.run("DROP TABLE IF EXISTS hyo_people");
}

ReadTables::~ReadTables() { drop(); }

ReadTables::ReadTables(ReadTables&& other) noexcept
    : engine_(std::exchange(other.engine_, nullptr)),
      life_(std::move(other.life_)),
      people_(std::move(other.people_)),
      homes_(std::move(other.homes_)) {}

ReadTables& ReadTables::operator=(ReadTables&& other) noexcept {
  if (this == &other) return *this;
  drop();
  engine_ = std::exchange(other.engine_, nullptr);
  life_ = std::move(other.life_);
  people_ = std::move(other.people_);
  homes_ = std::move(other.homes_);
  return *this;
}

std::vector<std::int64_t> ReadTables::rows_in_memory(const Relation& source, const std::string& id) const {
  std::vector<std::int64_t> rows;
  engine_->query(
      fmt::format("SELECT s.hyo_row FROM {} AS k JOIN {} AS s ON CAST(s.{} AS VARCHAR) = k.id ORDER BY k.u",
                  people_, source.sql, source.column(id)),
      [&](const Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) rows.push_back(chunk.integers(0)[row]);
      });
  return rows;
}

void ReadTables::drop() noexcept {
  if (engine_ == nullptr || life_.expired()) return;
  for (const std::string& table : {people_, homes_}) try {
      if (!table.empty()) engine_->run("DROP TABLE IF EXISTS " + table);
    } catch (const std::exception&) {  // a stopped engine drops nothing; its tables end with it
    }
  engine_ = nullptr;
}

}  // namespace hyobscure::data
