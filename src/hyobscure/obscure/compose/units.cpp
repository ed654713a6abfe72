#include "hyobscure/obscure/compose/units.h"

#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/base/error.h"

namespace hyobscure::obscure {
namespace {

constexpr const char* kTogether = "release.together";

std::size_t column_named(const data::FeatureColumns& columns, const std::string& name) {
  const auto found = std::ranges::find(columns.columns, name, &data::FeatureColumns::Column::name);
  if (found == columns.columns.end())
    throw InputError({.source = kTogether}, fmt::format("\"{}\" is no feature column", name),
                     "Name columns of people.features.");
  return static_cast<std::size_t>(found - columns.columns.begin());
}

}  // namespace

Units::Units(const data::People& people, const std::vector<std::vector<std::string>>& together) {
  const data::FeatureColumns& columns = people.columns;
  if (columns.empty()) {
    if (!together.empty())
      throw InputError({.source = kTogether}, "these data have no feature columns",
                       "Leave it out: a value and a time always travel with their item.");
    return;
  }
  unit_of_column_.resize(columns.columns.size());
  for (const auto& list : together) {
    for (const std::string& name : list) {
      auto& unit = unit_of_column_[column_named(columns, name)];
      if (unit)
        throw InputError({.source = kTogether}, fmt::format("\"{}\" stands in it twice", name),
                         "Join the two lists.");
      unit = fixed_;
    }
    fixed_ += 1;
  }
  for (std::size_t c = 0; c < columns.columns.size(); ++c)
    if (!unit_of_column_[c] && columns.columns[c].kind != data::FeatureKind::Set)
      unit_of_column_[c] = fixed_++;
  for (std::uint32_t item = 0; item < columns.of_item.size(); ++item) {
    const std::uint32_t column = columns.of_item[item];
    unit_of_item_.push_back(unit_of_column_[column].value_or(fixed_ + item));
    has_owners_.push_back(columns.columns[column].kind != data::FeatureKind::Numeric);
  }
  nothing_ = columns.nothing;
}

}  // namespace hyobscure::obscure
