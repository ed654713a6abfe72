#include "hyobscure/study/utilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "hyobscure/audit/item_statistics.h"
#include "hyobscure/audit/recommend.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/obscure/fit.h"

namespace hyobscure::study {
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

}  // namespace

std::optional<audit::TaskLabel> task_label(data::Engine& engine, const data::Spec& spec) {
  if (spec.audit.task.empty()) return std::nullopt;
  const auto& keep = spec.people.keep;
  const auto found = std::ranges::find(keep, lower_case(spec.audit.task), lower_case);
  if (found == keep.end())
    throw InputError({.source = spec.name, .column = "audit.task"},
                     "names a column that is not kept, so users of the release would not have it",
                     "Name one of people.keep, or add it there.");
  std::vector<std::string> cells;
  engine.query(
      fmt::format("SELECT coalesce(CAST(k{} AS VARCHAR), '') FROM hyo_kept ORDER BY u", found - keep.begin()),
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) cells.emplace_back(chunk.text(0, row));
      });
  return label_of(spec.audit.task, cells);
}

std::vector<audit::UtilityResult> utilities(const data::People& people, const data::Spec& spec,
                                            const std::optional<audit::TaskLabel>& task,
                                            const audit::PublicationOf& publication_of,
                                            const Progress& progress) {
  const int repetitions = std::max(2, spec.audit.releases);
  const Key key = obscure::search_key(spec).derive("utilities");
  std::vector<audit::UtilityResult> results;
  if (task) {
    progress.report(fmt::format("predicting {}", task->name), 0, 0);
    results.push_back(audit::task_utility(people.features, *task, publication_of,
                                          {.repetitions = repetitions}, key.derive("task"), progress));
  }
  progress.report("predicting ratings", 0, 0);
  audit::RecommendUtility recommended = audit::recommend(
      people.features, publication_of, {.repetitions = repetitions}, key.derive("recommend"), progress);
  results.push_back(std::move(recommended.rating_prediction));
  results.push_back(std::move(recommended.recommendation));
  progress.report("counting items", 0, 0);
  audit::ItemStatistics items =
      audit::item_statistics(people.features, publication_of, repetitions, progress);
  results.push_back(std::move(items.means));
  results.push_back(std::move(items.popularity));
  return results;
}

}  // namespace hyobscure::study
