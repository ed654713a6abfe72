// No release may leak more than its files say, whatever was left unset: random small tables with every kind
// of secret, kept columns, threats and budgets, from fit to verify, against figures written from the
// definition. HYOBSCURE_SAFETY_TABLES sets their number.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::release {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

int tables() {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kTables = 1;  // numerics, which sanitizers slow down and find nothing in
#else
  constexpr int kTables = 12;
#endif
  const char* set = std::getenv("HYOBSCURE_SAFETY_TABLES");
  return set != nullptr ? std::atoi(set) : kTables;
}

/// One random table, and the settings it is published with.
class RandomTable {
 public:
  RandomTable(unsigned seed, const TestFolder& folder) : random_(seed), folder_(folder) {
    people_ = 40 + below(361);
    depends_ = below(2) == 0;
    write();
  }

  data::Spec spec(std::vector<data::Override> overrides) const {
    overrides.insert(overrides.begin(), settings_.begin(), settings_.end());
    return data::parse_spec(toml_, "spec.toml", folder_.path(), overrides);
  }
  std::string text() const {
    std::string all = fmt::format("{} people, ", people_) + toml_;
    for (const auto& [name, value, flag] : settings_) all += name + " = " + value + "\n";
    return all;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  template <class Word>
  Word one_of(std::initializer_list<Word> words) {
    return *(words.begin() + below(static_cast<int>(words.size())));
  }

  void write() {
    const std::string kind =
        one_of<std::string>({"ordered", "ordered", "many", "categorical", "spatial", "several"});
    const std::string features = one_of<std::string>({"categories", "numbers", "events"});
    const int kept = one_of({0, 0, 0, 1, 1, 2, 3});
    values_ = kind == "many" ? 150 : kind == "ordered" ? 12 + below(24) : 6 + below(8);
    std::string people = "id,y,sex,lat,lon,a,b,c", events = "person,item,value\n";
    for (int k = 0; k < kept; ++k) people += fmt::format(",k{}", k);
    people += "\n";
    for (int u = 0; u < people_; ++u) {
      const int y = below(values_);
      people += fmt::format("p{},{},{},{:.4f},{:.4f}", u,
                            kind == "categorical" ? fmt::format("name{}", y) : std::to_string(20 + y),
                            one_of({"f", "m"}), 40 + 0.011 * (y % 4), -73 + 0.014 * (y / 4));
      for (int f = 0; f < 3; ++f) people += "," + feature(y, features == "numbers");
      for (int k = 0; k < kept; ++k) people += fmt::format(",v{}", below(2));
      people += "\n";
      for (int e = 0; e < 5; ++e)
        events += fmt::format("p{},i{},{}\n", u,
                              6 * e + (depends_ ? (y * 6 / values_ + below(2)) % 6 : below(6)), 1 + below(5));
    }
    folder_.write("people.csv", people);
    folder_.write("events.csv", events);
    describe(kind, features, kept);
    choose_settings();
  }

  std::string feature(int y, bool number) {
    const int near = depends_ ? y * 5 / values_ : 0;
    return number ? fmt::format("{:.2f}", near + 0.01 * below(300))
                  : fmt::format("w{}", (near + below(3)) % 5);
  }

  void describe(const std::string& kind, const std::string& features, int kept) {
    toml_ = "[people]\nfile = \"people.csv\"\nid = \"id\"\n";
    toml_ += kind == "several" ? "secret = [\"y\", \"sex\"]\n" : "secret = \"y\"\n";
    if (features != "events")
      toml_ += "features = [\"a\", \"b\", \"c\"]\nallow_identifying = [\"a\", \"b\", \"c\"]\n";
    if (kept > 0)
      toml_ += kept == 1   ? "keep = [\"k0\"]\n"
               : kept == 2 ? "keep = [\"k0\", \"k1\"]\n"
                           : "keep = [\"k0\", \"k1\", \"k2\"]\n";
    if (features == "events")
      toml_ += "[events]\nfile = \"events.csv\"\nperson = \"person\"\nitem = \"item\"\nvalue = \"value\"\n";
    toml_ += "[secret]\n";
    if (kind == "categorical") toml_ += "kind = \"categorical\"\n";
    if (kind == "several") toml_ += "kind = [\"ordered\", \"categorical\"]\n";
    if (kind == "spatial") toml_ += "kind = \"spatial\"\nlatitude = \"lat\"\nlongitude = \"lon\"\n";
    toml_ += fmt::format("[groups]\npeople = [{}, {}]\nvalues = [2, {}]\n", std::max(2, people_ / 8), people_,
                         2 * values_);
    if (kept > 0 && below(2) == 0) toml_ += "limits_for = \"groups\"\n";
    toml_ += "[channel]\nclusters = 5\n[release]\nledger = \"none\"\n";
  }

  void choose_settings() {
    settings_ = {{"method.name", one_of<std::string>({"fine", "fine", "fine", "fine", "fine", "exact", "xobf",
                                                      "privcheck", "frapp", "random"})},
                 {"method.threat", one_of<std::string>({"both", "both", "informed", "learned"})},
                 {"method.balanced", one_of<std::string>({"true", "true", "false"})},
                 {"method.self_donor", one_of<std::string>({"allowed", "allowed", "never"})},
                 {"method.seed", std::to_string(1 + below(1000))}};
  }

  std::mt19937 random_;
  const TestFolder& folder_;
  int people_ = 0, values_ = 0;
  bool depends_ = false;
  std::string toml_;
  std::vector<data::Override> settings_;
};

/// O(v | u) of a pool, in full.
MatrixXd dense(const obscure::Channel& channel, std::span<const std::uint32_t> clusters) {
  const auto people = static_cast<Index>(clusters.size());
  MatrixXd rows = MatrixXd::Zero(people, people);
  if (const auto* draw = std::get_if<obscure::PersonDraw>(&channel.draw)) {
    for (std::size_t u = 0; u < draw->size(); ++u)
      for (std::size_t e = draw->starts[u]; e < draw->starts[u + 1]; ++e)
        rows(static_cast<Index>(u), draw->donors[e]) += draw->probabilities[e];
  } else if (const obscure::CellDraw* cells = channel.cells()) {
    const auto place = [&](std::uint32_t cluster) {
      return std::ranges::find(cells->clusters, static_cast<int>(cluster)) - cells->clusters.begin();
    };
    for (Index u = 0; u < people; ++u)
      for (Index v = 0; v < people; ++v) {
        const auto to = place(clusters[static_cast<std::size_t>(v)]);
        rows(u, v) = cells->probabilities(place(clusters[static_cast<std::size_t>(u)]), to) /
                     static_cast<double>(cells->people[static_cast<std::size_t>(to)]);
      }
  } else {
    rows.setConstant(people > 1 ? 1.0 / static_cast<double>(people - 1) : 1);
    if (people > 1) rows.diagonal().setZero();
  }
  return (1 - channel.retain) * rows + channel.retain * MatrixXd::Identity(people, people);
}

/// Sum over the people of a pool of I(Y; V), in bits, from the definition.
double information(const MatrixXd& channel, const std::vector<std::uint32_t>& values) {
  MatrixXd joint = MatrixXd::Zero(channel.cols(), *std::ranges::max_element(values) + 1);
  for (Index u = 0; u < channel.rows(); ++u)
    joint.col(values[static_cast<std::size_t>(u)]) += channel.row(u).transpose();
  double sum = 0;
  for (Index v = 0; v < joint.rows(); ++v)
    for (Index y = 0; y < joint.cols(); ++y)
      if (joint(v, y) > 0)
        sum += joint(v, y) * std::log2(joint(v, y) * joint.sum() / (joint.row(v).sum() * joint.col(y).sum()));
  return sum;
}

struct TrueFigures {
  double leakage = 0, distance = 0, own_rows = 0, random = 0;
};

/// Of the features, per person; and of random donors at the same distance.
TrueFigures by_definition(const data::People& people, const obscure::Mechanism& mechanism) {
  const auto clusters = census::assign(mechanism.clusters, people.features);
  const obscure::Pools pools = obscure::pools_by_group(people, mechanism.partition());
  TrueFigures figures;
  std::vector<MatrixXd> distances;
  std::vector<std::vector<std::uint32_t>> values;
  double to_others = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& members = pools.members[p];
    const auto size = static_cast<Index>(members.size());
    std::vector<std::uint32_t> own_clusters;
    values.emplace_back();
    for (const std::uint32_t u : members) {
      own_clusters.push_back(clusters[u]);
      values.back().push_back(people.secrets[u]);
    }
    distances.push_back(MatrixXd::NullaryExpr(size, size, [&](Index u, Index v) {
      return census::distance_between(
          census::distance_named(mechanism.distance), people.features[members[static_cast<std::size_t>(u)]],
          people.features[members[static_cast<std::size_t>(v)]], people.features.columns);
    }));
    const MatrixXd channel = dense(mechanism.channels[p], own_clusters);
    figures.leakage += information(channel, values.back());
    figures.distance += channel.cwiseProduct(distances.back()).sum();
    figures.own_rows += channel.trace();
    if (size > 1) to_others += distances.back().sum() / static_cast<double>(size - 1);
  }
  const double moved = to_others > 0 ? std::min(1.0, figures.distance / to_others) : 1;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    obscure::Channel random{.people = 0, .retain = 1 - moved, .draw = obscure::OtherDraw{}};
    figures.random += information(dense(random, std::vector<std::uint32_t>(values[p].size())), values[p]);
  }
  const auto all = static_cast<double>(people.size());
  return {figures.leakage / all, figures.distance / all, figures.own_rows / all, figures.random / all};
}

struct FitCounts {
  int fits = 0, refused = 0, weak = 0, published = 0, reweighed = 0;
};

class Safety {
 public:
  Safety(unsigned seed, FitCounts& counts) : table_(seed, folder_), counts_(counts) {}

  void check() {
    SCOPED_TRACE(table_.text());
    const data::Spec spec = table_.spec({});
    data::Engine engine({.folder = folder_.path()}, {});
    const data::Reading reading = data::read_people(engine, spec);
    std::optional<obscure::Mechanism> smaller;
    double whole = kUnset;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0, 1.3}) {
      SCOPED_TRACE(fmt::format("share {} of the budgets", share));
      if (share > 1 && !std::isfinite(whole)) continue;
      const data::Spec at =
          table_.spec({share <= 1 ? data::Override{"channel.budget_share", fmt::format("{}", share)}
                                  : data::Override{"channel.budget", fmt::format("{}", share * whole)}});
      std::optional<obscure::Mechanism> fitted;
      try {
        fitted = obscure::fit(reading.people, at);
      } catch (const InputError&) {
        ++counts_.refused;  // limits that no groups meet, or a budget out of reach
        continue;
      }
      ++counts_.fits;
      whole = fitted->figures.budget;
      check_figures(reading.people, *fitted);
      if (smaller) check_more_budget(*smaller, *fitted);
      if (share == 0 || share == 0.75) check_release(engine, at, reading, *fitted);
      smaller = std::move(fitted);
    }
  }

 private:
  void check_figures(const data::People& people, const obscure::Mechanism& mechanism) {
    const obscure::Figures& figures = mechanism.figures;
    const TrueFigures truth = by_definition(people, mechanism);
    EXPECT_NEAR(figures.leakage.features, truth.leakage, 1e-7);
    EXPECT_NEAR(figures.distance, truth.distance, 1e-5 * (1 + truth.distance));
    EXPECT_NEAR(figures.own_rows, truth.own_rows, 1e-9);
    EXPECT_NEAR(figures.leakage.random, truth.random, 1e-3);
    EXPECT_LE(figures.distance, figures.budget * (1 + 1e-9) + 1e-12);
    if (!obscure::shortfalls(mechanism).empty()) {
      ++counts_.weak;
      return;
    }
    EXPECT_LE(truth.leakage, std::max(truth.random + 2e-3, 1.03 * truth.random));
    EXPECT_LE(truth.leakage, std::max(0.01, figures.leakage.unprotected / 2) + 1e-9);
    EXPECT_LE(truth.own_rows, mechanism.most_own_rows + 1e-9);
  }

  /// What was minimised does not rise beyond what is proven, nor does a spent budget leave what it could have
  /// hidden.
  void check_more_budget(const obscure::Mechanism& less, const obscure::Mechanism& more) {
    if (!std::isfinite(more.figures.gap) || more.method != "fine") return;
    if (less.figures.informed_weight != more.figures.informed_weight) {
      ++counts_.reweighed;
      return;
    }
    EXPECT_LE(more.history.back().objective, less.history.back().objective + more.figures.gap + 1e-7);
  }

  void check_release(data::Engine& engine, const data::Spec& spec, const data::Reading& reading,
                     const obscure::Mechanism& mechanism) {
    const bool weak = !obscure::shortfalls(mechanism).empty();
    PublishSettings settings{.output = folder_ / "release", .force = true};
    if (weak) {
      EXPECT_THROW((void)publish(engine, spec, reading, mechanism, settings), InputError);
      settings.accept_leakage = true;
    }
    const PublishResult result = publish(engine, spec, reading, mechanism, settings);
    ++counts_.published;
    EXPECT_EQ(result.manifest.accepted_leakage, weak);
    EXPECT_GE(result.manifest.leakage.leakage, mechanism.figures.leakage.total - 1e-9);
    const verify::Verification verification = verify::verify(settings.output, &spec);
    for (const verify::Check& check : verification.checks)
      EXPECT_TRUE(check.passed || check.warning) << check.name << ": " << check.detail;
  }

  TestFolder folder_;
  RandomTable table_;
  FitCounts& counts_;
};

TEST(Safety, NoReleaseOfARandomTableLeaksMoreThanItSays) {
  FitCounts counts;
  const char* given = std::getenv("HYOBSCURE_SAFETY_FIRST");
  const int first = given != nullptr ? std::atoi(given) : 1;
  for (int seed = first; seed < first + tables(); ++seed) {
    SCOPED_TRACE(fmt::format("table {}", seed));
    Safety(static_cast<unsigned>(seed), counts).check();
  }
  std::cout << fmt::format("{} fits ({} weak, {} refused, {} with other weights), {} releases\n", counts.fits,
                           counts.weak, counts.refused, counts.reweighed, counts.published);
  EXPECT_GE(counts.fits, 2 * tables());
  // Their objectives are not comparable: about one fit in a hundred, but several budgets of one table
  // together (5 of 333 fits of 60 tables, all of them among the first 72 fits).
  EXPECT_LE(counts.reweighed, counts.fits / (counts.fits < 200 ? 10 : 20));
}

}  // namespace
}  // namespace hyobscure::release
