#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/studio/folder.h"

namespace hyobscure::studio {

/// Every spec that anything was computed from, spec-1.toml, spec-2.toml ... of the folder, and the names of
/// what belongs to it. To undo is to go on from an earlier one: none is ever changed.
class Versions {
 public:
  explicit Versions(const Folder& folder) : folder_(folder) {}

  /// The numbers that there are, ascending.
  [[nodiscard]] std::vector<int> all() const;
  /// Throws InputError where there is none.
  [[nodiscard]] std::string text(int version) const;
  /// The version with this text.
  [[nodiscard]] std::optional<int> find(const std::string& text) const;
  /// The version with this text: an earlier one, if there is one, else a new one.
  [[nodiscard]] int save(const std::string& text) const;

  static std::string spec(int version);       ///< "spec-3.toml"
  static std::string mechanism(int version);  ///< "mechanism-3.json", private
  static std::string release(int version);    ///< "release-3", a folder
  static std::string report(int version);     ///< "report-3.html", private

 private:
  const Folder& folder_;
};

}  // namespace hyobscure::studio
