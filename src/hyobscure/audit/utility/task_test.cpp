#include "hyobscure/audit/utility/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/test_publications.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using testing::HasSubstr;

// Small, so that a test takes a second under sanitizers.
const TaskSettings kQuick{.repetitions = 5, .boosting = {.rounds = 20, .depth = 3}};

// A label that follows the first two features, and noise.
struct Labelled {
  std::vector<std::vector<double>> dense;
  data::SparseRows features;
  std::vector<double> numbers;

  TaskLabel number() const { return {.name = "income", .number_of_person = numbers}; }
  TaskLabel classes(int count) const {
    TaskLabel label{.name = "income"};
    for (const double x : numbers)
      label.class_of_person.push_back(
          7 + 100 * static_cast<std::uint32_t>(std::clamp(std::floor(x + 0.5 * count), 0.0, count - 1.0)));
    return label;
  }
};

Labelled labelled_people(unsigned seed, std::size_t people) {
  Labelled result{.dense = small_numbers(seed, people, 6), .features = {}, .numbers = {}};
  result.features = sparse(result.dense);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-0.7, 0.7);
  for (const auto& row : result.dense) result.numbers.push_back(row[0] + 0.5 * row[1] + noise(random));
  return result;
}

TaskLabel label_of_kind(const Labelled& people, int kind) {
  return kind == 0 ? people.number() : people.classes(kind);
}

class Kinds : public testing::TestWithParam<int> {};  // numbers, two classes, four classes

TEST_P(Kinds, LoseNothingWhereEverybodyHasTheOwnRow) {
  const Labelled people = labelled_people(1, 150);
  const UtilityResult found = task_utility(people.features, label_of_kind(people, GetParam()),
                                           as_they_are(people.features), kQuick, Key::from_seed(1));
  EXPECT_EQ(found.figures->loss.low, 0);
  EXPECT_EQ(found.figures->loss.high, 0);
  EXPECT_EQ(found.known_people, 105U);
  EXPECT_EQ(found.tested_people, 45U);
}

TEST_P(Kinds, LoseWithRowsOfAnybodyWhatFeaturesGave) {
  const Labelled people = labelled_people(2, 300);
  const UtilityResult found = task_utility(people.features, label_of_kind(people, GetParam()),
                                           rows_of_anybody(people.features), kQuick, Key::from_seed(1));
  EXPECT_TRUE(found.figures->loss.above_zero());
  EXPECT_EQ(found.lower_is_better, GetParam() == 0);
  EXPECT_EQ(found.measure, GetParam() == 0 ? "RMSE" : GetParam() == 2 ? "AUC" : "accuracy");
  EXPECT_EQ(found.name, "prediction of income");
  if (found.lower_is_better)
    EXPECT_LT(found.figures->unobscured.high, found.figures->baseline.low);
  else
    EXPECT_GT(found.figures->unobscured.low, found.figures->baseline.high);
}

TEST_P(Kinds, DoNotDependOnTheNumberOfThreads) {
  const Labelled people = labelled_people(3, 80);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return numbers_of(task_utility(people.features, label_of_kind(people, GetParam()),
                                   rows_of_anybody(people.features), kQuick, Key::from_seed(1)));
  };
  EXPECT_EQ(run(1), run(4));
}

INSTANTIATE_TEST_SUITE_P(Task, Kinds, testing::Values(0, 2, 4));

// Learned by hand from the donors' rows and own labels, tested on true rows, judged by the definition.
TEST(Task, LearnsFromPublishedRowsAndIsTestedOnTrueOnes) {
  const Labelled people = labelled_people(4, 100);
  const TaskLabel two = people.classes(2), four = people.classes(4);
  const PublicationOf publish = rows_of_anybody(people.features);
  const Key key = Key::from_seed(9);
  const auto run = [&](const TaskLabel& label) {
    return *task_utility(people.features, label, publish, kQuick, key).figures;
  };

  double rmse = 0, rmse_of_mean = 0, area = 0, accuracy = 0, accuracy_of_mode = 0;
  for (int r = 0; r < kQuick.repetitions; ++r) {
    const Split split = split_by_share(100, 0.7, key.derive("split " + std::to_string(r)));
    const std::vector<std::uint32_t> donors = publish(r).row_of_person;
    std::vector<std::vector<double>> learned, tested;
    std::vector<double> numbers;
    std::vector<std::uint32_t> of_two, of_four;
    std::map<std::uint32_t, double> people_of_class;
    double mean = 0, most = 0, ties = 0;
    for (const std::uint32_t k : split.known) {
      if (std::binary_search(split.tested.begin(), split.tested.end(), donors[k])) continue;
      learned.push_back(people.dense[donors[k]]);
      numbers.push_back(people.numbers[k]);
      of_two.push_back(two.class_of_person[k] / 100);
      of_four.push_back(four.class_of_person[k] / 100);
      people_of_class[four.class_of_person[k]] += 1;
    }
    for (const std::uint32_t t : split.tested) tested.push_back(people.dense[t]);
    const auto rows = sparse(learned), test_rows = sparse(tested);
    const learn::Predictions number =
        learn::Boosting::of_numbers(rows, numbers, kQuick.boosting).predict(test_rows);
    const learn::Predictions odds2 =
        learn::Boosting::of_classes(rows, of_two, 2, kQuick.boosting).predict(test_rows);
    const learn::Predictions odds4 =
        learn::Boosting::of_classes(rows, of_four, 4, kQuick.boosting).predict(test_rows);
    for (const double x : numbers) mean += x / static_cast<double>(numbers.size());
    for (const auto& [c, count] : people_of_class) most = std::max(most, count);
    for (const auto& [c, count] : people_of_class) ties += count == most ? 1 : 0;

    double squares = 0, squares_of_mean = 0, right = 0, right_mode = 0, won = 0, pairs = 0;
    for (Eigen::Index n = 0; n < 30; ++n) {
      const std::uint32_t t = split.tested[static_cast<std::size_t>(n)];
      squares += std::pow(number(n, 0) - people.numbers[t], 2);
      squares_of_mean += std::pow(mean - people.numbers[t], 2);
      Eigen::Index guess = 0;
      odds4.row(n).maxCoeff(&guess);
      right += guess == four.class_of_person[t] / 100 ? 1 : 0;
      right_mode += people_of_class[four.class_of_person[t]] == most ? 1 / ties : 0;
      for (Eigen::Index m = 0; m < 30; ++m) {
        if (two.class_of_person[t] <= two.class_of_person[split.tested[static_cast<std::size_t>(m)]])
          continue;
        pairs += 1;
        won += odds2(n, 1) > odds2(m, 1) ? 1 : odds2(n, 1) == odds2(m, 1) ? 0.5 : 0;
      }
    }
    rmse += std::sqrt(squares / 30) / kQuick.repetitions;
    rmse_of_mean += std::sqrt(squares_of_mean / 30) / kQuick.repetitions;
    accuracy += right / 30 / kQuick.repetitions;
    accuracy_of_mode += right_mode / 30 / kQuick.repetitions;
    area += won / pairs / kQuick.repetitions;
  }
  EXPECT_NEAR(run(people.number()).published.mean, rmse, 1e-12);
  EXPECT_NEAR(run(people.number()).baseline.mean, rmse_of_mean, 1e-12);
  EXPECT_NEAR(run(two).published.mean, area, 1e-12);
  EXPECT_EQ(run(two).baseline.mean, 0.5);
  EXPECT_NEAR(run(four).published.mean, accuracy, 1e-12);
  EXPECT_NEAR(run(four).baseline.mean, accuracy_of_mode, 1e-12);
}

// Labels that nothing reveals, rows that are all different, donors of the same label: a model that learns the
// rows of tested people by heart gets an AUC of .84. The AUC of a split of 90 tested people deviates from .5
// by .061, the mean of five that share people by about .035: .62 is exceeded by chance with odds of about 1
// in 3,000.
TEST(Task, DoesNotLearnTheRowsOfTestedPeople) {
  std::mt19937 random(11);
  std::vector<std::vector<double>> dense(300, std::vector<double>(3));
  TaskLabel label{.name = "luck"};
  std::vector<std::vector<std::uint32_t>> people_of_class(2);
  for (std::uint32_t u = 0; u < 300; ++u) {
    for (double& x : dense[u]) x = 1 + static_cast<double>(random() % 1'000'000);
    label.class_of_person.push_back(static_cast<std::uint32_t>(random() % 2));
    people_of_class[label.class_of_person.back()].push_back(u);
  }
  const data::SparseRows features = sparse(dense), copy = features;
  for (const data::SparseRows* rows : {&features, &copy}) {  // donors known; rows of a release
    const auto publish = [&](int r) {
      std::mt19937 draw(static_cast<unsigned>(r));
      Publication published{.rows = *rows, .row_of_person = {}};
      for (const std::uint32_t c : label.class_of_person)
        published.row_of_person.push_back(people_of_class[c][draw() % people_of_class[c].size()]);
      return published;
    };
    const UtilityResult found = task_utility(
        features, label, publish, {.repetitions = 5, .boosting = {.rounds = 60}}, Key::from_seed(1));
    EXPECT_LT(found.figures->published.mean, 0.62);
    EXPECT_NEAR(static_cast<double>(found.known_people), 147, 10);  // 210 less the share of tested people
  }
}

TEST(Task, SaysWhatCannotBeMeasured) {
  const data::SparseRows features = sparse(small_numbers(5, 30, 5));
  const auto note = [&](const TaskLabel& label) {
    const UtilityResult found =
        task_utility(features, label, as_they_are(features), kQuick, Key::from_seed(1));
    EXPECT_FALSE(found.measurable());
    return found.note;
  };
  EXPECT_EQ(note({.name = "x", .class_of_person = std::vector<std::uint32_t>(30, 4)}),
            "not measurable: all people have the same label");
  EXPECT_EQ(note({.name = "x", .number_of_person = std::vector<double>(30, 4)}),
            "not measurable: all people have the same label");
  std::vector<std::uint32_t> one_of_thirty(30, 0);
  one_of_thirty[11] = 1;  // is known or tested, never both
  EXPECT_THAT(note({.name = "x", .class_of_person = one_of_thirty}), HasSubstr("too few people"));

  // Everybody publishes the row of one person, who is tested in one of five splits (odds of never: 1 in 6).
  const Labelled people = labelled_people(8, 30);
  const UtilityResult found = task_utility(
      people.features, people.number(),
      [&](int) {
        return Publication{.rows = people.features, .row_of_person = std::vector<std::uint32_t>(30, 3)};
      },
      kQuick, Key::from_seed(1));
  EXPECT_THAT(found.note, HasSubstr("rows are those of tested people"));
}

// A class of one person among three: that person is guessed wrong or learned from in vain, nothing breaks.
TEST(Task, BearsAClassThatIsMissingFromASplit) {
  const data::SparseRows features = sparse(small_numbers(6, 30, 5));
  TaskLabel label{.name = "x"};
  for (std::uint32_t u = 0; u < 30; ++u) label.class_of_person.push_back(u == 0 ? 2 : u % 2);
  const UtilityResult found = task_utility(features, label, as_they_are(features), kQuick, Key::from_seed(1));
  for (const double number : numbers_of(found)) EXPECT_TRUE(std::isfinite(number));
}

TEST(Task, RefusesWhatDoesNotFit) {
  const Labelled people = labelled_people(7, 30);
  const auto run = [&](const TaskLabel& label, const TaskSettings& settings) {
    (void)task_utility(people.features, label, as_they_are(people.features), settings, Key::from_seed(1));
  };
  TaskLabel both = people.number();
  both.class_of_person = people.classes(2).class_of_person;
  EXPECT_THROW(run(both, kQuick), InputError);
  EXPECT_THROW(run({.name = "x"}, kQuick), InputError);
  EXPECT_THROW(run({.name = "x", .number_of_person = {1, 2, 3}}, kQuick), InputError);
  EXPECT_THROW(run(people.number(), {.known_share = 1}), InputError);
  EXPECT_THROW(run(people.number(), {.repetitions = 1}), InputError);
  EXPECT_THROW(run(people.number(), {.boosting = {.rounds = 0}}), InputError);
  TaskLabel broken = people.number();
  broken.number_of_person[12] = NAN;
  try {
    run(broken, kQuick);
    ADD_FAILURE() << "a label that is not a number was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().row, 13U);
    EXPECT_EQ(error.place().column, "income");
  }
}

}  // namespace
}  // namespace hyobscure::audit
