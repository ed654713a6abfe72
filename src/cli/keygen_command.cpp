// hyobscure keygen -o publisher.key

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/base/json.h"
#include "hyobscure/published/signature.h"

namespace hyobscure::cli {
namespace {

struct KeygenOptions {
  std::string output;
};

int run(const KeygenOptions& options, const CommonOptions& common, const Progress&) {
  const auto key = published::SigningKey::make();
  key.write_new(options.output);
  const std::string beside = published::public_key_file(options.output).string();
  const std::string fingerprint = key.public_key().fingerprint();
  if (common.json)
    print(fmt::format("{}\n", Json{{"command", "keygen"},
                                   {"signing_key", options.output},
                                   {"public_key", beside},
                                   {"fingerprint", fingerprint}}
                                  .dump(-1, ' ', false, Json::error_handler_t::replace)));
  else
    print(
        fmt::format("Wrote {} (keep it private: anyone who has it can sign as you)\n"
                    "Wrote {} (for those who verify your releases)\n"
                    "Fingerprint {}\n"
                    "Next: hyobscure publish spec.toml -m mechanism.json -o release --sign {}\n",
                    options.output, beside, fingerprint, options.output));
  return kGood;
}

}  // namespace

void add_keygen_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<KeygenOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub =
      app.add_subcommand("keygen", "Make a pair of keys, to sign releases and to check signatures");
  sub->add_option(
         "-o,--out", options->output,
         "file of the signing key to write; the public key is written beside it, with the ending .pub")
      ->required();
  add_common_options(*sub, chosen.common);
  sub->footer(
      "Give the public key or its fingerprint to others by another way than the releases.\n"
      "Example: hyobscure keygen -o publisher.key");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
