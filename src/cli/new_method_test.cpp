// A new method is one file and one line: everything that lists methods finds it.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/obscure/methods/settings.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

obscure::MethodResult run_echo(const obscure::MethodInput& input, const Progress&) {
  return obscure::solved_result(input, obscure::solve_groups(input, input.first_groups, 0));
}

std::string help_of_fit() {
  CLI::App app;
  Command chosen;
  add_fit_command(app, chosen);
  return app.get_subcommand("fit")->help();
}

std::vector<std::string> choices_of_method() {
  for (const data::Setting& setting : obscure::settings())
    if (setting.full_name() == "method.name") return setting.choices;
  return {};
}

class NewMethod : public testing::Test {
 protected:
  NewMethod() {
    data::synthesise({.people = 150, .dependence = 0.8, .items = 60, .entries = 12}, folder_ / "data", false);
  }
  workflow::Workbench bench() const {
    return {data::read_spec(folder_ / "data" / "spec.toml", {{"method.name", "echo"},
                                                             {"channel.clusters", "4"},
                                                             {"groups.people", "[20, 150]"},
                                                             {"groups.values", "[2, 60]"}}),
            {}};
  }

  TestFolder folder_;
};

TEST_F(NewMethod, IsInHelpSettingsFitAndComparisonOnceItIsInTheList) {
  EXPECT_THAT(help_of_fit(), Not(HasSubstr("echo")));
  EXPECT_THROW((void)bench(), InputError);

  obscure::add_method({.name = "echo",
                       .help = "the optimal channel under another name",
                       .run = run_echo,
                       .sweep = obscure::run_each<run_echo>});

  EXPECT_THAT(help_of_fit(), HasSubstr("echo"));
  EXPECT_THAT(choices_of_method(), Contains("echo"));
  EXPECT_THAT(report::settings_page(), HasSubstr("echo: the optimal channel under another name"));
  EXPECT_EQ(bench().fit().mechanism.method, "echo");
  std::vector<std::string> compared;
  for (const obscure::Frontier& curve : bench().compare({.points = 2}, false).comparison.curves)
    compared.push_back(curve.method);
  EXPECT_THAT(compared, Contains("echo"));
}

}  // namespace
}  // namespace hyobscure::cli
