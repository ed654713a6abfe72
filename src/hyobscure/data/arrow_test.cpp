#include "hyobscure/data/arrow_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine.h"

namespace hyobscure::data {
namespace {

/// A stream of the engine's own making: what comes out as Arrow goes in again.
ArrowOwned<ArrowArrayStream> stream_of(const std::string& sql) {
  Engine engine({}, {});
  ArrowArrayStream stream{};
  export_stream(engine.arrow(sql), &stream);
  return ArrowOwned<ArrowArrayStream>(stream);
}

std::shared_ptr<ArrowTable> table_of(const std::string& sql) {
  auto table = std::make_shared<ArrowTable>("people");
  table->add(stream_of(sql), "");
  return table;
}

TEST(ArrowTable, HasTheRowsOfItsStreamInOrderAndAsOftenAsAsked) {
  const auto table = table_of("SELECT i AS a, i / 2 AS b, 'text ' || i AS c FROM range(10000) t(i)");
  EXPECT_EQ(table->rows(), 10'000);
  Engine engine({.tables = {table}}, {});
  for (int scan = 0; scan < 2; ++scan) {
    std::int64_t next = 0;
    engine.query("SELECT hyo_row, c, b, a FROM people", [&](const Chunk& chunk) {
      for (std::size_t row = 0; row < chunk.rows(); ++row, ++next) {
        ASSERT_EQ(chunk.integers(0)[row], next);
        ASSERT_EQ(chunk.text(1, row), "text " + std::to_string(next));
        ASSERT_EQ(chunk.doubles(2)[row], static_cast<double>(next) / 2);
        ASSERT_EQ(chunk.integers(3)[row], next);
      }
    });
    EXPECT_EQ(next, 10'000);
  }
  EXPECT_EQ(engine.integers("SELECT count(*) FROM people")[0], 10'000);
  EXPECT_EQ(engine.integers("SELECT count(*) FROM people x JOIN people y ON x.a = y.hyo_row")[0], 10'000);
}

// But a dictionary of texts is texts.
TEST(ArrowTable, KeepsTypesListsNamesAndEmptyCells) {
  const auto table = table_of(
      "SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE CAST(i AS USMALLINT) END AS small, [i, i + 1] AS list, "
      "CAST(CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END AS ENUM ('even', 'odd')) AS kind, i % 2 = 0 AS "
      "flag, "
      "DATE '2020-01-01' + CAST(i AS INTEGER) AS day FROM range(5000) t(i)");
  Engine engine({.tables = {table}}, {});
  std::vector<std::string> types;
  for (const Column& column : engine.describe("people")) types.push_back(column.type);
  EXPECT_THAT(types, testing::ElementsAre("BIGINT", "USMALLINT", "BIGINT[]", "VARCHAR", "BOOLEAN",
                                          "DATE"));
  EXPECT_EQ(engine.integers("SELECT count(*) FROM people WHERE (small IS NULL) <> (hyo_row % 3 = 0)")[0], 0);
  EXPECT_EQ(engine.integers(
                "SELECT count(*) FROM people WHERE small <> hyo_row OR list <> [hyo_row, hyo_row + 1]")[0],
            0);
  EXPECT_EQ(engine.integers(
                "SELECT count(*) FROM people WHERE (kind = 'even') <> flag OR flag <> (hyo_row % 2 = 0)")[0],
            0);
  EXPECT_EQ(engine.integers(
                "SELECT count(*) FROM people WHERE day <> DATE '2020-01-01' + CAST(hyo_row AS INTEGER)")[0],
            0);
}

TEST(ArrowTable, JoinsColumnsOfStreamsWithOtherBatches) {
  const auto table = table_of("SELECT i AS a FROM range(5000) t(i)");
  table->add(stream_of("SELECT i AS b FROM range(7000) t(i) WHERE i >= 1000 AND i < 6000"),
             "");  // other cuts
  Engine engine({.tables = {table}}, {});
  EXPECT_EQ(engine.integers("SELECT count(*) FROM people WHERE b = a + 1000")[0], 5000);
}

TEST(ArrowTable, RefusesColumnsOfAnotherLength) {
  const auto table = table_of("SELECT i AS a FROM range(10) t(i)");
  try {
    table->add(stream_of("SELECT i AS b FROM range(11) t(i)"), "");
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "people, column \"b\": has 11 rows, and the columns before it have 10. Give one value for each row.");
  }
}

TEST(ArrowTable, RefusesToBeEmpty) {
  EXPECT_THROW(Engine({.tables = {table_of("SELECT 1 AS a WHERE false")}}, {}), InputError);
}

}  // namespace
}  // namespace hyobscure::data
