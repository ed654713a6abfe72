#include "hyobscure/data/synth/synth.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "bind.h"
#include "hyobscure/base/error.h"
#include "work.h"

namespace hyobscure::python {
namespace {

data::SynthKind kind_named(const std::string& name) {
  if (name == "ratings") return data::SynthKind::Ratings;
  if (name == "tabular") return data::SynthKind::Tabular;
  if (name == "check-ins") return data::SynthKind::CheckIns;
  throw InputError({.source = "kind"}, "there is no such kind of people",
                   "Take ratings, tabular or check-ins.");
}

void synthesise(const std::filesystem::path& folder, const std::string& kind, std::int64_t people,
                std::uint64_t seed, double dependence, int items, int entries, bool parquet, bool force,
                const nb::object& report) {
  const data::SynthSettings settings{.kind = kind_named(kind),
                                     .people = people,
                                     .seed = seed,
                                     .dependence = dependence,
                                     .items = items,
                                     .entries = entries,
                                     .parquet = parquet};
  (void)work(report, 0, [&](const Progress& progress) {
    data::synthesise(settings, folder, force, progress);
    return true;
  });
}

}  // namespace

void bind_synth(nb::module_& module) {
  const data::SynthSettings usual;
  module.def("synth", &synthesise, nb::arg("folder"), nb::arg("kind") = "ratings",
             nb::arg("people") = usual.people, nb::arg("seed") = usual.seed,
             nb::arg("dependence") = usual.dependence, nb::arg("items") = usual.items,
             nb::arg("entries") = usual.entries, nb::arg("parquet") = usual.parquet, nb::arg("force") = false,
             nb::arg("progress") = nb::none(),
             "Writes synthetic people and a spec.toml that fits them, as `hyobscure synth` does.");
}

}  // namespace hyobscure::python
