#include "hyobscure/data/spec/nearest_word.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace hyobscure::data {
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
