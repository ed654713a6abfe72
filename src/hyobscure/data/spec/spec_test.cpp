#include "hyobscure/data/spec/spec.h"
#include "hyobscure/data/spec/nearest_word.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/error.h"

namespace hyobscure::data {
namespace {

using testing::HasSubstr;

const std::string kMovies = R"([people]
file = "u.user"
id = "id"
secret = "age"
[events]
file = "u.data"
person = "id"
item = "movie"
value = "rating"
[secret]
keep = [18, 50]
[groups]
count = 4
people = [100, 400]
values = [4, 12]
[channel]
clusters = 10
budget = 0.49
)";

Spec parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_spec(text, "spec.toml", ".", overrides);
}

std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    (void)parse(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Spec, ReadsWhatTheFileSaysAndFillsInDefaults) {
  const Spec spec = parse(kMovies);
  EXPECT_TRUE(spec.is_long());
  EXPECT_EQ(spec.people.secret.text(), "age");
  EXPECT_EQ(spec.secret.keep, (Interval{18, 50}));
  EXPECT_EQ(spec.groups.people, (Interval{100, 400}));
  EXPECT_EQ(spec.channel.budget, 0.49);
  EXPECT_EQ(spec.method.name, "fine");
  EXPECT_EQ(spec.method.convergence, 1e-4);
  EXPECT_FALSE(spec.method.seed);
}

TEST(Spec, TheContextIsWhatThePublisherStatesAndNothingElse) {
  EXPECT_TRUE(stated_context(parse(kMovies)).empty());
  const Spec spec = parse(kMovies + "[context]\nrecipient = \"the public\"\nharm = \"  \"\n",
                          {{"context.approver", "the \"board\", 2 of 3"}});
  EXPECT_THAT(stated_context(spec), testing::ElementsAre(testing::Pair("approver", "the \"board\", 2 of 3"),
                                                         testing::Pair("recipient", "the public")));
}

TEST(Spec, AFlagWinsOverTheFileAndIsWrittenLikeAKey) {
  const Spec spec = parse(kMovies, {{"groups.count", "5"},
                                    {"channel.budget", "0.5"},
                                    {"groups.people", "50,300"},
                                    {"groups.values", "[2, 30]"},
                                    {"groups.fixed", "[[18, 24], [25, 34], [35, 44], [45, 48], [49, 50]]"},
                                    {"method.name", "xobf"},
                                    {"channel.normalise", "true"},
                                    {"method.seed", "7"}});
  EXPECT_EQ(spec.groups.count, 5);
  EXPECT_EQ(spec.channel.budget, 0.5);
  EXPECT_EQ(parse(kMovies, {{"channel.budget", ".25"}}).channel.budget, 0.25);
  EXPECT_EQ(spec.groups.people, (Interval{50, 300}));
  EXPECT_EQ(spec.groups.values, (Interval{2, 30}));
  EXPECT_EQ(spec.groups.fixed.size(), 5u);
  EXPECT_EQ(spec.method.name, "xobf");
  EXPECT_TRUE(spec.channel.normalise);
  EXPECT_EQ(spec.method.seed, 7u);
}

std::string movies_with_budget(const std::string& budget) {
  std::string text = kMovies;
  text.replace(text.find("0.49"), 4, budget);
  return text;
}

TEST(Spec, ABudgetMayBeAPromiseAboutAUse) {
  const Spec spec = parse(movies_with_budget("\"at most 2 % of rating RMSE\""));
  EXPECT_FALSE(spec.channel.budget);
  ASSERT_TRUE(spec.channel.target);
  EXPECT_EQ(*spec.channel.target, (UtilityTarget{2, "rating RMSE"}));
  EXPECT_EQ(target_text(*spec.channel.target), "at most 2 % of rating RMSE");
  const std::vector<std::pair<std::string, UtilityTarget>> forms = {
      {"AT MOST 2.5% OF MAP", {2.5, "mAP"}},
      {"  at  most 0 %of Distance ", {0, "distance"}},
      {"at most 100 % of rating   rmse", {100, "rating RMSE"}},
      {"\"at most 7% of mAP\"", {7, "mAP"}},  // quoted, as in the file
  };
  for (const auto& [text, promise] : forms) {
    const Spec flagged = parse(kMovies, {{"channel.budget", text}});
    ASSERT_TRUE(flagged.channel.target) << text;
    EXPECT_EQ(*flagged.channel.target, promise) << text;
    EXPECT_FALSE(flagged.channel.budget) << text;
  }
}

TEST(Spec, APromiseThatIsNotUnderstoodNamesTheFormsThatAre) {
  for (const char* text : {"cheap", "", "2 %", "at most 2 of mAP", "at most % of mAP", "at most x % of mAP",
                           "at most -1 % of mAP", "at most 101 % of mAP", "at most nan % of mAP",
                           "at most inf % of mAP", "at most 2 % of fun", "at most 2 % of",
                           "at most 2 % of mAP and task", "at least 2 % of mAP", "at most 2x % of mAP"}) {
    for (const std::string& refused : {refusal(movies_with_budget(fmt::format("\"{}\"", text))),
                                       refusal(kMovies, {{"channel.budget", text}})}) {
      EXPECT_THAT(refused, HasSubstr("at most 2 % of rating RMSE")) << text;
      EXPECT_THAT(refused, HasSubstr("rating RMSE, mAP, task, distance")) << text;
      EXPECT_THAT(refused, HasSubstr("budget")) << text;
    }
  }
}

TEST(Spec, APromiseGoesWithoutAShareAndATaskNeedsItsColumn) {
  EXPECT_THAT(refusal(movies_with_budget("\"at most 2 % of mAP\"\nbudget_share = 0.5")),
              HasSubstr("Keep one"));
  const Spec other = parse(movies_with_budget("\"at most 2 % of mAP\""), {{"channel.budget_share", "0.5"}});
  EXPECT_FALSE(other.channel.target);
  EXPECT_THAT(refusal(kMovies, {{"channel.budget", "at most 2 % of task"}}), HasSubstr("audit.task"));
  const Spec task = parse(kMovies, {{"channel.budget", "at most 2 % of task"}, {"audit.task", "job"}});
  EXPECT_EQ(*task.channel.target, (UtilityTarget{2, "task"}));
}

TEST(Spec, ABudgetAsAFlagReplacesAShareInTheFile) {
  const Spec spec = parse(kMovies, {{"channel.budget_share", "0.5"}});
  EXPECT_EQ(spec.channel.budget_share, 0.5);
  EXPECT_FALSE(spec.channel.budget);
}

TEST(Spec, AListOfWordsNeedsNoBracketsInAFlag) {
  const std::string wide = "[people]\nfile = \"t.csv\"\nid = \"id\"\nsecret = \"age\"\n";
  EXPECT_EQ(parse(wide, {{"people.features", "a,b c"}}).people.features,
            (std::vector<std::string>{"a", "b c"}));
}

TEST(Spec, EveryKeyIsDescribed) {
  for (const Setting& setting : settings()) {
    EXPECT_FALSE(setting.help.empty()) << setting.full_name();
    EXPECT_FALSE(setting.type.empty()) << setting.full_name();
    EXPECT_FALSE(setting.fallback.empty()) << setting.full_name();
  }
}

TEST(Spec, DecisionsAboutPrivacyHaveNoDefault) {
  for (const char* name : {"groups.people", "groups.values", "channel.budget"})
    EXPECT_EQ(std::ranges::find(settings(), std::string(name), &Setting::full_name)->fallback, "required")
        << name;
}

TEST(Spec, RefusalsNameFileLineKeyAndRemedy) {
  EXPECT_EQ(refusal(kMovies + "budgett = 1\n"),
            "spec.toml, line 19: there is no key \"channel.budgett\". Did you mean \"channel.budget\"?");
  EXPECT_THAT(
      refusal("[peeple]\n"),
      HasSubstr("\"peeple\" is not a section of a spec. The sections are audit, channel, context, events"));
  EXPECT_THAT(refusal("[people\n"), HasSubstr("spec.toml, line 1: not valid TOML"));
  EXPECT_EQ(refusal(kMovies, {{"groups.count", "many"}}),
            "--groups.count: expected a whole number. Write it as in a spec file.");
  EXPECT_EQ(refusal(kMovies, {{"groups.cont", "4"}}),
            "--groups.cont: there is no such key. Did you mean \"groups.count\"?");
  EXPECT_EQ(refusal(kMovies, {{"method.threat", "magic"}}),
            "--method.threat: expected one of \"informed\", \"learned\", \"both\". Correct the value.");
  EXPECT_THAT(refusal(kMovies + "starts = \"ten\"\n"),
              HasSubstr("spec.toml, line 19, channel.starts: expected a whole number"));
  EXPECT_THAT(refusal(kMovies, {{"channel.clusters", "0"}}),
              HasSubstr("\"auto\" or whole number from 1 to 1000"));
  EXPECT_THAT(refusal(kMovies, {{"groups.people", "[400, 100]"}}),
              HasSubstr("--groups.people: expected two numbers from low to high"));
  EXPECT_THAT(refusal(kMovies, {{"channel.budget", "-1"}}), HasSubstr("at least 0"));
  EXPECT_THAT(refusal(kMovies, {{"channel.budget", "nan"}}), HasSubstr("channel.budget"));
  EXPECT_THAT(refusal(kMovies, {{"method.seed", "-3"}}), HasSubstr("method.seed"));
}

TEST(Spec, RefusesRolesThatContradictEachOther) {
  EXPECT_THAT(refusal("[people]\nid = \"a\"\nsecret = \"b\"\nfeatures = [\"c\"]\n"),
              HasSubstr("neither a file nor a query"));
  EXPECT_THAT(refusal("[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"b\"\n"),
              HasSubstr("nothing to publish"));
  EXPECT_THAT(refusal("[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"b\"\nfeatures = [\"b\"]\n"),
              HasSubstr("named twice"));
  EXPECT_THAT(refusal("[people]\nfile = \"t\"\nsecret = \"b\"\nfeatures = [\"c\"]\n"),
              HasSubstr("people.id is not given"));
  EXPECT_THAT(
      refusal("[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"b\"\nfeatures = [\"c\"]\nsets = [\"d\"]\n"),
      HasSubstr("not among people.features"));
  EXPECT_THAT(refusal(kMovies, {{"people.features", "x"}}), HasSubstr("both people.features and [events]"));
  EXPECT_THAT(refusal(kMovies, {{"people.query", "SELECT 1"}}), HasSubstr("both a file and a query"));
  EXPECT_THAT(refusal(kMovies, {{"events.item", ""}}), HasSubstr("needs person and item"));
  EXPECT_THAT(refusal(kMovies, {{"groups.fixed", "[[18, 30], [30, 50]]"}}), HasSubstr("overlap"));
  EXPECT_THAT(refusal(kMovies, {{"groups.fixed", "[[18, 30], [31, 50]]"}}),
              HasSubstr("differs from the number"));
  EXPECT_THAT(refusal(kMovies + "budget_share = 0.5\n"), HasSubstr("Keep one of them"));
}

TEST(Spec, AColumnIsKeptOrSomethingElse) {
  EXPECT_EQ(parse(kMovies, {{"people.keep", "gender,job"}}).people.keep,
            (std::vector<std::string>{"gender", "job"}));
  EXPECT_TRUE(parse(kMovies).people.keep.empty());
  const std::string wide = "[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"b\"\nfeatures = [\"c\"]\n";
  for (const std::string keep : {"a", "B", "c", "d,d"})
    EXPECT_THAT(refusal(wide, {{"people.keep", keep}}),
                HasSubstr("is named twice among id, secret, features and keep. Give every column one role."))
        << keep;
  EXPECT_THAT(refusal(wide + "keep = \"d\"\n"), HasSubstr("people.keep: expected list of texts"));
}

TEST(Spec, ASecretMayBeAPlaceANameOrSeveralThings) {
  const std::string wide = "[people]\nfile = \"t\"\nid = \"a\"\nfeatures = [\"c\"]\nsecret = ";
  const auto refused = [&](const std::string& secret, const std::string& keys) {
    return refusal(wide + secret + "\n[secret]\n" + keys);
  };
  const std::string place = "kind = \"spatial\"\n", name = "kind = \"categorical\"\n";
  const std::string degrees = "latitude = \"y\"\nlongitude = \"x\"\n";
  EXPECT_EQ(refused("\"home\"", place + degrees), "accepted");
  EXPECT_EQ(refused("\"cell\"", place + "grid_columns = 60\ncell_km = 0.5\n"), "accepted");
  EXPECT_EQ(refused("\"job\"", name + "hierarchy = \"jobs.csv\"\n"), "accepted");
  EXPECT_EQ(refused("[\"age\", \"size\"]", ""), "accepted");
  EXPECT_EQ(refused("[\"age\", \"home\", \"job\"]",
                    "kind = [\"ordered\", \"spatial\", \"categorical\"]\n" + degrees),
            "accepted");

  EXPECT_THAT(refused("[\"age\", \"home\", \"job\"]", "kind = [\"ordered\", \"spatial\"]\n" + degrees),
              HasSubstr("secret.kind has 2 entries, and people.secret names 3 secrets"));
  EXPECT_THAT(refused("\"age\"", "kind = [\"ordered\", \"ordered\"]\n"), HasSubstr("names one secret"));
  EXPECT_THAT(refused("[\"home\", \"work\"]", place + degrees), HasSubstr("more than one secret is spatial"));
  EXPECT_THAT(refused("\"home\"", place), HasSubstr("needs secret.latitude and secret.longitude, or"));
  EXPECT_THAT(refused("\"home\"", place + "latitude = \"y\"\n"), HasSubstr("go together"));
  EXPECT_THAT(refused("\"home\"", place + degrees + "grid_columns = 3\n"), HasSubstr("Keep one of them"));
  EXPECT_THAT(refused("\"home\"", place + "latitude = \"C\"\nlongitude = \"x\"\n"),
              HasSubstr("column \"c\": is part of the secret and among people.features"));
  for (const std::string key :
       {"latitude = \"y\"", "longitude = \"x\"", "grid_columns = 3", "cell_km = 2", "home = \"most-visited\"",
        "home_column = \"c\"", "home_category = \"h\"", "home_events = \"leave-out\""})
    for (const std::string& kind : {std::string(), name})
      EXPECT_THAT(refused("\"x\"", kind + key),
                  HasSubstr(key.substr(0, key.find(' ')) + " is given, and no secret is spatial"));
  for (const std::string key : {"hierarchy = \"h.csv\"", "similarity = \"s.csv\""})
    EXPECT_THAT(refused("\"x\"", key), HasSubstr("is given, and the secret is not a single categorical one"));
  EXPECT_THAT(refused("[\"x\", \"y\"]", name + "hierarchy = \"h.csv\"\n"),
              HasSubstr("not a single categorical"));
  EXPECT_THAT(refused("\"x\"", name + "hierarchy = \"h\"\nsimilarity = \"s\"\n"),
              HasSubstr("Keep one of them"));
  EXPECT_THAT(refused("\"x\"", name + "keep = [1, 2]\n"),
              HasSubstr("secret.keep is given, and the secret is not a single ordered one"));
  EXPECT_THAT(refused("[\"x\", \"y\"]", "[groups]\nfixed = [[1, 2], [3, 4]]\n"),
              HasSubstr("groups.fixed is given, and the secret is not a single ordered one"));
}

TEST(Spec, HomeIsFoundFromEventsByADeclaredRule) {
  const std::string events =
      "[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"home\"\n[events]\nfile = \"e\"\nperson = \"who\"\n"
      "item = \"what\"\n[secret]\nkind = \"spatial\"\nlatitude = \"y\"\nlongitude = \"x\"\n";
  const std::string category = "home = \"category\"\nhome_column = \"what\"\nhome_category = \"Home\"\n";
  EXPECT_EQ(refusal(events + "home = \"most-visited\"\nhome_events = \"leave-out\"\n"), "accepted");
  EXPECT_EQ(refusal(events + category), "accepted");
  EXPECT_THAT(refusal(events + "home = \"category\"\nhome_column = \"what\"\n"),
              HasSubstr("needs secret.home_column and secret.home_category"));
  EXPECT_THAT(refusal(events + "home = \"most-visited\"\nhome_category = \"Home\"\n"),
              HasSubstr("secret.home_category is given, and secret.home is not \"category\""));
  EXPECT_THAT(refusal(events + "home_events = \"leave-out\"\n"), HasSubstr("home is given with the person"));
  EXPECT_THAT(
      refusal("[people]\nfile = \"t\"\nid = \"a\"\nsecret = \"b\"\nfeatures = [\"c\"]\n[secret]\nkind = "
              "\"spatial\"\nlatitude = \"y\"\nlongitude = \"x\"\nhome = \"most-visited\"\n"),
      HasSubstr("needs events to find home from"));
  std::string cells = events;
  cells.replace(cells.find("latitude"), std::string::npos, "grid_columns = 9\nhome = \"most-visited\"\n");
  EXPECT_THAT(refusal(cells), HasSubstr("needs the places of events"));
}

TEST(Spec, ASuggestionIsMadeOnlyForNearWords) {
  EXPECT_EQ(nearest_word("agee", {"id", "age", "zip"}), "age");
  EXPECT_EQ(nearest_word("salary", {"id", "age", "zip"}), std::nullopt);
  EXPECT_EQ(nearest_word("y", {"7", "p001"}), std::nullopt);  // without a header these are cells
  EXPECT_EQ(nearest_word("yr1", {"171", "31"}), std::nullopt);
}

}  // namespace
}  // namespace hyobscure::data
