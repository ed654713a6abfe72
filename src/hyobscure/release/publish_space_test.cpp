#include <gmock/gmock.h>

#include "hyobscure/base/json.h"
#include "hyobscure/release/test_space_release.h"

namespace hyobscure::release {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::StartsWith;

class PublishSpace : public SpaceReleaseTest {
 protected:
  /// The line of a person.
  std::string line_of(int person) const {
    for (const std::string& line : lines("out/people.csv"))
      if (line.starts_with(id_of(person) + ",")) return line;
    return "none";
  }
};

TEST_F(PublishSpace, APlaceIsPublishedAsItsAreaWithTheOutlineBesideIt) {
  const auto result = publish_space("out", places(), half_of);
  EXPECT_EQ(lines("out/people.csv")[0], "id,spot,n,c,s");
  for (int p = 0; p < kPeople; ++p)
    EXPECT_THAT(line_of(p), HasSubstr(half_of(spot_of(p)) == 0 ? ",west: 6 cells," : ",east: 6 cells,"));
  EXPECT_THAT(all_files("out"), ElementsAre(Key("README.txt"), Key("areas.geojson"), Key("groups.csv"),
                                            Key("manifest.json"), Key("people.csv")));
  const Json areas = Json::parse(content("out/areas.geojson"));
  EXPECT_EQ(areas["features"][1]["properties"].dump(), R"({"label":"east: 6 cells","people":30,"cells":6})");
  EXPECT_EQ(areas["features"][1]["geometry"]["coordinates"].dump(), "[[[[2,0],[4,0],[4,3],[2,3],[2,0]]]]");
  EXPECT_EQ(result.manifest.files[1].sha256, sha256_of_file(folder_ / "out/areas.geojson"));
  EXPECT_THAT(result.manifest.kinds, ElementsAre(data::AxisKind::Spatial));
  EXPECT_FALSE(result.manifest.whole_numbers);
}

TEST_F(PublishSpace, CategoriesArePublishedAsTheirList) {
  (void)publish_space("out", titles(), row_of);
  EXPECT_THAT(all_files("out"),
              ElementsAre(Key("README.txt"), Key("groups.csv"), Key("manifest.json"), Key("people.csv")));
  for (int p = 0; p < kPeople; ++p) {
    const int first = spot_of(p) / 4 * 4;
    const std::string list = fmt::format("{}, {}, {}, {}", title_of(first), title_of(first + 1),
                                         title_of(first + 2), title_of(first + 3));
    EXPECT_THAT(line_of(p), StartsWith(fmt::format("{},\"{}\",", id_of(p), list)));
  }
}

TEST_F(PublishSpace, SeveralSecretsHaveAColumnEachAndOneForTheGroup) {
  const auto result = publish_space("out", years_and_jobs(), half_of);
  EXPECT_EQ(lines("out/people.csv")[0], "id,group,years,job,n,c,s");
  EXPECT_EQ(result.manifest.columns.secret, "group");
  EXPECT_THAT(result.manifest.columns.parts, ElementsAre("years", "job"));
  for (int p = 0; p < kPeople; ++p) {
    const std::string jobs = half_of(spot_of(p)) == 0 ? "job 0, job 1" : "job 2, job 3";
    EXPECT_THAT(line_of(p), StartsWith(fmt::format("{},\"all, {}\",all,\"{}\",", id_of(p), jobs, jobs)));
  }
}

TEST_F(PublishSpace, GroupsThatAreNoBoxesListTheirCombinationsInTheManifest) {
  const auto boxes = publish_space("out", years_and_places(), corner_of).manifest;
  EXPECT_TRUE(boxes.groups[0].combinations.empty());  // cells alone tell the groups apart
  const auto corners = publish_space("out", years_and_jobs(), corner_of).manifest;
  EXPECT_EQ(corners.groups[0].combinations.size(), 6u);
  EXPECT_THAT(corners.groups[0].combinations[5], ElementsAre("31", "job 1"));
}

TEST_F(PublishSpace, HomeIsAColumnThatTheInputDoesNotHaveAndEventsThatTellItStayBehind) {
  const auto result = publish_space("out", homes(), half_of);
  EXPECT_EQ(lines("out/people.csv")[0], "id,home");
  for (int p = 0; p < kPeople; ++p)
    EXPECT_EQ(line_of(p), id_of(p) + (half_of(spot_of(p)) == 0 ? ",west: 6 cells" : ",east: 6 cells"));
  EXPECT_EQ(result.events, kPeople * 2);
  EXPECT_THAT(content("out/events.csv"), Not(HasSubstr("home")));
  EXPECT_TRUE(result.manifest.grid->on_earth);
  const Json areas = Json::parse(content("out/areas.geojson"));
  const Json& corner = areas["features"][0]["geometry"]["coordinates"][0][0][0];
  EXPECT_NEAR(corner[0], -73.905, 0.02);  // within a cell of the first place
  EXPECT_NEAR(corner[1], 40.105, 0.02);

  EXPECT_EQ(publish_space("out", homes({{"secret.home_events", "keep"}}), half_of).events, kPeople * 5);
}

TEST_F(PublishSpace, RefusesAPublishedColumnThatIsCalledAsThatOfTheGroups) {
  std::string text = content("space.csv");
  folder_.write("space.csv", text.replace(0, text.find('\n'), "id,spot,title,years,job,n,Group,s"));
  const auto spec = years_and_jobs({{"people.features", "n,Group,s"}});
  EXPECT_THAT(refusal([&] { (void)publish_space("out", spec, half_of); }),
              AllOf(HasSubstr("Group"), HasSubstr("is what the column with the groups of several secrets")));
  const auto one = titles({{"people.features", "n,Group,s"}});
  EXPECT_EQ(refusal([&] { (void)publish_space("out", one, half_of); }), "accepted");
}

TEST_F(PublishSpace, SameBytesAgain) {
  (void)publish_space("out", years_and_places(), half_of);
  (void)publish_space("again", years_and_places(), half_of);
  EXPECT_EQ(all_files("out"), all_files("again"));
}

}  // namespace
}  // namespace hyobscure::release
