#include "hyobscure/data/engine/arrow_column.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/duckdb_error.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::data {
namespace {

/// An array as a table of this column alone. Only the structures are its own; the cells outlive the engine.
struct OneColumn {
  ArrowArray column;
  ArrowArray* child = &column;
  const void* no_buffer = nullptr;
};

ArrowArray table_of(const ArrowArray& column) {
  auto* table = new OneColumn{.column = column};
  return {.length = column.length,
          .null_count = 0,
          .offset = 0,
          .n_buffers = 1,
          .n_children = 1,
          .buffers = &table->no_buffer,
          .children = &table->child,
          .dictionary = nullptr,
          .release =
              [](ArrowArray* array) {
                delete static_cast<OneColumn*>(array->private_data);
                array->release = nullptr;
              },
          .private_data = table};
}

ArrowArray slice(const ArrowArray& array, std::int64_t first, std::size_t count) {
  ArrowArray rows = array;
  rows.offset = first;
  rows.length = static_cast<std::int64_t>(count);
  if (rows.null_count != 0) rows.null_count = -1;  // of these rows it is not known
  return rows;
}

bool is_given(const ArrowArray& array, std::int64_t row) {
  const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return bits == nullptr || ((bits[row / 8] >> (row % 8)) & 1) != 0;
}

template <class Number>
std::int64_t number_at(const ArrowArray& array, std::int64_t row) {
  return static_cast<std::int64_t>(static_cast<const Number*>(array.buffers[1])[row]);
}

/// A whole number of an array of this format; of one beyond 63 bits a negative one.
std::int64_t integer_at(const ArrowArray& array, char format, std::int64_t row) {
  switch (format) {
    case 'c':
      return number_at<std::int8_t>(array, row);
    case 'C':
      return number_at<std::uint8_t>(array, row);
    case 's':
      return number_at<std::int16_t>(array, row);
    case 'S':
      return number_at<std::uint16_t>(array, row);
    case 'i':
      return number_at<std::int32_t>(array, row);
    case 'I':
      return number_at<std::uint32_t>(array, row);
    case 'L':
      return number_at<std::uint64_t>(array, row);
    default:
      return number_at<std::int64_t>(array, row);
  }
}

/// Which run a row lies in; the number of runs where none reaches so far.
std::int64_t run_of(const ArrowArray& ends, char format, std::int64_t row) {
  std::int64_t low = 0, high = ends.length;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (integer_at(ends, format, ends.offset + middle) > row)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool points_at_values(const ArrowSchema& schema) {
  return schema.dictionary != nullptr || std::string_view(schema.format) == "+r";
}

bool has_pointers_inside(const ArrowSchema& schema) {
  const auto inside = [](const ArrowSchema& part) {
    return points_at_values(part) || has_pointers_inside(part);
  };
  for (std::int64_t c = 0; c < schema.n_children; ++c)
    if (inside(*schema.children[c])) return true;
  return schema.dictionary != nullptr && inside(*schema.dictionary);
}

[[noreturn]] void throw_not_read(const ArrowTable& table, const ArrowTable::Column& column) {
  throw InputError({.source = table.name(), .column = column.name}, "is of a type that is not read",
                   "Convert it first, half-precision numbers to float32 and others to numbers or texts.");
}

/// The engine (1.4.4) fails where all lists of a chunk are empty, and takes empty words from the wrong rows.
void refuse_pointers_inside(const ArrowTable& table, const ArrowTable::Column& column) {
  if (has_pointers_inside(*column.schema))
    throw InputError({.source = table.name(), .column = column.name},
                     "has categories inside of lists, which are not read",
                     "Convert them to lists of texts first.");
}

struct Selection {
  duckdb_selection_vector handle;
  explicit Selection(std::size_t count) : handle(duckdb_create_selection_vector(count)) {}
  ~Selection() { duckdb_destroy_selection_vector(handle); }
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;
};

void set_empty(duckdb_vector vector, std::size_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

}  // namespace

ArrowColumn::Form ArrowColumn::form_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) return Form::Dictionary;
  return format == "+r" ? Form::Runs : Form::Plain;
}

ArrowColumn::ArrowColumn(duckdb_connection connection, const ArrowTable& table,
                         const ArrowTable::Column& column)
    : connection_(connection), column_(&column), form_(form_of(*column.schema)) {
  refuse_pointers_inside(table, column);
  ArrowSchema* values = form_ == Form::Dictionary ? column.schema->dictionary
                        : form_ == Form::Runs     ? column.schema->children[1]
                                                  : column.schema;
  ArrowSchema schema{.format = "+s",
                     .name = "",
                     .metadata = nullptr,
                     .flags = 0,
                     .n_children = 1,
                     .children = &values,
                     .dictionary = nullptr,
                     .release = [](ArrowSchema* self) { self->release = nullptr; },
                     .private_data = nullptr};
  try {
    throw_if(duckdb_schema_from_arrow(connection, &schema, &converted_));
    const ArrowArray& first = *column.pieces.front().array;
    EngineChunk none;  // only a chunk tells how the engine calls the type
    convert(slice(form_ == Form::Dictionary ? *first.dictionary
                  : form_ == Form::Runs     ? *first.children[1]
                                            : first,
                  0, 0),
            none);
    type_ = duckdb_vector_get_column_type(none.column());
  } catch (const EngineError& error) {
    duckdb_destroy_arrow_converted_schema(&converted_);
    if (error.kind() == EngineError::Kind::Memory) throw;
    throw_not_read(table, column);
  }
}

ArrowColumn::~ArrowColumn() {
  duckdb_destroy_logical_type(&type_);
  duckdb_destroy_arrow_converted_schema(&converted_);
}

ArrowColumn::ArrowColumn(ArrowColumn&& other) noexcept
    : connection_(other.connection_),
      column_(other.column_),
      form_(other.form_),
      converted_(std::exchange(other.converted_, nullptr)),
      type_(std::exchange(other.type_, nullptr)) {}

void ArrowColumn::convert(const ArrowArray& array, EngineChunk& chunk) const {
  ArrowArray table = table_of(array);
  const auto error = duckdb_data_chunk_from_arrow(connection_, &table, converted_, &chunk.handle);
  if (table.release != nullptr) table.release(&table);
  throw_if(error);
}

void ArrowColumn::read(std::size_t begin, std::size_t count, Values& values, duckdb_vector target) const {
  const auto piece = std::ranges::upper_bound(column_->pieces, begin, {}, &ArrowTable::Piece::end);
  const ArrowArray& array = *piece->array;
  const std::int64_t first = array.offset + piece->offset + static_cast<std::int64_t>(begin - piece->begin);
  if (form_ != Form::Plain) {
    look_up(array, first, count, values, target);
    return;
  }
  EngineChunk chunk;
  convert(slice(array, first, count), chunk);
  duckdb_vector_reference_vector(target, chunk.column());
}

void ArrowColumn::look_up(const ArrowArray& array, std::int64_t first, std::size_t count, Values& values,
                          duckdb_vector target) const {
  const bool runs = form_ == Form::Runs;
  const ArrowArray& all = runs ? *array.children[1] : *array.dictionary;
  if (values.of != &all) {
    values.chunk = {};
    convert(all, values.chunk);
    values.of = &all;
  }
  const char format = runs ? column_->schema->children[0]->format[0] : column_->schema->format[0];
  const auto value_of = [&](std::int64_t row) {
    return runs ? run_of(*array.children[0], format, row) : integer_at(array, format, row);
  };
  const Selection chosen(count);
  auto* places = duckdb_selection_vector_get_data_ptr(chosen.handle);
  std::vector<std::size_t> empty;
  for (std::size_t r = 0; r < count; ++r) {
    const std::int64_t row = first + static_cast<std::int64_t>(r);
    places[r] = 0;
    if (!runs && !is_given(array, row)) {
      empty.push_back(r);
      continue;
    }
    const std::int64_t value = value_of(row);
    if (value < 0 || value >= std::min<std::int64_t>(all.length, std::numeric_limits<sel_t>::max()))
      throw EngineError(EngineError::Kind::Content, "a cell points at no value");
    places[r] = static_cast<sel_t>(value);
  }
  if (all.length > 0) duckdb_vector_copy_sel(values.chunk.column(), target, chosen.handle, count, 0, 0);
  for (const std::size_t r : empty) set_empty(target, r);
}

}  // namespace hyobscure::data
