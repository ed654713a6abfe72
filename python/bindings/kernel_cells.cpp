#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/census/cell_sums.h"
#include "hyobscure/census/census.h"
#include "hyobscure/obscure/fit/fit.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

census::AdditiveDistance distance_of(const FrameSpec& spec, std::size_t columns,
                                     const std::pair<double, double>& extent) {
  const census::Distance distance = spec.spec.channel.distance;
  if (!census::is_additive(distance))
    throw InputError({.source = spec.name + ", channel.distance"},
                     fmt::format("{} needs every pair of people", data::word(distance)),
                     "Take jensen-shannon, squared-euclidean or hamming.");
  return census::additive_distance(distance, columns, {.entry = extent.first, .square = extent.second});
}

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

/// What was counted and summed of everybody, becoming a mechanism.
class Solver {
 public:
  Solver(const FrameSpec& spec, const Model& model, const InputArray<double>& low,
         const InputArray<double>& high, const InputArray<double>& centre, const InputArray<double>& distinct,
         const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& counts,
         std::size_t entries, const std::pair<double, double>& extent, std::string fingerprint,
         const Space* space)
      : spec_(spec.spec),
        distance_(distance_of(spec, model.columns(), extent)),
        values_(values_of(low, high, centre, distinct)),
        entries_(entries),
        fingerprint_(std::move(fingerprint)),
        space_(space == nullptr ? std::nullopt : std::optional(space->space)) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    census_.counts = Eigen::Map<const RowMajor>(counts.data(), static_cast<Eigen::Index>(counts.shape(0)),
                                                static_cast<Eigen::Index>(counts.shape(1)));
    census_.clustering.model = model.model;
    if (census_.counts.rows() != model.model.clusters() ||
        census_.counts.cols() != static_cast<Eigen::Index>(values_.size()))
      refuse_batch("counts are not those of the clusters and values");
    census::check_size(values_.size(), model.model.clusters());
  }

  void add(const InputArray<std::uint32_t>& items, const std::vector<nb::bytes>& payloads) {
    for (std::size_t i = 0; i < items.size(); ++i)
      parts_.push_back({items.data()[i], std::string(text_of(payloads[i]))});
  }

  std::string solve() {
    const nb::gil_scoped_release unlocked;
    census_.pair_sums = census::pair_sums_of_parts(
        distance_, parts_, census_.counts, static_cast<std::size_t>(census_.clustering.model.centres.cols()),
        entries_);
    parts_.clear();
    const obscure::Population population(values_, space_, census_.counts.colwise().sum().transpose());
    return obscure::mechanism_content(obscure::fit_counted(population, spec_, census_, fingerprint_));
  }

 private:
  data::Spec spec_;
  census::AdditiveDistance distance_;
  std::vector<data::SecretValue> values_;
  std::size_t entries_;
  std::string fingerprint_;
  std::optional<data::SecretSpace> space_;  ///< none: one number
  census::Census census_;
  std::vector<census::CellSums::Part> parts_;
};

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
  nb::class_<Solver>(module, "Solver", "Finds the mechanism for people who are counted.")
      .def(nb::init<const FrameSpec&, const Model&, const InputArray<double>&, const InputArray<double>&,
                    const InputArray<double>&, const InputArray<double>&,
                    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>&, std::size_t,
                    const std::pair<double, double>&, std::string, const Space*>(),
           nb::arg("spec"), nb::arg("model"), nb::arg("low"), nb::arg("high"), nb::arg("centre"),
           nb::arg("distinct"), nb::arg("counts"), nb::arg("entries"), nb::arg("extent"),
           nb::arg("fingerprint"), nb::arg("space").none() = nb::none())
      .def("add", &Solver::add, nb::arg("items"), nb::arg("payloads"), "Joined sums of some of the items.")
      .def("solve", &Solver::solve, "The text of the mechanism file.");
}

}  // namespace hyobscure::python
