#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/census/cell_sums.h"
#include "kernels.h"

namespace hyobscure::python {

census::AdditiveDistance distance_of(const FrameSpec& spec, std::size_t columns,
                                     const std::pair<double, double>& extent) {
  const census::Distance distance = spec.spec.channel.distance;
  if (!census::is_additive(distance))
    throw InputError({.source = spec.name + ", channel.distance"},
                     fmt::format("{} needs every pair of people", data::word(distance)),
                     "Take jensen-shannon, squared-euclidean or hamming.");
  return census::additive_distance(distance, columns, {.entry = extent.first, .square = extent.second});
}

namespace {

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

struct Sums {
  std::size_t columns;
  census::CellSums sums;
};

nb::tuple parts_of(std::vector<census::CellSums::Part> parts) {
  std::vector<std::uint32_t> items;
  nb::list payloads;
  for (const census::CellSums::Part& part : parts) {
    items.push_back(part.item);
    payloads.append(bytes_of(part.bytes));
  }
  return nb::make_tuple(owned_array(std::move(items)), payloads);
}

/// Neighbours of the same item are joined.
nb::tuple join_parts(const InputArray<std::uint32_t>& items, const std::vector<nb::bytes>& payloads) {
  const auto given = span_of(items);
  if (given.size() != payloads.size()) refuse_batch("there is not a payload for each item");
  if (!std::ranges::is_sorted(given)) refuse_batch("items do not ascend");
  std::vector<census::CellSums::Part> joined;
  for (std::size_t i = 0; i < given.size();) {
    std::vector<std::string_view> same;
    const std::uint32_t item = given[i];
    for (; i < given.size() && given[i] == item; ++i) same.push_back(text_of(payloads[i]));
    joined.push_back({item, census::CellSums::join(same)});
  }
  return parts_of(std::move(joined));
}

}  // namespace

void bind_cell_kernels(nb::module_& module) {
  nb::class_<Sums>(module, "CellSums", "What a part of the people adds to the distances between cells.")
      .def(
          "__init__",
          [](Sums* sums, const FrameSpec& spec, std::size_t columns, std::uint64_t people,
             const std::pair<double, double>& extent) {
            new (sums) Sums{columns, census::CellSums(distance_of(spec, columns, extent), people)};
          },
          nb::arg("spec"), nb::arg("columns"), nb::arg("people"), nb::arg("extent"))
      .def(
          "add",
          [](Sums& sums, const InputRows& rows, const InputArray<std::uint32_t>& cells) {
            const data::SparseRows given = rows_of(rows, sums.columns);
            if (cells.size() != given.size()) refuse_batch("there is not a cell for each row");
            sums.sums.add(given, span_of(cells));
          },
          nb::arg("rows"), nb::arg("cells"), "Cell: value * clusters + cluster.")
      .def(
          "parts", [](Sums& sums) { return parts_of(sums.sums.take_parts()); },
          "Items, ascending, and the sums of each as bytes; starts again.")
      .def_prop_ro("memory", [](const Sums& sums) { return sums.sums.memory(); });
  module.def("join_parts", join_parts, nb::arg("items"), nb::arg("payloads"),
             "Items ascend; neighbours of the same item are joined. Returns items and payloads.");
}

}  // namespace hyobscure::python
