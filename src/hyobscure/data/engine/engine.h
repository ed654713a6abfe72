#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hyobscure/base/progress.h"

namespace hyobscure::data {

class ArrowTable;
struct ArrowRows;

struct EngineSettings {
  std::filesystem::path folder = ".";  ///< relative file names in a query start here
  std::string memory = {};  ///< such as "2GB", for all of the process; empty: most of the machine's
  int threads = 0;          ///< 0: all cores
  /// Tables of the caller's memory, to select from by their names; column hyo_row numbers their rows from 0.
  std::vector<std::shared_ptr<const ArrowTable>> tables = {};
  /// The only folder below which statements may read and write files, by their whole path (the engine takes a
  /// relative one for a stranger); empty: anywhere. It cannot be widened by a statement. Links in it are
  /// followed.
  std::filesystem::path only_in = {};
};

/// The engine could not carry out a statement. The text of DuckDB stays inside, because it may quote a cell;
/// what a user may read is made by explain() below.
class EngineError : public std::runtime_error {
 public:
  enum class Kind { Statement, File, Content, Memory, DiskFull, Other };

  EngineError(Kind kind, std::string text)
      : std::runtime_error("engine error"), kind_(kind), text_(std::move(text)) {}

  Kind kind() const { return kind_; }
  /// Memory, disk or limits of this machine are to blame, and not what stands in a file.
  bool lies_with_the_machine() const;
  const std::string& private_text() const { return text_; }

 private:
  Kind kind_;
  std::string text_;
};

/// The same as an error for the user: place, cause and remedy, without a word of the data.
InputError explain(const EngineError& error, const std::string& source);

/// One chunk of a result: columns of equal length. A text view lives as long as the chunk.
class Chunk {
 public:
  enum class Owner { Us, Engine };
  explicit Chunk(void* handle, Owner owner = Owner::Us);
  ~Chunk();
  Chunk(Chunk&& other) noexcept;
  Chunk& operator=(Chunk&&) = delete;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_.size(); }
  bool is_null(std::size_t column, std::size_t row) const {
    const std::uint64_t* given = columns_[column].given;
    return given != nullptr && (given[row / 64] >> (row % 64) & 1) == 0;
  }
  /// The column must be DOUBLE.
  std::span<const double> doubles(std::size_t column) const {
    return {static_cast<const double*>(columns_[column].cells), rows_};
  }
  /// The column must be BIGINT.
  std::span<const std::int64_t> integers(std::size_t column) const {
    return {static_cast<const std::int64_t*>(columns_[column].cells), rows_};
  }
  std::string_view text(std::size_t column, std::size_t row) const;  ///< the column must be VARCHAR

 private:
  /// Where the engine has a column: asking it again for every cell would take longer than most work on a
  /// cell.
  struct Cells {
    void* cells;
    const std::uint64_t* given;  ///< a bit for each cell; null where none is empty
  };

  void* handle_;
  std::size_t rows_;
  Owner owner_;
  std::vector<Cells> columns_;
};

struct Column {
  std::string name;
  std::string type;  ///< as DuckDB names it: VARCHAR, BIGINT, DOUBLE, VARCHAR[] ...
};

using Cell = std::variant<std::int64_t, double, std::string_view>;

/// One chunk of rows in the making: columns as the table has them, filled from the first row on.
class ChunkMaker {
 public:
  explicit ChunkMaker(void* handle);

  std::size_t most_rows() const { return most_rows_; }
  /// The column must be DOUBLE.
  std::span<double> doubles(std::size_t column) {
    return {static_cast<double*>(columns_[column]), most_rows_};
  }
  /// The column must be BIGINT.
  std::span<std::int64_t> integers(std::size_t column) {
    return {static_cast<std::int64_t*>(columns_[column]), most_rows_};
  }
  /// The column must be VARCHAR.
  void set_text(std::size_t column, std::size_t row, std::string_view text);

 private:
  void* handle_;
  std::size_t most_rows_;
  std::vector<void*> columns_;
};

/// Fills a chunk and says how many rows it has; 0 is the end.
using MakeChunk = std::function<std::size_t(ChunkMaker&)>;

/// DuckDB in this process: files, tables and SQL in, files out. Nothing is fetched from a network, and no
/// extension is loaded. A stop request ends a running statement with Stopped.
class Engine {
 public:
  Engine(const EngineSettings& settings, const Progress& progress);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Bytes that rows on their way from the engine may take before they go to a file: a share of
  /// EngineSettings::memory.
  std::size_t memory_for_rows() const;

  /// What progress reports call the statements that follow.
  void set_stage(std::string stage);
  void run(const std::string& sql);
  /// Calls visit for every chunk, in order.
  void query(const std::string& sql, const std::function<void(const Chunk&)>& visit);
  /// Calls visit for every chunk, on many threads at once and in any order: none waits for another. Columns
  /// are VARCHAR, BIGINT or DOUBLE. What visit throws ends the query.
  void query_on_all_threads(const std::string& sql, const std::function<void(const Chunk&)>& visit);
  /// The only row of a query whose columns are all BIGINT; NULL counts as 0.
  std::vector<std::int64_t> integers(const std::string& sql);
  /// The only row of a query whose columns are all DOUBLE; NULL becomes NaN.
  std::vector<double> doubles(const std::string& sql);
  /// The first column, VARCHAR, of every row.
  std::vector<std::string> texts(const std::string& sql);
  /// All rows of a query, copied out.
  ArrowRows arrow(const std::string& sql);
  std::vector<Column> describe(const std::string& relation);
  /// Columns of a query as it names them, equal names included.
  std::vector<Column> describe_query(const std::string& query);
  /// Throws EngineError unless the text is one statement.
  void check_is_one_statement(const std::string& sql);

  /// Something to select from, once: its rows are made while they are read, in order and by one thread at a
  /// time, so they need not fit into memory. `make` is kept as long as the engine lives, and what it throws
  /// ends the statement. Columns are VARCHAR, BIGINT or DOUBLE.
  std::string made_rows(std::vector<Column> columns, MakeChunk make);

  /// Expired once the engine is gone, and its tables with it.
  std::weak_ptr<const void> life() const { return std::shared_ptr<const void>(state_, this); }

  /// A name that no other table of this engine has.
  std::string new_name(const std::string& kind) { return kind + "_" + std::to_string(++made_); }

  /// The name of a function from BIGINT to VARCHAR, for statements. It is called on many threads at once and
  /// must give the same text for the same number; `text_of` is kept as long as the engine lives.
  std::string text_function(std::function<std::string(std::int64_t)> text_of);

  /// The name of a function from VARCHAR to BIGINT, likewise; no number is NULL, and so is that of NULL.
  std::string number_function(std::function<std::optional<std::int64_t>(std::string_view)> number_of);

  /// Fills a table that exists, row by row.
  class Appender {
   public:
    Appender(Engine& engine, const std::string& table);
    ~Appender();
    Appender(const Appender&) = delete;
    Appender& operator=(const Appender&) = delete;
    void row(std::initializer_list<Cell> cells);
    void close();

   private:
    void* handle_ = nullptr;
  };

 private:
  void* connection() const;
  void add_table(const std::shared_ptr<const ArrowTable>& table);
  std::size_t made_ = 0;  ///< names given by new_name

  struct State;
  std::shared_ptr<State> state_;  ///< shared with nobody: others may only ask whether it is still there
};

/// "name" with the quotes that SQL wants.
std::string quoted_name(std::string_view name);
/// 'text' with the quotes that SQL wants.
std::string quoted_text(std::string_view text);

/// Whether the engine takes a name of a file to read for a pattern: it holds one of [ ? *. Names of files to
/// write and of databases it takes as they are.
bool is_pattern(std::string_view name);
/// The one file of this name, in quotes: what would be a pattern stands for itself. Throws InputError for the
/// names that the engine cannot be told so: with a backslash beside one of [ ? *.
std::string quoted_file(const std::filesystem::path& file);
/// The files whose names in its folder match the last part, in quotes: only that is a pattern.
std::string quoted_pattern(const std::filesystem::path& file);

}  // namespace hyobscure::data
