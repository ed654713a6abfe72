#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyobscure::report {

/// Columns of text, aligned: words to the left, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);
  void row(std::vector<std::string> cells);
  /// Two spaces before every line, a rule under the header.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string count_text(std::int64_t count);         ///< 1,234,567
std::string bits_text(double bits);                 ///< "0.0273 bits", "below 1e-9 bits"
std::string share_text(double part, double whole);  ///< "36 %"
std::string seconds_text(double seconds);           ///< "0.3 s", "2 min 5 s"
std::string bytes_text(double bytes);               ///< "1.5 GB"

}  // namespace hyobscure::report
