// Trains an attacker's model on rows of one file and predicts those of another:
//   attack_models forest|boosting number|class TRAINING TESTED SEED
// A line of a file is "label column:value column:value ...", columns from 0, ascending, entries not zero. The
// predicted number, or the most probable class, of every tested row goes to standard output, the seconds of
// training to standard error. forest_sklearn.py compares the predictions with scikit-learn's.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "hyobscure/base/stopwatch.h"
#include "hyobscure/learn/boosting.h"
#include "hyobscure/learn/forest.h"

namespace {

using namespace hyobscure;

struct Table {
  data::SparseRows rows;
  std::vector<double> labels;
};

Table read(const std::string& file) {
  Table table;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    double label = 0, value = 0;
    std::uint32_t column = 0;
    char colon = 0;
    words >> label;
    table.labels.push_back(label);
    while (words >> column >> colon >> value) {
      table.rows.items.push_back(column);
      table.rows.values.push_back(value);
      table.rows.columns = std::max(table.rows.columns, std::size_t{column} + 1);
    }
    table.rows.end_row();
  }
  return table;
}

learn::Predictions predict_numbers(bool forest, const Table& training, const Table& tested, const Key& key,
                                   const Stopwatch& watch) {
  const auto predict = [&](const auto& model) {
    std::cerr << fmt::format("{:.3f}\n", watch.seconds());
    return model.predict(tested.rows);
  };
  if (forest) return predict(learn::Forest::of_numbers(training.rows, training.labels, {}, key));
  return predict(learn::Boosting::of_numbers(training.rows, training.labels, {}));
}

learn::Predictions predict_classes(bool forest, const Table& training, const Table& tested, const Key& key,
                                   const Stopwatch& watch) {
  const std::vector<std::uint32_t> labels(training.labels.begin(), training.labels.end());
  const std::uint32_t classes = *std::max_element(labels.begin(), labels.end()) + 1;
  const auto predict = [&](const auto& model) {
    std::cerr << fmt::format("{:.3f}\n", watch.seconds());
    return model.predict(tested.rows);
  };
  const auto tried = static_cast<std::size_t>(std::sqrt(static_cast<double>(training.rows.columns)));
  if (forest)
    return predict(learn::Forest::of_classes(training.rows, labels, classes, {.columns_tried = tried}, key));
  return predict(learn::Boosting::of_classes(training.rows, labels, classes, {}));
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::cerr << "attack_models forest|boosting number|class TRAINING TESTED SEED\n";
    return 2;
  }
  const bool forest = std::string(words[1]) == "forest", number = std::string(words[2]) == "number";
  Table training = read(words[3]), tested = read(words[4]);
  training.rows.columns = tested.rows.columns = std::max(training.rows.columns, tested.rows.columns);
  const Key key = Key::from_seed(std::stoull(words[5]));
  const Stopwatch watch;
  const learn::Predictions predicted = number ? predict_numbers(forest, training, tested, key, watch)
                                              : predict_classes(forest, training, tested, key, watch);
  for (Eigen::Index r = 0; r < predicted.rows(); ++r) {
    Eigen::Index best = 0;
    predicted.row(r).maxCoeff(&best);
    std::cout << (number ? predicted(r, 0) : static_cast<double>(best)) << '\n';
  }
}
