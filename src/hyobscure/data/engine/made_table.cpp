#include <duckdb.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>
#include <cstring>
#include <exception>
#include <mutex>

#include "hyobscure/data/engine/engine.h"

namespace hyobscure::data {
namespace {

struct MadeTable {
  std::vector<Column> columns;
  MakeChunk make;
};

struct LogicalType {
  duckdb_logical_type handle;
  explicit LogicalType(duckdb_type type) : handle(duckdb_create_logical_type(type)) {}
  ~LogicalType() { duckdb_destroy_logical_type(&handle); }
  LogicalType(const LogicalType&) = delete;
  LogicalType& operator=(const LogicalType&) = delete;
};

duckdb_type type_named(std::string_view name) {
  if (name == "BIGINT") return DUCKDB_TYPE_BIGINT;
  if (name == "DOUBLE") return DUCKDB_TYPE_DOUBLE;
  assert(name == "VARCHAR");
  return DUCKDB_TYPE_VARCHAR;
}

void bind_made(duckdb_bind_info info) {
  const auto& table = *static_cast<const MadeTable*>(duckdb_bind_get_extra_info(info));
  for (const Column& column : table.columns)
    duckdb_bind_add_result_column(info, column.name.c_str(), LogicalType(type_named(column.type)).handle);
}

/// The order of rows is part of the promise.
void start_made(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void make_chunk(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& table = *static_cast<const MadeTable*>(duckdb_function_get_extra_info(info));
  try {
    ChunkMaker chunk(output);
    duckdb_data_chunk_set_size(output, table.make(chunk));
  } catch (const std::bad_alloc&) {
    duckdb_function_set_error(info, "Out of Memory Error: rows in the making");
  } catch (const std::exception& error) {  // none may pass through the engine
    duckdb_function_set_error(info, error.what());
  }
}

/// `cells` is the vector's data.
void set_cell(duckdb_vector vector, void* cells, std::size_t row, std::string_view text) {
  duckdb_string_t inlined{};
  if (text.size() > sizeof(inlined.value.inlined.inlined)) {
    duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
    return;
  }
  // Short texts, nearly all of them, need no memory of their own and no call for each.
  inlined.value.inlined.length = static_cast<std::uint32_t>(text.size());
  std::memcpy(inlined.value.inlined.inlined, text.data(), text.size());
  static_cast<duckdb_string_t*>(cells)[row] = inlined;
}

using TextOf = std::function<std::string(std::int64_t)>;

void write_texts(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& text_of = *static_cast<const TextOf*>(duckdb_scalar_function_get_extra_info(info));
  const auto* numbers =
      static_cast<const std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0)));
  void* cells = duckdb_vector_get_data(output);
  try {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row)
      set_cell(output, cells, row, text_of(numbers[row]));
  } catch (const std::exception& error) {  // none may pass through the engine
    duckdb_scalar_function_set_error(info, error.what());
  }
}

using NumberOf = std::function<std::optional<std::int64_t>(std::string_view)>;

void write_numbers(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& number_of = *static_cast<const NumberOf*>(duckdb_scalar_function_get_extra_info(info));
  const duckdb_vector given = duckdb_data_chunk_get_vector(input, 0);
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(given));
  std::uint64_t* is_given = duckdb_vector_get_validity(given);  // none: all are
  auto* numbers = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* has_number = duckdb_vector_get_validity(output);
  try {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
      std::optional<std::int64_t> number;
      if (duckdb_validity_row_is_valid(is_given, row))
        number = number_of({duckdb_string_t_data(texts + row), duckdb_string_t_length(texts[row])});
      if (number)
        numbers[row] = *number;
      else
        duckdb_validity_set_row_invalid(has_number, row);
    }
  } catch (const std::exception& error) {  // none may pass through the engine
    duckdb_scalar_function_set_error(info, error.what());
  }
}

/// What visits chunks, and what it threw first: the engine would keep no more of it than a text.
struct Visitor {
  std::function<void(const Chunk&)> visit;
  std::mutex mutex = {};
  std::exception_ptr error = nullptr;
};

void visit_chunk(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  Visitor& visitor = **static_cast<Visitor**>(duckdb_scalar_function_get_extra_info(info));
  try {
    const Chunk chunk(input, Chunk::Owner::Engine);
    visitor.visit(chunk);
    std::memset(duckdb_vector_get_data(output), 0, chunk.rows() * sizeof(std::int64_t));
  } catch (...) {  // none may pass through the engine
    const std::lock_guard lock(visitor.mutex);
    if (!visitor.error) visitor.error = std::current_exception();
    duckdb_scalar_function_set_error(info, "a visitor failed");
  }
}

template <class Function>
void register_function(duckdb_connection connection, const std::string& name,
                       const std::vector<duckdb_type>& from, duckdb_type to, Function work,
                       duckdb_scalar_function_t run) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name.c_str());
  for (const duckdb_type type : from)
    duckdb_scalar_function_add_parameter(function, LogicalType(type).handle);
  duckdb_scalar_function_set_special_handling(function);  // an empty cell is for the function to see
  duckdb_scalar_function_set_return_type(function, LogicalType(to).handle);
  duckdb_scalar_function_set_extra_info(function, new Function(std::move(work)),
                                        [](void* given) { delete static_cast<Function*>(given); });
  duckdb_scalar_function_set_function(function, run);
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  if (state != DuckDBSuccess) throw EngineError(EngineError::Kind::Other, "no function " + name);
}

duckdb_vector made_vector_of(void* handle, std::size_t column) {
  return duckdb_data_chunk_get_vector(static_cast<duckdb_data_chunk>(handle), column);
}

}  // namespace

ChunkMaker::ChunkMaker(void* handle) : handle_(handle), most_rows_(duckdb_vector_size()) {
  const idx_t count = duckdb_data_chunk_get_column_count(static_cast<duckdb_data_chunk>(handle));
  for (idx_t column = 0; column < count; ++column)
    columns_.push_back(duckdb_vector_get_data(made_vector_of(handle, column)));
}

void ChunkMaker::set_text(std::size_t column, std::size_t row, std::string_view text) {
  set_cell(made_vector_of(handle_, column), columns_[column], row, text);
}

std::string Engine::made_rows(std::vector<Column> columns, MakeChunk make) {
  const std::string name = new_name("hyo_made");
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, name.c_str());
  duckdb_table_function_set_extra_info(function, new MadeTable{std::move(columns), std::move(make)},
                                       [](void* table) { delete static_cast<MadeTable*>(table); });
  duckdb_table_function_set_bind(function, bind_made);
  duckdb_table_function_set_init(function, start_made);
  duckdb_table_function_set_function(function, make_chunk);
  const auto state = duckdb_register_table_function(static_cast<duckdb_connection>(connection()), function);
  duckdb_destroy_table_function(&function);
  if (state != DuckDBSuccess) throw EngineError(EngineError::Kind::Other, "no table " + name);
  return name + "()";
}

std::string Engine::text_function(TextOf text_of) {
  const std::string name = new_name("hyo_made");
  register_function(static_cast<duckdb_connection>(connection()), name, {DUCKDB_TYPE_BIGINT},
                    DUCKDB_TYPE_VARCHAR, std::move(text_of), write_texts);
  return name;
}

std::string Engine::number_function(NumberOf number_of) {
  const std::string name = new_name("hyo_made");
  register_function(static_cast<duckdb_connection>(connection()), name, {DUCKDB_TYPE_VARCHAR},
                    DUCKDB_TYPE_BIGINT, std::move(number_of), write_numbers);
  return name;
}

void Engine::query_on_all_threads(const std::string& sql, const std::function<void(const Chunk&)>& visit) {
  std::vector<duckdb_type> types;
  std::vector<std::string> columns;
  for (const Column& column : describe_query(sql)) {
    types.push_back(type_named(column.type));
    columns.push_back(fmt::format("v{}", columns.size()));
  }
  // The engine keeps the function as long as it lives, and a pointer to what it is to call now.
  Visitor visitor{.visit = visit};
  const std::string name = new_name("hyo_visit");
  register_function(static_cast<duckdb_connection>(connection()), name, types, DUCKDB_TYPE_BIGINT, &visitor,
                    visit_chunk);
  try {
    run(fmt::format("SELECT sum({0}({1})) FROM ({2}) AS visited({1})", name, fmt::join(columns, ", "), sql));
  } catch (const EngineError&) {
    if (visitor.error) std::rethrow_exception(visitor.error);
    throw;
  }
}

}  // namespace hyobscure::data
