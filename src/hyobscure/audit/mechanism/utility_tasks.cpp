#include "hyobscure/audit/mechanism/utility_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>

#include "hyobscure/audit/utility/item_statistics.h"
#include "hyobscure/audit/utility/recommend.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::audit {
namespace {

/// Whole numbers and fractions, no letter left over.
std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Numbers are predicted as numbers where there are more than a few of them.
constexpr std::size_t kMostClasses = 20;

audit::TaskLabel label_of(const std::string& name, const std::vector<std::string>& cells) {
  std::map<std::string, std::uint32_t> classes;
  for (const std::string& cell : cells) classes.emplace(cell, 0);
  const bool numbers = classes.size() > kMostClasses && std::ranges::all_of(cells, [](const auto& cell) {
                         return as_number(cell).has_value();
                       });
  audit::TaskLabel label{.name = name};
  std::uint32_t next = 0;
  for (auto& [cell, number] : classes) number = next++;
  for (const std::string& cell : cells)
    if (numbers)
      label.number_of_person.push_back(*as_number(cell));
    else
      label.class_of_person.push_back(classes[cell]);
  return label;
}

/// What a publication is used for, each with splits of its own that are the same for the same spec.
class UtilityTasks {
 public:
  UtilityTasks(const data::People& people, const data::Spec& spec, const audit::PublicationOf& publication_of,
               const Progress& progress, KeptOutcomes* kept = nullptr)
      : features_(people.features),
        publication_of_(publication_of),
        repetitions_(std::max(2, spec.audit.releases)),
        most_people_(static_cast<std::size_t>(spec.audit.people)),
        key_(obscure::search_key(spec).derive("utilities")),
        progress_(progress),
        kept_(kept) {}

  audit::UtilityResult predicting(const audit::TaskLabel& task) const {
    progress_.report(fmt::format("predicting {}", task.name), 0, 0);
    return audit::task_utility(features_, task, publication_of_,
                               {.repetitions = repetitions_, .most_people = most_people_, .kept = kept_},
                               key_.derive("task"), progress_);
  }

  audit::RecommendUtility recommending() const {
    progress_.report("predicting ratings", 0, 0);
    return audit::recommend(features_, publication_of_,
                            {.repetitions = repetitions_, .most_people = most_people_, .kept = kept_},
                            key_.derive("recommend"), progress_);
  }

  audit::ItemStatistics counting() const {
    progress_.report("counting items", 0, 0);
    return audit::item_statistics(features_, publication_of_, repetitions_, progress_);
  }

 private:
  const data::SparseRows& features_;
  const audit::PublicationOf& publication_of_;
  int repetitions_;
  std::size_t most_people_;
  Key key_;
  const Progress& progress_;
  KeptOutcomes* kept_;
};

}  // namespace

std::optional<audit::TaskLabel> task_label(data::Engine& engine, const data::Spec& spec,
                                           const data::Reading& reading) {
  if (spec.audit.task.empty()) return std::nullopt;
  const auto& keep = spec.people.keep;
  const auto found = std::ranges::find(keep, lower_case(spec.audit.task), lower_case);
  if (found == keep.end())
    throw InputError({.source = spec.name, .column = "audit.task"},
                     "names a column that is not kept, so users of the release would not have it",
                     "Name one of people.keep, or add it there.");
  std::vector<std::string> cells;
  engine.query(fmt::format("SELECT coalesce(CAST(k{} AS VARCHAR), '') FROM {} ORDER BY u",
                           found - keep.begin(), reading.tables.people()),
               [&](const data::Chunk& chunk) {
                 for (std::size_t row = 0; row < chunk.rows(); ++row) cells.emplace_back(chunk.text(0, row));
               });
  return label_of(spec.audit.task, cells);
}

std::vector<audit::UtilityResult> utilities(const data::People& people, const data::Spec& spec,
                                            const std::optional<audit::TaskLabel>& task,
                                            const audit::PublicationOf& publication_of,
                                            const Progress& progress, KeptOutcomes* kept) {
  const UtilityTasks uses(people, spec, publication_of, progress, kept);
  std::vector<audit::UtilityResult> results;
  if (task) results.push_back(uses.predicting(*task));
  audit::RecommendUtility recommended = uses.recommending();
  results.push_back(std::move(recommended.rating_prediction));
  results.push_back(std::move(recommended.recommendation));
  audit::ItemStatistics items = uses.counting();
  results.push_back(std::move(items.means));
  results.push_back(std::move(items.popularity));
  return results;
}

audit::UtilityResult utility_of_target(const std::string& measure, const data::People& people,
                                       const data::Spec& spec, const std::optional<audit::TaskLabel>& task,
                                       const audit::PublicationOf& publication_of, const Progress& progress) {
  const UtilityTasks uses(people, spec, publication_of, progress);
  if (measure == "rating RMSE") return uses.recommending().rating_prediction;
  if (measure == "mAP") return uses.recommending().recommendation;
  if (measure != "task") throw std::logic_error("the spec admits a measure that no audit has");
  if (!task)
    throw InputError({.source = spec.name, .column = "audit.task"}, "is not given",
                     "Name the kept column that users of the release will predict.");
  return uses.predicting(*task);
}

}  // namespace hyobscure::audit
