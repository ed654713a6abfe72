#include "hyobscure/obscure/neighbours/neighbours.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/neighbours/direction.h"

namespace hyobscure::obscure {
namespace {

using data::SparseRows;

constexpr std::size_t kRowBlock = 64;  // rows of one task
constexpr std::size_t kLeafBlock = 4;  // leaves of one task
constexpr std::size_t kSample = 100;   // rows that a tree's direction is learned from
constexpr int kPowerSteps = 3;         // of the direction; more gained nothing measurable
constexpr double kCancelled = 1e-6;    // below this share of its terms a difference has lost its digits

using Pool = RowFeatures;

// The entries of some rows of the pool (a leaf) item by item, so that comparing one row with the others costs
// their shared items only, and the logarithms of an item are taken side by side.
class LeafIndex {
  using Index = Eigen::Index;
  using ArrayXf = Eigen::ArrayXf;

 public:
  explicit LeafIndex(const Pool& pool)
      : pool_(pool), begins_(pool.rows.columns, 0), ends_(pool.rows.columns, 0) {}

  void build(std::span<const std::uint32_t> leaf) {
    leaf_ = leaf;
    make_room();
    for (std::size_t a = 0; a < leaf.size(); ++a)
      for (std::size_t e = 0; e < pool_.entries(leaf[a]); ++e) {
        const std::size_t place = ends_[pool_.items(leaf[a])[e]]++;
        holders_[place] = static_cast<std::uint32_t>(a);
        values_(static_cast<Index>(place)) = value(leaf[a], e);
      }
    if (pool_.distance == census::Distance::JensenShannon) entropies_ = values_ * values_.max(kTiny).log();
  }

  std::size_t size() const { return leaf_.size(); }
  std::uint32_t operator[](std::size_t a) const { return leaf_[a]; }

  // keys[b] grows with the distance of the leaf's rows a and b (the same order, for some in another unit),
  // for all b >= from.
  struct Scratch {
    std::vector<double> shared;
    ArrayXf terms;
    std::vector<float> keys;
  };
  void compare(std::size_t a, std::size_t from, Scratch& scratch) const {
    scratch.shared.assign(leaf_.size(), 0.0);
    scratch.keys.resize(leaf_.size());
    scratch.terms.resize(static_cast<Index>(leaf_.size()) + kPacket);
    for (std::size_t e = 0; e < pool_.entries(leaf_[a]); ++e)
      add_item(pool_.items(leaf_[a])[e], value(leaf_[a], e), from, scratch);
    for (std::size_t b = from; b < leaf_.size(); ++b) scratch.keys[b] = key(a, b, scratch.shared[b]);
  }

 private:
  float value(std::uint32_t i, std::size_t e) const {
    const float f = pool_.feature(i)[e];
    return pool_.distance == census::Distance::JensenShannon ? f * f : f;
  }

  // Counts the entries of every item; forgets the leaf before, without a walk over all columns.
  void make_room() {
    for (const std::uint32_t item : touched_) ends_[item] = 0;
    touched_.clear();
    for (const std::uint32_t i : leaf_)
      for (std::size_t e = 0; e < pool_.entries(i); ++e)
        if (ends_[pool_.items(i)[e]]++ == 0) touched_.push_back(pool_.items(i)[e]);
    std::size_t total = 0;
    for (const std::uint32_t item : touched_) {
      begins_[item] = total;
      total += std::exchange(ends_[item], total);
    }
    holders_.resize(total);
    values_.setZero(static_cast<Index>(total) + kPacket);
  }

  // With h(x) = x log x: JSD = log 2 + 1/2 sum over shared items of [h(p) + h(q) - h(p + q)]. The other
  // distances need the scalar product.
  void add_item(std::uint32_t item, float mine, std::size_t from, Scratch& scratch) const {
    const auto holders = std::span(holders_).subspan(begins_[item], ends_[item] - begins_[item]);
    const auto first = std::lower_bound(holders.begin(), holders.end(), from) - holders.begin();
    const auto later = holders.subspan(static_cast<std::size_t>(first));
    const auto at = static_cast<Index>(begins_[item]) + first, count = static_cast<Index>(later.size());
    // Whole packets: a last, shorter one would be done number by number. What is too much is not used.
    const Index padded = (count + kPacket - 1) / kPacket * kPacket;
    const auto theirs = values_.segment(at, padded);
    if (pool_.distance == census::Distance::JensenShannon) {
      const float entropy = mine * std::log(std::max(mine, kTiny));
      const auto both = theirs + mine;
      scratch.terms.head(padded) = entropies_.segment(at, padded) + entropy - both * both.max(kTiny).log();
    } else {
      scratch.terms.head(padded) = theirs * mine;
    }
    for (Index n = 0; n < count; ++n)
      scratch.shared[later[static_cast<std::size_t>(n)]] += static_cast<double>(scratch.terms(n));
  }

  float key(std::size_t a, std::size_t b, double shared) const {
    if (pool_.distance == census::Distance::JensenShannon)
      return static_cast<float>(std::numbers::ln2 + shared / 2);
    const double both = pool_.squares[leaf_[a]] + pool_.squares[leaf_[b]];
    if (pool_.distance != census::Distance::Jaccard)
      return static_cast<float>(std::max(0.0, both - 2 * shared));
    return both > 0 ? static_cast<float>(1 - shared / (both - shared)) : 0.0F;
  }

  static constexpr Index kPacket = 8;
  static constexpr float kTiny = 1e-30F;  // 0 log 0 = 0, for zeros stored in a row
  const Pool& pool_;
  std::span<const std::uint32_t> leaf_;
  std::vector<std::size_t> begins_, ends_;  // of the entries of an item
  std::vector<std::uint32_t> touched_;      // items of the leaf
  std::vector<std::uint32_t> holders_;      // places in the leaf, ascending for an item
  ArrayXf values_, entropies_;
};

struct Near {
  float key;  // of LeafIndex::compare
  std::uint32_t position;

  auto operator<=>(const Near&) const = default;
};
using NearList = std::vector<Near>;

// Lists

// Merges candidates, none of them in the list yet, into a list of at most `most`, ascending.
void keep_nearest(NearList& list, const NearList& candidates, std::size_t most) {
  list.insert(list.end(), candidates.begin(), candidates.end());
  std::sort(list.begin(), list.end());
  if (list.size() > most) list.resize(most);
}

// Largest difference of two keys that single precision may have turned round.
double key_error(const Pool& pool, std::size_t i, const Near& near) {
  if (pool.distance == census::Distance::JensenShannon) return 1e-5;
  return kCancelled * (1 + pool.squares[i] + pool.squares[near.position]);
}

void sort_by_definition(const Pool& pool, std::size_t i, std::span<Near> run) {
  struct Exact {
    double distance;
    Near near;
  };
  std::vector<Exact> exact;
  for (const Near& near : run)
    exact.push_back({census::distance_between(pool.distance, pool.rows[pool.members[i]],
                                              pool.rows[pool.members[near.position]], pool.rows.columns),
                     near});
  std::sort(exact.begin(), exact.end(), [](const Exact& a, const Exact& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.near.position < b.near.position;
  });
  std::transform(exact.begin(), exact.end(), run.begin(), [](const Exact& e) { return e.near; });
}

// Positions of the `most` nearest of an ascending list. Keys too close to be told apart are put in the order
// of the definition; there are few of them, and it costs ten times as much.
std::vector<std::uint32_t> nearest_of(const Pool& pool, std::size_t i, NearList& list, std::size_t most) {
  std::vector<std::uint32_t> positions;
  for (std::size_t begin = 0, end = 0; begin < list.size() && positions.size() < most; begin = end) {
    for (end = begin + 1; end < list.size(); ++end)
      if (list[end].key - list[end - 1].key > key_error(pool, i, list[end])) break;
    if (end - begin > 1) sort_by_definition(pool, i, std::span(list).subspan(begin, end - begin));
    for (std::size_t n = begin; n < end && positions.size() < most; ++n)
      positions.push_back(list[n].position);
  }
  return positions;
}

// All pairs

std::vector<std::vector<std::uint32_t>> compare_all(const Pool& pool, std::size_t most,
                                                    const Progress& progress) {
  std::vector<std::uint32_t> everybody(pool.size());
  std::iota(everybody.begin(), everybody.end(), 0U);
  LeafIndex index(pool);
  index.build(everybody);
  std::vector<std::vector<std::uint32_t>> result(pool.size());
  parallel_blocks(pool.size(), kRowBlock, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    LeafIndex::Scratch scratch;
    for (std::size_t i = begin; i < end; ++i) {
      index.compare(i, 0, scratch);
      NearList list;
      for (const std::uint32_t j : everybody)
        if (j != i) list.push_back({scratch.keys[j], j});
      std::sort(list.begin(), list.end());
      result[i] = nearest_of(pool, i, list, most);
    }
  });
  return result;
}

// Trees

// Cuts the pool in halves until they fit a leaf, each at the median of a direction in which its rows differ
// much. `order` becomes the positions leaf by leaf.
class TreeGrower {
 public:
  TreeGrower(const Pool& pool, std::size_t leaf, const Key& key, const Progress& progress)
      : pool_(pool),
        leaf_(leaf),
        random_(key),
        progress_(progress),
        direction_(pool),
        projected_(pool.size()) {}

  std::vector<std::uint32_t> grow() {
    std::vector<std::uint32_t> order(pool_.size());
    std::iota(order.begin(), order.end(), 0U);
    split(order);
    return order;
  }

 private:
  void split(std::span<std::uint32_t> part) {
    if (part.size() <= leaf_) {
      std::sort(part.begin(), part.end());  // rows are read in the order of the memory
      return;
    }
    progress_.throw_if_stopped();
    learn_direction(part);
    for (std::size_t n = 0; n < part.size(); ++n) projected_[n] = {direction_.project(part[n]), part[n]};
    const auto half = static_cast<std::ptrdiff_t>(part.size() / 2);
    const auto end = projected_.begin() + static_cast<std::ptrdiff_t>(part.size());
    std::nth_element(projected_.begin(), projected_.begin() + half, end);
    std::transform(projected_.begin(), end, part.begin(), [](const Near& near) { return near.position; });
    split(part.first(part.size() / 2));
    split(part.subspan(part.size() / 2));
  }

  // Few power steps: enough to beat noise, few enough to leave each tree its own direction.
  void learn_direction(std::span<const std::uint32_t> part) {
    std::vector<std::uint32_t> sample(kSample);
    for (std::uint32_t& position : sample) position = part[random_.below(part.size())];
    direction_.learn(std::move(sample), kPowerSteps, random_);
  }

  const Pool& pool_;
  std::size_t leaf_;
  RandomStream random_;
  const Progress& progress_;
  Direction direction_;
  std::vector<Near> projected_;  // key: the place along the direction
};

using Forest = std::vector<std::vector<std::uint32_t>>;

Forest grow_forest(const Pool& pool, const NeighbourSettings& settings, const Key& key,
                   const Progress& progress) {
  Forest forest(static_cast<std::size_t>(settings.trees));
  parallel_blocks(forest.size(), 1, [&](std::size_t tree, std::size_t) {
    forest[tree] = TreeGrower(pool, static_cast<std::size_t>(settings.leaf),
                              key.derive(fmt::format("tree {}", tree)), progress)
                       .grow();
  });
  return forest;
}

// Where the leaves of a pool begin, and its end: the halves depend on its size alone.
void add_leaf_starts(std::size_t begin, std::size_t end, std::size_t leaf, std::vector<std::size_t>& starts) {
  if (end - begin <= leaf) {
    starts.push_back(begin);
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  add_leaf_starts(begin, middle, leaf, starts);
  add_leaf_starts(middle, end, leaf, starts);
}

bool is_news(const NearList& list, const Near& near, std::size_t most) {
  if (list.size() >= most && !(near < list.back())) return false;
  return std::none_of(list.begin(), list.end(),
                      [&](const Near& known) { return known.position == near.position; });
}

void compare_leaf(const LeafIndex& leaf, std::size_t most, LeafIndex::Scratch& scratch,
                  std::vector<NearList>& lists) {
  std::vector<NearList> candidates(leaf.size());
  const auto offer = [&](std::size_t n, const Near& near) {
    if (is_news(lists[leaf[n]], near, most)) candidates[n].push_back(near);
  };
  for (std::size_t a = 0; a < leaf.size(); ++a) {
    leaf.compare(a, a + 1, scratch);
    for (std::size_t b = a + 1; b < leaf.size(); ++b) {
      offer(a, {scratch.keys[b], leaf[b]});
      offer(b, {scratch.keys[b], leaf[a]});
    }
  }
  for (std::size_t n = 0; n < leaf.size(); ++n) keep_nearest(lists[leaf[n]], candidates[n], most);
}

// A row is in one leaf of a tree, so that its list belongs to one task; the trees take turns.
std::vector<NearList> compare_leaves(const Pool& pool, const Forest& forest, std::size_t leaf,
                                     std::size_t most, const Progress& progress) {
  std::vector<std::size_t> starts;
  add_leaf_starts(0, pool.size(), leaf, starts);
  const std::size_t leaves = starts.size();
  starts.push_back(pool.size());
  std::vector<NearList> lists(pool.size());
  for (std::size_t tree = 0; tree < forest.size(); ++tree) {
    progress.report("neighbours", static_cast<double>(tree), static_cast<double>(forest.size()));
    parallel_blocks(leaves, kLeafBlock, [&](std::size_t begin, std::size_t end) {
      progress.throw_if_stopped();
      LeafIndex index(pool);
      LeafIndex::Scratch scratch;
      for (std::size_t l = begin; l < end; ++l) {
        index.build(std::span(forest[tree]).subspan(starts[l], starts[l + 1] - starts[l]));
        compare_leaf(index, most, scratch, lists);
      }
    });
  }
  return lists;
}

std::vector<std::vector<std::uint32_t>> search_forest(const Pool& pool, const NeighbourSettings& settings,
                                                      std::size_t most, const Key& key,
                                                      const Progress& progress) {
  const Forest forest = grow_forest(pool, settings, key, progress);
  std::vector<NearList> lists =
      compare_leaves(pool, forest, static_cast<std::size_t>(settings.leaf), most, progress);
  std::vector<std::vector<std::uint32_t>> result(pool.size());
  parallel_blocks(pool.size(), kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) result[i] = nearest_of(pool, i, lists[i], most);
  });
  return result;
}

void validate(const NeighbourSettings& settings) {
  const auto require = [](bool fits, const char* name, const char* range) {
    if (!fits) throw InputError({.source = name}, "the setting is out of range", range);
  };
  require(settings.neighbours >= 1, "neighbours", "Take at least 1.");
  require(settings.trees >= 1, "trees", "Take at least 1.");
  require(settings.leaf >= 2, "leaf", "Take at least 2.");
}

}  // namespace

std::vector<std::vector<std::uint32_t>> nearest_rows(census::Distance distance, const SparseRows& rows,
                                                     std::span<const std::uint32_t> members,
                                                     const NeighbourSettings& settings, const Key& key,
                                                     const Progress& progress) {
  validate(settings);
  census::check_rows(distance, rows);
  const Pool pool = row_features(distance, rows, members);
  const auto most = static_cast<std::size_t>(settings.neighbours);
  return pool.size() <= kExactPool ? compare_all(pool, most, progress)
                                   : search_forest(pool, settings, most, key, progress);
}

}  // namespace hyobscure::obscure
