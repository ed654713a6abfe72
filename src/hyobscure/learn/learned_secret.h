#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::learn {

using ProbabilityRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct LearnSettings {
  int folds = 5;      ///< 2 to 255; a person is predicted by a model of the other folds
  int rounds = 60;    ///< most rounds of boosting, at least 1; fewer are used where more would not predict
  int depth = 4;      ///< of the trees, 1 to 16
  double rate = 0.2;  ///< step of boosting, above 0 up to 1
  double columns = 0.25;           ///< share of the columns that a tree may ask, above 0 up to 1
  double columns_of_split = 0.25;  ///< share of these that a single split may ask, above 0 up to 1
  int most_classes = 8;            ///< at least 2; more values of a group are joined into so many neighbours
  int most_people = 8000;          ///< at least 2; that a model is trained on, chosen by a keyed hash
};

/// The model of one group: what it can say of a person is a mixture of a few distributions.
struct GroupModel {
  std::vector<std::uint32_t> values;  ///< that people of the group have, ascending
  /// Distributions over these values, a block of as many rows as LearnedSecret::weights has columns for each
  /// fold; one block where there was nothing to learn from.
  ProbabilityRows profiles;
};

/// p(y | features of u, group) = sum_k weights(u, k) profiles(block of u, k; y): exact, since a model knows
/// classes, and the values of a class by their frequency alone.
struct LearnedSecret {
  ProbabilityRows weights;                    ///< people x most classes, rows sum to 1
  std::vector<std::uint8_t> block_of_person;  ///< among the profiles of the person's group
  std::vector<std::uint32_t> group_of_person;
  std::vector<GroupModel> groups;
  double cross_entropy_bits = kUnset;  ///< mean of -log2 posterior(person, their value)
  double prior_entropy_bits = kUnset;  ///< H(Y | group), plug-in: what the group alone leaves open
  /// Mean over people of log2 posterior(their value) - log2 frequency(their value), the frequency that of the
  /// same training people: what the features add for a model that never saw the person. With its standard
  /// error over people.
  double gain_bits = kUnset;
  double gain_error_bits = kUnset;
  /// Of each person; 0 for those who were predicted by their group alone.
  Eigen::VectorXd gains;
  std::size_t people_by_group_only = 0;  ///< whose group was too small to learn from, or of one value
  int models = 0;                        ///< one for every fold of every group that was learned
  int rounds = 0;                        ///< that the models used, in all
  double mean_rounds = kUnset;           ///< 0: nothing found that predicts

  /// Whether the models predict strangers better than frequencies do, by more than one standard error.
  bool predicts() const { return gain_bits > gain_error_bits; }

  /// Over the values of the person's group (GroupModel::values).
  [[nodiscard]] Eigen::RowVectorXd posterior(std::size_t person) const;
  /// Of one value; 0 for a value that nobody of the group has.
  [[nodiscard]] double posterior(std::size_t person, std::uint32_t value) const;
};

inline constexpr double kLeastProbability = 1e-6;  ///< of a class
inline constexpr std::size_t kFewestToLearn = 50;  ///< people of a group

/// What a model trained on OTHER people tells about each person's secret: cross-fitted p(y | x_u).
///
/// The attacker knows the group, so every group has its own models, of its own values. The people of a group
/// are cut into folds by a keyed hash; those of a fold are predicted by boosted trees of the other folds,
/// which also decide the number of rounds, the classes and the frequencies inside a class: a person's own
/// value enters nothing that the person's posterior is made of, except that it is a value of the group. A
/// group of fewer than kFewestToLearn people or of one value gets the group's distribution.
///
/// cross_entropy_bits above prior_entropy_bits says that the features predict nothing that these models find.
/// Depends on the data, settings and key only, not on the number of threads (a model has one; folds and
/// groups run side by side). Cost: about folds * rounds * classes * entries of the training people, and one
/// prediction of everybody. learned_secret.md says why.
///
/// Groups know nothing of each other: where these are only some of the people, whole groups of them,
/// `number_of_person` are their ascending numbers among all, by which the keyed hash knows them, and
/// join_learned makes one answer of several.
///
/// Throws InputError for settings out of range and entries that are not finite, and Stopped.
[[nodiscard]] LearnedSecret learn_secret(const data::SparseRows& features,
                                         std::span<const std::uint32_t> value_of_person, std::uint32_t values,
                                         std::span<const std::uint32_t> group_of_person,
                                         const LearnSettings& settings, const Key& key,
                                         const Progress& progress = {},
                                         std::span<const std::uint32_t> number_of_person = {});

/// What learn_secret says of all people, bit for bit, from what it says of the people of each group alone,
/// who are in it as group 0.
[[nodiscard]] LearnedSecret join_learned(const std::vector<LearnedSecret>& of_groups,
                                         std::span<const std::uint32_t> value_of_person,
                                         std::span<const std::uint32_t> group_of_person);

}  // namespace hyobscure::learn
