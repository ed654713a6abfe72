#include "hyobscure/experiment/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"

namespace hyobscure::experiment {

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += letter;
  }
  return cells;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (cells[i].find_first_of(",\"") == std::string::npos) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char letter : cells[i]) line += letter == '"' ? "\"\"" : std::string(1, letter);
    line += '"';
  }
  return line;
}

ResultTable::ResultTable(std::filesystem::path file, const std::string& title, const std::string& fingerprint,
                         std::vector<std::string> columns, std::size_t key_columns)
    : file_(std::move(file)),
      head_(fmt::format("# {}, settings {}", title, fingerprint.substr(0, 16))),
      columns_(std::move(columns)),
      key_columns_(key_columns) {
  if (std::filesystem::exists(file_)) read();
}

void ResultTable::read() {
  std::istringstream lines(read_file(file_));
  std::string head, columns;
  std::getline(lines, head);
  std::getline(lines, columns);
  if (head != head_ || csv_cells(columns) != columns_)
    throw InputError({.source = file_.string()}, "holds results of other settings or of another size",
                     "Give another folder with -o, or remove the file to start again.");
  for (std::string line; std::getline(lines, line);) {
    rows_.push_back(csv_cells(line));
    if (rows_.back().size() != columns_.size())
      throw InputError({.source = file_.string(), .row = rows_.size()}, "has another number of cells",
                       "Remove the row: it will be computed again.");
  }
}

bool ResultTable::has(const std::vector<std::string>& key) const {
  return std::ranges::any_of(rows_, [&](const std::vector<std::string>& row) {
    return std::equal(key.begin(), key.end(), row.begin(),
                      row.begin() + static_cast<std::ptrdiff_t>(key_columns_));
  });
}

void ResultTable::add(const std::vector<std::vector<std::string>>& rows) {
  for (std::vector<std::string> row : rows) {
    row.resize(columns_.size());
    for (std::string& cell : row) std::ranges::replace(cell, '\n', ' ');  // a row is a line
    rows_.push_back(std::move(row));
  }
  write();
}

void ResultTable::write() const {
  std::string text = head_ + "\n" + csv_line(columns_) + "\n";
  for (const auto& row : rows_) text += csv_line(row) + "\n";
  write_file(file_, text, FileAccess::Everyone);
}

}  // namespace hyobscure::experiment
