#include "hyobscure/data/spec/spec_text.h"

#include <fmt/format.h>

namespace hyobscure::data {

std::string spec_text(const std::vector<SettingValue>& settings) {
  std::string text, section;
  for (const SettingValue& setting : settings) {
    if (setting.value == "none" || !setting.given) continue;
    const std::size_t dot = setting.name.find('.');
    if (setting.name.substr(0, dot) != section) {
      section = setting.name.substr(0, dot);
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    text += fmt::format("{} = {}\n", setting.name.substr(dot + 1), setting.value);
  }
  return text;
}

}  // namespace hyobscure::data
