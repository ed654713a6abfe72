#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/audit/mechanism/fit_for_use.h"
#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/audit/mechanism/trade_off.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/fit/comparison.h"
#include "hyobscure/obscure/fit/frontier.h"
#include "hyobscure/obscure/fit/inspection.h"
#include "hyobscure/obscure/fit/saved_census.h"
#include "hyobscure/obscure/leakage/lift.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/published/signature.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/verify/verify.h"
#include "hyobscure/workflow/costs.h"

namespace hyobscure::workflow {

/// What the work may use of the machine, and tables of the caller's memory.
struct Resources {
  std::string memory = {};  ///< such as "2GB"; empty: most of the machine's
  int threads = 0;          ///< 0: all cores
  std::vector<std::shared_ptr<const data::ArrowTable>> tables = {};
  std::filesystem::path only_in =
      {};  ///< the engine reads and writes below this folder only; empty: anywhere

  /// Of an engine for the spec in this folder.
  data::EngineSettings engine(const std::filesystem::path& folder) const {
    return {.folder = folder, .memory = memory, .threads = threads, .tables = tables, .only_in = only_in};
  }
};

struct Inspected {
  obscure::Inspection inspection;
  data::ReadCounts counts;
};

/// A mechanism, and how its budget was found where the spec asks for a use and not for a distance.
struct Fitted {
  obscure::Mechanism mechanism;
  std::optional<audit::TargetSearch> target = {};

  /// Converged, and without shortfalls: what fit ends with exit code 0 for.
  bool is_good() const;
};

/// What a report is about; what is absent is left out of it.
struct ReportContent {
  std::filesystem::path release;  ///< its folder; it is verified against the original for the report
  const obscure::Mechanism* mechanism = nullptr;
  const audit::Audit* audit = nullptr;
  std::filesystem::path comparison = {};  ///< a folder that write_comparison wrote
  std::optional<published::PublicKey> signed_by = {};
};

/// A release for the person who approves it. Private but for the bundle.
struct Report {
  std::string facts;   ///< JSON, "report facts" of docs/formats.md
  std::string html;    ///< the page
  std::string bundle;  ///< a zip archive for another party (report/bundle.h)
};

/// What a release is held against beside the original.
struct VerifyWith {
  const obscure::Mechanism* mechanism = nullptr;       ///< what should have made it
  std::optional<published::PublicKey> signed_by = {};  ///< who should have signed it
};

/// By the rows of a table of memory, from 0.
struct DrawnRows {
  std::vector<std::int64_t> donors;  ///< the row whose features are published for the row
  std::vector<std::int64_t> groups;  ///< its place among the groups of the mechanism
};

/// All that can be done with the people of one spec. It owns the engine and what was read and derived: each
/// is made when it is first needed, and kept, so that a sequence of calls reads the people once. The sources
/// must not change meanwhile: a workbench is for one run of a program or one call, not for a long life.
///
/// Calls throw InputError for what the user can correct, and Stopped. Calls that write check first, before
/// anything is read, that they may.
class Workbench {
 public:
  Workbench(data::Spec spec, Resources resources, Progress progress = {});

  const data::Spec& spec() const { return spec_; }
  /// Another [audit] for the calls that follow: nothing that was read or fitted depends on it.
  void set_audit(data::AuditSpec audit);
  const data::People& people();
  const data::ReadCounts& counts();
  const census::Census& census();

  /// Takes people and census from a folder of save_census instead of reading them. Calls that need more of
  /// the data (kept cells, homes, the task of an audit, a comparison with a release) read it all the same.
  void load_census(const std::filesystem::path& folder);
  void save_census(const std::filesystem::path& folder, bool force);
  /// People and census, for who goes on without the workbench.
  [[nodiscard]] obscure::TakenCensus take_census() &&;

  /// What is in the data, column by column, what it leaks, and which limits can be met.
  [[nodiscard]] Inspected inspect();
  /// What fit() will take after the census, which this takes; nothing is predicted for a budget by task.
  [[nodiscard]] const FitPrediction& predicted_fit();
  /// The mechanism that the spec asks for.
  [[nodiscard]] Fitted fit();
  [[nodiscard]] obscure::Frontier frontier(int points);
  /// Every method over a sweep of budgets; with `audited`, each mechanism is audited too.
  [[nodiscard]] audit::TradeOff compare(const obscure::ComparisonSettings& settings, bool audited);
  /// Writes the release.
  [[nodiscard]] release::PublishResult publish(const obscure::Mechanism& mechanism,
                                               const release::PublishSettings& settings);
  /// Checks a release against the original.
  [[nodiscard]] verify::Verification verify(const std::filesystem::path& release,
                                            const VerifyWith& with = {});
  /// Attacks and uses the mechanism. With a release: it must have been made by this mechanism. Finished parts
  /// are kept in the file `kept_in`, if one is named, and taken from there.
  [[nodiscard]] audit::Audit audit(const obscure::Mechanism& mechanism,
                                   const std::filesystem::path& release = {},
                                   const std::vector<audit::OwnAttacker>& own = {},
                                   const std::filesystem::path& kept_in = {});
  /// The same from the files of a release, whose mechanism is not at hand.
  [[nodiscard]] audit::Audit audit_release(const std::filesystem::path& release,
                                           const std::vector<audit::OwnAttacker>& own = {},
                                           const std::filesystem::path& kept_in = {});
  /// What is known of a mechanism without a release, as "report facts" of docs/formats.md, with what `found`
  /// found where it was audited.
  [[nodiscard]] std::string facts(const obscure::Mechanism& mechanism, const audit::Audit* found = nullptr);
  [[nodiscard]] Report report(const ReportContent& content);
  /// Writes comparison.csv, comparison.json, report.html and, if audited, audits.csv, into a new folder.
  /// Returns the JSON.
  std::string write_comparison(const audit::TradeOff& found, bool audited, double seconds,
                               const std::filesystem::path& folder, bool force);
  /// What each person's draw does to the own value, in the order of people().ids. Private.
  [[nodiscard]] std::vector<obscure::OwnLift> own_lifts(const obscure::Mechanism& mechanism);
  /// What the mechanism publishes for each row of the people's table of memory.
  [[nodiscard]] DrawnRows drawn_rows(const obscure::Mechanism& mechanism);
  /// Throws InputError unless the mechanism was made for these people.
  void refuse_other_data(const obscure::Mechanism& mechanism);

 private:
  data::Engine& engine();
  const data::ReadContent& content();
  const data::Reading& reading();
  const data::Reading& reading_to_publish();
  const std::optional<audit::TaskLabel>& task();
  verify::Original original();
  verify::Verification verify_unsigned(const std::filesystem::path& release,
                                       const obscure::Mechanism* mechanism);

  data::Spec spec_;
  Resources resources_;
  Progress progress_;
  std::optional<data::Engine> engine_;
  std::optional<data::ReadContent> saved_;  ///< of a saved census, until a release is made of it
  std::optional<data::Reading> reading_;    ///< its tables are in the engine
  bool has_tables_ = false;                 ///< the reading, because the data was read here
  std::optional<census::Census> census_;
  std::optional<std::optional<audit::TaskLabel>> task_;
  std::optional<FitPrediction> predicted_fit_;
};

/// How a folder with a comparison is known, before it is replaced.
[[nodiscard]] OurFolder comparison_folder();

/// A release from its files alone, without the original.
[[nodiscard]] verify::Verification verify_alone(const std::filesystem::path& release,
                                                const Resources& resources, const Progress& progress = {},
                                                const std::optional<published::PublicKey>& signed_by = {});

}  // namespace hyobscure::workflow
