#include "hyobscure/data/read/value_spellings.h"

#include <array>
#include <charconv>
#include <cmath>

namespace hyobscure::data {

std::string plain_decimal(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53: whole numbers below are exact
  std::array<char, 400> text;
  const auto end = number == std::floor(number) && std::abs(number) < kExact
                       ? std::to_chars(text.begin(), text.end(), static_cast<long long>(number))
                       : std::to_chars(text.begin(), text.end(), number, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

void ValueSpellings::see(std::string_view text, double value) {
  if (more_) {
    all_plain_ = all_plain_ && plain_decimal(value) == text;
    return;
  }
  const std::uint32_t number = texts_.number(text);
  if (number < values_.size()) return;
  values_.push_back(value);
  all_plain_ = all_plain_ && plain_decimal(value) == text;
  more_ = values_.size() > kMost;
}

void ValueSpellings::add(const ValueSpellings& other) {
  for (std::uint32_t n = 0; n < other.values_.size(); ++n) see(other.texts_.text(n), other.values_[n]);
  more_ = more_ || other.more_;
  all_plain_ = all_plain_ && other.all_plain_;
}

std::optional<std::map<double, std::string>> ValueSpellings::unusual() const {
  std::map<double, std::string> spellings;
  if (all_plain_) return spellings;
  if (more_) return std::nullopt;
  for (std::uint32_t n = 0; n < values_.size(); ++n)
    if (!spellings.emplace(values_[n], texts_.text(n)).second) return std::nullopt;
  std::erase_if(spellings, [](const auto& each) { return plain_decimal(each.first) == each.second; });
  return spellings;
}

}  // namespace hyobscure::data
