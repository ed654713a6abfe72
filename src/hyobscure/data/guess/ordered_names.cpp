#include "hyobscure/data/guess/ordered_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>

#include "hyobscure/base/text.h"

namespace hyobscure::data {
namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

/// A name as words of letters, numbers and signs; commas between thousands are gone.
struct Words {
  struct Number {
    double value = 0;
    double unit = 1;  ///< of a K or M behind it
  };
  std::vector<Number> numbers;
  std::vector<std::string> words;
  bool less = false, more = false;  ///< the signs < and >, +
};

Words words_of(const std::string& name) {
  Words found;
  const std::string text = lower_case(name);
  for (std::size_t i = 0; i < text.size();) {
    if (is_digit(text[i])) {
      std::string digits;
      for (; i < text.size() && (is_digit(text[i]) || text[i] == '.' ||
                                 (text[i] == ',' && i + 3 < text.size() && is_digit(text[i + 1]) &&
                                  is_digit(text[i + 2]) && is_digit(text[i + 3])));
           ++i)
        if (text[i] != ',') digits += text[i];
      Words::Number number;
      std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
      const bool alone = i + 1 >= text.size() || !is_letter(text[i + 1]);
      if (i < text.size() && alone && (text[i] == 'k' || text[i] == 'm'))
        number.unit = text[i++] == 'k' ? 1e3 : 1e6;
      found.numbers.push_back(number);
    } else if (is_letter(text[i])) {
      std::string word;
      for (; i < text.size() && is_letter(text[i]); ++i) word += text[i];
      found.words.push_back(std::move(word));
    } else {
      found.less = found.less || text[i] == '<';
      found.more = found.more || text[i] == '>' || text[i] == '+';
      ++i;
    }
  }
  return found;
}

bool has_any(const std::vector<std::string>& words, const auto& wanted) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(wanted, std::string_view(word)) != wanted.end();
  });
}

/// Where a range begins; open ones below and above have all others between them.
struct Range {
  enum Open { Below, Closed, Above } open = Closed;
  double begin = 0;
  auto operator<=>(const Range&) const = default;
};

std::optional<Range> range_of(const std::string& name) {
  constexpr std::array<std::string_view, 5> kBelow = {"under", "below", "less", "fewer", "younger"};
  constexpr std::array<std::string_view, 6> kAbove = {"over", "above", "more", "older", "plus", "up"};
  const Words words = words_of(name);
  if (words.numbers.empty() || words.numbers.size() > 2) return std::nullopt;
  Range range;
  const bool below = words.less || has_any(words.words, kBelow),
             above = words.more || has_any(words.words, kAbove);
  if (below && above) return std::nullopt;
  if (words.numbers.size() == 1) range.open = below ? Range::Below : above ? Range::Above : Range::Closed;
  const Words::Number& first = words.numbers.front();
  // "15-24K": the unit is said once
  const double unit = first.unit == 1 && words.numbers.size() == 2 ? words.numbers.back().unit : first.unit;
  range.begin = first.value * unit;
  return range;
}

}  // namespace

std::optional<std::vector<std::string>> ordered_by_numbers(std::vector<std::string> names) {
  std::vector<std::pair<Range, std::string>> ranges;
  for (std::string& name : names) {
    const auto range = range_of(name);
    if (!range) return std::nullopt;
    ranges.emplace_back(*range, std::move(name));
  }
  std::ranges::sort(ranges);
  names.clear();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i].first;
    const bool same = i > 0 && ranges[i - 1].first == range;
    const bool open_inside =
        (range.open == Range::Below && i > 0) || (range.open == Range::Above && i + 1 < ranges.size());
    const bool falls = i > 0 && range.open == Range::Above && range.begin < ranges[i - 1].first.begin;
    if (same || open_inside || falls) return std::nullopt;
    names.push_back(std::move(ranges[i].second));
  }
  return names;
}

}  // namespace hyobscure::data
