#include "hyobscure/audit/mechanism/fit_for_use.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "hyobscure/audit/mechanism/redraw.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::audit {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kTastes = 4, kItemsOfATaste = 15, kAges = 8;

/// Raters of one taste each: they have half of its items and a tenth of the others, and like the former. Own
/// rows reveal the taste, donors of the group mostly another one, so there is much to lose. Tastes lean to
/// ages.
data::People raters(std::uint32_t count) {
  RandomStream random(Key::from_seed(1));
  data::People people;
  people.features.columns = kTastes * kItemsOfATaste;
  for (std::uint32_t age = 0; age < kAges; ++age)
    people.values.push_back({20.0 + age, 20.0 + age, 20.0 + age});
  for (std::uint32_t u = 0; u < count; ++u) {
    people.ids.push_back(fmt::format("{:04}", u));
    people.secrets.push_back(u % kAges);
    const auto taste =
        static_cast<std::uint32_t>(random.uniform() < 0.5 ? u % kAges / 2 : random.below(kTastes));
    for (std::uint32_t item = 0; item < kTastes * kItemsOfATaste; ++item) {
      const bool liked = item / kItemsOfATaste == taste;
      if (random.uniform() > (liked ? 0.5 : 0.1)) continue;
      people.features.items.push_back(item);
      people.features.values.push_back(std::floor((liked ? 4 : 1) + 2 * random.uniform()));
    }
    people.features.end_row();
  }
  return people;
}

/// The method `random` has every distance from 0 on and is the fastest.
class FitForUseTest : public testing::Test {
 protected:
  static const data::People& people() {
    static const data::People made = raters(160);
    return made;
  }
  static FitForUse searched(const data::Spec& spec, const std::optional<audit::TaskLabel>& task,
                            const Progress& progress = {}) {
    return fit_for_use(people(), spec, obscure::census_of(people(), spec), task, progress);
  }
  static data::Spec spec(const std::string& budget, std::vector<data::Override> overrides = {}) {
    overrides.insert(overrides.begin(), {{"method.name", "random"}, {"channel.budget", budget}});
    return data::parse_spec(R"([people]
file = "unread"
id = "id"
secret = "age"
[events]
file = "unread"
person = "id"
item = "item"
[groups]
people = [20, 100]
values = [2, 4]
[channel]
clusters = 4
[audit]
releases = 4
task = "active"
)",
                            "spec.toml", ".", overrides);
  }

  /// Who rates more than the median: half of the people, and plain to see in their rows.
  static audit::TaskLabel active() {
    std::vector<std::size_t> sizes;
    for (std::size_t u = 0; u < people().size(); ++u) sizes.push_back(people().features[u].items.size());
    std::vector<std::size_t> sorted = sizes;
    std::ranges::sort(sorted);
    audit::TaskLabel label{.name = "active"};
    for (const std::size_t size : sizes) label.class_of_person.push_back(size > sorted[sizes.size() / 2]);
    return label;
  }

  /// What the audit says of any mechanism, from any source: the use of this name.
  static audit::UtilityFigures audited(const obscure::Mechanism& mechanism, const data::Spec& terms,
                                       const std::string& use) {
    const Redraw redraw(mechanism, people());
    for (const audit::UtilityResult& utility :
         utilities(people(), terms, active(), [&](int r) { return redraw.publication(r); }))
      if (utility.name == use) return utility.figures.value();
    ADD_FAILURE() << "the audit has no " << use;
    return {};
  }

  static std::string refusal(const data::Spec& terms, const std::optional<audit::TaskLabel>& task = {}) {
    try {
      (void)searched(terms, task);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(FitForUseTest, KeepsThePromiseWithALargestBudgetAsTheAuditOfOtherFitsConfirms) {
  const FitForUse found = searched(spec("at most 10 % of mAP", {{"method.seed", "3"}}), {});
  const auto& tried = found.search.tried;
  ASSERT_EQ(tried.size(), 9u);  // both ends and seven halvings
  const auto broken = std::ranges::find(tried, false, &TriedBudget::kept);
  ASSERT_NE(broken, tried.end());
  EXPECT_EQ(found.mechanism.figures.budget, found.search.chosen.budget);
  EXPECT_LT(broken->budget - found.search.chosen.budget, (tried.back().budget - tried[0].budget) / 127);
  for (const TriedBudget& one : {found.search.chosen, *broken}) {
    const data::Spec terms = spec(std::to_string(one.budget), {{"method.seed", "3"}});
    data::Spec exactly = terms;
    exactly.channel.budget = one.budget;
    const obscure::Mechanism mechanism = obscure::fit(people(), exactly);
    const audit::UtilityFigures figures = audited(mechanism, exactly, "recommendation");
    EXPECT_EQ(figures.loss.high <= 0.1 * figures.unobscured.mean, one.kept);
    EXPECT_DOUBLE_EQ(100 * figures.loss.mean / figures.unobscured.mean, one.loss.mean);
    EXPECT_DOUBLE_EQ(mechanism.figures.leakage.total, one.leakage);
  }
}

TEST_F(FitForUseTest, LargerBudgetsTellLessAndCostMoreUpToTheNoiseOfTheAudit) {
  const FitForUse found = searched(spec("at most 10 % of mAP", {{"method.seed", "3"}}), {});
  const auto& tried = found.search.tried;
  for (std::size_t i = 1; i < tried.size(); ++i) EXPECT_LE(tried[i].leakage, tried[i - 1].leakage + 1e-9);
  EXPECT_NEAR(tried.front().loss.high, 0, 1e-12);  // everybody publishes their own row
  EXPECT_GT(tried.back().loss.low, 10);            // any donor of the group
}

TEST_F(FitForUseTest, TheAuditOfAnUnseededMechanismFindsTheSameFiguresAgain) {
  const data::Spec terms = spec("at most 2 % of rating RMSE");
  const FitForUse found = searched(terms, {});
  const audit::UtilityFigures figures = audited(found.mechanism, terms, "rating prediction");
  ASSERT_TRUE(found.search.utility && found.search.utility->measurable());
  EXPECT_EQ(figures.loss.high, found.search.utility->figures->loss.high);
  EXPECT_LE(figures.loss.high, found.search.limit);
  EXPECT_NEAR(found.search.limit, 0.02 * figures.unobscured.mean, 1e-12);
  EXPECT_FALSE(found.mechanism.seeded);
}

TEST_F(FitForUseTest, IsTheSameForTheSameSeed) {
  const data::Spec terms = spec("at most 5 % of mAP", {{"method.seed", "5"}});
  const FitForUse one = searched(terms, {}), other = searched(terms, {});
  EXPECT_EQ(one.mechanism.figures.budget, other.mechanism.figures.budget);
  EXPECT_EQ(one.search.chosen.loss.high, other.search.chosen.loss.high);
  EXPECT_EQ(Redraw(one.mechanism, people()).donors(0), Redraw(other.mechanism, people()).donors(0));
}

TEST_F(FitForUseTest, TakesTheEndOfTheRangeWhereEvenThatKeepsThePromise) {
  const FitForUse found = searched(spec("at most 100 % of rating RMSE", {{"method.seed", "1"}}), {});
  EXPECT_EQ(found.search.tried.size(), 1u);
  EXPECT_TRUE(found.search.chosen.kept);
  EXPECT_LT(found.search.chosen.loss.high, 100);
}

TEST_F(FitForUseTest, RefusesWhatTheSmallestBudgetDoesNotKeepAndSaysWhatItLoses) {
  const std::string text =
      refusal(spec("at most 0 % of mAP", {{"method.name", "xobf"}, {"method.seed", "1"}}));
  EXPECT_THAT(text, HasSubstr("channel.budget"));
  EXPECT_THAT(text, HasSubstr("\"at most 0 % of mAP\" cannot be kept: the smallest loss of xobf"));
}

TEST_F(FitForUseTest, ADistanceIsAShareOfThatOfAnyDonorOfTheGroup) {
  const FitForUse found = searched(spec("at most 40 % of distance"), {});
  const auto group = [&](std::size_t u) { return found.mechanism.group_of_value(people().secrets[u]); };
  double sum = 0;
  for (std::size_t u = 0; u < people().size(); ++u) {
    double distances = 0, members = 0;
    for (std::size_t v = 0; v < people().size(); ++v)
      if (group(v) == group(u)) {
        distances += census::distance_between(census::Distance::JensenShannon, people().features[u],
                                              people().features[v], people().features.columns);
        members += 1;
      }
    sum += distances / members;
  }
  const double any_donor = sum / static_cast<double>(people().size());
  EXPECT_NEAR(found.search.limit, 0.4 * any_donor, 1e-5);
  EXPECT_LE(found.mechanism.figures.distance, found.search.limit * (1 + 1e-9));
  EXPECT_NEAR(found.search.chosen.loss.mean, 40, 0.01);
  EXPECT_FALSE(found.search.utility);
}

TEST_F(FitForUseTest, ATaskIsPromisedByItsOwnMeasure) {
  const FitForUse found =
      searched(spec("at most 5 % of task", {{"method.seed", "1"}, {"audit.releases", "3"}}), active());
  ASSERT_TRUE(found.search.utility && found.search.utility->measurable());
  EXPECT_EQ(found.search.utility->measure, "AUC");
  EXPECT_LE(found.search.utility->figures->loss.high, 0.05 * found.search.utility->figures->unobscured.mean);
}

TEST_F(FitForUseTest, RefusesATaskThatIsNotGivenOrCannotBeMeasured) {
  EXPECT_THAT(refusal(spec("at most 5 % of task")), HasSubstr("audit.task"));
  audit::TaskLabel same = active();
  std::ranges::fill(same.class_of_person, 0u);
  EXPECT_THAT(refusal(spec("at most 5 % of task"), same), HasSubstr("cannot be measured on this data"));
}

TEST_F(FitForUseTest, RefusesAParameterBesideAPromiseAndAFitWithoutAudits) {
  EXPECT_THAT(refusal(spec("at most 5 % of mAP", {{"method.parameter", "0.5"}})),
              HasSubstr("method.parameter"));
  EXPECT_THAT(refusal(spec("0.4")), HasSubstr("promises nothing"));
  EXPECT_THROW((void)obscure::fit(people(), spec("at most 5 % of mAP")), InputError);
}

TEST_F(FitForUseTest, StoppedItKeepsTheBestSoFarOrHasNone) {
  const data::Spec terms = spec("at most 10 % of mAP", {{"method.seed", "3"}});
  const auto stopped_in_audit = [&](int audits) {
    std::atomic<bool> stop = false;
    int begun = 0;
    const Progress progress(
        [&](const auto& step, auto...) {
          if (step == "predicting ratings" && ++begun == audits) stop = true;
        },
        &stop);
    return searched(terms, {}, progress);
  };
  EXPECT_THROW((void)stopped_in_audit(1), Stopped);
  const FitForUse found = stopped_in_audit(4);  // after both ends and one halving
  EXPECT_FALSE(found.mechanism.converged);
  EXPECT_TRUE(found.search.chosen.kept);
  EXPECT_EQ(found.search.tried.size(), 3u);
}

}  // namespace
}  // namespace hyobscure::audit
