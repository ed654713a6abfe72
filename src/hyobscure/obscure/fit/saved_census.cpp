#include "hyobscure/obscure/fit/saved_census.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <type_traits>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/mapped_file.h"
#include "hyobscure/base/version.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::obscure {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "numbers are saved as they lie in memory");

constexpr int kFormat = 5;
constexpr const char* kKind = "hyobscure census";
constexpr const char* kCensusFile = "census.json";
constexpr const char* kPeopleFile = "people.bin";  ///< all but the features, and the census
constexpr const char* kItemsFile = "items.bin";
constexpr const char* kValuesFile = "values.bin";

// --- what the census depends on

/// The keys of the spec that decide what is read and how people are clustered.
Json reading_settings(const data::Spec& spec) {
  Json settings = Json::object();
  for (const data::SettingValue& value : data::setting_values(spec)) {
    const std::string section = value.name.substr(0, value.name.find('.'));
    const bool matters = section == "people" || section == "events" || section == "secret" ||
                         value.name == "channel.clusters" || value.name == "channel.distance" ||
                         value.name == "channel.normalise" || value.name == "channel.starts" ||
                         value.name == "method.seed";
    if (matters) settings[value.name] = value.value;
  }
  return settings;
}

std::vector<const data::SourceSpec*> sources(const data::Spec& spec) {
  std::vector<const data::SourceSpec*> all = {&spec.people.source};
  if (spec.is_long()) all.push_back(&spec.events.source);
  return all;
}

fs::path file_of(const data::Spec& spec, const data::SourceSpec& source) {
  const fs::path file = spec.folder / source.file;
  if (!source.query.empty() || !source.table.empty() || !fs::is_regular_file(file))
    throw InputError(
        {.source = spec.name},
        "the census of a query, a database or a pattern of files cannot be saved: nothing would tell "
        "whether the data is still the same",
        "Write the rows to one file first, or leave out --save-census.");
  return file;
}

std::int64_t changed_at(const fs::path& file) { return fs::last_write_time(file).time_since_epoch().count(); }

Json state_of(const fs::path& file) {
  return {{"bytes", fs::file_size(file)}, {"changed", changed_at(file)}, {"sha256", sha256_of_file(file)}};
}

/// The content is read again only where the time of change says that it may be another.
bool is_the_same(const fs::path& file, const Json& state) {
  if (!fs::is_regular_file(file) || fs::file_size(file) != state.at("bytes").get<std::uintmax_t>())
    return false;
  return changed_at(file) == state.at("changed").get<std::int64_t>() ||
         sha256_of_file(file) == state.at("sha256").get<std::string>();
}

// --- one description of the content for both ways

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  explicit Writer(const fs::path& file) : stream_(file, std::ios::binary) {}

  template <Plain T>
  void operator()(const T& number) {
    bytes(&number, sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes(text.data(), text.size());
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    if constexpr (Plain<T>)
      bytes(list.data(), list.size() * sizeof(T));
    else
      for (const T& each : list) describe(*this, each);
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) describe(*this, *value);
  }
  template <class K, class V>
  void operator()(const std::map<K, V>& map) {
    (*this)(map.size());
    for (const auto& [key, value] : map) members(*this, key, value);
  }
  void operator()(const Eigen::MatrixXd& matrix) {
    (*this)(matrix.rows());
    (*this)(matrix.cols());
    bytes(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
  }
  bool good() { return static_cast<bool>(stream_.flush()); }

 private:
  void bytes(const void* from, std::size_t count) {
    stream_.write(static_cast<const char*>(from), static_cast<std::streamsize>(count));
  }
  std::ofstream stream_;
};

/// Throws std::out_of_range where the file ends too early, or a length or a word is none.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> content) : rest_(content) {}

  template <Plain T>
  void operator()(T& number) {
    bytes(&number, sizeof(T));
  }
  void operator()(bool& yes) {
    std::uint8_t byte = 0;
    (*this)(byte);
    if (byte > 1) throw std::out_of_range("yes or no");
    yes = byte == 1;
  }
  void operator()(std::string& text) {
    text.resize(length(1));
    bytes(text.data(), text.size());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(length(Plain<T> ? sizeof(T) : sizeof(std::size_t)));  // nothing else is shorter
    if constexpr (Plain<T>)
      bytes(list.data(), list.size() * sizeof(T));
    else
      for (T& each : list) describe(*this, each);
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool given = false;
    (*this)(given);
    if (given) describe(*this, value.emplace());
  }
  template <class K, class V>
  void operator()(std::map<K, V>& map) {
    for (std::size_t left = length(sizeof(K)); left > 0; --left) {
      K key;
      V value;
      members(*this, key, value);
      map.insert_or_assign(map.end(), std::move(key), std::move(value));
    }
  }
  void operator()(Eigen::MatrixXd& matrix) {
    Eigen::Index rows = 0, columns = 0;
    (*this)(rows);
    (*this)(columns);
    const auto most = static_cast<Eigen::Index>(rest_.size() / sizeof(double));
    if (rows < 0 || columns < 0 || (rows > 0 && columns > most / rows)) throw std::out_of_range("matrix");
    matrix.resize(rows, columns);
    bytes(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::size_t length(std::size_t bytes_each) {
    std::size_t count = 0;
    (*this)(count);
    if (count > rest_.size() / bytes_each) throw std::out_of_range("list");
    return count;
  }
  void bytes(void* to, std::size_t count) {
    if (count > rest_.size()) throw std::out_of_range("content");
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::span<const std::byte> rest_;
};

template <class Archive, class T>
  requires std::is_invocable_v<Archive&, T&>
void describe(Archive& archive, T& value) {
  archive(value);
}
template <class Archive, class... Members>
void members(Archive& archive, Members&... each) {
  (describe(archive, each), ...);
}

template <class T, class U>
concept Is = std::is_same_v<std::remove_const_t<T>, U>;

void describe(auto& archive, Is<data::SecretValue> auto& value) {
  members(archive, value.low, value.high, value.centre, value.distinct);
}
void describe(auto& archive, Is<data::Coordinate> auto& at) {
  members(archive, at.number, at.cell.row, at.cell.column, at.name);
}
void describe(auto& archive, Is<data::Axis> auto& axis) {
  members(archive, axis.column, axis.kind, axis.values);
}
void describe(auto& archive, Is<data::Grid> auto& grid) {
  members(archive, grid.cell_km, grid.south, grid.west, grid.height, grid.width, grid.on_earth);
}
void describe(auto& archive, Is<data::HierarchyNode> auto& node) {
  members(archive, node.name, node.first, node.end, node.children);
}
void describe(auto& archive, Is<data::SecretSpace> auto& space) {
  members(archive, space.axes, space.grid, space.hierarchy, space.names_in_order, space.points,
          space.value_of_point);
}
void describe(auto& archive, Is<data::FeatureColumns::Column> auto& column) {
  members(archive, column.name, column.kind);
}
void describe(auto& archive, Is<data::FeatureColumns> auto& columns) {
  members(archive, columns.columns, columns.of_item, columns.words, columns.nothing);
}
void describe(auto& archive, Is<data::People> auto& people) {
  members(archive, people.ids, people.secrets, people.values, people.space, people.exact, people.exact_values,
          people.features.starts, people.features.columns, people.columns, people.kept,
          people.kept_combinations);
}
void describe(auto& archive, Is<data::ReadCounts> auto& counts) {
  members(archive, counts.people_read, counts.people_outside, counts.people_without_secret,
          counts.people_incomplete, counts.people_without_events, counts.people_with_rare_secret,
          counts.cells_filled, counts.people_of_zeros, counts.events_read, counts.events_incomplete,
          counts.events_unknown, counts.events_telling_home);
}
void describe(auto& archive, Is<data::EventCells> auto& cells) {
  members(archive, cells.are_counts, cells.spellings);
}
void describe(auto& archive, Is<data::ReadContent> auto& read) {
  members(archive, read.people, read.counts, read.secrets_are_whole, read.items, read.items_had_once,
          read.event_cells, read.values_are_whole);
}
void describe(auto& archive, Is<census::Census> auto& census) {
  auto& clustering = census.clustering;
  members(archive, clustering.model.centres, clustering.model.normalise, clustering.cluster_of_row,
          clustering.inertia, clustering.iterations, census.counts, census.pair_sums);
}

// --- whether what was read can be what was written: everything that is an index is one

template <class Number>
bool are_below(const std::vector<Number>& numbers, std::size_t limit) {
  return std::ranges::all_of(numbers,
                             [&](Number number) { return static_cast<std::size_t>(number) < limit; });
}

bool are_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

bool are_finite(const Eigen::MatrixXd& matrix) {
  return are_finite(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

bool ascend(std::span<const std::uint32_t> items) {
  return std::ranges::adjacent_find(items, std::greater_equal{}) == items.end();
}

bool is_whole(const data::SparseRows& rows) {
  const auto& starts = rows.starts;
  if (starts.empty() || starts.front() != 0 || starts.back() != rows.items.size() ||
      rows.items.size() != rows.values.size() || !std::ranges::is_sorted(starts))
    return false;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (!ascend(rows[r].items) || !are_finite(rows[r].values) ||
        (!rows[r].items.empty() && rows[r].items.back() >= rows.columns))
      return false;
  return true;
}

bool is_whole(const data::Axis& axis) {
  return axis.kind == data::AxisKind::Ordered || axis.kind == data::AxisKind::Spatial ||
         axis.kind == data::AxisKind::Categorical;
}

/// Children come after their node, so that there are no circles.
bool is_whole(const std::vector<data::HierarchyNode>& nodes, std::size_t leaves) {
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].first > nodes[n].end || nodes[n].end > leaves ||
        !are_below(nodes[n].children, nodes.size()) ||
        std::ranges::any_of(nodes[n].children, [&](std::uint32_t child) { return child <= n; }))
      return false;
  return true;
}

bool is_whole(const data::SecretSpace& space, std::size_t values) {
  if (space.axes.empty() ||
      !std::ranges::all_of(space.axes, [](const auto& axis) { return is_whole(axis); }) ||
      !is_whole(space.hierarchy, space.axes[0].values.size()) ||
      space.points.size() != space.value_of_point.size() || !are_below(space.value_of_point, values) ||
      !std::ranges::is_sorted(space.points))
    return false;
  return std::ranges::all_of(space.points, [&](const data::SecretSpace::Point& point) {
    return std::ranges::equal(point, space.axes, [](std::uint32_t index, const data::Axis& axis) {
      return index < axis.values.size();
    });
  });
}

bool is_whole(const data::SecretValue& value) {
  return are_finite(std::array{value.low, value.high, value.centre, value.distinct}) &&
         value.low <= value.high && value.distinct >= 1;
}

bool is_whole(const data::FeatureColumns& columns, std::size_t items) {
  if (columns.empty()) return columns.of_item.empty() && columns.words.empty();
  return columns.of_item.size() == items && columns.words.size() == items &&
         are_below(columns.of_item, columns.columns.size()) &&
         columns.nothing.value_or(0) < std::max<std::size_t>(items, 1) &&
         std::ranges::all_of(
             columns.columns, [](const auto& column) { return column.kind <= data::FeatureKind::Set; });
}

bool is_whole(const data::People& people) {
  const std::size_t size = people.size();
  return size > 0 && std::ranges::adjacent_find(people.ids, std::greater_equal{}) == people.ids.end() &&
         people.secrets.size() == size && are_below(people.secrets, people.values.size()) &&
         std::ranges::all_of(people.values, [](const auto& value) { return is_whole(value); }) &&
         (!people.space || is_whole(*people.space, people.values.size())) &&
         (people.kept.empty() || people.kept.size() == size) &&
         are_below(people.kept, people.kept_combinations) &&
         people.kept_combinations <= std::max<std::size_t>(size, 1) && people.features.size() == size &&
         is_whole(people.features) && is_whole(people.columns, people.features.columns);
}

/// Every entry of counts is as many events as it says.
bool is_whole(const data::EventCells& cells, const data::SparseRows& rows) {
  if (!cells.are_counts) return true;
  return std::ranges::all_of(std::span(rows.values.data(), rows.values.size()),
                             [](double count) { return count >= 1 && count == std::floor(count); });
}

bool is_whole(const data::ReadContent& read) {
  const std::size_t items = read.people.features.columns;
  return is_whole(read.people) &&
         (read.people.columns.empty() ? read.items.size() == items : read.items.empty()) &&
         (!read.event_cells || is_whole(*read.event_cells, read.people.features));
}

/// Counted again: everything else rests on these numbers.
bool are_counts(const Eigen::MatrixXd& counts, const data::People& people,
                const std::vector<std::uint32_t>& cluster_of_row, Eigen::Index clusters) {
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(clusters, static_cast<Eigen::Index>(people.values.size()));
  for (std::size_t u = 0; u < people.size(); ++u) expected(cluster_of_row[u], people.secrets[u]) += 1;
  return counts.rows() == expected.rows() && counts.cols() == expected.cols() && counts == expected;
}

bool is_whole(const census::Census& census, const data::People& people) {
  const census::Clustering& clustering = census.clustering;
  const Eigen::Index clusters = clustering.model.clusters();
  const auto values = static_cast<Eigen::Index>(people.values.size());
  return clusters > 0 && clustering.cluster_of_row.size() == people.size() &&
         are_below(clustering.cluster_of_row, static_cast<std::size_t>(clusters)) &&
         clustering.model.centres.cols() == static_cast<Eigen::Index>(people.features.columns) &&
         are_finite(clustering.model.centres) &&
         are_counts(census.counts, people, clustering.cluster_of_row, clusters) &&
         census.pair_sums.rows() == clusters * values && census.pair_sums.cols() == clusters * values &&
         are_finite(census.pair_sums) && census.pair_sums.minCoeff() >= 0;
}

// --- files

/// Private, as the mechanism is.
template <class Number>
void write_numbers(const fs::path& file, const data::Stored<Number>& numbers) {
  write_file(file, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)},
             FileAccess::OwnerOnly);
}

/// The same, without a copy of everything in memory. The folder is still nobody else's.
void write_people(const fs::path& file, const data::ReadContent& read, const census::Census& census,
                  const fs::path& folder) {
  Writer writer(file);
  members(writer, read, census);
  if (!writer.good())
    throw InputError({.source = folder.string()}, "cannot be written",
                     "Make room on the disk, or write elsewhere.");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

[[noreturn]] void throw_broken(const fs::path& folder) {
  throw InputError({.source = folder.string()}, "is no whole census of this version of the program",
                   "Save it again with `hyobscure fit --save-census`.");
}

Json read_description(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kCensusFile))
    throw InputError({.source = folder.string()}, "is no saved census: it has no census.json",
                     "Give the folder that `hyobscure fit --save-census` wrote.");
  Json description;
  try {
    description = parse_json(read_file(folder / kCensusFile));
  } catch (const Json::exception&) {
    throw_broken(folder);
  }
  if (!description.is_object() || description.value("kind", Json()) != kKind ||
      description.value("format", Json()) != kFormat)
    throw_broken(folder);
  return description;
}

void refuse_other_spec(const Json& saved, const data::Spec& spec, const fs::path& folder) {
  const Json now = reading_settings(spec);
  for (const auto& [name, value] : now.items())
    if (saved.value(name, Json()) != value)
      throw InputError({.source = folder.string()},
                       fmt::format("was taken with {} = {}, and the spec says {}", name,
                                   saved.value(name, std::string("nothing")), value.get<std::string>()),
                       "Take a new census (leave out --census), or use the spec that it was taken with.");
}

void refuse_other_data(const Json& saved, const data::Spec& spec, const fs::path& folder) {
  const auto all = sources(spec);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!is_the_same(spec.folder / all[i]->file, saved.at(i)))
      throw InputError({.source = folder.string()},
                       fmt::format("was taken of other data: {} has changed", all[i]->file),
                       "Take a new census (leave out --census).");
}

Json hashes_of(const fs::path& folder) {
  Json hashes = Json::object();
  for (const char* name : {kPeopleFile, kItemsFile, kValuesFile})
    hashes[name] = sha256_of_file(folder / name);
  return hashes;
}

}  // namespace

OurFolder census_folder() {
  return {.marker = kCensusFile,
          .says = fmt::format("\"{}\"", kKind),
          .files = {kPeopleFile, kItemsFile, kValuesFile}};
}

void save_census(const data::ReadContent& read, const census::Census& census, const data::Spec& spec,
                 const fs::path& folder, bool force) {
  const data::People& people = read.people;
  Json files = Json::array();
  for (const data::SourceSpec* source : sources(spec)) files.push_back(state_of(file_of(spec, *source)));
  StagedFolder staged(folder, force, census_folder(), FileAccess::OwnerOnly);
  write_people(staged.path() / kPeopleFile, read, census, folder);
  write_numbers(staged.path() / kItemsFile, people.features.items);
  write_numbers(staged.path() / kValuesFile, people.features.values);
  const Json description = {{"kind", kKind},
                            {"format", kFormat},
                            {"version", version()},
                            {"spec", reading_settings(spec)},
                            {"sources", files},
                            {"people", people.size()},
                            {"entries", people.features.entries()},
                            {"sha256", hashes_of(staged.path())}};
  write_file(staged.path() / kCensusFile, description.dump(2) + "\n", FileAccess::OwnerOnly);
  staged.commit();
}

TakenCensus load_census(const fs::path& folder, const data::Spec& spec) {
  const Json description = read_description(folder);
  try {
    refuse_other_spec(description.at("spec"), spec, folder);
    refuse_other_data(description.at("sources"), spec, folder);
    if (hashes_of(folder) != description.at("sha256")) throw_broken(folder);
    const MappedFile file(folder / kPeopleFile);
    Reader reader(file.bytes());
    TakenCensus taken;
    members(reader, static_cast<data::ReadContent&>(taken), taken.census);
    taken.people.features.items = data::Stored<std::uint32_t>(MappedFile(folder / kItemsFile));
    taken.people.features.values = data::Stored<double>(MappedFile(folder / kValuesFile));
    if (!reader.at_end() || !is_whole(static_cast<const data::ReadContent&>(taken)) ||
        !is_whole(taken.census, taken.people))
      throw_broken(folder);
    return taken;
  } catch (const std::out_of_range&) {
    throw_broken(folder);
  } catch (const Json::exception&) {
    throw_broken(folder);
  }
}

}  // namespace hyobscure::obscure
