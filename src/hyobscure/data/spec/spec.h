#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/spec/words.h"

namespace hyobscure::data {

using Interval = std::array<double, 2>;  ///< [low, high], both included

/// Where rows come from: a file, a table of a DuckDB file, or a query.
struct SourceSpec {
  std::string file;
  FileFormat format = FileFormat::Auto;
  std::string table;
  std::string query;
  std::string delimiter;
  bool header = true;
  TextEncoding encoding = TextEncoding::Utf8;
  std::vector<std::string> nulls;  ///< cells of a CSV file that mean an empty one
  DecimalMark decimal = DecimalMark::Point;

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

/// The kind of each secret, or one for all.
struct Kinds {
  std::vector<AxisKind> all = {AxisKind::Ordered};

  bool operator==(const Kinds&) const = default;
  /// "ordered, categorical"
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
  MissingFeature missing = MissingFeature::Refuse;
  FeatureScale scale = FeatureScale::Range;
  Unfit without_events = Unfit::Refuse;
};

struct EventsSpec {
  SourceSpec source;
  std::string person;
  std::string item;
  std::string value;
  std::string time;
  RepeatedEvent repeated = RepeatedEvent::Auto;
  Unfit missing = Unfit::Refuse;
  Unfit unknown_people = Unfit::Refuse;
};

struct SecretSpec {
  Kinds kind;  ///< of each secret; one for all where there is one
  std::optional<Interval> keep;
  Unfit missing = Unfit::Refuse;
  int atoms = 200;
  int fewest_people = 1;  ///< people whose value fewer share are left out
  // Places
  std::string latitude, longitude;  ///< columns of people, or of events where home is found from them
  std::optional<int> grid_columns;  ///< the secret is row * grid_columns + column
  double cell_km = 1;
  HomeRule home = HomeRule::Given;
  std::string home_column, home_category;
  HomeEvents home_events = HomeEvents::Keep;
  // Categories
  std::string hierarchy, similarity;  ///< files
  std::vector<std::string> order;     ///< their names; groups are neighbours
};

struct GroupsSpec {
  std::optional<int> count;
  std::optional<Interval> people;  ///< k, alpha: required by fit
  std::optional<Interval> values;  ///< l, beta: required by fit
  std::vector<Interval> fixed;
  FirstGroups first = FirstGroups::Optimal;
  GroupShape shape = GroupShape::Auto;
  LimitsFor limits_for = LimitsFor::Pools;
};

struct ClusterCount {
  int count = 10;
  bool automatic = false;  ///< "auto": the count is chosen by what it gives
};

/// A budget by what the release must still be good for: "at most 2 % of rating RMSE".
struct UtilityTarget {
  double percent = 0;   ///< 0..100: the largest loss, of what true features give
  std::string measure;  ///< one of target_measures()

  bool operator==(const UtilityTarget&) const = default;
};

/// "rating RMSE", "mAP", "task" (the column of audit.task) and "distance" (of any donor of the group).
const std::vector<std::string>& target_measures();

/// As the user writes it.
std::string target_text(const UtilityTarget& target);

struct ChannelSpec {
  ClusterCount clusters;
  Distance distance = Distance::JensenShannon;
  // fit requires one of the three: the trade is the publisher's to choose.
  std::optional<double> budget;
  std::optional<UtilityTarget> target;  ///< the key `budget`, given as text
  std::optional<double> budget_share;
  double most_own_rows = 0.3;
  std::optional<double> max_lift;  ///< no row raises a value's share of its group by more than this factor
  std::optional<double> min_lift;  ///< none lowers it by more
  bool normalise = false;
  int starts = 5;
};

struct MethodSpec {
  std::string name = "fine";  ///< a method of obscure, which knows them; see obscure/methods/settings.h
  std::optional<double> parameter;
  bool within_groups = true;
  double retain = 0;
  Objective objective = Objective::Total;
  Acceptance acceptance = Acceptance::Paper;
  double convergence = 1e-4;
  std::optional<double> gap;
  Threat threat = Threat::Both;
  double least_informed_weight = 0.2;
  bool balanced = true;
  SelfDonor self_donor = SelfDonor::Allowed;
  int ward = 4096;
  std::optional<std::uint64_t> seed;
};

struct ReleaseSpec {
  ReleaseFormat format = ReleaseFormat::Auto;
  PublishedIds ids = PublishedIds::Replace;
  RowOrder order = RowOrder::Sorted;
  std::string ledger = "hyobscure-ledger.json";
};

struct AuditSpec {
  int releases = 4;
  double minutes = 0;
  std::vector<AttackModel> attackers = {AttackModel::Boosting, AttackModel::Linear};
  std::vector<AttackScenario> scenarios = {AttackScenario::I, AttackScenario::II, AttackScenario::KnownPart};
  std::vector<RowAttack> row_attacks = {RowAttack::KnownEntries, RowAttack::Matching};
  double known = 0.5;
  int folds = 2;
  int people = 20'000;
  int shadow = 0;
  std::string task;
};

/// What only the publisher knows of a release, in its own words. Nothing follows from it: the report prints
/// it as stated, and says what is not.
struct ContextSpec {
  std::string recipient, purpose, access, motive, other_data, population, transparency, harm, intruder_test,
      approver, valid_until, monitoring, incident;
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
  ContextSpec context;

  std::map<std::string, std::string> places = {};  ///< of the keys that were given: file and line, or flag

  bool is_long() const { return events.source.given(); }
  /// Where a key was given, for messages.
  std::string place_of(const std::string& key) const;
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

/// All keys, in the order of the documentation. Front ends show obscure::settings(), which knows the methods.
const std::vector<Setting>& settings();

/// What a spec says of one key.
struct SettingValue {
  std::string name;    ///< "groups.count"
  std::string value;   ///< as a spec would write it; "none"
  bool given = false;  ///< differs from the fallback
};

/// All keys of a spec, in the order of settings().
std::vector<SettingValue> setting_values(const Spec& spec);

/// The statements of [context] by their keys; those that are absent or blank are left out.
std::map<std::string, std::string> stated_context(const Spec& spec);

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

}  // namespace hyobscure::data
