#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/leakage/recomputed.h"
#include "hyobscure/release/publish.h"

namespace hyobscure::release {

/// For tests: sixty people of twelve ages, and a mechanism of two groups and three clusters made by hand.
class ReleaseTest : public testing::Test {
 protected:
  static constexpr int kPeople = 60;
  static constexpr std::uint64_t kSeed = 7;

  ReleaseTest() { write_sources(/*reversed=*/false); }

  static int age_of(int person) { return 20 + person * 7 % 12; }
  static std::string id_of(int person) { return fmt::format("u{}", 100 + person * 37 % kPeople); }

  void write_sources(bool reversed) const {
    std::vector<int> order(kPeople);
    std::iota(order.begin(), order.end(), 0);
    if (reversed) std::ranges::reverse(order);
    std::string people = "id,zip,age\n", events = "who,stars,what,note,day\n", wide = "id,zip,age,n,c,s\n";
    for (const int p : order) {
      people += fmt::format("{},zip{},{}\n", id_of(p), p, age_of(p));
      wide += fmt::format("{},zip{},{},{}.50,\"k, {}\",a|w{}\n", id_of(p), p, age_of(p), p, p % 4, p % 5);
      for (int e = 0; e < 4 + p % 3; ++e)
        events += fmt::format("{},{}.{}0,item{},note{},day{}\n", id_of(p), 1 + (p + e) % 5, p % 2 * 5,
                              (p * 5 + e * e) % 40, p, e);
    }
    folder_.write("people.csv", people);
    folder_.write("events.csv", events);
    folder_.write("wide.csv", wide);
  }

  data::Spec long_spec(const std::vector<data::Override>& overrides = {}) const {
    return data::parse_spec(R"([people]
file = "people.csv"
id = "id"
secret = "age"
[events]
file = "events.csv"
person = "who"
item = "what"
value = "stars"
time = "day"
[release]
ids = "keep"
)",
                            "spec.toml", folder_.path(), overrides);
  }

  data::Spec wide_spec(const std::vector<data::Override>& overrides = {}) const {
    return data::parse_spec(R"([people]
file = "wide.csv"
id = "id"
secret = "age"
features = ["n", "c", "s"]
sets = ["s"]
[release]
ids = "keep"
)",
                            "spec.toml", folder_.path(), overrides);
  }

  static std::string sex_of(int person) { return person < kPeople / 2 ? "m" : "f"; }

  /// The two kept cells of a person as a CSV file writes them.
  static std::string kept_cells_of(int person) {
    return sex_of(person) + std::vector<std::string>{",", ",\"x, \"\"y\"\"\"", ",z"}[person % 3];
  }

  /// The same people with two columns more, in kept_people.csv and kept_wide.csv. Each combination of their
  /// cells is five people of each group.
  void write_kept_sources() const {
    std::string people = "id,Town,zip,age,sex\n", wide = "id,Town,zip,age,sex,n,c,s\n";
    for (int p = 0; p < kPeople; ++p) {
      const std::string row =
          fmt::format("{}{},zip{},{},{}", id_of(p), kept_cells_of(p).substr(1), p, age_of(p), sex_of(p));
      people += row + "\n";
      wide += fmt::format("{},{}.50,\"k, {}\",a|w{}\n", row, p, p % 4, p % 5);
    }
    folder_.write("kept_people.csv", people);
    folder_.write("kept_wide.csv", wide);
  }

  data::Spec kept_spec(bool is_long, std::vector<data::Override> overrides = {}) const {
    overrides.insert(overrides.begin(), {{"people.file", is_long ? "kept_people.csv" : "kept_wide.csv"},
                                         {"people.keep", "sex,town"},
                                         {"groups.limits_for", "groups"}});
    return is_long ? long_spec(overrides) : wide_spec(overrides);
  }

  /// Writes a Parquet copy of a source, with the types that its content suggests.
  void make_parquet(const std::string& name) const {
    data::Engine engine({.folder = folder_.path()}, {});
    engine.run(fmt::format("COPY (FROM read_csv('{0}.csv')) TO '{1}/{0}.parquet' (FORMAT parquet)", name,
                           folder_.path().string()));
  }

  /// Two groups, cut at the sixth age; three clusters, around three of the people.
  static obscure::Mechanism mechanism_for(const data::People& people, const std::string& distance) {
    const int half = static_cast<int>(people.values.size()) / 2;
    return mechanism_for(
        people, distance,
        {group(people, 0, half), group(people, half, static_cast<int>(people.values.size()))});
  }

  static obscure::Mechanism mechanism_for(const data::People& people, const std::string& distance,
                                          std::vector<published::Group> groups) {
    obscure::Mechanism mechanism;
    mechanism.method = "hyobscure";
    mechanism.objective = "total";
    mechanism.distance = distance;
    mechanism.limits = {20, 40, 2, 8, false};
    mechanism.key = Key::from_seed(kSeed);
    mechanism.data_fingerprint = data::fingerprint(people);
    mechanism.people = static_cast<std::int64_t>(people.size());
    mechanism.clusters.centres = Eigen::MatrixXd::Zero(3, static_cast<Eigen::Index>(people.features.columns));
    for (std::size_t c = 0; c < 3; ++c) {
      const auto row = people.features[c * people.size() / 3];
      for (std::size_t i = 0; i < row.items.size(); ++i)
        mechanism.clusters.centres(static_cast<Eigen::Index>(c), row.items[i]) = row.values[i];
    }
    mechanism.groups = std::move(groups);
    count_cells(people, mechanism);
    if (!people.kept.empty()) mechanism.smallest_pool = smallest_channel(mechanism);
    widen_limits(mechanism);
    state_figures(people, mechanism);
    return mechanism;
  }

  /// As they are, so that it may be published.
  static void state_figures(const data::People& people, obscure::Mechanism& mechanism) {
    const auto found =
        obscure::recompute(mechanism, people, census::assign(mechanism.clusters, people.features));
    obscure::Leakage& leakage = mechanism.figures.leakage;
    leakage.total = found.leakage;
    leakage.groups = found.leakage_groups;
    leakage.features = found.leakage - found.leakage_groups;
    leakage.secret_entropy = found.secret_entropy;
    leakage.unprotected = found.unprotected;
    obscure::LiftFigures& lift = mechanism.figures.lift;
    lift.highest = found.max_lift;
    lift.lowest = found.min_lift;
    lift.highest_of_population = found.max_lift_of_population;
    mechanism.figures.own_rows = found.own_rows;
    mechanism.figures.distance = found.distance.value;
    if (found.composed) mechanism.figures.composed = *found.composed;
  }

  static data::Reading read(data::Engine& engine, const data::Spec& spec) {
    return data::read_people(engine, spec);
  }

  PublishResult publish_to(const std::string& name, const data::Spec& spec, int threads = 0,
                           bool force = false) const {
    data::Engine engine({.folder = spec.folder, .threads = threads}, {});
    const auto reading = read(engine, spec);
    return publish(engine, spec, reading, mechanism_for(reading.people, data::word(spec.channel.distance)),
                   {.output = folder_ / name, .force = force});
  }

  template <class Work>
  static std::string refusal(Work&& work) {
    try {
      work();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::string content(const std::string& name) const { return read_file(folder_ / name); }

  std::vector<std::string> lines(const std::string& name) const {
    std::vector<std::string> result;
    std::istringstream text(content(name));
    for (std::string line; std::getline(text, line);) result.push_back(line);
    return result;
  }

  /// Everything that lies in a folder, by name.
  std::map<std::string, std::string> all_files(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name))
      files[entry.path().filename().string()] = read_file(entry.path());
    return files;
  }

  TestFolder folder_;

 private:
  static published::Group group(const data::People& people, int first, int end) {
    published::Group result;
    published::Cover range;
    range.low = people.values[static_cast<std::size_t>(first)].low;
    range.high = people.values[static_cast<std::size_t>(end) - 1].high;
    result.label = range.label = fmt::format("{}-{}", *range.low, *range.high);
    result.covers = {range};
    for (int value = first; value < end; ++value) result.members.push_back(value);
    result.values = end - first;
    return result;
  }

  /// So that they hold for groups of other people, or of one secret.
  static void widen_limits(obscure::Mechanism& mechanism) {
    published::Limits& limits = mechanism.limits;
    for (const published::Group& group : mechanism.groups) {
      const auto size = static_cast<double>(group.people), secrets = static_cast<double>(group.values);
      limits.least_people = std::min(limits.least_people, size);
      limits.most_people = std::max(limits.most_people, size);
      limits.least_values = std::min(limits.least_values, secrets);
      limits.most_values = std::max(limits.most_values, secrets);
    }
  }

  static std::int64_t smallest_channel(const obscure::Mechanism& mechanism) {
    return std::ranges::min_element(mechanism.channels, {}, &obscure::Channel::people)->people;
  }

  static void count_cells(const data::People& people, obscure::Mechanism& mechanism) {
    const auto cluster_of_person = census::assign(mechanism.clusters, people.features);
    const auto pools = obscure::pools_by_group(people, mechanism.partition());
    std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> counts;
    for (published::Group& group : mechanism.groups) group.people = 0;
    for (std::size_t u = 0; u < people.size(); ++u) {
      counts[{pools.pool_of_person[u], cluster_of_person[u]}] += 1;
      mechanism.groups[mechanism.group_of_value(people.secrets[u])].people += 1;
    }
    mechanism.channels.resize(pools.size());
    for (const auto& [cell, number] : counts) {
      mechanism.channels[cell.first].people += number;
      mechanism.channels[cell.first].cells()->clusters.push_back(static_cast<int>(cell.second));
      mechanism.channels[cell.first].cells()->people.push_back(number);
    }
    for (obscure::Channel& with_cells : mechanism.channels) {
      obscure::CellDraw& channel = *with_cells.cells();
      const auto size = static_cast<Eigen::Index>(channel.clusters.size());
      channel.probabilities = Eigen::MatrixXd::Constant(size, size, 0.5 / double(size));
      channel.probabilities.diagonal().array() += 0.5;
    }
  }
};

}  // namespace hyobscure::release
