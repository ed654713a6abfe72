#include "hyobscure/workflow/workbench.h"

#include <fmt/format.h>

#include <utility>

#include "hyobscure/audit/mechanism/audit_cost.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/fit_cost.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/mechanism/misfit.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/report/bundle.h"
#include "hyobscure/report/facts.h"
#include "hyobscure/report/html.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/verify/mechanism/verify_mechanism.h"
#include "hyobscure/verify/verify_signature.h"

namespace hyobscure::workflow {
namespace {

namespace fs = std::filesystem;

/// Columns as they are; the rest of an inspection as it would be without those that nobody may publish.
struct InspectedColumns {
  std::vector<obscure::InspectedColumn> columns;
  std::vector<data::ImplausibleSecrets> implausible;
  data::Spec spec;  ///< without the refused columns
};

InspectedColumns inspect_columns(data::Engine& engine, const data::Spec& spec) {
  const data::ColumnTable table(engine, spec);
  InspectedColumns found{obscure::inspect_columns(table, spec), table.implausible(), table.without_refused()};
  if (!spec.is_long() && found.spec.people.features.empty()) table.refuse_identifying();
  return found;
}

bool same_columns(const data::Spec& a, const data::Spec& b) {
  return a.people.features == b.people.features && a.people.keep == b.people.keep &&
         a.events.time == b.events.time;
}

published::Manifest manifest_of(const fs::path& release) {
  return published::read_manifest(release / published::Manifest::kFileName);
}

void refuse_people_left_out(const data::Reading& reading) {
  const auto left_out = reading.counts.people_read - static_cast<std::int64_t>(reading.people.size());
  if (left_out > 0)
    throw InputError(
        {.source = reading.people_source.name},
        fmt::format("{} of {} people were left out, and have no donor", left_out, reading.counts.people_read),
        "Call publish, which leaves them out of the release too, or give people without them.");
}

}  // namespace

bool Fitted::is_good() const { return mechanism.converged && obscure::shortfalls(mechanism).empty(); }

Workbench::Workbench(data::Spec spec, Resources resources, Progress progress)
    : spec_(std::move(spec)), resources_(std::move(resources)), progress_(std::move(progress)) {
  (void)obscure::method_of(spec_);  // an unknown one is refused before anything is read
}

void Workbench::set_audit(data::AuditSpec audit) {
  spec_.audit = std::move(audit);
  task_.reset();
}

// --- what is made when it is first needed

data::Engine& Workbench::engine() {
  if (!engine_) engine_.emplace(resources_.engine(spec_.folder), progress_);
  return *engine_;
}

const data::ReadContent& Workbench::content() {
  if (saved_) return *saved_;
  return reading_ ? *reading_ : reading();
}

const data::Reading& Workbench::reading() {
  if (!has_tables_) {
    reading_ = data::read_people(engine(), spec_);
    has_tables_ = true;
  }
  return *reading_;
}

const data::Reading& Workbench::reading_to_publish() {
  if (!saved_ || data::needs_tables(spec_)) return reading_ ? *reading_ : reading();
  reading_ = data::reading_of(engine(), spec_, *std::exchange(saved_, std::nullopt));
  return *reading_;
}

const data::People& Workbench::people() { return content().people; }

const data::ReadCounts& Workbench::counts() { return content().counts; }

const census::Census& Workbench::census() {
  if (!census_) {
    (void)obscure::terms_of(people(), spec_);  // what no census can mend is refused before the work
    census_ = obscure::census_of(people(), spec_, progress_);
  }
  return *census_;
}

const std::optional<audit::TaskLabel>& Workbench::task() {
  if (!task_) {
    // A saved census has no cells of kept columns.
    if (spec_.audit.task.empty())
      task_.emplace();
    else
      task_ = audit::task_label(engine(), spec_, reading());
  }
  return *task_;
}

verify::Original Workbench::original() { return {engine(), spec_, reading()}; }

void Workbench::refuse_other_data(const obscure::Mechanism& mechanism) {
  if (mechanism.data_fingerprint != data::fingerprint(people()))
    throw InputError({.source = mechanism.source}, "was made for other data",
                     "A mechanism is for the people and settings that it was fitted to: give exactly these, "
                     "or fit again.");
  obscure::refuse_misfit(mechanism, people());
}

// --- a saved census

void Workbench::load_census(const fs::path& folder) {
  obscure::TakenCensus loaded = obscure::load_census(folder, spec_);
  census_ = std::move(loaded.census);
  saved_ = std::move(loaded);
}

void Workbench::save_census(const fs::path& folder, bool force) {
  check_output_folder(folder, force, obscure::census_folder());
  const census::Census& taken = census();
  progress_.report("saving the census", 0, 0);
  obscure::save_census(content(), taken, spec_, folder, force);
}

obscure::TakenCensus Workbench::take_census() && {
  (void)census();
  if (saved_) return {std::move(*saved_), std::move(*census_)};
  return {std::move(*reading_), std::move(*census_)};
}

// --- the calls

Inspected Workbench::inspect() {
  InspectedColumns columns = inspect_columns(engine(), spec_);
  const Stopwatch watch;
  std::optional<data::Reading> without_refused;
  if (!same_columns(columns.spec, spec_)) without_refused = data::read_people(engine(), columns.spec);
  const data::Reading& read = without_refused ? *without_refused : reading();
  const MeasuredWork measured{.reading_seconds = watch.seconds(), .machine_speed = machine_speed()};
  Inspected inspected{obscure::inspect(read.people, columns.spec, progress_), read.counts};
  inspected.inspection.costs = command_costs(read.people, columns.spec, inspected.inspection, measured);
  inspected.inspection.columns = std::move(columns.columns);
  inspected.inspection.implausible = std::move(columns.implausible);
  return inspected;
}

const FitPrediction& Workbench::predicted_fit() {
  if (!predicted_fit_)
    predicted_fit_ =
        spec_.channel.target ? FitPrediction{} : workflow::predicted_fit(people(), spec_, census());
  return *predicted_fit_;
}

Fitted Workbench::fit() {
  if (!spec_.channel.target) {
    const PlannedWork plan(progress_, {predicted_fit().seconds});
    // Its parts begin again and again, so that only the clock tells how far it is.
    return {obscure::fit(people(), spec_, census(), progress_.with_same_reports())};
  }
  audit::FitForUse found = audit::fit_for_use(people(), spec_, census(), task(), progress_);
  return {std::move(found.mechanism), std::move(found.search)};
}

obscure::Frontier Workbench::frontier(int points) {
  return obscure::trace_frontier(people(), spec_, census(), points, progress_);
}

audit::TradeOff Workbench::compare(const obscure::ComparisonSettings& settings, bool audited) {
  obscure::ComparisonSettings timed = settings;
  const double speed = machine_speed();
  const double audit_seconds = audited ? audit::audit_cost(people(), spec_).total() / speed : 0;
  timed.seconds_of = [&](const obscure::Method& method) {
    return obscure::method_seconds(method, people(), spec_) / speed + audit_seconds;
  };
  if (audited) return audit::audit_methods(people(), spec_, timed, task(), progress_);
  return {.comparison = obscure::compare_methods(people(), spec_, timed, progress_), .points = {}};
}

release::PublishResult Workbench::publish(const obscure::Mechanism& mechanism,
                                          const release::PublishSettings& settings) {
  check_output_folder(settings.output, settings.force, published::release_folder());
  return release::publish(engine(), spec_, reading_to_publish(), mechanism, settings, progress_);
}

verify::Verification Workbench::verify(const fs::path& release, const VerifyWith& with) {
  verify::Verification found = verify_unsigned(release, with.mechanism);
  verify::add_signature(found, release, with.signed_by);
  return found;
}

verify::Verification Workbench::verify_unsigned(const fs::path& release,
                                                const obscure::Mechanism* mechanism) {
  // A folder that is no release is refused before the people are read.
  if (mechanism != nullptr) {
    (void)verify::manifest_of_release(release);
    return verify::verify_with_mechanism(release, original(), *mechanism, progress_);
  }
  if (!has_tables_) return verify::verify(release, &spec_, progress_, resources_.engine(spec_.folder));
  return verify::verify(release, original(), progress_);
}

audit::Audit Workbench::audit(const obscure::Mechanism& mechanism, const fs::path& release,
                              const std::vector<audit::OwnAttacker>& own, const fs::path& kept_in) {
  refuse_other_data(mechanism);
  if (!release.empty() && manifest_of(release).draw != published::name_of_draws(mechanism.key))
    throw InputError({.source = release.string()}, "was not made by this mechanism",
                     "Give the mechanism that it was published with, or none.");
  return audit::audit_mechanism(people(), spec_, mechanism, task(), progress_, own, kept_in);
}

audit::Audit Workbench::audit_release(const fs::path& release, const std::vector<audit::OwnAttacker>& own,
                                      const fs::path& kept_in) {
  return audit::audit_release(original(), release, task(), progress_, own, kept_in);
}

std::string Workbench::facts(const obscure::Mechanism& mechanism, const audit::Audit* found) {
  refuse_other_data(mechanism);
  return report::report_facts({.spec = spec_, .reading = reading(), .mechanism = &mechanism, .audit = found});
}

Report Workbench::report(const ReportContent& content) {
  const published::Manifest manifest = manifest_of(content.release);
  const verify::Verification verification =
      verify(content.release, {.mechanism = content.mechanism, .signed_by = content.signed_by});
  const std::string facts = report::report_facts(
      {.spec = spec_,
       .reading = reading(),
       .mechanism = content.mechanism,
       .manifest = &manifest,
       .release_folder = content.release,
       .verification = &verification,
       .audit = content.audit,
       .comparison =
           content.comparison.empty() ? "" : read_file(content.comparison / comparison_folder().marker)});
  return {.facts = facts,
          .html = report::html_report(facts),
          .bundle = report::bundle(facts, spec_, content.release)};
}

std::string Workbench::write_comparison(const audit::TradeOff& found, bool audited, double seconds,
                                        const fs::path& folder, bool force) {
  const std::string json =
      audited ? report::trade_off_json(found, seconds) : report::comparison_json(found.comparison, seconds);
  StagedFolder staged(folder, force, comparison_folder());
  const auto write = [&](const std::string& name, const std::string& text, FileAccess access) {
    write_file(staged.path() / name, text, access);
  };
  write("comparison.csv", report::comparison_csv(found.comparison), FileAccess::Everyone);
  write(comparison_folder().marker, json + "\n", FileAccess::Everyone);
  if (audited) write("audits.csv", report::trade_off_csv(found), FileAccess::Everyone);
  write("report.html",
        report::html_report(report::report_facts({.spec = spec_, .reading = reading(), .comparison = json})),
        FileAccess::OwnerOnly);
  staged.commit();
  return json;
}

DrawnRows Workbench::drawn_rows(const obscure::Mechanism& mechanism) {
  const data::Reading& read = reading();
  refuse_people_left_out(read);
  refuse_other_data(mechanism);
  const auto donor_of =
      release::draw_donors(mechanism, read.people, census::assign(mechanism.clusters, read.people.features));
  const std::vector<std::int64_t> row_of = read.tables.rows_in_memory(read.people_source, spec_.people.id);
  DrawnRows drawn{std::vector<std::int64_t>(row_of.size()), std::vector<std::int64_t>(row_of.size())};
  for (std::size_t u = 0; u < row_of.size(); ++u) {
    const auto row = static_cast<std::size_t>(row_of[u]);
    drawn.donors[row] = row_of[donor_of[u]];
    drawn.groups[row] = static_cast<std::int64_t>(mechanism.group_of_value(read.people.secrets[u]));
  }
  return drawn;
}

std::vector<obscure::OwnLift> Workbench::own_lifts(const obscure::Mechanism& mechanism) {
  const data::Reading& read = reading();
  refuse_other_data(mechanism);
  const auto clusters = census::assign(mechanism.clusters, read.people.features);
  return obscure::lifts_of(mechanism, read.people, clusters, progress_).own;
}

OurFolder comparison_folder() {
  return {.marker = "comparison.json",
          .says = "{\"command\":\"compare\"",
          .files = {"comparison.csv", "audits.csv", "report.html"}};
}

verify::Verification verify_alone(const fs::path& release, const Resources& resources,
                                  const Progress& progress,
                                  const std::optional<published::PublicKey>& signed_by) {
  verify::Verification found = verify::verify(release, nullptr, progress, resources.engine("."));
  verify::add_signature(found, release, signed_by);
  return found;
}

}  // namespace hyobscure::workflow
