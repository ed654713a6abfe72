// Secrets that are places, names, or several things: from files to People::space.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"

namespace hyobscure::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kKmOfADegree = 6371 * std::numbers::pi / 180;

class ReadSecret : public testing::Test {
 protected:
  /// Wide people; `secret` holds what stands in [secret].
  Spec wide(const std::string& names, const std::string& secret,
            const std::vector<Override>& overrides = {}) const {
    return parse_spec(
        fmt::format("[people]\nfile = \"people.csv\"\nid = \"id\"\nfeatures = [\"n\"]\nsecret = {}\n"
                    "[channel]\ndistance = \"euclidean\"\n[secret]\n{}",
                    names, secret),
        "spec.toml", folder_.path(), overrides);
  }

  Spec place(const std::string& secret = "", const std::vector<Override>& overrides = {}) const {
    return wide("\"home\"", "kind = \"spatial\"\nlatitude = \"lat\"\nlongitude = \"lon\"\n" + secret,
                overrides);
  }

  Spec name(const std::string& secret = "", const std::vector<Override>& overrides = {}) const {
    return wide("\"job\"", "kind = \"categorical\"\n" + secret, overrides);
  }

  static Reading read(const Spec& spec, int threads = 0) {
    Engine engine({.folder = spec.folder, .threads = threads}, {});
    return read_people(engine, spec);
  }

  static std::string refusal(const Spec& spec) {
    try {
      (void)read(spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  static std::vector<std::string> names_of(const Axis& axis) {
    std::vector<std::string> names;
    for (const Coordinate& value : axis.values) names.push_back(value.name);
    return names;
  }

  /// People with these jobs, in order.
  void write_jobs(const std::vector<std::string>& jobs) const {
    std::string text = "id,job,n\n";
    for (std::size_t u = 0; u < jobs.size(); ++u) text += fmt::format("p{:04},{},{}\n", u, jobs[u], u % 7);
    folder_.write("people.csv", text);
  }

  TestFolder folder_;
};

// --- places

TEST_F(ReadSecret, DegreesBecomeCellsOfAGridThatBeginsAtAWholeDegree) {
  folder_.write(
      "people.csv",
      "id,lat,lon,n\nann,40.7,-73.9,1\nbob,40.7001,-73.9001,2\ncid,40.75,-73.9,3\ndan,40.7,-74.2,4\n");
  const People people = read(place("cell_km = 2\n")).people;
  ASSERT_TRUE(people.space);
  const Grid& grid = *people.space->grid;
  EXPECT_TRUE(grid.on_earth);
  EXPECT_EQ(grid.south, 40);
  EXPECT_EQ(grid.west, -75);
  EXPECT_NEAR(grid.height * kKmOfADegree, 2, 1e-12);
  EXPECT_NEAR(grid.width * kKmOfADegree * std::cos(41 * std::numbers::pi / 180), 2, 1e-12);
  const auto cell = [&](double latitude, double longitude) {
    return GridCell{static_cast<std::int32_t>(std::floor((latitude - grid.south) / grid.height)),
                    static_cast<std::int32_t>(std::floor((longitude - grid.west) / grid.width))};
  };
  const Axis& axis = people.space->axes[0];
  EXPECT_EQ(axis.column, "home");
  EXPECT_EQ(axis.kind, AxisKind::Spatial);
  EXPECT_EQ(axis.values.size(), 3u);
  EXPECT_EQ(people.secrets[0], people.secrets[1]);
  const std::vector<GridCell> expected = {cell(40.7, -73.9), cell(40.7, -73.9), cell(40.75, -73.9),
                                          cell(40.7, -74.2)};
  for (std::size_t u = 0; u < 4; ++u)
    EXPECT_EQ(people.space->coordinate(people.secrets[u], 0).cell, expected[u]) << u;
  EXPECT_THAT(people.values, testing::SizeIs(3));
  EXPECT_EQ(people.values[2].low, 2);
  EXPECT_EQ(people.values[2].centre, 2);
  EXPECT_EQ(people.values[2].distinct, 1);
}

TEST_F(ReadSecret, CellsKeepTheirSizeAnywhereOnEarth) {
  for (const double latitude : {-89.9, -60.0, 0.0, 45.0, 89.9}) {
    folder_.write("people.csv", fmt::format("id,lat,lon,n\na,{0},10,1\nb,{0},12,2\n", latitude));
    const Reading reading = read(place());
    const Grid& grid = *reading.people.space->grid;
    const double degree = kKmOfADegree * std::cos(latitude * std::numbers::pi / 180);
    if (std::abs(latitude) < 89) {
      EXPECT_NEAR(grid.width * degree, 1, 0.02) << latitude;
    }
    EXPECT_GT(grid.width, 0);
    EXPECT_EQ(reading.people.space->points.size(), 2u) << latitude;
  }
}

TEST_F(ReadSecret, CellNumbersAreRowsAndColumns) {
  folder_.write("people.csv", "id,cell,n\nann,125,1\nbob,59,2\ncid,60,3\ndan,125.0,4\n");
  const People people = read(wide("\"cell\"", "kind = \"spatial\"\ngrid_columns = 60\ncell_km = 3\n")).people;
  const Axis& axis = people.space->axes[0];
  ASSERT_EQ(axis.values.size(), 3u);
  EXPECT_EQ(axis.values[0].cell, (GridCell{0, 59}));
  EXPECT_EQ(axis.values[1].cell, (GridCell{1, 0}));
  EXPECT_EQ(axis.values[2].cell, (GridCell{2, 5}));
  EXPECT_THAT(people.secrets, ElementsAre(2, 0, 1, 2));
  EXPECT_FALSE(people.space->grid->on_earth);
  EXPECT_EQ(people.space->grid->cell_km, 3);
}

TEST_F(ReadSecret, BadPlacesAreRefusedWithTheirRowAndWithoutTheirCells) {
  const auto told = [&](const std::string& line) {
    folder_.write("people.csv", "id,lat,lon,n\nann,1,2,1\nbob,2,3,2\n" + line + "\n");
    return refusal(place());
  };
  EXPECT_THAT(told("cid,91.4711,5,1"),
              AllOf(HasSubstr("people.csv, row 3, column \"lat\": expected degrees north from -90 to 90"),
                    HasSubstr("exchanged"), Not(HasSubstr("4711"))));
  EXPECT_THAT(
      told("cid,9,-180.4711,1"),
      AllOf(HasSubstr("row 3, column \"lon\": expected degrees east from -180"), Not(HasSubstr("4711"))));
  EXPECT_THAT(told("cid,zebra,5,1"),
              AllOf(HasSubstr("row 3, column \"lat\": expected a number (1 cell"), Not(HasSubstr("zebra"))));
  EXPECT_THAT(told("cid,nan,5,1"), HasSubstr("row 3, column \"lat\": expected a finite number"));
  EXPECT_THAT(told("cid,5,,1"), HasSubstr("row 3, column \"lon\": the secret is missing (1 person"));
  EXPECT_THAT(told("cid,5,179,1\ndan,5,-179,1"),
              HasSubstr("column \"lon\": the places lie on both sides of the 180th"));
  EXPECT_EQ(told("cid,90,180,1\ndan,-90,0,1"), "accepted");
  EXPECT_THAT(refusal(wide("\"home\"", "kind = \"spatial\"\nlatitude = \"latt\"\nlongitude = \"lon\"\n")),
              HasSubstr("column \"latt\": there is no such column"));
}

TEST_F(ReadSecret, BadCellNumbersAreRefused) {
  for (const std::string bad : {"-1", "2.5", "1e12", "x"}) {
    folder_.write("people.csv", "id,cell,n\nann,1,1\nbob," + bad + ",2\n");
    EXPECT_THAT(refusal(wide("\"cell\"", "kind = \"spatial\"\ngrid_columns = 7\n")),
                HasSubstr("people.csv, row 2, column \"cell\": expected"))
        << bad;
  }
}

TEST_F(ReadSecret, PeopleWithoutAPlaceCanBeLeftOut) {
  folder_.write("people.csv", "id,lat,lon,n\nann,1,2,1\nbob,,3,2\ncid,2,,2\ndan,5,6,3\n");
  const Reading reading = read(place("missing = \"leave-out\"\n"));
  EXPECT_EQ(reading.counts.people_without_secret, 2);
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "dan"));
}

// --- home from events

class ReadHome : public ReadSecret {
 protected:
  Spec home(const std::string& secret, const std::vector<Override>& overrides = {}) const {
    return parse_spec(
        "[people]\nfile = \"people.csv\"\nid = \"id\"\nsecret = \"home\"\n[events]\nfile = "
        "\"events.csv\"\nperson = "
        "\"who\"\nitem = \"what\"\n[secret]\nkind = \"spatial\"\nlatitude = \"lat\"\nlongitude = \"lon\"\n" +
            secret,
        "spec.toml", folder_.path(), overrides);
  }

  void write(const std::string& events) const {
    folder_.write("people.csv", "id\nann\nbob\ncid\n");
    folder_.write("events.csv", "who,what,lat,lon\n" + events);
  }

  static std::vector<GridCell> homes(const People& people) {
    std::vector<GridCell> result;
    for (const std::uint32_t secret : people.secrets)
      result.push_back(people.space->coordinate(secret, 0).cell);
    return result;
  }

  static constexpr const char* kMostVisited = "home = \"most-visited\"\n";
  static constexpr const char* kCategory =
      "home = \"category\"\nhome_column = \"what\"\nhome_category = \"Home (private)\"\n";
};

TEST_F(ReadHome, TheMostVisitedCellIsHomeAndOfEqualsTheSmallest) {
  write(
      "ann,x,0.501,0.501\nann,y,0.502,0.502\nann,z,0.9,0.9\n"
      "bob,x,0.9,0.9\nbob,y,0.501,0.501\n"
      "cid,x,0.001,0.9\n");
  const People people = read(home(kMostVisited)).people;
  const auto at = [&](double degrees) { return static_cast<std::int32_t>(degrees * kKmOfADegree); };
  EXPECT_THAT(homes(people),
              ElementsAre(GridCell{at(0.5), at(0.5)}, GridCell{at(0.5), at(0.5)}, GridCell{0, at(0.9)}));
  EXPECT_EQ(people.features.entries(), 6u);
}

TEST_F(ReadHome, EventsInTheHomeCellAreNoFeaturesWhereTheSpecSaysSo) {
  write(
      "ann,x,0.501,0.501\nann,y,0.502,0.502\nann,z,0.9,0.9\n"
      "bob,x,0.9,0.9\nbob,w,0.9,0.9\nbob,y,0.501,0.501\n"
      "cid,x,0.001,0.9\ncid,w,0.7,0.7\n");
  const Spec spec = home(std::string(kMostVisited) + "home_events = \"leave-out\"\n");
  Engine engine({.folder = spec.folder}, {});
  const Reading reading = read_people(engine, spec);
  EXPECT_EQ(reading.counts.events_telling_home, 5);
  EXPECT_EQ(reading.counts.events_read, 8);
  EXPECT_EQ(reading.people.features.entries(), 3u);
  // what publish and verify ask of the source
  const auto used =
      engine.texts(fmt::format("SELECT who || what FROM {} AS s WHERE {} ORDER BY 1",
                               reading.events_source.sql, event_is_feature(spec, reading, "s")));
  EXPECT_THAT(used, ElementsAre("annz", "boby", "cidw"));
}

TEST_F(ReadHome, SomebodyWhoNeverLeavesHomeHasNoEventsLeft) {
  write("ann,x,0.5,0.5\nann,y,0.9,0.9\nann,x,0.5,0.5\nbob,x,0.9,0.9\ncid,x,0.1,0.9\ncid,y,0.8,0.9\n");
  const Spec spec = home(std::string(kMostVisited) + "home_events = \"leave-out\"\n");
  EXPECT_THAT(refusal(spec), HasSubstr("1 person has no events"));
  const Reading reading = read(home(std::string(kMostVisited) + "home_events = \"leave-out\"\n",
                                    {{"people.without_events", "leave-out"}}));
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "cid"));
  EXPECT_EQ(reading.counts.people_without_events, 1);
}

TEST_F(ReadHome, ACategoryTellsHome) {
  write(
      "ann,x,0.5,0.5\nann,x,0.5,0.5\nann,Home (private),0.9,0.9\n"
      "bob,Home (private),0.5,0.5\nbob,Home (private),0.5,0.5\nbob,Home (private),0.9,0.9\nbob,z,,\n"
      "cid,x,0.1,0.9\n");
  EXPECT_THAT(refusal(home(kCategory)),
              HasSubstr("people.csv, row 3: the person has no event that reveals home (1 person"));
  const Spec spec = home(std::string(kCategory) + "missing = \"leave-out\"\nhome_events = \"leave-out\"\n");
  Engine engine({.folder = spec.folder}, {});
  const Reading reading = read_people(engine, spec);
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "bob"));
  EXPECT_EQ(reading.counts.people_without_secret, 1);
  EXPECT_EQ(reading.counts.events_telling_home, 4);
  EXPECT_EQ(reading.people.features.columns, 2u);  // x and z
  EXPECT_NE(homes(reading.people)[0], homes(reading.people)[1]);
  const auto used =
      engine.texts(fmt::format("SELECT who || what FROM {} AS s WHERE {} ORDER BY 1",
                               reading.events_source.sql, event_is_feature(spec, reading, "s")));
  EXPECT_THAT(used, ElementsAre("annx", "annx", "bobz", "cidx"));
  const Reading kept = read(home(std::string(kCategory) + "missing = \"leave-out\"\n"));
  EXPECT_EQ(kept.people.features.columns, 3u);
  EXPECT_EQ(kept.counts.events_telling_home, 0);
}

TEST_F(ReadHome, AnEventWithoutItsPlaceIsIncomplete) {
  write("ann,x,0.5,0.5\nbob,y,0.9,0.9\nbob,z,0.9,\ncid,x,0.1,0.9\n");
  EXPECT_THAT(refusal(home(kMostVisited)),
              HasSubstr("events.csv, row 3: an event has an empty cell (1 event"));
  const Spec spec = home(kMostVisited, {{"events.missing", "leave-out"}});
  Engine engine({.folder = spec.folder}, {});
  const Reading reading = read_people(engine, spec);
  EXPECT_EQ(reading.counts.events_incomplete, 1);
  EXPECT_EQ(reading.people.features.entries(), 3u);
  EXPECT_THAT(engine.texts(fmt::format("SELECT what FROM {} AS s WHERE {} ORDER BY 1",
                                       reading.events_source.sql, event_is_feature(spec, reading, "s"))),
              ElementsAre("x", "x", "y"));
  write("ann,x,0.5,0.5\nbob,y,zebra,0.9\ncid,x,0.1,0.9\n");
  EXPECT_THAT(
      refusal(home(kMostVisited)),
      AllOf(HasSubstr("events.csv, row 2, column \"lat\": expected a number"), Not(HasSubstr("zebra"))));
  write("ann,x,0.5,0.5\nbob,y,1,0.9\ncid,x,0.1,188\n");
  EXPECT_THAT(refusal(home(kMostVisited)),
              HasSubstr("events.csv, row 3, column \"lon\": expected degrees east"));
}

TEST_F(ReadHome, WithoutARuleEveryEventIsAFeature) {
  const Spec spec = place();
  EXPECT_EQ(event_is_feature(spec, {}, "s"), "true");
}

// --- rare secrets

TEST_F(ReadSecret, PeopleWithARareSecretAreLeftOutAndCounted) {
  write_jobs({"a", "b", "b", "c", "b", "c"});
  const Reading reading = read(name("fewest_people = 2\n"));
  EXPECT_EQ(reading.counts.people_with_rare_secret, 1);
  EXPECT_THAT(names_of(reading.people.space->axes[0]), ElementsAre("b", "c"));
  EXPECT_THAT(reading.people.secrets, ElementsAre(0, 0, 1, 0, 1));
  EXPECT_EQ(reading.people.features.size(), 5u);
  folder_.write("people.csv", "id,age,n\na,30,1\nb,-0,2\nc,0,3\nd,40,4\ne,40,5\n");
  const Reading numbers = read(wide("\"age\"", "fewest_people = 2\n"));
  EXPECT_THAT(numbers.people.ids, ElementsAre("b", "c", "d", "e"));
  EXPECT_EQ(numbers.counts.people_with_rare_secret, 1);
}

TEST_F(ReadSecret, ASecretMayBecomeRareWhenPeopleWithoutEventsAreLeftOut) {
  folder_.write("people.csv", "id,job\nann,x\nbob,x\ncid,y\ndan,y\neve,z\nfay,z\n");
  folder_.write("events.csv", "who,what\nann,k\nbob,m\ncid,k\neve,k\nfay,n\n");
  const Reading reading =
      read(parse_spec("[people]\nfile = \"people.csv\"\nid = \"id\"\nsecret = \"job\"\nwithout_events = "
                      "\"leave-out\"\n[events]\nfile = "
                      "\"events.csv\"\nperson = \"who\"\nitem = \"what\"\n[secret]\nkind = "
                      "\"categorical\"\nfewest_people = 2\n",
                      "spec.toml", folder_.path()));
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "bob", "eve", "fay"));
  EXPECT_EQ(reading.counts.people_without_events, 1);
  EXPECT_EQ(reading.counts.people_with_rare_secret, 1);
  EXPECT_THAT(reading.people.features[3].items, ElementsAre(2));
  EXPECT_EQ(reading.people.features.size(), 4u);
}

// --- names

TEST_F(ReadSecret, CategoriesAreNamesAsTheyAreWritten) {
  folder_.write("people.csv", "id,job,n\nann,\" b\",1\nbob,b,2\ncid,7,3\ndan,07,4\neve,b,5\n");
  const People people = read(name()).people;
  EXPECT_THAT(names_of(people.space->axes[0]), ElementsAre(" b", "07", "7", "b"));
  EXPECT_THAT(people.secrets, ElementsAre(0, 3, 2, 1, 3));
  EXPECT_THAT(people.space->hierarchy, IsEmpty());
  folder_.write("people.csv", "id,job,n\nann,b,1\nbob,,2\ncid,7,3\n");
  EXPECT_THAT(refusal(name()), HasSubstr("row 2, column \"job\": the secret is missing"));
}

std::string outline(const std::vector<HierarchyNode>& nodes, std::size_t n = 0) {
  std::string text = fmt::format("{}[{},{})", nodes[n].name, nodes[n].first, nodes[n].end);
  for (const std::uint32_t child : nodes[n].children) text += " (" + outline(nodes, child) + ")";
  return text;
}

TEST_F(ReadSecret, AHierarchyOrdersTheCategoriesThatSomebodyHas) {
  folder_.write(
      "jobs.csv",
      "job,branch,all\nsinger,art,any\nnurse,care,any\npainter,art,any\nmedic,care,any\nminer,mine,any\n"
      "pilot,air,any\n");
  write_jobs({"medic", "painter", "singer", "nurse", "miner", "medic"});
  const People people = read(name("hierarchy = \"jobs.csv\"\n")).people;
  EXPECT_THAT(names_of(people.space->axes[0]), ElementsAre("singer", "painter", "nurse", "medic", "miner"));
  EXPECT_THAT(people.secrets, ElementsAre(3, 1, 0, 2, 4, 3));
  // "mine" has one child, of which the lower name stays; nobody is a pilot
  EXPECT_EQ(
      outline(people.space->hierarchy),
      "any[0,5) (art[0,2) (singer[0,1)) (painter[1,2))) (care[2,4) (nurse[2,3)) (medic[3,4))) (miner[4,5))");
}

TEST_F(ReadSecret, SeveralRootsComeUnderOneWithoutAName) {
  folder_.write("jobs.csv", "job,branch\nsinger,art\nnurse,care\npainter,art\nclerk,\n");
  write_jobs({"clerk", "painter", "singer", "nurse"});
  const People people = read(name("hierarchy = \"jobs.csv\"\n")).people;
  EXPECT_EQ(outline(people.space->hierarchy),
            "[0,4) (art[0,2) (singer[0,1)) (painter[1,2))) (nurse[2,3)) (clerk[3,4))");
}

TEST_F(ReadSecret, ABrokenHierarchyIsRefusedWithItsRow) {
  write_jobs({"a", "b", "zebra"});
  const auto told = [&](const std::string& rows) {
    folder_.write("jobs.csv", "job,branch,all\n" + rows);
    return refusal(name("hierarchy = \"jobs.csv\"\n"));
  };
  const std::string rest = "b,y,z\nzebra,y,z\n";
  EXPECT_EQ(told("a,x,z\n" + rest), "accepted");
  EXPECT_THAT(told("a,x,z\nb,y,z\na,y,z\nzebra,y,z\n"),
              HasSubstr("jobs.csv, row 3: something belongs to two different"));
  EXPECT_THAT(told("a,x,z\nb,y,z\nz,a,\nzebra,y,z\n"),
              HasSubstr("jobs.csv, row 3: something belongs to itself"));
  EXPECT_THAT(told("a,a,z\n" + rest), HasSubstr("jobs.csv, row 1: something belongs to itself"));
  EXPECT_THAT(told("b,y,z\na,,z\nzebra,y,z\n"),
              HasSubstr("jobs.csv, row 2: an empty cell is followed by others"));
  EXPECT_THAT(told("a,x,z\nb,y,z\n"),
              AllOf(HasSubstr("people.csv, row 3, column \"job\": the category is not in "),
                    HasSubstr("jobs.csv"), Not(HasSubstr("zebra"))));
  EXPECT_THAT(told("a,x,z\nc,b,z\nzebra,y,z\n"),
              HasSubstr("people.csv, row 2, column \"job\": others belong to the category in "));
  EXPECT_THAT(refusal(name("hierarchy = \"none.csv\"\n")), HasSubstr("none.csv: there is no such file"));
}

TEST_F(ReadSecret, ASimilarityIsAHierarchyByAverageLinkage) {
  write_jobs({"a", "b", "c", "d"});
  folder_.write("alike.csv", "a,b,similarity\na,c,0.9\nd,b,0.8\nb,a,0.2\nc,a,0.9\nx,a,1\n");
  const People people = read(name("similarity = \"alike.csv\"\n")).people;
  EXPECT_THAT(names_of(people.space->axes[0]), ElementsAre("a", "c", "b", "d"));
  EXPECT_EQ(outline(people.space->hierarchy), "[0,4) ([0,2) (a[0,1)) (c[1,2))) ([2,4) (b[2,3)) (d[3,4)))");
}

TEST_F(ReadSecret, ABadSimilarityIsRefusedWithItsRow) {
  write_jobs({"a", "b", "c"});
  const auto told = [&](const std::string& rows) {
    folder_.write("alike.csv", "a,b,similarity\n" + rows);
    return refusal(name("similarity = \"alike.csv\"\n"));
  };
  EXPECT_EQ(told("a,b,0.5\nb,a,0.5\na,a,1\n"), "accepted");
  EXPECT_THAT(told("a,c,0.1\na,b,0.5\nb,a,0.6\n"),
              HasSubstr("alike.csv, row 2, column \"similarity\": the pair occurs again further down"));
  EXPECT_THAT(told("a,b,0.5\nb,c,1.5\n"),
              HasSubstr("row 2, column \"similarity\": expected a number from 0 to 1"));
  EXPECT_THAT(told("a,b,high\n"), HasSubstr("row 1, column \"similarity\": expected a number from 0 to 1"));
  EXPECT_THAT(told("a,,1\n"), HasSubstr("row 1: a name is missing"));
  EXPECT_THAT(told("a,a,0.5\n"), HasSubstr("row 1, column \"similarity\": something is less alike itself"));
  folder_.write("alike.csv", "a,c,similarity\na,b,1\n");
  EXPECT_THAT(refusal(name("similarity = \"alike.csv\"\n")),
              HasSubstr("column \"b\": there is no such column"));
}

// --- several secrets

TEST_F(ReadSecret, SeveralSecretsAreOneWithAnAxisForEach) {
  folder_.write("people.csv",
                "id,age,sex,lat,lon,n\nann,30,f,1.5,1.5,1\nbob,20,m,1.5,1.5,2\ncid,30,f,1.5,1.5,3\ndan,30,m,"
                "1.9,1.5,4\n");
  const Spec spec =
      wide("[\"sex\", \"home\", \"age\"]",
           "kind = [\"categorical\", \"spatial\", \"ordered\"]\nlatitude = \"lat\"\nlongitude = \"lon\"\n");
  Engine engine({.folder = spec.folder}, {});
  const Reading reading = read_people(engine, spec);
  const People& people = reading.people;
  const SecretSpace& space = *people.space;
  ASSERT_EQ(space.axes.size(), 3u);
  EXPECT_THAT(names_of(space.axes[0]), ElementsAre("f", "m"));
  EXPECT_EQ(space.axes[1].values.size(), 2u);
  EXPECT_EQ(space.axes[2].values[1].number, 30);
  EXPECT_THAT(space.points, ElementsAre(ElementsAre(0, 0, 1), ElementsAre(1, 0, 0), ElementsAre(1, 1, 1)));
  EXPECT_THAT(people.secrets, ElementsAre(0, 1, 0, 2));
  // what verify counts by
  EXPECT_EQ(
      engine.doubles("SELECT max(secret), count(DISTINCT secret)::DOUBLE FROM " + reading.tables.people()),
      (std::vector<double>{2, 3}));
}

TEST_F(ReadSecret, ABadCellOfOneOfSeveralSecretsNamesItsColumn) {
  folder_.write("people.csv", "id,age,sex,n\nann,30,f,1\nbob,zebra,m,2\ncid,40,,3\n");
  const std::string kinds = "kind = [\"ordered\", \"categorical\"]\n";
  EXPECT_THAT(refusal(wide("[\"age\", \"sex\"]", kinds)),
              HasSubstr("row 2, column \"age\": expected a number"));
  folder_.write("people.csv", "id,age,sex,n\nann,30,f,1\nbob,20,m,2\ncid,40,,3\n");
  EXPECT_THAT(refusal(wide("[\"age\", \"sex\"]", kinds)),
              HasSubstr("row 3, column \"sex\": the secret is missing"));
}

// --- all kinds

TEST_F(ReadSecret, TheOrderOfRowsAndTheNumberOfThreadsChangeNothing) {
  std::mt19937 random(3);
  std::vector<std::string> lines;
  for (int u = 0; u < 2000; ++u)
    lines.push_back(fmt::format("p{},{},{},{},{}\n", u, 40 + static_cast<double>(random() % 300) / 1000,
                                -74 + static_cast<double>(random() % 300) / 1000, random() % 9,
                                random() % 5));
  const auto write = [&] {
    std::string text = "id,lat,lon,job,n\n";
    for (const auto& line : lines) text += line;
    folder_.write("people.csv", text);
  };
  write();
  const Spec spec =
      wide("[\"home\", \"job\"]",
           "kind = [\"spatial\", \"categorical\"]\nlatitude = \"lat\"\nlongitude = \"lon\"\natoms = 100\n");
  const People one = read(spec, 1).people;
  EXPECT_EQ(one.values.size(), 100u);
  EXPECT_EQ(fingerprint(read(spec, 2).people), fingerprint(one));
  std::shuffle(lines.begin(), lines.end(), random);
  write();
  EXPECT_EQ(fingerprint(read(spec, 2).people), fingerprint(one));
}

TEST_F(ReadSecret, TheFingerprintCoversPlacesNamesAndTheirHierarchy) {
  write_jobs({"a", "b", "c"});
  const auto flat = fingerprint(read(name()).people);
  folder_.write("jobs.csv", "job,up\na,x\nb,x\nc,y\n");
  const auto tree = fingerprint(read(name("hierarchy = \"jobs.csv\"\n")).people);
  folder_.write("jobs.csv", "job,up\na,x\nb,y\nc,y\n");
  EXPECT_NE(flat, tree);
  EXPECT_NE(fingerprint(read(name("hierarchy = \"jobs.csv\"\n")).people), tree);
  write_jobs({"a", "b", "d"});
  EXPECT_NE(fingerprint(read(name()).people), flat);
  folder_.write("people.csv", "id,lat,lon,n\nann,1.5,2.5,1\nbob,1.6,2.6,2\n");
  const auto here = fingerprint(read(place()).people);
  folder_.write("people.csv", "id,lat,lon,n\nann,2.5,2.5,1\nbob,2.6,2.6,2\n");
  EXPECT_NE(fingerprint(read(place()).people), here);
}

// --- some of the people

TEST_F(ReadSecret, SomePeopleHaveTheValuesAndPointsOfTheirsAlone) {
  folder_.write("jobs.csv", "job,up,all\na,x,z\nb,x,z\nc,y,z\nd,y,z\n");
  write_jobs({"a", "b", "c", "d", "b"});
  const People all = read(name("hierarchy = \"jobs.csv\"\n")).people;
  const People some = select(all, std::vector<std::uint32_t>{1, 3, 4});
  EXPECT_THAT(names_of(some.space->axes[0]), ElementsAre("b", "d"));
  EXPECT_THAT(some.secrets, ElementsAre(0, 1, 0));
  EXPECT_THAT(some.space->points, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(some.space->value_of_point, ElementsAre(0, 1));
  EXPECT_EQ(some.values[1].low, 1);
  EXPECT_EQ(outline(some.space->hierarchy), "z[0,2) (b[0,1)) (d[1,2))");
  // as if only they had been read
  folder_.write("people.csv", "id,job,n\np0001,b,1\np0003,d,3\np0004,b,4\n");
  const People alone = read(name("hierarchy = \"jobs.csv\"\n")).people;
  EXPECT_EQ(alone.space->points, some.space->points);
  EXPECT_EQ(outline(alone.space->hierarchy), outline(some.space->hierarchy));
  EXPECT_EQ(select(all, std::vector<std::uint32_t>{0, 1, 2, 3, 4}).space->points, all.space->points);
}

TEST_F(ReadSecret, SomePeopleOfSeveralSecretsHaveFewerValuesOnEveryAxis) {
  folder_.write("people.csv", "id,age,sex,n\nann,30,f,1\nbob,20,m,2\ncid,40,f,3\ndan,40,x,4\n");
  const People all = read(wide("[\"age\", \"sex\"]", "kind = [\"ordered\", \"categorical\"]\n")).people;
  const People some = select(all, std::vector<std::uint32_t>{0, 3});
  EXPECT_EQ(some.space->axes[0].values[1].number, 40);
  EXPECT_THAT(names_of(some.space->axes[1]), ElementsAre("f", "x"));
  EXPECT_THAT(some.space->points, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 1)));
}

}  // namespace
}  // namespace hyobscure::data
