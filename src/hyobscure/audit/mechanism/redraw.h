#pragma once

#include <cstdint>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::audit {

/// Releases of a mechanism that are drawn in memory and never written: what an audit repeats.
class Redraw {
 public:
  /// Both must outlive it. Throws InputError where the people do not fit the mechanism.
  Redraw(const obscure::Mechanism& mechanism, const data::People& people);

  /// Who donates to whom in draw 0, which is the one that `publish` writes, 1, 2, ...
  [[nodiscard]] std::vector<std::uint32_t> donors(int draw) const;
  [[nodiscard]] audit::Publication publication(int draw) const { return {people_.features, donors(draw)}; }

  std::span<const std::uint32_t> cluster_of_person() const { return cluster_of_person_; }

 private:
  const obscure::Mechanism& mechanism_;
  const data::People& people_;
  std::vector<std::uint32_t> cluster_of_person_;
};

}  // namespace hyobscure::audit
