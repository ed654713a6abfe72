#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The Arrow C data and C stream interfaces, as their specification has them: the one ABI that all Arrow
// libraries share.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

namespace hyobscure::data {

/// An Arrow structure that is released once, with this object.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  /// Takes it over: the other one counts as released.
  explicit ArrowOwned(Struct& given) : held_(given) { given.release = nullptr; }
  ~ArrowOwned() {
    if (held_.release != nullptr) held_.release(&held_);
  }
  ArrowOwned(ArrowOwned&& other) noexcept : held_(other.held_) { other.held_.release = nullptr; }
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }

  Struct* get() { return &held_; }
  const Struct* operator->() const { return &held_; }
  Struct* operator->() { return &held_; }
  /// Hands it on.
  void move_to(Struct* target) { *target = std::exchange(held_, Struct{}); }

 private:
  Struct held_{};
};

/// Rows on their way out of the engine: batches of the same columns.
struct ArrowRows {
  ArrowOwned<ArrowSchema> schema;
  std::vector<ArrowOwned<ArrowArray>> batches;
};

/// The rows as a stream, which can be read once.
void export_stream(ArrowRows rows, ArrowArrayStream* stream);

/// A table in the memory of another library. Its cells are not copied: the batches of the streams that it was
/// made of live as long as it does, and their owner must not change them meanwhile.
class ArrowTable {
 public:
  /// Rows [begin, end) of a column.
  struct Piece {
    const ArrowArray* array;
    std::int64_t offset;  ///< of the array that holds this one, beside the array's own
    std::size_t begin, end;
  };
  struct Column {
    std::string name;
    ArrowSchema* schema;
    std::vector<Piece> pieces;
  };

  /// `name`: what queries and messages call it.
  explicit ArrowTable(std::string name) : name_(std::move(name)) {}
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;

  /// Adds the columns of a stream, which is used up; where the stream is of single values, one column of this
  /// name. Throws InputError for another number of rows than the columns before have, a column without a
  /// name, or a stream that fails.
  void add(ArrowOwned<ArrowArrayStream> stream, const std::string& name);

  /// The same of one array.
  void add(ArrowOwned<ArrowSchema> schema, ArrowOwned<ArrowArray> cells, const std::string& name);

  const std::string& name() const { return name_; }
  std::size_t rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }

 private:
  void add(ArrowOwned<ArrowSchema> schema, std::vector<ArrowOwned<ArrowArray>> batches,
           const std::string& name);

  std::string name_;
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
  std::vector<std::unique_ptr<ArrowOwned<ArrowSchema>>>
      schemas_;  // at fixed addresses: columns point into them
  std::vector<std::unique_ptr<ArrowOwned<ArrowArray>>> batches_;
};

}  // namespace hyobscure::data
