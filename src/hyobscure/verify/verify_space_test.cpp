#include <gmock/gmock.h>

#include "hyobscure/published/area_file.h"
#include "hyobscure/release/test_space_release.h"
#include "hyobscure/verify/test_verify.h"

namespace hyobscure::verify {
namespace {

using published::Group;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class VerifySpace : public VerifyTest<release::SpaceReleaseTest> {
 protected:
  std::string detail(const std::string& check) const { return find(alone(), check).detail; }

  /// Writes the areas again for a manifest that was changed, as a careful forger does.
  void redraw() const {
    const published::Manifest manifest =
        published::read_manifest(folder_ / "out" / published::Manifest::kFileName);
    folder_.write("out/areas.geojson", published::areas_geojson(manifest));
    reseal();
  }

  /// Moves cells from one area to the other.
  void move_cells(const std::vector<data::GridCell>& cells, std::size_t from, std::size_t to) const {
    reseal([&](published::Manifest& manifest) {
      for (const data::GridCell cell : cells) {
        std::erase(manifest.groups[from].covers[0].cells, cell);
        manifest.groups[to].covers[0].cells.push_back(cell);
        std::ranges::sort(manifest.groups[to].covers[0].cells);
      }
    });
    redraw();
  }
};

// --- good releases pass

struct SpaceKind {
  std::string name;
  std::string secret, kind;
  bool boxes;
  std::string format, ids;
};

class VerifyGoodSpace : public VerifySpace, public testing::WithParamInterface<SpaceKind> {};

TEST_P(VerifyGoodSpace, PassesAloneAndAgainstTheOriginal) {
  const SpaceKind& kind = GetParam();
  auto spec =
      space_spec(kind.secret, kind.kind, {{"release.format", kind.format}, {"release.ids", kind.ids}});
  spec.people.allow_identifying = spec.people.features;  // one of them reveals the job
  (void)publish_space("out", spec, kind.boxes ? half_of : corner_of);
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(spec)), IsEmpty());
  EXPECT_GT(against(spec).checks.size(), alone().checks.size() + 5);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, VerifyGoodSpace,
    testing::Values(SpaceKind{"places", "spot", "spatial", true, "csv", "keep"},
                    SpaceKind{"places_of_no_box", "spot", "spatial", false, "parquet", "replace"},
                    SpaceKind{"titles", "title", "categorical", true, "csv", "drop"},
                    SpaceKind{"years_and_jobs", "years,job", "ordered,categorical", true, "csv", "keep"},
                    SpaceKind{"combinations", "years,job", "ordered,categorical", false, "parquet", "keep"},
                    SpaceKind{"years_and_places", "years,spot", "ordered,spatial", true, "csv", "replace"}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(VerifySpace, HomesPassWithAndWithoutTheEventsThatTellThem) {
  for (const std::string events : {"leave-out", "keep"}) {
    const auto spec = homes({{"secret.home_events", events}});
    (void)publish_space("out", spec, half_of);
    EXPECT_THAT(failed(alone()), IsEmpty());
    EXPECT_THAT(failed(against(spec)), IsEmpty()) << events;
  }
}

// --- damaged on purpose: what the files alone show

TEST_F(VerifySpace, NoticesAnAreaInPieces) {
  (void)publish_space("out", places(), half_of);
  move_cells({{0, 3}, {2, 3}}, 1, 0);
  EXPECT_THAT(failed(alone()), ElementsAre("every group is connected"));
  EXPECT_THAT(detail("every group is connected"), HasSubstr("west: 6 cells is in pieces"));
}

TEST_F(VerifySpace, NoticesACellInTwoAreas) {
  (void)publish_space("out", places(), half_of);
  reseal([](published::Manifest& manifest) {
    manifest.groups[1].covers[0].cells.insert(manifest.groups[1].covers[0].cells.begin(), {0, 1});
  });
  redraw();
  EXPECT_THAT(failed(alone()), ElementsAre("groups do not overlap"));
  EXPECT_THAT(detail("groups do not overlap"), HasSubstr("west: 6 cells and east: 6 cells overlap"));
}

TEST_F(VerifySpace, NoticesListsOutOfOrderAndTwice) {
  (void)publish_space("out", places(), half_of);
  reseal([](published::Manifest& manifest) { std::ranges::reverse(manifest.groups[0].covers[0].cells); });
  EXPECT_THAT(detail("groups do not overlap"), HasSubstr("west: 6 cells lists secrets out of order"));
  (void)publish_space("out", titles(), half_of);
  reseal([](published::Manifest& manifest) { manifest.groups[0].covers[0].names.push_back("t00"); });
  EXPECT_THAT(detail("groups do not overlap"), HasSubstr("lists a secret twice"));
}

TEST_F(VerifySpace, NoticesANameInTwoGroups) {
  (void)publish_space("out", titles(), half_of);
  reseal([](published::Manifest& manifest) { manifest.groups[1].covers[0].names[0] = "t00"; });
  EXPECT_THAT(failed(alone()), ElementsAre("groups do not overlap"));
}

TEST_F(VerifySpace, NoticesListsOutsideTheDeclaredLimits) {
  (void)publish_space("out", titles(), half_of);
  reseal([](published::Manifest& manifest) { manifest.limits.most_values = 5; });
  EXPECT_THAT(failed(alone()), ElementsAre("listed values per group are within (l, beta)"));
}

TEST_F(VerifySpace, NoticesAnOverlappingBox) {
  (void)publish_space("out", years_and_jobs(), half_of);
  reseal([](published::Manifest& manifest) { manifest.groups[1].covers[1].names.push_back("job 0"); });
  EXPECT_THAT(failed(alone()), ElementsAre("groups do not overlap"));
}

TEST_F(VerifySpace, NoticesACombinationInTwoGroupsOrBesideTheCovers) {
  (void)publish_space("out", years_and_jobs(), corner_of);
  reseal([](published::Manifest& manifest) { manifest.groups[0].combinations[5] = {"32", "job 0"}; });
  EXPECT_THAT(failed(alone()), Contains("groups do not overlap"));
  EXPECT_THAT(detail("groups do not overlap"), HasSubstr("that it does not cover"));
  EXPECT_THAT(detail("groups do not overlap"), HasSubstr(" overlap"));
}

TEST_F(VerifySpace, NoticesCombinationsInPieces) {
  (void)publish_space("out", years_and_jobs(),
                      [](int spot) { return row_of(spot) == 1 || spot == 0 || spot == 8 ? 1 : 0; });
  EXPECT_THAT(failed(alone()), ElementsAre("every group is connected"));
}

TEST_F(VerifySpace, NoticesACombinationThatCannotBeRead) {
  for (const std::string years : {"thirty", "30.0", "inf", ""}) {
    (void)publish_space("out", years_and_jobs(), corner_of);
    reseal([&](published::Manifest& manifest) { manifest.groups[0].combinations[0][0] = years; });
    EXPECT_THAT(failed(alone()), Contains("every listed secret can be read")) << years;
  }
}

TEST_F(VerifySpace, NoticesASecretColumnThatDoesNotFitTheGroup) {
  (void)publish_space("out", years_and_jobs(), half_of);
  edit("people.csv", ",all,\"job 0, job 1\",", ",31,\"job 0, job 1\",");
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("every secret column holds what the group covers of it"));
  (void)publish_space("out", years_and_jobs(), half_of);
  edit("people.csv", "\"all, job 0, job 1\",all,", "\"all, job 2, job 3\",all,");
  reseal();
  EXPECT_THAT(failed(alone()), Contains("every secret column holds what the group covers of it"));
}

TEST_F(VerifySpace, NoticesAreasThatAreDrawnElsewhere) {
  const std::string check = "areas.geojson draws the declared areas";
  const auto damaged = [&](const std::string& from, const std::string& to) {
    (void)publish_space("out", places(), half_of);
    edit("areas.geojson", from, to);
    reseal();
    EXPECT_THAT(failed(alone()), ElementsAre(check, "areas.geojson is written in the one way")) << to;
    return detail(check);
  };
  EXPECT_EQ(damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],[4,0],[4,2],[2,2],[2,0]"),
            "the area of east: 6 cells is not that of its cells");
  (void)damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],[2,3],[4,3],[4,0],[2,0]");  // clockwise
  (void)damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],[4,0],[4,3],[2,3]");        // open
  (void)damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],[4,0],[4,3],[2.5,3],[2,0]");
  (void)damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],[4000000000,0],[4,3],[2,3],[2,0]");
  (void)damaged("[2,0],[4,0],[4,3],[2,3],[2,0]", "[2,0],null");
  EXPECT_EQ(damaged("\"people\":30", "\"people\":31"),
            "the properties of west: 6 cells are not the declared ones");
  EXPECT_EQ(damaged("\"features\": [", "\"features\": [],\"x\": ["), "0 areas, 2 groups declared");
  EXPECT_EQ(damaged("{\"type\"", "[\"type\""), "areas.geojson is no GeoJSON of areas");
}

TEST_F(VerifySpace, AreasOnEarthAreFoundFromDegrees) {
  (void)publish_space("out", places(), half_of);
  reseal([](published::Manifest& manifest) {
    manifest.grid = data::Grid{.cell_km = 0.001,
                               .south = 40.123,
                               .west = -74.321,
                               .height = 9e-6,
                               .width = 1.2e-5,
                               .on_earth = true};
  });
  EXPECT_THAT(failed(alone()), ElementsAre("areas.geojson draws the declared areas",
                                           "areas.geojson is written in the one way"));
  redraw();
  EXPECT_THAT(failed(alone()), IsEmpty());
}

TEST_F(VerifySpace, MissesAreasThatWereTakenAway) {
  (void)publish_space("out", places(), half_of);
  std::filesystem::remove(folder_ / "out/areas.geojson");
  EXPECT_THAT(failed(alone()), ElementsAre("all files are there"));
}

TEST_F(VerifySpace, AnExactSecretIsNeverSilent) {
  auto spec = titles();
  (void)publish_space("out", spec, [](int spot) { return spot == 0 ? 0 : 1; });
  EXPECT_THAT(detail("no group is a single value"), HasSubstr("t00 holds one value"));
  (void)publish_space("out", years_and_jobs(), [](int spot) { return row_of(spot); });
  const auto verification = alone();
  const Check& check = find(verification, "no group is a single value of one of the secrets");
  EXPECT_TRUE(check.warning);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.detail, "1 of 3 groups publish years exactly");
}

TEST_F(VerifySpace, NoticesALabelThatReadsAsAnExactSecret) {
  (void)publish_space("out", titles(), half_of);
  const std::string label = published::read_manifest(folder_ / "out/manifest.json").groups[0].label;
  std::string people = content("out/people.csv");
  for (std::size_t at; (at = people.find('"' + label + '"')) != std::string::npos;)
    people.replace(at, label.size() + 2, "t00");
  folder_.write("out/people.csv", people);
  reseal([](published::Manifest& manifest) {
    manifest.groups[0].label = manifest.groups[0].covers[0].label = "t00";
  });
  EXPECT_THAT(failed(alone()), ElementsAre("no label reads as an exact secret"));

  (void)publish_space("out", years_and_jobs(), half_of);
  reseal([](published::Manifest& manifest) { manifest.groups[0].covers[0].label = "31"; });
  EXPECT_THAT(failed(alone()), Contains("no label reads as an exact secret"));
}

// --- damaged on purpose: what the original shows

TEST_F(VerifySpace, NoticesALabelThatWasSwapped) {
  const auto spec = places();
  (void)publish_space("out", spec, half_of);
  int west = 0, east = 0;
  while (half_of(spot_of(west)) != 0) ++west;
  while (half_of(spot_of(east)) != 1) ++east;
  edit("people.csv", id_of(west) + ",west", id_of(west) + ",east");
  edit("people.csv", id_of(east) + ",east", id_of(east) + ",west");
  reseal();
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(spec)), Contains("every label covers the true secret"));
}

TEST_F(VerifySpace, NoticesCellsThatWereMovedToAnotherArea) {
  const auto spec = places();
  (void)publish_space("out", spec, half_of);
  move_cells({{0, 2}}, 1, 0);
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(spec)), Contains("every label covers the true secret"));
  EXPECT_THAT(failed(against(spec)),
              Contains("the manifest counts people truly, and lists the secrets there are"));
}

TEST_F(VerifySpace, NoticesASecretThatNoGroupHolds) {
  const auto spec = years_and_jobs();
  (void)publish_space("out", spec, corner_of);
  reseal([](published::Manifest& manifest) { manifest.groups[0].combinations.pop_back(); });
  EXPECT_THAT(failed(against(spec)), Contains("every true secret is in one declared group"));
}

TEST_F(VerifySpace, NoticesAnEventThatTellsHome) {
  const auto spec = homes();
  (void)publish_space("out", spec, half_of);
  auto events = lines("out/events.csv");
  events.push_back(fmt::format("{},home {}", id_of(0), spot_of(0) * 3));
  std::ranges::sort(events.begin() + 1, events.end());  // in the order of a release
  folder_.write("out/events.csv", fmt::format("{}\n", fmt::join(events, "\n")));
  reseal();
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(spec)), Contains("published features are the true features of a person"));
}

TEST_F(VerifySpace, NoticesAnotherGrid) {
  const auto spec = places();
  (void)publish_space("out", spec, half_of);
  reseal([](published::Manifest& manifest) { manifest.grid->cell_km = 2; });
  EXPECT_THAT(failed(against(spec)), ElementsAre("the grid is that of the original"));
}

TEST_F(VerifySpace, NoticesASecretUnderAnotherName) {
  std::string text = content("space.csv");
  const auto spec = titles({{"people.features", "n,c,s,copy"}, {"people.allow_identifying", "copy"}});
  std::string copied = "id,spot,title,years,job,n,c,s,copy\n";
  for (int p = 0; p < kPeople; ++p) copied += lines("space.csv")[1 + p] + "," + title_of(spot_of(p)) + "\n";
  folder_.write("space.csv", copied);
  (void)publish_space("out", spec, half_of);
  EXPECT_THAT(failed(against(spec)), ElementsAre("no feature column is the secret"));
}

TEST_F(VerifySpace, RefusesTheSpecOfAnotherSecret) {
  (void)publish_space("out", places(), half_of);
  EXPECT_THAT(refusal([&] { (void)against(titles()); }),
              HasSubstr("names other columns than the release has"));
}

}  // namespace
}  // namespace hyobscure::verify
