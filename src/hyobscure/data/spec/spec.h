#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hyobscure::data {

using Interval = std::array<double, 2>;  ///< [low, high], both included

/// Where rows come from: a file, a table of a DuckDB file, or a query.
struct SourceSpec {
  std::string file;
  std::string format = "auto";
  std::string table;
  std::string query;
  std::string delimiter;
  bool header = true;

  bool given() const { return !file.empty() || !query.empty(); }
};

/// One name, or several in a list.
struct Names {
  std::vector<std::string> all;

  bool operator==(const Names&) const = default;
  bool empty() const { return all.empty(); }
  /// "age, gender"
  std::string text() const;
};

struct PeopleSpec {
  SourceSpec source;
  std::string id;
  Names secret;
  std::vector<std::string> features;  ///< wide data only
  std::vector<std::string> keep;      ///< published unchanged
  std::vector<std::string> allow_identifying;
  std::vector<std::string> categorical;
  std::vector<std::string> sets;
  std::string set_separator = "|";
  std::string missing = "refuse";
  std::string scale = "range";
  std::string without_events = "refuse";
};

struct EventsSpec {
  SourceSpec source;
  std::string person;
  std::string item;
  std::string value;
  std::string time;
  std::string repeated = "auto";
  std::string missing = "refuse";
  std::string unknown_people = "refuse";
};

struct SecretSpec {
  Names kind = {{"ordered"}};  ///< of each secret; one for all where there is one
  std::optional<Interval> keep;
  std::string missing = "refuse";
  int atoms = 200;
  int fewest_people = 1;  ///< people whose value fewer share are left out
  // Places
  std::string latitude, longitude;  ///< columns of people, or of events where home is found from them
  std::optional<int> grid_columns;  ///< the secret is row * grid_columns + column
  double cell_km = 1;
  std::string home = "given";  ///< given, most-visited, category
  std::string home_column, home_category;
  std::string home_events = "keep";
  // Categories
  std::string hierarchy, similarity;  ///< files
};

struct GroupsSpec {
  std::optional<int> count;
  std::optional<Interval> people;  ///< k, alpha: required by fit
  std::optional<Interval> values;  ///< l, beta: required by fit
  std::vector<Interval> fixed;
  std::string first = "optimal";
  std::string shape = "auto";
  std::string limits_for = "pools";
};

struct ClusterCount {
  int count = 10;
  bool automatic = false;  ///< "auto": the count is chosen by what it gives
};

/// A budget by what the release must still be good for: "at most 2 % of rating RMSE".
struct UtilityPromise {
  double percent = 0;   ///< 0..100: the largest loss, of what true features give
  std::string measure;  ///< one of promised_measures()

  bool operator==(const UtilityPromise&) const = default;
};

/// "rating RMSE", "mAP", "task" (the column of audit.task) and "distance" (of any donor of the group).
const std::vector<std::string>& promised_measures();

/// As the user writes it.
std::string promise_text(const UtilityPromise& promise);

struct ChannelSpec {
  ClusterCount clusters;
  std::string distance = "jensen-shannon";
  // fit requires one of the three: the trade is the publisher's to choose.
  std::optional<double> budget;
  std::optional<UtilityPromise> promise;  ///< the key `budget`, given as text
  std::optional<double> budget_share;
  double most_own_rows = 0.3;
  bool normalise = false;
  int starts = 5;
};

struct MethodSpec {
  std::string name = "fine";
  std::optional<double> parameter;
  bool within_groups = true;
  double retain = 0;
  std::string objective = "total";
  std::string acceptance = "paper";
  double convergence = 1e-4;
  std::optional<double> gap;
  std::string threat = "both";
  double least_informed_weight = 0.2;
  bool balanced = true;
  std::string self_donor = "allowed";
  std::optional<std::uint64_t> seed;
};

struct ReleaseSpec {
  std::string format = "auto";
  std::string ids = "replace";
  std::string order = "sorted";
  std::string ledger = "hyobscure-ledger.json";
};

struct AuditSpec {
  int releases = 10;
  std::vector<std::string> attackers = {"forest", "boosting"};
  std::vector<std::string> scenarios = {"I", "II"};
  double known = 0.5;
  int folds = 2;
  int shadow = 0;
  std::string task;
};

/// What the user wrote, checked. Every field is described once, in settings() below; TOML, flags and the
/// settings page of the documentation read that.
struct Spec {
  std::filesystem::path folder = ".";  ///< relative file names start here
  std::string name = "spec";           ///< how messages call it
  PeopleSpec people;
  EventsSpec events;
  SecretSpec secret;
  GroupsSpec groups;
  ChannelSpec channel;
  MethodSpec method;
  ReleaseSpec release;
  AuditSpec audit;

  bool is_long() const { return events.source.given(); }
};

/// One key of the spec.
struct Setting {
  std::string section;
  std::string key;
  std::string type;      ///< for people: "text", "whole number", "[low, high]" ...
  std::string fallback;  ///< the value when it is not given; "none", or "required"
  std::string help;
  std::vector<std::string> choices;

  std::string full_name() const { return section + "." + key; }
};

/// All keys, in the order of the documentation.
const std::vector<Setting>& settings();

/// What a spec says of one key.
struct SettingValue {
  std::string name;    ///< "groups.count"
  std::string value;   ///< as a spec would write it; "none"
  bool given = false;  ///< differs from the fallback
};

/// All keys of a spec, in the order of settings().
std::vector<SettingValue> setting_values(const Spec& spec);

/// A key given beside the file: the flag `--groups.count 4` is {"groups.count", "4"}.
struct Override {
  std::string name;
  std::string text;
  std::string flag = {};  ///< how the user wrote it; empty: --name
};

/// Reads and checks a spec; overrides win over the file. Throws InputError naming file, line and key.
Spec read_spec(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
Spec parse_spec(const std::string& toml, const std::string& name, const std::filesystem::path& folder,
                const std::vector<Override>& overrides = {});

/// The word of `known` that is nearest to `word`, or nothing where none is near: for "did you mean".
std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace hyobscure::data
