#include <toml++/toml.h>

#include "hyobscure/base/error.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

bool names_events(const std::string& text, const std::map<std::string, std::string>& overrides) {
  if (std::ranges::any_of(overrides, [](const auto& given) { return given.first.starts_with("events."); }))
    return true;
  const auto parsed = toml::parse(text);
  return parsed.contains("events");
}

std::string value_of(const FrameSpec& given, const std::string& key) {
  for (const data::SettingValue& setting : data::setting_values(given.spec))
    if (setting.name == key) return setting.value;
  throw InputError({.source = given.name, .column = key}, "there is no such setting",
                   "Take one of docs/settings.md.");
}

}  // namespace

FrameSpec::FrameSpec(std::string toml, std::string called, std::map<std::string, std::string> given)
    : text(std::move(toml)), name(std::move(called)), overrides(std::move(given)) {
  std::vector<data::Override> all;
  for (const auto& [key, value] : overrides) all.push_back({.name = key, .text = value, .flag = key});
  all.push_back({.name = "people.file", .text = "people"});
  if (names_events(text, overrides)) all.push_back({.name = "events.file", .text = "events"});
  spec = data::parse_spec(text, name, ".", all);
}

void bind_spec_kernel(nb::module_& module) {
  nb::class_<FrameSpec>(module, "Spec", "A spec whose tables are frames.")
      .def(nb::init<std::string, std::string, std::map<std::string, std::string>>(), nb::arg("text"),
           nb::arg("name") = "spec", nb::arg("overrides") = std::map<std::string, std::string>())
      .def("__getstate__", [](const FrameSpec& s) { return std::tuple(s.text, s.name, s.overrides); })
      .def("__setstate__",
           [](FrameSpec& s,
              const std::tuple<std::string, std::string, std::map<std::string, std::string>>& state) {
             new (&s) FrameSpec(std::get<0>(state), std::get<1>(state), std::get<2>(state));
           })
      .def("get", value_of, nb::arg("key"), "The value of a key as a spec would write it; \"none\".")
      .def_ro("name", &FrameSpec::name)
      .def_prop_ro("is_long", [](const FrameSpec& s) { return s.spec.is_long(); })
      .def_prop_ro("id", [](const FrameSpec& s) { return s.spec.people.id; })
      .def_prop_ro("secrets", [](const FrameSpec& s) { return s.spec.people.secret.all; })
      .def_prop_ro("secret_kinds",
                   [](const FrameSpec& s) {
                     std::vector<std::string> kinds;
                     for (const data::AxisKind kind : s.spec.secret.kind.all)
                       kinds.push_back(data::word(kind));
                     return kinds;
                   })
      .def_prop_ro("features", [](const FrameSpec& s) { return s.spec.people.features; })
      .def_prop_ro("keep", [](const FrameSpec& s) { return s.spec.people.keep; })
      .def_prop_ro("categorical", [](const FrameSpec& s) { return s.spec.people.categorical; })
      .def_prop_ro("sets", [](const FrameSpec& s) { return s.spec.people.sets; })
      .def_prop_ro("set_separator", [](const FrameSpec& s) { return s.spec.people.set_separator; })
      .def_prop_ro("person", [](const FrameSpec& s) { return s.spec.events.person; })
      .def_prop_ro("item", [](const FrameSpec& s) { return s.spec.events.item; })
      .def_prop_ro("value", [](const FrameSpec& s) { return s.spec.events.value; })
      .def_prop_ro("time", [](const FrameSpec& s) { return s.spec.events.time; })
      .def_prop_ro("atoms", [](const FrameSpec& s) { return s.spec.secret.atoms; })
      .def_prop_ro("fewest_people", [](const FrameSpec& s) { return s.spec.secret.fewest_people; })
      .def_prop_ro("distance", [](const FrameSpec& s) { return data::word(s.spec.channel.distance); })
      .def_prop_ro("ids", [](const FrameSpec& s) { return data::word(s.spec.release.ids); })
      .def_prop_ro("order", [](const FrameSpec& s) { return data::word(s.spec.release.order); });
}

}  // namespace hyobscure::python
