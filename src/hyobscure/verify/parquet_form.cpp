#include "hyobscure/verify/parquet_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>

#include "hyobscure/base/json.h"
#include "hyobscure/base/mapped_file.h"
#include "hyobscure/verify/thrift.h"

// The numbers of fields are those of parquet.thrift of the Apache project.

namespace hyobscure::verify {
namespace {

using Type = ThriftReader::Type;

constexpr std::string_view kMagic = "PAR1";

/// Bytes begin .. end - 1 of the file, and what they are.
struct Span {
  std::int64_t begin = 0, end = 0;
};

/// A column of a row group.
struct ColumnPages {
  Span bytes;
  std::int64_t cells = 0;
};

struct Footer {
  std::vector<std::string> columns;
  std::vector<ColumnPages> pages;
  std::vector<Span> indexes;
  std::vector<std::string> wrong;
};

/// Reads a structure of which only some fields may be there.
class Fields {
 public:
  Fields(ThriftReader& reader, std::string what, std::initializer_list<int> allowed,
         std::vector<std::string>& wrong)
      : reader_(reader), what_(std::move(what)), allowed_(allowed), wrong_(wrong) {}

  /// take(id, type) says whether it has read the value; what it leaves is skipped.
  void read(const std::function<bool(int, Type)>& take) {
    reader_.structure([&](int id, Type type) {
      if (!allowed_.contains(id))
        wrong_.push_back(fmt::format("{} has a field ({}) that no table needs", what_, id));
      if (!allowed_.contains(id) || !take(id, type)) reader_.skip(type);
    });
  }

 private:
  ThriftReader& reader_;
  std::string what_;
  std::set<int> allowed_;
  std::vector<std::string>& wrong_;
};

// --- the footer

/// What no file can be is nowhere, so that sums do not wrap.
Span span_of(std::int64_t begin, std::int64_t length) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const bool possible = begin >= 0 && begin < kMost && length >= 0 && length < kMost;
  return possible ? Span{begin, begin + length} : Span{-1, -1};
}

void read_column(ThriftReader& reader, Footer& footer) {
  std::int64_t data = -1, dictionary = -1, length = 0, index = -1, index_length = 0, offsets = -1,
               offsets_length = 0;
  ColumnPages pages;
  Fields(reader, "a column", {2, 3, 4, 5, 6, 7}, footer.wrong).read([&](int id, Type) {
    if (id == 3) {
      Fields(reader, "a column", {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 16}, footer.wrong)
          .read([&](int field, Type) {
            if (field == 5) pages.cells = reader.number();
            if (field == 7) length = reader.number();
            if (field == 9) data = reader.number();
            if (field == 11) dictionary = reader.number();
            return field == 5 || field == 7 || field == 9 || field == 11;
          });
      return true;
    }
    if (id == 4) offsets = reader.number();
    if (id == 5) offsets_length = reader.number();
    if (id == 6) index = reader.number();
    if (id == 7) index_length = reader.number();
    return id >= 4;
  });
  // Spark names a dictionary of no bytes at 0, or none.
  const std::int64_t begin = dictionary > 0 ? std::min(dictionary, data) : data;
  pages.bytes = span_of(begin, length);
  footer.pages.push_back(pages);
  if (index_length != 0) footer.indexes.push_back(span_of(index, index_length));
  if (offsets_length != 0) footer.indexes.push_back(span_of(offsets, offsets_length));
}

void read_row_group(ThriftReader& reader, Footer& footer) {
  Fields(reader, "a row group", {1, 2, 3, 5, 6, 7}, footer.wrong).read([&](int id, Type) {
    if (id == 1) reader.list([&](Type) { read_column(reader, footer); });
    return id == 1;
  });
}

/// The schema is a tree, written parents first; a list has elements of its own below it.
void read_schema(ThriftReader& reader, Footer& footer) {
  std::vector<std::int64_t> still_to_come;  // children of the root, of its child, and so on
  reader.list([&](Type) {
    std::string name;
    std::int64_t children = 0;
    Fields(reader, "the schema", {1, 2, 3, 4, 5, 6, 7, 8, 10}, footer.wrong).read([&](int id, Type) {
      if (id == 4) name = reader.text();
      if (id == 5) children = reader.number();
      return id == 4 || id == 5;
    });
    while (!still_to_come.empty() && still_to_come.back() == 0) still_to_come.pop_back();
    if (still_to_come.size() == 1) footer.columns.push_back(name);
    if (!still_to_come.empty()) --still_to_come.back();
    if (children > 0) still_to_come.push_back(children);
  });
}

/// As Spark 3 and 4 name the types of columns.
bool is_plain_type(const std::string& word) {
  static const std::set<std::string> kPlain = {"string",    "string collate UTF8_BINARY",
                                               "long",      "integer",
                                               "short",     "byte",
                                               "double",    "float",
                                               "date",      "boolean",
                                               "timestamp", "timestamp_ntz"};
  if (kPlain.contains(word)) return true;
  static const std::regex kDecimal(R"(decimal\([0-9]{1,2},[0-9]{1,2}\))");
  return std::regex_match(word, kDecimal);
}

/// The description of columns that Spark adds: names and plain types, and nothing in their metadata.
bool is_schema_of_spark(std::string_view text, const std::vector<std::string>& columns) try {
  const Json schema = parse_json(text);
  Json fields = Json::array();
  for (std::size_t c = 0; c < columns.size() && c < schema.at("fields").size(); ++c) {
    const Json& type = schema.at("fields").at(c).at("type");
    // A list of texts or numbers is described by its elements.
    const bool is_list = type.is_object();
    const std::string word = is_list ? type.at("elementType").get<std::string>() : type.get<std::string>();
    if (!is_plain_type(word)) return false;
    const Json written =
        is_list ? Json({{"type", "array"}, {"elementType", word}, {"containsNull", true}}) : Json(word);
    fields.push_back(
        {{"name", columns[c]}, {"type", written}, {"nullable", true}, {"metadata", Json::object()}});
  }
  return fields.size() == columns.size() && text == Json({{"type", "struct"}, {"fields", fields}}).dump();
} catch (const Json::exception&) {
  return false;
}

bool is_version(std::string_view text) {
  return text.size() <= 24 && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' ||
                  (letter >= 'a' && letter <= 'z');
         });
}

void read_metadata(ThriftReader& reader, Footer& footer) {
  reader.list([&](Type) {
    std::string_view key, value;
    reader.structure([&](int id, Type type) {
      if (id == 1)
        key = reader.text();
      else if (id == 2)
        value = reader.text();
      else
        reader.skip(type);
    });
    const bool known =
        (key == "org.apache.spark.version" && is_version(value)) ||
        (key == "org.apache.spark.sql.parquet.row.metadata" && is_schema_of_spark(value, footer.columns));
    if (!known) footer.wrong.emplace_back("there is metadata beside the columns");
  });
}

/// A program and its version, and nothing behind it.
bool is_writer(std::string_view text) {
  constexpr std::size_t kLongest = 90;
  return text.size() <= kLongest &&
         (text.starts_with("DuckDB version ") || text.starts_with("hyobscure version ") ||
          text.starts_with("parquet-mr version "));
}

Footer read_footer(std::string_view bytes) {
  Footer footer;
  ThriftReader reader(bytes);
  Fields(reader, "the footer", {1, 2, 3, 4, 5, 6, 7}, footer.wrong).read([&](int id, Type) {
    if (id == 2) read_schema(reader, footer);
    if (id == 4) reader.list([&](Type) { read_row_group(reader, footer); });
    if (id == 5) read_metadata(reader, footer);
    if (id == 6 && !is_writer(reader.text()))
      footer.wrong.emplace_back("it names no program that writes releases");
    return id == 2 || id == 4 || id == 5 || id == 6;
  });
  if (reader.place() != bytes.size()) footer.wrong.emplace_back("there are bytes behind the footer");
  return footer;
}

// --- pages

void check_pages(std::string_view file, const ColumnPages& pages, std::vector<std::string>& wrong) {
  constexpr std::int64_t kData = 0, kDictionary = 2, kDataOfVersion2 = 3;
  std::int64_t at = pages.bytes.begin, cells = 0;
  while (at < pages.bytes.end) {
    ThriftReader reader(
        file.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(pages.bytes.end - at)));
    std::int64_t type = -1, compressed = -1, page_cells = 0;
    const auto number_of_cells = [&](std::initializer_list<int> allowed) {
      Fields(reader, "a page", allowed, wrong).read([&](int id, Type) {
        if (id == 1) page_cells = reader.number();
        return id == 1;
      });
      return true;
    };
    Fields(reader, "a page", {1, 2, 3, 4, 5, 7, 8}, wrong).read([&](int id, Type) {
      if (id == 1) type = reader.number();
      if (id == 3) compressed = reader.number();
      if (id == 5) return number_of_cells({1, 2, 3, 4, 5});
      if (id == 7) return number_of_cells({1, 2, 3});
      if (id == 8) return number_of_cells({1, 2, 3, 4, 5, 6, 7, 8});
      return id == 1 || id == 3;
    });
    if (compressed < 0 || (type != kData && type != kDictionary && type != kDataOfVersion2))
      throw NotThrift("a page is none of a column");
    if (type != kDictionary) cells += page_cells;
    at += static_cast<std::int64_t>(reader.place());
    if (compressed > pages.bytes.end - at) throw NotThrift("a page ends behind its column");
    at += compressed;
  }
  if (cells != pages.cells) wrong.emplace_back("pages are not those that the footer counts");
}

/// From the first byte behind the magic to the footer, without a gap and without two that overlap.
void check_tiles(std::vector<Span> spans, std::int64_t end, std::vector<std::string>& wrong) {
  std::ranges::sort(spans, {}, &Span::begin);
  auto at = static_cast<std::int64_t>(kMagic.size());
  for (const Span& span : spans) {
    if (span.begin != at || span.end < span.begin) {
      wrong.emplace_back("there are bytes that belong to no column");
      return;
    }
    at = span.end;
  }
  if (at != end) wrong.emplace_back("there are bytes that belong to no column");
}

std::vector<std::string> look_at(std::string_view file) {
  constexpr std::size_t kEnds = 12;  // the magic twice, and the length of the footer
  if (file.size() < kEnds || !file.starts_with(kMagic) || !file.ends_with(kMagic))
    return {"it is no Parquet file"};
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + file.size() - 8, sizeof length);
  if (length > file.size() - kEnds) return {"its footer is longer than the file"};
  const std::size_t end = file.size() - 8 - length;
  Footer footer = read_footer(file.substr(end, length));
  std::vector<Span> spans = footer.indexes;
  for (const ColumnPages& pages : footer.pages) spans.push_back(pages.bytes);
  check_tiles(spans, static_cast<std::int64_t>(end), footer.wrong);
  if (footer.wrong.empty())
    for (const ColumnPages& pages : footer.pages) check_pages(file, pages, footer.wrong);
  for (const Span& index : footer.indexes) {
    if (!footer.wrong.empty()) break;
    const auto bytes =
        file.substr(static_cast<std::size_t>(index.begin), static_cast<std::size_t>(index.end - index.begin));
    ThriftReader reader(bytes);
    reader.skip(Type::Struct);
    if (reader.place() != bytes.size()) footer.wrong.emplace_back("an index has bytes of its own");
  }
  std::ranges::sort(footer.wrong);
  footer.wrong.erase(std::unique(footer.wrong.begin(), footer.wrong.end()), footer.wrong.end());
  return footer.wrong;
}

}  // namespace

std::vector<std::string> what_else_is_in_parquet(const std::filesystem::path& file) try {
  const MappedFile mapped(file);
  return look_at({reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()});
} catch (const NotThrift& error) {
  return {fmt::format("its description cannot be read: {}", error.what())};
}

}  // namespace hyobscure::verify
