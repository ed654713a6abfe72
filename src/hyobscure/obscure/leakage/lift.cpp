#include "hyobscure/obscure/leakage/lift.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The highest and the lowest lift of each value, over the rows seen so far.
struct Extremes {
  VectorXd highest, lowest;

  explicit Extremes(Index values)
      : highest(VectorXd::Zero(values)),
        lowest(VectorXd::Constant(values, std::numeric_limits<double>::infinity())) {}

  void see(Index value, double lift) {
    highest[value] = std::max(highest[value], lift);
    lowest[value] = std::min(lowest[value], lift);
  }
};

struct ExpectedAndLargest {
  double expected = 0, largest = 0;

  void see(double probability, double lift) {
    if (probability <= 0) return;
    expected += probability * lift;
    largest = std::max(largest, lift);
  }
};

// --- closed forms, where clusters decide about donors

/// Donors who differ in nothing but their own value: the people of a cluster, or all of a pool.
struct DonorBlock {
  VectorXd base;        ///< how often one of them is published for the people of each value
  double retained = 0;  ///< beside it for the own value; below 0 where the base counts a draw of oneself
  Eigen::RowVectorXd people;  ///< donors of the stratum, by value
  double outside = 0;         ///< donors of other strata
};

/// The lifts of the rows of a block for one value.
struct BlockLift {
  double of_same = 0;     ///< of donors who have the value
  double of_others = 0;   ///< of donors of the stratum who have another
  double of_outside = 0;  ///< of donors of other strata
};

class BlockLifts {
 public:
  BlockLifts(const DonorBlock& block, const VectorXd& q) : block_(block), q_(q) {
    sum_ = block.base.sum();
    people_ = block.people.sum();
  }

  BlockLift of(Index y) const {
    const double in_stratum = sum_ + block_.retained;
    const double own = std::max(0.0, block_.base[y] + block_.retained);
    return {.of_same = in_stratum > 0 ? own / (in_stratum * q_[y]) : 0,
            .of_others = in_stratum > 0 ? block_.base[y] / (in_stratum * q_[y]) : 0,
            .of_outside = sum_ > 0 ? block_.base[y] / (sum_ * q_[y]) : 0};
  }

  void show(Extremes& extremes) const {
    for (Index y = 0; y < q_.size(); ++y) {
      const BlockLift lift = of(y);
      if (sum_ + block_.retained > 0) {
        if (same(y) > 0) extremes.see(y, lift.of_same);
        if (others(y) > 0) extremes.see(y, lift.of_others);
      }
      if (sum_ > 0 && block_.outside > 0) extremes.see(y, lift.of_outside);
    }
  }

  double same(Index y) const { return block_.people[y]; }
  double others(Index y) const { return people_ - block_.people[y]; }
  double outside() const { return block_.outside; }

 private:
  const DonorBlock& block_;
  const VectorXd& q_;
  double sum_ = 0, people_ = 0;
};

/// Lifts of a stratum whose people are counted: cluster by value.
struct CountedLifts {
  explicit CountedLifts(const MatrixXd& counts)
      : extremes(counts.cols()), own_(static_cast<std::size_t>(counts.size())), clusters_(counts.rows()) {}

  ExpectedAndLargest& own(Index cluster, Index value) {
    return own_[static_cast<std::size_t>(value * clusters_ + cluster)];
  }

  Extremes extremes;

 private:
  std::vector<ExpectedAndLargest> own_;
  Index clusters_;
};

CountedLifts lifts_of_cells(const CountedStratum& stratum, const CellDraw& draw, const VectorXd& q) {
  const double retain = stratum.channel.retain, drawn = 1 - retain;
  const MatrixXd& counts = stratum.counts;
  CountedLifts lifts(counts);
  const MatrixXd known = draw.probabilities.transpose() * counts(draw.clusters, Eigen::all);
  std::vector<DonorBlock> donors;
  for (std::size_t to = 0; to < draw.clusters.size(); ++to) {
    const int cluster = draw.clusters[to];
    donors.push_back({.base = drawn / stratum.pool[cluster] * known.row(static_cast<Index>(to)).transpose(),
                      .retained = retain,
                      .people = counts.row(cluster),
                      .outside = stratum.pool[cluster] - counts.row(cluster).sum()});
  }
  std::vector<BlockLifts> blocks;
  for (const DonorBlock& block : donors) blocks.emplace_back(block, q).show(lifts.extremes);
  for (std::size_t from = 0; from < draw.clusters.size(); ++from)
    for (Index y = 0; y < q.size(); ++y) {
      const int cluster = draw.clusters[from];
      if (counts(cluster, y) == 0) continue;
      ExpectedAndLargest& seen = lifts.own(cluster, y);
      seen.see(retain, blocks[from].of(y).of_same);
      for (std::size_t to = 0; to < draw.clusters.size(); ++to) {
        const double each = drawn * draw.probabilities(static_cast<Index>(from), static_cast<Index>(to)) /
                            stratum.pool[draw.clusters[to]];
        const BlockLift lift = blocks[to].of(y);
        seen.see(each * blocks[to].same(y), lift.of_same);
        seen.see(each * blocks[to].others(y), lift.of_others);
        seen.see(each * blocks[to].outside(), lift.of_outside);
      }
    }
  return lifts;
}

CountedLifts lifts_of_others(const CountedStratum& stratum, const VectorXd& q) {
  const double size = stratum.pool.sum();
  const double retain = size == 1 ? 1 : stratum.channel.retain;  // there is nobody else
  const double share = size == 1 ? 0 : (1 - retain) / (size - 1);
  const Eigen::RowVectorXd by_value = stratum.counts.colwise().sum();
  CountedLifts lifts(stratum.counts);
  const DonorBlock everybody{.base = share * by_value.transpose(),
                             .retained = retain - share,
                             .people = by_value,
                             .outside = size - by_value.sum()};
  const BlockLifts block(everybody, q);
  block.show(lifts.extremes);
  for (Index y = 0; y < q.size(); ++y) {
    const BlockLift lift = block.of(y);
    ExpectedAndLargest seen;
    seen.see(retain, lift.of_same);
    seen.see(share * (block.same(y) - 1), lift.of_same);
    seen.see(share * block.others(y), lift.of_others);
    seen.see(share * block.outside(), lift.of_outside);
    for (Index c = 0; c < stratum.counts.rows(); ++c) lifts.own(c, y) = seen;
  }
  return lifts;
}

CountedLifts lifts_of_counts(const CountedStratum& stratum, const VectorXd& q) {
  if (const CellDraw* cells = stratum.channel.cells()) return lifts_of_cells(stratum, *cells, q);
  return lifts_of_others(stratum, q);
}

// --- person by person

/// The people of a stratum and where they stand in the pool that they draw from.
struct LiftStratum {
  std::span<const std::uint32_t> people;
  std::span<const std::uint32_t> pool;
  std::vector<std::uint32_t> values;  ///< that occur, ascending
  std::vector<std::uint32_t> value;   ///< of each person, by place among these
  VectorXd count;                     ///< people of each
  VectorXd q;                         ///< their shares

  std::size_t place(std::size_t person) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(pool, people[person]) - pool.begin());
  }
};

struct PersonLifts {
  Extremes extremes;
  std::vector<ExpectedAndLargest> own;  ///< of each person of the stratum
};

PersonLifts lifts_of_lists(const LiftStratum& stratum, const PersonDraw& draw, double retain) {
  struct Publication {
    std::uint32_t person;
    double probability;
  };
  // The people under whom each donor may be published, donor by donor: counted, then placed.
  const std::size_t pool = stratum.pool.size();
  std::vector<std::size_t> starts(pool + 2, 0);
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < stratum.people.size(); ++i) {
      const std::size_t u = stratum.place(i);
      for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e)
        if (const double p = (1 - retain) * draw.probabilities[e]; p > 0) visit(i, draw.donors[e], p);
      if (retain > 0) visit(i, u, retain);
    }
  };
  for_each([&](std::size_t, std::size_t donor, double) { ++starts[donor + 2]; });
  for (std::size_t v = 2; v < starts.size(); ++v) starts[v] += starts[v - 1];
  std::vector<Publication> publications(starts.back());
  for_each([&](std::size_t i, std::size_t donor, double p) {
    publications[starts[donor + 1]++] = {static_cast<std::uint32_t>(i), p};
  });

  const Index values = stratum.q.size();
  PersonLifts lifts{Extremes(values), std::vector<ExpectedAndLargest>(stratum.people.size())};
  VectorXd weight = VectorXd::Zero(values);  // of one donor, by value; zero again after it
  std::vector<std::size_t> shown_by(static_cast<std::size_t>(values), 0);
  std::size_t shown = 0;
  for (std::size_t v = 0; v < pool; ++v) {
    const std::span<const Publication> under(publications.data() + starts[v], starts[v + 1] - starts[v]);
    if (under.empty()) continue;
    ++shown;
    double all = 0;
    for (const auto& [person, p] : under) {
      weight[stratum.value[person]] += p;
      all += p;
    }
    for (const auto& [person, p] : under) {
      const std::uint32_t y = stratum.value[person];
      lifts.own[person].see(p, weight[y] / (all * stratum.q[y]));
    }
    for (const auto& [person, p] : under) {
      const std::uint32_t y = stratum.value[person];
      if (weight[y] == 0) continue;  // seen
      lifts.extremes.see(y, weight[y] / (all * stratum.q[y]));
      weight[y] = 0;
      ++shown_by[y];
    }
  }
  for (Index y = 0; y < values; ++y)
    if (shown_by[static_cast<std::size_t>(y)] < shown) lifts.extremes.see(y, 0);
  return lifts;
}

PersonLifts lifts_of_near(const LiftStratum& stratum, const NearDraw& draw, double retain,
                          const data::SparseRows& features, const Progress& progress) {
  constexpr std::size_t kRows = 256;  // computed before they are added up: bounds the memory
  const NearRows rows(draw, features, stratum.pool);
  const auto pool = static_cast<Index>(stratum.pool.size());
  MatrixXd block(pool, static_cast<Index>(kRows));
  const auto for_each_block = [&](const auto& use) {
    for (std::size_t begin = 0; begin < stratum.people.size(); begin += kRows) {
      progress.throw_if_stopped();
      const std::size_t length = std::min(kRows, stratum.people.size() - begin);
      parallel_blocks(length, 8, [&](std::size_t first, std::size_t end) {
        for (std::size_t r = first; r < end; ++r) {
          const std::size_t u = stratum.place(begin + r);
          auto row = block.col(static_cast<Index>(r));
          rows.row(u, {row.data(), static_cast<std::size_t>(pool)});
          row *= 1 - retain;
          row[static_cast<Index>(u)] += retain;
        }
      });
      use(begin, length);
    }
  };
  // People one after the other, so that sums do not depend on threads.
  MatrixXd lift = MatrixXd::Zero(pool, stratum.q.size());  // weights first
  for_each_block([&](std::size_t begin, std::size_t length) {
    for (std::size_t r = 0; r < length; ++r)
      lift.col(stratum.value[begin + r]) += block.col(static_cast<Index>(r));
  });
  PersonLifts lifts{Extremes(stratum.q.size()), std::vector<ExpectedAndLargest>(stratum.people.size())};
  for (Index v = 0; v < pool; ++v) {
    const double all = lift.row(v).sum();
    if (all == 0) continue;
    lift.row(v).array() /= all * stratum.q.transpose().array();
    for (Index y = 0; y < lift.cols(); ++y) lifts.extremes.see(y, lift(v, y));
  }
  for_each_block([&](std::size_t begin, std::size_t length) {
    parallel_blocks(length, 8, [&](std::size_t first, std::size_t end) {
      for (std::size_t r = first; r < end; ++r)
        for (Index v = 0; v < pool; ++v)
          lifts.own[begin + r].see(block(v, static_cast<Index>(r)), lift(v, stratum.value[begin + r]));
    });
  });
  return lifts;
}

// --- all strata

LiftStratum lift_stratum(const AccountInput& input, std::size_t s, std::span<const std::uint32_t> secrets) {
  const auto& members = input.strata.members[s];
  LiftStratum stratum{.people = members,
                      .pool = input.pools.members[input.pools.pool_of_person[members.front()]],
                      .values = {},
                      .value = {},
                      .count = {},
                      .q = {}};
  for (const std::uint32_t u : members) stratum.values.push_back(secrets[u]);
  std::ranges::sort(stratum.values);
  stratum.values.erase(std::unique(stratum.values.begin(), stratum.values.end()), stratum.values.end());
  stratum.count = VectorXd::Zero(static_cast<Index>(stratum.values.size()));
  for (const std::uint32_t u : members) {
    stratum.value.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(stratum.values, secrets[u]) -
                                                       stratum.values.begin()));
    stratum.count[stratum.value.back()] += 1;
  }
  stratum.q = stratum.count / static_cast<double>(members.size());
  return stratum;
}

CountedStratum counted(const LiftStratum& stratum, const AccountInput& input, const Channel& channel) {
  CountedStratum counts{MatrixXd::Zero(input.clusters, stratum.q.size()), VectorXd::Zero(input.clusters),
                        channel, stratum.values};
  for (std::size_t i = 0; i < stratum.people.size(); ++i)
    counts.counts(input.cluster_of_person[stratum.people[i]], stratum.value[i]) += 1;
  for (const std::uint32_t u : stratum.pool) counts.pool[input.cluster_of_person[u]] += 1;
  return counts;
}

PersonLifts lifts_of_stratum(const LiftStratum& stratum, const AccountInput& input, const Channel& channel,
                             const Progress& progress) {
  if (const auto* near = std::get_if<NearDraw>(&channel.draw))
    return lifts_of_near(stratum, *near, channel.retain, input.people.features, progress);
  if (const auto* lists = std::get_if<PersonDraw>(&channel.draw))
    return lifts_of_lists(stratum, *lists, channel.retain);
  CountedLifts found = lifts_of_counts(counted(stratum, input, channel), stratum.q);
  PersonLifts lifts{std::move(found.extremes), {}};
  for (std::size_t i = 0; i < stratum.people.size(); ++i)
    lifts.own.push_back(found.own(input.cluster_of_person[stratum.people[i]], stratum.value[i]));
  return lifts;
}

void add_values(Lifts& lifts, const Extremes& extremes, std::size_t stratum,
                std::span<const std::uint32_t> values, const VectorXd& count,
                const std::map<std::uint32_t, double>& share) {
  const double people = count.sum();
  for (Index y = 0; y < count.size(); ++y) {
    if (count[y] == 0) continue;
    const std::uint32_t value = values[static_cast<std::size_t>(y)];
    lifts.values.push_back({.stratum = static_cast<std::uint32_t>(stratum),
                            .value = value,
                            .people = count[y],
                            .by_group = count[y] / people / share.at(value),
                            .highest = extremes.highest[y],
                            .lowest = extremes.lowest[y]});
  }
}

/// The middle of them by people: the smallest that is at least that of half of the people.
double median_of(const std::vector<OwnLift>& own, double OwnLift::* figure) {
  std::vector<std::pair<double, double>> sorted;
  double all = 0;
  for (const OwnLift& lift : own) {
    sorted.emplace_back(lift.*figure, lift.people);
    all += lift.people;
  }
  std::ranges::sort(sorted);
  double below = 0;
  for (const auto& [value, people] : sorted)
    if (below += people; below >= all / 2) return value;
  return kUnset;
}

}  // namespace

Lifts lifts_of(const AccountInput& input, const Progress& progress) {
  const auto secrets = input.of_exact_values() ? input.people.exact_secrets()
                                               : std::span<const std::uint32_t>(input.people.secrets);
  std::map<std::uint32_t, double> share;
  for (const std::uint32_t secret : secrets) share[secret] += 1 / static_cast<double>(secrets.size());
  std::vector<std::size_t> strata;
  for (std::size_t s = 0; s < input.strata.size(); ++s)
    if (!input.strata.members[s].empty()) strata.push_back(s);
  std::vector<LiftStratum> of(strata.size());
  std::vector<PersonLifts> found(strata.size(), PersonLifts{Extremes(0), {}});
  parallel_blocks(strata.size(), 1, [&](std::size_t i, std::size_t) {
    of[i] = lift_stratum(input, strata[i], secrets);
    const std::size_t pool = input.pools.pool_of_person[of[i].people.front()];
    found[i] = lifts_of_stratum(of[i], input, input.channels[pool], progress);
  });
  Lifts lifts;
  lifts.own.resize(secrets.size());
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const std::size_t first = lifts.values.size();
    add_values(lifts, found[i].extremes, strata[i], of[i].values, of[i].count, share);
    for (std::size_t p = 0; p < of[i].people.size(); ++p)
      lifts.own[of[i].people[p]] = {.people = 1,
                                    .by_group = lifts.values[first + of[i].value[p]].by_group,
                                    .expected = found[i].own[p].expected,
                                    .largest = found[i].own[p].largest};
  }
  return lifts;
}

Lifts lifts_of(std::span<const CountedStratum> strata) {
  std::map<std::uint32_t, double> share;
  double all = 0;
  for (const CountedStratum& stratum : strata) all += stratum.counts.sum();
  for (const CountedStratum& stratum : strata)
    for (Index y = 0; y < stratum.counts.cols(); ++y)
      share[stratum.values[static_cast<std::size_t>(y)]] += stratum.counts.col(y).sum() / all;
  Lifts lifts;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const MatrixXd& counts = strata[s].counts;
    const VectorXd count = counts.colwise().sum().transpose();
    const VectorXd q = count / count.sum();
    CountedLifts found = lifts_of_counts(strata[s], q);
    add_values(lifts, found.extremes, s, strata[s].values, count, share);
    for (Index y = 0; y < counts.cols(); ++y)
      for (Index c = 0; c < counts.rows(); ++c) {
        if (counts(c, y) == 0) continue;
        const auto& [expected, largest] = found.own(c, y);
        lifts.own.push_back({.people = counts(c, y),
                             .by_group = q[y] / share.at(strata[s].values[static_cast<std::size_t>(y)]),
                             .expected = expected,
                             .largest = largest});
      }
  }
  return lifts;
}

Lifts lifts_of(const Mechanism& mechanism, const data::People& people,
               std::span<const std::uint32_t> cluster_of_person, const Progress& progress) {
  const Pools strata = pools_by_group(people, mechanism.partition());
  const Pools everyone = mechanism.within_groups ? Pools{} : one_pool(people.size());
  return lifts_of({.people = people,
                   .cluster_of_person = cluster_of_person,
                   .clusters = mechanism.clusters.clusters(),
                   .strata = strata,
                   .pools = mechanism.within_groups ? strata : everyone,
                   .channels = mechanism.channels},
                  progress);
}

LiftFigures figures_of(const Lifts& lifts) {
  LiftFigures figures{.highest = 0,
                      .lowest = std::numeric_limits<double>::infinity(),
                      .highest_of_population = 0,
                      .own_largest = 0,
                      .own_expected = 0,
                      .own_of_population = 0};
  for (const ValueLift& value : lifts.values) {
    figures.highest = std::max(figures.highest, value.highest);
    figures.lowest = std::min(figures.lowest, value.lowest);
    figures.highest_of_population = std::max(figures.highest_of_population, value.by_group * value.highest);
  }
  for (const OwnLift& own : lifts.own) {
    figures.own_largest = std::max(figures.own_largest, own.largest);
    figures.own_expected = std::max(figures.own_expected, own.expected);
    figures.own_of_population = std::max(figures.own_of_population, own.by_group * own.expected);
  }
  figures.own_largest_median = median_of(lifts.own, &OwnLift::largest);
  figures.own_expected_median = median_of(lifts.own, &OwnLift::expected);
  return figures;
}

}  // namespace hyobscure::obscure
