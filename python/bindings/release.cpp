#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "arrow.h"
#include "audit.h"
#include "bind.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/text.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/report/facts.h"
#include "hyobscure/report/html.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/verify/verify.h"
#include "source.h"
#include "work.h"

namespace hyobscure::python {
namespace {

namespace fs = std::filesystem;
using data::quoted_name;
using data::quoted_text;
using published::Manifest;

std::string publish(const Source& source, const obscure::Mechanism& mechanism, const fs::path& folder,
                    bool force, bool second_draw, bool accept_leakage, const nb::object& report) {
  return work(report, source.threads(), [&](const Progress& progress) {
    const Stopwatch watch;
    check_output_folder(folder, force, published::release_folder());
    data::Engine engine(source.engine_settings(), progress);
    const data::Reading reading = data::read_people(engine, source.spec());
    const release::PublishResult result = release::publish(
        engine, source.spec(), reading, mechanism,
        {.output = folder, .force = force, .second_draw = second_draw, .accept_leakage = accept_leakage},
        progress);
    return report::release_json(result, watch.seconds());
  });
}

// --- donors by the place of their row

/// The row of memory that each person of hyo_kept has.
std::vector<std::int64_t> rows_of_people(data::Engine& engine, const Source& source,
                                         const data::Reading& reading) {
  std::vector<std::int64_t> rows(reading.people.size());
  const std::string id = reading.people_source.column(source.spec().people.id);
  engine.query(
      fmt::format("SELECT k.u, s.hyo_row FROM hyo_kept AS k JOIN {} AS s ON CAST(s.{} AS VARCHAR) = k.id",
                  reading.people_source.sql, id),
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row)
          rows[static_cast<std::size_t>(chunk.integers(0)[row])] = chunk.integers(1)[row];
      });
  return rows;
}

void refuse_people_left_out(const data::Reading& reading) {
  const auto left_out = reading.counts.people_read - static_cast<std::int64_t>(reading.people.size());
  if (left_out > 0)
    throw InputError(
        {.source = reading.people_source.name},
        fmt::format("{} of {} people were left out, and have no donor", left_out, reading.counts.people_read),
        "Call publish, which leaves them out of the release too, or give people without them.");
}

/// donor_of_row[r]: the row whose features are published for the person of row r.
std::vector<std::int64_t> find_donor_rows(const Source& source, const obscure::Mechanism& mechanism,
                                          const Progress& progress) {
  data::Engine engine(source.engine_settings(), progress);
  const data::Reading reading = data::read_people(engine, source.spec());
  refuse_people_left_out(reading);
  if (mechanism.data_fingerprint != data::fingerprint(reading.people))
    throw InputError(
        {.source = mechanism.source}, "was made for other data",
        "A mechanism is for the people that it was fitted to: give exactly these, or fit again.");
  const auto donor_of = release::draw_donors(mechanism, reading.people,
                                             census::assign(mechanism.clusters, reading.people.features));
  const std::vector<std::int64_t> row_of = rows_of_people(engine, source, reading);
  std::vector<std::int64_t> donor_of_row(row_of.size());
  for (std::size_t u = 0; u < row_of.size(); ++u)
    donor_of_row[static_cast<std::size_t>(row_of[u])] = row_of[donor_of[u]];
  return donor_of_row;
}

nb::object donor_rows(const Source& source, const obscure::Mechanism& mechanism, const nb::object& report) {
  auto* rows = new std::vector<std::int64_t>(work(report, source.threads(), [&](const Progress& progress) {
    return find_donor_rows(source, mechanism, progress);
  }));
  const nb::capsule owner(rows,
                          [](void* held) noexcept { delete static_cast<std::vector<std::int64_t>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(rows->data(), {rows->size()}, owner));
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
  return manifest.ids == "replace" && (column == columns.id || column == columns.person);
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
nb::object release_numbers(const Source& source, const fs::path& folder, const std::string& table,
                           const std::vector<std::string>& columns, const nb::object& report) {
  auto held = std::make_unique<std::vector<double>>();
  (void)work(report, source.threads(), [&](const Progress& progress) {
    data::Engine engine({.threads = source.threads()}, progress);
    std::vector<std::string> cells;
    for (const std::string& column : columns)
      cells.push_back(fmt::format("CAST({} AS DOUBLE)", quoted_name(column)));
    engine.query(fmt::format("SELECT {} FROM {}", fmt::join(cells, ", "), release_file(folder, table)),
                 [&](const data::Chunk& chunk) {
                   for (std::size_t row = 0; row < chunk.rows(); ++row)
                     for (std::size_t column = 0; column < columns.size(); ++column)
                       held->push_back(chunk.doubles(column)[row]);
                 });
    return true;
  });
  double* const numbers = held->data();
  const std::size_t rows = held->size() / columns.size();
  const nb::capsule owner(held.release(),
                          [](void* given) noexcept { delete static_cast<std::vector<double>*>(given); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(numbers, {rows, columns.size()}, owner));
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
nb::tuple verify(const fs::path& folder, const Source* source, const nb::object& report) {
  double seconds = 0;
  const verify::Verification found =
      work(report, source == nullptr ? 0 : source->threads(), [&](const Progress& progress) {
        const Stopwatch watch;
        auto checked = verify::verify(folder, source == nullptr ? nullptr : &source->spec(), progress,
                                      source == nullptr ? data::EngineSettings{} : source->engine_settings());
        seconds = watch.seconds();
        return checked;
      });
  return nb::make_tuple(report::verification_json(found, seconds), report::verification_text(found));
}

/// Everything about the release in one file for who has to judge it.
void write_report(const fs::path& file, bool force, const Source& source, const obscure::Mechanism* mechanism,
                  const fs::path& folder, const Audited* audited, const nb::object& report) {
  (void)work(report, source.threads(), [&](const Progress& progress) {
    check_output_file(file, force);
    data::Engine engine(source.engine_settings(), progress);
    const data::Reading reading = data::read_people(engine, source.spec());
    const Manifest manifest = published::read_manifest(folder / Manifest::kFileName);
    const verify::Verification verification =
        verify::verify(folder, &source.spec(), progress, source.engine_settings());
    const report::ReportInput input{.spec = source.spec(),
                                    .reading = reading,
                                    .mechanism = mechanism,
                                    .manifest = &manifest,
                                    .release_folder = folder,
                                    .verification = &verification,
                                    .audit = audited == nullptr ? nullptr : &audited->audit};
    write_file(file, report::html_report(report::report_facts(input)), FileAccess::OwnerOnly);
    return true;
  });
}

}  // namespace

void bind_release(nb::module_& module) {
  module.def("publish", &publish, nb::arg("source"), nb::arg("mechanism"), nb::arg("folder"),
             nb::arg("force"), nb::arg("second_draw"), nb::arg("accept_leakage"), nb::arg("progress").none(),
             "Writes a release, as `hyobscure publish` does.");
  module.def("donor_rows", &donor_rows, nb::arg("source"), nb::arg("mechanism"), nb::arg("progress").none(),
             "For each row of the people in memory, the row whose features are published.");
  module.def("release_rows", &release_rows, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("progress").none(), "The people or events of a written release.");
  module.def("release_numbers", &release_numbers, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("columns"), nb::arg("progress").none(),
             "Columns of a written release as an array of numbers.");
  module.def("release_texts", &release_texts, nb::arg("source"), nb::arg("folder"), nb::arg("table"),
             nb::arg("column"), nb::arg("progress").none(), "A column of a written release as texts.");
  module.def("verify", &verify, nb::arg("folder"), nb::arg("source").none(), nb::arg("progress").none(),
             "Checks a written release, as `hyobscure verify` does.");
  module.def("write_report", &write_report, nb::arg("file"), nb::arg("force"), nb::arg("source"),
             nb::arg("mechanism").none(), nb::arg("folder"), nb::arg("audit").none(),
             nb::arg("progress").none(), "Writes the HTML page about a release.");
}

}  // namespace hyobscure::python
