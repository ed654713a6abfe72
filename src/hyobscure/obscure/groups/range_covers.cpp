#include "hyobscure/obscure/groups/range_covers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/obscure/groups/labels.h"

namespace hyobscure::obscure {
namespace {

bool is_whole(double x) { return std::floor(x) == x && std::abs(x) < 1e15; }

std::string number_text(double x) { return fmt::format("{}", x); }

std::string whole_label(const published::Cover& cover) {
  if (!cover.low && !cover.high) return "all";
  if (!cover.low) return number_text(*cover.high) + " or less";
  if (!cover.high) return number_text(*cover.low) + " or more";
  if (*cover.low == *cover.high) return number_text(*cover.low);
  return number_text(*cover.low) + (*cover.low < 0 ? " to " : "-") + number_text(*cover.high);
}

std::string real_label(const published::Cover& cover) {
  if (!cover.low && !cover.high) return "all";
  if (!cover.low) return "under " + number_text(*cover.high);
  if (!cover.high) return number_text(*cover.low) + " or more";
  return number_text(*cover.low) + (cover.high_included ? " to " : " to under ") + number_text(*cover.high);
}

}  // namespace

RangeCovers::RangeCovers(std::vector<Ends> values, const std::optional<data::Interval>& keep)
    : values_(std::move(values)), keep_(keep), whole_(std::ranges::all_of(values_, [](const Ends& value) {
        return is_whole(value.low) && is_whole(value.high);
      })) {}

double RangeCovers::cut_after(std::size_t value) const {
  const double next = values_[value + 1].low;
  return whole_ ? next : short_number_between(values_[value].high, next);
}

published::Cover RangeCovers::cover(std::size_t first, std::size_t last) const {
  published::Cover cover;
  if (first > 0)
    cover.low = cut_after(first - 1);
  else if (keep_)
    cover.low = whole_ ? std::ceil((*keep_)[0]) : (*keep_)[0];
  if (last + 1 < values_.size()) {
    cover.high = whole_ ? cut_after(last) - 1 : cut_after(last);
    cover.high_included = whole_;
  } else if (keep_) {
    cover.high = whole_ ? std::floor((*keep_)[1]) : (*keep_)[1];
  }
  cover.label = whole_ ? whole_label(cover) : real_label(cover);
  return cover;
}

bool is_label_of(const published::Cover& cover) {
  return cover.label == whole_label(cover) || cover.label == real_label(cover);
}

}  // namespace hyobscure::obscure
