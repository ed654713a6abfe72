#include "hyobscure/verify/csv_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hyobscure/base/files.h"

namespace hyobscure::verify {
namespace {

/// Reads bytes one after the other, and knows of the cell it is in whether its quotes are needed.
class CsvWalk {
 public:
  CsvWalk(const std::vector<std::string>& columns,
          const std::function<void(std::span<const std::string>)>& visit)
      : columns_(columns), visit_(visit), cells_(columns.size()) {}

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      // Most letters mean nothing of their own: they are taken together.
      if (place_ == Place::Plain || place_ == Place::Quoted) {
        const auto special =
            static_cast<std::size_t>(std::ranges::find_if(bytes, needs_quotes) - bytes.begin());
        if (cell_ < cells_.size()) cells_[cell_] += bytes.substr(0, special);
        bytes.remove_prefix(special);
        if (bytes.empty()) return;
      }
      add(bytes.front());
      bytes.remove_prefix(1);
    }
  }

  CsvForm finish() {
    form_.other_header = form_.other_header || in_header_;
    form_.no_last_line_end = !(place_ == Place::CellBegins && cell_ == 0);
    return form_;
  }

 private:
  enum class Place { CellBegins, Plain, Quoted, BehindQuote };

  static bool needs_quotes(char letter) {
    return letter == ',' || letter == '"' || letter == '\n' || letter == '\r' || letter == '#';
  }

  void add(char letter) {
    switch (place_) {
      case Place::CellBegins:
        if (letter == '"') {
          place_ = Place::Quoted;
          quotes_needed_ = false;
          return;
        }
        place_ = Place::Plain;
        plain_needs_quotes_ = false;
        [[fallthrough]];
      case Place::Plain:
        if (letter == ',' || letter == '\n') {
          if (plain_needs_quotes_) ++form_.missing_quotes;
          return end_cell(letter);
        }
        plain_needs_quotes_ = plain_needs_quotes_ || needs_quotes(letter);
        return keep(letter);
      case Place::Quoted:
        if (letter == '"') {
          place_ = Place::BehindQuote;
          return;
        }
        quotes_needed_ = quotes_needed_ || needs_quotes(letter);
        return keep(letter);
      case Place::BehindQuote:
        if (letter == '"') {  // doubled: it belongs to the cell
          quotes_needed_ = true;
          place_ = Place::Quoted;
          return keep(letter);
        }
        if (letter == ',' || letter == '\n') {
          if (!quotes_needed_) ++form_.needless_quotes;
          return end_cell(letter);
        }
        ++form_.broken_rows;
        place_ = Place::Plain;
        return keep(letter);
    }
  }

  void keep(char letter) {
    if (cell_ < cells_.size()) cells_[cell_] += letter;
  }

  void end_cell(char letter) {
    place_ = Place::CellBegins;
    ++cell_;
    if (letter == '\n') end_row();
  }

  void end_row() {
    if (cell_ != cells_.size()) ++form_.broken_rows;
    if (in_header_)
      form_.other_header = cells_ != columns_;
    else if (visit_)
      visit_(cells_);
    in_header_ = false;
    cell_ = 0;
    for (std::string& cell : cells_) cell.clear();
  }

  const std::vector<std::string>& columns_;
  const std::function<void(std::span<const std::string>)>& visit_;
  CsvForm form_;
  std::vector<std::string> cells_;  ///< of this row
  std::size_t cell_ = 0;
  Place place_ = Place::CellBegins;
  bool in_header_ = true, quotes_needed_ = false, plain_needs_quotes_ = false;
};

}  // namespace

std::string CsvForm::what_is_wrong() const {
  std::vector<std::string> wrong;
  if (other_header) wrong.emplace_back("its first line is not the names of its columns");
  if (needless_quotes > 0)
    wrong.push_back(fmt::format("{} cells have quotes that they do not need", needless_quotes));
  if (missing_quotes > 0) wrong.push_back(fmt::format("{} cells lack quotes", missing_quotes));
  if (broken_rows > 0) wrong.push_back(fmt::format("{} rows have other cells than columns", broken_rows));
  if (no_last_line_end) wrong.emplace_back("its last line has no end");
  return fmt::format("{}", fmt::join(wrong, ", "));
}

CsvForm csv_form(const std::filesystem::path& file, const std::vector<std::string>& columns,
                 const Progress& progress, const std::function<void(std::span<const std::string>)>& visit) {
  CsvWalk walk(columns, visit);
  read_pieces(file, [&](std::string_view bytes) {
    progress.throw_if_stopped();
    walk.add(bytes);
  });
  return walk.finish();
}

}  // namespace hyobscure::verify
