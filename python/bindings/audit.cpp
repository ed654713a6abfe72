#include "audit.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/report/summary.h"
#include "owned_array.h"
#include "source.h"
#include "work.h"

namespace hyobscure::python {
namespace {

/// A copy in an array of Python's own: models may keep what they learned from.
template <class Number, class Range>
OwnedArray<Number> copied(const Range& range) {
  return owned_array(std::vector<Number>(range.begin(), range.end()));
}

/// (starts, items, values, columns): compressed sparse rows.
nb::tuple python_rows(const data::SparseRows& rows) {
  const std::span<const std::uint32_t> items(rows.items.data(), rows.items.size());
  const std::span<const double> values(rows.values.data(), rows.values.size());
  return nb::make_tuple(copied<std::int64_t>(rows.starts), copied<std::int32_t>(items),
                        copied<double>(values), rows.columns);
}

/// Python objects that C++ may copy and let go on any thread: with Python's lock.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::gil_scoped_acquire locked;
            delete held;
          }};
}

learn::Predictions predictions(const nb::object& model, const data::SparseRows& rows) {
  const nb::gil_scoped_acquire locked;
  const auto given = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(
      model(python_rows(rows)));
  return Eigen::Map<const learn::Predictions>(given.data(), static_cast<Eigen::Index>(given.shape(0)),
                                              static_cast<Eigen::Index>(given.shape(1)));
}

/// `learn(rows, labels, classes, seed)` gives a function of rows.
audit::OwnAttacker own_attacker(const std::string& name, const nb::object& learn) {
  return {.name = name,
          .learn = [held = shared(learn)](const data::SparseRows& rows, std::span<const double> labels,
                                          std::uint32_t classes, std::uint64_t seed) -> audit::OwnModel {
            const nb::gil_scoped_acquire locked;
            const auto model = shared((*held)(python_rows(rows), copied<double>(labels), classes, seed));
            return [model](const data::SparseRows& tested) { return predictions(*model, tested); };
          }};
}

using Attackers = std::vector<std::tuple<std::string, nb::object>>;

/// Of a mechanism, or of the release in `folder` where there is none.
Audited audit_people(const Source& source, const obscure::Mechanism* mechanism,
                     const std::filesystem::path& folder, const std::vector<audit::OwnAttacker>& own,
                     const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench = source.workbench(progress);
  Audited audited{
      .audit = mechanism != nullptr ? bench.audit(*mechanism, folder, own) : bench.audit_release(folder, own),
      .spec = source.spec()};
  audited.seconds = watch.seconds();
  return audited;
}

Audited audit(const Source& source, const obscure::Mechanism* mechanism, const std::filesystem::path& folder,
              const Attackers& attackers, const nb::object& report) {
  std::vector<audit::OwnAttacker> own;
  for (const auto& [name, learn] : attackers) own.push_back(own_attacker(name, learn));
  return work(report, source.threads(), [&](const Progress& progress) {
    return audit_people(source, mechanism, folder, own, progress);
  });
}

}  // namespace

void bind_audit(nb::module_& module) {
  nb::class_<Audited>(module, "Audit", "What attackers found, beside their controls, and what uses lost.")
      .def_prop_ro("json",
                   [](const Audited& audited) {
                     return report::audit_json(audited.audit, audited.spec, audited.seconds);
                   })
      .def_prop_ro("text",
                   [](const Audited& audited) { return report::audit_text(audited.audit, audited.spec); });
  module.def("audit", &audit, nb::arg("source"), nb::arg("mechanism").none(), nb::arg("folder"),
             nb::arg("attackers"), nb::arg("progress").none(),
             "The audit of a mechanism, or of a written release where there is none.");
}

}  // namespace hyobscure::python
