#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/report/summary.h"
#include "owned_array.h"
#include "source.h"
#include "work.h"

namespace hyobscure::python {
namespace {

using obscure::Channel;
using obscure::Mechanism;

/// What fit found, with what it takes to ask for other budgets.
struct Fitted {
  std::shared_ptr<Mechanism> mechanism;
  std::optional<audit::TargetSearch> target = {};
  std::shared_ptr<const obscure::TakenCensus> taken = {};
  double seconds = 0;
  bool stopped = false;
};

Fitted fit_people(const Source& source, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench = source.workbench(progress);
  workflow::Fitted found = bench.fit();
  return {.mechanism = std::make_shared<Mechanism>(std::move(found.mechanism)),
          .target = std::move(found.target),
          .taken = std::make_shared<obscure::TakenCensus>(std::move(bench).take_census()),
          .seconds = watch.seconds()};
}

Fitted fit(const Source& source, const nb::object& report) {
  auto worked = work_until_stopped(report, source.threads(),
                                   [&](const Progress& progress) { return fit_people(source, progress); });
  worked.answer.stopped = worked.signal.has_value();
  return std::move(worked.answer);
}

std::string frontier(const Fitted& fitted, const Source& source, int points, const nb::object& report) {
  const auto found = work(report, source.threads(), [&](const Progress& progress) {
    return obscure::trace_frontier(fitted.taken->people, source.spec(), fitted.taken->census, points,
                                   progress);
  });
  return report::frontier_json(found);
}

OwnedMatrix<double> matrix(const Eigen::MatrixXd& values) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = values;
  return owned_matrix(std::vector<double>(rows.data(), rows.data() + rows.size()),
                      static_cast<std::size_t>(values.cols()));
}

/// How the people of one pool find their donors, by its kind: `cells` has clusters, people and probabilities
/// of clusters; `people` has probabilities of donors as compressed sparse rows.
nb::dict channel_facts(const Channel& channel) {
  nb::dict facts;
  facts["people"] = channel.people;
  facts["retain"] = channel.retain;
  if (const auto* cells = channel.cells()) {
    facts["kind"] = "clusters";
    facts["clusters"] =
        owned_array(std::vector<std::int64_t>(cells->clusters.begin(), cells->clusters.end()));
    facts["probabilities"] = matrix(cells->probabilities);
  } else if (const auto* people = std::get_if<obscure::PersonDraw>(&channel.draw)) {
    facts["kind"] = "people";
    facts["starts"] = owned_array(std::vector<std::int64_t>(people->starts.begin(), people->starts.end()));
    facts["donors"] = owned_array(std::vector<std::int64_t>(people->donors.begin(), people->donors.end()));
    facts["probabilities"] = owned_array(people->probabilities);
  } else {
    facts["kind"] = std::holds_alternative<obscure::NearDraw>(channel.draw) ? "near" : "other";
  }
  return facts;
}

nb::list channels(const Mechanism& mechanism) {
  nb::list all;
  for (const Channel& channel : mechanism.channels) all.append(channel_facts(channel));
  return all;
}

}  // namespace

void bind_fit(nb::module_& module) {
  nb::class_<Mechanism>(module, "Mechanism",
                        "Groups, channels, cluster model and the key of the draws. Private.")
      .def_static(
          "load", [](const std::filesystem::path& file) { return obscure::read_mechanism(file); },
          nb::arg("file"))
      .def(
          "save",
          [](Mechanism& mechanism, const std::filesystem::path& file) {
            obscure::write_mechanism(mechanism, file);
            mechanism.source = file.string();
          },
          nb::arg("file"), "Writes the file that the command line reads, readable by its owner only.")
      .def_prop_ro("converged", [](const Mechanism& mechanism) { return mechanism.converged; })
      .def_prop_ro("seeded", [](const Mechanism& mechanism) { return mechanism.seeded; })
      .def_prop_ro(
          "json", [](const Mechanism& mechanism) { return report::mechanism_json(mechanism, {}, 0); },
          "What `hyobscure fit --json` prints, without counts of what was read.")
      .def("channels", &channels)
      .def("__getstate__",
           [](const Mechanism& mechanism) {
             return std::pair(obscure::mechanism_content(mechanism), mechanism.source);
           })
      .def("__setstate__", [](Mechanism& mechanism, const std::pair<std::string, std::string>& state) {
        new (&mechanism) Mechanism(obscure::parse_mechanism(state.first, state.second));
      });

  nb::class_<Fitted>(module, "Fitted", "A mechanism with the census that it was found on.")
      .def_ro("mechanism", &Fitted::mechanism)
      .def_ro("stopped", &Fitted::stopped)
      .def_prop_ro("json",
                   [](const Fitted& fitted) {
                     return report::mechanism_json(*fitted.mechanism, fitted.taken->counts, fitted.seconds,
                                                   fitted.target);
                   })
      .def_prop_ro("text",
                   [](const Fitted& fitted) {
                     return report::mechanism_text(*fitted.mechanism, fitted.taken->counts);
                   })
      .def("frontier", &frontier, nb::arg("source"), nb::arg("points"), nb::arg("progress").none());

  module.def("fit", &fit, nb::arg("source"), nb::arg("progress").none(),
             "Finds the mechanism, as `hyobscure fit` does.");
}

}  // namespace hyobscure::python
