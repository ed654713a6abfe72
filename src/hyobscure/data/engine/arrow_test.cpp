#include "hyobscure/data/engine/arrow_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/engine.h"

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
  EXPECT_THAT(types, testing::ElementsAre("BIGINT", "USMALLINT", "BIGINT[]", "VARCHAR", "BOOLEAN", "DATE"));
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

/// An array by hand, with the memory that it points to: what a library hands over and the engine never makes
/// itself. Every buffer is a block of its own, so that a sanitizer sees a step outside.
class HandMade {
 public:
  HandMade(std::string format, std::int64_t length) : format_(std::move(format)), length_(length) {}

  HandMade& present(const std::vector<bool>& cells) {
    // Padded to 8 bytes, as the Arrow format recommends: of a slice the engine reads one byte more than there
    // are.
    bits_.emplace((cells.size() + 63) / 64 * 8, std::uint8_t{0});
    for (std::size_t row = 0; row < cells.size(); ++row)
      if (cells[row]) (*bits_)[row / 8] = static_cast<std::uint8_t>((*bits_)[row / 8] | (1U << (row % 8)));
    return *this;
  }
  template <class Number>
  HandMade& buffer(const std::vector<Number>& numbers) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
    buffers_.emplace_back(bytes, bytes + numbers.size() * sizeof(Number));
    return *this;
  }
  HandMade& texts(const std::vector<std::string>& cells) {
    std::vector<std::int32_t> ends = {0};
    std::vector<char> letters;
    for (const std::string& cell : cells) {
      letters.insert(letters.end(), cell.begin(), cell.end());
      ends.push_back(static_cast<std::int32_t>(letters.size()));
    }
    return buffer(ends).buffer(letters);
  }
  HandMade& from(std::int64_t offset) { return offset_ = offset, *this; }
  HandMade& without_buffers() { return has_bits_ = false, *this; }
  HandMade& dictionary(HandMade values) {
    dictionary_ = std::make_unique<HandMade>(std::move(values));
    return *this;
  }
  HandMade& child(HandMade values) {
    children_.push_back(std::make_unique<HandMade>(std::move(values)));
    return *this;
  }

  ArrowSchema schema() {
    for (const auto& each : children_) child_schemas_.push_back(each->schema());
    for (auto& each : child_schemas_) child_schema_pointers_.push_back(&each);
    if (dictionary_) dictionary_schema_ = dictionary_->schema();
    return {.format = format_.c_str(),
            .name = "",
            .metadata = nullptr,
            .flags = ARROW_FLAG_NULLABLE,
            .n_children = static_cast<std::int64_t>(children_.size()),
            .children = child_schema_pointers_.data(),
            .dictionary = dictionary_ ? &dictionary_schema_ : nullptr,
            .release = [](ArrowSchema* self) { self->release = nullptr; },
            .private_data = nullptr};
  }
  ArrowArray array() {
    if (has_bits_) pointers_.push_back(bits_ ? bits_->data() : nullptr);
    for (const auto& each : buffers_) pointers_.push_back(each.data());
    for (const auto& each : children_) child_arrays_.push_back(each->array());
    for (auto& each : child_arrays_) child_array_pointers_.push_back(&each);
    if (dictionary_) dictionary_array_ = dictionary_->array();
    return {.length = length_,
            .null_count = bits_ ? -1 : 0,  // a library need not know
            .offset = offset_,
            .n_buffers = static_cast<std::int64_t>(pointers_.size()),
            .n_children = static_cast<std::int64_t>(children_.size()),
            .buffers = pointers_.data(),
            .children = child_array_pointers_.data(),
            .dictionary = dictionary_ ? &dictionary_array_ : nullptr,
            .release = [](ArrowArray* self) { self->release = nullptr; },
            .private_data = nullptr};
  }

 private:
  std::string format_;
  std::int64_t length_, offset_ = 0;
  bool has_bits_ = true;
  std::optional<std::vector<std::uint8_t>> bits_;
  std::vector<std::vector<std::uint8_t>> buffers_;
  std::unique_ptr<HandMade> dictionary_;
  std::vector<std::unique_ptr<HandMade>> children_;
  std::vector<const void*> pointers_;
  ArrowSchema dictionary_schema_{};
  ArrowArray dictionary_array_{};
  std::vector<ArrowSchema> child_schemas_;
  std::vector<ArrowArray> child_arrays_;
  std::vector<ArrowSchema*> child_schema_pointers_;
  std::vector<ArrowArray*> child_array_pointers_;
};

/// The cells of the only column as the engine reads them, "-" for an empty one.
std::vector<std::string> cells_read(HandMade& made) {
  auto table = std::make_shared<ArrowTable>("people");
  ArrowSchema schema = made.schema();
  ArrowArray array = made.array();
  table->add(ArrowOwned<ArrowSchema>(schema), ArrowOwned<ArrowArray>(array), "cell");
  Engine engine({.tables = {table}}, {});
  return engine.texts("SELECT coalesce(CAST(cell AS VARCHAR), '-') FROM people ORDER BY hyo_row");
}

HandMade two_words() {
  HandMade words("u", 2);
  words.texts({"north", "a word that is longer than twelve letters"});
  return words;
}
constexpr const char* kLong = "a word that is longer than twelve letters";

TEST(ArrowDictionary, EmptyCellsStayEmptyWhateverTheirIndexIs) {
  HandMade column("c", 6);
  column.present({true, false, true, false, true, true})
      .buffer<std::int8_t>({0, -1, 1, 127, 1, 0})
      .dictionary(two_words());
  EXPECT_THAT(cells_read(column), testing::ElementsAre("north", "-", kLong, "-", kLong, "north"));
}

TEST(ArrowDictionary, ASliceHasItsOwnCells) {
  HandMade column("s", 5);
  column.present({true, true, true, false, true, false, true, true})
      .buffer<std::int16_t>({1, 1, 0, -1, 1, 0, 0, 1})
      .from(3)
      .dictionary(two_words());
  EXPECT_THAT(cells_read(column), testing::ElementsAre("-", kLong, "-", "north", kLong));
}

TEST(ArrowDictionary, AnEmptyWordOfTheDictionaryIsAnEmptyCell) {
  HandMade numbers("l", 3);
  numbers.present({false, true, true, false}).buffer<std::int64_t>({9, 10, 11, 12}).from(1);
  HandMade column("L", 5);
  column.buffer<std::uint64_t>({0, 1, 2, 1, 0}).dictionary(std::move(numbers));
  EXPECT_THAT(cells_read(column), testing::ElementsAre("10", "11", "-", "11", "10"));
}

TEST(ArrowDictionary, WithoutWordsAllCellsAreEmpty) {
  HandMade none("u", 0);
  none.texts({});
  HandMade column("i", 3);
  column.present({false, false, false}).buffer<std::int32_t>({-1, -1, -1}).dictionary(std::move(none));
  EXPECT_THAT(cells_read(column), testing::ElementsAre("-", "-", "-"));
}

TEST(ArrowDictionary, RefusesAnIndexThatNoWordHas) {
  for (const std::int32_t index : {2, -1}) {
    HandMade column("i", 2);
    column.buffer<std::int32_t>({0, index}).dictionary(two_words());
    EXPECT_THROW((void)cells_read(column), EngineError) << index;
  }
}

TEST(ArrowDictionary, OfAnotherBatchIsAnotherDictionary) {
  HandMade first("c", 2), second("c", 2), words("u", 3);
  first.buffer<std::int8_t>({1, 0}).dictionary(two_words());
  words.texts({"x", "y", "z"});
  second.present({true, false}).buffer<std::int8_t>({2, 0}).dictionary(std::move(words));
  auto table = std::make_shared<ArrowTable>("people");
  ArrowSchema schema = first.schema();
  schema.name = "cell";
  ArrowSchema* child = &schema;
  ArrowSchema columns{.format = "+s",
                      .name = "",
                      .metadata = nullptr,
                      .flags = 0,
                      .n_children = 1,
                      .children = &child,
                      .dictionary = nullptr,
                      .release = [](ArrowSchema* self) { self->release = nullptr; },
                      .private_data = nullptr};
  ArrowRows rows;
  rows.schema = ArrowOwned<ArrowSchema>(columns);
  ArrowArray cells[] = {first.array(), second.array()};
  ArrowArray* pointers[] = {&cells[0], &cells[1]};
  const void* no_bits = nullptr;
  for (ArrowArray*& each : pointers) {
    ArrowArray batch{.length = 2,
                     .null_count = 0,
                     .offset = 0,
                     .n_buffers = 1,
                     .n_children = 1,
                     .buffers = &no_bits,
                     .children = &each,
                     .dictionary = nullptr,
                     .release = [](ArrowArray* self) { self->release = nullptr; },
                     .private_data = nullptr};
    rows.batches.emplace_back(batch);
  }
  ArrowArrayStream stream{};
  export_stream(std::move(rows), &stream);
  table->add(ArrowOwned<ArrowArrayStream>(stream), "");
  Engine engine({.tables = {table}}, {});
  EXPECT_THAT(engine.texts("SELECT coalesce(cell, '-') FROM people ORDER BY hyo_row"),
              testing::ElementsAre(kLong, "north", "z", "-"));
}

TEST(ArrowDictionary, RefusesToBeInsideOfLists) {
  HandMade words("c", 4);
  words.present({true, true, false, true}).buffer<std::int8_t>({0, 1, 0, 1}).dictionary(two_words());
  HandMade lists("+l", 2);
  lists.buffer<std::int32_t>({0, 2, 4}).child(std::move(words));
  EXPECT_THROW((void)cells_read(lists), InputError);
}

TEST(ArrowRuns, AreTheValuesThatTheyStandFor) {
  for (const bool wide : {false, true}) {
    HandMade ends(wide ? "l" : "i", 3), values("g", 3), column("+r", 6);
    if (wide)
      ends.buffer<std::int64_t>({3, 4, 9});
    else
      ends.buffer<std::int32_t>({3, 4, 9});
    values.present({true, false, true}).buffer<double>({1.5, 7, 2.5});
    column.without_buffers().from(2).child(std::move(ends)).child(std::move(values));
    EXPECT_THAT(cells_read(column), testing::ElementsAre("1.5", "-", "2.5", "2.5", "2.5", "2.5")) << wide;
  }
}

TEST(ArrowTable, NamesTheColumnWhoseTypeIsNotRead) {
  HandMade half("e", 1);
  half.buffer<std::uint16_t>({0x3c00});
  try {
    (void)cells_read(half);
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "people, column \"cell\": is of a type that is not read. Convert it first, half-precision "
                 "numbers to float32 and others to numbers or texts.");
  }
}

TEST(ArrowTable, RefusesAColumnWithoutAName) {
  HandMade column("i", 1);
  column.buffer<std::int32_t>({1});
  ArrowSchema schema = column.schema();
  ArrowArray array = column.array();
  ArrowTable table("people");
  EXPECT_THROW(table.add(ArrowOwned<ArrowSchema>(schema), ArrowOwned<ArrowArray>(array), ""), InputError);
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
