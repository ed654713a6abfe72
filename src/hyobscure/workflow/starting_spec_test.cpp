#include "hyobscure/workflow/starting_spec.h"

#include <gmock/gmock.h>

#include "hyobscure/base/test_folder.h"

namespace hyobscure::workflow {
namespace {

using testing::HasSubstr;

TEST(StartingSpec, WhatItWritesIsReadAsWhatItGuessed) {
  const TestFolder folder;
  std::string rows = "id,\"the \"\"age\"\"\",steps #1,back\\slash\n";
  for (int i = 0; i < 80; ++i)
    rows += "u" + std::to_string(i) + "," + std::to_string(20 + i % 30) + "," + std::to_string(i % 7) + "," +
            std::to_string(i % 3) + "\n";
  folder.write("p.csv", rows);
  const StartingSpec start =
      starting_spec({.folder = folder.path(), .people = "p.csv", .secret = "the \"age\""}, 0.9, {}, {});
  const data::Spec read = data::parse_spec(start.toml, "spec.toml", folder.path());
  const auto guessed = data::setting_values(start.guess.spec), again = data::setting_values(read);
  ASSERT_EQ(guessed.size(), again.size());
  for (std::size_t i = 0; i < guessed.size(); ++i)
    EXPECT_EQ(again[i].value, guessed[i].value) << guessed[i].name;
  EXPECT_EQ(read.channel.budget_share, 0.9);
  EXPECT_EQ(start.people, 80u);
  EXPECT_THAT(start.toml, HasSubstr("# k and alpha"));
  EXPECT_EQ(read.release.rows, data::PublishedRows::Composed)
      << "nobody's own row, unless somebody chooses it";
}

}  // namespace
}  // namespace hyobscure::workflow
