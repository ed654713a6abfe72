#include "hyobscure/audit/mechanism/redraw.h"

#include <fmt/format.h>

#include "hyobscure/census/kmeans.h"
#include "hyobscure/release/draw.h"

namespace hyobscure::audit {

Redraw::Redraw(const obscure::Mechanism& mechanism, const data::People& people)
    : mechanism_(mechanism),
      people_(people),
      cluster_of_person_(census::assign(mechanism.clusters, people.features)),
      composed_(obscure::composed_rows_of(mechanism, people)) {}

std::vector<std::uint32_t> Redraw::donors(int draw) const {
  if (draw == 0) return release::draw_donors(mechanism_, people_, cluster_of_person_);
  obscure::Mechanism other = mechanism_;
  other.key = mechanism_.key.derive(fmt::format("audit {}", draw));
  return release::draw_donors(other, people_, cluster_of_person_);
}

}  // namespace hyobscure::audit
