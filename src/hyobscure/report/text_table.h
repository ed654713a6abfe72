#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyobscure::report {

/// No line for people is wider, unless a single word is.
inline constexpr std::size_t kScreenColumns = 100;

/// Lines that are too wide are broken at spaces; what follows a break has the line's own indentation.
std::string wrapped(std::string_view text);
/// The same with an indentation of `hang` columns after a break.
std::string wrapped(std::string_view text, std::size_t hang, std::size_t columns = kScreenColumns);

/// Columns of text, aligned: words to the left, numbers to the right. A table that is too wide for the screen
/// gets narrower headings, then narrower words, and at last its columns are put below each other, each part
/// with the first `keys` columns.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header, std::size_t keys = 1);
  void row(std::vector<std::string> cells);
  /// Two spaces before every line, a rule under the header.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t keys_;
};

std::string count_text(std::int64_t count);         ///< 1,234,567
std::string bits_text(double bits);                 ///< "0.0273 bits", "below 1e-9 bits"
std::string share_text(double part, double whole);  ///< "36 %"
std::string seconds_text(double seconds);           ///< "0.3 s", "2 min 5 s"
std::string bytes_text(double bytes);               ///< "1.5 GB"

}  // namespace hyobscure::report
