#include "hyobscure/obscure/leakage/exact_values.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hyobscure/base/test_folder.h"
#include "hyobscure/base/test_sanitized.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/signals.h"

namespace hyobscure::obscure {
namespace {

constexpr int kPeople = 120;

/// People of sixty incomes, joined to eight; a kept column that follows the income.
class JoinedValues : public testing::Test {
 protected:
  JoinedValues() {
    std::string rows = "id,income,sex,a,b\n";
    for (int p = 0; p < kPeople; ++p)
      rows += fmt::format("p{:03},{},{},{},{}\n", p, 1000 + 17 * (p % 60),
                          p % 60 < 20 || p % 7 == 0 ? "m" : "f", p % 60 + 3 * (p % 5), p * p % 23);
    folder_.write("people.csv", rows);
  }

  data::Spec spec(const std::vector<data::Override>& overrides = {}) const {
    return data::parse_spec(R"([people]
file = "people.csv"
id = "id"
secret = "income"
features = ["a", "b"]
allow_identifying = ["a", "b"]
[secret]
atoms = 8
[groups]
count = 2
people = [20, 100]
values = [2, 60]
[channel]
clusters = 5
distance = "squared-euclidean"
budget_share = 0.4
[method]
seed = 1
)",
                            "spec.toml", folder_.path(), overrides);
  }

  static data::People read(const data::Spec& spec) {
    data::Engine engine({.folder = spec.folder}, {});
    return data::read_people(engine, spec).people;
  }

  TestFolder folder_;
};

/// From the definition: P(y, v, s) = 1/N sum of O(v | u) over the people of stratum s with the exact value y.
struct BruteForce {
  double entropy = 0, leakage = 0, leakage_groups = 0;
};
BruteForce brute_force(const data::People& people, const Mechanism& mechanism) {
  const auto clusters = census::assign(mechanism.clusters, people.features);
  const Signals signals(mechanism, people, clusters);
  const double n = static_cast<double>(people.size());
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double> joint;  // s, v, y
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> shown, beside;          // (s, v), (s, y)
  std::map<std::uint32_t, double> value, stratum;
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    const std::uint32_t s = signals.strata().pool_of_person[u], y = people.exact[u];
    value[y] += 1 / n;
    stratum[s] += 1 / n;
    beside[{s, y}] += 1 / n;
    for (const Signal& signal : signals.of(u)) {
      joint[{s, signal.id, y}] += signal.probability / n;
      shown[{s, signal.id}] += signal.probability / n;
    }
  }
  BruteForce result;
  for (const auto& [y, p] : value) result.entropy -= p * std::log2(p);
  for (const auto& [key, p] : beside)
    result.leakage_groups += p * std::log2(p / (stratum[key.first] * value[key.second]));
  for (const auto& [key, p] : joint) {
    const auto& [s, v, y] = key;
    if (p > 0) result.leakage += p * std::log2(p / (shown[{s, v}] * value[y]));
  }
  return result;
}

TEST_F(JoinedValues, ReadingKeepsWhoHasWhichExactValue) {
  const data::People people = read(spec());
  ASSERT_EQ(people.values.size(), 8u);
  ASSERT_EQ(people.exact.size(), people.size());
  EXPECT_EQ(people.exact_values, 60u);
  for (std::size_t u = 0; u < people.size(); ++u)
    EXPECT_EQ(people.exact[u], u % 60) << "ids ascend with the number of the person";
  EXPECT_TRUE(read(spec({{"secret.atoms", "60"}})).exact.empty()) << "nothing was joined";
}

TEST_F(JoinedValues, LeakageIsAboutExactValuesForEveryKindOfDraw) {
  HYOBSCURE_ONLY_IN_RELEASE();
  for (const std::string method : {"exact", "fine", "random", "dp"})
    for (const std::string keep : {"", "sex"}) {
      std::vector<data::Override> overrides = {{"method.name", method}, {"groups.limits_for", "groups"}};
      if (!keep.empty()) overrides.push_back({"people.keep", keep});
      if (method == "dp") overrides.push_back({"method.parameter", "2"});  // the budget is out of its reach
      const data::Spec terms = spec(overrides);
      const data::People people = read(terms);
      const Mechanism mechanism = fit(people, terms);
      const BruteForce truth = brute_force(people, mechanism);
      const Figures& figures = mechanism.figures;
      const std::string what = method + " " + keep;
      EXPECT_NEAR(figures.leakage.secret_entropy, truth.entropy, 1e-9) << what;
      EXPECT_NEAR(figures.leakage.secret_entropy, std::log2(60), 1e-9) << what;
      EXPECT_NEAR(figures.leakage.total, truth.leakage, 1e-9) << what;
      EXPECT_NEAR(figures.leakage.groups, truth.leakage_groups, 1e-9) << what;
      EXPECT_GE(figures.leakage.fano_error_bound, 0) << what;
      EXPECT_LE(figures.leakage.total, figures.leakage.groups + figures.leakage.unprotected + 1e-9) << what;
    }
}

TEST_F(JoinedValues, WhereOnlyCountsAreKnownTheMechanismSaysThatNeighbourhoodsAreMeant) {
  const data::Spec terms = spec({{"method.name", "exact"}});
  const data::People people = read(terms);
  const census::Census census = census_of(people, terms);
  const Mechanism counted = fit_counted(Population(people), terms, census, data::fingerprint(people));
  EXPECT_THAT(counted.note, testing::HasSubstr("about 8 neighbourhoods of values, not about exact values"));
  EXPECT_LT(counted.figures.leakage.secret_entropy, 3.01);
  EXPECT_THAT(fit(people, terms, census).note, testing::Not(testing::HasSubstr("neighbourhoods")));
}

TEST_F(JoinedValues, SomeOfThePeopleKeepTheirExactValues) {
  const data::People people = read(spec());
  const std::vector<std::uint32_t> chosen = {3, 50, 119};
  EXPECT_THAT(select(people, chosen).exact, testing::ElementsAre(3, 50, 59));
}

}  // namespace
}  // namespace hyobscure::obscure
