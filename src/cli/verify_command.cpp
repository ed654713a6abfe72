// hyobscure verify release/ --against spec.toml -m mechanism.json

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct VerifyOptions {
  std::string folder;
  SpecOptions against;
  std::string mechanism;
  std::string signed_by;
  bool list_checks = false;
  bool verbose = false;
};

verify::Verification verification_of(const VerifyOptions& options, const CommonOptions& common,
                                     const Progress& progress) {
  std::optional<published::PublicKey> key;
  if (!options.signed_by.empty()) key = published::PublicKey::read(options.signed_by);
  if (options.against.file.empty())
    return workflow::verify_alone(options.folder, resources(common), progress, key);
  std::optional<obscure::Mechanism> mechanism;
  if (!options.mechanism.empty()) mechanism = obscure::read_mechanism(options.mechanism);
  return workflow::Workbench(options.against.read(), resources(common), progress)
      .verify(options.folder, {.mechanism = mechanism ? &*mechanism : nullptr, .signed_by = key});
}

int run(const VerifyOptions& options, const CommonOptions& common, const Progress& progress) {
  if (options.list_checks) {
    print(report::checks_page());
    return kGood;
  }
  require(!options.folder.empty(), "FOLDER", "is not given",
          "Name the folder of the release, or ask for --list-checks.");
  const Stopwatch watch;
  const verify::Verification verification = verification_of(options, common, progress);
  progress.report("", 0, 0);
  print(common.json ? report::verification_json(verification, watch.seconds()) + "\n"
                    : report::verification_text(verification, options.verbose));
  return verification.passed() ? kGood : kCorrectInput;
}

}  // namespace

void add_verify_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<VerifyOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "verify", "Check a written release: its files, against the original, against the mechanism");
  sub->add_option("FOLDER", options->folder, "folder of the release");
  CLI::Option* against = sub->add_option(
      "--against", options->against.file,
      "spec of the original data: proves that no exact secret and only donors of the same group appear");
  sub->add_option(
         "-m,--mechanism", options->mechanism,
         "mechanism file that fit wrote: its figures are computed again, and the release is drawn again")
      ->needs(against);
  sub->add_option("--signed-by", options->signed_by,
                  "public key (KEY.pub) of who should have published it: fails without that signature");
  sub->add_flag("-v,--verbose", options->verbose, "show every check, and what this mode cannot see");
  sub->add_flag("--list-checks", options->list_checks,
                "list all checks and what each mode cannot see, as the page docs/verify.md");
  add_spec_flags(*sub, options->against);
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure verify release --against spec.toml -m mechanism.json");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
