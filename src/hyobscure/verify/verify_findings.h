#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "hyobscure/verify/verify.h"

namespace hyobscure::verify {

/// Collects what was found. Each check is a row of the table in verify_rules.h.
class Findings {
 public:
  void add(const NamedCheck& check, bool passed, std::string detail) {
    checks_.push_back({check.name, passed, std::move(detail), check.rule.warning, check.rule.key});
  }
  /// Passes when nothing was found wrong; otherwise the detail lists it.
  void add(const NamedCheck& check, const std::vector<std::string>& wrong, const std::string& detail) {
    add(check, wrong.empty(), wrong.empty() ? detail : listed(wrong));
  }
  /// Passes when `wrong` is 0.
  void add_count(const NamedCheck& check, std::int64_t wrong, const std::string& of_what,
                 const std::string& detail) {
    add(check, wrong == 0, wrong == 0 ? detail : fmt::format("{} {}", wrong, of_what));
  }
  const std::vector<Check>& checks() const { return checks_; }
  std::vector<Check> take() { return std::move(checks_); }

 private:
  /// A release of many groups may be wrong in many places: the first few tell where to look.
  static std::string listed(const std::vector<std::string>& wrong) {
    constexpr std::size_t kListed = 20;
    const std::size_t shown = wrong.size() > kListed ? kListed : wrong.size();
    std::string text =
        fmt::format("{}", fmt::join(wrong.begin(), wrong.begin() + static_cast<long>(shown), "; "));
    if (shown < wrong.size()) text += fmt::format("; and {} more", wrong.size() - shown);
    return text;
  }

  std::vector<Check> checks_;
};

inline std::string limits_text(double least, double most) { return fmt::format("{} to {}", least, most); }

}  // namespace hyobscure::verify
