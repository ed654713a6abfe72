#include "hyobscure/audit/utility/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_set>

#include "hyobscure/audit/utility/ranking.h"
#include "hyobscure/audit/utility/utility_repetitions.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using People = std::span<const std::uint32_t>;

template <class Label>
std::vector<Label> labels_of(const std::vector<Label>& label_of_person, People people) {
  std::vector<Label> labels;
  for (const std::uint32_t person : people) labels.push_back(label_of_person[person]);
  return labels;
}

// The share of right guesses where each guess is one of the most probable classes.
double odds_of_right_guess(std::span<const double> weight_of_class, std::uint32_t truth) {
  const double most = *std::max_element(weight_of_class.begin(), weight_of_class.end());
  if (weight_of_class[truth] < most) return 0;
  return 1.0 / static_cast<double>(std::count(weight_of_class.begin(), weight_of_class.end(), most));
}

// What is learned and how it is judged. Knows the labels, not the features.
class Task {
 public:
  virtual ~Task() = default;
  virtual const char* measure() const = 0;
  virtual bool lower_is_better() const { return false; }
  virtual bool measurable(const Split&) const { return true; }
  virtual TrialFigure baseline(const Split& split) const = 0;
  virtual TrialFigure learn_and_judge(const data::SparseRows& learned_from, const data::SparseRows& tested,
                                      const Split& split, const learn::BoostingSettings& settings,
                                      const Progress& progress) const = 0;
};

class NumberTask : public Task {
 public:
  explicit NumberTask(const std::vector<double>& numbers) : numbers_(numbers) {}

  const char* measure() const override { return "RMSE"; }
  bool lower_is_better() const override { return true; }

  TrialFigure baseline(const Split& split) const override {
    const std::vector<double> known = labels_of(numbers_, split.known);
    const double mean = std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
    return rmse(split, [&](std::size_t) { return mean; });
  }

  TrialFigure learn_and_judge(const data::SparseRows& learned_from, const data::SparseRows& tested,
                              const Split& split, const learn::BoostingSettings& settings,
                              const Progress& progress) const override {
    const learn::Predictions predicted =
        learn::Boosting::of_numbers(learned_from, labels_of(numbers_, split.known), settings, progress)
            .predict(tested);
    return rmse(split, [&](std::size_t n) { return predicted(static_cast<Eigen::Index>(n), 0); });
  }

 private:
  template <class PredictionOf>
  TrialFigure rmse(const Split& split, const PredictionOf& prediction_of) const {
    std::vector<double> squares;
    for (std::size_t n = 0; n < split.tested.size(); ++n) {
      const double error = prediction_of(n) - numbers_[split.tested[n]];
      squares.push_back(error * error);
    }
    return root_mean_square(split.tested, squares, std::vector<double>(squares.size(), 1));
  }

  const std::vector<double>& numbers_;
};

class ClassTask : public Task {
 public:
  ClassTask(std::vector<std::uint32_t> classes_of_people, std::uint32_t classes)
      : class_of_person_(std::move(classes_of_people)), classes_(classes) {}

  const char* measure() const override { return "accuracy"; }

  TrialFigure baseline(const Split& split) const override {
    std::vector<double> people_of_class(classes_, 0);
    for (const std::uint32_t person : split.known) people_of_class[class_of_person_[person]] += 1;
    std::vector<double> right;
    for (const std::uint32_t person : split.tested)
      right.push_back(odds_of_right_guess(people_of_class, class_of_person_[person]));
    return mean_figure(split.tested, right);
  }

  TrialFigure learn_and_judge(const data::SparseRows& learned_from, const data::SparseRows& tested,
                              const Split& split, const learn::BoostingSettings& settings,
                              const Progress& progress) const override {
    const learn::Predictions predicted =
        learn::Boosting::of_classes(learned_from, labels_of(class_of_person_, split.known), classes_,
                                    settings, progress)
            .predict(tested);
    return judge(predicted, split);
  }

 protected:
  virtual TrialFigure judge(const learn::Predictions& predicted, const Split& split) const {
    std::vector<double> right;
    for (std::size_t n = 0; n < split.tested.size(); ++n)
      right.push_back(odds_of_right_guess({predicted.row(static_cast<Eigen::Index>(n)).data(), classes_},
                                          class_of_person_[split.tested[n]]));
    return mean_figure(split.tested, right);
  }

  std::vector<std::uint32_t> class_of_person_;
  std::uint32_t classes_;
};

class TwoClassTask : public ClassTask {
 public:
  using ClassTask::ClassTask;

  const char* measure() const override { return "AUC"; }
  TrialFigure baseline(const Split& split) const override {
    return {.value = 0.5, .people = split.tested, .influences = std::vector<double>(split.tested.size(), 0)};
  }
  bool measurable(const Split& split) const override {
    const auto has_both = [&](People people) {
      const std::vector<std::uint32_t> classes = labels_of(class_of_person_, people);
      return std::adjacent_find(classes.begin(), classes.end(), std::not_equal_to<>()) != classes.end();
    };
    return has_both(split.known) && has_both(split.tested);
  }

 protected:
  TrialFigure judge(const learn::Predictions& predicted, const Split& split) const override {
    const Eigen::VectorXd odds = predicted.col(1);
    const std::vector<std::uint32_t> truth = labels_of(class_of_person_, split.tested);
    const std::vector<char> positive(truth.begin(), truth.end());  // classes 0 and 1
    const std::span<const double> scores{odds.data(), truth.size()};
    TrialFigure figure{.value = area_under_curve(scores, positive), .people = split.tested};
    const auto positives = static_cast<double>(std::ranges::count(positive, char{1}));
    const auto negatives = static_cast<double>(truth.size()) - positives;
    const std::vector<double> won = shares_of_won_pairs(scores, positive);
    for (std::size_t n = 0; n < won.size(); ++n)
      figure.influences.push_back((won[n] - figure.value) / (positive[n] != 0 ? positives : negatives));
    return figure;
  }
};

// Classes numbered again: 0, 1, ... in ascending order. Nothing for a label that is the same for all.
std::unique_ptr<Task> task_of(const TaskLabel& label) {
  const auto constant = [](const auto& labels) {
    return std::adjacent_find(labels.begin(), labels.end(), std::not_equal_to<>()) == labels.end();
  };
  if (label.class_of_person.empty())
    return constant(label.number_of_person) ? nullptr : std::make_unique<NumberTask>(label.number_of_person);
  if (constant(label.class_of_person)) return nullptr;
  std::vector<std::uint32_t> present = label.class_of_person;
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t c : label.class_of_person)
    classes.push_back(
        static_cast<std::uint32_t>(std::lower_bound(present.begin(), present.end(), c) - present.begin()));
  const auto count = static_cast<std::uint32_t>(present.size());
  if (count == 2) return std::make_unique<TwoClassTask>(std::move(classes), count);
  return std::make_unique<ClassTask>(std::move(classes), count);
}

std::string bytes_of(data::SparseRows::Row row) {
  std::string bytes(reinterpret_cast<const char*>(row.items.data()), row.items.size_bytes());
  return bytes.append(reinterpret_cast<const char*>(row.values.data()), row.values.size_bytes());
}

// Tells the published rows that come from tested people. Where rows are not those of `features`, donors are
// unknown: it is then a row that tested people have, and nobody known has.
class RowsOfTested {
 public:
  RowsOfTested(const data::SparseRows& features, const Split& split, const Publication& publication)
      : publication_(publication), by_donor_(&publication.rows == &features) {
    if (by_donor_) {
      is_tested_.resize(features.size(), 0);
      for (const std::uint32_t person : split.tested) is_tested_[person] = 1;
      return;
    }
    for (const std::uint32_t person : split.tested) contents_.insert(bytes_of(features[person]));
    for (const std::uint32_t person : split.known) contents_.erase(bytes_of(features[person]));
  }

  bool is_published_for(std::uint32_t person) const {
    const std::uint32_t row = publication_.row_of_person[person];
    return by_donor_ ? is_tested_[row] != 0 : contents_.contains(bytes_of(publication_.rows[row]));
  }

 private:
  const Publication& publication_;
  bool by_donor_;
  std::vector<char> is_tested_;
  std::unordered_set<std::string> contents_;
};

// A model that has seen the rows of the tested people, perhaps with the label of a donor who shares it, would
// be tested on what it learned by heart.
Split without_rows_of_tested(const data::SparseRows& features, Split split, const Publication& publication) {
  const RowsOfTested rows_of_tested(features, split, publication);
  std::erase_if(split.known, [&](std::uint32_t person) { return rows_of_tested.is_published_for(person); });
  return split;
}

void check_label(const TaskLabel& label, std::size_t people) {
  const InputPlace place{.source = "task", .column = label.name};
  if (label.class_of_person.empty() == label.number_of_person.empty())
    throw InputError(place, "a label is either classes or numbers", "Give one of them.");
  if (std::max(label.class_of_person.size(), label.number_of_person.size()) != people)
    throw InputError(place, "there must be one label for each person", "Read labels and people together.");
  const auto broken = std::find_if_not(label.number_of_person.begin(), label.number_of_person.end(),
                                       [](double number) { return std::isfinite(number); });
  if (broken != label.number_of_person.end())
    throw InputError({.source = "task",
                      .row = static_cast<std::size_t>(broken - label.number_of_person.begin()) + 1,
                      .column = label.name},
                     "the label is not a finite number", "Leave such people out, or predict another column.");
}

}  // namespace

UtilityResult task_utility(const data::SparseRows& features, const TaskLabel& label,
                           const PublicationOf& publication_of, const TaskSettings& settings, const Key& key,
                           const Progress& progress) {
  check_utility(features, settings.repetitions);
  check_known_share(settings.known_share, std::min(features.size(), settings.most_people));
  check_label(label, features.size());
  const std::unique_ptr<Task> task = task_of(label);
  UtilityResult result{.name = "prediction of " + label.name,
                       .note = sample_note(features.size(), settings.most_people)};
  if (!task) return not_measurable(result, "all people have the same label");
  result.measure = task->measure();
  result.lower_is_better = task->lower_is_better();

  const std::vector<Publication> published = publications(features, publication_of, settings.repetitions);
  std::vector<Split> splits;
  std::size_t known_people = 0;
  for (std::size_t r = 0; r < published.size(); ++r) {
    const std::vector<std::uint32_t> drawn =
        drawn_people(features.size(), settings.most_people, key.derive(fmt::format("people {}", r)));
    splits.push_back(without_rows_of_tested(
        features,
        among(drawn,
              split_by_share(drawn.size(), settings.known_share, key.derive(fmt::format("split {}", r)))),
        published[r]));
    if (splits.back().known.size() < 2)
      return not_measurable(result, "nearly all published rows are those of tested people");
    if (!task->measurable(splits.back()))
      return not_measurable(result, "one of the two classes has too few people: a split has none of it");
    known_people += splits.back().known.size();
  }
  result.known_people = known_people / splits.size();
  result.tested_people = splits.front().tested.size();

  const std::vector<std::uint32_t> own = own_rows(features.size());
  const AttackerView truth{.rows = &features, .row_of_person = own};
  std::vector<RepetitionFigures> figures(splits.size());
  SharedProgress shared(progress, "learning the task", splits.size());
  parallel_blocks(splits.size(), 1, [&](std::size_t r, std::size_t) {
    const AttackerView release{.rows = &published[r].rows, .row_of_person = published[r].row_of_person};
    const auto judged = [&](const AttackerView& learned_from) {
      return task->learn_and_judge(rows_of(learned_from, splits[r].known), rows_of(truth, splits[r].tested),
                                   splits[r], settings.boosting, progress);
    };
    figures[r] = figures_from(outcome_of(settings.kept, fmt::format("task {}", r), [&] {
      return flat(RepetitionFigures{
          .published = judged(release), .unobscured = judged(truth), .baseline = task->baseline(splits[r])});
    }));
    shared.one_done();
  });
  return summarised(result, figures);
}

}  // namespace hyobscure::audit
