#include "hyobscure/obscure/neighbours/fair_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/neighbours/direction.h"

namespace hyobscure::obscure {
namespace {

constexpr std::size_t kRowsOfDirection = 1000;        // rows that a direction is learned from
constexpr int kStepsOfDirection = 10;                 // towards the main direction
constexpr std::size_t kRowsProjectedTogether = 1024;  // projected by one task
using Positions = std::vector<std::uint32_t>;

struct Projected {
  float place;
  std::uint32_t position;
  auto operator<=>(const Projected&) const = default;  // ties by position: one order whatever the sort
};

class FairTree {
 public:
  FairTree(const ScaledRows& pool, std::span<const std::uint32_t> value_of_member, std::uint32_t values,
           std::size_t most, const Key& key, const Progress& progress)
      : pool_(pool),
        value_of_member_(value_of_member),
        values_(values),
        most_(most),
        key_(key),
        progress_(progress),
        direction_(pool) {}

  std::vector<Positions> grow() {
    Positions everybody(pool_.size());
    std::iota(everybody.begin(), everybody.end(), 0U);
    split(std::move(everybody), "");
    return std::move(wards_);
  }

 private:
  void split(Positions part, const std::string& path) {
    if (part.size() <= most_) {
      wards_.push_back(std::move(part));
      return;
    }
    progress_.throw_if_stopped();
    RandomStream random(key_.derive("node " + path));
    direction_.learn(sample_of(part, random), kStepsOfDirection, random);
    std::vector<Projected> projected(part.size());
    parallel_blocks(part.size(), kRowsProjectedTogether, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) projected[n] = {direction_.project(part[n]), part[n]};
    });
    auto [low, high] = halves(projected);
    part = {};
    projected = {};
    split(std::move(low), path + "0");
    split(std::move(high), path + "1");
  }

  Positions sample_of(const Positions& part, RandomStream& random) const {
    Positions sample(std::min(kRowsOfDirection, part.size()));
    for (std::uint32_t& position : sample) position = part[random.below(part.size())];
    return sample;
  }

  // The people of each value at their own median. Where a value has an odd number of people, the halves take
  // turns to have one more, so that they differ by one person at most.
  std::pair<Positions, Positions> halves(const std::vector<Projected>& projected) const {
    std::vector<std::vector<Projected>> of_value(values_);
    for (const Projected& p : projected) of_value[value_of_member_[p.position]].push_back(p);
    Positions low, high;
    bool low_has_more = true;
    for (auto& people : of_value) {
      std::size_t half = people.size() / 2;
      if (people.size() % 2 != 0) {
        half += low_has_more ? 1 : 0;
        low_has_more = !low_has_more;
      }
      std::ranges::nth_element(people, people.begin() + static_cast<std::ptrdiff_t>(half));
      for (std::size_t n = 0; n < people.size(); ++n) (n < half ? low : high).push_back(people[n].position);
    }
    std::ranges::sort(low);
    std::ranges::sort(high);
    return {std::move(low), std::move(high)};
  }

  const ScaledRows& pool_;
  std::span<const std::uint32_t> value_of_member_;
  std::uint32_t values_;
  std::size_t most_;
  const Key& key_;
  const Progress& progress_;
  Direction direction_;
  std::vector<Positions> wards_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> fair_wards(census::Distance distance, const data::SparseRows& rows,
                                                   std::span<const std::uint32_t> members,
                                                   std::span<const std::uint32_t> value_of_member,
                                                   std::uint32_t values, std::size_t most, const Key& key,
                                                   const Progress& progress) {
  if (members.size() <= most) {
    Positions everybody(members.size());
    std::iota(everybody.begin(), everybody.end(), 0U);
    return {std::move(everybody)};
  }
  return FairTree(scaled_rows(distance, rows, members), value_of_member, values, most, key, progress).grow();
}

}  // namespace hyobscure::obscure
