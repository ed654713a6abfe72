#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/json.h"
#include "hyobscure/report/fact_reader.h"

namespace hyobscure::report {

// What the facts say of attackers, for the verdict and the evidence.

struct Interval {
  double mean = 0, low = 0, high = 0;
};
[[nodiscard]] std::optional<Interval> interval_at(const Json& facts, std::initializer_list<const char*> keys);

/// A figure with what it is about; without `measured` it says why there is none.
struct Figure {
  std::string title, figure, text;
  bool measured = true;
};

struct TrainedAttack {
  std::string name;
  bool knows_part = false;  ///< it learned from the secrets of a stated share of the people in the release
  /// Over the guess from the group, on the release and on true features; nothing: not measured.
  std::optional<Interval> gain, gain_on_true;

  bool gains() const { return gain && gain->low > 0; }
  /// It shows nothing: not even true features help it.
  bool is_blind() const { return gain && !gains() && gain_on_true && gain_on_true->low <= 0; }
};
[[nodiscard]] std::vector<TrainedAttack> trained_attacks(const Json& facts);
/// What the strongest of these gains.
[[nodiscard]] Figure gain_figure(const Json& facts, const std::string& title,
                                 std::vector<TrainedAttack> attacks);
/// The same of all of them.
[[nodiscard]] Figure trained_figure(const Json& facts);

/// How often the informed attacker names the exact value, and how often the group alone gives it, in per
/// cent.
[[nodiscard]] std::optional<PairText> named_right(const Json& facts);
[[nodiscard]] Figure informed_figure(const Json& facts);

/// How many people's own rows somebody finds who knows some of their entries: with the number of entries that
/// finds most.
[[nodiscard]] Figure known_entries_figure(const Json& facts);

}  // namespace hyobscure::report
