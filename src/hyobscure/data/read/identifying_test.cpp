#include "hyobscure/data/read/identifying.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/error.h"
#include "hyobscure/data/read/column_names.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/read/read.h"

namespace hyobscure::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kAge = "CAST(20 + hash(i) % 40 AS INTEGER)";

/// People 0 .. count - 1 with a secret and one further column beside a harmless feature, each given as SQL of
/// the person's number i. hash(i), hash(i + 1000000) ... are independent.
Spec spec_of(const std::string& column, const std::string& cell, int count = 300,
             const std::vector<Override>& further = {}, const std::string& age = kAge) {
  const std::string query = fmt::format(
      "SELECT 'p' || i AS id, {} AS age, CAST(1 + hash(i + 5000000) % 7 AS INTEGER) AS visits, {} AS {} FROM "
      "range({}) t(i)",
      age, cell, quoted_name(column), count);
  std::vector<Override> keys = {{"people.query", query},
                                {"people.id", "id"},
                                {"people.secret", "age"},
                                {"people.features", fmt::format("[\"visits\", \"{}\"]", column)}};
  keys.insert(keys.end(), further.begin(), further.end());
  return parse_spec("", "test", ".", keys);
}

ColumnFacts facts_of(const Spec& spec, std::size_t column = 1) {
  Engine engine({}, {});
  return ColumnTable(engine, spec).columns()[column];
}

/// Why the column may not be published.
std::string why(const std::string& column, const std::string& cell, int count = 300,
                const std::vector<Override>& further = {}) {
  return facts_of(spec_of(column, cell, count, further)).identifies;
}

std::string refusal(const Spec& spec) {
  Engine engine({}, {});
  try {
    (void)read_people(engine, spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnNames, AreReadInAnySpelling) {
  for (const char* name : {"name", "First Name", "firstName", "LAST_NAME", "Vorname", "prénom", "apellidos"})
    EXPECT_TRUE(is_called_name_of_person(name)) << name;
  for (const char* name : {"product_name", "namespace", "town", "named", "filename"})
    EXPECT_FALSE(is_called_name_of_person(name)) << name;
  for (const char* name : {"birth_year", "dateOfBirth", "DOB", "Geburtsdatum", "fecha_nacimiento"})
    EXPECT_TRUE(is_called_birth(name)) << name;
  EXPECT_FALSE(is_called_birth("stillborne"));
  for (const char* name : {"age", "Age at entry", "customerAge", "edad"})
    EXPECT_TRUE(is_called_age(name)) << name;
  for (const char* name : {"page", "wage", "agenda", "average"}) EXPECT_FALSE(is_called_age(name)) << name;
}

TEST(Identifying, MailAndPhone) {
  EXPECT_EQ(why("contact", "'user' || hash(i) % 50 || '@example.org'"), "its cells are e-mail addresses");
  EXPECT_EQ(why("line", "'+49 30 ' || (1000000 + hash(i) % 60)"), "its cells are phone numbers");
  EXPECT_EQ(why("Phone", "'030/' || (1000000 + hash(i) % 60)"), "its cells are phone numbers");
  EXPECT_EQ(why("phone", "CAST(7700900000 + hash(i + 1) % 60 AS BIGINT)"), "its cells are phone numbers");
  EXPECT_THAT(why("decade", "(1950 + hash(i + 7) % 5 * 10) || '-' || (1959 + hash(i + 7) % 5 * 10)"),
              IsEmpty());
  EXPECT_THAT(why("phone", "CASE WHEN hash(i + 7) % 2 = 0 THEN 'yes' ELSE 'no' END"), IsEmpty());
}

TEST(Identifying, NamesOfPersons) {
  const std::string few = "'word' || hash(i + 7) % 20";
  EXPECT_EQ(why("Surname", few), "by what it is called, its cells are names of persons");
  EXPECT_THAT(why("product_name", few), IsEmpty());
  EXPECT_THAT(why("name", "CAST(hash(i + 7) % 20 AS INTEGER)"), IsEmpty());  // numbers are no names
}

TEST(Identifying, AddressesThatTellApart) {
  for (const char* name : {"postcode", "ZipCode", "PLZ", "home address"})
    EXPECT_THAT(why(name, "10000 + hash(i + 1) % 90000"), HasSubstr("addresses, postcodes")) << name;
  EXPECT_THAT(why("postcode", "10000 + hash(i + 1) % 9"), IsEmpty()) << "regions that many share";
  EXPECT_THAT(why("salary", "10000 + hash(i + 1) % 90000"), IsEmpty()) << "numbers of another name";
}

TEST(Identifying, DatesOfBirth) {
  const std::string because = "its cells are dates or years of birth";
  const std::string day = "(DATE '1950-01-01' + CAST(hash(i + 7) % {} AS INTEGER) * 30)";
  const std::vector<Override> category = {{"people.categorical", "[\"d\"]"}};
  EXPECT_EQ(why("birth_year", "CAST(1950 + hash(i + 7) % 50 AS INTEGER)"), because);
  EXPECT_EQ(why("DateOfBirth", "CAST(" + fmt::format(fmt::runtime(day), 20) + " AS VARCHAR)"), because);
  EXPECT_EQ(why("d", fmt::format(fmt::runtime(day), 600), 300, category), because);
  EXPECT_EQ(why("d", "strftime(" + fmt::format(fmt::runtime(day), 600) + ", '%d.%m.%Y')"), because);
  EXPECT_THAT(why("d", fmt::format(fmt::runtime(day), 36), 300, category),
              IsEmpty());  // three years of visits
  EXPECT_THAT(why("birth_weight", "CAST(2500 + hash(i + 7) % 2000 AS INTEGER)"), IsEmpty());
  EXPECT_THAT(why("country_of_birth", "'country ' || hash(i + 7) % 9"), IsEmpty());
}

TEST(Identifying, TextsThatMostlyOccurOnce) {
  EXPECT_THAT(why("note", "'note ' || i"), HasSubstr("300 of its 300 cells occur once"));
  EXPECT_THAT(why("note", "CASE WHEN i < 155 THEN 'note ' || i ELSE 'none' END"),
              HasSubstr("155 of its 300"));
  EXPECT_THAT(why("note", "CASE WHEN i < 140 THEN 'note ' || i ELSE 'none' END"), IsEmpty());
  EXPECT_THAT(why("note", "CASE WHEN i < 25 THEN 'note ' || i END", 300, {{"people.missing", "zero"}}),
              HasSubstr("25 of its 25"));
  EXPECT_THAT(why("note", "'note ' || i", 19), IsEmpty());  // too few to judge
  EXPECT_THAT(why("height", "150 + i * 0.1"), IsEmpty());   // measured, not named
  EXPECT_THAT(why("code", "10000 + i", 300, {{"people.categorical", "[\"code\"]"}}), HasSubstr("300 of"));
}

/// Each category occurs once at most as often as there are categories: no accident refuses these.
TEST(Identifying, NeverHalfAsManyCategoriesAsPeople) {
  for (int count = 20; count <= 60; count += 5)
    for (int draw = 0; draw < 3; ++draw)
      EXPECT_THAT(why("town", fmt::format("'town ' || hash(i + {}) % {}", 7 + 1000 * draw, count / 2), count),
                  IsEmpty())
          << count;
}

TEST(Identifying, KeptNumbersTellApartAsTextsDo) {
  Spec spec = spec_of("number", "i");
  spec.people.features = {"visits"};
  spec.people.keep = {"number"};
  EXPECT_THAT(facts_of(spec).identifies, HasSubstr("300 of its 300 cells occur once"));
}

TEST(Identifying, WhatTellsTheSecret) {
  const std::string age = kAge;
  EXPECT_EQ(why("years", age), "it is the secret \"age\" itself");
  EXPECT_EQ(why("code", "'c' || " + age), "people with the same cell have the same secret \"age\"");
  EXPECT_EQ(why("class", fmt::format("'c' || ({} * 3 + hash(i + 7) % 3)", age)),
            "people with the same cell have the same secret \"age\"");
  EXPECT_EQ(why("from", fmt::format("2024 - {}", age)),
            "people with the same cell have the same secret \"age\"");
  EXPECT_THAT(why("decade", fmt::format("{} // 10", age)), IsEmpty());
  EXPECT_THAT(why("near", fmt::format("{} + CAST(hash(i + 7) % 4 AS INTEGER)", age)), IsEmpty());
  // Nobody shares a cell: ranks reveal it.
  const std::string income = "1000 + i * 1.5";
  EXPECT_EQ(facts_of(spec_of("yearly", fmt::format("12 * ({})", income), 300, {}, income)).identifies,
            "it follows the secret \"age\" step by step");
  EXPECT_EQ(facts_of(spec_of("pay", income, 300, {}, income)).identifies, "it is the secret \"age\" itself");
  // One outlier in both makes a correlation of 1, and reveals nothing.
  const std::string tail = "CASE WHEN i = 0 THEN 1e9 ELSE hash(i + {}) % 1000 + 0.5 END";
  EXPECT_THAT(facts_of(spec_of("spent", fmt::format(fmt::runtime(tail), 7), 300, {},
                               fmt::format(fmt::runtime(tail), 9)))
                  .identifies,
              IsEmpty());
  EXPECT_THAT(why("constant", "7"), IsEmpty());
  // Squares of such numbers have no room.
  EXPECT_THAT(why("huge", "CASE WHEN i % 2 = 0 THEN 1e200 ELSE i * 1e190 END"), IsEmpty());
  // A secret that nearly everybody shares is guessed from anything.
  EXPECT_THAT(
      facts_of(spec_of("town", "'t' || hash(i + 7) % 5", 300, {}, "CASE WHEN i < 290 THEN 1 ELSE 2 END"))
          .identifies,
      IsEmpty());
}

TEST(Identifying, EachOfSeveralSecretsByItself) {
  Spec spec = spec_of("copy", kAge);
  spec.people.features = {"copy"};
  spec.people.secret.all = {"age", "visits"};
  EXPECT_EQ(facts_of(spec, 0).identifies, "it is the secret \"age\" itself");
}

TEST(Identifying, ReadingRefusesAllOfThemByNameAndAllowsThemByName) {
  const std::string mail = "'user' || i || '@example.org'";
  EXPECT_THAT(
      refusal(spec_of("mail", mail)),
      AllOf(HasSubstr("column \"mail\": may not be published, because its cells are e-mail addresses."),
            HasSubstr("Leave it out of people.features or people.keep"),
            HasSubstr("people.allow_identifying = [\"mail\"]"), Not(HasSubstr("example"))));
  EXPECT_THAT(refusal(spec_of("mail", mail, 300, {{"people.allow_identifying", "[\"mail\"]"}})), IsEmpty());
  Spec two = spec_of("mail", mail);
  two.people.features = {"mail"};
  two.people.keep = {"visits", "age_copy"};
  two.people.source.query = "SELECT *, age AS age_copy FROM (" + two.people.source.query + ")";
  EXPECT_THAT(refusal(two), AllOf(HasSubstr("nor may \"age_copy\" (it is the secret \"age\" itself)"),
                                  HasSubstr("[\"mail\", \"age_copy\"]")));
}

TEST(Identifying, TextsOfEventsThatOccurOnce) {
  const auto spec = [](const std::string& time) {
    return parse_spec("", "test", ".",
                      {{"people.query", "SELECT 'p' || i AS id, 20 + i % 9 AS age FROM range(60) t(i)"},
                       {"people.id", "id"},
                       {"people.secret", "age"},
                       {"events.query", "SELECT 'p' || i AS p, 'item ' || i % 5 AS item, " + time +
                                            " AS t FROM range(60) t(i)"},
                       {"events.person", "p"},
                       {"events.item", "item"},
                       {"events.time", "t"}});
  };
  EXPECT_THAT(refusal(spec("'I wrote ' || i")), AllOf(HasSubstr("column \"t\": may not be published"),
                                                      HasSubstr("Leave it out of events.time")));
  EXPECT_THAT(refusal(spec("'2024-01-01 10:00:' || (i % 60)")), IsEmpty());
}

TEST(ColumnTable, CountsCellsAndMeasuresNumbersOnly) {
  const ColumnFacts number = facts_of(spec_of("n", "CASE WHEN i % 4 > 0 THEN i % 60 - 3 END", 240));
  EXPECT_EQ(number.rows, 240);
  EXPECT_EQ(number.given, 180);
  EXPECT_EQ(number.distinct, 45);
  EXPECT_EQ(number.unique, 0);
  EXPECT_EQ(number.smallest, -2);
  EXPECT_EQ(number.largest, 56);
  const ColumnFacts text = facts_of(spec_of("w", "CASE i WHEN 0 THEN '' WHEN 1 THEN '7' ELSE 'x' END", 240));
  EXPECT_EQ(text.given, 239);
  EXPECT_EQ(text.unique, 1);
  EXPECT_TRUE(std::isnan(text.smallest) && std::isnan(text.largest));
}

TEST(ColumnTable, CutsNumbersIntoRangesOfEqualSizeAndNeverThroughEqualOnes) {
  const Spec spec = spec_of("n", "CASE WHEN i >= 100 THEN NULL WHEN i < 50 THEN 1 ELSE i END", 120);
  Engine engine({}, {});
  const ColumnTable table(engine, spec);
  std::vector<int> people(5, 0);
  for (const std::uint32_t cell : table.cells(1, 4)) people.at(cell) += 1;
  EXPECT_THAT(people, testing::ElementsAre(50, 0, 25, 25, 20));
}

TEST(ColumnTable, CountsSecretsThatCannotBe) {
  const auto implausible = [](const std::string& secret, const std::string& cell) {
    Spec spec = spec_of("town", "'t' || hash(i + 7) % 5", 300, {}, cell);
    spec.people.secret.all = {secret};
    spec.people.source.query =
        fmt::format("SELECT * RENAME (age AS {}) FROM ({})", secret, spec.people.source.query);
    Engine engine({}, {});
    return ColumnTable(engine, spec).implausible();
  };
  const std::string odd = "CASE WHEN i < 3 THEN -5 WHEN i < 5 THEN 999 ELSE 20 + i % 60 END";
  const auto ages = implausible("age", odd);
  ASSERT_EQ(ages.size(), 1u);
  EXPECT_EQ(ages[0].people, 5);
  EXPECT_EQ(ages[0].because, "an age below 0 or above 120");
  const auto income = implausible("income", odd);  // -5 is not far from the others
  ASSERT_EQ(income.size(), 1u);
  EXPECT_EQ(income[0].people, 2);
  EXPECT_THAT(implausible("income", "20 + i % 60"), IsEmpty());
}

TEST(ColumnTable, TheSpecWithoutRefusedColumnsIsReadable) {
  const Spec spec = spec_of("mail", "'user' || i || '@example.org'");
  Engine engine({}, {});
  const Spec left = ColumnTable(engine, spec).without_refused();
  EXPECT_THAT(left.people.features, testing::ElementsAre("visits"));
}

}  // namespace
}  // namespace hyobscure::data
