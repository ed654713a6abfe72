#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::audit {

/// Releases of a mechanism that are drawn in memory and never written: what an audit repeats. Rows that are
/// composed are those of the mechanism's key in every draw: it is donors that are drawn.
class Redraw {
 public:
  /// Both must outlive it. Throws InputError where the people do not fit the mechanism.
  Redraw(const obscure::Mechanism& mechanism, const data::People& people);

  /// Who donates to whom in draw 0, which is the one that `publish` writes, 1, 2, ...
  [[nodiscard]] std::vector<std::uint32_t> donors(int draw) const;
  [[nodiscard]] audit::Publication publication(int draw) const { return {rows(), donors(draw)}; }
  /// The rows of donors: true or composed.
  const data::SparseRows& rows() const { return composed_ ? composed_->rows : people_.features; }

  std::span<const std::uint32_t> cluster_of_person() const { return cluster_of_person_; }

 private:
  const obscure::Mechanism& mechanism_;
  const data::People& people_;
  std::vector<std::uint32_t> cluster_of_person_;
  std::shared_ptr<const obscure::ComposedRows> composed_;
};

}  // namespace hyobscure::audit
