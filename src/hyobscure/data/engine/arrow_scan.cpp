#include <duckdb.h>

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/arrow_column.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::data {
namespace {

constexpr const char* kRowColumn = "hyo_row";

struct ScannedTable {
  std::shared_ptr<const ArrowTable> table;
  std::vector<ArrowColumn> columns;
};

/// One scan of a table, of which there may be several at once.
struct Scan {
  std::vector<idx_t> wanted;                ///< 0: the number of the row; then the columns
  std::vector<ArrowColumn::Values> values;  ///< of each wanted column
  std::size_t next = 0;
};

void bind(duckdb_bind_info info) {
  const auto& scanned = *static_cast<const ScannedTable*>(duckdb_bind_get_extra_info(info));
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_bind_add_result_column(info, kRowColumn, number);
  duckdb_destroy_logical_type(&number);
  for (const ArrowColumn& column : scanned.columns)
    duckdb_bind_add_result_column(info, column.column().name.c_str(), column.type());
  duckdb_bind_set_cardinality(info, scanned.table->rows(), true);
}

void start(duckdb_init_info info) {
  auto* scan = new Scan;
  for (idx_t c = 0; c < duckdb_init_get_column_count(info); ++c)
    scan->wanted.push_back(duckdb_init_get_column_index(info, c));
  scan->values.resize(scan->wanted.size());
  duckdb_init_set_init_data(info, scan, [](void* state) { delete static_cast<Scan*>(state); });
  duckdb_init_set_max_threads(info, 1);  // rows come in their order: messages name them by it
}

/// How many rows from `begin` on lie in one piece of every wanted column.
std::size_t rows_together(const ScannedTable& scanned, const Scan& scan) {
  std::size_t end = std::min(scanned.table->rows(), scan.next + duckdb_vector_size());
  for (const idx_t wanted : scan.wanted)
    if (wanted > 0 && wanted <= scanned.columns.size()) {
      const auto& pieces = scanned.columns[wanted - 1].column().pieces;
      const auto piece = std::ranges::upper_bound(pieces, scan.next, {}, &ArrowTable::Piece::end);
      if (piece != pieces.end()) end = std::min(end, piece->end);
    }
  return end - scan.next;
}

void scan_rows(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& scanned = *static_cast<const ScannedTable*>(duckdb_function_get_extra_info(info));
  auto& scan = *static_cast<Scan*>(duckdb_function_get_init_data(info));
  try {
    const std::size_t count = rows_together(scanned, scan);
    for (idx_t c = 0; count > 0 && c < scan.wanted.size(); ++c) {
      const duckdb_vector target = duckdb_data_chunk_get_vector(output, c);
      if (scan.wanted[c] == 0) {
        auto* numbers = static_cast<std::int64_t*>(duckdb_vector_get_data(target));
        for (std::size_t row = 0; row < count; ++row)
          numbers[row] = static_cast<std::int64_t>(scan.next + row);
      } else if (scan.wanted[c] <= scanned.columns.size()) {  // else it is no column: rows are only counted
        scanned.columns[scan.wanted[c] - 1].read(scan.next, count, scan.values[c], target);
      }
    }
    scan.next += count;
    duckdb_data_chunk_set_size(output, count);
  } catch (const EngineError& error) {
    duckdb_function_set_error(info, error.private_text().c_str());
  } catch (const std::exception& error) {  // none may pass through the engine
    duckdb_function_set_error(info, error.what());
  }
}

}  // namespace

void Engine::add_table(const std::shared_ptr<const ArrowTable>& table) {
  const auto connection = static_cast<duckdb_connection>(this->connection());
  if (table->rows() == 0)
    throw InputError({.source = table->name()}, "there are no rows in it", "Check how it was made.");
  auto* scanned = new ScannedTable{.table = table, .columns = {}};
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_extra_info(function, scanned,
                                       [](void* held) { delete static_cast<ScannedTable*>(held); });
  const std::string name = new_name("hyo_table");
  try {
    for (const ArrowTable::Column& column : table->columns())
      scanned->columns.emplace_back(connection, *table, column);
  } catch (...) {
    duckdb_destroy_table_function(&function);
    throw;
  }
  duckdb_table_function_set_name(function, name.c_str());
  duckdb_table_function_set_bind(function, bind);
  duckdb_table_function_set_init(function, start);
  duckdb_table_function_set_function(function, scan_rows);
  duckdb_table_function_supports_projection_pushdown(function, true);
  const auto state = duckdb_register_table_function(connection, function);
  duckdb_destroy_table_function(&function);
  if (state != DuckDBSuccess) throw EngineError(EngineError::Kind::Other, "no table " + name);
  run("CREATE TEMP VIEW " + quoted_name(table->name()) + " AS SELECT * FROM " + name + "()");
}

}  // namespace hyobscure::data
