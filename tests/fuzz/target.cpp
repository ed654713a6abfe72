#include "target.h"

#include <algorithm>
#include <stdexcept>

namespace hyobscure::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {spec_target(),    mechanism_target(), manifest_target(),
                                          release_target(), census_target(),    table_target(),
                                          key_target(),     ledger_target()};
  return all;
}

const Target& target_named(std::string_view name) {
  const auto found =
      std::ranges::find_if(targets(), [&](const Target& target) { return target.name == name; });
  if (found == targets().end()) throw std::invalid_argument("there is no fuzz target " + std::string(name));
  return *found;
}

bool offer(const Target& target, std::string_view bytes) {
  return is_answered([&] { target.take(bytes); });
}

}  // namespace hyobscure::fuzz
