#include "hyobscure/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/terminal.h"

namespace hyobscure::report {
namespace {

/// Letters on the screen: bytes that continue a UTF-8 letter do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

bool looks_like_a_number(const std::string& cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '<' || cell == "-") &&
         cell.find('-', 1) == std::string::npos;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

/// What stands in a cell may come from a file: it must not end the line.
void TextTable::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  const std::size_t columns = rows_[0].size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !looks_like_a_number(rows_[r][c])) right[c] = false;
    }
  std::string result;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = "  ";
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width(rows_[r][c]), ' ');
      line += (right[c] ? padding + rows_[r][c] : rows_[r][c] + padding) + (c + 1 < columns ? "   " : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
    if (r == 0) {
      std::size_t total = 3 * (columns - 1);
      for (const std::size_t column : widths) total += column;
      result += "  " + std::string(total, '-') + "\n";
    }
  }
  return result;
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(std::abs(count));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return (count < 0 ? "-" : "") + digits;
}

std::string bits_text(double bits) {
  if (std::isnan(bits)) return "not computed";
  if (bits <= 0) return "0 bits";
  if (bits < 1e-9) return "below 1e-9 bits";
  if (bits < 1e-4) return fmt::format("{:.1e} bits", bits);
  return fmt::format("{:.4f} bits", bits);
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.{}f} %", 100 * part / whole, part / whole < 0.1 ? 1 : 0) : "-";
}

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return "less than 0.1 s";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::round(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(double bytes) {
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.{}f} {}", bytes, bytes < 10 && *unit != 'B' ? 1 : 0, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.1f} TB", bytes);
}

}  // namespace hyobscure::report
