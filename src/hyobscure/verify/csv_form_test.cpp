#include "hyobscure/verify/csv_form.h"

#include <gmock/gmock.h>

#include <random>

#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::verify {
namespace {

using testing::ElementsAre;

class CsvFormTest : public testing::Test {
 protected:
  CsvForm form(const std::string& text) {
    folder_.write("t.csv", text);
    rows_.clear();
    return csv_form(folder_ / "t.csv", {"id", "n"}, {},
                    [&](std::span<const std::string> row) { rows_.emplace_back(row.begin(), row.end()); });
  }

  TestFolder folder_;
  std::vector<std::vector<std::string>> rows_;
};

TEST_F(CsvFormTest, TakesTheOneForm) {
  EXPECT_TRUE(form("id,n\na,1\n\"b, \"\"c\"\"\",\n\"d\ne\",\"#1\"\n").canonical());
  EXPECT_THAT(rows_,
              ElementsAre(ElementsAre("a", "1"), ElementsAre("b, \"c\"", ""), ElementsAre("d\ne", "#1")));
  EXPECT_TRUE(form("id,n\n").canonical());
  EXPECT_TRUE(form("id,n\n,\n").canonical());
}

TEST_F(CsvFormTest, CountsQuotesThatSayWhatCellsDoNot) {
  EXPECT_EQ(form("id,n\n\"a\",1\n\"b\",\"\"\n").needless_quotes, 3);
  EXPECT_EQ(form("\"id\",n\na,1\n").needless_quotes, 1);
  EXPECT_EQ(form("id,n\na\"b,#1\n").missing_quotes, 2);
}

TEST_F(CsvFormTest, SeesOtherEndsOfLines) {
  EXPECT_EQ(form("id,n\na,1\r\n").missing_quotes, 1);
  EXPECT_TRUE(form("id,n\na,1").no_last_line_end);
  EXPECT_TRUE(form("").other_header) << "there is none";
  EXPECT_FALSE(form("id\n").canonical());
  EXPECT_FALSE(form("id,n\na,1\n\n").canonical());
}

TEST_F(CsvFormTest, SeesOtherHeadersAndRows) {
  EXPECT_TRUE(form("id,m\na,1\n").other_header);
  EXPECT_TRUE(form("\xEF\xBB\xBFid,n\na,1\n").other_header) << "a mark at the beginning";
  EXPECT_EQ(form("id,n\na,1,2\n").broken_rows, 1);
  EXPECT_EQ(form("id,n\n\"a,\"b,2\n").broken_rows, 1);
  EXPECT_TRUE(form("id,n\n\"a,2\n").no_last_line_end) << "a quote that does not end";
}

/// The definition, written out: what is written from the cells is the file.
std::string written(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string cell;
      for (const char letter : row[c]) cell += letter == '"' ? "\"\"" : std::string(1, letter);
      const bool quoted = row[c].find_first_of(",\"\n\r#") != std::string::npos;
      text += (quoted ? "\"" + cell + "\"" : cell) + (c + 1 < row.size() ? "," : "\n");
    }
  return text;
}

// A file passes if and only if it is what its cells give when they are written: tried on random texts of the
// letters that matter. About a tenth of them pass.
TEST_F(CsvFormTest, AgreesWithWritingTheCellsAgain) {
  std::mt19937 random(11);
  int passed = 0;
  for (int n = 0; n < 1'500; ++n) {
    std::string text = "id,n\n";
    const int length = static_cast<int>(random() % 9);
    for (int i = 0; i < length; ++i) text += std::string_view("a,,\"\"\n\n#")[random() % 8];
    if (random() % 2 == 0) text += "\n";
    const bool canonical = form(text).canonical();
    auto all = rows_;
    all.insert(all.begin(), {"id", "n"});
    if (canonical) {
      EXPECT_EQ(written(all), text);
    }
    // Cells of one form, written: it must pass.
    std::vector<std::vector<std::string>> cells = {{"id", "n"}};
    for (const auto& row : rows_) cells.push_back(row);
    EXPECT_TRUE(form(written(cells)).canonical()) << written(cells);
    passed += canonical ? 1 : 0;
  }
  EXPECT_GT(passed, 15);
}

}  // namespace
}  // namespace hyobscure::verify
