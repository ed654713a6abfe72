#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hyobscure/data/secret/axis_kind.h"

namespace hyobscure::data {

// The words of a spec: an enum for each key that has a choice of them, and one table of names for each enum,
// words_of, in the order of its enumerators. Reading, flags, messages, the settings page and the files that a
// spec leaves its words in use these tables.

template <std::size_t size>
using WordTable = std::array<const char*, size>;

enum class FileFormat { Auto, Csv, Parquet, Json, DuckDb };
constexpr WordTable<5> words_of(FileFormat) { return {"auto", "csv", "parquet", "json", "duckdb"}; }

enum class TextEncoding { Utf8, Latin1, Utf16 };
constexpr WordTable<3> words_of(TextEncoding) { return {"utf-8", "latin-1", "utf-16"}; }

/// What stands before the fraction of a number.
enum class DecimalMark { Point, Comma };
constexpr WordTable<2> words_of(DecimalMark) { return {".", ","}; }

/// What to do with what is not as it should be.
enum class Unfit { Refuse, LeaveOut };
constexpr WordTable<2> words_of(Unfit) { return {"refuse", "leave-out"}; }

enum class MissingFeature { Refuse, Zero, Mean, Category, LeaveOut };
constexpr WordTable<5> words_of(MissingFeature) {
  return {"refuse", "zero", "mean", "category", "leave-out"};
}

enum class FeatureScale { Range, None };
constexpr WordTable<2> words_of(FeatureScale) { return {"range", "none"}; }

enum class RepeatedEvent { Auto, Refuse, Sum, Mean, Max };
constexpr WordTable<5> words_of(RepeatedEvent) { return {"auto", "refuse", "sum", "mean", "max"}; }

constexpr WordTable<3> words_of(AxisKind) { return {"ordered", "spatial", "categorical"}; }

/// How the home of a person is known.
enum class HomeRule { Given, MostVisited, Category };
constexpr WordTable<3> words_of(HomeRule) { return {"given", "most-visited", "category"}; }

/// What happens to events that reveal home.
enum class HomeEvents { Keep, LeaveOut };
constexpr WordTable<2> words_of(HomeEvents) { return {"keep", "leave-out"}; }

enum class FirstGroups { Optimal, Paper };
constexpr WordTable<2> words_of(FirstGroups) { return {"optimal", "paper"}; }

enum class GroupShape { Auto, Boxes, Connected };
constexpr WordTable<3> words_of(GroupShape) { return {"auto", "boxes", "connected"}; }

enum class LimitsFor { Pools, Groups };
constexpr WordTable<2> words_of(LimitsFor) { return {"pools", "groups"}; }

/// How unlike two people are. An item that is not stored in a row has the value 0.
enum class Distance {
  JensenShannon,     ///< of the rows scaled to sum 1, in nats: 0 .. log 2; counts and ratings
  SquaredEuclidean,  ///< |x - y|^2
  Euclidean,         ///< |x - y|
  Jaccard,           ///< 1 - |A and B| / |A or B| of the sets of non-zero items; two empty sets: 0
  Hamming,           ///< items in exactly one of the two sets, as a share of all columns: 0 .. 1
};
constexpr WordTable<5> words_of(Distance) {
  return {"jensen-shannon", "squared-euclidean", "euclidean", "jaccard", "hamming"};
}

enum class Objective { Total, Conditional };
constexpr WordTable<2> words_of(Objective) { return {"total", "conditional"}; }

/// When a moved boundary is taken.
enum class Acceptance { Paper, Budget };
constexpr WordTable<2> words_of(Acceptance) { return {"paper", "budget"}; }

/// Against whom the person-level channel protects.
enum class Threat {
  Informed,  ///< it knows all rows, all secrets and the channel, not which row is the target's own
  Learned,   ///< it has trained a model on other people
  Both,      ///< a weighted sum of the two leakages
};
constexpr WordTable<3> words_of(Threat) { return {"informed", "learned", "both"}; }

enum class SelfDonor { Allowed, Never };
constexpr WordTable<2> words_of(SelfDonor) { return {"allowed", "never"}; }

enum class ReleaseFormat { Auto, Csv, Parquet };
constexpr WordTable<3> words_of(ReleaseFormat) { return {"auto", "csv", "parquet"}; }

/// What a release has in place of the ids of people.
enum class PublishedIds { Replace, Keep, Drop };
constexpr WordTable<3> words_of(PublishedIds) { return {"replace", "keep", "drop"}; }

enum class RowOrder { Sorted, Shuffled };
constexpr WordTable<2> words_of(RowOrder) { return {"sorted", "shuffled"}; }

enum class AttackModel { Forest, Boosting, Linear, PaperBoosting };
constexpr WordTable<4> words_of(AttackModel) { return {"forest", "boosting", "linear", "paper-boosting"}; }

enum class AttackScenario { I, II, KnownPart };
constexpr WordTable<3> words_of(AttackScenario) { return {"I", "II", "known-part"}; }

/// Attacks that look for a person's row.
enum class RowAttack { KnownEntries, Matching };
constexpr WordTable<2> words_of(RowAttack) { return {"known-entries", "matching"}; }

template <class Word>
concept SpecWord = std::is_enum_v<Word> && requires(Word word) { words_of(word).size(); };

template <SpecWord Word>
std::string word(Word value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}

template <SpecWord Word>
std::optional<Word> word_named(std::string_view name) {
  const auto words = words_of(Word{});
  const auto found = std::ranges::find(words, name);
  if (found == words.end()) return std::nullopt;
  return static_cast<Word>(found - words.begin());
}

template <SpecWord Word>
std::vector<std::string> all_words() {
  const auto words = words_of(Word{});
  return {words.begin(), words.end()};
}

}  // namespace hyobscure::data
