#pragma once

#include <duckdb.h>

#include <utility>

#include "hyobscure/data/engine/arrow_table.h"

namespace hyobscure::data {

/// A chunk of the engine's, destroyed in every case.
struct EngineChunk {
  duckdb_data_chunk handle = nullptr;

  EngineChunk() = default;
  ~EngineChunk() { duckdb_destroy_data_chunk(&handle); }
  EngineChunk(EngineChunk&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  EngineChunk& operator=(EngineChunk&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  duckdb_vector column() const { return duckdb_data_chunk_get_vector(handle, 0); }
};

/// A column of a table in memory as the engine takes it. One a column, so that a scan converts the columns it
/// needs and no other.
///
/// Where rows only point at their values (dictionaries, runs), the engine converts the values once for each
/// piece, and the rows are looked up here: the engine (1.4.4) takes a number of empty cells that is not known
/// for none, reads an empty index as a word, and converts a whole dictionary for every 2048 rows.
class ArrowColumn {
 public:
  /// What a scan remembers of a column: the values of the piece that it is in.
  struct Values {
    const ArrowArray* of = nullptr;
    EngineChunk chunk = {};
  };

  /// `column` must outlive this. Throws InputError for a type that is not read.
  ArrowColumn(duckdb_connection connection, const ArrowTable& table, const ArrowTable::Column& column);
  ~ArrowColumn();
  ArrowColumn(ArrowColumn&& other) noexcept;
  ArrowColumn& operator=(ArrowColumn&&) = delete;

  const ArrowTable::Column& column() const { return *column_; }
  /// As the engine calls it.
  duckdb_logical_type type() const { return type_; }
  /// Rows of one piece, which holds all of them, into a vector of the engine's. Throws EngineError for cells
  /// that cannot be.
  void read(std::size_t begin, std::size_t count, Values& values, duckdb_vector target) const;

 private:
  enum class Form { Plain, Dictionary, Runs };

  static Form form_of(const ArrowSchema& schema);
  void convert(const ArrowArray& array, EngineChunk& chunk) const;
  void look_up(const ArrowArray& array, std::int64_t first, std::size_t count, Values& values,
               duckdb_vector target) const;

  duckdb_connection connection_;
  const ArrowTable::Column* column_;
  Form form_;
  duckdb_arrow_converted_schema converted_ = nullptr;  ///< of the values
  duckdb_logical_type type_ = nullptr;
};

}  // namespace hyobscure::data
