#include "hyobscure/obscure/fit/fit_cost.h"

#include <algorithm>

namespace hyobscure::obscure {
namespace {

constexpr double kFinePerPerson = 1.1e-3;  ///< price search and channels of all wards
constexpr double kPairPerEntry = 4e-9;     ///< the distance of two people of a pool, an entry of one of them
constexpr double kChannels = 0.5;          ///< over cells: hardly depends on the number of people

double usual_pairs(double people, const data::Spec& spec) {
  constexpr double kUsualGroups = 4;
  double groups = spec.groups.count ? static_cast<double>(*spec.groups.count) : kUsualGroups;
  if (!spec.groups.fixed.empty()) groups = static_cast<double>(spec.groups.fixed.size());
  return people * people / std::max(1.0, groups);
}

}  // namespace

double by_person_seconds(const Method& method, const data::People& people, double pairs) {
  const auto count = static_cast<double>(people.size());
  if (method.person_level) return kFinePerPerson * count;
  return kPairPerEntry * static_cast<double>(people.features.entries()) / std::max(1.0, count) * pairs;
}

double method_seconds(const Method& method, const data::People& people, const data::Spec& spec) {
  if (!method.by_person) return kChannels;
  return by_person_seconds(method, people, usual_pairs(static_cast<double>(people.size()), spec));
}

}  // namespace hyobscure::obscure
