#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/data/engine/text_numbers.h"

namespace hyobscure::data {

/// A number in the shortest decimals that give it back, without an exponent: 4, 0.5, 100000.
[[nodiscard]] std::string plain_decimal(double number);

/// Remembers how numbers are written, so that they can be written again as they were.
class ValueSpellings {
 public:
  void see(std::string_view text, double value);
  /// What another part of the source showed.
  void add(const ValueSpellings& other);

  /// How each number is written that is not written as its plain_decimal; absent where one is written in two
  /// ways, or too many are written otherwise.
  [[nodiscard]] std::optional<std::map<double, std::string>> unusual() const;

 private:
  static constexpr std::size_t kMost = 4096;  ///< distinct texts; of more, all must be plain decimals

  TextNumbers texts_;
  std::vector<double> values_;  ///< of the texts
  bool more_ = false;           ///< there are more than kMost
  bool all_plain_ = true;
};

}  // namespace hyobscure::data
