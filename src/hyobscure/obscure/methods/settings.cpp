#include "hyobscure/obscure/methods/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hyobscure::obscure {
namespace {

std::string help_of_methods() {
  std::vector<std::string> lines;
  for (const Method& method : methods()) lines.push_back(method.name + ": " + method.help);
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace

std::string methods_that(bool Method::* can) {
  std::vector<std::string> names;
  for (const Method& method : methods())
    if (method.*can) names.push_back(method.name);
  const std::string last = names.empty() ? "none" : names.back();
  if (names.size() < 2) return last;
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::vector<data::Setting> settings() {
  std::vector<data::Setting> all = data::settings();
  const auto find = [&](const char* name) -> data::Setting& {
    return *std::ranges::find(all, name, &data::Setting::full_name);
  };
  data::Setting& name = find("method.name");
  name.help = help_of_methods();
  for (const Method& method : methods()) name.choices.push_back(method.name);
  for (const auto& [key, can] : {std::pair{"method.parameter", &Method::has_parameter},
                                 std::pair{"method.within_groups", &Method::across_groups}})
    find(key).help += fmt::format(" ({})", methods_that(can));
  return all;
}

}  // namespace hyobscure::obscure
