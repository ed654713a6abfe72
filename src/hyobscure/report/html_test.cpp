#include "hyobscure/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "hyobscure/report/html_page.h"

namespace hyobscure::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOpening = R"(<script type="application/json" id="facts">)";

/// What a browser takes as the text of the element: everything up to the first "</script".
std::string facts_as_a_browser_sees_them(const std::string& page) {
  const std::size_t begin = page.find(kOpening);
  EXPECT_NE(begin, std::string::npos);
  const std::size_t first = begin + kOpening.size();
  return page.substr(first, page.find("</script", first) - first);
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HtmlReport, TheFactsStandInThePlaceMadeForThem) {
  EXPECT_EQ(occurrences(kHtmlPage, kHtmlFactsPlace), 1u);
  EXPECT_EQ(occurrences(kHtmlPage, kHtmlTextPlace), 1u);
  const std::string page = html_report(R"({"format":1,"title":"A & B"})");
  auto facts = nlohmann::json::parse(facts_as_a_browser_sees_them(page));
  EXPECT_TRUE(facts["verdict"].contains("headline"));
  for (const char* derived : {"verdict", "notice"}) facts.erase(derived);
  EXPECT_EQ(facts, nlohmann::json::parse(R"({"format":1,"title":"A & B"})"));
  EXPECT_THAT(page, Not(HasSubstr(std::string(kHtmlFactsPlace))));
  EXPECT_THAT(page, Not(HasSubstr(std::string(kHtmlTextPlace))));
}

TEST(HtmlReport, HostileTextCannotLeaveItsElementAndMeansTheSame) {
  const nlohmann::json facts = {{"title", "</script><img src=x onerror=alert(1)><!-- <script> ]]>"},
                                {"lines", "a\xE2\x80\xA8 b\xE2\x80\xA9 c"},
                                {"words", "caf\xC3\xA9 \xE2\x82\xAC \\ \" </"},
                                {std::string(kHtmlFactsPlace), "a key like the place"}};
  const std::string page = html_report(facts.dump());
  const std::string inside = facts_as_a_browser_sees_them(page);
  auto parsed = nlohmann::json::parse(inside);
  for (const char* derived : {"verdict", "notice"}) parsed.erase(derived);
  EXPECT_EQ(parsed, facts);
  EXPECT_THAT(inside, Not(HasSubstr("<")));
  EXPECT_THAT(inside, Not(HasSubstr("\xE2\x80\xA8")));
  EXPECT_THAT(inside, Not(HasSubstr("\xE2\x80\xA9")));
  // The same number of elements as a page without any text of users.
  EXPECT_EQ(occurrences(page, "<script"), occurrences(kHtmlPage, "<script"));
  EXPECT_EQ(occurrences(page, "<img"), occurrences(kHtmlPage, "<img"));
  EXPECT_EQ(occurrences(page, "</noscript"), occurrences(kHtmlPage, "</noscript"));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"))
      << "the text for browsers without scripts has the title";
}

/// The page without its scripts, which hold "<" as an operator.
std::string markup(const std::string& page) {
  return page.substr(0, page.find("<script")) + page.substr(page.rfind("</script>"));
}

TEST(HtmlReport, ThePageLoadsNothingAndForbidsIt) {
  const std::string page = markup(html_report("{}"));
  const std::regex load(R"re(<[a-z]+[^<>]*\s(src|href|srcset|action|data)\s*=\s*"?([^">\s]*))re",
                        std::regex::icase);
  int links = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), load), end; at != end; ++at, ++links)
    EXPECT_TRUE((*at)[2].str().starts_with("#")) << at->str() << ": only places in the page";
  EXPECT_GT(links, 0) << "the page has a link to its content: the search must see it";
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HtmlReport, KeepsTheNoticeOfECharts) {
  const std::string page = html_report("{}");
  EXPECT_THAT(page, HasSubstr("Apache ECharts"));
  EXPECT_THAT(page, HasSubstr("Apache License, Version 2.0"));
}

}  // namespace
}  // namespace hyobscure::report
