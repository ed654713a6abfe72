#include "hyobscure/data/read/read.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A folder with two small files, each part of which a test may replace.
class Read : public testing::Test {
 protected:
  Read() {
    folder_.write("people.csv", "id,age\nann,30\nbob,40\ncid,50\n");
    folder_.write("events.csv", "who,what,stars\nann,x,1\nann,y,2\nbob,y,3\ncid,x,4\ncid,z,5\n");
  }

  Spec spec(const std::vector<Override>& overrides = {}) const {
    return parse_spec(R"([people]
file = "people.csv"
id = "id"
secret = "age"
[events]
file = "events.csv"
person = "who"
item = "what"
value = "stars"
)",
                      "spec.toml", folder_.path(), overrides);
  }

  Spec wide(const std::vector<Override>& overrides = {}) const {
    return parse_spec(
        "[people]\nfile = \"wide.csv\"\nid = \"id\"\nsecret = \"age\"\nfeatures = [\"n\", \"c\"]\n",
        "spec.toml", folder_.path(), overrides);
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

  static std::vector<double> dense_row(const SparseRows& rows, std::size_t row) {
    std::vector<double> dense(rows.columns, 0.0);
    for (std::size_t i = 0; i < rows[row].items.size(); ++i) dense[rows[row].items[i]] = rows[row].values[i];
    return dense;
  }

  TestFolder folder_;
};

TEST_F(Read, LongEventsBecomeSparseRowsInTheOrderOfIds) {
  folder_.write("people.csv", "id,age\ncid,50\nann,30\nbob,40\n");
  const Reading reading = read(spec());
  const People& people = reading.people;
  const ReadCounts& counts = reading.counts;
  EXPECT_THAT(people.ids, ElementsAre("ann", "bob", "cid"));
  EXPECT_THAT(people.secrets, ElementsAre(0, 1, 2));
  EXPECT_EQ(people.values[2].low, 50);
  EXPECT_THAT(dense_row(people.features, 0), ElementsAre(1, 2, 0));
  EXPECT_THAT(dense_row(people.features, 1), ElementsAre(0, 3, 0));
  EXPECT_THAT(dense_row(people.features, 2), ElementsAre(4, 0, 5));
  EXPECT_EQ(counts.people_read, 3);
  EXPECT_EQ(counts.events_read, 5);
}

TEST_F(Read, EveryFormatGivesTheSamePeople) {
  const auto expected = fingerprint(read(spec()).people);
  Engine engine({.folder = folder_.path()}, {});
  const auto copy = [&](const std::string& to, const std::string& options) {
    engine.run(
        fmt::format("COPY (FROM read_csv('people.csv')) TO '{}' ({})", (folder_ / to).string(), options));
    EXPECT_EQ(fingerprint(read(spec({{"people.file", to}})).people), expected) << to;
  };
  copy("people.parquet", "FORMAT parquet");
  copy("people.jsonl", "FORMAT json");
  copy("people.csv.gz", "FORMAT csv, COMPRESSION gzip");
  copy("people.csv.zst", "FORMAT csv, COMPRESSION zstd");
  folder_.write("people.tsv", "id\tage\nann\t30\nbob\t40\ncid\t50\n");
  EXPECT_EQ(fingerprint(read(spec({{"people.file", "people.tsv"}})).people), expected);
  folder_.write("people.txt", "ann::30\nbob::40\ncid::50\n");
  EXPECT_EQ(fingerprint(read(spec({{"people.file", "people.txt"},
                                   {"people.delimiter", "::"},
                                   {"people.header", "false"},
                                   {"people.id", "column0"},
                                   {"people.secret", "column1"}}))
                            .people),
            expected);
  engine.run(fmt::format("ATTACH '{}' AS d", (folder_ / "all.duckdb").string()));
  engine.run("CREATE TABLE d.persons AS FROM read_csv('people.csv')");
  engine.run("DETACH d");
  EXPECT_EQ(fingerprint(read(spec({{"people.file", "all.duckdb"}, {"people.table", "persons"}})).people),
            expected);
  EXPECT_EQ(
      fingerprint(read(spec({{"people.file", ""}, {"people.query", "SELECT * FROM 'people.csv';"}})).people),
      expected);
}

// --- kept columns

TEST_F(Read, KeptCombinationsAreNumberedInTheOrderOfTheirCells) {
  folder_.write("people.csv", "id,sex,age,town\nann,f,30,b\nbob,m,40,a\ncid,f,50,b\ndan,f,50,a\n");
  folder_.write("events.csv", "who,what,stars\nann,x,1\nbob,y,3\ncid,x,4\ndan,x,4\n");
  const People people = read(spec({{"people.keep", "sex,town"}})).people;
  EXPECT_THAT(people.kept, ElementsAre(1, 2, 1, 0));
  EXPECT_EQ(people.kept_combinations, 3u);
  EXPECT_THAT(read(spec({{"people.keep", "town"}})).people.kept, ElementsAre(1, 0, 1, 0));

  folder_.write("people.csv", "id,sex,age,town\ndan,f,50,a\ncid,f,50,b\nbob,m,40,a\nann,f,30,b\n");
  EXPECT_EQ(fingerprint(read(spec({{"people.keep", "sex,town"}}), 1).people), fingerprint(people));
}

TEST_F(Read, NothingIsKeptUnlessTheSpecSaysSo) {
  const People people = read(spec()).people;
  EXPECT_TRUE(people.kept.empty());
  EXPECT_EQ(people.kept_combinations, 1u);
}

TEST_F(Read, TheFingerprintCoversWhoSharesKeptCells) {
  folder_.write("people.csv", "id,sex,age\nann,f,30\nbob,m,40\ncid,f,50\n");
  const auto none = fingerprint(read(spec()).people);
  const auto kept = fingerprint(read(spec({{"people.keep", "sex"}})).people);
  folder_.write("people.csv", "id,sex,age\nann,f,30\nbob,m,40\ncid,m,50\n");
  EXPECT_EQ(fingerprint(read(spec()).people), none);
  EXPECT_NE(kept, none);
  EXPECT_NE(fingerprint(read(spec({{"people.keep", "sex"}})).people), kept);
}

TEST_F(Read, AnEmptyKeptCellIsAValueOfItsOwn) {
  folder_.write("wide.csv", "id,age,sex,n,c\nann,30,f,1,x\nbob,40,,2,y\ncid,50,,3,x\ndan,50,-,3,x\n");
  for (const std::string missing : {"refuse", "leave-out"}) {
    const People people = read(wide({{"people.keep", "sex"}, {"people.missing", missing}})).people;
    EXPECT_THAT(people.kept, ElementsAre(1, 2, 2, 0)) << missing;
  }
}

TEST_F(Read, KeptCellsAreToldApartAsTheyAreWritten) {
  folder_.write("people.csv", "id,code,age\nann,1,30\nbob,01,40\ncid,1.0,50\n");
  EXPECT_EQ(read(spec({{"people.keep", "code"}})).people.kept_combinations, 3u);
  const std::string query =
      "SELECT id, age, CASE id WHEN 'ann' THEN '0.0' WHEN 'bob' THEN '-0.0' ELSE '1' END::DOUBLE AS x, "
      "CASE id WHEN 'ann' THEN ['a, b'] ELSE ['a', 'b'] END AS l FROM 'people.csv'";
  const auto of_query = [&](const std::string& keep) {
    return read(spec({{"people.file", ""}, {"people.query", query}, {"people.keep", keep}}))
        .people.kept_combinations;
  };
  EXPECT_EQ(of_query("x"), 3u);
  EXPECT_EQ(of_query("l"), 2u);
}

TEST_F(Read, PeopleWhoAreLeftOutHaveNoKeptCombination) {
  folder_.write("people.csv", "id,sex,age\nann,f,30\nbob,m,40\ncid,g,50\ndan,a,99\neve,b,40\n");
  const People people =
      read(spec({{"people.keep", "sex"}, {"secret.keep", "[0, 90]"}, {"people.without_events", "leave-out"}}))
          .people;
  EXPECT_THAT(people.ids, ElementsAre("ann", "bob", "cid"));
  EXPECT_THAT(people.kept, ElementsAre(0, 2, 1));
  EXPECT_EQ(people.kept_combinations, 3u);
}

TEST_F(Read, RefusesAKeptColumnThatTellsPeopleApart) {
  std::string wide_text = "id,age,sex,street,n,c\n";
  for (int p = 0; p < 1001; ++p)
    wide_text += fmt::format("p{},{},{},lane {},{},x\n", p, 20 + p % 9, p % 2, p, p);
  folder_.write("wide.csv", wide_text);
  EXPECT_EQ(read(wide({{"people.keep", "sex"}})).people.kept_combinations, 2u);
  EXPECT_THAT(
      refusal(wide({{"people.keep", "sex,street"}, {"people.allow_identifying", "street"}})),
      AllOf(HasSubstr("column \"street\": people.keep gives 1001 combinations of cells, more than 1000: "
                      "such a column identifies people and should not be kept"),
            Not(HasSubstr("lane"))));
  EXPECT_EQ(read(wide({{"people.keep", "street"},
                       {"people.allow_identifying", "street"},
                       {"people.query", "SELECT * FROM 'wide.csv' WHERE id <> 'p0'"},
                       {"people.file", ""}}))
                .people.kept_combinations,
            1000u);
}

TEST_F(Read, AKeptColumnThatDoesNotExistIsNamed) {
  folder_.write("people.csv", "id,gender,age\nann,f,30\nbob,m,40\ncid,g,50\n");
  EXPECT_THAT(
      refusal(spec({{"people.keep", "gendre"}})),
      AllOf(HasSubstr("column \"gendre\": there is no such column"), HasSubstr("Did you mean \"gender\"?")));
}

TEST_F(Read, TheOrderOfRowsAndTheNumberOfThreadsChangeNothing) {
  std::string people = "id,age\n", events = "who,what,stars\n";
  std::vector<std::string> person_lines, event_lines;
  std::mt19937 random(1);
  for (int u = 0; u < 3000; ++u) {
    person_lines.push_back(fmt::format("p{},{}\n", u, 18 + u % 40));
    for (int i = 0; i < 20; ++i)
      event_lines.push_back(fmt::format("p{},m{},{}\n", u, i * 7 + random() % 7, 1 + random() % 5));
  }
  const auto write = [&] {
    std::string a = people, b = events;
    for (const auto& line : person_lines) a += line;
    for (const auto& line : event_lines) b += line;
    folder_.write("people.csv", a);
    folder_.write("events.csv", b);
  };
  write();
  const auto one = fingerprint(read(spec(), 1).people);
  EXPECT_EQ(fingerprint(read(spec(), 2).people), one);
  std::shuffle(person_lines.begin(), person_lines.end(), random);
  std::shuffle(event_lines.begin(), event_lines.end(), random);
  write();
  EXPECT_EQ(fingerprint(read(spec(), 2).people), one);
}

TEST_F(Read, PeopleOutsideTheKeptRangeAreCountedAndTheirEventsAreNotUnknown) {
  const Reading reading = read(spec({{"secret.keep", "[30, 45]"}}));
  const People& people = reading.people;
  const ReadCounts& counts = reading.counts;
  EXPECT_THAT(people.ids, ElementsAre("ann", "bob"));
  EXPECT_EQ(counts.people_outside, 1);
  EXPECT_EQ(people.features.columns, 2u);  // nobody who is left rated z
}

TEST_F(Read, WideColumnsBecomeNumbersCategoriesAndSets) {
  folder_.write("wide.csv", "id,age,n,c,s\nann,30,10,red,a|b\nbob,40,20,blue,\ncid,50,15,red,b\n");
  const auto people = read(wide({{"people.features", "n,c,s"}, {"people.sets", "s"}})).people;
  // items by name: "c = blue", "c = red", "n", "s has a", "s has b"; n is scaled to 0..1
  EXPECT_THAT(dense_row(people.features, 0), ElementsAre(0, 1, 0, 1, 1));
  EXPECT_THAT(dense_row(people.features, 1), ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(dense_row(people.features, 2), ElementsAre(0, 1, 0.5, 0, 1));
  const auto raw = read(wide({{"people.scale", "none"}})).people;
  EXPECT_THAT(dense_row(raw.features, 0), ElementsAre(0, 1, 10));
  const auto coded = read(wide({{"people.categorical", "n"}, {"people.features", "n"}})).people;
  EXPECT_EQ(coded.features.columns, 3u);
}

TEST_F(Read, AWordAmongNumbersIsToldWithItsRowAndTheSpecDecides) {
  const auto table = [](const std::string& last) {
    std::string text = "id,age,n\n";
    for (int p = 0; p < 20; ++p)
      text += fmt::format("p{:02},{},{}\n", p, 20 + p % 5, p == 13 ? last : std::to_string(p % 4));
    return text;
  };
  folder_.write("wide.csv", table("n/a"));
  const Override n{"people.features", "n"};
  EXPECT_THAT(refusal(wide({n})), AllOf(HasSubstr("row 14, column \"n\": expected a number, as nearly all"),
                                        HasSubstr("people.categorical"), Not(HasSubstr("n/a"))));
  EXPECT_EQ(read(wide({n, {"people.categorical", "n"}})).people.features.columns, 5u);
  folder_.write("wide.csv", table(""));
  EXPECT_EQ(
      read(wide({n, {"people.missing", "zero"}, {"people.scale", "none"}, {"channel.distance", "euclidean"}}))
          .people.features.columns,
      1u);
  std::string half = "id,age,n\n";  // as many words as numbers: names of categories
  for (int p = 0; p < 20; ++p)
    half += fmt::format("p{:02},{},{}{}\n", p, 20 + p % 5, p % 2 ? "x" : "", p % 4);
  folder_.write("wide.csv", half);
  EXPECT_EQ(read(wide({n})).people.features.columns, 4u);
}

TEST_F(Read, AListColumnIsASet) {
  Engine engine({}, {});
  engine.run(fmt::format(
      "COPY (SELECT * FROM (VALUES ('ann', 30, ['a','b','a']), ('bob', 40, ['b'])) t(id, age, s)) TO '{}'",
      (folder_ / "wide.parquet").string()));
  const auto people = read(wide({{"people.file", "wide.parquet"}, {"people.features", "s"}})).people;
  EXPECT_THAT(dense_row(people.features, 0), ElementsAre(1, 1));
  EXPECT_THAT(dense_row(people.features, 1), ElementsAre(0, 1));
}

TEST_F(Read, AMissingFeatureIsWhatTheSpecDeclares) {
  folder_.write("wide.csv", "id,age,n,c\nann,30,10,red\nbob,40,,\ncid,50,20,red\ndan,60,15,blue\n");
  EXPECT_THAT(refusal(wide()),
              AllOf(HasSubstr("row 2, column \"n\": the cell is empty"), HasSubstr("people.missing")));
  const Override euclidean{"channel.distance", "euclidean"};  // which a row of zeros does not trouble
  EXPECT_THAT(dense_row(read(wide({{"people.missing", "zero"}, euclidean})).people.features, 1),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(dense_row(read(wide({{"people.missing", "mean"}})).people.features, 1), ElementsAre(0, 0, 0.5));
  // "c = blue", "c = red", "c is missing", "n", "n is missing"
  EXPECT_THAT(dense_row(read(wide({{"people.missing", "category"}})).people.features, 1),
              ElementsAre(0, 0, 1, 0, 1));
  const auto reading = read(wide({{"people.missing", "leave-out"}}));
  EXPECT_EQ(reading.counts.people_incomplete, 1);
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "cid", "dan"));
}

TEST_F(Read, RepeatedEventsAreMergedAsDeclared) {
  folder_.write("events.csv", "who,what,stars\nann,x,1\nann,x,2\nann,x,6\nbob,y,3\ncid,x,4\n");
  EXPECT_THAT(refusal(spec()), AllOf(HasSubstr("events.csv, row 1: "), HasSubstr("events.repeated")));
  const auto ann = [&](const std::string& rule) {
    return dense_row(read(spec({{"events.repeated", rule}})).people.features, 0)[0];
  };
  EXPECT_EQ(ann("sum"), 9);
  EXPECT_EQ(ann("mean"), 3);
  EXPECT_EQ(ann("max"), 6);
  EXPECT_EQ(dense_row(read(spec({{"events.value", ""}})).people.features, 0)[0],
            3);  // without values events are counted
}

TEST_F(Read, PeopleWithoutEventsAreRefusedOrCounted) {
  folder_.write("events.csv", "who,what,stars\nann,x,1\nbob,y,0\ncid,x,4\n");
  EXPECT_THAT(refusal(spec()), HasSubstr("1 person has no events, or only zeros"));
  const Reading reading = read(spec({{"people.without_events", "leave-out"}}));
  const People& people = reading.people;
  const ReadCounts& counts = reading.counts;
  EXPECT_THAT(people.ids, ElementsAre("ann", "cid"));
  EXPECT_THAT(people.secrets, ElementsAre(0, 1));
  EXPECT_EQ(counts.people_without_events, 1);
  EXPECT_EQ(people.features.size(), 2u);
}

TEST_F(Read, EventsOfUnknownPeopleAreRefusedOrCounted) {
  folder_.write("events.csv", "who,what,stars\nann,x,1\nbob,y,2\nzoe,y,2\ncid,x,4\n");
  EXPECT_THAT(refusal(spec()),
              HasSubstr("row 3, column \"who\": the person is not in the people table (1 event"));
  EXPECT_EQ(read(spec({{"events.unknown_people", "leave-out"}})).counts.events_unknown, 1);
}

TEST_F(Read, AMissingSecretIsRefusedOrCounted) {
  folder_.write("people.csv", "id,age\nann,30\nbob,\ncid,50\n");
  EXPECT_THAT(refusal(spec()), HasSubstr("row 2, column \"age\": the secret is missing (1 person"));
  const auto reading = read(spec({{"secret.missing", "leave-out"}}));
  EXPECT_EQ(reading.counts.people_without_secret, 1);
  EXPECT_THAT(reading.people.ids, ElementsAre("ann", "cid"));
}

TEST_F(Read, BadPeopleAreRefusedWithTheirRowAndWithoutTheirCells) {
  const auto with_people = [&](const std::string& content) {
    folder_.write("people.csv", content);
    return refusal(spec());
  };
  EXPECT_THAT(with_people("id,age\nann,30\nbob,zebra\n"),
              AllOf(HasSubstr("people.csv, row 2, column \"age\": expected a number (1 cell"),
                    Not(HasSubstr("zebra"))));
  EXPECT_THAT(with_people("id,age\nann,30\nbob,nan\n"),
              HasSubstr("row 2, column \"age\": expected a finite number"));
  EXPECT_THAT(with_people("id,age\nann,30\nbob,-inf\n"), HasSubstr("expected a finite number"));
  EXPECT_THAT(with_people("id,age\nann,30\n,40\n"), HasSubstr("row 2, column \"id\": the id is missing"));
  EXPECT_THAT(with_people("id,age\nann,30\nbob,40\nann,31\n"),
              AllOf(HasSubstr("row 1, column \"id\": the person occurs again"), Not(HasSubstr("ann"))));
  EXPECT_THAT(with_people("id,age\n"), HasSubstr("there are no people in it"));
  EXPECT_THAT(with_people(""), HasSubstr("the file is empty"));
  EXPECT_THAT(with_people("id,agee\nann,30\n"),
              HasSubstr("no such column; there are 2. Did you mean \"agee\"?"));
  EXPECT_THAT(with_people("id,age,AGE\nann,30,31\n"), HasSubstr("two columns so named"));
  EXPECT_THAT(with_people("ann,30\nbob,40\ncid,50\n"),
              AllOf(HasSubstr("no such column"), Not(HasSubstr("30"))));
  EXPECT_THAT(with_people("id,age\nann,30\nb\xff\xfe"
                          "b,40\n"),
              HasSubstr("not valid UTF-8"));
  EXPECT_THAT(with_people("id,age\nann,30\nbob,40\n\"cid,50\n"), Not(HasSubstr("accepted")));
}

TEST_F(Read, AWrongDelimiterIsNamedAsAPossibleCause) {
  folder_.write("people.csv", "id;age\nann;30\nbob;40\n");
  EXPECT_THAT(refusal(spec({{"people.delimiter", "|"}})), HasSubstr("check also `delimiter`"));
}

TEST_F(Read, FilesThatAreNotThereOrNotWholeAreRefused) {
  EXPECT_THAT(refusal(spec({{"people.file", "nobody.csv"}})), HasSubstr("nobody.csv: there is no such file"));
  EXPECT_THAT(refusal(spec({{"people.file", "."}})), HasSubstr("this is not a file"));
  Engine engine({}, {});
  engine.run(fmt::format("COPY (SELECT range AS id, range AS age FROM range(30000)) TO '{}'",
                         (folder_ / "whole.parquet").string()));
  std::ifstream whole(folder_ / "whole.parquet", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  folder_.write("cut.parquet", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(refusal(spec({{"people.file", "cut.parquet"}})), HasSubstr("not a whole Parquet file"));
  folder_.write("cut.csv.gz", "\x1f\x8b garbage");
  EXPECT_THAT(refusal(spec({{"people.file", "cut.csv.gz"}})), HasSubstr("cut off or damaged"));
  folder_.write("broken.jsonl", "{\"id\": 1, \"age\": 2}\n{\"id\": ");
  EXPECT_THAT(refusal(spec({{"people.file", "broken.jsonl"}})), HasSubstr("not valid JSON"));
  folder_.write("not.duckdb", std::string(5000, 'x'));
  EXPECT_THAT(refusal(spec({{"people.file", "not.duckdb"}, {"people.table", "t"}})),
              HasSubstr("not a DuckDB database"));
  EXPECT_THAT(refusal(spec({{"people.file", "whole.duckdb"}})), HasSubstr("no such file"));
}

TEST_F(Read, BinaryGarbageIsRefused) {
  std::mt19937 random(2);
  std::string garbage;
  for (int i = 0; i < 20'000; ++i) garbage += static_cast<char>(random());
  folder_.write("people.csv", garbage);
  EXPECT_THAT(refusal(spec()), HasSubstr("people.csv"));
}

TEST_F(Read, BadEventsAreRefusedWithTheirRowAndWithoutTheirCells) {
  const auto with_events = [&](const std::string& lines) {
    folder_.write("events.csv", "who,what,stars\nann,x,1\nbob,x,1\n" + lines + "cid,x,2\n");
    return refusal(spec());
  };
  EXPECT_THAT(with_events("ann,y,zebra\n"),
              AllOf(HasSubstr("row 3, column \"stars\": expected a number"), Not(HasSubstr("zebra"))));
  EXPECT_THAT(with_events("ann,y,inf\n"), HasSubstr("expected a finite number"));
  EXPECT_THAT(with_events("ann,y,\n"), HasSubstr("row 3: an event has an empty cell (1 event"));
  EXPECT_THAT(with_events("ann,y\n"), Not(HasSubstr("accepted")));
  EXPECT_THAT(with_events("ann,y,-2\n"),
              HasSubstr("row 3, column \"stars\": the value is negative (1 event in all)"));
  folder_.write("events.csv", "who,what,stars\n");
  EXPECT_THAT(refusal(spec()), HasSubstr("there are no events in it"));
}

TEST_F(Read, WhatJensenShannonCannotUseIsRefusedWithItsRow) {
  folder_.write("wide.csv", "id,age,n,c\nzoe,30,1,2\nbob,40,0,0\ncid,50,-3,1\n");
  const Override raw{"people.scale", "none"}, other{"channel.distance", "euclidean"};
  EXPECT_THAT(refusal(wide({raw})), HasSubstr("wide.csv, row 3, column \"n\": the value is negative"));
  EXPECT_EQ(refusal(wide({raw, other})), "accepted");
  folder_.write("wide.csv", "id,age,n,c\nzoe,30,1,2\nbob,40,0,0\ncid,50,3,1\n");
  EXPECT_EQ(refusal(wide({raw, other})), "accepted");
}

TEST_F(Read, RowsOfZerosGetAnEntryOfTheirOwnUnderJensenShannon) {
  folder_.write("wide.csv", "id,age,n,c\nzoe,30,1,2\nbob,40,0,0\ncid,50,3,1\ndan,60,0,0\n");
  const Override raw{"people.scale", "none"}, other{"channel.distance", "euclidean"};
  const Reading reading = read(wide({raw}));
  const SparseRows& rows = reading.people.features;  // bob, cid, dan, zoe
  EXPECT_EQ(rows.columns, 3u);
  EXPECT_EQ(dense_row(rows, 0), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(dense_row(rows, 2), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(dense_row(rows, 3)[2], 0);
  EXPECT_EQ(reading.counts.people_of_zeros, 2);
  EXPECT_EQ(read(wide({raw, other})).people.features.columns, 2u);
}

TEST_F(Read, IncompleteEventsCanBeLeftOut) {
  folder_.write("events.csv", "who,what,stars\nann,x,1\n,x,1\nbob,,1\nbob,x,\nbob,y,2\ncid,x,2\n");
  const Reading reading = read(spec({{"events.missing", "leave-out"}}));
  const People& people = reading.people;
  const ReadCounts& counts = reading.counts;
  EXPECT_EQ(counts.events_incomplete, 3);
  EXPECT_EQ(people.features.entries(), 3u);
}

TEST_F(Read, TooFewPeopleOrValuesAreRefused) {
  EXPECT_THAT(refusal(spec({{"secret.keep", "[30, 30]"}})), HasSubstr("only one person"));
  EXPECT_THAT(refusal(spec({{"secret.keep", "[80, 90]"}})), HasSubstr("nobody is left"));
  folder_.write("people.csv", "id,age\nann,30\nbob,30\ncid,30\n");
  EXPECT_THAT(refusal(spec()), HasSubstr("all people have the same secret"));
}

TEST_F(Read, AQueryMustBeASelectAndItsMistakesAreNamed) {
  const auto with_query = [&](const std::string& query) {
    return refusal(spec({{"people.file", ""}, {"people.query", query}}));
  };
  EXPECT_THAT(with_query("DROP TABLE x"), HasSubstr("people.query"));
  EXPECT_THAT(with_query("SELECT 1; SELECT 2"), HasSubstr("more than one statement"));
  EXPECT_THAT(with_query("SELECT id, age, age AS age FROM 'people.csv'"), HasSubstr("two columns so named"));
  EXPECT_THAT(with_query("SELECT id, CAST(id AS INTEGER) AS age FROM 'people.csv'"),
              HasSubstr("cannot be converted to INT32"));
  EXPECT_THAT(with_query("SELEC"), HasSubstr("syntax error"));
  EXPECT_THAT(with_query("SELECT idd AS id, age FROM 'people.csv'"), HasSubstr("\"idd\" not found"));
  EXPECT_THAT(with_query("SELECT * FROM 'nobody.csv'"), HasSubstr("there is no file \"nobody.csv\""));
}

TEST_F(Read, ManyDistinctSecretsAreReadAsAtoms) {
  std::string people = "id,age\n", events = "who,what,stars\n";
  for (int u = 0; u < 500; ++u) {
    people += fmt::format("p{},{}\n", u, 1000.5 + 3 * u);
    events += fmt::format("p{},x,1\n", u);
  }
  folder_.write("people.csv", people);
  folder_.write("events.csv", events);
  const auto read_people = read(spec({{"secret.atoms", "50"}})).people;
  EXPECT_EQ(read_people.values.size(), 50u);
  EXPECT_EQ(read_people.values[0].low, 1000.5);
  EXPECT_EQ(read_people.values[0].high, 1027.5);
  EXPECT_EQ(read_people.values[0].distinct, 10);
}

}  // namespace
}  // namespace hyobscure::data
