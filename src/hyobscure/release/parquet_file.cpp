#include "hyobscure/release/parquet_file.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "hyobscure/base/version.h"

namespace hyobscure::release {
namespace {

// The numbers of parquet.thrift.
constexpr int kDataPage = 0, kDictionaryPage = 2;
constexpr int kPlain = 0, kRle = 3, kRleDictionary = 8;
constexpr int kZstd = 6;
constexpr int kOptional = 1;

struct StoredType {
  CellType type;
  std::string_view name;  ///< the engine's
  int physical;           ///< 1: INT32, 2: INT64, 4: FLOAT, 5: DOUBLE, 6: BYTE_ARRAY
  int converted;          ///< what the physical type stands for; -1: itself
};

constexpr StoredType kTypes[] = {
    {CellType::Text, "VARCHAR", 6, 0},      {CellType::Int8, "TINYINT", 1, 15},
    {CellType::Int16, "SMALLINT", 1, 16},   {CellType::Int32, "INTEGER", 1, 17},
    {CellType::Int64, "BIGINT", 2, 18},     {CellType::UInt8, "UTINYINT", 1, 11},
    {CellType::UInt16, "USMALLINT", 1, 12}, {CellType::UInt32, "UINTEGER", 1, 13},
    {CellType::UInt64, "UBIGINT", 2, 14},   {CellType::Float, "FLOAT", 4, -1},
    {CellType::Double, "DOUBLE", 5, -1},
};

const StoredType& stored(CellType type) { return *std::ranges::find(kTypes, type, &StoredType::type); }

template <class Number>
std::string plain_bytes(Number number) {
  static_assert(std::endian::native == std::endian::little, "Parquet stores numbers so");
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(Number));
  return bytes;
}

void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

/// Thrift's compact protocol, as far as Parquet's metadata need it.
class Thrift {
 public:
  void field(int id, std::int64_t number) { begin(id, 6), append_varint(text_, zigzag(number)); }
  void field(int id, int number) { begin(id, 5), append_varint(text_, zigzag(number)); }
  void field(int id, std::string_view text) { begin(id, 8), append_text(text); }
  template <class Fill>
  void structure(int id, Fill&& fill) {
    begin(id, 12), element(fill);
  }
  template <class List, class Fill>
  void structures(int id, const List& list, Fill&& fill) {
    begin_list(id, 12, std::size(list));
    for (const auto& each : list) element([&] { fill(each); });
  }
  void numbers(int id, std::initializer_list<int> list) {
    begin_list(id, 5, list.size());
    for (const int number : list) append_varint(text_, zigzag(number));
  }
  void texts(int id, std::initializer_list<std::string_view> list) {
    begin_list(id, 8, list.size());
    for (const std::string_view text : list) append_text(text);
  }
  /// Ends the outermost structure.
  std::string finish() { return std::move(text_ += '\0'); }

 private:
  static std::uint64_t zigzag(std::int64_t number) {
    return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
  }
  void begin(int id, int type) {
    text_ += static_cast<char>((id - last_id_) << 4 | type);
    last_id_ = id;
  }
  void begin_list(int id, int type, std::size_t size) {
    begin(id, 9);
    if (size < 15) {
      text_ += static_cast<char>(static_cast<int>(size) << 4 | type);
    } else {
      text_ += static_cast<char>(0xf0 | type);
      append_varint(text_, size);
    }
  }
  template <class Fill>
  void element(Fill&& fill) {
    const int outside = std::exchange(last_id_, 0);
    fill();
    text_ += '\0';
    last_id_ = outside;
  }
  void append_text(std::string_view text) {
    append_varint(text_, text.size());
    text_ += text;
  }

  std::string text_;
  int last_id_ = 0;
};

std::string compressed(std::string_view bytes) {
  std::string result(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("zstd does not compress");
  result.resize(size);
  return result;
}

/// Appends a page and returns how long it would be without compression.
template <class Describe>
std::size_t append_page(std::string& out, int type, std::string_view content, Describe&& describe) {
  const std::string packed = compressed(content);
  Thrift header;
  header.field(1, type);
  header.field(2, static_cast<int>(content.size()));
  header.field(3, static_cast<int>(packed.size()));
  describe(header);
  const std::string head = header.finish();
  out += head;
  out += packed;
  return head.size() + content.size();
}

/// Bits of the largest number of a cell.
int width_of(std::size_t cells) { return std::max(1, static_cast<int>(std::bit_width(cells - 1))); }

void append_run(std::string& out, const CellRun& run, int width) {
  append_varint(out, std::uint64_t{run.rows} << 1);
  for (int bit = 0; bit < width; bit += 8) out += static_cast<char>(run.cell >> bit);
}

/// One run of numbers of equal width, in groups of eight.
void append_packed(std::string& out, std::span<const std::uint32_t> numbers, int width) {
  const std::size_t eights = (numbers.size() + 7) / 8;
  append_varint(out, std::uint64_t{eights} << 1 | 1);
  const std::size_t end = out.size() + eights * static_cast<std::size_t>(width);
  std::uint64_t bits = 0;
  int held = 0;
  for (const std::uint32_t number : numbers) {
    bits |= std::uint64_t{number} << held;
    for (held += width; held >= 8; held -= 8, bits >>= 8) out += static_cast<char>(bits);
  }
  if (held > 0) out += static_cast<char>(bits);
  out.resize(end, '\0');
}

}  // namespace

std::optional<CellType> cell_type_named(std::string_view type) {
  const auto found = std::ranges::find(kTypes, type, &StoredType::name);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->type);
}

void ParquetCells::add(std::string_view text) {
  constexpr std::size_t kLongest = 256;  // a bound that is longer than this helps no reader
  has_no_bounds_ = has_no_bounds_ || text.size() > kLongest;
  bytes_ += plain_bytes(static_cast<std::uint32_t>(text.size()));
  bytes_ += text;
  if (size_++ == 0) {
    least_ = greatest_ = text;
  } else if (text < least_) {
    least_ = text;
  } else if (text > greatest_) {
    greatest_ = text;
  }
  if (has_no_bounds_) least_ = greatest_ = "";
}

template <class Compared>
void ParquetCells::remember(Compared cell, std::string_view stated) {
  const auto number = static_cast<double>(cell);
  // Where whole numbers are too large for their order to be told by doubles, a bound may be off.
  if (std::is_integral_v<Compared> && std::abs(number) >= 9007199254740992.0) has_no_bounds_ = true;
  if (size_++ == 0 || number < least_number_) {
    least_number_ = number;
    least_ = stated;
  }
  if (size_ == 1 || number > greatest_number_) {
    greatest_number_ = number;
    greatest_ = stated;
  }
  if (has_no_bounds_) least_ = greatest_ = "";
}

template <class Number>
void ParquetCells::add_number(Number number) {
  switch (type_) {
    case CellType::Int64:
    case CellType::UInt64: {
      const std::string bytes = plain_bytes(static_cast<std::int64_t>(number));
      bytes_ += bytes;
      return remember(number, bytes);
    }
    case CellType::Float: {
      const std::string bytes = plain_bytes(static_cast<float>(number));
      bytes_ += bytes;
      return remember(number, bytes);
    }
    case CellType::Double: {
      const std::string bytes = plain_bytes(static_cast<double>(number));
      bytes_ += bytes;
      return remember(number, bytes);
    }
    default: {
      const std::string bytes = plain_bytes(static_cast<std::int32_t>(static_cast<std::int64_t>(number)));
      bytes_ += bytes;
      return remember(number, bytes);
    }
  }
}

void ParquetCells::add(std::int64_t number) { add_number(number); }
void ParquetCells::add(double number) { add_number(number); }

ParquetRowGroup::Chunk& ParquetRowGroup::begin_chunk(const ParquetCells& cells, bool with_dictionary) {
  Chunk& chunk = chunks_.emplace_back();
  chunk.begin = bytes_.size();
  chunk.least = cells.least();
  chunk.greatest = cells.greatest();
  chunk.has_dictionary = with_dictionary;
  if (with_dictionary)
    chunk.uncompressed += append_page(bytes_, kDictionaryPage, cells.bytes(), [&](Thrift& header) {
      header.structure(7, [&] {
        header.field(1, static_cast<int>(cells.size()));
        header.field(2, kPlain);
      });
    });
  chunk.data_page = bytes_.size();
  return chunk;
}

void ParquetRowGroup::add_data_page(Chunk& chunk, int encoding, std::string_view cells) {
  std::string present;  // of every row: the cell is there
  append_run(present, {.cell = 1, .rows = static_cast<std::uint32_t>(rows_)}, 1);
  std::string content = plain_bytes(static_cast<std::uint32_t>(present.size())) + present;
  content += cells;
  chunk.uncompressed += append_page(bytes_, kDataPage, content, [&](Thrift& header) {
    header.structure(5, [&] {
      header.field(1, static_cast<int>(rows_));
      header.field(2, encoding);
      header.field(3, kRle);
      header.field(4, kRle);
    });
  });
  chunk.end = bytes_.size();
}

void ParquetRowGroup::add_runs(const ParquetCells& cells, std::span<const CellRun> runs) {
  const int width = width_of(cells.size());
  std::string content(1, static_cast<char>(width));
  for (const CellRun& run : runs) append_run(content, run, width);
  add_data_page(begin_chunk(cells, true), kRleDictionary, content);
}

void ParquetRowGroup::add_numbered(const ParquetCells& cells, std::span<const std::uint32_t> cell_of_row) {
  const int width = width_of(cells.size());
  std::string content(1, static_cast<char>(width));
  content.reserve(cell_of_row.size() * static_cast<std::size_t>(width) / 8 + 16);
  append_packed(content, cell_of_row, width);
  add_data_page(begin_chunk(cells, true), kRleDictionary, content);
}

void ParquetRowGroup::add_plain(const ParquetCells& cells) {
  add_data_page(begin_chunk(cells, false), kPlain, cells.bytes());
}

std::string parquet_head() { return "PAR1"; }

namespace {

void describe_schema(Thrift& end, std::span<const ParquetColumn> columns) {
  std::vector<const ParquetColumn*> elements = {nullptr};  // the table itself, then its columns
  for (const ParquetColumn& column : columns) elements.push_back(&column);
  end.structures(2, elements, [&](const ParquetColumn* column) {
    if (column == nullptr) {
      end.field(4, "schema");
      end.field(5, static_cast<int>(columns.size()));
      return;
    }
    const StoredType& type = stored(column->type);
    end.field(1, type.physical);
    end.field(3, kOptional);
    end.field(4, column->name);
    if (type.converted >= 0) end.field(6, type.converted);
  });
}

void describe_chunk(Thrift& end, const ParquetColumn& column, const ParquetRowGroup::Chunk& chunk,
                    std::int64_t rows, std::int64_t begin) {
  const auto place = [&](std::size_t at) { return begin + static_cast<std::int64_t>(at); };
  end.field(2, place(chunk.begin));
  end.structure(3, [&] {
    end.field(1, stored(column.type).physical);
    if (chunk.has_dictionary)
      end.numbers(2, {kPlain, kRle, kRleDictionary});
    else
      end.numbers(2, {kPlain, kRle});
    end.texts(3, {column.name});
    end.field(4, kZstd);
    end.field(5, rows);
    end.field(6, static_cast<std::int64_t>(chunk.uncompressed));
    end.field(7, static_cast<std::int64_t>(chunk.end - chunk.begin));
    end.field(9, place(chunk.data_page));
    if (chunk.has_dictionary) end.field(11, place(chunk.begin));
    end.structure(12, [&] {
      end.field(3, std::int64_t{0});
      if (chunk.greatest.empty()) return;
      end.field(5, chunk.greatest);
      end.field(6, chunk.least);
    });
  });
}

}  // namespace

std::string parquet_end(std::span<const ParquetColumn> columns, std::span<const ParquetRowGroup> groups) {
  Thrift end;
  end.field(1, 1);
  describe_schema(end, columns);
  std::int64_t rows = 0;
  for (const ParquetRowGroup& group : groups) rows += static_cast<std::int64_t>(group.rows());
  end.field(3, rows);
  auto begin = static_cast<std::int64_t>(parquet_head().size());
  end.structures(4, groups, [&](const ParquetRowGroup& group) {
    const auto group_rows = static_cast<std::int64_t>(group.rows());
    std::int64_t uncompressed = 0;
    for (const auto& chunk : group.chunks()) uncompressed += static_cast<std::int64_t>(chunk.uncompressed);
    end.structures(1, group.chunks(), [&](const ParquetRowGroup::Chunk& chunk) {
      const auto column = static_cast<std::size_t>(&chunk - group.chunks().data());
      describe_chunk(end, columns[column], chunk, group_rows, begin);
    });
    end.field(2, uncompressed);
    end.field(3, group_rows);
    end.field(5, begin);
    const auto size = static_cast<std::int64_t>(group.chunks().back().end);
    end.field(6, size);
    begin += size;
  });
  end.field(6, fmt::format("hyobscure version {}", version()));
  end.structures(7, columns, [&](const ParquetColumn&) { end.structure(1, [] {}); });
  const std::string text = end.finish();
  return text + plain_bytes(static_cast<std::uint32_t>(text.size())) + parquet_head();
}

}  // namespace hyobscure::release
