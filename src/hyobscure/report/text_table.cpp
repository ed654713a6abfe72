#include "hyobscure/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "hyobscure/base/terminal.h"

namespace hyobscure::report {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kWideGap = 3, kNarrowGap = 2;
constexpr std::size_t kNarrowestWords = 12;  ///< columns of words are not made narrower than this

/// Letters on the screen: bytes that continue a UTF-8 letter do not count.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

bool looks_like_a_number(const std::string& cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '<' || cell == "-") &&
         cell.find('-', 1) == std::string::npos;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Where to break a line: its last space that leaves at most `columns` before it, else its first one; npos
/// where it has none. Spaces that indent the line do not count.
std::size_t break_of(std::string_view line, std::size_t columns) {
  std::size_t best = std::string_view::npos;
  for (std::size_t at = line.find(' ', indentation(line)); at != std::string_view::npos;
       at = line.find(' ', at + 1)) {
    if (best != std::string_view::npos && width(line.substr(0, at)) > columns) break;
    best = at;
  }
  return best;
}

/// The line in parts of at most `columns`, the first as it is, the others behind `hang` spaces.
std::vector<std::string> parts_of(std::string line, std::size_t columns, std::size_t hang) {
  std::vector<std::string> parts;
  while (width(line) > columns) {
    const std::size_t at = break_of(line, columns);
    if (at == std::string::npos) break;
    const std::size_t next = line.find_first_not_of(' ', at);
    if (next == std::string::npos) break;
    const std::string rest = line.substr(next);
    line.erase(line.find_last_not_of(' ', at) + 1);
    parts.push_back(std::move(line));
    line = std::string(hang, ' ') + rest;
  }
  parts.push_back(std::move(line));
  return parts;
}

template <class HangOf>
std::string wrap_lines(std::string_view text, std::size_t columns, HangOf hang_of) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    bool first = true;
    for (const std::string& part : parts_of(std::string(line), columns, hang_of(line))) {
      result += (first ? "" : "\n") + part;
      first = false;
    }
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

/// Some of the columns of a table, and how wide each is to be.
struct Layout {
  std::vector<std::size_t> columns, widths;
  std::size_t gap = kWideGap;

  [[nodiscard]] std::size_t line_width() const {
    std::size_t total = kIndent.size() + gap * (widths.size() - 1);
    for (const std::size_t column : widths) total += column;
    return total;
  }
  [[nodiscard]] bool fits() const { return line_width() <= kScreenColumns; }
};

using Rows = std::vector<std::vector<std::string>>;

std::size_t widest_cell(const Rows& rows, std::size_t column) {
  std::size_t widest = 0;
  for (std::size_t r = 1; r < rows.size(); ++r) widest = std::max(widest, width(rows[r][column]));
  return widest;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : parts_of(std::string(text), 0, 0)) longest = std::max(longest, width(word));
  return longest;
}

bool holds_numbers(const Rows& rows, std::size_t column) {
  return rows.size() > 1 && std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
           return looks_like_a_number(row[column]);
         });
}

/// Words may be broken at their spaces; an interval such as "-0.2 [-0.9, 0.5]" may not.
bool holds_words(const Rows& rows, std::size_t column) {
  return std::ranges::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    return !row[column].empty() && std::isalpha(static_cast<unsigned char>(row[column][0])) != 0;
  });
}

Layout full_layout(const Rows& rows, std::vector<std::size_t> columns) {
  Layout layout{.columns = std::move(columns), .widths = {}};
  for (const std::size_t column : layout.columns)
    layout.widths.push_back(std::max(width(rows[0][column]), widest_cell(rows, column)));
  return layout;
}

/// Headings over several lines, then smaller gaps: costs nobody anything.
void narrow_headings(Layout& layout, const Rows& rows) {
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    layout.widths[i] =
        std::max(longest_word(rows[0][layout.columns[i]]), widest_cell(rows, layout.columns[i]));
  layout.gap = kNarrowGap;
}

/// How narrow a column can be: only words give way, and none is broken.
std::size_t narrowest(const Rows& rows, std::size_t column, std::size_t today) {
  if (!holds_words(rows, column)) return today;
  std::size_t least = kNarrowestWords;
  for (const auto& row : rows) least = std::max(least, longest_word(row[column]));
  return std::min(least, today);
}

/// Takes what is too much from the columns of words, those first that can give most.
void narrow_words(Layout& layout, const Rows& rows) {
  std::vector<std::pair<std::size_t, std::size_t>> spare;  // columns to give, which of the layout
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    spare.emplace_back(layout.widths[i] - narrowest(rows, layout.columns[i], layout.widths[i]), i);
  std::ranges::stable_sort(spare, std::greater{}, &std::pair<std::size_t, std::size_t>::first);
  for (const auto& [most, i] : spare)
    for (std::size_t given = 0; given < most && !layout.fits(); ++given) --layout.widths[i];
}

Layout fitted_layout(const Rows& rows, const std::vector<std::size_t>& columns) {
  Layout layout = full_layout(rows, columns);
  if (!layout.fits()) narrow_headings(layout, rows);
  if (!layout.fits()) narrow_words(layout, rows);
  return layout;
}

/// The columns in as few parts as fit, each beginning with the keys.
std::vector<Layout> fitted_parts(const Rows& rows, std::size_t keys) {
  std::vector<std::size_t> columns(rows[0].size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (Layout whole = fitted_layout(rows, columns); whole.fits() || columns.size() <= keys + 1) return {whole};
  std::vector<Layout> parts;
  const std::vector<std::size_t> first(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(keys));
  std::vector<std::size_t> part = first;
  const auto unbroken = [&](const std::vector<std::size_t>& some) {
    Layout layout = full_layout(rows, some);
    if (!layout.fits()) narrow_headings(layout, rows);
    return layout;
  };
  for (std::size_t column = keys; column < columns.size(); ++column) {
    std::vector<std::size_t> longer = part;
    longer.push_back(column);
    if (part.size() > keys && !unbroken(longer).fits()) {
      parts.push_back(fitted_layout(rows, part));
      longer = first;
      longer.push_back(column);
    }
    part = std::move(longer);
  }
  parts.push_back(fitted_layout(rows, part));
  return parts;
}

/// One row, over as many lines as its longest cell needs.
std::string row_text(const Rows& rows, std::size_t r, const Layout& layout) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    cells.push_back(parts_of(rows[r][layout.columns[i]], layout.widths[i], 0));
    lines = std::max(lines, cells.back().size());
  }
  std::string text;
  for (std::size_t at = 0; at < lines; ++at) {
    std::string line(kIndent);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t above = r == 0 ? lines - cells[i].size() : 0;  // headings stand on the rule
      const std::string cell = at >= above && at - above < cells[i].size() ? cells[i][at - above] : "";
      const std::string padding(layout.widths[i] - std::min(layout.widths[i], width(cell)), ' ');
      line += (holds_numbers(rows, layout.columns[i]) ? padding + cell : cell + padding) +
              std::string(i + 1 < cells.size() ? layout.gap : 0, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text) { return wrap_lines(text, kScreenColumns, indentation); }

std::string wrapped(std::string_view text, std::size_t hang, std::size_t columns) {
  return wrap_lines(text, columns, [hang](std::string_view) { return hang; });
}

TextTable::TextTable(std::vector<std::string> header, std::size_t keys) : keys_(keys) {
  rows_.push_back(std::move(header));
}

/// What stands in a cell may come from a file: it must not end the line.
void TextTable::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::string result;
  for (const Layout& layout : fitted_parts(rows_, keys_)) {
    result += (result.empty() ? "" : "\n") + row_text(rows_, 0, layout);
    result += std::string(kIndent) + std::string(layout.line_width() - kIndent.size(), '-') + "\n";
    for (std::size_t r = 1; r < rows_.size(); ++r) result += row_text(rows_, r, layout);
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
