#include "hyobscure/data/guess/seen_source.h"

#include <gmock/gmock.h>

#include "hyobscure/base/test_folder.h"

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SeenSource look(const TestFolder& folder, const std::string& content, const std::string& name = "t.csv") {
  folder.write(name, content);
  Engine engine({.folder = folder.path(), .memory = {}, .tables = {}}, {});
  return look_at_source(engine, folder.path(), name, "people");
}

TEST(SeenSource, APlainFileNeedsNoSetting) {
  const TestFolder folder;
  const SeenSource seen = look(folder, "id,age\n1,20\n2,30\n3,30\n");
  EXPECT_TRUE(seen.reasons.empty());
  EXPECT_EQ(seen.rows, 3);
  EXPECT_EQ(seen.column("AGE").distinct, 2);
  EXPECT_TRUE(seen.column("age").is_whole_number());
  EXPECT_THROW((void)seen.column("size"), std::exception);
}

TEST(SeenSource, FindsTheDelimiterAndTheDecimalComma) {
  const TestFolder folder;
  const SeenSource seen = look(folder, "id;weight\n1;70,5\n2;81,25\n3;64\n");
  EXPECT_EQ(seen.source.delimiter, ";");
  EXPECT_EQ(seen.source.decimal, DecimalMark::Comma);
  EXPECT_TRUE(seen.column("weight").is_number());
}

TEST(SeenSource, TextWithCommasIsNoNumber) {
  const TestFolder folder;
  const SeenSource seen = look(folder, "id;place\n1;Bonn, Rhein\n2;4,5\n3;Ulm\n");
  EXPECT_EQ(seen.source.decimal, DecimalMark::Point);
  EXPECT_TRUE(seen.column("place").is_text());
}

TEST(SeenSource, FindsLettersThatAreNoUtf8) {
  const TestFolder folder;
  const SeenSource latin = look(folder, "id,town\n1,K\xF6ln\n2,Bonn\n");
  EXPECT_EQ(latin.source.encoding, TextEncoding::Latin1);
  EXPECT_EQ(look(folder, "id,town\n1,Köln\n2,Bonn\n").source.encoding, TextEncoding::Utf8);
  EXPECT_EQ(look(folder, "\xEF\xBB\xBFid,town\n1,Köln\n2,Bonn\n").columns[0].name, "id");
}

TEST(SeenSource, AFirstLineWithNumbersIsNoHeader) {
  const TestFolder folder;
  EXPECT_FALSE(look(folder, "1,20,a\n2,30,b\n").source.header);
  EXPECT_TRUE(look(folder, "id,age\n1,20\n").source.header);
  EXPECT_TRUE(look(folder, "name,town\nx,y\nz,y\n").source.header);
}

TEST(SeenSource, WhatMeansNothingAmongNumbersIsNamedAndATextIsCounted) {
  const TestFolder folder;
  const SeenSource seen = look(folder, "id,a,b\n1,3,NA\n2,NA,yes\n3,4,no\n4,-,yes\n");
  EXPECT_THAT(seen.source.nulls, ElementsAre("-", "NA"));
  EXPECT_TRUE(seen.column("a").is_number());
  EXPECT_EQ(seen.column("a").given, 2);

  std::string rows = "id,n\n";
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(i) + "," + (i == 7 ? "seven" : std::to_string(i)) + "\n";
  const SeenSource one_text = look(folder, rows);
  EXPECT_TRUE(one_text.column("n").is_text());
  EXPECT_EQ(one_text.column("n").no_number, 1);
  EXPECT_THAT(one_text.source.nulls, IsEmpty());
}

TEST(SeenSource, SeesWhatSeparatesWordsThatOccurAgain) {
  const TestFolder folder;
  std::string rows = "id,likes,said\n";
  for (int i = 0; i < 20; ++i)
    rows += std::to_string(i) + (i % 2 == 0 ? ",art|chess," : ",dance,") + "word" + std::to_string(i) +
            "|more" + std::to_string(i) + "\n";
  const SeenSource seen = look(folder, rows);
  EXPECT_EQ(seen.column("likes").separator, "|");
  EXPECT_EQ(seen.column("said").separator, "") << "no word occurs again: these are sentences";
}

}  // namespace
}  // namespace hyobscure::data
