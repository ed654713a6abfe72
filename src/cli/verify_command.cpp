// hyobscure verify release/ --against spec.toml

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

struct VerifyOptions {
  std::string folder;
  SpecOptions against;
  std::string signed_by;
};

int run(const VerifyOptions& options, const CommonOptions& common, const Progress& progress) {
  const Stopwatch watch;
  std::optional<published::PublicKey> key;
  if (!options.signed_by.empty()) key = published::PublicKey::read(options.signed_by);
  const verify::Verification verification =
      options.against.file.empty() ? workflow::verify_alone(options.folder, resources(common), progress, key)
                                   : workflow::Workbench(options.against.read(), resources(common), progress)
                                         .verify(options.folder, key);
  progress.report("", 0, 0);
  print(common.json ? report::verification_json(verification, watch.seconds()) + "\n"
                    : report::verification_text(verification));
  return verification.passed() ? kGood : kCorrectInput;
}

}  // namespace

void add_verify_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<VerifyOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub =
      app.add_subcommand("verify", "Check a written release from its files alone, or against the original");
  sub->add_option("FOLDER", options->folder, "folder of the release")->required();
  sub->add_option(
      "--against", options->against.file,
      "spec of the original data: proves that no exact secret and only donors of the same group appear");
  sub->add_option("--signed-by", options->signed_by,
                  "public key (KEY.pub) of who should have published it: fails without that signature");
  add_spec_flags(*sub, options->against);
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure verify release --against spec.toml");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
