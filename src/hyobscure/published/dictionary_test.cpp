#include "hyobscure/published/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/files.h"

namespace hyobscure::published {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Group group_of(const std::string& label, std::vector<Cover> covers, std::int64_t people) {
  return {.label = label, .covers = std::move(covers), .people = people};
}

Manifest of_groups(std::vector<Group> groups, std::vector<std::string> parts = {}) {
  Manifest manifest;
  manifest.shape = "wide";
  manifest.format = "csv";
  manifest.columns.id = "id";
  manifest.columns.secret = "age";
  manifest.columns.parts = std::move(parts);
  manifest.columns.features = {"height", "weight"};
  manifest.groups = std::move(groups);
  return manifest;
}

std::string text_of_file(const Manifest& manifest, const std::string& name) {
  for (const DictionaryFile& file : dictionary(manifest))
    if (file.name == name) return file.text;
  return "there is no " + name;
}

std::string groups_of(const Manifest& manifest) { return text_of_file(manifest, "groups.csv"); }
std::string readme_of(const Manifest& manifest) { return text_of_file(manifest, "README.txt"); }

Cover numbers(std::optional<double> low, std::optional<double> high, bool included = true) {
  return {.label = "range", .low = low, .high = high, .high_included = included};
}

TEST(Dictionary, GroupsOfANumberListTheRangesThatTheyCover) {
  EXPECT_EQ(groups_of(of_groups(
                {group_of("32 or less", {numbers({}, 32)}, 291), group_of("33-43", {numbers(33, 43)}, 187),
                 group_of("44.5", {numbers(44.5, 44.5)}, 61), group_of("a", {numbers(45, 50.25, false)}, 3),
                 group_of("b", {numbers({}, 7, false)}, 4), group_of("c", {numbers(51, {})}, 5),
                 group_of("d", {numbers({}, {})}, 6)})),
            "group,covers,people\n32 or less,up to 32,291\n33-43,33 to 43,187\n44.5,44.5,61\na,45 to below "
            "50.25,3\n"
            "b,below 7,4\nc,51 and above,5\nd,all,6\n");
}

TEST(Dictionary, NamesAndCellsAreListedInFullAndSeparatorsInNamesAreEscaped) {
  const Cover names{.label = "13, 14 and 4 more", .names = {"asthma", "a|b", "c\\d", "bones, \"old\""}};
  const Cover cells{.label = "north", .cells = {{.row = -1, .column = 2}, {.row = 3, .column = 17}}};
  EXPECT_EQ(groups_of(of_groups({group_of("13, 14 and 4 more", {names}, 8), group_of("north", {cells}, 9)})),
            "group,covers,people\n\"13, 14 and 4 more\",\"asthma | a\\|b | c\\\\d | bones, \"\"old\"\"\",8\n"
            "north,-1:2 | 3:17,9\n");
}

TEST(Dictionary, SeveralSecretsHaveAColumnEachAndListedCombinationsOneMore) {
  Manifest manifest = of_groups({group_of("18-24, F", {numbers(18, 24), {.label = "F", .names = {"F"}}}, 12)},
                                {"age", "gender"});
  EXPECT_EQ(groups_of(manifest), "group,covers of age,covers of gender,people\n\"18-24, F\",18 to 24,F,12\n");
  manifest.groups[0].combinations = {{"18", "F"}, {"24", "a,b"}};
  EXPECT_EQ(groups_of(manifest),
            "group,covers of age,covers of gender,only these,people\n"
            "\"18-24, F\",18 to 24,F,\"18, F | 24, a,b\",12\n");
}

TEST(Dictionary, TheReadmeSaysWhatEachColumnIs) {
  Manifest manifest = of_groups({group_of("a", {numbers(1, 2)}, 7), group_of("b", {numbers(3, 4)}, 8)});
  manifest.columns.keep = {"town"};
  const std::string text = readme_of(manifest);
  EXPECT_THAT(text, HasSubstr("Data about 15 people"));
  EXPECT_THAT(text, HasSubstr("people.csv: one row per person\n  id: a new id"));
  EXPECT_THAT(text, HasSubstr("  age: the group of the person"));
  EXPECT_THAT(text, HasSubstr("  town: the person's own\n  height: of the donor\n  weight: of the donor\n"));
  EXPECT_THAT(text, Not(HasSubstr("events")));
  EXPECT_THAT(text, Not(HasSubstr("areas.geojson")));
  EXPECT_THAT(text, Not(HasSubstr("trial")));

  manifest.columns.features = std::vector<std::string>(21, "x");
  manifest.columns.id.clear();
  manifest.ids = data::PublishedIds::Drop;
  manifest.seeded = true;
  const std::string other = readme_of(manifest);
  EXPECT_THAT(other, HasSubstr("  21 further columns: features of the donor"));
  EXPECT_THAT(other, Not(HasSubstr("  id:")));
  EXPECT_THAT(other, HasSubstr("must not be published"));
}

TEST(Dictionary, OfLongDataAndPlacesTheReadmeSpeaksOfEventsAndTheMap) {
  Manifest manifest = of_groups({group_of("a", {{.label = "a", .cells = {{.row = 1, .column = 1}}}}, 7)});
  manifest.shape = "long";
  manifest.format = "parquet";
  manifest.ids = data::PublishedIds::Keep;
  manifest.kinds = {data::AxisKind::Spatial};
  manifest.columns = {.id = "id",
                      .secret = "home",
                      .features = {},
                      .person = "who",
                      .item = "film",
                      .value = "stars",
                      .time = ""};
  const std::string text = readme_of(manifest);
  EXPECT_THAT(text, HasSubstr("people.parquet: one row per person\n  id: the id of the original data\n"));
  EXPECT_THAT(text, HasSubstr("events.parquet: one row per event\n  who: an id of people.parquet\n"
                              "  film: of an event of the donor\n  stars: of an event of the donor\n"));
  EXPECT_THAT(text, HasSubstr("areas.geojson: the outlines"));
}

TEST(Dictionary, ANameOfAColumnCannotEndItsLine) {
  Manifest manifest = of_groups({group_of("a", {numbers(1, 2)}, 7)});
  manifest.columns.secret = "age\nThis is not protected";
  EXPECT_THAT(readme_of(manifest), Not(HasSubstr("\nThis is not")));
}

TEST(Dictionary, IsDeclaredWithItsHashesAndDoesNotDependOnThem) {
  Manifest manifest = of_groups({group_of("a", {numbers(1, 2)}, 7)});
  const auto before = dictionary(manifest);
  declare(before, manifest);
  ASSERT_EQ(manifest.files.size(), 2u);
  EXPECT_EQ(manifest.files[0].name, "groups.csv");
  EXPECT_EQ(manifest.files[0].rows, 1);
  EXPECT_EQ(manifest.files[0].sha256, sha256(before[0].text));
  EXPECT_EQ(manifest.files[1].name, "README.txt");
  EXPECT_EQ(manifest.files[1].sha256, sha256(before[1].text));
  const auto again = dictionary(manifest);
  EXPECT_EQ(again[0].text, before[0].text);
  EXPECT_EQ(again[1].text, before[1].text);
}

}  // namespace
}  // namespace hyobscure::published
