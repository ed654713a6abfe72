#include "hyobscure/verify/row_order.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hyobscure::verify {
namespace {

std::optional<double> number_in(const std::string& cell) {
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

/// Cells that differ.
bool ascend_as_texts(const std::string& one, const std::string& other) {
  return !one.empty() && (other.empty() || one < other);
}

bool ascend_as_numbers(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return ascend_as_texts(one, other);
  const auto a = number_in(one), b = number_in(other);
  return a && b && *a <= *b;
}

}  // namespace

void RowOrder::add(std::span<const std::string> row) {
  if (first_.empty()) {
    first_.assign(row.begin(), row.end());
    columns_.resize(row.size());
  } else {
    compare(last_, row);
  }
  last_.assign(row.begin(), row.end());
}

void RowOrder::compare(std::span<const std::string> one, std::span<const std::string> other) {
  if (one[0] != other[0] || of_ == Of::People) {
    ids_ascend_ = ids_ascend_ && one[0] < other[0];
    return;
  }
  const auto [a, b] = std::ranges::mismatch(one, other);
  if (a == one.end()) return;  // the same event twice
  Ascends& column = columns_[static_cast<std::size_t>(a - one.begin())];
  column.as_text = column.as_text && ascend_as_texts(*a, *b);
  column.as_numbers = column.as_numbers && ascend_as_numbers(*a, *b);
}

void RowOrder::join(const RowOrder& next) {
  if (next.first_.empty()) return;
  if (first_.empty()) {
    *this = next;
    return;
  }
  compare(last_, next.first_);
  ids_ascend_ = ids_ascend_ && next.ids_ascend_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].as_text = columns_[c].as_text && next.columns_[c].as_text;
    columns_[c].as_numbers = columns_[c].as_numbers && next.columns_[c].as_numbers;
  }
  last_ = next.last_;
}

bool RowOrder::holds() const {
  return ids_ascend_ && std::ranges::all_of(columns_, [](const Ascends& column) {
           return column.as_text || column.as_numbers;
         });
}

}  // namespace hyobscure::verify
