#include "hyobscure/release/publish.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "hyobscure/base/parallel.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::MatchesRegex;
using testing::Not;

using Rows = std::map<std::string, std::multiset<std::string>>;

/// What stands behind the first comma of each line, by what stands before it.
Rows by_first_cell(const std::vector<std::string>& lines) {
  Rows rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto comma = lines[i].find(',');
    rows[lines[i].substr(0, comma)].insert(lines[i].substr(comma + 1));
  }
  return rows;
}

class Publish : public ReleaseTest {
 protected:
  /// True events by person, written like those of the release.
  static Rows true_events() {
    Rows rows;
    for (int p = 0; p < kPeople; ++p)
      for (int e = 0; e < 4 + p % 3; ++e)
        rows[id_of(p)].insert(
            fmt::format("item{},{}.{}0,day{}", (p * 5 + e * e) % 40, 1 + (p + e) % 5, p % 2 * 5, e));
    return rows;
  }
  static std::map<std::string, std::string> true_labels() {
    std::map<std::string, std::string> labels;
    for (int p = 0; p < kPeople; ++p) labels[id_of(p)] = age_of(p) < 26 ? "20-25" : "26-31";
    return labels;
  }
  static bool table_of_donors_exists(data::Engine& engine) {
    return engine.integers("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'hyo_donors'")[0] > 0;
  }
};

TEST_F(Publish, EveryPersonGetsTheirLabelAndTheEventsOfSomebodyInTheirGroup) {
  const auto result = publish_to("out", long_spec());
  EXPECT_EQ(lines("out/people.csv")[0], "id,age");
  EXPECT_EQ(lines("out/events.csv")[0], "who,what,stars,day");
  const auto labels = true_labels();
  const Rows people = by_first_cell(lines("out/people.csv")), events = by_first_cell(lines("out/events.csv"));
  ASSERT_EQ(people.size(), std::size_t{kPeople});
  ASSERT_EQ(events.size(), std::size_t{kPeople});
  std::size_t other_donor = 0;
  const Rows originals = true_events();
  for (const auto& [id, label] : people) {
    EXPECT_THAT(label, ElementsAre(labels.at(id)));
    const bool in_group = std::ranges::any_of(originals, [&](const auto& original) {
      return labels.at(original.first) == labels.at(id) && original.second == events.at(id);
    });
    EXPECT_TRUE(in_group) << id;
    other_donor += originals.at(id) != events.at(id) ? 1 : 0;
  }
  EXPECT_GT(other_donor, 10u);
  EXPECT_EQ(result.people, kPeople);
  EXPECT_EQ(result.events, static_cast<std::int64_t>(lines("out/events.csv").size()) - 1);
  EXPECT_EQ(static_cast<std::size_t>(result.people - result.people_unchanged), other_donor);
}

TEST_F(Publish, WideCellsStayAsTheyWere) {
  (void)publish_to("out", wide_spec());
  const auto released = lines("out/people.csv");
  EXPECT_EQ(released[0], "id,age,n,c,s");
  std::map<std::string, std::string> group_of_cells;
  for (int p = 0; p < kPeople; ++p)
    group_of_cells[fmt::format("{}.50,\"k, {}\",a|w{}", p, p % 4, p % 5)] =
        age_of(p) < 26 ? "20-25" : "26-31";
  for (const auto& [id, cells] : by_first_cell(released)) {
    const std::string label = cells.begin()->substr(0, 5), features = cells.begin()->substr(6);
    EXPECT_EQ(label, true_labels().at(id));
    ASSERT_TRUE(group_of_cells.contains(features)) << features;
    EXPECT_EQ(label, group_of_cells.at(features));
  }
}

TEST_F(Publish, KeptColumnsHoldTheOwnCellsAndDonorsShareThem) {
  write_kept_sources();
  (void)publish_to("wide", kept_spec(false));
  EXPECT_EQ(lines("wide/people.csv")[0], "id,age,sex,Town,n,c,s");
  const auto pool = [](int p) { return (age_of(p) < 26 ? "20-25," : "26-31,") + kept_cells_of(p) + ","; };
  const Rows wide = by_first_cell(lines("wide/people.csv"));
  int other_donor = 0;
  for (int p = 0; p < kPeople; ++p) {
    const std::string row = *wide.at(id_of(p)).begin();
    ASSERT_TRUE(row.starts_with(pool(p))) << row;
    const int donor = std::stoi(row.substr(pool(p).size()));  // the feature n names the person
    EXPECT_EQ(pool(donor), pool(p));
    other_donor += donor != p ? 1 : 0;
  }
  EXPECT_GT(other_donor, 10);

  (void)publish_to("long", kept_spec(true));
  EXPECT_EQ(lines("long/people.csv")[0], "id,age,sex,Town");
  EXPECT_EQ(lines("long/events.csv")[0], "who,what,stars,day");
  const Rows people = by_first_cell(lines("long/people.csv")),
             events = by_first_cell(lines("long/events.csv"));
  const Rows originals = true_events();
  for (int p = 0; p < kPeople; ++p) {
    EXPECT_EQ(*people.at(id_of(p)).begin() + ",", pool(p));
    bool shared = false;
    for (int donor = 0; donor < kPeople; ++donor)
      shared = shared || (pool(donor) == pool(p) && originals.at(id_of(donor)) == events.at(id_of(p)));
    EXPECT_TRUE(shared) << id_of(p);
  }
}

TEST_F(Publish, TheManifestNamesKeptColumnsOnlyWhereThereAreAny) {
  write_kept_sources();
  (void)publish_to("none", long_spec());
  (void)publish_to("kept", kept_spec(true, {{"release.ids", "replace"}}));
  EXPECT_FALSE(nlohmann::json::parse(content("none/manifest.json"))["columns"].contains("keep"));
  EXPECT_EQ(nlohmann::json::parse(content("kept/manifest.json"))["columns"]["keep"],
            (std::vector<std::string>{"sex", "Town"}));
  EXPECT_EQ(published::read_manifest(folder_ / "kept" / published::Manifest::kFileName).columns.keep,
            (std::vector<std::string>{"sex", "Town"}));
}

TEST_F(Publish, KeptCellsOfACsvFileStayTextInParquet) {
  write_kept_sources();
  auto spec = kept_spec(true, {{"release.format", "parquet"}});
  spec.people.source.file.clear();
  spec.people.source.query = "SELECT *, '007' AS code, age % 2 = 0 AS even FROM 'kept_people.csv'";
  spec.people.keep = {"code", "even"};
  (void)publish_to("out", spec);
  data::Engine engine({.folder = folder_.path()}, {});
  const auto columns = engine.describe("read_parquet('out/people.parquet')");
  EXPECT_EQ(columns[2].name + columns[2].type + columns[3].name + columns[3].type, "codeVARCHARevenBOOLEAN");
  EXPECT_EQ(engine.integers("SELECT count(*) FROM 'out/people.parquet' WHERE code = '007'")[0], kPeople);
}

TEST_F(Publish, RefusesASecretThatIsAlsoKeptInOtherLetters) {
  write_kept_sources();
  auto spec = kept_spec(true);
  spec.people.keep = spec.people.allow_identifying = {"AGE"};
  EXPECT_THAT(refusal([&] { (void)publish_to("out", spec); }), HasSubstr("two roles"));
}

TEST_F(Publish, RefusesAMechanismThatWasMadeForOtherKeptColumns) {
  write_kept_sources();
  data::Engine engine({.folder = folder_.path()}, {});
  auto spec = kept_spec(true);
  const auto mechanism = mechanism_for(read(engine, spec).people, "jensen-shannon");
  spec.people.keep = {"sex"};
  const auto reading = read(engine, spec);
  EXPECT_THAT(refusal([&] { (void)publish(engine, spec, reading, mechanism, {.output = folder_ / "out"}); }),
              HasSubstr("was made for other data"));
}

TEST_F(Publish, EmptyCellsStayEmpty) {
  std::string wide = "id,age,n,c,s\n";
  for (int p = 0; p < kPeople; ++p)
    wide += fmt::format("{},{},{},c{},w\n", id_of(p), age_of(p), p % 2 == 0 ? "" : "7", p % 3);
  folder_.write("wide.csv", wide);
  (void)publish_to("zero", wide_spec({{"people.missing", "zero"}}));
  (void)publish_to("mean", wide_spec({{"people.missing", "mean"}}));
  for (const std::string file : {"zero/people.csv", "mean/people.csv"}) {
    std::set<std::string> cells;
    for (const auto& [id, row] : by_first_cell(lines(file)))
      cells.insert(row.begin()->substr(6, row.begin()->find(",c") - 6));
    EXPECT_THAT(cells, ElementsAre("", "7"));
  }
}

TEST_F(Publish, NothingThatTheSpecDoesNotNameIsPublished) {
  (void)publish_to("long", long_spec());
  (void)publish_to("wide", wide_spec());
  for (const std::string folder : {"long", "wide"})
    for (const auto& [name, text] : all_files(folder)) {
      EXPECT_THAT(text, AllOf(Not(HasSubstr("zip")), Not(HasSubstr("note")))) << name;
    }
}

TEST_F(Publish, NothingPrivateIsInTheFolder) {
  data::Engine engine({.folder = folder_.path()}, {});
  const auto reading = read(engine, long_spec());
  const auto mechanism = mechanism_for(reading.people, "jensen-shannon");
  (void)publish(engine, long_spec(), reading, mechanism, {.output = folder_ / "out"});
  const auto files = all_files("out");
  EXPECT_THAT(files, ElementsAre(Key("README.txt"), Key("events.csv"), Key("groups.csv"),
                                 Key("manifest.json"), Key("people.csv")));
  for (const auto& [name, text] : files) {
    for (const std::string& secret :
         {mechanism.key.text(), mechanism.key.derive("draws").text(), mechanism.data_fingerprint,
          folder_.path().string(), std::string("cluster"), std::string("donor")})
      // README.txt only explains what a donor is, and the manifest says what kind of rows there are.
      EXPECT_TRUE(text.find(secret) == text.npos ||
                  (secret == "donor" && (name == "README.txt" || name == "manifest.json")))
          << name;
  }
  for (const auto& [id, label] : by_first_cell(lines("out/people.csv"))) EXPECT_EQ(label.begin()->size(), 5u);
}

TEST_F(Publish, ManifestHoldsJustTheDocumentedKeys) {
  (void)publish_to("out", long_spec());
  const auto json = nlohmann::ordered_json::parse(content("out/manifest.json"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(
      keys, ElementsAre("kind", "format", "program", "version", "method", "objective", "distance_name",
                        "shape", "ids", "order", "rows", "file_format", "draw", "seeded", "columns", "files",
                        "constraints", "secret_kinds", "secret_whole_numbers", "groups", "leakage_bits",
                        "leakage_groups_bits", "leakage_added_bits", "distance", "seal"));
  EXPECT_EQ(json["leakage_bits"], 2) << "1 by the groups, the rest rounded up";
  EXPECT_EQ(json["leakage_groups_bits"], 1);
  EXPECT_FALSE(json["groups"][1].contains("values"));
  EXPECT_EQ(json["groups"][1]["label"], "26-31");
  EXPECT_EQ(json["groups"][1]["people"], 30);
  EXPECT_EQ(json["files"][1]["sha256"], sha256_of_file(folder_ / "out/events.csv"));
  EXPECT_EQ(json["files"][0]["rows"], kPeople);
  EXPECT_EQ(json["files"][2]["name"], "groups.csv");
  EXPECT_EQ(json["files"][2]["rows"], 2);
  EXPECT_EQ(json["files"][2]["sha256"], sha256_of_file(folder_ / "out/groups.csv"));
  EXPECT_EQ(content("out/groups.csv"), "group,covers,people\n20-25,20 to 25,30\n26-31,26 to 31,30\n");
  EXPECT_EQ(json["files"][3]["sha256"], sha256_of_file(folder_ / "out/README.txt"));
  EXPECT_EQ(json["secret_whole_numbers"], true);
}

TEST_F(Publish, ReplacedIdsAreRandomLookingAndStillJoin) {
  (void)publish_to("out", long_spec({{"release.ids", "replace"}}));
  const Rows people = by_first_cell(lines("out/people.csv")), events = by_first_cell(lines("out/events.csv"));
  ASSERT_EQ(people.size(), std::size_t{kPeople});
  for (const auto& [id, label] : people) {
    EXPECT_THAT(id, MatchesRegex("[0-9a-f]{16}"));
    EXPECT_TRUE(events.contains(id));
  }
}

TEST_F(Publish, DroppedIdsLeaveNoColumnAndNoOrder) {
  (void)publish_to("keep", wide_spec());
  (void)publish_to("drop", wide_spec({{"release.ids", "drop"}}));
  EXPECT_EQ(lines("drop/people.csv")[0], "age,n,c,s");
  std::vector<std::string> kept, dropped = lines("drop/people.csv");
  for (const std::string& line : lines("keep/people.csv")) kept.push_back(line.substr(line.find(',') + 1));
  EXPECT_NE(kept, dropped);
  std::ranges::sort(kept);
  std::ranges::sort(dropped);
  EXPECT_EQ(kept, dropped);
}

TEST_F(Publish, EventsCannotDoWithoutIds) {
  EXPECT_THAT(refusal([&] { (void)publish_to("out", long_spec({{"release.ids", "drop"}})); }),
              HasSubstr("\"replace\""));
}

TEST_F(Publish, RowsAreOrderedByPublishedIdAndEventsByContent) {
  for (const std::string ids : {"keep", "replace"}) {
    (void)publish_to(ids, long_spec({{"release.ids", ids}}));
    for (const std::string file : {"/people.csv", "/events.csv"}) {
      auto rows = lines(ids + file);
      EXPECT_TRUE(std::is_sorted(rows.begin() + 1, rows.end())) << ids << file;
    }
  }
}

TEST_F(Publish, TheOrderOfTheInputDoesNotMatter) {
  (void)publish_to("a", long_spec());
  (void)publish_to("wide-a", wide_spec({{"release.ids", "drop"}}));
  write_sources(/*reversed=*/true);
  (void)publish_to("b", long_spec());
  (void)publish_to("wide-b", wide_spec({{"release.ids", "drop"}}));
  EXPECT_EQ(all_files("a"), all_files("b"));
  EXPECT_EQ(all_files("wide-a"), all_files("wide-b"));
}

TEST_F(Publish, ParquetGivesParquetWithTheSameTypes) {
  make_parquet("people");
  make_parquet("events");
  const auto spec = long_spec({{"people.file", "people.parquet"}, {"events.file", "events.parquet"}});
  (void)publish_to("out", spec);
  data::Engine engine({.folder = folder_.path()}, {});
  const auto types = [&](const std::string& file) {
    std::string text;
    for (const auto& column : engine.describe("read_parquet('" + file + "')"))
      text += column.name + " " + column.type + ", ";
    return text;
  };
  EXPECT_EQ(types("out/people.parquet"), "id VARCHAR, age VARCHAR, ");
  EXPECT_EQ(types("out/events.parquet"), "who VARCHAR, what VARCHAR, stars DOUBLE, day VARCHAR, ");
}

TEST_F(Publish, NumericIdsOfParquetStayNumbers) {
  data::Engine engine({.folder = folder_.path()}, {});
  engine.run(
      fmt::format("COPY (SELECT CAST(substr(id, 2) AS BIGINT) AS id, age FROM read_csv('people.csv')) TO "
                  "'{}' (FORMAT parquet)",
                  (folder_ / "people.parquet").string()));
  engine.run(
      fmt::format("COPY (SELECT CAST(substr(who, 2) AS INTEGER) AS who, what, stars, day FROM "
                  "read_csv('events.csv')) TO '{}' (FORMAT parquet)",
                  (folder_ / "events.parquet").string()));
  const std::vector<data::Override> files = {{"people.file", "people.parquet"},
                                             {"events.file", "events.parquet"}};
  (void)publish_to("keep", long_spec(files));
  EXPECT_EQ(engine.describe("read_parquet('keep/people.parquet')")[0].type, "BIGINT");
  EXPECT_EQ(engine.describe("read_parquet('keep/events.parquet')")[0].type, "INTEGER");
}

TEST_F(Publish, NumbersOfACsvFileAreNumbersInParquet) {
  (void)publish_to("long", long_spec({{"release.format", "parquet"}}));
  (void)publish_to("wide", wide_spec({{"release.format", "parquet"}}));
  data::Engine engine({.folder = folder_.path()}, {});
  EXPECT_EQ(engine.describe("read_parquet('long/events.parquet')")[2].type, "DOUBLE");
  EXPECT_EQ(engine.describe("read_parquet('wide/people.parquet')")[2].type, "DOUBLE");
  EXPECT_EQ(engine.doubles("SELECT sum(n - floor(n)) FROM read_parquet('wide/people.parquet')")[0],
            kPeople * 0.5);
}

TEST_F(Publish, SameBytesAgainAndWhateverTheThreads) {
  for (const std::string format : {"csv", "parquet"})
    for (const bool is_long : {true, false}) {
      const auto spec =
          is_long ? long_spec({{"release.format", format}}) : wide_spec({{"release.format", format}});
      const std::string name = format + (is_long ? "-long" : "-wide");
      (void)publish_to(name + "1", spec, 1);
      (void)publish_to(name + "2", spec, 2);
      (void)publish_to(name + "3", spec, 2);
      EXPECT_EQ(all_files(name + "1"), all_files(name + "2")) << name;
      EXPECT_EQ(all_files(name + "2"), all_files(name + "3")) << name;
    }
}

/// 300,000 events: several row groups of a Parquet file, and several chunks of everything else.
TEST_F(Publish, SameBytesWhateverTheThreadsForManyRows) {
  data::synthesise({.people = 3000, .seed = 4, .entries = 100, .parquet = true}, folder_ / "synth", false);
  const auto spec = data::read_spec(folder_ / "synth" / "spec.toml");
  for (const int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    (void)publish_to(fmt::format("out{}", threads), spec, threads);
  }
  EXPECT_EQ(all_files("out1"), all_files("out2"));
}

TEST_F(Publish, AnIdentityChannelOfOnePersonCellsChangesNothing) {
  data::Engine engine({.folder = folder_.path()}, {});
  const auto reading = read(engine, wide_spec());
  auto mechanism = mechanism_for(reading.people, "squared-euclidean");
  const auto changed = publish(engine, wide_spec(), reading, mechanism, {.output = folder_ / "a"});
  EXPECT_GT(changed.realised_distance, 0);
  EXPECT_LT(changed.people_unchanged, kPeople / 2);

  mechanism.clusters.centres.resize(kPeople, mechanism.clusters.centres.cols());
  mechanism.clusters.centres.setZero();
  for (auto& channel : mechanism.channels) channel = {.people = 30};
  for (std::size_t u = 0; u < reading.people.size(); ++u) {
    const auto row = reading.people.features[u];
    for (std::size_t i = 0; i < row.items.size(); ++i)
      mechanism.clusters.centres(static_cast<Eigen::Index>(u), row.items[i]) = row.values[i];
    auto& channel = *mechanism.channels[mechanism.group_of_value(reading.people.secrets[u])].cells();
    channel.clusters.push_back(static_cast<int>(u));
    channel.people.push_back(1);
  }
  for (auto& channel : mechanism.channels) channel.cells()->probabilities.setIdentity(30, 30);
  state_figures(reading.people, mechanism);
  const auto same =
      publish(engine, wide_spec(), reading, mechanism, {.output = folder_ / "b", .accept_leakage = true});
  EXPECT_EQ(same.realised_distance, 0);
  EXPECT_EQ(same.people_unchanged, kPeople);
}

TEST_F(Publish, RefusesDonorsFromOtherGroups) {
  data::Engine engine({.folder = folder_.path()}, {});
  const auto reading = read(engine, long_spec());
  auto mechanism = mechanism_for(reading.people, "jensen-shannon");
  mechanism.within_groups = false;
  mechanism.channels = {{.people = kPeople, .draw = obscure::OtherDraw{}}};
  EXPECT_THAT(
      refusal([&] { (void)publish(engine, long_spec(), reading, mechanism, {.output = folder_ / "a"}); }),
      testing::HasSubstr("draws donors from all groups"));
}

TEST_F(Publish, PeopleAndEventsThatWereLeftOutAreNotPublished) {
  folder_.write("events.csv",
                content("events.csv") + id_of(3) + ",,nothing,note,day\nstranger,1,item1,note,day\n");
  const auto spec = long_spec(
      {{"secret.keep", "[21, 31]"}, {"events.missing", "leave-out"}, {"events.unknown_people", "leave-out"}});
  const auto result = publish_to("out", spec);
  EXPECT_EQ(result.people, 55);
  const Rows people = by_first_cell(lines("out/people.csv"));
  for (int p = 0; p < kPeople; ++p) EXPECT_EQ(people.contains(id_of(p)), age_of(p) > 20);
  EXPECT_THAT(content("out/events.csv"), AllOf(Not(HasSubstr("nothing")), Not(HasSubstr("stranger"))));
}

// --- refusals

TEST_F(Publish, RefusesAMechanismThatWasMadeForOtherData) {
  data::Engine engine({.folder = folder_.path()}, {});
  auto mechanism = mechanism_for(read(engine, long_spec()).people, "jensen-shannon");
  std::string events = content("events.csv");
  folder_.write("events.csv", events.replace(events.find("item0"), 5, "item77"));
  const auto reading = read(engine, long_spec());
  EXPECT_THAT(
      refusal([&] { (void)publish(engine, long_spec(), reading, mechanism, {.output = folder_ / "out"}); }),
      AllOf(HasSubstr("was made for other data"), HasSubstr("Run fit again")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Publish, RefusesASecretThatIsAlsoAFeatureInOtherLetters) {
  auto spec = wide_spec();
  spec.people.features.push_back("AGE");
  spec.people.allow_identifying = {"AGE"};
  EXPECT_THAT(refusal([&] { (void)publish_to("out", spec); }), HasSubstr("two roles"));
}

TEST_F(Publish, ReplacesAReleaseOnlyWhenForcedAndNothingElseEver) {
  (void)publish_to("out", long_spec());
  EXPECT_THAT(refusal([&] { (void)publish_to("out", wide_spec()); }), HasSubstr("exists already"));
  EXPECT_EQ(lines("out/people.csv")[0], "id,age");
  (void)publish_to("out", wide_spec(), 0, /*force=*/true);
  EXPECT_EQ(lines("out/people.csv")[0], "id,age,n,c,s");
  EXPECT_THAT(all_files("out"),
              ElementsAre(Key("README.txt"), Key("groups.csv"), Key("manifest.json"), Key("people.csv")));

  std::filesystem::create_directory(folder_ / "mine");
  folder_.write("mine/thesis.txt", "years of work");
  EXPECT_THAT(refusal([&] { (void)publish_to("mine", long_spec(), 0, /*force=*/true); }),
              HasSubstr("will not be replaced"));
  EXPECT_EQ(content("mine/thesis.txt"), "years of work");
}

/// Files of this process may not grow beyond a few bytes, as on a full disk.
class FullDisk {
 public:
  FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = 512, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(Publish, AFullDiskLeavesNothingBehind) {
  for (const std::string format : {"csv", "parquet"}) {
    const auto spec = long_spec({{"release.format", format}});
    data::Engine engine({.folder = folder_.path()}, {});
    const auto reading = read(engine, spec);
    const auto mechanism = mechanism_for(reading.people, "jensen-shannon");
    std::string message;
    {
      const FullDisk full;
      message =
          refusal([&] { (void)publish(engine, spec, reading, mechanism, {.output = folder_ / "out"}); });
    }
    EXPECT_THAT(message, AllOf(HasSubstr("out"), HasSubstr("Make room on the disk")));
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("out")));
    EXPECT_FALSE(table_of_donors_exists(engine));
  }
}

TEST_F(Publish, TheTableOfDonorsIsDroppedAndTheThreadsComeBack) {
  data::Engine engine({.folder = folder_.path(), .threads = 2}, {});
  const auto spec = long_spec({{"release.format", "parquet"}});
  const auto reading = read(engine, spec);
  (void)publish(engine, spec, reading, mechanism_for(reading.people, "jensen-shannon"),
                {.output = folder_ / "out"});
  EXPECT_FALSE(table_of_donors_exists(engine));
  EXPECT_EQ(engine.integers("SELECT CAST(current_setting('threads') AS BIGINT)")[0], 2);
}

TEST_F(Publish, StopsWhenAskedAndLeavesNothing) {
  std::atomic<bool> stop = false;
  const Progress progress(
      [&](std::string_view stage, double, double) { stop = stop || stage == "writing events"; }, &stop);
  data::Engine engine({.folder = folder_.path()}, progress);
  const auto reading = read(engine, long_spec());
  EXPECT_THROW((void)publish(engine, long_spec(), reading, mechanism_for(reading.people, "jensen-shannon"),
                             {.output = folder_ / "out"}, progress),
               Stopped);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace hyobscure::release
