#include "hyobscure/published/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hyobscure/base/error.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::published {
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
  manifest.ids = data::PublishedIds::Keep;
  manifest.format = "csv";
  manifest.columns = {.id = "id",
                      .secret = "age",
                      .features = {},
                      .person = "who",
                      .item = "what",
                      .value = "stars",
                      .time = ""};
  manifest.files = {
      {"people.csv", 10, "ab"}, {"events.csv", 100, "cd"}, {"groups.csv", 2, "01"}, {"README.txt", 9, "23"}};
  manifest.limits.least_people = 5;
  manifest.limits.most_people = 8;
  manifest.limits.least_values = 2;
  manifest.limits.most_values = 4;
  manifest.whole_numbers = true;
  manifest.groups = {{.label = "under 20",
                      .covers = {{.label = "under 20", .high = 20.0, .high_included = false}},
                      .people = 5},
                     {.label = "20 or more", .covers = {{.label = "20 or more", .low = 20.0}}, .people = 5}};
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
  EXPECT_TRUE(std::isnan(manifest.leakage.distance));
  EXPECT_TRUE(manifest.says_nothing_else);
  EXPECT_FALSE(manifest.groups[0].covers[0].low);
  EXPECT_FALSE(manifest.groups[0].covers[0].high_included);
  EXPECT_EQ(manifest.columns.time, "");
  EXPECT_EQ(manifest.files[1].rows, 100);
}

/// Two secrets, a number and a place; one group lists its combinations.
Manifest example_of_two() {
  Manifest manifest = example();
  manifest.columns.secret = "group";
  manifest.columns.parts = {"age", "home"};
  manifest.kinds = {data::AxisKind::Ordered, data::AxisKind::Spatial};
  manifest.grid = data::Grid{
      .cell_km = 0.5, .south = 40.1, .west = -74.3, .height = 0.0045, .width = 1.0 / 170, .on_earth = true};
  manifest.files.insert(manifest.files.begin() + 2, {"areas.geojson", 1, "ef"});
  manifest.groups = {{.label = "all, west: 2 cells",
                      .covers = {{.label = "all"}, {.label = "west: 2 cells", .cells = {{0, 0}, {-1, 4}}}},
                      .people = 5,
                      .combinations = {{"20", "0:0"}, {"21.5", "-1:4"}}}};
  return manifest;
}

TEST(Manifest, SeveralSecretsAndTheirGridComeBack) {
  const TestFolder folder;
  const std::string text = to_json(example_of_two());
  const Manifest manifest = read_manifest(folder.write("manifest.json", text));
  EXPECT_EQ(to_json(manifest), text);
  EXPECT_EQ(manifest.kinds, example_of_two().kinds);
  EXPECT_EQ(manifest.columns.parts, example_of_two().columns.parts);
  EXPECT_EQ(manifest.groups, example_of_two().groups);
  EXPECT_EQ(manifest.grid->width, 1.0 / 170);
  EXPECT_EQ(manifest.spatial_axis(), 1u);
}

TEST(Manifest, RefusesGroupsThatDoNotFitTheKindsOfTheSecrets) {
  const TestFolder folder;
  const auto refused = [&](const std::function<void(Manifest&)>& change) {
    Manifest manifest = example_of_two();
    change(manifest);
    return refusal(folder.write("m", to_json(manifest)));
  };
  EXPECT_EQ(refused([](Manifest&) {}), "accepted");
  const auto damaged = HasSubstr("not the manifest of a release");
  EXPECT_THAT(refused([](Manifest& m) { m.kinds[1] = data::AxisKind::Categorical; }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.kinds.pop_back(); }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.grid.reset(); }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.columns.parts.pop_back(); }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.groups[0].covers.pop_back(); }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.groups[0].combinations[1].pop_back(); }), damaged);
  EXPECT_THAT(refused([](Manifest& m) { m.files.pop_back(); }), damaged);
  EXPECT_THAT(refusal(folder.write("m", replaced(to_json(example_of_two()), "\"spatial\"", "\"spacial\""))),
              damaged);
}

TEST(Manifest, NoticesWhatPublishDoesNotWrite) {
  const TestFolder folder;
  const std::string text = to_json(example());
  const auto reads = [&](const std::string& from, const std::string& to) {
    return read_manifest(folder.write("m", replaced(text, from, to))).says_nothing_else;
  };
  EXPECT_FALSE(reads("\"kind\"", "\"secret_entropy_bits\": 5.3165, \"kind\""));
  EXPECT_FALSE(reads("\"people\": 5,", "\"people\": 5, \"values\": 2,"));
}

TEST(Manifest, StatesNoNumberOfDistinctValues) {
  Manifest manifest = example();
  manifest.groups[0].values = 2;
  const Json json = Json::parse(to_json(manifest));
  EXPECT_FALSE(json["groups"][0].contains("values"));
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
  EXPECT_THAT(refusal(folder.write("m", replaced(text, "\"format\": 6", "\"format\": 99"))),
              HasSubstr("Use the version of hyobscure that wrote it"));
}

TEST(Manifest, RefusesFilesOutsideItsFolder) {
  const TestFolder folder;
  EXPECT_THAT(refusal(folder.write("m", replaced(to_json(example()), "\"people.csv\"", "\"../people.csv\""))),
              HasSubstr("not the manifest of a release"));
}

}  // namespace
}  // namespace hyobscure::published
