#include "hyobscure/obscure/mechanism/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "hyobscure/base/base64.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/version.h"
#include "hyobscure/obscure/mechanism/packed_draw.h"
#include "hyobscure/published/group_json.h"

namespace hyobscure::obscure {
namespace {

// --- numbers of a file: JSON has one kind of them, and a conversion would cut off what does not fit

constexpr std::int64_t kMostPeople = std::int64_t{1} << 32;   ///< people are numbered by 32 bits
constexpr Eigen::Index kMostEntries = Eigen::Index{1} << 31;  ///< of a matrix: 16 GB

/// Throws std::out_of_range for what is no whole number from `least` to `most`.
template <class Number>
Number whole(const Json& json, Number least = 0, Number most = std::numeric_limits<Number>::max()) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<Number>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<Number>(json.get<std::int64_t>());
  if (!fits || json.get<Number>() < least || json.get<Number>() > most) throw std::out_of_range("number");
  return json.get<Number>();
}

template <class Number>
std::vector<Number> wholes(const Json& json, Number least = 0) {
  std::vector<Number> numbers;
  numbers.reserve(json.size());
  for (const Json& each : json) numbers.push_back(whole<Number>(each, least));
  return numbers;
}

std::int64_t people_from(const Json& json) { return whole<std::int64_t>(json, 0, kMostPeople); }

/// Rows of [column, value] pairs without the zeros: channels and centres are mostly zero.
Json sparse(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    Json row = Json::array();
    for (Eigen::Index c = 0; c < matrix.cols(); ++c)
      if (matrix(r, c) != 0) row.push_back(Json::array({c, matrix(r, c)}));
    rows.push_back(std::move(row));
  }
  return rows;
}

Eigen::MatrixXd dense(const Json& rows, Eigen::Index columns) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (count < 1 || columns < 1 || columns > kMostEntries / count) throw std::out_of_range("size of a matrix");
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, columns);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Json& entry : rows.at(r))
      matrix(static_cast<Eigen::Index>(r), whole<Eigen::Index>(entry.at(0), 0, columns - 1)) =
          entry.at(1).get<double>();
  return matrix;
}

Json private_group_json(const published::Group& group) {
  Json json = published::group_json(group);
  json["members"] = group.members;
  return json;
}

published::Group private_group_from(const Json& json) {
  published::Group group = published::group_from(json);
  group.members = wholes<int>(json.at("members"));
  return group;
}

Json draw_json(const CellDraw& draw) {
  return {{"draw", "cells"},
          {"clusters", draw.clusters},
          {"cell_people", draw.people},
          {"rows", sparse(draw.probabilities)}};
}

Json draw_json(const OtherDraw&) { return {{"draw", "others"}}; }

Json draw_json(const NearDraw& draw) {
  return {{"draw", "near"}, {"distance", draw.distance}, {"decay", optional_number(draw.decay)}};
}

Json draw_json(const PersonDraw& draw) { return {{"draw", "people"}, {"rows", to_base64(pack(draw))}}; }

Json channel_json(const Channel& channel) {
  Json json = std::visit([](const auto& draw) { return draw_json(draw); }, channel.draw);
  json["people"] = channel.people;
  json["retain"] = channel.retain;
  return json;
}

Channel channel_from(const Json& json) {
  Channel channel{.people = people_from(json.at("people")), .retain = json.at("retain")};
  const std::string draw = json.at("draw");
  if (draw == "cells") {
    CellDraw cells{.clusters = wholes<int>(json.at("clusters")),
                   .people = wholes<std::int64_t>(json.at("cell_people"), 1),
                   .probabilities = {}};
    cells.probabilities = dense(json.at("rows"), static_cast<Eigen::Index>(cells.clusters.size()));
    channel.draw = std::move(cells);
  } else if (draw == "others") {
    channel.draw = OtherDraw{};
  } else if (draw == "near") {
    channel.draw = NearDraw{.distance = json.at("distance"), .decay = optional_number(json.at("decay"))};
  } else if (draw == "people") {
    channel.draw = unpack(from_base64(json.at("rows").get_ref<const std::string&>()));
  } else {
    throw std::out_of_range("draw");
  }
  return channel;
}

/// Hands a JSON object over entry by entry, a line for each: to be looked at, and the lists of a million
/// people are never one text in memory.
class EntryWriter {
 public:
  explicit EntryWriter(const TakePiece& take) : take_(take) {}

  void add(std::string_view name, const Json& value) {
    begin(name);
    take_(value.dump());
  }

  template <class Items, class ToJson>
  void add_list(std::string_view name, const Items& items, const ToJson& to_json) {
    begin(name);
    std::string_view before = "[";
    for (const auto& item : items) {
      take_(before);
      take_(to_json(item).dump());
      before = ",";
    }
    take_(items.empty() ? "[]" : "]");
  }

 private:
  void begin(std::string_view name) {
    take_(fmt::format("{} {}: ", is_first_ ? "{\n" : ",\n", Json(name).dump()));
    is_first_ = false;
  }

  const TakePiece& take_;
  bool is_first_ = true;
};

void write_entries(const Mechanism& mechanism, EntryWriter entries) {
  entries.add("kind", "hyobscure mechanism");
  entries.add("format", Mechanism::kFormat);
  entries.add("version", version());
  entries.add("private", "holds statistics of the people and the key of their draws");
  entries.add("method", mechanism.method);
  entries.add("objective", mechanism.objective);
  entries.add("distance", mechanism.distance);
  entries.add("within_groups", mechanism.within_groups);
  entries.add("threat", mechanism.threat);
  entries.add("balanced", mechanism.balanced);
  entries.add("most_own_rows", mechanism.most_own_rows);
  entries.add("note", mechanism.note);
  entries.add("converged", mechanism.converged);
  entries.add("people", mechanism.people);
  entries.add("data_fingerprint", mechanism.data_fingerprint);
  entries.add("seeded", mechanism.seeded);
  entries.add("key", mechanism.key.text());
  entries.add("limits", published::limits_json(mechanism.limits, mechanism.smallest_pool > 0));
  if (mechanism.smallest_pool > 0) entries.add("smallest_pool", mechanism.smallest_pool);
  if (mechanism.parameter)
    entries.add("parameter", {{"name", mechanism.parameter->name}, {"value", mechanism.parameter->value}});
  if (mechanism.composing)
    entries.add("composing", {{"kin", mechanism.composing->kin},
                              {"owners", mechanism.composing->owners},
                              {"together", mechanism.composing->together}});
  entries.add_list("groups", mechanism.groups, private_group_json);
  entries.add_list("channels", mechanism.channels, channel_json);
  Json promise;
  visit_figures(mechanism.figures, [&](const char* name, double value) { promise[name] = number(value); });
  entries.add("promise", promise);
  entries.add_list("history", mechanism.history, [](const Round& round) {
    return Json{{"objective_bits", number(round.objective)},
                {"leakage_bits", number(round.leakage)},
                {"distance", number(round.distance)},
                {"moves", round.moves}};
  });
  entries.add("clusters", {{"normalise", mechanism.clusters.normalise},
                           {"columns", mechanism.clusters.centres.cols()},
                           {"centres", sparse(mechanism.clusters.centres)}});
}

Composing composing_from(const Json& json) {
  Composing composing{.kin = whole<int>(json.at("kin")),
                      .owners = whole<int>(json.at("owners")),
                      .together = json.at("together").get<std::vector<std::vector<std::string>>>()};
  if (composing.kin < 2 || composing.owners < 2) throw std::out_of_range("composing");
  return composing;
}

Mechanism from_json(const Json& json) {
  Mechanism mechanism;
  mechanism.method = json.at("method");
  mechanism.objective = json.at("objective");
  mechanism.distance = json.at("distance");
  mechanism.within_groups = json.at("within_groups");
  mechanism.threat = json.at("threat");
  mechanism.balanced = json.at("balanced");
  mechanism.most_own_rows = json.at("most_own_rows");
  mechanism.note = json.at("note");
  if (json.contains("parameter"))
    mechanism.parameter = {json["parameter"].at("name"), json["parameter"].at("value")};
  if (json.contains("composing")) mechanism.composing = composing_from(json["composing"]);
  mechanism.converged = json.at("converged");
  mechanism.people = people_from(json.at("people"));
  mechanism.data_fingerprint = json.at("data_fingerprint");
  mechanism.seeded = json.at("seeded");
  mechanism.key = Key::from_text(json.at("key").get<std::string>());
  mechanism.limits = published::limits_from(json.at("limits"));
  mechanism.smallest_pool = json.value("smallest_pool", std::int64_t{0});
  for (const Json& group : json.at("groups")) mechanism.groups.push_back(private_group_from(group));
  for (const Json& channel : json.at("channels")) mechanism.channels.push_back(channel_from(channel));
  visit_figures(mechanism.figures,
                [&](const char* name, double& value) { value = number(json.at("promise").at(name)); });
  for (const Json& round : json.at("history"))
    mechanism.history.push_back({number(round.at("objective_bits")), number(round.at("leakage_bits")),
                                 number(round.at("distance")), whole<int>(round.at("moves"))});
  const Json& clusters = json.at("clusters");
  mechanism.clusters.normalise = clusters.at("normalise");
  mechanism.clusters.centres = dense(clusters.at("centres"), whole<Eigen::Index>(clusters.at("columns")));
  return mechanism;
}

/// Whether the parts, each from 0 to all, are all; without sums that wrap.
template <class Parts, class Projection>
bool add_up_to(std::int64_t all, const Parts& parts, Projection people_of) {
  std::int64_t left = all;
  for (const auto& part : parts) {
    const std::int64_t people = std::invoke(people_of, part);
    if (people < 0 || people > left) return false;
    left -= people;
  }
  return left == 0;
}

/// Every cell has people of its own cluster.
bool is_consistent(const CellDraw& draw, const Channel& channel, int clusters) {
  const Eigen::MatrixXd& rows = draw.probabilities;
  std::vector<int> distinct = draw.clusters;
  std::ranges::sort(distinct);
  return !draw.clusters.empty() && distinct.front() >= 0 && distinct.back() < clusters &&
         std::ranges::adjacent_find(distinct) == distinct.end() &&
         draw.people.size() == draw.clusters.size() &&
         std::ranges::all_of(
             draw.people, [](std::int64_t people) { return people > 0; }) &&
         add_up_to(channel.people, draw.people, std::identity{}) && rows.rows() == rows.cols() &&
         rows.rows() == static_cast<Eigen::Index>(draw.clusters.size()) && rows.minCoeff() >= 0 &&
         rows.rowwise().sum().isOnes(1e-9);
}

bool is_consistent(const PersonDraw& draw, const Channel& channel) {
  const auto people = static_cast<std::size_t>(channel.people);
  if (draw.size() != people || draw.donors.size() != draw.probabilities.size() ||
      draw.starts.back() != draw.donors.size())
    return false;
  for (std::size_t u = 0; u < people; ++u) {
    double sum = 0;
    for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e) {
      if (draw.donors[e] >= people || !(draw.probabilities[e] >= 0)) return false;
      sum += draw.probabilities[e];
    }
    if (std::abs(sum - 1) > 1e-9) return false;
  }
  return true;
}

bool is_consistent(const Channel& channel, int clusters) {
  if (!(channel.retain >= 0 && channel.retain <= 1)) return false;
  if (const auto* people = std::get_if<PersonDraw>(&channel.draw)) return is_consistent(*people, channel);
  if (const auto* near = std::get_if<NearDraw>(&channel.draw)) return !near->decay || *near->decay >= 0;
  return channel.cells() == nullptr || is_consistent(*channel.cells(), channel, clusters);
}

/// The values 0 .. n-1, each in one group, and the groups in the order of their smallest value.
bool hold_every_value_once(const std::vector<published::Group>& groups) {
  std::vector<int> values;
  for (const published::Group& group : groups) {
    if (group.members.empty() || !std::ranges::is_sorted(group.members)) return false;
    values.insert(values.end(), group.members.begin(), group.members.end());
  }
  std::ranges::sort(values);
  for (std::size_t v = 0; v < values.size(); ++v)
    if (values[v] != static_cast<int>(v)) return false;
  return std::ranges::is_sorted(groups, {},
                                [](const published::Group& group) { return group.members.front(); });
}

/// Every group covers every axis of the secret.
bool have_the_same_axes(const std::vector<published::Group>& groups) {
  const std::size_t axes = groups.front().covers.size();
  return axes > 0 && std::ranges::all_of(
                         groups, [&](const published::Group& group) { return group.covers.size() == axes; });
}

bool is_consistent(const Mechanism& mechanism) {
  const auto& groups = mechanism.groups;
  // Kept columns cut groups into several pools.
  if (groups.empty() ||
      (mechanism.within_groups ? mechanism.channels.size() < groups.size() : mechanism.channels.size() != 1))
    return false;
  if (!add_up_to(mechanism.people, groups, &published::Group::people) ||
      !add_up_to(mechanism.people, mechanism.channels, &Channel::people) || !hold_every_value_once(groups) ||
      !have_the_same_axes(groups))
    return false;
  return std::ranges::all_of(mechanism.channels, [&](const Channel& channel) {
    return is_consistent(channel, mechanism.clusters.clusters());
  });
}

[[noreturn]] void throw_damaged(const std::string& source) {
  throw InputError({.source = source}, "this is not a mechanism file, or it is damaged",
                   "Give the file that `hyobscure fit` wrote, or run fit again.");
}

// The last entry of the file is the SHA-256 of all bytes before it.
constexpr std::string_view kSealBegins = ",\n \"seal\": \"", kSealEnds = "\"\n}\n";

/// After everything else was found in order, so that a file of another kind or format is called that.
void refuse_broken_seal(std::string_view content, const std::string& source) {
  const std::size_t at = content.rfind(kSealBegins);
  if (at != content.npos &&
      content.substr(at + kSealBegins.size()) == sha256(content.substr(0, at)) + std::string(kSealEnds))
    return;
  throw InputError({.source = source},
                   "was edited or damaged since `hyobscure fit` wrote it: its seal does not fit",
                   "Give the file as it was written, or run fit again.");
}

}  // namespace

std::size_t Mechanism::group_of_value(std::uint32_t value) const {
  const auto found = std::ranges::find_if(groups, [&](const published::Group& group) {
    return std::ranges::binary_search(group.members, static_cast<int>(value));
  });
  return static_cast<std::size_t>(found - groups.begin());
}

solve::Partition Mechanism::partition() const {
  std::size_t values = 0;
  for (const published::Group& group : groups) values += group.members.size();
  std::vector<int> group_of_value(values);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const int value : groups[g].members)
      group_of_value[static_cast<std::size_t>(value)] = static_cast<int>(g);
  return solve::Partition::of(group_of_value);
}

std::string sealed(std::string unsealed) {
  const std::string seal = sha256(unsealed);
  return unsealed.append(kSealBegins).append(seal).append(kSealEnds);
}

void write_mechanism(const Mechanism& mechanism, const TakePiece& take) {
  Sha256 hash;
  const TakePiece take_sealed = [&](std::string_view piece) {
    hash.add(piece);
    take(piece);
  };
  write_entries(mechanism, EntryWriter(take_sealed));
  take(kSealBegins);
  take(hash.finish());
  take(kSealEnds);
}

std::string mechanism_content(const Mechanism& mechanism) {
  std::string text;
  write_mechanism(mechanism, [&](std::string_view piece) { text += piece; });
  return text;
}

Mechanism parse_mechanism(const std::string& content, const std::string& source) {
  try {
    const Json json = parse_json(content);
    if (json.at("kind") != "hyobscure mechanism") throw_damaged(source);
    if (json.at("format") != Mechanism::kFormat)
      throw InputError({.source = source},
                       fmt::format("the mechanism has format {}, this program reads format {}",
                                   json.at("format").dump(), Mechanism::kFormat),
                       "Use the version of hyobscure that wrote it, or run fit again.");
    Mechanism mechanism = from_json(json);
    mechanism.source = source;
    if (!is_consistent(mechanism)) throw_damaged(source);
    refuse_broken_seal(content, source);
    return mechanism;
  } catch (const Json::exception&) {
    throw_damaged(source);
  } catch (const std::out_of_range&) {
    throw_damaged(source);
  }
}

void write_mechanism(const Mechanism& mechanism, const std::filesystem::path& file) {
  write_file(file, [&](const TakePiece& take) { write_mechanism(mechanism, take); }, FileAccess::OwnerOnly);
}

Mechanism read_mechanism(const std::filesystem::path& file) {
  return parse_mechanism(read_file(file), file.string());
}

}  // namespace hyobscure::obscure
