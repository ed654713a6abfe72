#include <fmt/format.h>

#include <optional>

#include "cluster_rows.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/cell_sums.h"
#include "hyobscure/census/census.h"
#include "hyobscure/obscure/fit/fit.h"
#include "kernel_state.h"

namespace hyobscure::python {
namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RowMajorTable = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What was counted and summed of everybody, becoming a mechanism.
class Solver {
 public:
  Solver(const FrameSpec& spec, const Model& model, const InputArray<double>& low,
         const InputArray<double>& high, const InputArray<double>& centre, const InputArray<double>& distinct,
         const Table& counts, std::size_t entries, const std::pair<double, double>& extent,
         std::string fingerprint, const Space* space)
      : spec_(spec.spec),
        distance_(distance_of(spec, model.columns(), extent)),
        values_(values_of(low, high, centre, distinct)),
        entries_(entries),
        fingerprint_(std::move(fingerprint)),
        space_(space == nullptr ? std::nullopt : std::optional(space->space)) {
    census_.counts =
        Eigen::Map<const RowMajorTable>(counts.data(), static_cast<Eigen::Index>(counts.shape(0)),
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

  nb::bytes pair_sums() {
    join_parts();
    const RowMajorTable sums = census_.pair_sums;
    return packed_numbers(sums.data(), static_cast<std::size_t>(sums.size()));
  }

  void set_pair_sums(const nb::bytes& sums) {
    const auto cells = census_.counts.size();
    census_.pair_sums = unpacked_matrix<RowMajorTable>(sums, cells);
    if (census_.pair_sums.rows() != cells) refuse_batch("sums are not those of the cells");
  }

  std::string solve() {
    const nb::gil_scoped_release unlocked;
    join_parts();
    const obscure::Population population(values_, space_, census_.counts.colwise().sum().transpose());
    return obscure::mechanism_content(obscure::fit_counted(population, spec_, census_, fingerprint_));
  }

  std::string solve_people(const InputArray<std::uint32_t>& y, const InputArray<std::uint32_t>& cluster,
                           const std::optional<InputRows>& rows, const nb::object& engine, int threads) {
    const data::People people = people_of(y, rows);
    if (cluster.size() != people.size()) refuse_batch("there is not a cluster for each person");
    census_.clustering.cluster_of_row.assign(cluster.data(), cluster.data() + cluster.size());
    const auto elsewhere = rows ? nullptr : rows_of_cluster(engine);
    const nb::gil_scoped_release unlocked;
    const ThreadLimit limit(threads);
    join_parts();
    return obscure::mechanism_content(
        obscure::fit_people(people, spec_, census_, fingerprint_, elsewhere.get()));
  }

 private:
  void join_parts() {
    if (census_.pair_sums.size() > 0) return;
    census_.pair_sums = census::pair_sums_of_parts(
        distance_, parts_, census_.counts, static_cast<std::size_t>(census_.clustering.model.centres.cols()),
        entries_);
    parts_.clear();
  }

  /// Without ids: the fingerprint is known.
  data::People people_of(const InputArray<std::uint32_t>& y, const std::optional<InputRows>& rows) const {
    data::People people;
    people.ids.resize(y.size());
    people.secrets.assign(y.data(), y.data() + y.size());
    people.values = values_;
    people.space = space_;
    const auto columns = static_cast<std::size_t>(census_.clustering.model.centres.cols());
    if (rows) {
      people.features = rows_of(*rows, columns);
      if (people.features.size() != people.size()) refuse_batch("there is not a row for each person");
    } else {
      people.features.columns = columns;
      people.features.starts.assign(people.size() + 1, 0);
    }
    if (static_cast<double>(people.size()) != census_.counts.sum())
      refuse_batch("the people are not those who were counted");
    return people;
  }

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

void bind_solver_kernel(nb::module_& module) {
  nb::class_<Solver>(module, "Solver", "Finds the mechanism for people who are counted.")
      .def(nb::init<const FrameSpec&, const Model&, const InputArray<double>&, const InputArray<double>&,
                    const InputArray<double>&, const InputArray<double>&, const Table&, std::size_t,
                    const std::pair<double, double>&, std::string, const Space*>(),
           nb::arg("spec"), nb::arg("model"), nb::arg("low"), nb::arg("high"), nb::arg("centre"),
           nb::arg("distinct"), nb::arg("counts"), nb::arg("entries"), nb::arg("extent"),
           nb::arg("fingerprint"), nb::arg("space").none() = nb::none())
      .def("add", &Solver::add, nb::arg("items"), nb::arg("payloads"), "Joined sums of some of the items.")
      .def("pair_sums", &Solver::pair_sums, "The sums of all pairs of cells, for a solver elsewhere.")
      .def("set_pair_sums", &Solver::set_pair_sums, nb::arg("sums"), "In place of all that was added.")
      .def("solve", &Solver::solve, "The text of the mechanism file.")
      .def(
          "solve_people", &Solver::solve_people, nb::arg("y"), nb::arg("cluster"),
          nb::arg("rows").none() = nb::none(), nb::arg("engine").none() = nb::none(), nb::arg("threads") = 0,
          "The same for a method that looks at each person: value and cluster of each, and their rows, which "
          "are here or asked for by the engine.");
}

}  // namespace hyobscure::python
