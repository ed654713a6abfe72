#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::learn {

struct ForestSettings {
  int trees = 100;  ///< at least 1
  /// Columns drawn again at every node, of which the best split is taken; 0: all of them.
  std::size_t columns_tried = 0;
  /// Columns from this one on are tried at every node beside the drawn ones.
  std::size_t always_tried_from = std::numeric_limits<std::size_t>::max();
  bool bootstrap = true;  ///< a tree sees as many rows, drawn with replacement; otherwise all rows
};

/// Rows x outputs: the predicted number, or a probability for every class.
using Predictions = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A random forest (Breiman 2001) of CART trees that grow until their leaves are pure, on sparse rows: an
/// entry that is absent is a zero like any other.
///
/// A split maximises the fall of the squared error (numbers) or of the Gini impurity (classes); its threshold
/// lies half-way between neighbouring values; equally good columns are drawn by lot. Conventions are those of
/// scikit-learn's RandomForestRegressor and RandomForestClassifier, which bench/peers/forest_sklearn.py
/// compares.
///
/// Cost of a tree: its depth times the entries, without sorting; memory: 40 bytes an entry and thread.
/// Depends on data, settings and key only, not on the number of threads.
class Forest {
 public:
  /// Predicts a number. Throws InputError for no rows, settings out of range or entries that are not finite,
  /// and Stopped.
  static Forest of_numbers(const data::SparseRows& rows, std::span<const double> number_of_row,
                           const ForestSettings& settings, const Key& key, const Progress& progress = {});
  /// Predicts probabilities of classes 0 .. classes-1.
  static Forest of_classes(const data::SparseRows& rows, std::span<const std::uint32_t> class_of_row,
                           std::uint32_t classes, const ForestSettings& settings, const Key& key,
                           const Progress& progress = {});

  /// Rows must have the columns of the training rows.
  [[nodiscard]] Predictions predict(const data::SparseRows& rows) const;

  struct Node {
    static constexpr std::uint32_t kLeaf = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t column = kLeaf;
    double threshold = 0;     ///< a row with at most this goes left
    std::uint32_t left = 0;   ///< leaf: first entry of its outputs
    std::uint32_t right = 0;  ///< leaf: one past the last
  };
  struct LeafOutput {
    std::uint32_t output;
    double value;
  };
  struct Tree {
    std::vector<Node> nodes;  ///< the root is the first
    std::vector<LeafOutput> leaf_outputs;
  };
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  Forest(std::vector<Tree> trees, std::size_t columns, std::size_t outputs)
      : trees_(std::move(trees)), columns_(columns), outputs_(outputs) {}

  std::vector<Tree> trees_;
  std::size_t columns_ = 0;
  std::size_t outputs_ = 0;
};

}  // namespace hyobscure::learn
