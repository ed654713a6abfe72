#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hyobscure/base/json.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::report {
namespace {

using testing::HasSubstr;
using testing::Not;

obscure::FrontierPoint point_at(double budget, double features) {
  obscure::FrontierPoint point;
  point.budget = budget;
  point.distance = 0.9 * budget;
  point.seconds = 1;
  point.leakage.groups = 1.5;
  point.leakage.features = features;
  point.leakage.total = 1.5 + features;
  point.leakage.clusters = features / 2;
  point.groups = {"18-24", "25 or more"};
  return point;
}

/// "fine" meets both budgets, "dp" the larger one, "simp" none.
obscure::Comparison three_methods() {
  obscure::Comparison comparison;
  comparison.budgets = {0.25, 0.5};
  comparison.groups = 2;
  comparison.secret_entropy = 3.25;
  obscure::Frontier fine, dp, simp;
  fine.method = "fine";
  fine.points = {point_at(0.25, 0.125), point_at(0.5, 0.0625)};
  fine.points[0].gap = 1e-9;
  fine.points[1].gap = 2e-9;
  dp.method = "dp";
  dp.points = {point_at(0.5, 0.75)};
  dp.points[0].parameter = obscure::Parameter{.name = "beta", .value = 8};
  simp.method = "simp";
  comparison.curves = {fine, dp, simp};
  return comparison;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(FrontierSummary, TableOfAComparisonHasADashWhereABudgetCannotBeMet) {
  const std::string text = comparison_text(three_methods());
  std::vector<std::vector<std::string>> at_quarter, at_half;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 4 && words[0] == "0.2500") at_quarter.push_back(words);
    if (words.size() == 4 && words[0] == "0.5000") at_half.push_back(words);
  }
  ASSERT_EQ(at_quarter.size(), 3u) << text;  // in all, by features, by clusters
  EXPECT_THAT(at_quarter[0], testing::ElementsAre("0.2500", "1.6250", "-", "-"));
  EXPECT_THAT(at_half[0], testing::ElementsAre("0.5000", "1.5625", "2.2500", "-"));
  EXPECT_THAT(at_half[1], testing::ElementsAre("0.5000", "0.0625", "0.7500", "-"));
  EXPECT_THAT(at_half[2], testing::ElementsAre("0.5000", "0.0312", "0.3750", "-"));
  EXPECT_THAT(text, HasSubstr("meets none of these budgets"));
  EXPECT_THAT(text, HasSubstr("2e-09"));  // the larger of the two gaps
  EXPECT_THAT(text, Not(HasSubstr("trained on other people")));
}

TEST(FrontierSummary, LearnedLeakageIsShownWhereAMethodComputedIt) {
  obscure::Comparison comparison = three_methods();
  comparison.curves[0].points[0].leakage.learned = 0.03125;
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("trained on other people"));
  EXPECT_THAT(text, HasSubstr("0.0312"));
}

TEST(FrontierSummary, NoLineIsWiderThanTheScreen) {
  for (const std::string& line : lines_of(comparison_text(three_methods())))
    EXPECT_LE(line.size(), 100u) << line;
}

TEST(FrontierSummary, CsvHasACellForEveryHeadingAndNothingForAnUnknownFigure) {
  const std::vector<std::string> lines = lines_of(comparison_csv(three_methods()));
  ASSERT_EQ(lines.size(), 4u);  // the heading and three points
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char letter : line) {
      if (letter == '"') quoted = !quoted;
      if (letter == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += letter;
    }
    return cells;
  };
  const auto heading = cells_of(lines[0]);
  for (const std::string& line : lines) EXPECT_EQ(cells_of(line).size(), heading.size()) << line;
  const auto cell = [&](std::size_t line, const std::string& name) {
    return cells_of(
        lines[line])[static_cast<std::size_t>(std::ranges::find(heading, name) - heading.begin())];
  };
  EXPECT_EQ(cell(3, "method"), "dp");
  EXPECT_EQ(cell(3, "parameter"), "8");
  EXPECT_EQ(cell(3, "gap_bits"), "");
  EXPECT_EQ(cell(1, "leakage_features_bits"), "0.125");
  EXPECT_EQ(cell(1, "leakage_clusters_bits"), "0.0625");
  EXPECT_EQ(cell(1, "leakage_groups_bits"), "1.5");
  EXPECT_EQ(cell(1, "groups"), "\"18-24 | 25 or more\"");
}

TEST(FrontierSummary, JsonHasNullWhereAFigureIsUnknown) {
  const Json json = Json::parse(comparison_json(three_methods(), 2.5));
  EXPECT_EQ(json["recommended"]["method"], "fine");
  EXPECT_EQ(json["methods"].size(), 3u);
  EXPECT_EQ(json["methods"][0]["points"][1]["leakage_bits"], 1.5625);
  EXPECT_TRUE(json["methods"][1]["points"][0]["gap_bits"].is_null());
  EXPECT_EQ(json["methods"][1]["points"][0]["parameter"]["beta"], 8);
  EXPECT_FALSE(json["methods"][0]["points"][0].contains("parameter"));
  EXPECT_TRUE(json["methods"][2]["points"].empty());
}

TEST(FrontierSummary, SaysThatATradeOffWasStopped) {
  obscure::Frontier frontier = three_methods().curves[0];
  EXPECT_THAT(frontier_text(frontier), Not(HasSubstr("incomplete")));
  frontier.complete = false;
  EXPECT_THAT(frontier_text(frontier), HasSubstr("Trade-off of fine (incomplete)"));
}

TEST(ComparisonText, RecommendsTheMethodThatLeaksLeastAtMostBudgets) {
  obscure::Comparison comparison = three_methods();
  const auto recommended = [&] { return Json::parse(comparison_json(comparison, 1))["recommended"]; };
  EXPECT_EQ(
      recommended()["why"],
      "It leaks least to the informed attacker at 2 of 2 budgets. At budget 0.2500 the features add 0.1250 "
      "bits to the leakage of the groups.");
  EXPECT_THAT(comparison_text(comparison), HasSubstr("Recommended: fine."));

  comparison.curves[1].points[0] = point_at(0.5, 0.01);  // dp
  comparison.curves[0].points.erase(comparison.curves[0].points.begin());
  EXPECT_EQ(
      recommended()["why"],
      "It leaks least to the informed attacker at 1 of 2 budgets. At budget 0.5000 the features add 0.0100 "
      "bits to the leakage of the groups; with the next, fine, 0.0625 bits.");
  comparison.curves[0].method = "fine-free";  // no method that a spec can name
  comparison.curves[0].points[0] = point_at(0.5, 0.001);
  EXPECT_EQ(recommended()["method"], "dp");
  comparison.curves.clear();
  EXPECT_TRUE(recommended().is_null());
  EXPECT_THAT(comparison_text(comparison), Not(HasSubstr("Recommended")));
}

}  // namespace
}  // namespace hyobscure::report
