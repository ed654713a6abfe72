#include "hyobscure/report/column_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace hyobscure::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A feature of 200 people, 50 of whom lack it and 15 share their cell with nobody, and the value of events.
obscure::Inspection two_columns() {
  obscure::Inspection inspection;
  obscure::InspectedColumn town, stars;
  town.facts.name = "town";
  town.facts.role = data::ColumnRole::Feature;
  town.facts.type = "VARCHAR";
  town.facts.rows = 200;
  town.facts.given = 150;
  town.facts.distinct = 40;
  town.facts.unique = 15;
  stars.facts.name = "stars";
  stars.facts.role = data::ColumnRole::Value;
  stars.facts.rows = stars.facts.given = 1000;
  stars.facts.unique = 1;
  stars.facts.smallest = 1;
  stars.facts.largest = 5;
  inspection.columns = {town, stars};
  return inspection;
}

std::vector<std::string> row_with(const std::string& name, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty() && words[0] == name) return words;
  }
  return {};
}

TEST(ColumnSummary, IsNothingWhereColumnsWereNotLookedAt) { EXPECT_THAT(columns_text({}), IsEmpty()); }

TEST(ColumnSummary, SharesAreOfTheRowsAndOfTheCellsThatAreGiven) {
  const Json json = columns_json(two_columns());
  EXPECT_EQ(json[0]["empty_share"], 0.25);  // 50 of 200 rows
  EXPECT_EQ(json[0]["unique_share"], 0.1);  // 15 of 150 cells
  EXPECT_EQ(json[1]["unique_share"], 0.001);
  EXPECT_TRUE(json[0]["identifies"].is_null());
}

TEST(ColumnSummary, UniqueCellsOfEventsAreNotShownForTheyIdentifyNobody) {
  const std::string text = columns_text(two_columns());
  const std::vector<std::string> town = row_with("town", text), stars = row_with("stars", text);
  EXPECT_THAT(town, testing::IsSupersetOf({"25", "10"})) << text;  // percent
  ASSERT_GT(stars.size(), 5u) << text;
  EXPECT_THAT(text, HasSubstr("value"));
  EXPECT_THAT(stars, testing::Contains("-"));
  EXPECT_THAT(stars, Not(testing::Contains("0.1"))) << "one of 1000 events is unique";
}

TEST(ColumnSummary, ARefusedColumnComesWithTheRemedyAndAnAllowedOneWithout) {
  obscure::Inspection inspection = two_columns();
  inspection.columns[0].facts.identifies = "its cells are e-mail addresses";
  EXPECT_THAT(columns_text(inspection),
              HasSubstr("refused: \"town\", because its cells are e-mail addresses"));
  EXPECT_THAT(columns_text(inspection), HasSubstr("people.allow_identifying"));
  EXPECT_EQ(columns_json(inspection)[0]["refused"], true);
  inspection.columns[0].facts.allowed = true;
  EXPECT_THAT(columns_text(inspection), HasSubstr("allowed: \"town\""));
  EXPECT_THAT(columns_text(inspection), Not(HasSubstr("people.allow_identifying")));
  EXPECT_EQ(columns_json(inspection)[0]["refused"], false);
}

TEST(ColumnSummary, ImplausibleSecretsAreCountedAsPeople) {
  obscure::Inspection inspection = two_columns();
  inspection.implausible = {{.name = "age", .people = 1, .because = "an age above 120"},
                            {.name = "height", .people = 3, .because = "below 0"}};
  const std::string text = columns_text(inspection);
  EXPECT_THAT(text, HasSubstr("1 person has an implausible \"age\" (an age above 120)"));
  EXPECT_THAT(text, HasSubstr("3 people have an implausible \"height\" (below 0)"));
  EXPECT_EQ(implausible_json(inspection)[1]["people"], 3);
}

}  // namespace
}  // namespace hyobscure::report
