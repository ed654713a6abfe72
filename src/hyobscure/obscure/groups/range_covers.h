#pragma once

#include <optional>
#include <vector>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/group.h"

namespace hyobscure::obscure {

/// How runs of numbers are published.
///
/// Ranges of neighbouring runs touch, so that they also cover values that nobody has. Whole numbers: "18-24",
/// up to just below the next value. Others: cut at a short number that is nobody's value, "230 to under 410".
/// The ends are those of `keep` where given, else open ("45 or more"): the largest value itself may belong to
/// one person.
class RangeCovers {
 public:
  struct Ends {  ///< of a value; the same number unless it stands for several
    double low, high;
  };

  /// Values ascend.
  RangeCovers(std::vector<Ends> values, const std::optional<data::Interval>& keep);

  /// Of the values first .. last, both included.
  [[nodiscard]] published::Cover cover(std::size_t first, std::size_t last) const;

 private:
  double cut_after(std::size_t value) const;

  std::vector<Ends> values_;
  std::optional<data::Interval> keep_;
  bool whole_;
};

/// Whether the label of a range says what it covers, as RangeCovers writes it of whole or of other numbers.
[[nodiscard]] bool is_label_of(const published::Cover& cover);

}  // namespace hyobscure::obscure
