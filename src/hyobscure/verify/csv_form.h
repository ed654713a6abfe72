#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/base/progress.h"

namespace hyobscure::verify {

/// How a CSV file departs from the one way in which publish writes its cells; rows are counted without the
/// header.
struct CsvForm {
  bool other_header = false;  ///< the first line is not the names of the columns
  std::int64_t needless_quotes =
      0;  ///< cells with quotes that their content does not need, or empty ones with quotes
  std::int64_t missing_quotes = 0;  ///< cells with a quote, a carriage return or # that stand without quotes
  std::int64_t broken_rows =
      0;  ///< rows with another number of cells, or cells with letters behind their quotes
  bool no_last_line_end = false;

  bool canonical() const {
    return !other_header && needless_quotes == 0 && missing_quotes == 0 && broken_rows == 0 &&
           !no_last_line_end;
  }
  std::string what_is_wrong() const;
};

/// Looks at every byte of the file. The form: cells apart by commas, lines by a line feed, quotes around a
/// cell exactly where it holds a comma, a quote (doubled), a line feed, a carriage return or #; an empty cell
/// is nothing at all. `visit`, where there is one, gets the cells of each row below the header, in order.
[[nodiscard]] CsvForm csv_form(const std::filesystem::path& file, const std::vector<std::string>& columns,
                               const Progress& progress,
                               const std::function<void(std::span<const std::string>)>& visit = {});

}  // namespace hyobscure::verify
