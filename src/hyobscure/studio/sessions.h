#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hyobscure::studio {

/// Who may talk to the server. A link holds a one-time token; the first who sends it gets a bearer, which
/// every other request must carry. All are 256 random bits, live in memory only, and end with the process.
class Sessions {
 public:
  /// A token that nobody has used yet.
  [[nodiscard]] std::string new_link();
  /// A bearer for a token, which is used up by that; nothing for any other text.
  [[nodiscard]] std::optional<std::string> exchange(std::string_view link);
  [[nodiscard]] bool knows(std::string_view bearer) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> links_, bearers_;
};

}  // namespace hyobscure::studio
