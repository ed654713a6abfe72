#include "hyobscure/base/error.h"

#include <fmt/format.h>

namespace hyobscure {
namespace {

std::string describe(const InputPlace& place, const std::string& problem, const std::string& remedy) {
  std::string where = place.source;
  if (place.row > 0) where += fmt::format("{}row {}", where.empty() ? "" : ", ", place.row);
  if (!place.column.empty()) where += fmt::format("{}column \"{}\"", where.empty() ? "" : ", ", place.column);
  return fmt::format("{}{}{}. {}", where, where.empty() ? "" : ": ", problem, remedy);
}

}  // namespace

InputError::InputError(InputPlace place, std::string problem, std::string remedy)
    : std::invalid_argument(describe(place, problem, remedy)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

}  // namespace hyobscure
