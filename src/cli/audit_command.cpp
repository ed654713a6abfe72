// hyobscure audit spec.toml release/ -m mechanism.json

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/report/pdf.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct AuditOptions {
  SpecOptions spec;
  std::string folder;
  std::string mechanism;
  std::string report;
  std::string pdf;
  std::string comparison;
  std::string signed_by;
  std::string resume;
  bool force = false;
};

/// Where finished parts of the audit are kept: as asked for, or beside the report until it is written.
std::filesystem::path kept_in(const AuditOptions& options) {
  if (!options.resume.empty()) return options.resume;
  const std::string& written = options.report.empty() ? options.pdf : options.report;
  if (written.empty()) return {};
  return std::filesystem::path(written).replace_extension("unfinished-audit");
}

/// A stop says where it can go on.
audit::Audit audited(const AuditOptions& options, workflow::Workbench& bench,
                     const std::optional<obscure::Mechanism>& mechanism) {
  const std::filesystem::path kept = kept_in(options);
  try {
    return mechanism ? bench.audit(*mechanism, options.folder, {}, kept)
                     : bench.audit_release(options.folder, {}, kept);
  } catch (const Stopped&) {
    if (kept.empty() || !std::filesystem::exists(kept)) throw;
    throw Stopped(
        fmt::format("what was finished is in {}: the same command goes on from there", kept.string()));
  }
}

/// What the audit is written to beside the screen.
struct ReportFiles {
  explicit ReportFiles(const AuditOptions& options) : html(options.report), pdf(options.pdf) {
    for (const std::filesystem::path& file : {html, pdf})
      if (!file.empty()) check_output_file(file, options.force);
    require(any() || options.comparison.empty(), "--comparison",
            "its curves go into a report, and none is asked for", "Add --report FILE.");
    if (!pdf.empty()) browser = report::printing_browser();
  }

  bool any() const { return !html.empty() || !pdf.empty(); }
  void write(const std::string& page, const Progress& progress) const {
    if (!html.empty()) write_file(html, page, FileAccess::OwnerOnly);
    if (!pdf.empty()) write_file(pdf, report::pdf_of(page, browser, progress), FileAccess::OwnerOnly);
  }
  std::string text() const {
    std::string lines;
    for (const std::filesystem::path& file : {html, pdf})
      if (!file.empty())
        lines +=
            fmt::format("\nWrote {} (holds counts finer than the release: not part of it)", file.string());
    return lines.empty() ? "" : lines + "\n";
  }

  std::filesystem::path html, pdf;
  std::filesystem::path browser = {};
};

int run(const AuditOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  workflow::Workbench bench(options.spec.read(), resources(common), progress);
  const ReportFiles files(options);
  std::optional<published::PublicKey> key;
  if (!options.signed_by.empty()) key = published::PublicKey::read(options.signed_by);
  std::optional<obscure::Mechanism> mechanism;
  if (!options.mechanism.empty()) mechanism = obscure::read_mechanism(options.mechanism);
  const audit::Audit found = audited(options, bench, mechanism);
  if (files.any())
    files.write(bench.report({.release = options.folder,
                              .mechanism = mechanism ? &*mechanism : nullptr,
                              .audit = &found,
                              .comparison = options.comparison,
                              .signed_by = key}),
                progress);
  // The report has all of it now; a file that was asked for stays, for more repetitions.
  if (options.resume.empty() && files.any()) std::filesystem::remove(kept_in(options));
  progress.report("", 0, 0);
  print(common.json ? report::audit_json(found, bench.spec(), watch.seconds()) + "\n"
                    : report::audit_text(found, bench.spec()) + files.text());
  return kGood;
}

}  // namespace

void add_audit_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<AuditOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "audit", "Attack a release as machine-learning attackers would, and use it as its users would");
  add_spec_options(*sub, options->spec);
  sub->add_option("FOLDER", options->folder, "folder of the release")->required();
  sub->add_option(
      "-m,--mechanism", options->mechanism,
      "mechanism of the release: each repetition then has a new draw, and the informed attacker takes part");
  sub->add_option("--report", options->report,
                  "HTML file to write: everything about the release on one page");
  sub->add_option("--pdf", options->pdf,
                  "the same page printed on A4, by the Chromium or Chrome on PATH (or HYOBSCURE_CHROMIUM)");
  sub->add_option(
      "--resume", options->resume,
      "file that keeps what is finished, for the same command to go on from after a stop, or with "
      "more repetitions (private); else beside the report until that is written");
  sub->add_option("--comparison", options->comparison,
                  "folder that compare wrote, for the curves of the report");
  sub->add_option("--signed-by", options->signed_by,
                  "public key of who should have published the release, for the checks of the report");
  sub->add_flag("--force", options->force, "replace existing files");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure audit spec.toml release -m mechanism.json --report report.html");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
