#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/release/draw.h"

namespace hyobscure::release {

/// Who is published under which id, and in which row.
class PublishedIds {
 public:
  /// People come in the order of their ids, so ids that are kept need no new order.
  PublishedIds(const data::Spec& spec, const Key& key, const data::People& people);

  std::string id(std::size_t person) const;
  std::uint32_t person_at(std::size_t row) const { return person_at_[row]; }

 private:
  void draw(const Key& key, const data::People& people);

  const data::People& people_;
  bool kept_;
  bool longer_ = false;
  std::vector<NamedDraws::Bits> bits_;
  std::vector<std::uint32_t> person_at_;
};

}  // namespace hyobscure::release
