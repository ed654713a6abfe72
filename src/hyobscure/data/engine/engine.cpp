#include "hyobscure/data/engine/engine.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/base/scratch.h"
#include "hyobscure/data/engine/arrow_table.h"
#include "hyobscure/data/engine/duckdb_error.h"

namespace hyobscure::data {
namespace {

constexpr const char* kNoThread = "pthread_create";

EngineError::Kind kind_of(duckdb_error_type type, std::string_view text) {
  if (text.find("No space left") != text.npos || text.find("Disk quota") != text.npos ||
      text.find("File too large") != text.npos)
    return EngineError::Kind::DiskFull;
  if (text.find("bad_alloc") != text.npos || text.find("ailed to allocate") != text.npos ||
      text.find("ould not allocate") != text.npos || text.find("Out of Memory") != text.npos ||
      text.find(kNoThread) != text.npos)
    return EngineError::Kind::Memory;
  switch (type) {
    case DUCKDB_ERROR_CATALOG:
    case DUCKDB_ERROR_PARSER:
    case DUCKDB_ERROR_SYNTAX:
    case DUCKDB_ERROR_BINDER:
    case DUCKDB_ERROR_NOT_IMPLEMENTED:
    case DUCKDB_ERROR_SETTINGS:
      return EngineError::Kind::Statement;
    case DUCKDB_ERROR_IO:
    case DUCKDB_ERROR_PERMISSION:
      return EngineError::Kind::File;
    case DUCKDB_ERROR_OUT_OF_MEMORY:
      return EngineError::Kind::Memory;
    case DUCKDB_ERROR_INVALID_INPUT:
    case DUCKDB_ERROR_CONVERSION:
    case DUCKDB_ERROR_OUT_OF_RANGE:
    case DUCKDB_ERROR_SERIALIZATION:
      return EngineError::Kind::Content;
    default:
      return EngineError::Kind::Other;
  }
}

EngineError::Kind kind_of_text(std::string_view text) {
  struct Prefix {
    std::string_view text;
    duckdb_error_type type;
  };
  static constexpr Prefix kPrefixes[] = {
      {"Parser Error", DUCKDB_ERROR_PARSER},
      {"Binder Error", DUCKDB_ERROR_BINDER},
      {"Catalog Error", DUCKDB_ERROR_CATALOG},
      {"Syntax Error", DUCKDB_ERROR_SYNTAX},
      {"IO Error", DUCKDB_ERROR_IO},
      {"Permission Error", DUCKDB_ERROR_PERMISSION},
      {"Out of Memory Error", DUCKDB_ERROR_OUT_OF_MEMORY},
      {"Invalid Input Error", DUCKDB_ERROR_INVALID_INPUT},
      {"Conversion Error", DUCKDB_ERROR_CONVERSION},
      {"Out of Range Error", DUCKDB_ERROR_OUT_OF_RANGE},
      {"Serialization Error", DUCKDB_ERROR_SERIALIZATION},
      {"Not implemented Error", DUCKDB_ERROR_NOT_IMPLEMENTED},
      {"Invalid Configuration", DUCKDB_ERROR_SETTINGS},
  };
  for (const auto& prefix : kPrefixes)
    if (text.starts_with(prefix.text)) return kind_of(prefix.type, text);
  return kind_of(DUCKDB_ERROR_INVALID, text);
}

[[noreturn]] void throw_engine_error(const char* text) {
  const std::string message = text == nullptr ? "" : text;
  throw EngineError(kind_of_text(message), message);
}

duckdb_data_chunk chunk_of(void* handle) { return static_cast<duckdb_data_chunk>(handle); }

/// The engine's own objects, destroyed in every case.
struct Statement {
  duckdb_prepared_statement handle = nullptr;
  ~Statement() { duckdb_destroy_prepare(&handle); }
};
struct Pending {
  duckdb_pending_result handle = nullptr;
  ~Pending() { duckdb_destroy_pending(&handle); }
};
/// A streamed result. Its tasks may still run when it is given up, so it is drained before it goes.
struct Result {
  duckdb_connection connection;
  duckdb_result handle{};
  bool streaming = false;
  ~Result() {
    if (streaming) {
      duckdb_interrupt(connection);
      while (duckdb_data_chunk chunk = duckdb_fetch_chunk(handle)) duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&handle);
  }
};
/// A streamed result ends early, without a further chunk, when a later part of the input cannot be read.
void throw_if_failed(duckdb_result& result) {
  if (const char* text = duckdb_result_error(&result); text != nullptr && *text != '\0')
    throw_engine_error(text);
}

struct Extracted {
  duckdb_extracted_statements handle = nullptr;
  ~Extracted() { duckdb_destroy_extracted(&handle); }
};

/// What the system calls EMFILE and EIO; the engine passes it on.
constexpr const char* kTooManyFiles = "Too many open files";
constexpr const char* kDiskFails = "Input/output error";

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

/// The number after the first "line" of the engine's message; 0 where it names none.
std::size_t line_number(const std::string& text) {
  for (const std::string_view mark : {"Line: ", "line: ", "Line ", "line "})
    if (const auto at = text.find(mark); at != text.npos) {
      const std::size_t number = std::strtoul(text.c_str() + at + mark.size(), nullptr, 10);
      if (number > 0) return number;
    }
  return 0;
}

/// What stands in the first pair of quotes, with them.
std::string quoted_part(const std::string& text) {
  const auto begin = text.find('"');
  const auto end = begin == text.npos ? text.npos : text.find('"', begin + 1);
  return end == text.npos ? "" : text.substr(begin, end - begin + 1);
}

/// A statement error names things of the query, which the user wrote; candidates may be cells of a file
/// without a header.
std::string statement_problem(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (const auto prefix = line.find(" Error: "); prefix != line.npos && prefix < 24)
    line.erase(0, prefix + 8);
  if (const auto cut = line.find("Candidate"); cut != line.npos) line.resize(cut);
  while (!line.empty() && (line.back() == '.' || line.back() == '!' || line.back() == ' ')) line.pop_back();
  return "the query cannot be carried out: " + line;
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const auto first = text.rfind(begin);
  if (first == text.npos) return {};
  const auto from = first + begin.size();
  return text.substr(from, std::min(text.find(end, from), text.size()) - from);
}

/// The type that a cell could not be converted to. The cell stands before it, so it is looked for from the
/// end, and what is no name of a type is not shown.
std::string wanted_type(const std::string& text) {
  std::string sentence = text.substr(text.find("Could not convert"));
  for (const char* after : {" when casting from", "\n\nColumn ", "\n\nLINE "})
    if (const auto end = sentence.rfind(after); end != sentence.npos) sentence.resize(end);
  std::string type = between(sentence, " to ", "\n");
  std::erase(type, '\'');
  const bool is_name = !type.empty() && std::ranges::all_of(type, [](char letter) {
    return std::isupper(static_cast<unsigned char>(letter)) != 0 ||
           std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_(), []").find(letter) != std::string_view::npos;
  });
  return is_name ? type : "another type";
}

/// A cell that is not what a query, or an expression of the spec, takes it for.
std::optional<InputError> explain_conversion(const std::string& text, const std::string& source) {
  std::string column = between(text, "Error when converting column \"", "\"");
  if (column.empty()) column = between(text, "when casting from source column ", "\n");
  const std::string line =
      contains(text, "CSV Error on Line: ") ? fmt::format("line {}: ", line_number(text)) : "";
  const InputPlace place{.source = source, .row = 0, .column = column};
  const std::string remedy = "Correct the cell, or say in the query what it means (TRY_CAST makes it empty).";
  if (contains(text, "Could not convert"))
    return InputError(place, fmt::format("{}a cell cannot be converted to {}", line, wanted_type(text)),
                      remedy);
  if (contains(text, "Could not parse string"))
    return InputError(place, "a cell is not of the format that the query gives (strptime)",
                      "Correct the cell or the format; try_strptime makes it empty.");
  if (contains(text, "Out of Range Error") || contains(text, "value is out of range"))
    return InputError(place, line + "a number is out of the range of its type", remedy);
  if (contains(text, "expected format is"))
    return InputError(place, line + "a cell is not of the format of a date or time", remedy);
  if (contains(text, "Conversion Error"))
    return InputError(place, line + "a cell cannot be converted to another type", remedy);
  return std::nullopt;
}

InputError explain_content(const std::string& text, const std::string& source) {
  const InputPlace place{.source = source};
  if (auto conversion = explain_conversion(text, source)) return *std::move(conversion);
  if (contains(text, "utf-8") || contains(text, "unicode") || contains(text, "UTF"))
    if (contains(text, "not utf-8") || contains(text, "Invalid unicode") || contains(text, "Invalid UTF"))
      return {place, fmt::format("line {} is not valid UTF-8 text", line_number(text)),
              "Save the file as UTF-8."};
  if (contains(text, "sniffing"))
    return {place,
            "this is not a regular table: rows differ in their number of columns, or it is no text file",
            "Check the delimiter (set `delimiter`), stray quotes and whether it is the right file."};
  if (contains(text, "Expected Number of Columns"))
    return {place, fmt::format("line {} has another number of columns than the header", line_number(text)),
            "Correct the line, or set `delimiter`."};
  if (contains(text, "CSV Error"))
    return {place, fmt::format("line {} cannot be read", line_number(text)),
            "Look for an unclosed quote or a broken line there."};
  if (contains(text, "arquet") || contains(text, "magic bytes") || contains(text, "TProtocol"))
    return {place, "this is not a whole Parquet file", "Copy or export it again."};
  if (contains(text, "JSON"))
    return {place, fmt::format("line {} is not valid JSON", line_number(text)),
            "Write one JSON object on each line."};
  if (source.ends_with(".query"))
    return {place, "the query fails on a row (a conversion or a computation)",
            "Use TRY_CAST, or correct the rows."};
  return {place, "its content cannot be read",
          "Check that the file is whole and of the format its name says."};
}

InputError explain_file(const std::string& text, const std::string& source) {
  const InputPlace place{.source = source};
  if (contains(text, kTooManyFiles))
    return {place, "too many files are open", "Raise the limit (ulimit -n)."};
  if (contains(text, kDiskFails))
    return {place, "the disk cannot be read", "Check the disk, or copy the file again."};
  if (contains(text, "No files found") || contains(text, "No such file")) {
    const std::string name = quoted_part(text);  // of the query or the spec: what the user wrote
    return {
        place,
        name.empty() || !source.ends_with(".query") ? "there is no such file" : "there is no file " + name,
        "Correct the path; relative paths start at the folder of the spec."};
  }
  if (contains(text, "http") || contains(text, "s3://"))
    return {place, "files on a network are not read", "Copy the file here first."};
  if (contains(text, "ermission"))
    return {place, "the file may not be read", "Ask for permission to read it."};
  if (contains(text, "not a valid DuckDB"))
    return {place, "this is not a DuckDB database file", "Check the path and the format."};
  if (contains(text, "ould not write") || contains(text, "annot write"))
    return {place, "cannot be written", "Write to a folder that you may change."};
  return explain_content(text, source);
}

}  // namespace

void throw_if(duckdb_error_data error) {
  const std::string text =
      error != nullptr && duckdb_error_data_has_error(error) ? duckdb_error_data_message(error) : "";
  duckdb_destroy_error_data(&error);
  if (!text.empty()) throw_engine_error(text.c_str());
}

bool EngineError::lies_with_the_machine() const {
  return kind_ == Kind::Memory || kind_ == Kind::DiskFull ||
         (kind_ == Kind::File && (contains(text_, kTooManyFiles) || contains(text_, kDiskFails)));
}

InputError explain(const EngineError& error, const std::string& source) {
  const std::string& text = error.private_text();
  switch (error.kind()) {
    case EngineError::Kind::Statement:
      return {{.source = source}, statement_problem(text), "Correct the query or the names in the spec."};
    case EngineError::Kind::Memory:
      if (contains(text, kNoThread))
        return {{.source = source},
                "no more threads can be started, for want of memory or of threads allowed",
                "Raise the limits (ulimit -u, ulimit -v), or use --threads 1."};
      return {{.source = source},
              "the data needs more memory than there is, or than is allowed",
              "Raise --memory, or use a larger machine."};
    case EngineError::Kind::DiskFull:
      return {{.source = source}, "the disk is full", "Make room on the disk, or write elsewhere."};
    case EngineError::Kind::File:
      return explain_file(text, source);
    case EngineError::Kind::Content:
    case EngineError::Kind::Other:
      return explain_content(text, source);
  }
  return {{.source = source}, "cannot be read", "Check the file."};
}

Chunk::Chunk(void* handle, Owner owner)
    : handle_(handle),
      rows_(duckdb_data_chunk_get_size(chunk_of(handle))),
      owner_(owner),
      columns_(duckdb_data_chunk_get_column_count(chunk_of(handle))) {
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk_of(handle), column);
    columns_[column] = {duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
  }
}

Chunk::~Chunk() {
  if (owner_ == Owner::Engine) return;
  auto chunk = chunk_of(handle_);
  duckdb_destroy_data_chunk(&chunk);
}

Chunk::Chunk(Chunk&& other) noexcept
    : handle_(other.handle_), rows_(other.rows_), owner_(other.owner_), columns_(std::move(other.columns_)) {
  other.handle_ = nullptr;
}

std::string_view Chunk::text(std::size_t column, std::size_t row) const {
  auto& text = static_cast<duckdb_string_t*>(columns_[column].cells)[row];
  const bool inlined = text.value.inlined.length <= sizeof(text.value.inlined.inlined);
  return {inlined ? text.value.inlined.inlined : text.value.pointer.ptr, text.value.inlined.length};
}

/// "2GB", "1.5 GiB".
double bytes_of(const std::string& amount) {
  char* unit = nullptr;
  const double number = std::strtod(amount.c_str(), &unit);
  while (*unit == ' ') ++unit;
  const std::string_view name = unit;
  const double base = name.size() == 3 && name[1] == 'i' ? 1024 : 1000;
  const auto power = std::string_view("BKMGT").find(name.empty() ? '?' : name[0]);
  if (!(number > 0) || power == std::string_view::npos || name.back() != 'B')
    throw InputError({.source = "memory"}, "expected an amount of memory", "Write it like 2GB or 500MB.");
  return number * std::pow(base, static_cast<double>(power));
}

struct Engine::State {
  /// Where the engine puts what does not fit into memory. It outlives the database.
  TemporaryPath spill{make_temporary_folder("spill")};
  std::size_t memory_for_rows = 0;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  Progress progress;
  std::string stage = "reading";

  ~State() {
    if (connection != nullptr) leave();
    duckdb_close(&database);
  }

  /// A task that was interrupted may still be unwinding on a thread of the engine (1.4.4) when its query
  /// counts as over, and it touches the connection as its last act. One thread is the caller's own: asking
  /// for it joins all others while the connection lives. The statement after it is what carries the change
  /// out.
  void leave() {
    for (const char* sql : {"SET threads = 1", "SELECT 1"}) duckdb_query(connection, sql, nullptr);
    duckdb_disconnect(&connection);
  }

  void report_progress() const {
    const double percent = duckdb_query_progress(connection).percentage;  // -1 while the engine cannot tell
    progress.report(stage, std::max(percent, 0.0), percent > 0 ? 100 : 0);
  }

  /// Other threads of the engine may be at work: they must have noticed before anything is destroyed.
  void interrupt(const Pending& pending) const {
    duckdb_interrupt(connection);
    for (;;) {
      const auto state = duckdb_pending_execute_task(pending.handle);
      if (state == DUCKDB_PENDING_ERROR || duckdb_pending_execution_is_finished(state)) return;
    }
  }

  /// Runs in small tasks, so that a stop request is seen within milliseconds.
  void execute(const std::string& sql, Result& result) {
    Statement statement;
    if (duckdb_prepare(connection, sql.c_str(), &statement.handle) != DuckDBSuccess)
      throw_engine_error(duckdb_prepare_error(statement.handle));
    Pending pending;
    if (duckdb_pending_prepared_streaming(statement.handle, &pending.handle) != DuckDBSuccess)
      throw_engine_error(duckdb_pending_error(pending.handle));
    for (;;) {
      const auto state = duckdb_pending_execute_task(pending.handle);
      if (state == DUCKDB_PENDING_ERROR) throw_engine_error(duckdb_pending_error(pending.handle));
      if (duckdb_pending_execution_is_finished(state)) break;
      if (progress.stop_requested()) {
        interrupt(pending);
        throw Stopped();
      }
      report_progress();
    }
    if (duckdb_execute_pending(pending.handle, &result.handle) != DuckDBSuccess)
      throw_engine_error(duckdb_result_error(&result.handle));
    result.streaming = true;
  }
};

namespace {

/// The allocator of the engine ends the process where it finds no room for a new thread's first bytes. Below
/// this much of free addresses (ulimit -v) it is not even started.
void require_room() {
  constexpr std::size_t kRoom = std::size_t{64} << 20;
  void* room = ::mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, kRoom);
}

}  // namespace

Engine::Engine(const EngineSettings& settings, const Progress& progress) : state_(std::make_shared<State>()) {
  state_->progress = progress;
  require_room();
  char* reason = nullptr;
  if (duckdb_open_ext(nullptr, &state_->database, nullptr, &reason) != DuckDBSuccess) {
    const std::string text = reason == nullptr ? "" : reason;
    duckdb_free(reason);
    throw_engine_error(text.c_str());
  }
  if (duckdb_connect(state_->database, &state_->connection) != DuckDBSuccess) throw std::bad_alloc();
  run("SET autoinstall_known_extensions = false");
  run("SET autoload_known_extensions = false");
  run("SET enable_progress_bar = true");  // counted, and reported by us
  run("SET enable_progress_bar_print = false");
  run("SET temp_directory = " + quoted_text(state_->spill.path().string()));
  run("SET file_search_path = " + quoted_text(std::filesystem::absolute(settings.folder).string()));
  if (settings.threads > 0) run(fmt::format("SET threads = {}", settings.threads));
  // The engine's limit is for its own buffers, and a sort or a join may exceed it by some; people, rows and
  // tables of ours need room beside it.
  const double memory = bytes_of(
      settings.memory.empty() ? texts("SELECT current_setting('memory_limit')").at(0) : settings.memory);
  run(fmt::format("SET memory_limit = '{}KB'", std::max(1.0, std::floor(memory / 2 / 1000))));
  state_->memory_for_rows = static_cast<std::size_t>(memory / 16);
  for (const auto& table : settings.tables) add_table(table);
  if (settings.only_in.empty()) return;
  // The engine refuses to take either back while it runs. Its lock_configuration would also lock what leave()
  // has to set.
  run(fmt::format("SET allowed_directories = [{}, {}]",
                  quoted_text((std::filesystem::canonical(settings.only_in) / "").string()),
                  quoted_text((state_->spill.path() / "").string())));
  run("SET enable_external_access = false");
}

std::size_t Engine::memory_for_rows() const { return state_->memory_for_rows; }

Engine::~Engine() = default;

void* Engine::connection() const { return state_->connection; }

void Engine::set_stage(std::string stage) {
  state_->stage = std::move(stage);
  state_->progress.report(state_->stage, 0, 0);
}

void Engine::run(const std::string& sql) {
  query(sql, [](const Chunk&) {});
}

void Engine::query(const std::string& sql, const std::function<void(const Chunk&)>& visit) {
  Result result{.connection = state_->connection};
  state_->execute(sql, result);
  while (duckdb_data_chunk handle = duckdb_fetch_chunk(result.handle)) {
    const Chunk chunk(handle);
    visit(chunk);
    state_->progress.throw_if_stopped();
  }
  result.streaming = false;
  throw_if_failed(result.handle);
}

std::vector<std::int64_t> Engine::integers(const std::string& sql) {
  std::vector<std::int64_t> row(describe("(" + sql + ")").size(), 0);
  query(sql, [&](const Chunk& chunk) {
    for (std::size_t column = 0; column < row.size(); ++column)
      if (!chunk.is_null(column, 0)) row[column] = chunk.integers(column)[0];
  });
  return row;
}

std::vector<double> Engine::doubles(const std::string& sql) {
  std::vector<double> row(describe("(" + sql + ")").size(), std::numeric_limits<double>::quiet_NaN());
  query(sql, [&](const Chunk& chunk) {
    for (std::size_t column = 0; column < row.size(); ++column)
      if (!chunk.is_null(column, 0)) row[column] = chunk.doubles(column)[0];
  });
  return row;
}

std::vector<std::string> Engine::texts(const std::string& sql) {
  std::vector<std::string> column;
  query(sql, [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) column.emplace_back(chunk.text(0, row));
  });
  return column;
}

namespace {

/// Names and types of a result, as Arrow has them.
ArrowOwned<ArrowSchema> arrow_schema(duckdb_result& result, duckdb_arrow_options options) {
  std::vector<duckdb_logical_type> types;
  std::vector<const char*> names;
  for (idx_t c = 0; c < duckdb_column_count(&result); ++c) {
    types.push_back(duckdb_column_logical_type(&result, c));
    names.push_back(duckdb_column_name(&result, c));
  }
  ArrowOwned<ArrowSchema> schema;
  duckdb_error_data error =
      duckdb_to_arrow_schema(options, types.data(), names.data(), types.size(), schema.get());
  for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
  throw_if(error);
  return schema;
}

struct ArrowOptions {
  duckdb_arrow_options handle;
  ~ArrowOptions() { duckdb_destroy_arrow_options(&handle); }
};

}  // namespace

ArrowRows Engine::arrow(const std::string& sql) {
  Result result{.connection = state_->connection};
  state_->execute(sql, result);
  const ArrowOptions options{duckdb_result_get_arrow_options(&result.handle)};
  ArrowRows rows{.schema = arrow_schema(result.handle, options.handle), .batches = {}};
  while (duckdb_data_chunk handle = duckdb_fetch_chunk(result.handle)) {
    const Chunk chunk(handle);
    if (chunk.rows() == 0) continue;
    ArrowOwned<ArrowArray> batch;
    throw_if(duckdb_data_chunk_to_arrow(options.handle, handle, batch.get()));
    rows.batches.push_back(std::move(batch));
    state_->progress.throw_if_stopped();
  }
  result.streaming = false;
  throw_if_failed(result.handle);
  return rows;
}

std::vector<Column> Engine::describe(const std::string& relation) {
  return describe_query("SELECT * FROM " + relation);
}

std::vector<Column> Engine::describe_query(const std::string& query_text) {
  std::vector<Column> columns;
  query("SELECT column_name, column_type FROM (DESCRIBE " + query_text + "\n)", [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row)
      columns.push_back({std::string(chunk.text(0, row)), std::string(chunk.text(1, row))});
  });
  return columns;
}

void Engine::check_is_one_statement(const std::string& sql) {
  Extracted extracted;
  const idx_t count = duckdb_extract_statements(state_->connection, sql.c_str(), &extracted.handle);
  if (count == 0) {
    const char* text = duckdb_extract_statements_error(extracted.handle);
    throw EngineError(EngineError::Kind::Statement, text == nullptr ? "it is empty" : text);
  }
  if (count > 1) throw EngineError(EngineError::Kind::Statement, "it holds more than one statement");
}

Engine::Appender::Appender(Engine& engine, const std::string& table) {
  duckdb_appender appender = nullptr;
  const auto state = duckdb_appender_create(engine.state_->connection, nullptr, table.c_str(), &appender);
  handle_ = appender;
  if (state != DuckDBSuccess) throw_engine_error(duckdb_appender_error(appender));
}

Engine::Appender::~Appender() {
  auto appender = static_cast<duckdb_appender>(handle_);
  duckdb_appender_destroy(&appender);
}

void Engine::Appender::row(std::initializer_list<Cell> cells) {
  const auto appender = static_cast<duckdb_appender>(handle_);
  struct Append {
    duckdb_appender to;
    duckdb_state operator()(std::int64_t value) const { return duckdb_append_int64(to, value); }
    duckdb_state operator()(double value) const { return duckdb_append_double(to, value); }
    duckdb_state operator()(std::string_view value) const {
      return duckdb_append_varchar_length(to, value.data(), value.size());
    }
  };
  for (const Cell& cell : cells)
    if (std::visit(Append{appender}, cell) != DuckDBSuccess)
      throw_engine_error(duckdb_appender_error(appender));
  if (duckdb_appender_end_row(appender) != DuckDBSuccess) throw_engine_error(duckdb_appender_error(appender));
}

void Engine::Appender::close() {
  const auto appender = static_cast<duckdb_appender>(handle_);
  if (duckdb_appender_close(appender) != DuckDBSuccess) throw_engine_error(duckdb_appender_error(appender));
}

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char letter : text) {
    if (letter == quote) result += quote;
    result += letter;
  }
  return result + quote;
}

/// Among [ and ] a letter of a pattern stands for itself.
std::string as_plain_name(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (is_pattern(name) && name.find('\\') != name.npos)
    throw InputError({.source = name},
                     "the table engine cannot read a path with a backslash and one of [ ? *",
                     "Rename the file or its folder.");
  std::string plain;
  for (const char letter : name)
    plain += is_pattern({&letter, 1}) ? std::string{'[', letter, ']'} : std::string{letter};
  return plain;
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

bool is_pattern(std::string_view name) { return name.find_first_of("[?*") != name.npos; }

std::string quoted_file(const std::filesystem::path& file) {
  return quoted_text(as_plain_name(std::filesystem::absolute(file)));
}

std::string quoted_pattern(const std::filesystem::path& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  return quoted_text(as_plain_name(folder) + "/" + file.filename().string());
}

}  // namespace hyobscure::data
