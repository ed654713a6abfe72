#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/json.h"

namespace hyobscure::report {

// Facts of a run ("report facts" of docs/formats.md), of which any may be absent, null or of another kind.

/// What stands at the end of these keys; nullptr: nothing.
[[nodiscard]] const Json* fact(const Json& facts, std::initializer_list<const char*> keys);
[[nodiscard]] std::optional<double> number_at(const Json& facts, std::initializer_list<const char*> keys);
[[nodiscard]] bool is_true_at(const Json& facts, std::initializer_list<const char*> keys);
[[nodiscard]] std::string text_at(const Json& facts, std::initializer_list<const char*> keys,
                                  const std::string& otherwise = "");
/// The objects of a list.
[[nodiscard]] std::vector<Json> objects_at(const Json& facts, std::initializer_list<const char*> keys);
[[nodiscard]] std::vector<std::string> texts_at(const Json& facts, std::initializer_list<const char*> keys);

/// "age", "age and gender": what the secrets are called.
[[nodiscard]] std::string secret_name(const Json& facts);
/// What a group of values is called: "age range", "area", "group".
[[nodiscard]] std::string group_word(const Json& facts);

/// How many checks passed, failed, are notes to the reader, and could not be made.
struct CheckCounts {
  std::int64_t all = 0, passed = 0, failed = 0, notes = 0, open = 0;
};
enum class CheckState { Passed, Failed, Note, Open };
[[nodiscard]] CheckState state_of_check(const Json& check);
[[nodiscard]] CheckCounts count_checks(const Json& facts);

// --- numbers as people read them

/// Two figures of one kind with so many decimals that they differ in writing where they differ: a pair of
/// equal texts would say that they are equal.
struct PairText {
  std::string one, other;
};
[[nodiscard]] PairText pair_text(double one, double other, int decimals);
/// A share of what there is to lose: "nothing", "34 %", "all".
[[nodiscard]] std::string lost_text(double share);
/// Three digits, without zeros at its end: "0.281", "41.3".
[[nodiscard]] std::string figure_text(double x);
/// "1 person", "802 people".
[[nodiscard]] std::string counted(std::int64_t number, const std::string& one, const std::string& many);

}  // namespace hyobscure::report
