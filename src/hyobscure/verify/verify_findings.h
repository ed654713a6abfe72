#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "hyobscure/verify/verify.h"

namespace hyobscure::verify {

/// Collects what was found.
class Findings {
 public:
  void add(std::string name, bool passed, std::string detail) {
    checks_.push_back({std::move(name), passed, std::move(detail), false});
  }
  void add_warning(std::string name, bool passed, std::string detail) {
    checks_.push_back({std::move(name), passed, std::move(detail), true});
  }
  /// Passes when nothing was found wrong; otherwise the detail lists it.
  void add(std::string name, const std::vector<std::string>& wrong, const std::string& detail) {
    add(std::move(name), wrong.empty(), wrong.empty() ? detail : fmt::format("{}", fmt::join(wrong, "; ")));
  }
  /// Passes when `wrong` is 0.
  void add_count(std::string name, std::int64_t wrong, const std::string& of_what,
                 const std::string& detail) {
    add(std::move(name), wrong == 0, wrong == 0 ? detail : fmt::format("{} {}", wrong, of_what));
  }
  Verification finish() { return {std::move(checks_)}; }

 private:
  std::vector<Check> checks_;
};

inline std::string limits_text(double least, double most) { return fmt::format("{} to {}", least, most); }

}  // namespace hyobscure::verify
