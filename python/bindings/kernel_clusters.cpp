#include <cstring>

#include "hyobscure/census/census.h"
#include "hyobscure/obscure/fit/fit.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

std::optional<OwnedArray<std::uint32_t>> sample(std::size_t people, const FrameSpec& spec) {
  const auto chosen = census::sample_for_clusters(people, obscure::census_settings(spec.spec).clustering,
                                                  census::clusters_key(obscure::census_key(spec.spec)));
  if (!chosen) return std::nullopt;
  return owned_array(*chosen);
}

Model cluster(const InputRows& given, std::size_t columns, const FrameSpec& spec, bool sampled) {
  const data::SparseRows rows = rows_of(given, columns);
  const census::KMeansSettings settings = obscure::census_settings(spec.spec).clustering;
  const Key key = census::clusters_key(obscure::census_key(spec.spec));
  return {sampled ? census::cluster_sample(rows, settings, key)
                  : census::cluster_rows(rows, settings, key).model};
}

OwnedArray<std::int64_t> canonical_order(const InputArray<std::int64_t>& sizes,
                                         const InputArray<std::int64_t>& firsts) {
  const std::vector<std::size_t> people(sizes.data(), sizes.data() + sizes.size());
  const std::vector<std::size_t> rows(firsts.data(), firsts.data() + firsts.size());
  if (people.size() != rows.size()) refuse_batch("there is not a first row for each cluster");
  const auto order = census::canonical_order(people, rows);
  return owned_array(std::vector<std::int64_t>(order.begin(), order.end()));
}

Model reordered(const Model& model, const InputArray<std::int64_t>& order) {
  const std::vector<Eigen::Index> numbers(order.data(), order.data() + order.size());
  return {census::reorder(model.model, numbers)};
}

nb::tuple model_state(const Model& model) {
  const Eigen::MatrixXd& centres = model.model.centres;
  return nb::make_tuple(centres.rows(), centres.cols(), model.model.normalise,
                        nb::bytes(reinterpret_cast<const char*>(centres.data()),
                                  static_cast<std::size_t>(centres.size()) * sizeof(double)));
}

Model model_of_state(const std::tuple<Eigen::Index, Eigen::Index, bool, nb::bytes>& state) {
  const auto& [clusters, columns, normalise, bytes] = state;
  if (bytes.size() != static_cast<std::size_t>(clusters * columns) * sizeof(double))
    refuse_batch("the cluster model is damaged");
  Model model{{.centres = Eigen::MatrixXd(clusters, columns), .normalise = normalise}};
  std::memcpy(model.model.centres.data(), bytes.c_str(), bytes.size());
  return model;
}

}  // namespace

void bind_cluster_kernels(nb::module_& module) {
  nb::class_<Model>(module, "Model", "Centres of clusters.")
      .def_prop_ro("clusters", [](const Model& model) { return model.model.clusters(); })
      .def_prop_ro("columns", &Model::columns)
      .def(
          "assign",
          [](const Model& model, const InputRows& rows) {
            return owned_array(census::assign(model.model, rows_of(rows, model.columns())));
          },
          nb::arg("rows"), "The nearest centre of every row.")
      .def("reorder", reordered, nb::arg("order"), "Cluster order[i] becomes cluster i.")
      .def("__getstate__", model_state)
      .def("__setstate__",
           [](Model& model, const std::tuple<Eigen::Index, Eigen::Index, bool, nb::bytes>& state) {
             new (&model) Model(model_of_state(state));
           });
  module.def("sample", sample, nb::arg("people"), nb::arg("spec"),
             "The people whose rows determine the centres, ascending; None: everybody.");
  module.def("cluster", cluster, nb::arg("rows"), nb::arg("columns"), nb::arg("spec"), nb::arg("sampled"),
             "The centres of these rows: a sample, still to be numbered; or all, numbered.");
  module.def("canonical_order", canonical_order, nb::arg("sizes"), nb::arg("firsts"),
             "Clusters by size, ties by their first person.");
}

}  // namespace hyobscure::python
