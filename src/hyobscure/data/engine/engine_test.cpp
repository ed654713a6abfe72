#include "hyobscure/data/engine/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/engine/compressed.h"
#include "hyobscure/data/read/id_numbers.h"

namespace hyobscure::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Engine, MovesRowsInAndOut) {
  Engine engine({}, {});
  engine.run("CREATE TABLE t (a BIGINT, b DOUBLE, c VARCHAR)");
  Engine::Appender appender(engine, "t");
  for (std::int64_t i = 0; i < 5000; ++i)
    appender.row({i, 0.5 * static_cast<double>(i), std::string_view("text")});
  appender.close();
  std::int64_t next = 0;
  engine.query("SELECT * FROM t ORDER BY a", [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row, ++next) {
      EXPECT_EQ(chunk.integers(0)[row], next);
      EXPECT_EQ(chunk.doubles(1)[row], 0.5 * static_cast<double>(next));
      EXPECT_EQ(chunk.text(2, row), "text");
    }
  });
  EXPECT_EQ(next, 5000);
}

TEST(Engine, ReadsRowsThatAreMadeOnTheWay) {
  Engine engine({}, {});
  std::int64_t made = 0;
  const auto text_of = [](std::int64_t i) { return std::string(static_cast<std::size_t>(i % 40), 'x'); };
  const std::string rows =
      engine.made_rows({{"a", "BIGINT"}, {"b", "DOUBLE"}, {"c", "VARCHAR"}}, [&](ChunkMaker& chunk) {
        std::size_t row = 0;
        for (; row < chunk.most_rows() && made < 100'000; ++row, ++made) {
          chunk.integers(0)[row] = made;
          chunk.doubles(1)[row] = 0.5 * static_cast<double>(made);
          chunk.set_text(2, row, text_of(made));
        }
        return row;
      });
  std::int64_t next = 0;
  engine.query("FROM " + rows, [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row, ++next) {
      ASSERT_EQ(chunk.integers(0)[row], next);
      ASSERT_EQ(chunk.doubles(1)[row], 0.5 * static_cast<double>(next));
      ASSERT_EQ(chunk.text(2, row), text_of(next));
    }
  });
  EXPECT_EQ(next, 100'000);
}

TEST(Engine, CallsAFunctionOfOurs) {
  Engine engine({.threads = 3}, {});
  const auto text_of = [](std::int64_t n) {
    return std::string(static_cast<std::size_t>(n % 30), 'a') + "b";
  };
  const std::string f = engine.text_function(text_of);
  std::int64_t next = 0;
  engine.query("SELECT " + f + "(a) FROM range(100000) r(a) ORDER BY a", [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) ASSERT_EQ(chunk.text(0, row), text_of(next++));
  });
  EXPECT_EQ(next, 100'000);
  const std::string broken =
      engine.text_function([](std::int64_t) -> std::string { throw std::runtime_error("no"); });
  EXPECT_THROW(engine.texts("SELECT " + broken + "(1)"), EngineError);
}

TEST(Engine, NumbersOfTextsAreFoundAndNullWhereThereIsNone) {
  Engine engine({}, {});
  std::vector<std::string> ids;
  for (int i = 0; i < 5000; ++i)
    ids.push_back(std::to_string(i * 7) + std::string(static_cast<std::size_t>(i) % 20, 'x'));
  const IdNumbers numbers(ids);
  const std::string f = engine.number_function([&](std::string_view id) {
    const auto found = numbers.find(id);
    return found ? std::optional<std::int64_t>(*found) : std::nullopt;
  });
  // Every third id is not there, every fifth is NULL.
  const std::string id =
      "CASE WHEN a % 5 = 0 THEN NULL WHEN a % 3 = 0 THEN 'nobody' || a ELSE CAST(a * 7 AS VARCHAR) || "
      "repeat('x', a % 20) END";
  std::int64_t next = 0;
  engine.query(fmt::format("SELECT {}({}) FROM range(5000) r(a) ORDER BY a", f, id), [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row, ++next) {
      const bool known = next % 5 != 0 && next % 3 != 0;
      ASSERT_EQ(chunk.is_null(0, row), !known) << next;
      if (known) {
        ASSERT_EQ(chunk.integers(0)[row], next);
      }
    }
  });
  EXPECT_EQ(next, 5000);
  EXPECT_EQ(IdNumbers({}).find("x"), std::nullopt);
}

TEST(Engine, EndsAStatementWhoseRowsCannotBeMade) {
  Engine engine({}, {});
  const std::string rows = engine.made_rows(
      {{"a", "BIGINT"}}, [](ChunkMaker&) -> std::size_t { throw std::runtime_error("no more"); });
  EXPECT_THROW(engine.integers("SELECT count(*) FROM " + rows), EngineError);
  EXPECT_EQ(engine.integers("SELECT CAST(1 AS BIGINT)")[0], 1);  // the engine lives on
}

TEST(Engine, LackOfMemoryInTheMakingOfRowsIsLackOfMemory) {
  Engine engine({}, {});
  const std::string rows =
      engine.made_rows({{"a", "BIGINT"}}, [](ChunkMaker&) -> std::size_t { throw std::bad_alloc(); });
  try {
    (void)engine.integers("SELECT count(*) FROM " + rows);
    FAIL();
  } catch (const EngineError& error) {
    EXPECT_EQ(error.kind(), EngineError::Kind::Memory);
  }
}

TEST(Engine, FindsRelativeFilesInItsFolder) {
  const TestFolder folder;
  folder.write("t.csv", "a\n1\n2\n");
  Engine engine({.folder = folder.path()}, {});
  EXPECT_EQ(engine.integers("SELECT count(*) FROM read_csv('t.csv')")[0], 2);
}

TEST(Engine, StopsALongStatementWhenAsked) {
  std::atomic<bool> stop{true};
  EXPECT_THROW(
      Engine({}, Progress({}, &stop)).integers("SELECT count(*) FROM range(100000000) a, range(100000) b"),
      Stopped);
}

TEST(Engine, TellsOneStatementFromSeveral) {
  Engine engine({}, {});
  EXPECT_NO_THROW(engine.check_is_one_statement("SELECT 1;"));
  EXPECT_THROW(engine.check_is_one_statement("SELECT 1; SELECT 2"), EngineError);
  EXPECT_THROW(engine.check_is_one_statement("SELECT 1) AS t; DROP TABLE x; SELECT (1"), EngineError);
  EXPECT_THROW(engine.check_is_one_statement("SELEC 1"), EngineError);
  EXPECT_THROW(engine.check_is_one_statement(""), EngineError);
}

TEST(Engine, SpillsToAPrivateFolderThatDoesNotStay) {
  std::string folder;
  {
    Engine engine({}, {});
    folder = engine.texts("SELECT current_setting('temp_directory')").at(0);
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Engine, ExplainsAnErrorWithoutQuotingACell) {
  const TestFolder folder;
  folder.write("t.csv", "id,age\nann,36\nbob,zebra\n");
  Engine engine({.folder = folder.path()}, {});
  try {
    engine.run("SELECT CAST(age AS INTEGER) FROM read_csv('t.csv', all_varchar = true)");
    FAIL() << "expected an EngineError";
  } catch (const EngineError& error) {
    EXPECT_THAT(error.private_text(), HasSubstr("zebra"));  // why the engine's own words stay inside
    EXPECT_THAT(error.what(), Not(HasSubstr("zebra")));
    EXPECT_THAT(explain(error, "t.csv").what(), Not(HasSubstr("zebra")));
  }
}

TEST(Engine, NamesColumnAndTypeOfACellThatCannotBeConverted) {
  const TestFolder folder;
  folder.write("t.csv", "id,age\nann,36\nbob,\"zebra to SECRET\"\n");
  Engine engine({.folder = folder.path()}, {});
  const auto explained = [&](const std::string& sql) -> std::string {
    try {
      engine.run(sql);
    } catch (const EngineError& error) {
      return explain(error, "people.query").what();
    }
    return "no error";
  };
  const std::string table = "(SELECT * FROM read_csv('t.csv', all_varchar = true))";
  EXPECT_THAT(explained("CREATE TEMP TABLE made AS SELECT CAST(age AS INTEGER) FROM " + table),
              AllOf(HasSubstr("people.query, column \"age\""), HasSubstr("cannot be converted to INT"),
                    Not(HasSubstr("zebra")), Not(HasSubstr("SECRET"))));
  EXPECT_THAT(explained("CREATE TEMP TABLE made AS SELECT CAST(age || '' AS DATE) FROM " + table),
              AllOf(HasSubstr("not of the format of a date"), Not(HasSubstr("zebra")), Not(HasSubstr("36"))));
  EXPECT_THAT(explained("CREATE TEMP TABLE made AS SELECT strptime(age, '%Y') FROM " + table),
              AllOf(HasSubstr("not of the format"), Not(HasSubstr("zebra"))));
  EXPECT_THAT(explained("CREATE TEMP TABLE made AS SELECT CAST(range + 127 AS TINYINT) FROM range(3)"),
              HasSubstr("out of the range"));
  EXPECT_THAT(
      explained(
          "CREATE TEMP TABLE made AS SELECT * FROM read_csv('t.csv', columns = {'id': 'VARCHAR', 'age': "
          "'INTEGER'}, header = true)"),
      AllOf(HasSubstr("column \"age\": line 3: a cell cannot be converted to INTEGER"),
            Not(HasSubstr("zebra"))));
}

TEST(Engine, DoesNotListColumnsThatMayBeCells) {
  const TestFolder folder;
  folder.write("t.csv", "ann,zebra\n");
  Engine engine({.folder = folder.path()}, {});
  try {
    engine.run("SELECT age FROM read_csv('t.csv', header = true)");
    FAIL() << "expected an EngineError";
  } catch (const EngineError& error) {
    const std::string text = explain(error, "people.query").what();
    EXPECT_THAT(text, HasSubstr("\"age\" not found"));
    EXPECT_THAT(text, Not(HasSubstr("zebra")));
  }
}

TEST(Engine, QuotesNamesAndTexts) {
  EXPECT_EQ(quoted_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quoted_text("it's"), "'it''s'");
}

class CompressedFile : public testing::TestWithParam<const char*> {};

TEST_P(CompressedFile, IsAcceptedWholeAndRefusedWhenCutAnywhere) {
  const TestFolder folder;
  const auto whole = folder / (std::string("t.csv") + GetParam());
  Engine engine({}, {});
  engine.run("COPY (SELECT range AS a, hash(range) AS b FROM range(20000)) TO " +
             quoted_text(whole.string()));
  EXPECT_NO_THROW(check_compressed_file_is_whole(whole));
  const std::string bytes = [&] {
    std::ifstream file(whole, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  for (const std::size_t cut :
       {std::size_t{1}, std::size_t{10}, bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
    const auto part = folder.write(std::string("cut.csv") + GetParam(), bytes.substr(0, cut));
    EXPECT_THROW(check_compressed_file_is_whole(part), InputError) << cut << " of " << bytes.size();
  }
  const auto twice = folder.write(std::string("twice.csv") + GetParam(), bytes + bytes);
  EXPECT_NO_THROW(check_compressed_file_is_whole(twice));
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressedFile, testing::Values(".gz", ".zst"));

TEST(Engine, AllThreadsTogetherSeeEveryRowOnce) {
  for (const int threads : {1, 3}) {
    Engine engine({.threads = threads}, {});
    std::atomic<std::int64_t> rows = 0, sum = 0, empty = 0, letters = 0;
    engine.query_on_all_threads(
        "SELECT range, CASE WHEN range % 5 > 0 THEN 'text ' || range END FROM range(300000)",
        [&](const Chunk& chunk) {
          rows += static_cast<std::int64_t>(chunk.rows());
          for (std::size_t row = 0; row < chunk.rows(); ++row) {
            sum += chunk.integers(0)[row];
            if (chunk.is_null(1, row))
              empty += 1;
            else
              letters += static_cast<std::int64_t>(chunk.text(1, row).size());
          }
        });
    EXPECT_EQ(rows, 300'000);
    EXPECT_EQ(sum, std::int64_t{300'000} * 299'999 / 2);
    EXPECT_EQ(empty, 60'000);
    EXPECT_EQ(letters,
              engine.integers("SELECT CAST(sum(length('text ' || range)) AS BIGINT) FROM range(300000) "
                              "WHERE range % 5 > 0")[0]);
  }
}

TEST(Engine, WhatAVisitorThrowsComesOutAsItIs) {
  Engine engine({}, {});
  const auto visit = [](const Chunk&) { throw std::out_of_range("of the visitor"); };
  EXPECT_THROW(engine.query_on_all_threads("SELECT range FROM range(10)", visit), std::out_of_range);
  EXPECT_THROW(
      engine.query_on_all_threads("SELECT CAST('x' || range AS BIGINT) FROM range(10)", [](const Chunk&) {}),
      EngineError);
}

TEST(EngineOfAFolder, ReadsAndWritesThereAndNowhereElse) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "inside");
  folder.write("outside.csv", "a\n1\n");
  folder.write("inside/inside.csv", "a\n2\n");
  Engine engine({.folder = folder / "inside", .only_in = folder / "inside"}, {});
  EXPECT_EQ(engine
                .integers("SELECT a::BIGINT FROM read_csv(" +
                          quoted_text((folder / "inside/inside.csv").string()) + ")")
                .at(0),
            2);
  EXPECT_NO_THROW(engine.run("COPY (SELECT 1) TO " + quoted_text((folder / "inside/new.csv").string())));
  for (const std::string& sql :
       {"SELECT * FROM read_csv(" + quoted_text((folder / "outside.csv").string()) + ")",
        std::string("SELECT * FROM read_csv('../outside.csv')"),
        std::string("SELECT * FROM read_text('/etc/passwd')"), std::string("SELECT * FROM glob('/etc/*')"),
        "COPY (SELECT 1) TO " + quoted_text((folder / "new.csv").string()),
        "ATTACH " + quoted_text((folder / "new.duckdb").string()) + " AS other",
        std::string("SET enable_external_access = true"), std::string("SET allowed_directories = ['/']")})
    EXPECT_THROW(engine.run(sql), EngineError) << sql;
}

}  // namespace
}  // namespace hyobscure::data
