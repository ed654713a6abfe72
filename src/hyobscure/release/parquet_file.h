#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hyobscure::release {

/// What the cells of a column are, as far as we write them ourselves.
enum class CellType { Text, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float, Double };

/// Of a type of the engine, such as "BIGINT"; absent: we do not write it.
[[nodiscard]] std::optional<CellType> cell_type_named(std::string_view type);

struct ParquetColumn {
  std::string name;
  CellType type = CellType::Text;
};

/// The distinct cells of a column in a row group, in the plain encoding of Parquet.
class ParquetCells {
 public:
  explicit ParquetCells(CellType type) : type_(type) {}

  void add(std::string_view text);
  /// The number must be one of the type.
  void add(std::int64_t number);
  void add(double number);

  CellType type() const { return type_; }
  std::size_t size() const { return size_; }
  const std::string& bytes() const { return bytes_; }
  /// The smallest and the largest as Parquet states them; empty where texts are long.
  const std::string& least() const { return least_; }
  const std::string& greatest() const { return greatest_; }

 private:
  template <class Number>
  void add_number(Number number);
  template <class Compared>
  void remember(Compared cell, std::string_view stated);

  CellType type_;
  std::size_t size_ = 0;
  std::string bytes_, least_, greatest_;
  double least_number_ = 0, greatest_number_ = 0;
  bool has_no_bounds_ = false;
};

/// Rows that follow each other and have the same cell.
struct CellRun {
  std::uint32_t cell;  ///< which of the ParquetCells
  std::uint32_t rows;
};

/// One row group of a Parquet file, made apart from the file: row groups can be made side by side. No cell is
/// empty; pages are compressed with zstd.
class ParquetRowGroup {
 public:
  explicit ParquetRowGroup(std::size_t rows) : rows_(rows) {}

  // The next column:
  void add_runs(const ParquetCells& cells, std::span<const CellRun> runs);
  void add_numbered(const ParquetCells& cells, std::span<const std::uint32_t> cell_of_row);
  /// A cell for every row.
  void add_plain(const ParquetCells& cells);

  std::size_t rows() const { return rows_; }
  /// What goes to the file, once.
  std::string take_bytes() { return std::exchange(bytes_, {}); }

  struct Chunk {
    std::size_t begin = 0, data_page = 0,
                end = 0;  ///< places in the bytes; a dictionary stands before the data
    std::size_t uncompressed = 0;
    bool has_dictionary = false;
    std::string least = {}, greatest = {};
  };
  const std::vector<Chunk>& chunks() const { return chunks_; }

 private:
  Chunk& begin_chunk(const ParquetCells& cells, bool with_dictionary);
  void add_data_page(Chunk& chunk, int encoding, std::string_view cells);

  std::size_t rows_;
  std::string bytes_;
  std::vector<Chunk> chunks_;
};

/// What stands before the row groups of a file, which follow each other, and what stands behind them.
[[nodiscard]] std::string parquet_head();
[[nodiscard]] std::string parquet_end(std::span<const ParquetColumn> columns,
                                      std::span<const ParquetRowGroup> groups);

}  // namespace hyobscure::release
