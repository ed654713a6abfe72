#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "arrow.h"
#include "audit.h"
#include "bind.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/text.h"
#include "hyobscure/base/user_folder.h"
#include "hyobscure/report/pdf.h"
#include "hyobscure/report/summary.h"
#include "owned_array.h"
#include "source.h"
#include "work.h"

namespace hyobscure::python {
namespace {

namespace fs = std::filesystem;
using data::quoted_name;
using data::quoted_text;
using published::Manifest;

/// Tables of memory lie nowhere: their ledger is the user's, wherever Python happens to run.
fs::path ledger_folder(const Source& source, const obscure::Mechanism& mechanism) {
  const data::Spec& spec = source.spec();
  if (!source.in_memory() || mechanism.seeded || spec.places.contains("release.ledger")) return {};
  const fs::path folder = user_folder("release.ledger");
  make_private_folder(folder);
  return folder;
}

std::string publish(const Source& source, const obscure::Mechanism& mechanism, const fs::path& folder,
                    bool force, bool second_draw, bool other_people, bool accept_leakage,
                    const std::string& sign, bool stays, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    const Stopwatch watch;
    std::optional<published::SigningKey> key;
    if (!sign.empty()) key = published::SigningKey::read(sign);
    const release::PublishResult result =
        source.workbench(progress).publish(mechanism, {.output = folder,
                                                       .force = force,
                                                       .second_draw = second_draw,
                                                       .other_people = other_people,
                                                       .accept_leakage = accept_leakage,
                                                       .sign = key,
                                                       .ledger_folder = ledger_folder(source, mechanism),
                                                       .stays = stays});
    return report::release_json(result, watch.seconds());
  });
}

nb::tuple drawn_rows(const Source& source, const obscure::Mechanism& mechanism, const nb::object& report) {
  workflow::DrawnRows drawn = work(report, source.threads(), [&](const Progress& progress) {
    return source.workbench(progress).drawn_rows(mechanism);
  });
  return nb::make_tuple(owned_array(std::move(drawn.donors)), owned_array(std::move(drawn.groups)));
}

void check_people(const Source& source, const obscure::Mechanism& mechanism, const nb::object& report) {
  (void)work(report, source.threads(), [&](const Progress& progress) {
    source.workbench(progress).refuse_other_data(mechanism);
    return true;
  });
}

nb::dict own_lifts(const Source& source, const obscure::Mechanism& mechanism, const nb::object& report) {
  std::vector<std::string> ids;
  const auto lifts = work(report, source.threads(), [&](const Progress& progress) {
    workflow::Workbench bench = source.workbench(progress);
    auto found = bench.own_lifts(mechanism);
    ids = bench.people().ids;
    return found;
  });
  const auto column = [&](double obscure::OwnLift::* figure) {
    std::vector<double> numbers;
    for (const obscure::OwnLift& lift : lifts) numbers.push_back(lift.*figure);
    return owned_array(std::move(numbers));
  };
  nb::dict columns;
  columns["id"] = nb::cast(ids);
  columns["expected"] = column(&obscure::OwnLift::expected);
  columns["largest"] = column(&obscure::OwnLift::largest);
  columns["by_group"] = column(&obscure::OwnLift::by_group);
  return columns;
}

// --- a written release as a table

std::string file_sql(const fs::path& file, bool parquet) {
  const std::string name = data::quoted_file(file);
  return parquet ? fmt::format("read_parquet({})", name)
                 : fmt::format(
                       "read_csv({}, header = true, all_varchar = true, delim = ',', quote = '\"', escape = "
                       "'\"')",
                       name);
}

/// What the release replaces by texts of its own: labels of groups, and ids that are not kept.
bool is_text_of_release(const Manifest& manifest, const std::string& column) {
  const published::ManifestColumns& columns = manifest.columns;
  if (column == columns.secret || std::ranges::find(columns.parts, column) != columns.parts.end())
    return true;
  return manifest.ids == data::PublishedIds::Replace && (column == columns.id || column == columns.person);
}

/// Something to select from: the people or events of a release.
std::string release_file(const fs::path& folder, const std::string& table) {
  const Manifest manifest = published::read_manifest(folder / Manifest::kFileName);
  return file_sql(folder / (table == "people" ? manifest.people_file() : manifest.events_file()),
                  manifest.format == "parquet");
}

/// Cells have the type again that they have in the original, whatever the format of the file.
ResultRows release_rows(const Source& source, const fs::path& folder, const std::string& table,
                        const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    const Manifest manifest = published::read_manifest(folder / Manifest::kFileName);
    const bool people = table == "people";
    data::Engine engine(source.engine_settings(), progress);
    const data::Spec& spec = source.spec();
    const data::Relation original = people ? open_source(engine, spec, spec.people.source, "people")
                                           : open_source(engine, spec, spec.events.source, "events");
    const std::string file = release_file(folder, table);
    std::vector<std::string> cells;
    for (const data::Column& column : engine.describe(file)) {
      const bool text = is_text_of_release(manifest, column.name);
      cells.push_back(fmt::format("CAST({0} AS {1}) AS {0}", quoted_name(column.name),
                                  text ? "VARCHAR" : original.type(column.name)));
    }
    return ResultRows{engine.arrow(fmt::format("SELECT {} FROM {}", fmt::join(cells, ", "), file))};
  });
}

// --- the same as arrays, for who has no library of tables

/// Rows x columns.
OwnedMatrix<double> release_numbers(const Source& source, const fs::path& folder, const std::string& table,
                                    const std::vector<std::string>& columns, const nb::object& report) {
  std::vector<double> numbers = work(report, source.threads(), [&](const Progress& progress) {
    data::Engine engine({.threads = source.threads()}, progress);
    std::vector<std::string> cells;
    for (const std::string& column : columns)
      cells.push_back(fmt::format("CAST({} AS DOUBLE)", quoted_name(column)));
    std::vector<double> found;
    engine.query(fmt::format("SELECT {} FROM {}", fmt::join(cells, ", "), release_file(folder, table)),
                 [&](const data::Chunk& chunk) {
                   for (std::size_t row = 0; row < chunk.rows(); ++row)
                     for (std::size_t column = 0; column < columns.size(); ++column)
                       found.push_back(chunk.doubles(column)[row]);
                 });
    return found;
  });
  return owned_matrix(std::move(numbers), columns.size());
}

std::vector<std::string> release_texts(const Source& source, const fs::path& folder, const std::string& table,
                                       const std::string& column, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    data::Engine engine({.threads = source.threads()}, progress);
    return engine.texts(
        fmt::format("SELECT CAST({} AS VARCHAR) FROM {}", quoted_name(column), release_file(folder, table)));
  });
}

// --- what is said of a release

/// JSON and text. Without a source: from the files alone.
nb::tuple verify(const fs::path& folder, const Source* source, const obscure::Mechanism* mechanism,
                 const std::string& signed_by, const nb::object& report) {
  double seconds = 0;
  const verify::Verification found =
      work(report, source == nullptr ? 0 : source->threads(), [&](const Progress& progress) {
        const Stopwatch watch;
        std::optional<published::PublicKey> key;
        if (!signed_by.empty()) key = published::PublicKey::read(signed_by);
        auto checked = source == nullptr ? workflow::verify_alone(folder, {}, progress, key)
                                         : source->workbench(progress).verify(
                                               folder, {.mechanism = mechanism, .signed_by = key});
        seconds = watch.seconds();
        return checked;
      });
  return nb::make_tuple(report::verification_json(found, seconds), report::verification_text(found));
}

workflow::Report report_of(const Source& source, const obscure::Mechanism* mechanism, const fs::path& folder,
                           const Audited* audited, const Progress& progress) {
  return source.workbench(progress).report(
      {.release = folder, .mechanism = mechanism, .audit = audited == nullptr ? nullptr : &audited->audit});
}

/// Everything about the release in one file for the person who approves it; an empty name: not this one.
void write_report(const fs::path& html, const fs::path& pdf, const fs::path& bundle, bool force,
                  const Source& source, const obscure::Mechanism* mechanism, const fs::path& folder,
                  const Audited* audited, const nb::object& report) {
  (void)work(report, source.threads(), [&](const Progress& progress) {
    for (const fs::path& file : {html, pdf, bundle})
      if (!file.empty()) check_output_file(file, force);
    const fs::path browser = pdf.empty() ? fs::path() : report::printing_browser();
    const workflow::Report found = report_of(source, mechanism, folder, audited, progress);
    if (!html.empty()) write_file(html, found.html, FileAccess::OwnerOnly);
    if (!bundle.empty()) write_file(bundle, found.bundle, FileAccess::OwnerOnly);
    if (!pdf.empty()) write_file(pdf, report::pdf_of(found.html, browser, progress), FileAccess::OwnerOnly);
    return true;
  });
}

std::string report_facts(const Source& source, const obscure::Mechanism* mechanism, const fs::path& folder,
                         const Audited* audited, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    return report_of(source, mechanism, folder, audited, progress).facts;
  });
}

}  // namespace

void bind_release(nb::module_& module) {
  module.def("publish", &publish, nb::arg("source"), nb::arg("mechanism"), nb::arg("folder"),
             nb::arg("force"), nb::arg("second_draw"), nb::arg("other_people"), nb::arg("accept_leakage"),
             nb::arg("sign"), nb::arg("stays"), nb::arg("progress").none(),
             "Writes a release, as `hyobscure publish` does.");
  module.def("own_lifts", &own_lifts, nb::arg("source"), nb::arg("mechanism"), nb::arg("progress").none(),
             "What each person's draw does to the probability of the own value.");
  module.def("drawn_rows", &drawn_rows, nb::arg("source"), nb::arg("mechanism"), nb::arg("progress").none(),
             "For each row of the people in memory, the row whose features are published, and its group.");
  module.def("check_people", &check_people, nb::arg("source"), nb::arg("mechanism"),
             nb::arg("progress").none(), "Refuses people whom the mechanism was not made for.");
  module.def("release_rows", &release_rows, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("progress").none(), "The people or events of a written release.");
  module.def("release_numbers", &release_numbers, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("columns"), nb::arg("progress").none(),
             "Columns of a written release as an array of numbers.");
  module.def("release_texts", &release_texts, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("column"), nb::arg("progress").none(), "A column of a written release as texts.");
  module.def("verify", &verify, nb::arg("folder"), nb::arg("source").none(), nb::arg("mechanism").none(),
             nb::arg("signed_by"), nb::arg("progress").none(),
             "Checks a written release, as `hyobscure verify` does.");
  module.def("write_report", &write_report, nb::arg("html"), nb::arg("pdf"), nb::arg("bundle"),
             nb::arg("force"), nb::arg("source"), nb::arg("mechanism").none(), nb::arg("folder"),
             nb::arg("audit").none(), nb::arg("progress").none(),
             "Writes the HTML page about a release, its print, and the bundle; those that have a name.");
  module.def("report_facts", &report_facts, nb::arg("source"), nb::arg("mechanism").none(), nb::arg("folder"),
             nb::arg("audit").none(), nb::arg("progress").none(), "The facts of that page, as JSON.");
}

}  // namespace hyobscure::python
