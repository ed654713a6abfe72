#include "mutation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hyobscure::fuzz {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Where readers stumble: ends of number ranges, what is no number, and what opens or closes something.
constexpr std::array<std::string_view, 24> kWords = {"0",          "-1",
                                                     "1",          "255",
                                                     "65536",      "2147483648",
                                                     "4294967295", "9223372036854775807",
                                                     "1e99",       "-1e400",
                                                     "1e-40",      "0.5",
                                                     "null",       "18446744073709551616",
                                                     "nan",        "true",
                                                     "[]",         "{}",
                                                     "\"",         "\"\"",
                                                     "[[[[",       "\n",
                                                     "\xff\xfe",   ","};

std::size_t place(const std::string& bytes, RandomStream& random) {
  return static_cast<std::size_t>(random.below(bytes.size()));
}

/// From some place on, at most as many bytes as a short line has.
struct Span {
  std::size_t begin, length;
};
Span short_span(const std::string& bytes, RandomStream& random) {
  const std::size_t begin = place(bytes, random);
  return {begin, std::min<std::size_t>(bytes.size() - begin, 1 + random.below(40))};
}

std::string_view word(RandomStream& random) { return kWords[random.below(kWords.size())]; }

/// The number that some place lies in or before.
void replace_number(std::string& bytes, RandomStream& random) {
  const std::size_t begin = bytes.find_first_of(kDigits, place(bytes, random));
  if (begin == bytes.npos) return;
  const std::size_t end = std::min(bytes.size(), bytes.find_first_not_of("0123456789.eE+-", begin));
  bytes.replace(begin, end - begin, word(random));
}

void change(std::string& bytes, RandomStream& random) {
  if (bytes.empty()) {
    bytes = word(random);
    return;
  }
  const Span span = short_span(bytes, random);
  switch (random.below(9)) {
    case 0:
      bytes[span.begin] = static_cast<char>(bytes[span.begin] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[span.begin] = static_cast<char>(random.below(256));
      break;
    case 2:
      bytes.erase(span.begin, span.length);
      break;
    case 3:
      bytes.insert(place(bytes, random), bytes.substr(span.begin, span.length));
      break;
    case 4:
      bytes.insert(span.begin, word(random));
      break;
    case 5:
      bytes.replace(span.begin, span.length, word(random));
      break;
    case 6:
      if (random.below(8) == 0) bytes.resize(span.begin);
      break;
    default:  // most of what our files say is numbers
      replace_number(bytes, random);
  }
}

}  // namespace

std::string mutated(std::string bytes, RandomStream& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) change(bytes, random);
  return bytes;
}

}  // namespace hyobscure::fuzz
