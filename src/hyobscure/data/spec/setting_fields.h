#pragma once

// Private to spec.cpp: from TOML to the fields of a spec and back, one overload for each type.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

#include "hyobscure/base/text.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// What a key may hold beyond its type.
struct Rule {
  double low = -kNoLimit;
  double high = kNoLimit;
  bool required = false;
};

// --- from TOML to a field: one overload a type, each says what it expected

inline bool read_value(const toml::node& node, std::string& out) {
  if (const auto text = node.value_exact<std::string>()) return out = *text, true;
  return false;
}

inline bool read_value(const toml::node& node, double& out) {
  if (!node.is_number()) return false;
  out = *node.value<double>();
  return std::isfinite(out);
}

inline bool read_value(const toml::node& node, int& out) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || std::abs(*number) > 1'000'000'000) return false;
  out = static_cast<int>(*number);
  return true;
}

inline bool read_value(const toml::node& node, ClusterCount& out) {
  out.automatic = node.value_exact<std::string>() == "auto";
  return out.automatic || read_value(node, out.count);
}

/// The two fields of channel.budget: an expected distance, or a use to keep.
struct Budget {
  std::optional<double>& distance;
  std::optional<UtilityTarget>& target;
};

inline constexpr const char* kNumberOrText = "number or text";

/// "At most 2% of Rating RMSE" -> at, most, 2, %, of, rating, rmse
inline std::vector<std::string> split_words(const std::string& text) {
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
inline std::optional<UtilityTarget> parse_target(const std::string& text) {
  const std::vector<std::string> words = split_words(text);
  if (words.size() < 6 || words[0] != "at" || words[1] != "most" || words[3] != "%" || words[4] != "of")
    return std::nullopt;
  UtilityTarget target;
  const char* const end = words[2].data() + words[2].size();
  const auto [stop, error] = std::from_chars(words[2].data(), end, target.percent);
  // Written this way round, a NaN is refused too.
  if (error != std::errc{} || stop != end || !(target.percent >= 0 && target.percent <= 100))
    return std::nullopt;
  const std::string name = fmt::format("{}", fmt::join(words.begin() + 5, words.end(), " "));
  const auto found = std::ranges::find(target_measures(), name, lower_case);
  if (found == target_measures().end()) return std::nullopt;
  target.measure = *found;
  return target;
}

inline bool read_value(const toml::node& node, Budget& out) {
  if (const auto text = node.value_exact<std::string>()) {
    out.target = parse_target(*text);
    return out.target.has_value();
  }
  double distance = 0;
  if (!read_value(node, distance)) return false;
  out.distance = distance;
  return true;
}

inline bool read_value(const toml::node& node, std::uint64_t& out) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 0) return false;
  out = static_cast<std::uint64_t>(*number);
  return true;
}

inline bool read_value(const toml::node& node, bool& out) {
  if (const auto value = node.value_exact<bool>()) return out = *value, true;
  return false;
}

inline bool read_value(const toml::node& node, Interval& out) {
  const auto* list = node.as_array();
  return list != nullptr && list->size() == 2 && read_value((*list)[0], out[0]) &&
         read_value((*list)[1], out[1]) && out[0] <= out[1];
}

template <SpecWord Word>
bool read_value(const toml::node& node, Word& out) {
  const auto text = node.value_exact<std::string>();
  const auto known = text ? word_named<Word>(*text) : std::nullopt;
  if (known) out = *known;
  return known.has_value();
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

inline bool read_value(const toml::node& node, Names& out) {
  if (const auto text = node.value_exact<std::string>()) return out.all = {*text}, true;
  return read_value(node, out.all) && !out.all.empty();
}

inline bool read_value(const toml::node& node, Kinds& out) {
  AxisKind one{};
  if (node.is_string()) return read_value(node, one) && (out.all = {one}, true);
  return read_value(node, out.all) && !out.all.empty();
}

template <class T>
bool read_value(const toml::node& node, std::optional<T>& out) {
  T value{};
  if (!read_value(node, value)) return false;
  out = std::move(value);
  return true;
}

inline std::string type_name(const std::string&) { return "text"; }
template <SpecWord Word>
std::string type_name(const Word&) {
  return "text";
}
template <SpecWord Word>
std::string type_name(const std::vector<Word>&) {
  return "list of texts";
}
inline std::string type_name(const double&) { return "number"; }
inline std::string type_name(const int&) { return "whole number"; }
inline std::string type_name(const std::uint64_t&) { return "whole number"; }
inline std::string type_name(const ClusterCount&) { return "\"auto\" or whole number"; }
inline std::string type_name(const Budget&) { return kNumberOrText; }
inline std::string type_name(const bool&) { return "true or false"; }
inline std::string type_name(const Interval&) { return "[low, high]"; }
inline std::string type_name(const std::vector<std::string>&) { return "list of texts"; }
inline std::string type_name(const std::vector<std::vector<std::string>>&) {
  return "list of lists of texts";
}
inline std::string type_name(const Names&) { return "text or list of texts"; }
inline std::string type_name(const Kinds&) { return "text or list of texts"; }
inline std::string type_name(const std::vector<Interval>&) { return "list of [low, high]"; }
template <class T>
std::string type_name(const std::optional<T>&) {
  return type_name(T{});
}

/// As TOML writes it: quotes and backslashes are names' own.
inline std::string quoted_toml(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    if (letter == '\n' || letter == '\t')
      quoted += letter == '\n' ? "\\n" : "\\t";
    else
      quoted += letter;
  }
  return quoted + '"';
}

inline std::string value_text(const std::string& value) {
  return value.empty() ? "none" : quoted_toml(value);
}
template <SpecWord Word>
std::string value_text(const Word& value) {
  return value_text(word(value));
}
inline std::string value_text(const double& value) { return fmt::format("{}", value); }
inline std::string value_text(const int& value) { return fmt::format("{}", value); }
inline std::string value_text(const std::uint64_t& value) { return fmt::format("{}", value); }
inline std::string value_text(const ClusterCount& value) {
  return value.automatic ? "\"auto\"" : value_text(value.count);
}
inline std::string value_text(const Budget& value) {
  if (value.target) return value_text(target_text(*value.target));
  return value.distance ? value_text(*value.distance) : "none";
}
inline std::string value_text(const Interval& value) { return fmt::format("[{}, {}]", value[0], value[1]); }
inline std::string value_text(const bool& value) { return value ? "true" : "false"; }
inline std::string value_text(const std::vector<std::string>& value) {
  std::vector<std::string> texts;
  for (const std::string& each : value) texts.push_back(quoted_toml(each));
  return value.empty() ? "none" : fmt::format("[{}]", fmt::join(texts, ", "));
}
inline std::string value_text(const std::vector<std::vector<std::string>>& value) {
  std::vector<std::string> lists;
  for (const auto& each : value) lists.push_back(value_text(each));
  return value.empty() ? "none" : fmt::format("[{}]", fmt::join(lists, ", "));
}
template <SpecWord Word>
std::string value_text(const std::vector<Word>& value) {
  std::vector<std::string> texts;
  for (const Word each : value) texts.push_back(word(each));
  return value_text(texts);
}
inline std::string value_text(const Kinds& value) {
  return value.all.size() == 1 ? value_text(value.all[0]) : value_text(value.all);
}
inline std::string value_text(const Names& value) {
  return value.all.size() == 1 ? value_text(value.all[0]) : value_text(value.all);
}
inline std::string value_text(const std::vector<Interval>& value) {
  std::vector<std::string> texts;
  for (const Interval& interval : value) texts.push_back(value_text(interval));
  return value.empty() ? "none" : fmt::format("[{}]", fmt::join(texts, ", "));
}
template <class T>
std::string value_text(const std::optional<T>& value) {
  return value ? value_text(*value) : "none";
}

inline bool in_range(const double& value, const Rule& rule) {
  return value >= rule.low && value <= rule.high;
}
inline bool in_range(const int& value, const Rule& rule) { return value >= rule.low && value <= rule.high; }
inline bool in_range(const ClusterCount& value, const Rule& rule) {
  return value.automatic || in_range(value.count, rule);
}
inline bool in_range(const Budget& value, const Rule& rule) {
  return !value.distance || in_range(*value.distance, rule);
}
inline bool in_range(const Interval& value, const Rule& rule) {
  return in_range(value[0], rule) && in_range(value[1], rule);
}
template <class T>
bool in_range(const T&, const Rule&) {
  return true;
}
template <class T>
bool in_range(const std::optional<T>& value, const Rule& rule) {
  return !value || in_range(*value, rule);
}

// --- the words that a field admits; none: it is no choice of words

template <class T>
std::vector<std::string> choices_of(const T&) {
  return {};
}
template <SpecWord Word>
std::vector<std::string> choices_of(const Word&) {
  return all_words<Word>();
}
template <SpecWord Word>
std::vector<std::string> choices_of(const std::vector<Word>&) {
  return all_words<Word>();
}
inline std::vector<std::string> choices_of(const Kinds&) { return all_words<AxisKind>(); }

inline std::string expectation(const std::string& type, const Rule& rule,
                               const std::vector<std::string>& choices) {
  if (!choices.empty()) return fmt::format("one of \"{}\"", fmt::join(choices, "\", \""));
  if (type == kNumberOrText)
    return fmt::format(
        "a number of at least 0, or a text such as \"at most 2 % of {}\" (from 0 to 100 %, of {})",
        target_measures().front(), fmt::join(target_measures(), ", "));
  const bool low = std::isfinite(rule.low), high = std::isfinite(rule.high);
  const std::string kind = type == "text"          ? "text in quotes"
                           : type.starts_with("[") ? "two numbers from low to high, such as [100, 400],"
                           : type.starts_with("list") || type.starts_with("true") || type.starts_with("\"")
                               ? type
                               : "a " + type;
  if (low && high) return fmt::format("{} from {} to {}", kind, rule.low, rule.high);
  return low ? fmt::format("{} of at least {}", kind, rule.low) : kind;
}

}  // namespace hyobscure::data
