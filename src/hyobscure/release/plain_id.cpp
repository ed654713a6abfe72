#include "hyobscure/release/plain_id.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hyobscure::release {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\v\f";
constexpr int kMostZeros = 40;  // that are written out; more are an exponent

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

bool takes_digits(std::string_view& text, std::string& digits) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  digits += text.substr(0, end);
  text.remove_prefix(end);
  return end > 0;
}

bool takes(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// digits * 10^exponent, no zero at either end of the digits; none at all for 0.
struct Decimal {
  bool negative = false;
  std::string digits = {};
  int exponent = 0;
};

std::optional<Decimal> decimal_from(std::string_view text) {
  Decimal number{.negative = text.starts_with('-')};
  if (takes(text, "+-") && text.empty()) return std::nullopt;
  bool has_digits = takes_digits(text, number.digits);
  if (takes(text, ".")) {
    const std::size_t whole = number.digits.size();
    has_digits = takes_digits(text, number.digits) || has_digits;
    number.exponent = static_cast<int>(whole) - static_cast<int>(number.digits.size());
  }
  if (!has_digits) return std::nullopt;
  if (takes(text, "eE")) {
    takes(text, "+");
    int power = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
    if (error != std::errc() || std::abs(power) > 1'000'000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    number.exponent += power;
  }
  if (!text.empty()) return std::nullopt;
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  while (number.digits.ends_with('0')) {
    number.digits.pop_back();
    number.exponent += 1;
  }
  return number;
}

std::string text_of(const Decimal& number) {
  if (number.digits.empty()) return "0";
  const std::string sign = number.negative ? "-" : "";
  if (number.exponent >= 0 && number.exponent <= kMostZeros)
    return sign + number.digits + std::string(static_cast<std::size_t>(number.exponent), '0');
  return sign + number.digits + "e" + std::to_string(number.exponent);
}

}  // namespace

std::string plain_id(std::string_view id) {
  const std::string_view text = without_spaces(id);
  const auto number = decimal_from(text);
  return number ? text_of(*number) : std::string(text);
}

}  // namespace hyobscure::release
