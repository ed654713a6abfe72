#include "hyobscure/release/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::release {
namespace {

using testing::HasSubstr;
using testing::Not;

Manifest example() {
  Manifest manifest;
  manifest.version = "0.1.0";
  manifest.method = "hyobscure";
  manifest.objective = "total";
  manifest.distance = "jensen-shannon";
  manifest.shape = "long";
  manifest.ids = "keep";
  manifest.format = "csv";
  manifest.columns = {.id = "id",
                      .secret = "age",
                      .features = {},
                      .person = "who",
                      .item = "what",
                      .value = "stars",
                      .time = ""};
  manifest.files = {{"people.csv", 10, "ab"}, {"events.csv", 100, "cd"}};
  manifest.least_people = 5;
  manifest.most_people = 8;
  manifest.least_values = 2;
  manifest.most_values = 4;
  manifest.whole_numbers = true;
  manifest.groups = {
      {.label = "under 20",
       .covers = {{.label = "under 20", .high = 20.0, .high_included = false}},
       .people = 5,
       .values = 2},
      {.label = "20 or more", .covers = {{.label = "20 or more", .low = 20.0}}, .people = 5, .values = 3}};
  manifest.leakage.leakage = 1.0 / 3;
  return manifest;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    (void)read_manifest(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_THAT(text, HasSubstr(from));
  return text.replace(text.find(from), from.size(), to);
}

TEST(Manifest, ComesBackAsItWasWritten) {
  const TestFolder folder;
  const std::string text = to_json(example());
  const Manifest manifest = read_manifest(folder.write("manifest.json", text));
  EXPECT_TRUE(manifest.seal_intact);
  EXPECT_EQ(to_json(manifest), text);
  EXPECT_EQ(manifest.leakage.leakage, 1.0 / 3);
  EXPECT_TRUE(std::isnan(manifest.leakage.gap));
  EXPECT_FALSE(manifest.groups[0].covers[0].low);
  EXPECT_FALSE(manifest.groups[0].covers[0].high_included);
  EXPECT_EQ(manifest.columns.time, "");
  EXPECT_EQ(manifest.files[1].rows, 100);
}

TEST(Manifest, SaysThatASeededReleaseMustNotBePublished) {
  Manifest manifest = example();
  EXPECT_THAT(to_json(manifest), Not(HasSubstr("must not be published")));
  manifest.seeded = true;
  EXPECT_THAT(to_json(manifest), HasSubstr("seeded for a trial: must not be published"));
}

TEST(Manifest, AnEditBreaksTheSeal) {
  const TestFolder folder;
  const std::string text = to_json(example());
  EXPECT_FALSE(
      read_manifest(folder.write("m", replaced(text, "\"rows\": 100", "\"rows\": 101"))).seal_intact);
  EXPECT_FALSE(
      read_manifest(folder.write("m", replaced(text, "\"kind\"", "\"extra\": 1, \"kind\""))).seal_intact);
  EXPECT_FALSE(read_manifest(folder.write("m", replaced(text, "\"seal\"", "\"old seal\""))).seal_intact);
}

TEST(Manifest, RefusesWhatIsNone) {
  const TestFolder folder;
  const std::string text = to_json(example());
  EXPECT_THAT(refusal(folder / "absent"), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal(folder.write("m", "")), HasSubstr("not the manifest of a release"));
  EXPECT_THAT(refusal(folder.write("m", "\xff\xfe{")), HasSubstr("not the manifest of a release"));
  EXPECT_THAT(refusal(folder.write("m", "[]")), HasSubstr("not the manifest of a release"));
  EXPECT_THAT(refusal(folder.write("m", text.substr(0, text.size() / 2))),
              HasSubstr("not the manifest of a release"));
  EXPECT_THAT(refusal(folder.write("m", replaced(text, "\"seeded\": false", "\"seeded\": 3"))),
              HasSubstr("not the manifest of a release"));
  EXPECT_THAT(refusal(folder.write("m", replaced(text, "\"format\": 2", "\"format\": 2"))),
              HasSubstr("Use the version of hyobscure that wrote it"));
}

TEST(Manifest, RefusesFilesOutsideItsFolder) {
  const TestFolder folder;
  EXPECT_THAT(refusal(folder.write("m", replaced(to_json(example()), "\"people.csv\"", "\"../people.csv\""))),
              HasSubstr("not the manifest of a release"));
}

}  // namespace
}  // namespace hyobscure::release
