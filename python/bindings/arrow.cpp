#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "arrow.h"
#include "bind.h"
#include "hyobscure/base/error.h"

namespace hyobscure::python {
namespace {

using data::ArrowOwned;
using data::ArrowTable;

constexpr const char* kStream = "arrow_array_stream";

/// The letter of Arrow for the numbers of an array.
const char* format_of(nb::dlpack::dtype type) {
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  if (code == nb::dlpack::dtype_code::Float) return type.bits == 64 ? "g" : type.bits == 32 ? "f" : nullptr;
  const bool is_signed = code == nb::dlpack::dtype_code::Int;
  if (!is_signed && code != nb::dlpack::dtype_code::UInt) return nullptr;
  switch (type.bits) {
    case 8:
      return is_signed ? "c" : "C";
    case 16:
      return is_signed ? "s" : "S";
    case 32:
      return is_signed ? "i" : "I";
    case 64:
      return is_signed ? "l" : "L";
    default:
      return nullptr;
  }
}

/// Buffers of one array, and whatever keeps them alive.
template <class Owner>
struct Cells {
  Owner owner;
  std::vector<const void*> buffers;
};

template <class Owner>
ArrowOwned<ArrowArray> array_of(std::size_t rows, std::int64_t nulls, std::unique_ptr<Cells<Owner>> cells) {
  ArrowArray array{.length = static_cast<std::int64_t>(rows),
                   .null_count = nulls,
                   .offset = 0,
                   .n_buffers = static_cast<std::int64_t>(cells->buffers.size()),
                   .n_children = 0,
                   .buffers = cells->buffers.data(),
                   .children = nullptr,
                   .dictionary = nullptr,
                   .release =
                       [](ArrowArray* self) {
                         const nb::gil_scoped_acquire locked;  // the owner may be Python's
                         delete static_cast<Cells<Owner>*>(self->private_data);
                         self->release = nullptr;
                       },
                   .private_data = cells.get()};
  (void)cells.release();
  return ArrowOwned<ArrowArray>(array);
}

/// `format` must be a literal.
ArrowOwned<ArrowSchema> schema_of(const char* format) {
  ArrowSchema schema{.format = format,
                     .name = "",
                     .metadata = nullptr,
                     .flags = ARROW_FLAG_NULLABLE,
                     .n_children = 0,
                     .children = nullptr,
                     .dictionary = nullptr,
                     .release = [](ArrowSchema* self) { self->release = nullptr; },
                     .private_data = nullptr};
  return ArrowOwned<ArrowSchema>(schema);
}

void add_stream(ArrowTable& table, const nb::object& producer, const std::string& name) {
  const nb::object capsule = producer.attr("__arrow_c_stream__")();
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStream));
  if (stream == nullptr) throw nb::python_error();
  ArrowOwned<ArrowArrayStream> taken(*stream);
  const nb::gil_scoped_release unlocked;
  table.add(std::move(taken), name);
}

using Numbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void add_numbers(ArrowTable& table, const Numbers& numbers, const std::string& name) {
  const char* format = format_of(numbers.dtype());
  if (format == nullptr)
    throw InputError({.source = table.name(), .column = name}, "is of a type that is no number",
                     "Convert it to numbers, or give a data frame.");
  auto cells = std::make_unique<Cells<Numbers>>(
      Cells<Numbers>{.owner = numbers, .buffers = {nullptr, numbers.data()}});
  table.add(schema_of(format), array_of(numbers.shape(0), 0, std::move(cells)), name);
}

struct HeldTexts {
  std::vector<std::uint8_t> present;
  std::vector<std::int64_t> ends = {0};
  std::string letters;
};

void add_texts(ArrowTable& table, const std::vector<std::optional<std::string>>& texts,
               const std::string& name) {
  auto cells = std::make_unique<Cells<HeldTexts>>();
  HeldTexts& held = cells->owner;
  held.present.resize((texts.size() + 7) / 8);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    if (texts[row])
      held.present[row / 8] = static_cast<std::uint8_t>(held.present[row / 8] | (1U << (row % 8)));
    held.letters += texts[row].value_or("");
    held.ends.push_back(static_cast<std::int64_t>(held.letters.size()));
  }
  cells->buffers = {held.present.data(), held.ends.data(), held.letters.data()};
  table.add(schema_of("U"), array_of(texts.size(), -1, std::move(cells)), name);
}

nb::capsule stream_of(ResultRows& rows, const nb::object&) {
  if (!rows.rows) throw InputError({.source = "Arrow rows"}, "were read already", "Ask for the table again.");
  auto stream = std::make_unique<ArrowArrayStream>();
  data::export_stream(*std::exchange(rows.rows, std::nullopt), stream.get());
  return nb::capsule(stream.release(), kStream, [](void* held) noexcept {
    auto* const left = static_cast<ArrowArrayStream*>(held);
    if (left->release != nullptr) left->release(left);
    delete left;
  });
}

}  // namespace

void bind_arrow(nb::module_& module) {
  nb::class_<ArrowTable>(module, "ArrowTable", "Columns of other libraries' memory, side by side.")
      .def(nb::init<std::string>(), nb::arg("name"))
      .def("add_stream", &add_stream, nb::arg("producer"), nb::arg("name") = "",
           "Adds the columns of an object with __arrow_c_stream__.")
      .def("add_numbers", &add_numbers, nb::arg("numbers"), nb::arg("name"),
           "Adds a column of numbers, which stay where they are.")
      .def("add_texts", &add_texts, nb::arg("texts"), nb::arg("name"), "Adds a column of texts or None.")
      .def_prop_ro("rows", &ArrowTable::rows)
      .def_prop_ro("names", [](const ArrowTable& table) {
        std::vector<std::string> names;
        for (const ArrowTable::Column& column : table.columns()) names.push_back(column.name);
        return names;
      });
  nb::class_<ResultRows>(module, "ArrowRows", "Rows of the engine, to be read once.")
      .def("__arrow_c_stream__", &stream_of, nb::arg("requested_schema") = nb::none());
}

}  // namespace hyobscure::python
