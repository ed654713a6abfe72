#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::learn {

struct LearnSettings {
  int folds = 5;      ///< at least 2; a person is predicted by a model of the other folds
  int rounds = 60;    ///< most rounds of boosting, at least 1; fewer are used where more would not predict
  int depth = 5;      ///< of the trees, 1 to 16
  double rate = 0.1;  ///< step of boosting, above 0 up to 1
  int most_classes = 32;  ///< at least 2; more values of a group are joined into so many neighbours
};

struct LearnedSecret {
  /// p(value | features of the person, group): people x values, rows sum to 1. Values that nobody of the
  /// person's group has get 0, all others at least about kLeastProbability.
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> posterior;
  double cross_entropy_bits = kUnset;  ///< mean of -log2 posterior(person, their value)
  double prior_entropy_bits = kUnset;  ///< H(Y | group), plug-in: what the group alone leaves open
  /// Mean over people of log2 posterior(their value) - log2 frequency(their value), the frequency that of the
  /// same training people: what the features add for a model that never saw the person. With its standard
  /// error over people.
  double gain_bits = kUnset;
  double gain_error_bits = kUnset;
  std::size_t people_by_group_only = 0;  ///< whose group was too small to learn from, or of one value
  int models = 0;                        ///< one for every fold of every group that was learned
  double mean_rounds = kUnset;           ///< that the models used; 0: nothing found that predicts

  /// Whether the models predict strangers better than frequencies do, by more than one standard error.
  bool predicts() const { return gain_bits > gain_error_bits; }
};

inline constexpr double kLeastProbability = 1e-6;
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
/// groups run side by side). Cost: about 2 * folds * rounds * classes * entries. learned_secret.md says why.
///
/// Throws InputError for settings out of range and entries that are not finite, and Stopped.
[[nodiscard]] LearnedSecret learn_secret(const data::SparseRows& features,
                                         std::span<const std::uint32_t> value_of_person, std::uint32_t values,
                                         std::span<const std::uint32_t> group_of_person,
                                         const LearnSettings& settings, const Key& key,
                                         const Progress& progress = {});

}  // namespace hyobscure::learn
