#include "source.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "hyobscure/obscure/methods/settings.h"

namespace hyobscure::python {
namespace {

std::vector<data::Override> overrides(const std::vector<Source::GivenKey>& given) {
  std::vector<data::Override> all;
  for (const auto& [name, text, written] : given) all.push_back({name, text, written});
  return all;
}

}  // namespace

Source::Source(const std::string& file, const std::vector<GivenKey>& given,
               std::vector<std::shared_ptr<data::ArrowTable>> tables, std::string memory, int threads)
    : spec_(file.empty() ? data::parse_spec("", "HyObscure", ".", overrides(given))
                         : data::read_spec(file, overrides(given))),
      tables_(tables.begin(), tables.end()),
      memory_(std::move(memory)),
      threads_(threads) {}

data::EngineSettings Source::engine_settings() const {
  return {.folder = spec_.folder, .memory = memory_, .threads = threads_, .tables = tables_};
}

workflow::Workbench Source::workbench(const Progress& progress) const {
  return workflow::Workbench(spec_, {.memory = memory_, .threads = threads_, .tables = tables_}, progress);
}

void bind_source(nb::module_& module) {
  nb::class_<Source>(module, "Source", "A spec with the tables of memory that it selects from.")
      .def(nb::init<const std::string&, const std::vector<Source::GivenKey>&,
                    std::vector<std::shared_ptr<data::ArrowTable>>, std::string, int>(),
           nb::arg("file"), nb::arg("given"), nb::arg("tables"), nb::arg("memory"), nb::arg("threads"))
      .def_prop_ro(
          "settings",
          [](const Source& source) {
            nb::dict settings;
            for (const data::SettingValue& value : data::setting_values(source.spec()))
              if (value.given) settings[value.name.c_str()] = value.value;
            return settings;
          },
          "The keys that differ from their defaults, as a spec would write them.");

  nb::class_<data::Setting>(module, "Setting", "A key of the spec.")
      .def_prop_ro("name", &data::Setting::full_name)
      .def_ro("type", &data::Setting::type)
      .def_ro("default", &data::Setting::fallback)
      .def_ro("help", &data::Setting::help)
      .def_ro("choices", &data::Setting::choices)
      .def("__repr__", [](const data::Setting& setting) {
        return setting.full_name() + ": " + setting.type + " (" + setting.fallback + ") " + setting.help;
      });
  module.def("settings", &obscure::settings, "All keys of a spec.");
}

}  // namespace hyobscure::python
