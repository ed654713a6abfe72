#include "hyobscure/census/neighbours.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Members = std::span<const std::uint32_t>;

constexpr std::size_t kRowBlock = 64;  // rows of one task
constexpr std::size_t kLeafBlock = 4;  // leaves of one task
constexpr std::size_t kSample = 100;   // rows that a tree's direction is learned from
constexpr int kPowerSteps = 3;         // of the direction; more gained nothing measurable
constexpr double kCancelled = 1e-6;    // below this share of its terms a difference has lost its digits

// The rows of the pool as the search sees them, in single precision:
//   Jensen-Shannon: sqrt(p), p the row scaled to sum 1, so that a straight line through these features
//   follows
//                   the Hellinger distance, which is close to Jensen-Shannon;
//   Euclidean:      x over the largest entry of the pool, so that no square overflows;
//   sets:           1 for every item of the set.
struct Pool {
  const SparseRows& rows;
  Members members;
  Distance distance;
  std::vector<std::size_t> starts;  // of the features of each member
  std::vector<float> features;
  std::vector<double> constants;  // Jensen-Shannon: sum of p log p; otherwise sum of squared features
  std::vector<float> tree_scale;  // brings a row to the length that suits the trees

  std::size_t size() const { return members.size(); }
  std::size_t entries(std::size_t i) const { return starts[i + 1] - starts[i]; }
  const std::uint32_t* items(std::size_t i) const { return rows.items.data() + rows.starts[members[i]]; }
  const float* feature(std::size_t i) const { return features.data() + starts[i]; }
};

bool is_set(Distance distance) { return distance == Distance::Jaccard || distance == Distance::Hamming; }

double feature_of(Distance distance, double value, double scale) {
  if (distance == Distance::JensenShannon) return std::sqrt(value * scale);
  if (is_set(distance)) return value != 0 ? 1 : 0;
  return value * scale;
}

double largest_entry(const SparseRows& rows, Members members) {
  double largest = 0;
  for (const std::uint32_t row : members)
    for (const double x : rows[row].values) largest = std::max(largest, std::abs(x));
  return largest;
}

// Constants are summed over the rounded features: a row is then at distance 0 from its copy.
void fill_row(Pool& pool, std::size_t i, double scale) {
  const auto row = pool.rows[pool.members[i]];
  double constant = 0;
  for (std::size_t e = 0; e < row.values.size(); ++e) {
    const auto f = static_cast<float>(feature_of(pool.distance, row.values[e], scale));
    pool.features[pool.starts[i] + e] = f;
    const double square = static_cast<double>(f) * f;
    constant += pool.distance == Distance::JensenShannon ? x_log_x(square) : square;
  }
  pool.constants[i] = constant;
  // Sets of different size are compared by their share of common items: the cosine.
  pool.tree_scale[i] =
      pool.distance == Distance::Jaccard && constant > 0 ? static_cast<float>(1 / std::sqrt(constant)) : 1.0F;
}

Pool make_pool(Distance distance, const SparseRows& rows, Members members) {
  Pool pool{.rows = rows,
            .members = members,
            .distance = distance,
            .starts = {0},
            .features = {},
            .constants = std::vector<double>(members.size()),
            .tree_scale = std::vector<float>(members.size())};
  for (const std::uint32_t row : members) pool.starts.push_back(pool.starts.back() + rows[row].items.size());
  pool.features.resize(pool.starts.back());
  const double largest = largest_entry(rows, members);
  parallel_blocks(members.size(), kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto values = rows[members[i]].values;
      const double sum =
          distance == Distance::JensenShannon ? std::accumulate(values.begin(), values.end(), 0.0) : largest;
      fill_row(pool, i, sum > 0 ? 1 / sum : 1.0);
    }
  });
  return pool;
}

// True distances from one row, which lies spread out in memory, to others: a walk over the entries of the
// other alone. The search needs their order only, in single precision.
class RowScan {
 public:
  explicit RowScan(const Pool& pool)
      : pool_(pool), dense_(pool.rows.columns, 0.0F), constants_(pool.rows.columns, 0.0F) {}

  void load(std::size_t i) {
    clear();
    loaded_ = i;
    for (std::size_t e = 0; e < pool_.entries(i); ++e) {
      const float f = pool_.feature(i)[e];
      const std::uint32_t item = pool_.items(i)[e];
      dense_[item] = is_divergence() ? f * f : f;
      constants_[item] = static_cast<float>(x_log_x(static_cast<double>(f) * f));
    }
  }

  // Grows with the distance; the same order, another unit for some.
  float to(std::size_t other) {
    if (is_divergence()) return divergence(other);
    const double shared = product(other);
    const double both = pool_.constants[loaded_] + pool_.constants[other];
    if (pool_.distance != Distance::Jaccard) return static_cast<float>(std::max(0.0, both - 2 * shared));
    return both > 0 ? static_cast<float>(1 - shared / (both - shared)) : 0.0F;
  }

 private:
  bool is_divergence() const { return pool_.distance == Distance::JensenShannon; }

  void clear() {
    if (loaded_ == kNone) return;
    for (std::size_t e = 0; e < pool_.entries(loaded_); ++e) {
      dense_[pool_.items(loaded_)[e]] = 0;
      constants_[pool_.items(loaded_)[e]] = 0;
    }
  }

  // With h(x) = x log x and p of the loaded row, q of the other,
  //   JSD = log 2 - 1/2 [ sum over items of q of (h(p + q) - h(p)) - sum h(q) ],
  // because an item of p alone adds h(p) - h(p) = 0. Zeros stored in a row add 0 log 0, so they are raised.
  float divergence(std::size_t other) {
    const std::size_t n = pool_.entries(other);
    const std::uint32_t* items = pool_.items(other);
    const float* f = pool_.feature(other);
    reserve(n);
    for (std::size_t e = 0; e < n; ++e) {
      first_[e] = dense_[items[e]] + f[e] * f[e];
      second_[e] = constants_[items[e]];
    }
    using Values = Eigen::Map<const Eigen::ArrayXf>;
    const Values sum(first_.data(), static_cast<Eigen::Index>(n));
    const Values minus(second_.data(), static_cast<Eigen::Index>(n));
    const float total = (sum * sum.max(kTiny).log() - minus).sum();
    return static_cast<float>(std::numbers::ln2 - (static_cast<double>(total) - pool_.constants[other]) / 2);
  }

  // In double: the difference both - 2 shared cancels for rows that are close.
  double product(std::size_t other) {
    const std::size_t n = pool_.entries(other);
    const std::uint32_t* items = pool_.items(other);
    reserve(n);
    for (std::size_t e = 0; e < n; ++e) first_[e] = dense_[items[e]];
    const Eigen::Map<const Eigen::ArrayXf> mine(first_.data(), static_cast<Eigen::Index>(n));
    const Eigen::Map<const Eigen::ArrayXf> theirs(pool_.feature(other), static_cast<Eigen::Index>(n));
    return (mine.cast<double>() * theirs.cast<double>()).sum();
  }

  void reserve(std::size_t n) {
    if (first_.size() >= n) return;
    first_.resize(n);
    second_.resize(n);
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr float kTiny = 1e-30F;
  const Pool& pool_;
  std::vector<float> dense_, constants_, first_, second_;
  std::size_t loaded_ = kNone;
};

struct Near {
  float key;  // of RowScan
  std::uint32_t position;

  auto operator<=>(const Near&) const = default;
};
using NearList = std::vector<Near>;

// Lists

// Merges candidates into a list of at most `most`, both ascending without repeats after this.
void keep_nearest(NearList& list, NearList& candidates, std::size_t most) {
  candidates.insert(candidates.end(), list.begin(), list.end());
  std::sort(candidates.begin(), candidates.end());
  // A pair has one key, whichever leaf it was met in, so that repeats lie side by side.
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  list.assign(candidates.begin(),
              candidates.begin() + static_cast<std::ptrdiff_t>(std::min(most, candidates.size())));
}

// Largest difference of two keys that single precision may have turned round.
double key_error(const Pool& pool, std::size_t i, const Near& near) {
  if (pool.distance == Distance::JensenShannon) return 1e-5;
  return kCancelled * (1 + pool.constants[i] + pool.constants[near.position]);
}

void sort_by_definition(const Pool& pool, std::size_t i, std::span<Near> run) {
  struct Exact {
    double distance;
    Near near;
  };
  std::vector<Exact> exact;
  for (const Near& near : run)
    exact.push_back({distance_between(pool.distance, pool.rows[pool.members[i]],
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

NearList all_others(RowScan& scan, std::size_t i, std::size_t people) {
  NearList list;
  scan.load(i);
  for (std::size_t j = 0; j < people; ++j)
    if (j != i) list.push_back({scan.to(j), static_cast<std::uint32_t>(j)});
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::vector<std::uint32_t>> compare_all(const Pool& pool, std::size_t most,
                                                    const Progress& progress) {
  std::vector<std::vector<std::uint32_t>> result(pool.size());
  parallel_blocks(pool.size(), kRowBlock, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    RowScan scan(pool);
    for (std::size_t i = begin; i < end; ++i) {
      NearList list = all_others(scan, i, pool.size());
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
        direction_(pool.rows.columns, 0.0F),
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
      // A fixed order gives every pair one key, and reads the rows in the order of the memory.
      std::sort(part.begin(), part.end());
      return;
    }
    progress_.throw_if_stopped();
    learn_direction(part);
    for (std::size_t n = 0; n < part.size(); ++n) projected_[n] = {project(part[n]), part[n]};
    forget_direction();
    const auto half = static_cast<std::ptrdiff_t>(part.size() / 2);
    const auto end = projected_.begin() + static_cast<std::ptrdiff_t>(part.size());
    std::nth_element(projected_.begin(), projected_.begin() + half, end);
    std::transform(projected_.begin(), end, part.begin(), [](const Near& near) { return near.position; });
    split(part.first(part.size() / 2));
    split(part.subspan(part.size() / 2));
  }

  // A few power steps from random weights towards the first principal direction of a sample: few enough to
  // leave each tree its own direction, enough to beat noise.
  void learn_direction(std::span<const std::uint32_t> part) {
    sample_.resize(kSample);
    weights_.resize(kSample);
    for (std::size_t s = 0; s < kSample; ++s) {
      sample_[s] = part[random_.below(part.size())];
      weights_[s] = static_cast<float>(2 * random_.uniform() - 1);
    }
    for (int step = 0; step < kPowerSteps; ++step) {
      if (step > 0) {
        for (std::size_t s = 0; s < kSample; ++s) weights_[s] = project(sample_[s]);
        forget_direction();
      }
      if (!normalise(weights_)) return;  // all alike: any cut is as good
      for (std::size_t s = 0; s < kSample; ++s) add_row(sample_[s], weights_[s]);
    }
  }

  // Mean 0, because a direction common to all separates nobody, and length 1.
  static bool normalise(std::vector<float>& weights) {
    Eigen::Map<Eigen::ArrayXf> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
    w -= w.mean();
    const float length = w.matrix().norm();
    if (!(length > 0)) return false;
    w /= length;
    return true;
  }

  void add_row(std::uint32_t i, float weight) {
    const float scaled = weight * pool_.tree_scale[i];
    for (std::size_t e = 0; e < pool_.entries(i); ++e)
      direction_[pool_.items(i)[e]] += scaled * pool_.feature(i)[e];
  }

  float project(std::uint32_t i) const {
    float sum = 0;
    for (std::size_t e = 0; e < pool_.entries(i); ++e)
      sum += direction_[pool_.items(i)[e]] * pool_.feature(i)[e];
    return sum * pool_.tree_scale[i];
  }

  // Only what the sample has touched: there may be more columns than a leaf has entries.
  void forget_direction() {
    for (const std::uint32_t i : sample_)
      for (std::size_t e = 0; e < pool_.entries(i); ++e) direction_[pool_.items(i)[e]] = 0;
  }

  const Pool& pool_;
  std::size_t leaf_;
  RandomStream random_;
  const Progress& progress_;
  std::vector<float> direction_;
  std::vector<Near> projected_;  // key: the place along the direction
  std::vector<std::uint32_t> sample_;
  std::vector<float> weights_;
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

void compare_leaf(RowScan& scan, std::span<const std::uint32_t> leaf, std::size_t most,
                  std::vector<NearList>& lists) {
  std::vector<NearList> candidates(leaf.size());
  const auto offer = [&](std::size_t n, float key, std::uint32_t other) {
    const NearList& list = lists[leaf[n]];
    if (list.size() < most || Near{key, other} < list.back()) candidates[n].push_back({key, other});
  };
  for (std::size_t a = 0; a < leaf.size(); ++a) {
    scan.load(leaf[a]);
    for (std::size_t b = a + 1; b < leaf.size(); ++b) {
      const float key = scan.to(leaf[b]);
      offer(a, key, leaf[b]);
      offer(b, key, leaf[a]);
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
      RowScan scan(pool);
      for (std::size_t l = begin; l < end; ++l)
        compare_leaf(scan, std::span(forest[tree]).subspan(starts[l], starts[l + 1] - starts[l]), most,
                     lists);
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

std::vector<std::vector<std::uint32_t>> nearest_rows(Distance distance, const SparseRows& rows,
                                                     std::span<const std::uint32_t> members,
                                                     const NeighbourSettings& settings, const Key& key,
                                                     const Progress& progress) {
  validate(settings);
  check_rows(distance, rows);
  const Pool pool = make_pool(distance, rows, members);
  const auto most = static_cast<std::size_t>(settings.neighbours);
  return pool.size() <= kExactPool ? compare_all(pool, most, progress)
                                   : search_forest(pool, settings, most, key, progress);
}

}  // namespace hyobscure::census
