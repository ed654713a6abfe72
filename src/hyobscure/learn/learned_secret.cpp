#include "hyobscure/learn/learned_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/census/rows_by_cell.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/data/secret/atoms.h"
#include "hyobscure/learn/training.h"
#include "hyobscure/learn/xgboost_model.h"

namespace hyobscure::learn {
namespace {

using data::SparseRows;
using Eigen::Index;
using Labels = std::vector<std::uint32_t>;

constexpr std::size_t kHeldOut = 5;  // one of so many training people chooses the number of rounds
constexpr int kPatience = 10;        // rounds without improvement that end the search for it

struct Problem {
  const SparseRows& features;
  std::span<const std::uint32_t> value_of_person;
  const LearnSettings& settings;
  std::span<const std::uint32_t> number_of_person;  // empty: the place

  std::uint32_t number(std::uint32_t person) const {
    return number_of_person.empty() ? person : number_of_person[person];
  }
};

// The people of one group, in the order of a keyed hash: fold f has those at f, f + folds, f + 2 folds, ...
// Not stratified by value: a person's fold must not tell the person's value.
struct Group {
  Labels people;
  Labels values;  // that its people have, ascending
};

Labels shuffled(const Problem& problem, std::span<const std::uint32_t> people, const NamedDraws& draws) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
  for (const std::uint32_t person : people)
    keyed.emplace_back(draws.bits(fmt::format("{}", problem.number(person))).first, person);
  std::sort(keyed.begin(), keyed.end());
  Labels order;
  for (const auto& [bits, person] : keyed) order.push_back(person);
  return order;
}

Group make_group(const Problem& problem, std::span<const std::uint32_t> people, const NamedDraws& draws) {
  Group group{.people = shuffled(problem, people, draws), .values = {}};
  for (const std::uint32_t person : people) group.values.push_back(problem.value_of_person[person]);
  std::sort(group.values.begin(), group.values.end());
  group.values.erase(std::unique(group.values.begin(), group.values.end()), group.values.end());
  return group;
}

bool can_learn(const Group& group) {
  return group.people.size() >= kFewestToLearn && group.values.size() > 1;
}

// The people a fold is predicted from and for.
struct FoldSplit {
  Labels fitted;    // training people who fit the trees
  Labels held_out;  // training people who decide when to stop
  Labels training;  // both
  Labels tested;
};

// The order of the people is random: the first ones of the other folds are a sample of them.
FoldSplit split_fold(const Group& group, std::size_t fold, const LearnSettings& settings) {
  const auto folds = static_cast<std::size_t>(settings.folds);
  FoldSplit split;
  for (std::size_t n = 0; n < group.people.size(); ++n) {
    const std::uint32_t person = group.people[n];
    if (n % folds == fold) {
      split.tested.push_back(person);
      continue;
    }
    if (split.training.size() == static_cast<std::size_t>(settings.most_people)) continue;
    split.training.push_back(person);
    ((n / folds) % kHeldOut == 0 ? split.held_out : split.fitted).push_back(person);
  }
  return split;
}

// The classes of a model: values of the group, or neighbours among them joined; by the training people alone.
struct Classes {
  std::vector<std::uint32_t> class_of_value;  // by place in Group::values
  std::vector<double> share_of_value;         // of its class
  std::vector<float> prior_logs;

  std::uint32_t count() const { return static_cast<std::uint32_t>(prior_logs.size()); }
};

std::size_t place_of(const Group& group, std::uint32_t value) {
  return static_cast<std::size_t>(std::lower_bound(group.values.begin(), group.values.end(), value) -
                                  group.values.begin());
}

Classes make_classes(const Problem& problem, const Group& group, const Labels& training) {
  std::vector<std::int64_t> people(group.values.size(), 0);
  for (const std::uint32_t person : training) people[place_of(group, problem.value_of_person[person])] += 1;
  const data::AtomCut cut = data::cut_into_atoms(people, problem.settings.most_classes);

  std::vector<double> in_class(cut.atoms, 0);
  for (std::size_t v = 0; v < people.size(); ++v)
    in_class[cut.atom_of_value[v]] += static_cast<double>(people[v]) + kHalf;
  Classes classes{.class_of_value = cut.atom_of_value, .share_of_value = {}, .prior_logs = {}};
  for (std::size_t v = 0; v < people.size(); ++v)
    classes.share_of_value.push_back((static_cast<double>(people[v]) + kHalf) /
                                     in_class[cut.atom_of_value[v]]);
  const double total = std::accumulate(in_class.begin(), in_class.end(), 0.0);
  for (const double weight : in_class)
    classes.prior_logs.push_back(static_cast<float>(std::log(weight / total)));
  return classes;
}

Labels labels_of(const Problem& problem, const Group& group, const Classes& classes, const Labels& people) {
  Labels labels;
  for (const std::uint32_t person : people)
    labels.push_back(classes.class_of_value[place_of(group, problem.value_of_person[person])]);
  return labels;
}

double log_loss(const PosteriorMatrix& probabilities, const Labels& labels) {
  double sum = 0;
  for (std::size_t n = 0; n < labels.size(); ++n)
    sum -= std::log(
        std::max(kLeastProbability, static_cast<double>(probabilities(static_cast<Index>(n), labels[n]))));
  return sum;
}

// People predicted at once: their rows are copied for the model.
constexpr std::size_t kPredictedTogether = 16'384;

// A model and the number of its rounds after which the held-out people are predicted best; 0 if not better
// than by the prior.
class FoldModel {
 public:
  FoldModel(const Problem& problem, const Group& group, const Classes& classes, const FoldSplit& split)
      : classes_(classes),
        features_(problem.features),
        fitted_(problem.features, split.fitted, classes.prior_logs),
        held_out_(problem.features, split.held_out, classes.prior_logs),
        truth_(labels_of(problem, group, classes, split.held_out)),
        model_(with_labels(problem, group, split.fitted), fitted_, &held_out_) {}

  int choose_rounds(int most, const Progress& progress) {
    double best = 0;
    for (const std::uint32_t label : truth_) best -= static_cast<double>(classes_.prior_logs[label]);
    for (int round = 1; round <= most && round <= rounds_ + kPatience; ++round) {
      progress.throw_if_stopped();
      model_.add_round();
      const double loss = log_loss(model_.predict(held_out_), truth_);
      if (loss >= best) continue;
      best = loss;
      rounds_ = round;
    }
    return rounds_;
  }

  PosteriorMatrix predict(std::span<const std::uint32_t> people) const {
    return model_.predict(BoostData(features_, people, classes_.prior_logs), rounds_);
  }

 private:
  BoostModel::Settings with_labels(const Problem& problem, const Group& group, const Labels& fitted) {
    fitted_.set_labels(labels_of(problem, group, classes_, fitted));
    return {.classes = classes_.count(),
            .depth = problem.settings.depth,
            .rate = problem.settings.rate,
            .columns = problem.settings.columns,
            .columns_of_split = problem.settings.columns_of_split};
  }

  const Classes& classes_;
  const SparseRows& features_;
  BoostData fitted_;
  BoostData held_out_;
  Labels truth_;
  BoostModel model_;
  int rounds_ = 0;
};

// None below the least probability, sum 1.
void write_weights(Eigen::RowVectorXf probabilities, Eigen::Ref<Eigen::RowVectorXf> weights) {
  weights.setZero();
  probabilities = probabilities.cwiseMax(static_cast<float>(kLeastProbability));
  weights.head(probabilities.size()) = probabilities / probabilities.sum();
}

// A class is one distribution: the frequencies of its values among the training people. Rows without a class
// are never weighed.
void write_profiles(const Group& group, const Classes& classes, Eigen::Ref<ProbabilityRows> profiles) {
  profiles.setZero();
  for (std::size_t v = 0; v < group.values.size(); ++v)
    profiles(classes.class_of_value[v], static_cast<Index>(v)) =
        static_cast<float>(classes.share_of_value[v]);
  for (Index k = classes.count(); k < profiles.rows(); ++k) profiles.row(k) = profiles.row(0);
}

// Returns the rounds used.
int learn_fold(const Problem& problem, const Group& group, GroupModel& model, std::size_t fold,
               LearnedSecret& result, const Progress& progress) {
  const FoldSplit split = split_fold(group, fold, problem.settings);
  const Classes classes = make_classes(problem, group, split.training);
  const Index width = result.weights.cols();
  write_profiles(group, classes, model.profiles.middleRows(static_cast<Index>(fold) * width, width));
  const Eigen::RowVectorXf prior =
      Eigen::Map<const Eigen::RowVectorXf>(classes.prior_logs.data(), classes.count()).array().exp();
  for (const std::uint32_t person : split.tested) {
    result.block_of_person[person] = static_cast<std::uint8_t>(fold);
    write_weights(prior, result.weights.row(person));
  }
  if (classes.count() == 1) return 0;
  FoldModel trained(problem, group, classes, split);
  const int rounds = trained.choose_rounds(problem.settings.rounds, progress);
  if (rounds == 0) return 0;
  for (std::size_t begin = 0; begin < split.tested.size(); begin += kPredictedTogether) {
    progress.throw_if_stopped();
    const std::span<const std::uint32_t> people =
        std::span(split.tested).subspan(begin, std::min(kPredictedTogether, split.tested.size() - begin));
    const PosteriorMatrix found = trained.predict(people);
    for (std::size_t n = 0; n < people.size(); ++n) {
      const double before = result.posterior(people[n], problem.value_of_person[people[n]]);
      write_weights(found.row(static_cast<Index>(n)), result.weights.row(people[n]));
      result.gains(people[n]) =
          std::log2(result.posterior(people[n], problem.value_of_person[people[n]])) - std::log2(before);
    }
  }
  return rounds;
}

Eigen::VectorXd counts_of(std::span<const std::uint32_t> people,
                          std::span<const std::uint32_t> value_of_person,
                          const std::vector<std::uint32_t>& values) {
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(static_cast<Index>(values.size()));
  for (const std::uint32_t person : people)
    counts(std::ranges::lower_bound(values, value_of_person[person]) - values.begin()) += 1;
  return counts;
}

void use_group_only(const Problem& problem, const Group& group, GroupModel& model, LearnedSecret& result) {
  const Eigen::VectorXd counts = counts_of(group.people, problem.value_of_person, group.values);
  model.profiles = (counts / counts.sum()).cast<float>().transpose().replicate(result.weights.cols(), 1);
  for (const std::uint32_t person : group.people) {
    result.weights.row(person).setZero();
    result.weights(person, 0) = 1;
  }
}

using ByGroup = census::RowsByCell;

std::size_t group_count(std::span<const std::uint32_t> group_of_person) {
  return group_of_person.empty() ? 0 : std::size_t{*std::ranges::max_element(group_of_person)} + 1;
}

ByGroup by_group(std::span<const std::uint32_t> group_of_person) {
  return {group_of_person, group_count(group_of_person)};
}

double prior_entropy_bits(const LearnedSecret& learned, std::span<const std::uint32_t> value_of_person,
                          const ByGroup& people) {
  double sum = 0;
  for (std::size_t g = 0; g < learned.groups.size(); ++g)
    sum += static_cast<double>(people.members(g).size()) *
           census::entropy(counts_of(people.members(g), value_of_person, learned.groups[g].values));
  return sum / static_cast<double>(value_of_person.size()) * kBitsPerNat;
}

double cross_entropy_bits(const LearnedSecret& learned, std::span<const std::uint32_t> value_of_person) {
  double sum = 0;
  for (std::size_t u = 0; u < value_of_person.size(); ++u)
    sum -= std::log2(learned.posterior(u, value_of_person[u]));
  return sum / static_cast<double>(value_of_person.size());
}

// People who were predicted by their group alone gain nothing.
void summarise_gains(LearnedSecret& result) {
  const auto people = static_cast<double>(result.gains.size());
  if (people < 2) return;
  result.gain_bits = result.gains.mean();
  const double variance = (result.gains.array() - result.gain_bits).square().sum() / (people - 1);
  result.gain_error_bits = std::sqrt(variance / people);
}

// All that is said of everybody together.
void summarise(LearnedSecret& result, std::span<const std::uint32_t> value_of_person, const ByGroup& people) {
  summarise_gains(result);
  if (result.models > 0)
    result.mean_rounds = static_cast<double>(result.rounds) / static_cast<double>(result.models);
  result.prior_entropy_bits = prior_entropy_bits(result, value_of_person, people);
  result.cross_entropy_bits = cross_entropy_bits(result, value_of_person);
}

void learn_groups(const Problem& problem, const std::vector<Group>& groups,
                  const std::vector<std::size_t>& learnable, LearnedSecret& result,
                  const Progress& progress) {
  const auto folds = static_cast<std::size_t>(problem.settings.folds);
  for (const std::size_t g : learnable)
    result.groups[g].profiles.resize(static_cast<Index>(folds) * result.weights.cols(),
                                     static_cast<Index>(groups[g].values.size()));
  std::vector<int> rounds(learnable.size() * folds, 0);
  SharedProgress shared(progress, "learning the secret", rounds.size());
  parallel_blocks(rounds.size(), 1, [&](std::size_t task, std::size_t) {
    const std::size_t g = learnable[task / folds];
    rounds[task] = learn_fold(problem, groups[g], result.groups[g], task % folds, result, progress);
    shared.one_done();
  });
  result.models = static_cast<int>(rounds.size());
  result.rounds = std::accumulate(rounds.begin(), rounds.end(), 0);
}

void validate(const LearnSettings& settings) {
  const auto require = [](bool fits, const char* name, const char* range) {
    if (!fits) throw InputError({.source = name}, "the setting is out of range", range);
  };
  require(settings.folds >= 2 && settings.folds <= 255, "folds", "Take 2 to 255.");
  require(settings.rounds >= 1, "rounds", "Take at least 1.");
  require(settings.depth >= 1 && settings.depth <= 16, "depth", "Take 1 to 16.");
  require(settings.rate > 0 && settings.rate <= 1, "rate", "Take a number above 0, at most 1.");
  require(settings.columns > 0 && settings.columns <= 1, "columns", "Take a share above 0, at most 1.");
  require(settings.columns_of_split > 0 && settings.columns_of_split <= 1, "columns_of_split",
          "Take a share above 0, at most 1.");
  require(settings.most_classes >= 2, "most_classes", "Take at least 2.");
  require(settings.most_people >= 2, "most_people", "Take at least 2.");
}

std::vector<Group> make_groups(const Problem& problem, const ByGroup& people, std::size_t count,
                               const Key& key) {
  const NamedDraws draws(key.derive("folds"));
  std::vector<Group> groups;
  for (std::size_t g = 0; g < count; ++g) groups.push_back(make_group(problem, people.members(g), draws));
  return groups;
}

}  // namespace

Eigen::RowVectorXd LearnedSecret::posterior(std::size_t person) const {
  const GroupModel& model = groups[group_of_person[person]];
  return weights.row(static_cast<Index>(person)).cast<double>() *
         model.profiles.middleRows(block_of_person[person] * weights.cols(), weights.cols()).cast<double>();
}

double LearnedSecret::posterior(std::size_t person, std::uint32_t value) const {
  const GroupModel& model = groups[group_of_person[person]];
  const auto place = std::ranges::lower_bound(model.values, value);
  if (place == model.values.end() || *place != value) return 0;
  return weights.row(static_cast<Index>(person))
      .cast<double>()
      .dot(model.profiles.col(place - model.values.begin())
               .segment(block_of_person[person] * weights.cols(), weights.cols())
               .cast<double>());
}

LearnedSecret learn_secret(const SparseRows& features, std::span<const std::uint32_t> value_of_person,
                           std::uint32_t values, std::span<const std::uint32_t> group_of_person,
                           const LearnSettings& settings, const Key& key, const Progress& progress,
                           std::span<const std::uint32_t> number_of_person) {
  validate(settings);
  assert(value_of_person.size() == features.size() && group_of_person.size() == features.size());
  assert(number_of_person.empty() || number_of_person.size() == features.size());
  census::check_rows(census::Distance::Euclidean, features);
  const Problem problem{.features = features,
                        .value_of_person = value_of_person,
                        .settings = settings,
                        .number_of_person = number_of_person};
  const ByGroup people = by_group(group_of_person);
  const std::vector<Group> groups = make_groups(problem, people, group_count(group_of_person), key);

  LearnedSecret result;
  result.weights.setZero(static_cast<Index>(features.size()),
                         std::min(settings.most_classes, static_cast<int>(values)));
  result.block_of_person.assign(features.size(), 0);
  result.group_of_person.assign(group_of_person.begin(), group_of_person.end());
  result.gains.setZero(static_cast<Index>(features.size()));
  std::vector<std::size_t> learnable;
  for (const Group& group : groups) {
    result.groups.push_back({.values = group.values, .profiles = {}});
    if (can_learn(group)) {
      learnable.push_back(result.groups.size() - 1);
    } else {
      use_group_only(problem, group, result.groups.back(), result);
      result.people_by_group_only += group.people.size();
    }
  }
  learn_groups(problem, groups, learnable, result, progress);
  summarise(result, value_of_person, people);
  return result;
}

LearnedSecret join_learned(const std::vector<LearnedSecret>& of_groups,
                           std::span<const std::uint32_t> value_of_person,
                           std::span<const std::uint32_t> group_of_person) {
  const ByGroup people = by_group(group_of_person);
  LearnedSecret result;
  const auto size = static_cast<Index>(group_of_person.size());
  result.weights.setZero(size, of_groups.empty() ? 0 : of_groups.front().weights.cols());
  result.block_of_person.assign(group_of_person.size(), 0);
  result.group_of_person.assign(group_of_person.begin(), group_of_person.end());
  result.gains.setZero(size);
  for (std::size_t g = 0; g < of_groups.size(); ++g) {
    const LearnedSecret& part = of_groups[g];
    Index row = 0;
    for (const std::uint32_t person : people.members(g)) {
      result.weights.row(person) = part.weights.row(row);
      result.block_of_person[person] = part.block_of_person[static_cast<std::size_t>(row)];
      result.gains(person) = part.gains(row++);
    }
    result.groups.push_back(part.groups.front());
    result.people_by_group_only += part.people_by_group_only;
    result.models += part.models;
    result.rounds += part.rounds;
  }
  summarise(result, value_of_person, people);
  return result;
}

}  // namespace hyobscure::learn
