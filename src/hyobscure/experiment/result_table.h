#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hyobscure::experiment {

/// A CSV of results that grows row by row and survives being killed: the file is whole at every moment, and
/// what it holds need not be computed again.
class ResultTable {
 public:
  /// Continues the file where it exists. The first `key_columns` columns tell rows apart; several rows may
  /// share a key. Throws InputError for a file of other columns or of another `fingerprint`.
  ResultTable(std::filesystem::path file, const std::string& title, const std::string& fingerprint,
              std::vector<std::string> columns, std::size_t key_columns);

  [[nodiscard]] bool has(const std::vector<std::string>& key) const;
  /// Adds rows and writes the file: all of them or none.
  void add(const std::vector<std::vector<std::string>>& rows);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  void read();
  void write() const;

  std::filesystem::path file_;
  std::string head_;  ///< the first line: whose results these are
  std::vector<std::string> columns_;
  std::size_t key_columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The cells of one line of CSV; quotes around a cell and doubled quotes in it are undone.
[[nodiscard]] std::vector<std::string> csv_cells(const std::string& line);
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace hyobscure::experiment
