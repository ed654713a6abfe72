// hyobscure settings > docs/settings.md

#include <fmt/format.h>

#include "cli/command.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {

void add_settings_command(CLI::App& app, Command& chosen) {
  CLI::App* sub = app.add_subcommand("settings", "List all keys of a spec, as the page docs/settings.md");
  sub->footer("Example: hyobscure settings | less");
  sub->callback([&chosen] {
    chosen.run = [](const CommonOptions&, const Progress&) {
      print(report::settings_page());
      return kGood;
    };
  });
}

}  // namespace hyobscure::cli
