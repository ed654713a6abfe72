#include "hyobscure/obscure/groups/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

#include "hyobscure/obscure/groups/terms.h"

namespace hyobscure::obscure {
namespace {

struct Counted {
  std::vector<data::SecretValue> values;
  std::optional<data::SecretSpace> space;
  Population population;

  explicit Counted(const std::vector<double>& people)
      : values(values_of(people.size())),
        population(
            values, space,
            Eigen::Map<const Eigen::VectorXd>(people.data(), static_cast<Eigen::Index>(people.size()))) {}

 private:
  static std::vector<data::SecretValue> values_of(std::size_t count) {
    std::vector<data::SecretValue> made;
    for (std::size_t v = 0; v < count; ++v) made.push_back({double(v), double(v), double(v)});
    return made;
  }
};

void expect_works(const std::vector<double>& people, int groups) {
  const Counted counted(people);
  const auto terms = suggest_terms(counted.population);
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->count, groups);
  EXPECT_GE(terms->limits.least_people, 2);
  EXPECT_GE(terms->limits.least_values, 2);
  data::Spec spec;
  spec.groups.count = terms->count;
  spec.groups.people = data::Interval{terms->limits.least_people, terms->limits.most_people};
  spec.groups.values = data::Interval{terms->limits.least_values, terms->limits.most_values};
  EXPECT_EQ(first_terms_of(counted.population, spec).first_groups.groups(), groups);
}

TEST(Suggestion, PeopleCanMeetItsLimits) {
  expect_works(std::vector<double>(40, 10), 4);
  expect_works({5, 5, 5, 400, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 4);
  expect_works(std::vector<double>(10, 30), 3);
  expect_works({50, 50, 50}, 1);
  expect_works({2, 1, 3, 1, 1, 2, 4, 3, 3, 1, 2, 2, 1, 1, 2, 2, 3, 1}, 1);
}

TEST(Suggestion, ThereIsNoneForOneValueOrOnePerson) { EXPECT_FALSE(suggest_terms(Counted({1}).population)); }

}  // namespace
}  // namespace hyobscure::obscure
