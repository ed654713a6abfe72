#include "hyobscure/data/engine/arrow_table.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "hyobscure/base/error.h"

namespace hyobscure::data {
namespace {

/// What a stream of ours still has to give.
struct Outgoing {
  ArrowRows rows;
  std::size_t next = 0;
};

Outgoing& outgoing(ArrowArrayStream* stream) { return *static_cast<Outgoing*>(stream->private_data); }

/// Bytes of a metadata text: a number of pairs, each text after its length.
std::size_t metadata_size(const char* metadata) {
  const auto number_at = [&](std::size_t place) {
    std::int32_t number = 0;
    std::memcpy(&number, metadata + place, sizeof number);
    return static_cast<std::size_t>(number);
  };
  std::size_t size = sizeof(std::int32_t);
  for (std::size_t texts = 2 * number_at(0); texts > 0; --texts)
    size += sizeof(std::int32_t) + number_at(size);
  return size;
}

/// A reader may ask for the schema more than once and keep it longer than the stream: so it gets a copy.
struct SchemaCopy {
  std::string format, name, metadata;
  std::vector<ArrowOwned<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
  ArrowOwned<ArrowSchema> dictionary;
};

ArrowSchema copy_of(const ArrowSchema& schema) {
  auto* copy = new SchemaCopy;
  copy->format = schema.format;
  if (schema.name != nullptr) copy->name = schema.name;
  if (schema.metadata != nullptr) copy->metadata.assign(schema.metadata, metadata_size(schema.metadata));
  for (std::int64_t c = 0; c < schema.n_children; ++c) {
    ArrowSchema child = copy_of(*schema.children[c]);
    copy->children.emplace_back(child);
  }
  for (auto& child : copy->children) copy->pointers.push_back(child.get());
  if (schema.dictionary != nullptr) {
    ArrowSchema dictionary = copy_of(*schema.dictionary);
    copy->dictionary = ArrowOwned<ArrowSchema>(dictionary);
  }
  return {.format = copy->format.c_str(),
          .name = copy->name.c_str(),
          .metadata = schema.metadata == nullptr ? nullptr : copy->metadata.data(),
          .flags = schema.flags,
          .n_children = schema.n_children,
          .children = copy->pointers.data(),
          .dictionary = schema.dictionary == nullptr ? nullptr : copy->dictionary.get(),
          .release =
              [](ArrowSchema* self) {
                delete static_cast<SchemaCopy*>(self->private_data);
                self->release = nullptr;
              },
          .private_data = copy};
}

int copy_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = copy_of(*outgoing(stream).rows.schema.get());
  return 0;
}

int next_batch(ArrowArrayStream* stream, ArrowArray* out) {
  Outgoing& from = outgoing(stream);
  *out = {};  // released: the end
  if (from.next < from.rows.batches.size()) from.rows.batches[from.next++].move_to(out);
  return 0;
}

[[noreturn]] void throw_broken_stream(const std::string& table) {
  throw InputError({.source = table}, "the library that holds this table cannot hand it over as Arrow",
                   "Convert it to another kind of table first, such as pyarrow's.");
}

bool has_columns(const ArrowSchema& schema) { return std::string_view(schema.format) == "+s"; }

}  // namespace

void export_stream(ArrowRows rows, ArrowArrayStream* stream) {
  *stream = {.get_schema = copy_schema,
             .get_next = next_batch,
             .get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; },
             .release =
                 [](ArrowArrayStream* self) {
                   delete static_cast<Outgoing*>(self->private_data);
                   self->release = nullptr;
                 },
             .private_data = new Outgoing{.rows = std::move(rows)}};
}

void ArrowTable::add(ArrowOwned<ArrowArrayStream> stream, const std::string& name) {
  ArrowOwned<ArrowSchema> schema;
  if (stream->get_schema(stream.get(), schema.get()) != 0) throw_broken_stream(name_);
  std::vector<ArrowOwned<ArrowArray>> batches;
  for (;;) {
    ArrowOwned<ArrowArray> batch;
    if (stream->get_next(stream.get(), batch.get()) != 0) throw_broken_stream(name_);
    if (batch->release == nullptr) break;
    if (batch->length > 0) batches.push_back(std::move(batch));
  }
  add(std::move(schema), std::move(batches), name);
}

void ArrowTable::add(ArrowOwned<ArrowSchema> schema, ArrowOwned<ArrowArray> cells, const std::string& name) {
  std::vector<ArrowOwned<ArrowArray>> one;
  if (cells->length > 0) one.push_back(std::move(cells));
  add(std::move(schema), std::move(one), name);
}

void ArrowTable::add(ArrowOwned<ArrowSchema> schema, std::vector<ArrowOwned<ArrowArray>> batches,
                     const std::string& name) {
  const auto& held = schemas_.emplace_back(std::make_unique<ArrowOwned<ArrowSchema>>(std::move(schema)));
  const bool several = has_columns(*held->get());
  const std::size_t first = columns_.size();
  const std::size_t count = several ? static_cast<std::size_t>((*held)->n_children) : 1;
  for (std::size_t c = 0; c < count; ++c) {
    ArrowSchema* column = several ? (*held)->children[c] : held->get();
    columns_.push_back({several && column->name != nullptr ? column->name : name, column, {}});
    if (columns_.back().name.empty())
      throw InputError({.source = name_}, fmt::format("column {} has no name", first + c + 1),
                       "Give every column a name.");
  }
  std::size_t rows = 0;
  for (ArrowOwned<ArrowArray>& given : batches) {
    const auto& batch = batches_.emplace_back(std::make_unique<ArrowOwned<ArrowArray>>(std::move(given)));
    const std::size_t end = rows + static_cast<std::size_t>((*batch)->length);
    for (std::size_t c = 0; c < count; ++c)
      columns_[first + c].pieces.push_back(
          {several ? (*batch)->children[c] : batch->get(), several ? (*batch)->offset : 0, rows, end});
    rows = end;
  }
  if (first > 0 && rows != rows_)
    throw InputError({.source = name_, .column = columns_[first].name},
                     fmt::format("has {} rows, and the columns before it have {}", rows, rows_),
                     "Give one value for each row.");
  rows_ = rows;
}

}  // namespace hyobscure::data
