#include "hyobscure/release/published_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hyobscure/base/parallel.h"

namespace hyobscure::release {

PublishedIds::PublishedIds(const data::Spec& spec, const Key& key, const data::People& people)
    : people_(people), kept_(spec.release.ids == data::PublishedIds::Keep), person_at_(people.size()) {
  std::iota(person_at_.begin(), person_at_.end(), 0u);
  if (kept_ && spec.release.order != data::RowOrder::Shuffled) return;
  draw(key_of_rows(key, spec), people);
  std::ranges::sort(person_at_, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(bits_[a].first, bits_[a].second) < std::pair(bits_[b].first, bits_[b].second);
  });
  // 16 digits collide once in a million releases of 10^7 people.
  for (std::size_t row = 1; row < person_at_.size(); ++row)
    longer_ = longer_ || bits_[person_at_[row - 1]].first == bits_[person_at_[row]].first;
}

std::string PublishedIds::id(std::size_t person) const {
  if (kept_) return people_.ids[person];
  const auto [first, second] = bits_[person];
  return longer_ ? fmt::format("{:016x}{:016x}", first, second) : fmt::format("{:016x}", first);
}

void PublishedIds::draw(const Key& key, const data::People& people) {
  constexpr std::size_t kBlock = 4096;
  const NamedDraws draws(key);
  bits_.resize(people.size());
  parallel_blocks(people.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) bits_[u] = draws.bits(people.ids[u]);
  });
}

}  // namespace hyobscure::release
