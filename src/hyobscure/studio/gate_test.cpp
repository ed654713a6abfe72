#include "hyobscure/studio/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace hyobscure::studio {
namespace {

constexpr std::uint16_t kPort = 4711;

class Gate : public testing::Test {
 protected:
  Sessions sessions_;
  std::string bearer_ = *sessions_.exchange(sessions_.new_link());

  /// What the page sends to a route.
  RequestHead good(const RouteRule& rule) const {
    std::string path = rule.path;
    if (const auto place = path.find("{}"); place != path.npos) path.replace(place, 2, "17");
    RequestHead head{rule.method, path};
    head.fields = {{"host", "127.0.0.1:4711"}, {"sec-fetch-site", "same-origin"}};
    if (!rule.open) head.fields.emplace_back("authorization", "Bearer " + bearer_);
    if (rule.most_body > 0) {
      head.fields.emplace_back("origin", "http://127.0.0.1:4711");
      head.fields.emplace_back("content-type", "application/json");
      head.fields.emplace_back("content-length", "2");
    }
    return head;
  }

  static std::string& field(RequestHead& head, const std::string& name) {
    for (auto& [other, value] : head.fields)
      if (other == name) return value;
    return head.fields.emplace_back(name, "").second;
  }

  /// 200 where the request passes.
  int status(const RequestHead& head) const {
    const auto verdict = pass(head, sessions_, kPort);
    const auto* refusal = std::get_if<Refusal>(&verdict);
    return refusal == nullptr ? 200 : refusal->status;
  }

  /// What every route answers when its good request is broken in one way.
  void expect_everywhere(const std::function<int(const RouteRule&)>& expected,
                         const std::function<void(RequestHead&)>& breaks) const {
    for (const RouteRule& rule : routes()) {
      RequestHead head = good(rule);
      breaks(head);
      EXPECT_EQ(status(head), expected(rule)) << rule.name();
    }
  }
  void expect_everywhere(int expected, const std::function<void(RequestHead&)>& breaks) const {
    expect_everywhere([expected](const RouteRule&) { return expected; }, breaks);
  }
};

TEST_F(Gate, LetsThePageThroughToEveryRoute) {
  expect_everywhere(200, [](RequestHead&) {});
  for (const RouteRule& rule : routes()) {
    const auto verdict = pass(good(rule), sessions_, kPort);
    ASSERT_TRUE(std::holds_alternative<Passage>(verdict)) << rule.name();
    EXPECT_EQ(std::get<Passage>(verdict).rule->route, rule.route) << rule.name();
  }
}

TEST_F(Gate, KnowsTheNumberOfAPathAndItsQuery) {
  const RouteRule& job = *std::ranges::find(routes(), Route::Job, &RouteRule::route);
  EXPECT_EQ(std::get<Passage>(pass(good(job), sessions_, kPort)).number, 17u);
  RequestHead file = good(*std::ranges::find(routes(), Route::File, &RouteRule::route));
  file.target += "?name=release-1%2Fpeople.csv&part=a+b";
  const auto query = std::get<Passage>(pass(file, sessions_, kPort)).query;
  EXPECT_EQ(query.at("name"), "release-1/people.csv");
  EXPECT_EQ(query.at("part"), "a b");
}

TEST_F(Gate, OnlyThePageItselfIsOpenToEverybody) {
  std::vector<std::string> open;
  for (const RouteRule& rule : routes())
    if (rule.open) open.push_back(rule.name());
  EXPECT_THAT(open, testing::ElementsAre("GET /", "GET /studio.js", "GET /studio.css", "POST /api/session"));
}

TEST_F(Gate, RefusesWhoeverHasNoBearer) {
  const auto expected = [](const RouteRule& rule) { return rule.open ? 200 : 401; };
  expect_everywhere(expected, [](RequestHead& head) { field(head, "authorization") = ""; });
  expect_everywhere(expected, [](RequestHead& head) { field(head, "authorization") = "Bearer "; });
  expect_everywhere(
      expected, [](RequestHead& head) { field(head, "authorization") = "Bearer " + std::string(64, '0'); });
  expect_everywhere(expected, [&](RequestHead& head) { field(head, "authorization") = "Basic " + bearer_; });
  expect_everywhere(expected, [&](RequestHead& head) {
    field(head, "authorization") = "Bearer " + bearer_.substr(0, bearer_.size() - 1);
  });
  expect_everywhere(expected, [&](RequestHead& head) {
    head.fields.emplace_back("authorization", "Bearer " + bearer_);
    head.fields.emplace_back("authorization", "Bearer " + bearer_);
  });
}

TEST_F(Gate, RefusesOtherHosts) {
  for (const char* host :
       {"", "example.org", "example.org:4711", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1:47110",
        "localhost.example.org:4711", "127.0.0.1:4711.example.org", "127.0.0.2:4711", "0.0.0.0:4711"})
    expect_everywhere(403, [&](RequestHead& head) {
      field(head, "host") = host;
      if (head.method == "POST") field(head, "origin") = "http://" + std::string(host);
    });
  expect_everywhere(403, [](RequestHead& head) { head.fields.emplace_back("host", "127.0.0.1:4711"); });
}

TEST_F(Gate, TakesItsThreeNames) {
  for (const char* host : {"127.0.0.1:4711", "[::1]:4711", "localhost:4711"})
    expect_everywhere(200, [&](RequestHead& head) {
      field(head, "host") = host;
      if (head.method == "POST") field(head, "origin") = "http://" + std::string(host);
    });
}

TEST_F(Gate, RefusesOtherOrigins) {
  for (const char* origin : {"http://example.org", "null", "https://127.0.0.1:4711", "http://127.0.0.1",
                             "http://127.0.0.1:4712", "http://localhost:4711", "http://127.0.0.1:4711/"})
    expect_everywhere(403, [&](RequestHead& head) { field(head, "origin") = origin; });
}

TEST_F(Gate, WantsAnOriginForWhatChangesSomething) {
  expect_everywhere([](const RouteRule& rule) { return rule.method == std::string("POST") ? 403 : 200; },
                    [](RequestHead& head) {
                      std::erase_if(head.fields, [](const auto& one) { return one.first == "origin"; });
                    });
}

TEST_F(Gate, RefusesRequestsOfOtherSites) {
  for (const char* site : {"cross-site", "same-site", "", "same-origin, none"})
    expect_everywhere(403, [&](RequestHead& head) { field(head, "sec-fetch-site") = site; });
  expect_everywhere(200, [](RequestHead& head) { field(head, "sec-fetch-site") = "none"; });
}

TEST_F(Gate, ALinkElsewhereLeadsToThePageAndToNothingElse) {
  expect_everywhere([](const RouteRule& rule) { return rule.route == Route::Page ? 200 : 403; },
                    [](RequestHead& head) {
                      field(head, "sec-fetch-site") = "cross-site";
                      field(head, "sec-fetch-mode") = "navigate";
                      field(head, "sec-fetch-dest") = "document";
                    });
  for (const char* destination : {"iframe", "script", "image", "empty"})
    expect_everywhere(403, [&](RequestHead& head) {
      field(head, "sec-fetch-site") = "cross-site";
      field(head, "sec-fetch-mode") = "navigate";
      field(head, "sec-fetch-dest") = destination;
    });
}

TEST_F(Gate, RefusesOtherMethods) {
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get"})
    expect_everywhere(405, [&](RequestHead& head) { head.method = method; });
}

TEST_F(Gate, RefusesPathsThatItDoesNotKnow) {
  for (const char* path :
       {"/index.html", "/api", "/api/jobs/", "/api/jobs/x", "/api/jobs/-1", "/api/jobs/1/2",
        "/api/jobs/99999999999999999999", "/api/jobs//cancel", "/studio.js/", "/API/state", "/%61pi/state",
        "/api/../api/state", "/.hyobscure-studio/lock"}) {
    RequestHead head = good(*std::ranges::find(routes(), Route::State, &RouteRule::route));
    head.target = path;
    EXPECT_EQ(status(head), 404) << path;
  }
}

TEST_F(Gate, RefusesWhatIsNoPath) {
  for (const std::string& target :
       {std::string(), std::string("*"), std::string("api/state"), std::string("//example.org/"),
        std::string("http://127.0.0.1:4711/"), std::string("/a b"), std::string("/\r\nX: y"),
        "/" + std::string(3000, 'a')})
    expect_everywhere(400, [&](RequestHead& head) { head.target = target; });
}

TEST_F(Gate, RefusesBodiesThatAreTooLarge) {
  expect_everywhere(
      413, [](RequestHead& head) { field(head, "content-length") = std::to_string((1u << 20) + 1); });
  for (const RouteRule& rule : routes()) {
    RequestHead head = good(rule);
    field(head, "content-length") = std::to_string(rule.most_body);
    EXPECT_EQ(status(head), 200) << rule.name();
    field(head, "content-length") = std::to_string(rule.most_body + 1);
    EXPECT_EQ(status(head), 413) << rule.name();
  }
}

TEST_F(Gate, TakesBodiesOnlyWhereTheyBelongAndAsJson) {
  const auto with_body = [](int status) {
    return [status](const RouteRule& rule) { return rule.most_body > 0 ? status : 200; };
  };
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"})
    expect_everywhere(with_body(415), [&](RequestHead& head) { field(head, "content-type") = type; });
  expect_everywhere([](const RouteRule& rule) { return rule.most_body > 0 ? 200 : 413; },
                    [](RequestHead& head) { field(head, "transfer-encoding") = "chunked"; });
  expect_everywhere([](const RouteRule& rule) { return rule.most_body > 0 ? 400 : 413; },
                    [](RequestHead& head) { field(head, "content-length") = "two"; });
}

TEST(Sessions, ALinkWorksOnce) {
  Sessions sessions;
  const std::string link = sessions.new_link();
  const auto bearer = sessions.exchange(link);
  ASSERT_TRUE(bearer);
  EXPECT_TRUE(sessions.knows(*bearer));
  EXPECT_FALSE(sessions.exchange(link));
  EXPECT_FALSE(sessions.knows(link));
}

TEST(Sessions, NothingElseIsALink) {
  Sessions sessions;
  const std::string link = sessions.new_link();
  for (const std::string& other : {std::string(), link.substr(1), link + "0", std::string(64, '0')})
    EXPECT_FALSE(sessions.exchange(other));
  EXPECT_FALSE(sessions.knows(""));
  EXPECT_TRUE(sessions.exchange(link)) << "wrong guesses must not use it up";
}

TEST(Sessions, SeveralTabsHaveBearersOfTheirOwn) {
  Sessions sessions;
  const auto one = sessions.exchange(sessions.new_link()), other = sessions.exchange(sessions.new_link());
  EXPECT_NE(*one, *other);
  EXPECT_TRUE(sessions.knows(*one));
  EXPECT_TRUE(sessions.knows(*other));
}

}  // namespace
}  // namespace hyobscure::studio
