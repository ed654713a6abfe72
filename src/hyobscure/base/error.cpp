#include "hyobscure/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace hyobscure {
namespace {

std::string describe(const InputPlace& place, const std::string& problem, const std::string& remedy) {
  std::string where = place.source;
  if (place.row > 0) where += fmt::format("{}row {}", where.empty() ? "" : ", ", place.row);
  if (!place.column.empty()) where += fmt::format("{}column \"{}\"", where.empty() ? "" : ", ", place.column);
  return fmt::format("{}{}{}. {}", where, where.empty() ? "" : ": ", problem, remedy);
}

constexpr std::size_t kMostTold = 20;

/// Several problems as one: the first, and the others as a list in its remedy.
InputError joined(const std::vector<InputError>& several) {
  const InputError& first = several.at(0);
  if (several.size() == 1) return first;
  std::string remedy = first.remedy();
  remedy += fmt::format("\n{} more problem{}:", several.size() - 1, several.size() == 2 ? "" : "s");
  for (std::size_t i = 1; i < several.size() && i < kMostTold; ++i) {
    std::string text = several[i].what();
    std::ranges::replace(text, '\n', ' ');
    remedy += "\n  " + text;
  }
  if (several.size() > kMostTold) remedy += fmt::format("\n  and {} more", several.size() - kMostTold);
  return {first.place(), first.problem(), remedy};
}

}  // namespace

InputError::InputError(const std::vector<InputError>& several) : InputError(joined(several)) {}

InputError::InputError(InputPlace place, std::string problem, std::string remedy)
    : std::invalid_argument(describe(place, problem, remedy)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

}  // namespace hyobscure
