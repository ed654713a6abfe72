#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hyobscure {

/// Where in the caller's input a problem sits. Parts that do not apply stay empty or zero.
struct InputPlace {
  std::string source = {};  ///< file name, or the name of an argument
  std::size_t row = 0;      ///< 1-based data row
  std::string column = {};
};

/// Input that the caller can put right. The command line exits with 2.
///
/// The text says where, what and how to fix it, and never quotes a cell: messages end up in
/// logs, and a cell is personal data.
class InputError : public std::invalid_argument {
 public:
  InputError(InputPlace place, std::string problem, std::string remedy);
  /// Several at once: the first, and the others as a list in its remedy. At least one.
  explicit InputError(const std::vector<InputError>& several);

  const InputPlace& place() const noexcept { return place_; }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  InputPlace place_;
  std::string problem_;
  std::string remedy_;
};

/// Throws InputError about `source` (a file, or the name of an argument) unless the condition holds. Cheap
/// while it holds, so that it may stand in a loop; a message that must be put together first belongs behind
/// an `if`.
inline void require(bool condition, std::string_view source, std::string_view problem,
                    std::string_view remedy) {
  if (!condition)
    throw InputError({.source = std::string(source)}, std::string(problem), std::string(remedy));
}

/// The user asked to stop before there was an answer worth keeping.
class Stopped : public std::runtime_error {
 public:
  explicit Stopped(const std::string& kept = "nothing was written")
      : std::runtime_error("stopped; " + kept) {}
};

}  // namespace hyobscure
