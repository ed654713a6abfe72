#pragma once

#include <string>
#include <vector>

namespace hyobscure::obscure {

/// How published rows are composed of the rows of several people (compose/composed_rows.h).
struct Composing {
  int kin = 5;     ///< whose rows are in one composed row, the donor included
  int owners = 3;  ///< fewer people of the pool than this: their entry, or their row, is not published
  std::vector<std::vector<std::string>> together =
      {};  ///< columns of wide data whose cells come from one person

  bool operator==(const Composing&) const = default;
};

}  // namespace hyobscure::obscure
