#include "hyobscure/studio/sessions.h"

#include <algorithm>

#include "hyobscure/base/random.h"

namespace hyobscure::studio {
namespace {

/// Takes the same time wherever they differ.
bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  return difference == 0;
}

std::vector<std::string>::const_iterator find_secret(const std::vector<std::string>& all,
                                                     std::string_view wanted) {
  auto found = all.end();
  for (auto it = all.begin(); it != all.end(); ++it)
    if (same_secret(*it, wanted)) found = it;
  return found;
}

}  // namespace

std::string Sessions::new_link() {
  const std::lock_guard lock(mutex_);
  return links_.emplace_back(Key::from_system().text());
}

std::optional<std::string> Sessions::exchange(std::string_view link) {
  const std::lock_guard lock(mutex_);
  const auto found = find_secret(links_, link);
  if (found == links_.end()) return std::nullopt;
  links_.erase(found);
  return bearers_.emplace_back(Key::from_system().text());
}

bool Sessions::knows(std::string_view bearer) const {
  const std::lock_guard lock(mutex_);
  return find_secret(bearers_, bearer) != bearers_.end();
}

}  // namespace hyobscure::studio
