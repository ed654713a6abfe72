#include "hyobscure/release/event_file.h"

#include <gmock/gmock.h>

#include "hyobscure/base/parallel.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {
namespace {

/// Releases whose events we write ourselves, beside those that the engine joins, sorts and writes.
class EventFileTest : public ReleaseTest {
 protected:
  data::Spec spec(std::vector<data::Override> overrides) const {
    overrides.push_back({"events.time", ""});
    return long_spec(overrides);
  }

  /// Makes events.csv or events.parquet (by its name) of a SELECT of who, what and, where there are, stars.
  void write_events(const std::string& file, const std::string& select) const {
    data::Engine engine({.folder = folder_.path()}, {});
    engine.run(fmt::format("COPY ({}) TO '{}'", select, (folder_ / file).string()));
  }

  void publish_both_ways(const data::Spec& spec, int threads = 0) const {
    data::Engine engine({.folder = folder_.path(), .threads = threads}, {});
    auto reading = read(engine, spec);
    ASSERT_TRUE(reading.event_cells);
    const auto mechanism = mechanism_for(reading.people, data::word(spec.channel.distance));
    ASSERT_TRUE(EventFile::plan(engine, spec, reading, plan_layout(engine, spec, reading)));
    (void)publish(engine, spec, reading, mechanism, {.output = folder_ / "ours", .force = true});
    reading.event_cells.reset();
    (void)publish(engine, spec, reading, mechanism, {.output = folder_ / "engine", .force = true});
  }

  /// In their order, with the types of their columns.
  std::vector<std::string> parquet_rows(const std::string& file) const {
    data::Engine engine({.folder = folder_.path()}, {});
    std::vector<std::string> rows;
    for (const data::Column& column : engine.describe(fmt::format("'{}'", file)))
      rows.push_back(column.name + " " + column.type);
    for (const std::string& row : engine.texts(fmt::format("SELECT CAST(e AS VARCHAR) FROM '{}' AS e", file)))
      rows.push_back(row);
    return rows;
  }

  void expect_same(const data::Spec& spec) const {
    publish_both_ways(spec);
    if (std::filesystem::exists(folder_ / "ours/events.csv"))
      EXPECT_EQ(content("ours/events.csv"), content("engine/events.csv"));
    else
      EXPECT_EQ(parquet_rows("ours/events.parquet"), parquet_rows("engine/events.parquet"));
  }

  bool is_told(const data::Spec& spec) const {
    data::Engine engine({.folder = folder_.path()}, {});
    return read(engine, spec).event_cells.has_value();
  }
};

constexpr const char* kOddItems =
    "SELECT who, what || ['', ',', '\"', ' x', '#', chr(10), chr(13), ';', 'é', 'NULL', '''', chr(9), "
    "'longer than a few letters'][1 + CAST(hash(what) % 13 AS BIGINT)] AS what, stars FROM "
    "read_csv('events.csv', all_varchar "
    "= true)";

TEST_F(EventFileTest, CsvFilesAreThoseOfTheEngine) {
  write_events("odd.csv", kOddItems);
  for (const std::string ids : {"keep", "replace"})
    for (const std::string order : {"sorted", "shuffled"})
      expect_same(spec({{"events.file", "odd.csv"}, {"release.ids", ids}, {"release.order", order}}));
}

TEST_F(EventFileTest, ParquetRowsAreThoseOfTheEngine) {
  write_events("odd.csv", kOddItems);
  for (const std::string ids : {"keep", "replace"})
    for (const std::string order : {"sorted", "shuffled"})
      expect_same(spec({{"events.file", "odd.csv"},
                        {"release.ids", ids},
                        {"release.order", order},
                        {"release.format", "parquet"}}));
}

TEST_F(EventFileTest, NumbersKeepTheirTypesAndTheirOrder) {
  make_parquet("people");
  const std::pair<std::string, std::string> types[] = {{"UTINYINT", "DOUBLE"}, {"SMALLINT", "FLOAT"},
                                                       {"INTEGER", "BIGINT"},  {"BIGINT", "UINTEGER"},
                                                       {"UBIGINT", "TINYINT"}, {"VARCHAR", "SMALLINT"}};
  for (const auto& [item, value] : types) {
    write_events("typed.parquet",
                 fmt::format("SELECT who, CAST(substr(what, 5) AS {}) AS what, CAST(stars AS {}) AS stars "
                             "FROM 'events.csv'",
                             item, value));
    for (const std::string format : {"parquet", "csv"})
      expect_same(spec(
          {{"people.file", "people.parquet"}, {"events.file", "typed.parquet"}, {"release.format", format}}));
  }
}

TEST_F(EventFileTest, IdsMayBeNumbersOrUuids) {
  for (const std::string id : {"CAST(substr({}, 2) AS INTEGER)", "CAST(md5({}) AS UUID)"}) {
    write_events("ids.parquet",
                 "SELECT " + fmt::format(fmt::runtime(id), "id") + " AS id, age FROM 'people.csv'");
    write_events("by_ids.parquet",
                 "SELECT " + fmt::format(fmt::runtime(id), "who") + " AS who, what, stars FROM 'events.csv'");
    expect_same(spec(
        {{"people.file", "ids.parquet"}, {"events.file", "by_ids.parquet"}, {"release.ids", "replace"}}));
  }
}

TEST_F(EventFileTest, EventsWithoutValuesAreAsManyAsThereWere) {
  write_events("visits.csv",
               "SELECT who, 'place ' || what AS what FROM 'events.csv', range(1 + length(what) % 3)");
  for (const std::string format : {"csv", "parquet"})
    for (const std::string order : {"sorted", "shuffled"})
      expect_same(spec({{"events.file", "visits.csv"},
                        {"events.value", ""},
                        {"release.order", order},
                        {"release.format", format}}));
}

/// One has most of all events: more than a row group, of many different values.
TEST_F(EventFileTest, ManyEventsOfOnePersonGiveTheSameBytesWhateverTheThreads) {
  write_events(
      "many.csv",
      "SELECT who, what, regexp_replace(stars, '[.]?0+$', '') AS stars FROM read_csv('events.csv', "
      "all_varchar = "
      "true) UNION ALL SELECT 'u107', 'thing ' || range, CAST((2 * range + 1) / 1024 AS VARCHAR) FROM "
      "range(130000)");
  for (const std::string format : {"csv", "parquet"}) {
    const auto many = spec({{"events.file", "many.csv"}, {"release.format", format}});
    expect_same(many);
    std::map<std::string, std::string> files;
    for (const int threads : {1, 3}) {
      const ThreadLimit limit(threads);
      (void)publish_to("again", many, threads, /*force=*/true);
      if (files.empty()) files = all_files("again");
      EXPECT_EQ(all_files("again"), files) << format << threads;
    }
  }
}

TEST_F(EventFileTest, WhatRowsDoNotTellIsLeftToTheEngine) {
  EXPECT_TRUE(is_told(spec({})));
  EXPECT_FALSE(is_told(long_spec())) << "times are in no row";
  const std::string events = content("events.csv");
  const auto with = [&](const std::string& line) {
    folder_.write("events.csv", events + line + "\n");
    return is_told(spec({{"events.repeated", "sum"}}));
  };
  EXPECT_TRUE(with(id_of(0) + ",7,new,,"));
  EXPECT_FALSE(with(id_of(0) + ",0,new,,")) << "zeros are in no row";
  EXPECT_FALSE(with(id_of(0) + ",1.00,new,,\n" + id_of(0) + ",1.0,newer,,")) << "one number, two texts";
  EXPECT_FALSE(with(id_of(0) + ",7,new,,\n" + id_of(0) + ",7,new,,")) << "two events are one entry";
}

TEST_F(EventFileTest, QuotesAreTheEngines) {
  data::Engine engine({.folder = folder_.path()}, {});
  engine.run("CREATE TABLE t (n BIGINT, x VARCHAR)");
  std::string expected = "n,x\n";
  data::Engine::Appender rows(engine, "t");
  for (int letter = 1; letter < 128; ++letter)
    for (const std::string& text : {std::string(1, static_cast<char>(letter)), fmt::format("a{:c}b", letter),
                                    fmt::format("ab{:c}", letter)}) {
      rows.row({std::int64_t{letter}, std::string_view(text)});
      expected += fmt::format("{},{}\n", letter, csv_cell(text));
    }
  rows.row({std::int64_t{0}, std::string_view("")});  // which publish_layout.h turns into nothing
  expected += "0," + csv_cell("") + "\n";
  rows.close();
  engine.run(fmt::format(
      "COPY (SELECT n, nullif(x, '') AS x FROM t) TO '{}' (FORMAT csv, HEADER true, DELIMITER ',')",
      (folder_ / "t.csv").string()));
  EXPECT_EQ(content("t.csv"), expected);
}

}  // namespace
}  // namespace hyobscure::release
