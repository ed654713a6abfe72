#include "hyobscure/data/spec/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/spec/secret_checks.h"

namespace hyobscure::data {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// What a key may hold beyond its type.
struct Rule {
  std::vector<std::string> choices = {};
  double low = -kNoLimit;
  double high = kNoLimit;
  bool required = false;
};

// --- from TOML to a field: one overload a type, each says what it expected
// -----------------------------------------

bool read_value(const toml::node& node, std::string& out) {
  if (const auto text = node.value_exact<std::string>()) return out = *text, true;
  return false;
}

bool read_value(const toml::node& node, double& out) {
  if (!node.is_number()) return false;
  out = *node.value<double>();
  return std::isfinite(out);
}

bool read_value(const toml::node& node, int& out) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || std::abs(*number) > 1'000'000'000) return false;
  out = static_cast<int>(*number);
  return true;
}

bool read_value(const toml::node& node, ClusterCount& out) {
  out.automatic = node.value_exact<std::string>() == "auto";
  return out.automatic || read_value(node, out.count);
}

/// The two fields of channel.budget: an expected distance, or a promise.
struct Budget {
  std::optional<double>& distance;
  std::optional<UtilityPromise>& promise;
};

constexpr const char* kNumberOrText = "number or text";

/// "At most 2% of Rating RMSE" -> at, most, 2, %, of, rating, rmse
std::vector<std::string> words_of(const std::string& text) {
  std::string spaced;
  for (const char letter : lower_case(text))
    if (letter == '%')
      spaced += " % ";
    else
      spaced += letter;
  std::istringstream stream(spaced);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// at most X % of NAME
std::optional<UtilityPromise> parse_promise(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() < 6 || words[0] != "at" || words[1] != "most" || words[3] != "%" || words[4] != "of")
    return std::nullopt;
  UtilityPromise promise;
  const char* const end = words[2].data() + words[2].size();
  const auto [stop, error] = std::from_chars(words[2].data(), end, promise.percent);
  // Written this way round, a NaN is refused too.
  if (error != std::errc{} || stop != end || !(promise.percent >= 0 && promise.percent <= 100))
    return std::nullopt;
  const std::string name = fmt::format("{}", fmt::join(words.begin() + 5, words.end(), " "));
  const auto found = std::ranges::find(promised_measures(), name, lower_case);
  if (found == promised_measures().end()) return std::nullopt;
  promise.measure = *found;
  return promise;
}

bool read_value(const toml::node& node, Budget& out) {
  if (const auto text = node.value_exact<std::string>()) {
    out.promise = parse_promise(*text);
    return out.promise.has_value();
  }
  double distance = 0;
  if (!read_value(node, distance)) return false;
  out.distance = distance;
  return true;
}

bool read_value(const toml::node& node, std::uint64_t& out) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 0) return false;
  out = static_cast<std::uint64_t>(*number);
  return true;
}

bool read_value(const toml::node& node, bool& out) {
  if (const auto value = node.value_exact<bool>()) return out = *value, true;
  return false;
}

bool read_value(const toml::node& node, Interval& out) {
  const auto* list = node.as_array();
  return list != nullptr && list->size() == 2 && read_value((*list)[0], out[0]) &&
         read_value((*list)[1], out[1]) && out[0] <= out[1];
}

template <class T>
bool read_value(const toml::node& node, std::vector<T>& out) {
  const auto* list = node.as_array();
  if (list == nullptr) return false;
  out.clear();
  for (const auto& element : *list)
    if (T value; read_value(element, value))
      out.push_back(std::move(value));
    else
      return false;
  return true;
}

bool read_value(const toml::node& node, Names& out) {
  if (const auto text = node.value_exact<std::string>()) return out.all = {*text}, true;
  return read_value(node, out.all) && !out.all.empty();
}

template <class T>
bool read_value(const toml::node& node, std::optional<T>& out) {
  T value{};
  if (!read_value(node, value)) return false;
  out = std::move(value);
  return true;
}

std::string type_name(const std::string&) { return "text"; }
std::string type_name(const double&) { return "number"; }
std::string type_name(const int&) { return "whole number"; }
std::string type_name(const std::uint64_t&) { return "whole number"; }
std::string type_name(const ClusterCount&) { return "\"auto\" or whole number"; }
std::string type_name(const Budget&) { return kNumberOrText; }
std::string type_name(const bool&) { return "true or false"; }
std::string type_name(const Interval&) { return "[low, high]"; }
std::string type_name(const std::vector<std::string>&) { return "list of texts"; }
std::string type_name(const Names&) { return "text or list of texts"; }
std::string type_name(const std::vector<Interval>&) { return "list of [low, high]"; }
template <class T>
std::string type_name(const std::optional<T>&) {
  return type_name(T{});
}

std::string value_text(const std::string& value) { return value.empty() ? "none" : "\"" + value + "\""; }
std::string value_text(const double& value) { return fmt::format("{}", value); }
std::string value_text(const int& value) { return fmt::format("{}", value); }
std::string value_text(const std::uint64_t& value) { return fmt::format("{}", value); }
std::string value_text(const ClusterCount& value) {
  return value.automatic ? "\"auto\"" : value_text(value.count);
}
std::string value_text(const Budget& value) {
  if (value.promise) return value_text(promise_text(*value.promise));
  return value.distance ? value_text(*value.distance) : "none";
}
std::string value_text(const Interval& value) { return fmt::format("[{}, {}]", value[0], value[1]); }
std::string value_text(const bool& value) { return value ? "true" : "false"; }
std::string value_text(const std::vector<std::string>& value) {
  return value.empty() ? "none" : fmt::format("[\"{}\"]", fmt::join(value, "\", \""));
}
std::string value_text(const Names& value) {
  return value.all.size() == 1 ? value_text(value.all[0]) : value_text(value.all);
}
std::string value_text(const std::vector<Interval>& value) {
  std::vector<std::string> texts;
  for (const Interval& interval : value) texts.push_back(value_text(interval));
  return value.empty() ? "none" : fmt::format("[{}]", fmt::join(texts, ", "));
}
template <class T>
std::string value_text(const std::optional<T>& value) {
  return value ? value_text(*value) : "none";
}

bool in_range(const double& value, const Rule& rule) { return value >= rule.low && value <= rule.high; }
bool in_range(const int& value, const Rule& rule) { return value >= rule.low && value <= rule.high; }
bool in_range(const ClusterCount& value, const Rule& rule) {
  return value.automatic || in_range(value.count, rule);
}
bool in_range(const Budget& value, const Rule& rule) {
  return !value.distance || in_range(*value.distance, rule);
}
bool in_range(const Interval& value, const Rule& rule) {
  return in_range(value[0], rule) && in_range(value[1], rule);
}
bool in_range(const std::string& value, const Rule& rule) {
  return rule.choices.empty() || std::ranges::find(rule.choices, value) != rule.choices.end();
}
bool in_range(const std::vector<std::string>& value, const Rule& rule) {
  return std::ranges::all_of(value, [&](const std::string& text) { return in_range(text, rule); });
}
bool in_range(const Names& value, const Rule& rule) { return in_range(value.all, rule); }
template <class T>
bool in_range(const T&, const Rule&) {
  return true;
}
template <class T>
bool in_range(const std::optional<T>& value, const Rule& rule) {
  return !value || in_range(*value, rule);
}

std::string expectation(const std::string& type, const Rule& rule) {
  if (!rule.choices.empty()) return fmt::format("one of \"{}\"", fmt::join(rule.choices, "\", \""));
  if (type == kNumberOrText)
    return fmt::format(
        "a number of at least 0, or a text such as \"at most 2 % of {}\" (from 0 to 100 %, of {})",
        promised_measures().front(), fmt::join(promised_measures(), ", "));
  const bool low = std::isfinite(rule.low), high = std::isfinite(rule.high);
  const std::string kind = type == "text"          ? "text in quotes"
                           : type.starts_with("[") ? "two numbers from low to high, such as [100, 400],"
                           : type.starts_with("list") || type.starts_with("true") || type.starts_with("\"")
                               ? type
                               : "a " + type;
  if (low && high) return fmt::format("{} from {} to {}", kind, rule.low, rule.high);
  return low ? fmt::format("{} of at least {}", kind, rule.low) : kind;
}

// --- the settings, each described once
// ------------------------------------------------------------------------------

template <class Visit>
void visit_source(const char* section, SourceSpec& s, Visit&& visit) {
  visit(section, "file", s.file, Rule{},
        "file to read: CSV or TSV (also .gz, .zst), Parquet, JSON lines, DuckDB");
  visit(section, "format", s.format, Rule{.choices = {"auto", "csv", "parquet", "json", "duckdb"}},
        "format of the file; auto goes by its name");
  visit(section, "table", s.table, Rule{}, "table of a DuckDB file");
  visit(section, "query", s.query, Rule{}, "SQL (DuckDB) that gives the rows, instead of a file");
  visit(section, "delimiter", s.delimiter, Rule{},
        "what separates the columns of a CSV file; found out when absent");
  visit(section, "header", s.header, Rule{},
        "whether the first line of a CSV file names the columns; without, they are column0, column1, ...");
}

template <class Visit>
void visit_settings(Spec& s, Visit&& visit) {
  visit_source("people", s.people.source, visit);
  visit("people", "id", s.people.id, Rule{.required = true}, "column that tells people apart");
  visit("people", "secret", s.people.secret, Rule{.required = true},
        "column that nobody may infer; published as groups. A list: several secrets, grouped together");
  visit("people", "features", s.people.features, Rule{}, "wide data: the columns to publish through donors");
  visit(
      "people", "keep", s.people.keep, Rule{},
      "columns published unchanged; donors share them, and the leakage counts them. An empty cell is a value "
      "of its own");
  visit("people", "allow_identifying", s.people.allow_identifying, Rule{},
        "columns to publish though they identify people or tell the secret (e-mail addresses, names, unique "
        "texts ...), which are refused otherwise");
  visit("people", "categorical", s.people.categorical, Rule{},
        "features that are categories though they look like numbers");
  visit("people", "sets", s.people.sets, Rule{}, "features whose cells hold several words");
  visit("people", "set_separator", s.people.set_separator, Rule{}, "what separates the words of a set");
  visit("people", "missing", s.people.missing,
        Rule{.choices = {"refuse", "zero", "mean", "category", "leave-out"}},
        "an empty feature cell: an error, zero (no category), the column's mean, a category of its own, or "
        "the person is "
        "left out");
  visit("people", "scale", s.people.scale, Rule{.choices = {"range", "none"}},
        "numeric features, for clusters and distances only: each column to 0..1, or as it is");
  visit("people", "without_events", s.people.without_events, Rule{.choices = {"refuse", "leave-out"}},
        "people with no event, or only zeros: an error, or they are left out and counted");
  visit_source("events", s.events.source, visit);
  visit("events", "person", s.events.person, Rule{}, "column that names the person");
  visit("events", "item", s.events.item, Rule{}, "column that names the item (film, place, product)");
  visit("events", "value", s.events.value, Rule{},
        "column with a rating or amount; without it events are counted");
  visit("events", "time", s.events.time, Rule{},
        "column published with the donor's events, not used otherwise");
  visit("events", "repeated", s.events.repeated, Rule{.choices = {"auto", "refuse", "sum", "mean", "max"}},
        "a person with several events of one item; auto adds counts and refuses repeated values");
  visit("events", "missing", s.events.missing, Rule{.choices = {"refuse", "leave-out"}},
        "an event with an empty cell: an error, or it is left out and counted");
  visit("events", "unknown_people", s.events.unknown_people, Rule{.choices = {"refuse", "leave-out"}},
        "events of people who are not in the people table: an error, or left out and counted");
  visit(
      "secret", "kind", s.secret.kind, Rule{.choices = {"ordered", "spatial", "categorical"}},
      "ordered: numbers whose neighbours form groups; spatial: places, whose groups are areas; categorical: "
      "names. A list: of each secret");
  visit("secret", "keep", s.secret.keep, Rule{}, "people with a secret outside are left out and counted");
  visit("secret", "missing", s.secret.missing, Rule{.choices = {"refuse", "leave-out"}},
        "people without a secret: an error, or left out and counted");
  visit(
      "secret", "atoms", s.secret.atoms, Rule{.low = 2, .high = 1000},
      "more distinct values than this are first joined to this many: numbers to ranges of equal size, others "
      "the smallest with its smallest neighbour");
  visit("secret", "fewest_people", s.secret.fewest_people, Rule{.low = 1},
        "drop people whose exact secret is shared by fewer people than this; they are counted");
  visit("secret", "latitude", s.secret.latitude, Rule{},
        "places: column with degrees north, of people or, where home is found from events, of events; "
        "people.secret is then only the name under which the area is published");
  visit("secret", "longitude", s.secret.longitude, Rule{}, "places: column with degrees east");
  visit("secret", "grid_columns", s.secret.grid_columns, Rule{.low = 1},
        "places: the secret is a number, row * grid_columns + column of a grid; instead of degrees");
  visit("secret", "cell_km", s.secret.cell_km, Rule{.low = 0.001, .high = 1000},
        "places: side of a cell of the grid, in kilometres");
  visit("secret", "home", s.secret.home, Rule{.choices = {"given", "most-visited", "category"}},
        "places: given with the person, the cell of most of their events, or of most of their events of a "
        "category");
  visit("secret", "home_column", s.secret.home_column, Rule{},
        "places: column of events with the category, for home = \"category\"");
  visit("secret", "home_category", s.secret.home_category, Rule{},
        "places: the category that tells home, such as \"Home (private)\"");
  visit(
      "secret", "home_events", s.secret.home_events, Rule{.choices = {"keep", "leave-out"}},
      "places: events that reveal home (in its cell, or of the category) are features and published, or are "
      "left out and counted");
  visit(
      "secret", "hierarchy", s.secret.hierarchy, Rule{},
      "categories: CSV file, one row a category: its name, then what it belongs to, from near to far; groups "
      "follow it");
  visit("secret", "similarity", s.secret.similarity, Rule{},
        "categories: CSV file with the columns a, b and similarity: two names and how alike they are, 0 to "
        "1; a "
        "pair that is not in it has nothing in common; groups follow it");
  visit("groups", "count", s.groups.count, Rule{.low = 1, .high = 1000},
        "number of groups; absent: the smallest number that the limits allow");
  visit("groups", "people", s.groups.people, Rule{.low = 1, .required = true},
        "k and alpha: fewest and most people of a group");
  visit("groups", "values", s.groups.values, Rule{.low = 1, .required = true},
        "l and beta: fewest and most distinct secrets of a group");
  visit("groups", "fixed", s.groups.fixed, Rule{},
        "groups given instead of searched, in order and without gaps");
  visit("groups", "first", s.groups.first, Rule{.choices = {"optimal", "paper"}},
        "first groups: the optimal ones by dynamic programming, or the paper's constraint-aware k-means");
  visit("groups", "shape", s.groups.shape, Rule{.choices = {"auto", "boxes", "connected"}},
        "several secrets: groups that are a range or list of each secret by itself, or any neighbouring "
        "combinations, which tell less and read worse; auto takes boxes where the limits allow them");
  visit("groups", "limits_for", s.groups.limits_for, Rule{.choices = {"pools", "groups"}},
        "kept columns: k and l hold for pools (people with the same group and the same kept cells: what an "
        "attacker sees), or only for groups. alpha and beta are limits of groups");
  visit("channel", "clusters", s.channel.clusters, Rule{.low = 1, .high = 1000},
        "clusters of people with alike features; auto: doubled from 5 while that lowers the leakage at the "
        "budget "
        "by a tenth or more (docs/method.md)");
  visit("channel", "distance", s.channel.distance,
        Rule{.choices = {"jensen-shannon", "squared-euclidean", "euclidean", "jaccard", "hamming"}},
        "distance between two people's features");
  Budget budget{s.channel.budget, s.channel.promise};
  visit("channel", "budget", budget, Rule{.low = 0, .required = true},
        "largest expected distance between published and true features; or what the release must still be "
        "good for: `at most 2 % of rating RMSE`, also of `mAP`, of `task` (the column of audit.task) or of "
        "`distance` (that of any donor of the group)");
  visit("channel", "budget_share", s.channel.budget_share, Rule{.low = 0, .high = 1},
        "instead of budget: 0 is the smallest distance that the first groups can reach, 1 the one at which "
        "their features "
        "tell nothing");
  visit("channel", "most_own_rows", s.channel.most_own_rows, Rule{.low = 0, .high = 1},
        "share of people who may be expected to publish their own row; beyond it `fit` ends with exit code 3 "
        "and "
        "`publish` asks for --accept-leakage");
  visit("channel", "normalise", s.channel.normalise, Rule{}, "scale every row to sum 1 before clustering");
  visit("channel", "starts", s.channel.starts, Rule{.low = 1, .high = 1000},
        "starts of k-means; the best one is kept");
  visit("method", "name", s.method.name,
        Rule{.choices = {"fine", "exact", "hyobscure", "xobf", "ygen", "privcheck", "dp", "simp", "frapp",
                         "random"}},
        "fine: donors person by person, on groups of the joint optimum; exact: the joint optimum of groups "
        "and channels, proven; hyobscure: groups and channels in turn; "
        "xobf: "
        "first groups and their optimal channel; ygen: PrivCheck's channel and groups for it; privcheck: one "
        "channel, blind to groups; dp, simp, frapp, random: baselines with one parameter each");
  visit("method", "parameter", s.method.parameter, Rule{.low = 0},
        "instead of a budget: p of random and simp, gamma of frapp, beta of dp");
  visit("method", "within_groups", s.method.within_groups, Rule{},
        "false: privcheck, dp, simp, frapp and random draw donors among all people, as in the paper; for "
        "comparisons, not for a release");
  visit("method", "retain", s.method.retain, Rule{.low = 0, .high = 0.999},
        "probability of publishing one's own row before anything is drawn; the leakage counts it");
  visit("method", "objective", s.method.objective, Rule{.choices = {"total", "conditional"}},
        "what to minimise: all that the release tells, or what the features add to the groups");
  visit("method", "acceptance", s.method.acceptance, Rule{.choices = {"paper", "budget"}},
        "a moved boundary must lower leakage and distance (paper), or leakage within the budget (budget)");
  visit("method", "convergence", s.method.convergence, Rule{.low = 1e-12, .high = 1},
        "stop when a round lowers the leakage by less than this many bits");
  visit("method", "gap", s.method.gap, Rule{.low = 1e-12, .high = 1},
        "bits that a channel may be proven above the optimum; absent: 1e-9, and for fine 1e-5 (informed, "
        "groups of "
        "at most 400) or 1e-3 times the weight of the informed attacker, a tenth of the leakage where that "
        "is less");
  visit("method", "threat", s.method.threat, Rule{.choices = {"informed", "learned", "both"}},
        "fine: protect against an informed attacker (knows all rows, secrets and the channel as statistics, "
        "not "
        "which row is the target's), against a model trained on other people, or against both");
  visit("method", "least_informed_weight", s.method.least_informed_weight, Rule{.low = 0, .high = 1},
        "fine with threat both: the informed attacker weighs at least this in what is minimised, the model "
        "at most "
        "the rest (docs/method.md)");
  visit("method", "balanced", s.method.balanced, Rule{},
        "fine: every row is published once in expectation, so that averages of a group stay unbiased");
  visit("method", "self_donor", s.method.self_donor, Rule{.choices = {"allowed", "never"}},
        "fine: whether people may publish their own row");
  visit("method", "seed", s.method.seed, Rule{}, "repeatable draws, for trials only: never for a release");
  visit("release", "format", s.release.format, Rule{.choices = {"auto", "csv", "parquet"}},
        "format of the released files; auto: Parquet if the input is Parquet, else CSV");
  visit("release", "ids", s.release.ids, Rule{.choices = {"replace", "keep", "drop"}},
        "ids of people: replaced by random ones, kept (the release is then pseudonymous: everybody stands in "
        "it under the original id), or left out (wide data only)");
  visit("release", "order", s.release.order, Rule{.choices = {"sorted", "shuffled"}},
        "rows of the release: by published id and then by content, or at random, which is faster for many "
        "events; "
        "neither tells the order of the input");
  visit("release", "ledger", s.release.ledger, Rule{},
        "private file that remembers who was published, so that each person gets one draw; none: nothing is "
        "remembered, for trials");
  visit("audit", "releases", s.audit.releases, Rule{.low = 1, .high = 10'000},
        "repetitions of every attack and utility, each with its own split of the people and, where the "
        "mechanism is given, its own draw");
  visit("audit", "attackers", s.audit.attackers, Rule{.choices = {"forest", "boosting"}},
        "models that are trained to infer the secret: a random forest, boosted trees (XGBoost)");
  visit("audit", "scenarios", s.audit.scenarios, Rule{.choices = {"I", "II"}},
        "I: the attacker learns from true features and secrets of some people; II: from the release and the "
        "true secrets of some people in it");
  visit("audit", "known", s.audit.known, Rule{.low = 0.01, .high = 0.99},
        "share of the people whose secret the attacker of scenario I knows");
  visit("audit", "folds", s.audit.folds, Rule{.low = 2, .high = 100},
        "scenario II: each fold is attacked with the secrets of the others");
  visit("audit", "shadow", s.audit.shadow, Rule{.low = 0, .high = 100},
        "repetitions of the attacker who fits the same method to people of his own and learns from that");
  visit("audit", "task", s.audit.task, Rule{},
        "a kept column that users of the release will predict; the audit measures how well they can");
}

// --- reading
// ----------------------------------------------------------------------------------------------------------

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Setting& setting : settings()) names.push_back(setting.full_name());
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest_word(word, known);
  return near ? fmt::format("Did you mean \"{}\"?", *near) : "See docs/settings.md for the keys there are.";
}

InputPlace place_of(const Spec& spec, const toml::node& node) {
  const auto line = node.source().begin.line;
  return {.source = line > 0 ? fmt::format("{}, line {}", spec.name, line) : spec.name};
}

void refuse_unknown_keys(const Spec& spec, const toml::table& document) {
  const auto known = all_names();
  std::set<std::string> sections;
  for (const Setting& setting : settings()) sections.insert(setting.section);
  for (const auto& [section, node] : document) {
    const std::string name(section.str());
    if (!sections.contains(name) || !node.is_table())
      throw InputError(place_of(spec, node), fmt::format("\"{}\" is not a section of a spec", name),
                       fmt::format("The sections are {}.", fmt::join(sections, ", ")));
    for (const auto& [key, value] : *node.as_table()) {
      const std::string full = name + "." + std::string(key.str());
      if (std::ranges::find(known, full) == known.end())
        throw InputError(place_of(spec, value), fmt::format("there is no key \"{}\"", full),
                         did_you_mean(full, known));
    }
  }
}

toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InputError({.source = fmt::format("{}, line {}", name, error.source().begin.line)},
                     fmt::format("not valid TOML: {}", error.description()), "Correct the line.");
  }
}

std::string flag_of(const Override& given) { return given.flag.empty() ? "--" + given.name : given.flag; }

/// The value of a flag is TOML too; texts and lists may go without their quotes and brackets.
toml::table parse_override(const Override& given, const Setting& setting) {
  const auto parse = [](const std::string& value) -> std::optional<toml::table> {
    try {
      return toml::parse("x = " + value);
    } catch (const toml::parse_error&) {
      return std::nullopt;
    }
  };
  if (setting.type == "text" || given.text == "auto") return toml::table{{"x", given.text}};
  if ((setting.type == "number" || setting.type == kNumberOrText) && given.text.starts_with('.'))
    return parse_override({given.name, "0" + given.text, given.flag}, setting);
  if (setting.type.ends_with("list of texts") && !given.text.starts_with('[')) {
    toml::array words;
    std::string word;
    for (const char letter : given.text + ",")
      if (letter != ',')
        word += letter;
      else
        words.push_back(std::exchange(word, {}));
    return toml::table{{"x", std::move(words)}};
  }
  if (setting.type == "[low, high]" && !given.text.starts_with('['))
    if (auto table = parse("[" + given.text + "]")) return *std::move(table);
  if (auto table = parse(given.text)) return *std::move(table);
  if (setting.type == kNumberOrText) return toml::table{{"x", given.text}};
  throw InputError({.source = flag_of(given)}, "expected " + expectation(setting.type, {}),
                   "Write it as in a spec file.");
}

void apply_overrides(toml::table& document, const std::vector<Override>& overrides) {
  for (const Override& given : overrides) {
    const auto found = std::ranges::find(settings(), given.name, &Setting::full_name);
    if (found == settings().end())
      throw InputError({.source = flag_of(given)}, "there is no such key",
                       did_you_mean(given.name, all_names()));
    if (!document.contains(found->section)) document.insert(found->section, toml::table{});
    if (given.name == "channel.budget") document["channel"].as_table()->erase("budget_share");
    if (given.name == "channel.budget_share") document["channel"].as_table()->erase("budget");
    document[found->section].as_table()->insert_or_assign(found->key,
                                                          *parse_override(given, *found).get("x"));
  }
}

/// The flag, or the line and key of the file.
InputPlace place_of_key(const Spec& spec, const toml::node& node, const std::string& name,
                        const std::vector<Override>& overrides) {
  const auto given = std::ranges::find(overrides, name, &Override::name);
  if (given != overrides.end()) return {.source = flag_of(*given)};
  return {.source = place_of(spec, node).source + ", " + name};
}

void fill(Spec& spec, const toml::table& document, const std::vector<Override>& overrides) {
  visit_settings(spec, [&](const char* section, const char* key, auto& field, const Rule& rule, const char*) {
    const toml::node* node = document[section][key].node();
    if (node == nullptr) return;
    if (!read_value(*node, field) || !in_range(field, rule))
      throw InputError(place_of_key(spec, *node, fmt::format("{}.{}", section, key), overrides),
                       "expected " + expectation(type_name(field), rule), "Correct the value.");
  });
}

// --- what must hold between keys
// ----------------------------------------------------------------------------------------

void check_source(const Spec& spec, const SourceSpec& source, const char* section) {
  if (!source.file.empty() && !source.query.empty())
    throw InputError({.source = spec.name}, fmt::format("[{}] has both a file and a query", section),
                     "Keep one of them.");
  if (source.delimiter.size() > 4)
    throw InputError({.source = spec.name},
                     fmt::format("{}.delimiter: expected at most four letters", section),
                     "Correct the value.");
}

void refuse_column_in_two_roles(const Spec& spec) {
  std::set<std::string> seen;
  std::vector<std::string> columns = spec.people.features;
  columns.insert(columns.end(), spec.people.keep.begin(), spec.people.keep.end());
  columns.push_back(spec.people.id);
  columns.insert(columns.end(), spec.people.secret.all.begin(), spec.people.secret.all.end());
  for (const std::string& column : columns)
    if (!seen.insert(lower_case(column)).second)  // SQL does not tell AGE from age
      throw InputError({.source = spec.name, .column = column},
                       "is named twice among id, secret, features and keep", "Give every column one role.");
  for (const auto* list : {&spec.people.categorical, &spec.people.sets})
    for (const std::string& column : *list)
      if (std::ranges::find(spec.people.features, column) == spec.people.features.end())
        throw InputError({.source = spec.name, .column = column}, "is not among people.features",
                         "Add it there, or take it away here.");
}

void refuse_to_allow_what_is_not_published(const Spec& spec) {
  for (const std::string& column : spec.people.allow_identifying) {
    const auto listed = [&](const std::vector<std::string>& list) {
      return std::ranges::find(list, column) != list.end();
    };
    if (!listed(spec.people.features) && !listed(spec.people.keep) && column != spec.events.time)
      throw InputError({.source = spec.name, .column = column},
                       "is in people.allow_identifying, and is not published",
                       "Take it away there, or correct its name.");
  }
}

void check_roles(const Spec& spec) {
  if (!spec.people.source.given())
    throw InputError({.source = spec.name}, "[people] names neither a file nor a query",
                     "Add `file` or `query`.");
  for (const auto& [absent, key] :
       {std::pair{spec.people.id.empty(), "id"}, std::pair{spec.people.secret.empty(), "secret"}})
    if (absent)
      throw InputError({.source = spec.name}, fmt::format("people.{} is not given", key), "Name the column.");
  refuse_column_in_two_roles(spec);
  refuse_to_allow_what_is_not_published(spec);
  if (!spec.is_long() && spec.people.features.empty())
    throw InputError({.source = spec.name}, "there is nothing to publish",
                     "List the feature columns in people.features, or add [events].");
  if (spec.is_long() && !spec.people.features.empty())
    throw InputError({.source = spec.name}, "features come from both people.features and [events]",
                     "Keep one of them.");
  if (spec.is_long() && (spec.events.person.empty() || spec.events.item.empty()))
    throw InputError({.source = spec.name}, "[events] needs person and item", "Name the two columns.");
}

void check_channel(const Spec& spec) {
  const auto& promise = spec.channel.promise;
  if ((spec.channel.budget || promise) && spec.channel.budget_share)
    throw InputError({.source = spec.name}, "both channel.budget and channel.budget_share are given",
                     "Keep one of them.");
  if (promise && promise->measure == "task" && spec.audit.task.empty())
    throw InputError({.source = spec.name}, "channel.budget speaks of the task, and audit.task names none",
                     "Name in audit.task the kept column that users of the release will predict.");
}

void check_groups(const Spec& spec) {
  const auto& fixed = spec.groups.fixed;
  for (std::size_t g = 1; g < fixed.size(); ++g)
    if (fixed[g][0] <= fixed[g - 1][1])
      throw InputError({.source = spec.name}, "groups.fixed overlap or are out of order",
                       "Write them in ascending order.");
  if (!fixed.empty() && spec.groups.count && *spec.groups.count != static_cast<int>(fixed.size()))
    throw InputError({.source = spec.name}, "groups.count differs from the number of groups.fixed",
                     "Leave groups.count out.");
}

}  // namespace

std::string Names::text() const { return fmt::format("{}", fmt::join(all, ", ")); }

const std::vector<std::string>& promised_measures() {
  static const std::vector<std::string> list = {"rating RMSE", "mAP", "task", "distance"};
  return list;
}

std::string promise_text(const UtilityPromise& promise) {
  return fmt::format("at most {} % of {}", promise.percent, promise.measure);
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> list = [] {
    std::vector<Setting> result;
    Spec defaults;
    visit_settings(
        defaults, [&](const char* section, const char* key, auto& field, const Rule& rule, const char* help) {
          result.push_back({section, key, type_name(field), rule.required ? "required" : value_text(field),
                            help, rule.choices});
        });
    return result;
  }();
  return list;
}

std::vector<SettingValue> setting_values(const Spec& spec) {
  std::vector<SettingValue> values;
  Spec copy = spec, defaults;
  const auto collect = [](Spec& from) {
    std::vector<std::string> texts;
    visit_settings(from, [&](const char*, const char*, auto& field, const Rule&, const char*) {
      texts.push_back(value_text(field));
    });
    return texts;
  };
  const auto given = collect(copy), fallback = collect(defaults);
  for (std::size_t i = 0; i < settings().size(); ++i)
    values.push_back({settings()[i].full_name(), given[i], given[i] != fallback[i]});
  return values;
}

Spec parse_spec(const std::string& toml, const std::string& name, const std::filesystem::path& folder,
                const std::vector<Override>& overrides) {
  Spec spec;
  spec.name = name;
  spec.folder = folder;
  auto document = parse_toml(toml, name);
  refuse_unknown_keys(spec, document);
  apply_overrides(document, overrides);
  fill(spec, document, overrides);
  check_source(spec, spec.people.source, "people");
  check_source(spec, spec.events.source, "events");
  check_roles(spec);
  check_secret(spec);
  check_channel(spec);
  check_groups(spec);
  return spec;
}

Spec read_spec(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return parse_spec(read_file(file), file.string(), folder, overrides);
}

namespace {

bool is_number(const std::string& text) {
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

}  // namespace

std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& known) {
  const auto edit_distance = [](const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
        diagonal = row[j];
        row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
      }
    }
    return row.back();
  };
  std::optional<std::string> best;
  std::size_t least = word.size() / 3 + 1;  // a third of the letters may differ
  for (const std::string& candidate : known)
    // A number is no name: it may be a cell of a file without a header.
    if (const std::size_t edits = edit_distance(word, candidate); edits < least && !is_number(candidate)) {
      least = edits;
      best = candidate;
    }
  return best;
}

}  // namespace hyobscure::data
