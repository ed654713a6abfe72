#include "hyobscure/obscure/compose/kin.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/random.h"
#include "hyobscure/obscure/neighbours/fair_tree.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {
namespace {

/// People of a leaf who are joined in pairs until each has as many partners as there are places beside the
/// own.
class Leaf {
 public:
  Leaf(DistanceTable cost, std::size_t partners)
      : cost_(std::move(cost)),
        size_(static_cast<std::size_t>(cost_.rows())),
        partners_(partners),
        partners_of_(size_) {}

  std::vector<std::vector<std::uint32_t>> join() {
    if (partners_ + 1 == size_) return join_all();
    join_the_nearest();
    place_who_is_left();
    return std::move(partners_of_);
  }

 private:
  using Person = std::uint32_t;

  std::vector<std::vector<Person>> join_all() {
    for (Person i = 0; i < size_; ++i)
      for (Person j = 0; j < size_; ++j)
        if (i != j) partners_of_[i].push_back(j);
    return std::move(partners_of_);
  }

  void join_the_nearest() {
    struct Pair {
      float cost;
      Person i, j;
    };
    std::vector<Pair> pairs;
    pairs.reserve(size_ * (size_ - 1) / 2);
    for (Person i = 0; i < size_; ++i)
      for (Person j = i + 1; j < size_; ++j) pairs.push_back({cost(i, j), i, j});
    std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.i != b.i ? a.i < b.i : a.j < b.j;
    });
    for (const Pair& pair : pairs)
      if (left(pair.i) > 0 && left(pair.j) > 0) join(pair.i, pair.j);
  }

  /// u and v, who have a place left and are partners or the same person, part the pair (a, b) that costs
  /// least to part: u takes a, v takes b.
  void place_who_is_left() {
    while (true) {
      std::vector<Person> open;
      for (Person i = 0; i < size_; ++i)
        for (std::size_t n = 0; n < std::min<std::size_t>(left(i), 2); ++n) open.push_back(i);
      if (open.size() < 2) return;
      const Person u = open[0], v = open[1];
      float least = std::numeric_limits<float>::infinity();
      Person best_a = 0, best_b = 0;
      for (Person a = 0; a < size_; ++a) {
        if (a == u || a == v || are_partners(a, u)) continue;
        for (const Person b : partners_of_[a]) {
          if (b == u || b == v || are_partners(b, v)) continue;
          const float more = cost(u, a) + cost(v, b) - cost(a, b);
          if (more < least) least = more, best_a = a, best_b = b;
        }
      }
      if (least == std::numeric_limits<float>::infinity()) return;
      std::erase(partners_of_[best_a], best_b);
      std::erase(partners_of_[best_b], best_a);
      join(u, best_a);
      join(v, best_b);
    }
  }

  float cost(Person i, Person j) const {
    return cost_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  std::size_t left(Person i) const { return partners_ - partners_of_[i].size(); }
  bool are_partners(Person i, Person j) const {
    return std::ranges::find(partners_of_[i], j) != partners_of_[i].end();
  }
  void join(Person i, Person j) {
    partners_of_[i].push_back(j);
    partners_of_[j].push_back(i);
  }

  DistanceTable cost_;
  std::size_t size_, partners_;
  std::vector<std::vector<Person>> partners_of_;
};

DistanceTable costs_of(census::Distance distance, const data::SparseRows& rows,
                       std::span<const std::uint32_t> members, std::span<const double> lengths,
                       const Progress& progress) {
  DistanceTable cost = all_distances(RowDistances(distance, rows, members), progress);
  for (Eigen::Index i = 0; i < cost.rows(); ++i)
    for (Eigen::Index j = 0; j < cost.cols(); ++j) {
      const double a = lengths[static_cast<std::size_t>(i)], b = lengths[static_cast<std::size_t>(j)];
      cost(i, j) *= static_cast<float>(std::max(a, b) / std::min(a, b));
    }
  return cost;
}

/// Alike people, whatever their secrets.
std::vector<std::vector<std::uint32_t>> leaves_of(census::Distance distance, const data::SparseRows& rows,
                                                  std::span<const std::uint32_t> members,
                                                  const Progress& progress) {
  const std::vector<std::uint32_t> no_secrets(members.size(), 0);
  return fair_wards(distance, rows, members, no_secrets, 1, kMostInLeaf, Key::from_seed(0).derive("kin"),
                    progress);
}

}  // namespace

Kin kin_of(census::Distance distance, const data::SparseRows& rows, std::span<const std::uint32_t> members,
           std::span<const double> lengths, int most, const Progress& progress) {
  Kin kin{.places = std::min(static_cast<std::size_t>(most), members.size()),
          .of_place = {},
          .leaf_of = std::vector<std::uint32_t>(members.size(), 0),
          .leaves = leaves_of(distance, rows, members, progress)};
  kin.of_place.resize(members.size() * kin.places);
  parallel_blocks(kin.leaves.size(), 1, [&](std::size_t l, std::size_t) {
    progress.throw_if_stopped();
    const auto& leaf = kin.leaves[l];
    std::vector<std::uint32_t> people;
    std::vector<double> length;
    for (const std::uint32_t position : leaf) {
      people.push_back(members[position]);
      length.push_back(std::max(lengths[position], 1.0));
      kin.leaf_of[position] = static_cast<std::uint32_t>(l);
    }
    const auto partners = Leaf(costs_of(distance, rows, people, length, progress), kin.places - 1).join();
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      const auto places = std::span(kin.of_place).subspan(leaf[i] * kin.places, kin.places);
      std::ranges::fill(places, leaf[i]);  // the own place, and one that nobody else could fill
      for (std::size_t n = 0; n < partners[i].size(); ++n) places[n + 1] = leaf[partners[i][n]];
    }
  });
  return kin;
}

}  // namespace hyobscure::obscure
