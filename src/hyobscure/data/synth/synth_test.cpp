#include "hyobscure/data/synth/synth.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"

namespace hyobscure::data {
namespace {

Reading read_folder(const std::filesystem::path& folder) {
  const Spec spec = read_spec(folder / "spec.toml");
  Engine engine({.folder = spec.folder}, {});
  return read_people(engine, spec);
}

/// Correlation of the age with the mean centre of age of a person's items, measured from the items' raters.
double dependence_of(const People& people) {
  std::vector<double> age_sum(people.features.columns, 0), raters(people.features.columns, 0);
  const auto age = [&](std::size_t u) { return people.values[people.secrets[u]].low; };
  for (std::size_t u = 0; u < people.size(); ++u)
    for (const auto item : people.features[u].items) {
      age_sum[item] += age(u);
      raters[item] += 1;
    }
  double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t u = 0; u < people.size(); ++u) {
    double sum = 0, count = 0;
    for (const auto item : people.features[u].items)
      if (raters[item] > 1) {  // without the person's own age
        sum += (age_sum[item] - age(u)) / (raters[item] - 1);
        count += 1;
      }
    if (count == 0) continue;
    const double x = sum / count, y = age(u);
    n += 1, sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
  }
  return (sxy - sx * sy / n) / std::sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
}

TEST(Synth, PlantsAsMuchDependenceAsAsked) {
  const TestFolder folder;
  synthesise({.people = 1500, .dependence = 0}, folder / "none", false);
  synthesise({.people = 1500, .dependence = 0.5}, folder / "some", false);
  synthesise({.people = 1500, .dependence = 1}, folder / "much", false);
  const double none = dependence_of(read_folder(folder / "none").people);
  const double some = dependence_of(read_folder(folder / "some").people);
  const double much = dependence_of(read_folder(folder / "much").people);
  EXPECT_LT(std::abs(none), 0.2);  // leaving one's own age out makes it slightly negative
  EXPECT_GT(some, 0.4);
  EXPECT_GT(much, some);
}

TEST(Synth, MakesTheNumberOfPeopleAndAboutTheNumberOfEntriesAskedFor) {
  const TestFolder folder;
  synthesise({.people = 2000, .entries = 60}, folder / "a", false);
  const auto people = read_folder(folder / "a").people;
  EXPECT_EQ(people.size(), 2000u);
  EXPECT_NEAR(static_cast<double>(people.features.entries()) / 2000, 60, 6);
}

TEST(Synth, TheSameSeedGivesTheSamePeopleInEveryFormat) {
  const TestFolder folder;
  synthesise({.people = 300, .seed = 5}, folder / "a", false);
  synthesise({.people = 300, .seed = 5, .parquet = true}, folder / "b", false);
  synthesise({.people = 300, .seed = 6}, folder / "c", false);
  const auto a = fingerprint(read_folder(folder / "a").people);
  EXPECT_EQ(fingerprint(read_folder(folder / "b").people), a);
  EXPECT_NE(fingerprint(read_folder(folder / "c").people), a);
}

TEST(Synth, TabularPeopleHaveNumbersACategoryAndASet) {
  const TestFolder folder;
  synthesise({.kind = SynthKind::Tabular, .people = 500}, folder / "t", false);
  const auto people = read_folder(folder / "t").people;
  EXPECT_EQ(people.size(), 500u);
  EXPECT_EQ(people.features.columns, 3u + 5u + 6u);
}

/// How far a person lives from the mean home of the others who go to the same places, in cells: the mean.
double distance_from_likes(const People& people) {
  const auto home = [&](std::size_t u) { return people.space->coordinate(people.secrets[u], 0).cell; };
  std::vector<double> row(people.features.columns, 0), column(row), visitors(row);
  for (std::size_t u = 0; u < people.size(); ++u)
    for (const auto item : people.features[u].items) {
      row[item] += home(u).row;
      column[item] += home(u).column;
      visitors[item] += 1;
    }
  double sum = 0;
  for (std::size_t u = 0; u < people.size(); ++u) {
    double r = 0, c = 0, count = 0;
    for (const auto item : people.features[u].items)
      if (visitors[item] > 1) {  // without the person's own home
        r += (row[item] - home(u).row) / (visitors[item] - 1);
        c += (column[item] - home(u).column) / (visitors[item] - 1);
        count += 1;
      }
    sum += std::hypot(home(u).row - r / count, home(u).column - c / count);
  }
  return sum / static_cast<double>(people.size());
}

TEST(Synth, CheckInsKnowAsMuchOfTheHomeAsAsked) {
  const TestFolder folder;
  synthesise({.kind = SynthKind::CheckIns, .people = 800, .dependence = 0}, folder / "none", false);
  synthesise({.kind = SynthKind::CheckIns, .people = 800, .dependence = 1}, folder / "much", false);
  const People none = read_folder(folder / "none").people, much = read_folder(folder / "much").people;
  EXPECT_EQ(none.size(), 800u);
  ASSERT_TRUE(none.space);
  EXPECT_EQ(none.space->points, much.space->points);  // the same city
  EXPECT_GT(none.space->points.size(), 60u);
  EXPECT_LE(none.space->points.size(), 200u);  // every cell is a value
  EXPECT_EQ(none.values.size(), none.space->points.size());
  EXPECT_LT(distance_from_likes(much), 0.8 * distance_from_likes(none));
}

TEST(Synth, CheckInsTellHomeByTheirPlaces) {
  const TestFolder folder;
  synthesise({.kind = SynthKind::CheckIns, .people = 200, .seed = 3, .parquet = true}, folder / "a", false);
  const People given = read_folder(folder / "a").people;
  const Spec spec = read_spec(folder / "a" / "spec.toml", {{"secret.home", "category"},
                                                           {"secret.home_column", "item"},
                                                           {"secret.home_category", "home"},
                                                           {"secret.missing", "leave-out"}});
  Engine engine({.folder = spec.folder}, {});
  const People found = read_people(engine, spec).people;
  ASSERT_GT(found.size(), 150u);
  for (std::size_t u = 0, g = 0; u < found.size(); ++u) {
    while (given.ids[g] != found.ids[u]) ++g;
    EXPECT_EQ(found.space->coordinate(found.secrets[u], 0).cell,
              given.space->coordinate(given.secrets[g], 0).cell);
  }
}

/// Numbers in the documentation come from such people: a faster program must make the same.
TEST(Synth, PeopleOfASeedStayTheSame) {
  const TestFolder folder;
  const auto sums = [&](SynthKind kind, const char* name) {
    synthesise({.kind = kind, .people = 3000, .seed = 7}, folder / name, false);
    return sha256_of_file(folder / name / (kind == SynthKind::Tabular ? "people.csv" : "events.csv"));
  };
  EXPECT_EQ(sums(SynthKind::Ratings, "r"),
            "6696e46ddaadb65d2faa65e4671db672b20d8e2dc8e487a0ddc08a3301d9fa1d");
  EXPECT_EQ(sums(SynthKind::Tabular, "t"),
            "5a4ddcc39ff9bce42d95c418231facb874bd0c3f785f3726a43038d5e9469d7c");
  EXPECT_EQ(sums(SynthKind::CheckIns, "c"),
            "345af9cb5bd774c9abc85e7e1c8738f38799c0f3b4c9de16ac0643c5d8d19aaf");
}

TEST(Synth, ManyThreadsMakeTheFilesThatOneMakes) {
  const TestFolder folder;
  const SynthSettings settings{.people = 9000, .seed = 2, .entries = 90, .parquet = true};  // several batches
  synthesise(settings, folder / "many", false);
  {
    const ThreadLimit one(1);
    synthesise(settings, folder / "one", false);
  }
  for (const char* file : {"people.parquet", "events.parquet"})
    EXPECT_EQ(sha256_of_file(folder / "many" / file), sha256_of_file(folder / "one" / file)) << file;
}

TEST(Synth, AStopLeavesNothingBehind) {
  const TestFolder folder;
  std::atomic<bool> stop{false};
  const Progress progress([&](std::string_view stage, double, double) { stop = stage == "making events"; },
                          &stop);
  EXPECT_THROW(synthesise({.people = 200'000}, folder / "a", false, progress), Stopped);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Synth, DoesNotOverwriteUnlessForced) {
  const TestFolder folder;
  synthesise({.people = 10}, folder / "a", false);
  EXPECT_THROW(synthesise({.people = 10}, folder / "a", false), InputError);
  EXPECT_NO_THROW(synthesise({.people = 20}, folder / "a", true));
  EXPECT_EQ(read_folder(folder / "a").people.size(), 20u);
}

}  // namespace
}  // namespace hyobscure::data
