#include "hyobscure/data/guess/guess.h"

#include <gmock/gmock.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::data {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

class GuessTest : public testing::Test {
 protected:
  Guess guess(GuessRequest request, const ChooseSecret& choose = {}) {
    request.folder = folder_.path();
    Engine engine({.folder = folder_.path(), .memory = {}, .tables = {}}, {});
    return guess_spec(engine, request, choose);
  }

  std::string problem_of(GuessRequest request) {
    try {
      (void)guess(std::move(request));
    } catch (const InputError& error) {
      return error.what();
    }
    return "guessed";
  }

  /// 40 people: id, age, steps.
  std::string people(const std::string& header = "id,age,steps") const {
    std::string text = header + "\n";
    for (int i = 0; i < 40; ++i)
      text +=
          "u" + std::to_string(i) + "," + std::to_string(20 + i % 10) + "," + std::to_string(i % 7) + "\n";
    return text;
  }

  TestFolder folder_;
};

TEST_F(GuessTest, FindsIdSecretAndFeatures) {
  folder_.write("p.csv", people());
  const Guess found = guess({.people = "p.csv"});
  EXPECT_EQ(found.spec.people.id, "id");
  EXPECT_THAT(found.spec.people.secret.all, ElementsAre("age"));
  EXPECT_THAT(found.spec.people.features, ElementsAre("steps"));
  EXPECT_THAT(found.secrets, ElementsAre("steps"));
}

TEST_F(GuessTest, AsksWhichSecretWithTheLikeliestFirst) {
  folder_.write("p.csv", people("id,steps,income"));
  std::vector<std::string> shown;
  const Guess found = guess({.people = "p.csv"}, [&](const std::vector<SecretCandidate>& columns) {
    for (const SecretCandidate& column : columns) shown.push_back(column.name + ": " + column.holds);
    return columns.back().name;
  });
  EXPECT_THAT(shown, ElementsAre("income: whole numbers, 7 different", "steps: whole numbers, 10 different"));
  EXPECT_THAT(found.spec.people.secret.all, ElementsAre("steps"));
}

TEST_F(GuessTest, NamesTheColumnsWhereNoneIsCalledLikeASecret) {
  folder_.write("p.csv", people("id,rooms,steps"));
  EXPECT_THAT(problem_of({.people = "p.csv"}),
              HasSubstr("rooms (whole numbers, 10 different), steps (whole numbers, 7 different)"));
  EXPECT_THAT(problem_of({.people = "p.csv", .secret = "room"}), HasSubstr("rooms"));
}

TEST_F(GuessTest, EventsAreJoinedByTheColumnThatSharesIds) {
  folder_.write("p.csv", people());
  std::string events = "when,who,film,stars\n";
  for (int i = 0; i < 120; ++i)
    events += "2026-01-0" + std::to_string(1 + i % 9) + ",u" + std::to_string(i % 41) + ",f" +
              std::to_string(i % 13) + "," + std::to_string(1 + i % 5) + "\n";
  folder_.write("e.csv", events);
  const Guess found = guess({.people = "p.csv", .events = "e.csv"});
  EXPECT_EQ(found.spec.events.person, "who");
  EXPECT_EQ(found.spec.events.item, "film");
  EXPECT_EQ(found.spec.events.value, "stars");
  EXPECT_EQ(found.spec.events.unknown_people, Unfit::LeaveOut) << "u40 is nobody of the table";
  EXPECT_THAT(found.left_out, Contains(Field(&ColumnLeftOut::name, "when")));
  EXPECT_THAT(found.left_out, Contains(Field(&ColumnLeftOut::name, "steps")));
}

TEST_F(GuessTest, ColumnsWithoutNamesAreKnownByWhatTheyHold) {
  std::string people, events;
  for (int i = 0; i < 40; ++i)
    people +=
        std::to_string(100 + i) + "," + (i % 2 == 0 ? "a" : "b") + "," + std::to_string(20 + i % 13) + "\n";
  for (int i = 0; i < 240; ++i)  // who, rating, second, what
    events += std::to_string(100 + i % 40) + "," + std::to_string(1 + i % 5) + "," +
              std::to_string(880'000'000 + 17 * i) + "," + std::to_string(500 + i % 37) + "\n";
  folder_.write("p.csv", people);
  folder_.write("e.csv", events);
  EXPECT_THAT(problem_of({.people = "p.csv", .events = "e.csv"}), HasSubstr("it could be: column2 (whole"))
      << "as many different numbers as there are ages";
  const Guess found = guess({.people = "p.csv", .events = "e.csv", .secret = "column2"});
  EXPECT_EQ(found.spec.events.person, "column0");
  EXPECT_EQ(found.spec.events.item, "column3") << "nearly every second is one person's";
  EXPECT_EQ(found.spec.events.value, "column1");
}

TEST_F(GuessTest, FilesThatShareNobodyAreRefused) {
  folder_.write("p.csv", people());
  folder_.write("e.csv", "a,b\nx1,1\nx2,2\nx3,3\n");
  EXPECT_THAT(problem_of({.people = "p.csv", .events = "e.csv"}), HasSubstr("no column names the people"));
}

TEST_F(GuessTest, RowsWithoutIdsAreNumberedAndADateBecomesItsYear) {
  std::string rows = "born,steps\n";
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(1960 + i % 20) + "-05-17," + std::to_string(i % 7) + "\n";
  folder_.write("p.csv", rows);
  const Guess found = guess({.people = "p.csv"});
  EXPECT_EQ(found.spec.people.id, "row");
  EXPECT_THAT(found.spec.people.secret.all, ElementsAre("born_year"));
  EXPECT_THAT(found.spec.people.source.query, HasSubstr("row_number()"));
  EXPECT_THAT(found.spec.people.source.query, HasSubstr("year(\"born\")"));
  EXPECT_EQ(found.spec.people.source.file, "");
}

TEST_F(GuessTest, NoCellIsQuoted) {
  folder_.write("p.csv", people());
  const Guess found = guess({.people = "p.csv"});
  for (const auto& [key, reason] : found.reasons) EXPECT_EQ(reason.find("u1"), std::string::npos) << key;
}

}  // namespace
}  // namespace hyobscure::data
