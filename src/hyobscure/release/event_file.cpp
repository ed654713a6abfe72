#include "hyobscure/release/event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <fstream>
#include <numeric>
#include <unordered_set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/data/read/value_spellings.h"

namespace hyobscure::release {
namespace {

constexpr std::size_t kRowsOfBlock = 122'880;  // of a row group of Parquet, as the engine has them

std::optional<std::int64_t> parsed_number(std::string_view text, CellType type) {
  const char* end = text.data() + text.size();
  if (type == CellType::UInt64) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(static_cast<std::int64_t>(number))
                                                     : std::nullopt;
  }
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

/// Most values are small whole numbers, which a table finds faster than a hash.
constexpr std::size_t kSmallNumbers = 256;

std::optional<std::size_t> small_number(double value) {
  if (!(value >= 0 && value < static_cast<double>(kSmallNumbers))) return std::nullopt;
  const auto number = static_cast<std::size_t>(value);
  return static_cast<double>(number) == value ? std::optional(number) : std::nullopt;
}

bool is_text_or_whole(CellType type) { return type != CellType::Float && type != CellType::Double; }

/// Doubles that are not yet told apart by a BIGINT.
bool are_exact(const data::SparseRows& rows) {
  constexpr double kExact = 9007199254740992;  // 2^53
  std::atomic<bool> exact = true;
  parallel_blocks(rows.entries(), 1 << 20, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      if (std::abs(rows.values[n]) >= kExact) exact = false;
  });
  return exact;
}

/// The distinct values of the rows; absent where there are too many to ask for the text of each.
std::optional<std::vector<double>> distinct_values(const data::SparseRows& rows) {
  constexpr std::size_t kMost = 65'536, kEntries = 1 << 20;
  std::vector<std::unordered_set<double>> found(block_count(rows.entries(), kEntries));
  parallel_blocks(rows.entries(), kEntries, [&](std::size_t begin, std::size_t end) {
    auto& values = found[begin / kEntries];
    double last = rows.values[begin];
    values.insert(last);
    for (std::size_t n = begin; n < end && values.size() <= kMost; ++n)
      if (rows.values[n] != last) values.insert(last = rows.values[n]);
  });
  std::unordered_set<double> all;
  for (const auto& values : found) {
    all.insert(values.begin(), values.end());
    if (all.size() > kMost) return std::nullopt;
  }
  return std::vector(all.begin(), all.end());
}

/// A file that grows at its end and knows its hash.
class HashedFile {
 public:
  explicit HashedFile(const std::filesystem::path& path)
      : path_(path), stream_(path, std::ios::binary | std::ios::trunc) {}

  void append(std::string_view bytes) {
    hash_.add(bytes);
    if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) throw_full();
  }
  std::string finish() {
    stream_.close();
    if (!stream_) throw_full();
    return hash_.finish();
  }

 private:
  [[noreturn]] void throw_full() const {
    throw data::EngineError(data::EngineError::Kind::DiskFull, "cannot write " + path_.string());
  }

  std::filesystem::path path_;
  std::ofstream stream_;
  Sha256 hash_;
};

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

/// Events that follow each other in the release.
struct EventFile::Block {
  std::vector<CellRun> people;  ///< places in the release
  std::vector<std::uint32_t> items;
  std::vector<double> values;  ///< where there is a column of values
};

/// Where the events of each person stand in the release.
class EventFile::Walk {
 public:
  Walk(const EventFile& file, const PublishedIds& ids, const data::SparseRows& rows,
       std::span<const std::uint32_t> donor_of)
      : file_(file), ids_(ids), rows_(rows), donor_of_(donor_of), starts_(donor_of.size() + 1, 0) {
    parallel_blocks(donor_of.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin; place < end; ++place) starts_[place + 1] = events_of(donor_at(place));
    });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  }

  std::size_t events() const { return starts_.back(); }
  std::string id_at(std::size_t place) const { return ids_.id(ids_.person_at(place)); }

  Block block(std::size_t first, std::size_t last) const {
    Block block;
    block.items.reserve(last - first);
    if (file_.has_values_) block.values.reserve(last - first);
    auto place = static_cast<std::size_t>(std::ranges::upper_bound(starts_, first) - starts_.begin()) - 1;
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (; place + 1 < starts_.size() && starts_[place] < last; ++place) {
      const std::size_t skipped = first > starts_[place] ? first - starts_[place] : 0;
      const std::size_t before = block.items.size();
      append(donor_at(place), skipped, last - std::max(first, starts_[place]), entries, block);
      if (block.items.size() > before)
        block.people.push_back(
            {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(block.items.size() - before)});
    }
    return block;
  }

 private:
  std::uint32_t donor_at(std::size_t place) const { return donor_of_[ids_.person_at(place)]; }

  std::size_t events_of(std::uint32_t person) const {
    const auto row = rows_[person];
    if (file_.has_values_) return row.items.size();
    return static_cast<std::size_t>(std::accumulate(row.values.begin(), row.values.end(), 0.0));
  }

  /// At most `most` events of a person, after those that are skipped.
  void append(std::uint32_t person, std::size_t skipped, std::size_t most,
              std::vector<std::pair<std::uint32_t, double>>& entries, Block& block) const {
    const auto row = rows_[person];
    if (file_.has_values_ && file_.item_order_.empty()) {
      const std::size_t count = std::min(most, row.items.size() - skipped);
      const auto items = row.items.subspan(skipped, count);
      const auto values = row.values.subspan(skipped, count);
      block.items.insert(block.items.end(), items.begin(), items.end());
      block.values.insert(block.values.end(), values.begin(), values.end());
      return;
    }
    entries.clear();
    for (std::size_t e = 0; e < row.items.size(); ++e) entries.emplace_back(row.items[e], row.values[e]);
    if (!file_.item_order_.empty())
      std::ranges::sort(entries, {}, [&](const auto& entry) { return file_.item_order_[entry.first]; });
    for (const auto& [item, value] : entries) {
      const std::size_t events = file_.has_values_ ? 1 : static_cast<std::size_t>(value);
      const std::size_t left_out = std::min(skipped, events), count = std::min(most, events - left_out);
      block.items.insert(block.items.end(), count, item);
      if (file_.has_values_) block.values.insert(block.values.end(), count, value);
      skipped -= left_out;
      most -= count;
      if (most == 0) return;
    }
  }

  const EventFile& file_;
  const PublishedIds& ids_;
  const data::SparseRows& rows_;  ///< of donors
  std::span<const std::uint32_t> donor_of_;
  std::vector<std::size_t> starts_;  ///< of the events of who is at a place
};

std::optional<EventFile> EventFile::plan(data::Engine& engine, const data::Spec& spec,
                                         const data::Reading& reading, const Layout& layout) {
  if (!reading.event_cells) return std::nullopt;
  EventFile file(reading);
  file.parquet_ = layout.parquet;
  file.has_values_ = !spec.events.value.empty();
  const bool kept = spec.release.ids == data::PublishedIds::Keep;
  std::vector<std::pair<std::string, std::string>> columns = {
      {layout.person->name, kept ? layout.person->stored_type : "VARCHAR"}};
  for (const Published& column : layout.event_columns) columns.emplace_back(column.name, column.stored_type);
  for (const auto& [name, type] : columns) {
    const auto known = cell_type_named(type);
    if (!known) return std::nullopt;
    file.columns_.push_back({name, *known});
  }
  if (file.has_values_) file.value_type_ = columns[2].second;
  const bool shuffled = spec.release.order == data::RowOrder::Shuffled;
  if (!is_text_or_whole(file.columns_[0].type) || !file.plan_items(engine, shuffled) ||
      !file.plan_values(engine))
    return std::nullopt;
  return file;
}

bool EventFile::plan_items(data::Engine& engine, bool shuffled) {
  const std::vector<std::string>& items = reading_.items;
  const CellType type = columns_[1].type;
  if (type != CellType::Text) {
    // The order of the engine's hashes of numbers and values together is the engine's to tell.
    if (!is_text_or_whole(type) || shuffled) return false;
    for (const std::string& item : items) {
      const auto number = parsed_number(item, type);
      if (!number) return false;
      item_numbers_.push_back(*number);
    }
  }
  if (!parquet_)
    for (const std::string& item : items) item_cells_.push_back(csv_cell(item));
  order_items(engine, shuffled);
  return true;
}

/// Items that are texts are numbered in the order of a release already.
void EventFile::order_items(data::Engine& engine, bool shuffled) {
  if (item_numbers_.empty() && !shuffled) return;
  std::vector<std::uint32_t> items(reading_.items.size());
  std::iota(items.begin(), items.end(), 0u);
  if (shuffled) {
    items.clear();
    const std::string hashed = !reading_.items_had_once ? "item" : "CAST(item AS hyo_item)";
    number_items(engine, reading_.items);
    engine.query(
        fmt::format("SELECT number FROM (SELECT row_number() OVER () - 1 AS number, item FROM {}) ORDER BY "
                    "hash({}), item",
                    texts_to_select(engine, reading_.items), hashed),
        [&](const data::Chunk& chunk) {
          for (const std::int64_t item : chunk.integers(0)) items.push_back(static_cast<std::uint32_t>(item));
        });
  } else if (columns_[1].type == CellType::UInt64) {
    std::ranges::sort(items, {},
                      [&](std::uint32_t item) { return static_cast<std::uint64_t>(item_numbers_[item]); });
  } else {
    std::ranges::sort(items, {}, [&](std::uint32_t item) { return item_numbers_[item]; });
  }
  item_order_.resize(items.size());
  for (std::uint32_t place = 0; const std::uint32_t item : items) item_order_[item] = place++;
}

bool EventFile::plan_values(data::Engine& engine) {
  if (!has_values_) return true;
  const CellType type = columns_[2].type;
  if (parquet_)
    return type != CellType::Text && (type == CellType::Double || are_exact(reading_.people.features));
  if (!find_value_cells(engine)) return false;
  for (std::size_t number = 0; number < kSmallNumbers; ++number)
    small_value_cells_.push_back(value_cell(static_cast<double>(number)));
  return true;
}

std::string EventFile::value_cell(double value) const {
  const auto found = value_cells_.find(value);
  return ',' + (found == value_cells_.end() ? data::plain_decimal(value) : found->second);
}

bool EventFile::find_value_cells(data::Engine& engine) {
  const data::SparseRows& rows = reading_.people.features;
  const CellType type = columns_[2].type;
  if (type == CellType::Text) {
    for (const auto& [value, text] : reading_.event_cells->spellings) value_cells_[value] = csv_cell(text);
    return true;
  }
  if (is_text_or_whole(type)) return are_exact(rows);
  // How the engine writes what is no whole number.
  const auto values = distinct_values(rows);
  if (!values) return false;
  const std::string numbers = engine.made_rows(
      {{"value", "DOUBLE"}}, [&values, next = std::size_t{0}](data::ChunkMaker& chunk) mutable {
        const std::size_t count = std::min(chunk.most_rows(), values->size() - next);
        for (std::size_t row = 0; row < count; ++row) chunk.doubles(0)[row] = (*values)[next++];
        return count;
      });
  engine.query(fmt::format("SELECT value, CAST(CAST(value AS {}) AS VARCHAR) FROM {}", value_type_, numbers),
               [&](const data::Chunk& chunk) {
                 for (std::size_t row = 0; row < chunk.rows(); ++row)
                   value_cells_[chunk.doubles(0)[row]] = chunk.text(1, row);
               });
  return true;
}

std::string EventFile::csv_of(const Block& block, const Walk& walk) const {
  std::string text;
  text.reserve(block.items.size() * 40);
  std::size_t row = 0;
  for (const CellRun& run : block.people) {
    const std::string person = csv_cell(walk.id_at(run.cell)) + ',';
    for (std::uint32_t n = 0; n < run.rows; ++n, ++row) {
      text += person;
      text += item_cells_[block.items[row]];
      if (has_values_) {
        if (const auto small = small_number(block.values[row]))
          text += small_value_cells_[*small];
        else
          text += value_cell(block.values[row]);
      }
      text += '\n';
    }
  }
  return text;
}

void EventFile::add_people(const Block& block, const Walk& walk, ParquetRowGroup& group) const {
  ParquetCells cells(columns_[0].type);
  std::vector<CellRun> runs = block.people;
  for (std::uint32_t n = 0; n < runs.size(); ++n) {
    const std::string id = walk.id_at(runs[n].cell);
    if (cells.type() == CellType::Text)
      cells.add(id);
    else
      cells.add(parsed_number(id, cells.type()).value());
    runs[n].cell = n;
  }
  group.add_runs(cells, runs);
}

void EventFile::add_items(const Block& block, ParquetRowGroup& group) const {
  constexpr std::uint32_t kUnseen = ~0u;
  ParquetCells cells(columns_[1].type);
  std::vector<std::uint32_t> cell_of_item(reading_.items.size(), kUnseen), cell_of_row(block.items.size());
  for (std::size_t row = 0; row < block.items.size(); ++row) {
    const std::uint32_t item = block.items[row];
    if (cell_of_item[item] == kUnseen) {
      cell_of_item[item] = static_cast<std::uint32_t>(cells.size());
      if (cells.type() == CellType::Text)
        cells.add(reading_.items[item]);
      else
        cells.add(item_numbers_[item]);
    }
    cell_of_row[row] = cell_of_item[item];
  }
  group.add_numbered(cells, cell_of_row);
}

void EventFile::add_values(const Block& block, ParquetRowGroup& group) const {
  constexpr std::size_t kMostDistinct = 4096;
  ParquetCells cells(columns_[2].type);
  constexpr std::uint32_t kUnseen = ~0u;
  std::array<std::uint32_t, kSmallNumbers> cell_of_small;
  cell_of_small.fill(kUnseen);
  std::unordered_map<double, std::uint32_t> cell_of_other;
  std::vector<std::uint32_t> cell_of_row(block.values.size());
  for (std::size_t row = 0; row < block.values.size() && cells.size() <= kMostDistinct; ++row) {
    const auto small = small_number(block.values[row]);
    std::uint32_t& cell =
        small ? cell_of_small[*small] : cell_of_other.emplace(block.values[row], kUnseen).first->second;
    if (cell == kUnseen) {
      cell = static_cast<std::uint32_t>(cells.size());
      cells.add(block.values[row]);
    }
    cell_of_row[row] = cell;
  }
  if (cells.size() <= kMostDistinct) return group.add_numbered(cells, cell_of_row);
  ParquetCells all(columns_[2].type);
  for (const double value : block.values) all.add(value);
  group.add_plain(all);
}

ParquetRowGroup EventFile::parquet_of(const Block& block, const Walk& walk) const {
  ParquetRowGroup group(block.items.size());
  add_people(block, walk, group);
  add_items(block, group);
  if (has_values_) add_values(block, group);
  return group;
}

published::ManifestFile EventFile::write(const std::filesystem::path& path, const PublishedIds& ids,
                                         const data::SparseRows& rows,
                                         std::span<const std::uint32_t> donor_of,
                                         const Progress& progress) const {
  const Walk walk(*this, ids, rows, donor_of);
  HashedFile file(path);
  std::vector<ParquetRowGroup> groups(parquet_ ? block_count(walk.events(), kRowsOfBlock) : 0,
                                      ParquetRowGroup(0));
  std::string head = parquet_head();
  if (!parquet_) {
    head.clear();
    for (const ParquetColumn& column : columns_) head += (head.empty() ? "" : ",") + csv_cell(column.name);
    head += '\n';
  }
  file.append(head);
  make_in_order(
      block_count(walk.events(), kRowsOfBlock),
      [&](std::size_t piece) {
        progress.throw_if_stopped();
        const std::size_t first = piece * kRowsOfBlock;
        const Block block = walk.block(first, std::min(walk.events(), first + kRowsOfBlock));
        if (!parquet_) return csv_of(block, walk);
        groups[piece] = parquet_of(block, walk);
        return groups[piece].take_bytes();
      },
      [&](const std::string& piece) { file.append(piece); });
  if (parquet_) file.append(parquet_end(columns_, groups));
  return {.name = path.filename().string(),
          .rows = static_cast<std::int64_t>(walk.events()),
          .sha256 = file.finish()};
}

}  // namespace hyobscure::release
