#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bind.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/workflow/starting_spec.h"
#include "source.h"
#include "work.h"

// What is asked before anything is fitted: what the data leaks, which spec it could have, what methods would
// give.
namespace hyobscure::python {
namespace {

namespace fs = std::filesystem;

/// What `inspect` shows.
struct InspectedPeople {
  std::string json, text;
};

InspectedPeople inspect(const Source& source, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    const Stopwatch watch;
    const workflow::Inspected found = source.workbench(progress).inspect();
    return InspectedPeople{.json = report::inspection_json(found.inspection, found.counts, watch.seconds()),
                           .text = report::inspection_text(found.inspection, found.counts, source.spec())};
  });
}

// --- a first spec

workflow::StartingSpec starting_spec(const std::string& people, const std::string& events,
                                     const std::string& secret, const std::string& care,
                                     const fs::path& folder,
                                     const std::vector<std::shared_ptr<data::ArrowTable>>& tables,
                                     const std::string& memory, int threads, const nb::object& report) {
  const double share = workflow::budget_share_of(care);
  const bool in_memory = !tables.empty();
  const auto name = [&](const std::string& given) {
    return in_memory ? given : workflow::name_in_spec(folder, given);
  };
  const data::GuessRequest request{.folder = folder,
                                   .people = name(people),
                                   .events = name(events),
                                   .in_memory = in_memory,
                                   .secret = secret};
  const workflow::Resources resources{
      .memory = memory, .threads = threads, .tables = {tables.begin(), tables.end()}};
  return work(report, threads, [&](const Progress& progress) {
    return workflow::starting_spec(request, share, {}, resources, progress);
  });
}

/// The keys that it sets, as a spec would write them.
std::vector<std::pair<std::string, std::string>> settings_of(const workflow::StartingSpec& start) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const data::SettingValue& value : data::setting_values(start.guess.spec))
    if (value.value != "none" && (value.given || start.guess.reasons.contains(value.name)))
      settings.emplace_back(value.name, value.value);
  return settings;
}

std::vector<std::pair<std::string, std::string>> left_out(const workflow::StartingSpec& start) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const data::ColumnLeftOut& column : start.guess.left_out)
    columns.emplace_back(column.name, column.because);
  return columns;
}

void write_spec(const fs::path& file, const std::string& toml, bool force) {
  check_output_file(file, force);
  write_file(file, toml, FileAccess::Everyone);
}

// --- methods side by side

struct Compared {
  audit::TradeOff found;
  bool audited = false;
  double seconds = 0;

  std::string json() const {
    return audited ? report::trade_off_json(found, seconds)
                   : report::comparison_json(found.comparison, seconds);
  }
  std::string text() const {
    return report::comparison_text(found.comparison) +
           (audited ? "\n" + report::trade_off_text(found) : std::string());
  }
};

Compared compare(const Source& source, const std::vector<std::string>& methods,
                 const std::vector<double>& budgets, int points, bool audited, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    const Stopwatch watch;
    Compared compared{.found = source.workbench(progress).compare(
                          {.methods = methods, .budgets = budgets, .points = points}, audited),
                      .audited = audited};
    compared.seconds = watch.seconds();
    return compared;
  });
}

void save(const Compared& compared, const Source& source, const fs::path& folder, bool force,
          const nb::object& report) {
  (void)work(report, source.threads(), [&](const Progress& progress) {
    return source.workbench(progress).write_comparison(compared.found, compared.audited, compared.seconds,
                                                       folder, force);
  });
}

}  // namespace

void bind_explore(nb::module_& module) {
  nb::class_<InspectedPeople>(module, "InspectedPeople", "What is in the data, and what it leaks.")
      .def_ro("json", &InspectedPeople::json)
      .def_ro("text", &InspectedPeople::text);
  module.def("inspect", &inspect, nb::arg("source"), nb::arg("progress").none(),
             "What is in the data, what it leaks today and which limits can be met.");

  nb::class_<workflow::StartingSpec>(module, "StartingSpec", "A first spec, with the reason for each guess.")
      .def_ro("toml", &workflow::StartingSpec::toml)
      .def_ro("people", &workflow::StartingSpec::people)
      .def_prop_ro("reasons", [](const workflow::StartingSpec& start) { return start.guess.reasons; })
      .def_prop_ro("secret",
                   [](const workflow::StartingSpec& start) { return start.guess.spec.people.secret.all; })
      .def_prop_ro("settings", &settings_of, "The keys that it sets, as a spec would write them.")
      .def_prop_ro("left_out", &left_out, "Columns that are not published, and why.");
  module.def("starting_spec", &starting_spec, nb::arg("people"), nb::arg("events"), nb::arg("secret"),
             nb::arg("care"), nb::arg("folder"), nb::arg("tables"), nb::arg("memory"), nb::arg("threads"),
             nb::arg("progress").none(), "A spec for files, or for tables of memory, that have none yet.");

  module.def("write_spec", &write_spec, nb::arg("file"), nb::arg("toml"), nb::arg("force"));
  module.def("budget_share_of", &workflow::budget_share_of, nb::arg("care"),
             "channel.budget_share of careful, balanced or useful.");

  nb::class_<Compared>(module, "Compared", "Methods side by side.")
      .def_prop_ro("json", &Compared::json)
      .def_prop_ro("text", &Compared::text)
      .def_prop_ro("complete", [](const Compared& compared) { return compared.found.comparison.complete(); })
      .def("save", &save, nb::arg("source"), nb::arg("folder"), nb::arg("force"), nb::arg("progress").none(),
           "Writes the folder that `hyobscure compare` writes.");
  module.def("compare", &compare, nb::arg("source"), nb::arg("methods"), nb::arg("budgets"),
             nb::arg("points"), nb::arg("audited"), nb::arg("progress").none(),
             "Every method over a sweep of budgets.");
}

}  // namespace hyobscure::python
