#include "hyobscure/obscure/accounting.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/near.h"

namespace hyobscure::obscure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The people of a stratum with their true values or with shuffled ones, counted from 0.
using Values = std::vector<std::uint32_t>;

/// What a stratum's rows tell when people weigh 1; nats.
struct Told {
  double people = 0;
  double clusters = 0;
};

/// Sum over y of v log(v / (q_y R)) for one published thing that comes from people of value y with weight v.
/// q: the stratum's distribution of values.
template <class Weights>
double told_by(const Weights& weights, const VectorXd& q) {
  double total = 0, sum = 0;
  for (Index y = 0; y < q.size(); ++y) {
    total += weights[y];
    if (weights[y] > 0) sum += weights[y] * std::log(weights[y] / q[y]);
  }
  return sum - x_log_x(total);
}

double told_by_rows(const MatrixXd& outputs, const VectorXd& q) {
  double sum = 0;
  for (Index row = 0; row < outputs.rows(); ++row) sum += told_by(outputs.row(row), q);
  return std::max(0.0, sum);
}

/// A stratum and the pool it draws from.
struct Stratum {
  std::span<const std::uint32_t> people;
  std::span<const std::uint32_t> pool;
  Index values = 0;
  VectorXd q;                ///< the distribution of the values, the same for shuffled ones
  std::vector<int> cluster;  ///< of each person of the stratum
  VectorXd pool_clusters;    ///< people of the pool by cluster
};

/// n(c, y) of the stratum.
MatrixXd count(const Stratum& stratum, const Values& values) {
  MatrixXd counts = MatrixXd::Zero(stratum.pool_clusters.size(), stratum.values);
  for (std::size_t i = 0; i < values.size(); ++i) counts(stratum.cluster[i], values[i]) += 1;
  return counts;
}

/// All donors of cluster c look alike but for the value of the retained row: a donor of the stratum with
/// value y publishes `base` for others and, with probability retain, their own row.
double told_by_donors(const VectorXd& base, const Eigen::RowVectorXd& counts, double outside,
                      const std::function<void(VectorXd&, Index)>& own, const VectorXd& q) {
  double sum = outside > 0 ? outside * told_by(base, q) : 0;
  VectorXd weights(base.size());
  for (Index y = 0; y < base.size(); ++y) {
    if (counts[y] == 0) continue;
    weights = base;
    own(weights, y);
    sum += counts[y] * told_by(weights, q);
  }
  return sum;
}

Told told_by_cells(const Stratum& stratum, const CellDraw& draw, double retain, const Values& values) {
  const MatrixXd counts = count(stratum, values);
  MatrixXd drawn = MatrixXd::Zero(counts.rows(), counts.cols());  // people of value y who draw cluster c'
  const MatrixXd known = draw.probabilities.transpose() * counts(draw.clusters, Eigen::all);
  for (std::size_t i = 0; i < draw.clusters.size(); ++i)
    drawn.row(draw.clusters[i]) = (1 - retain) * known.row(static_cast<Index>(i));
  Told told{0, told_by_rows(drawn + retain * counts, stratum.q)};
  if (retain == 0) return {told.clusters, told.clusters};  // the donor is uniform in its cell
  for (Index c = 0; c < counts.rows(); ++c) {
    if (stratum.pool_clusters[c] == 0) continue;
    told.people += told_by_donors(
        drawn.row(c).transpose() / stratum.pool_clusters[c], counts.row(c),
        stratum.pool_clusters[c] - counts.row(c).sum(),
        [retain](VectorXd& weights, Index y) { weights[y] += retain; }, stratum.q);
  }
  return told;
}

Told told_by_others(const Stratum& stratum, double retain, const Values& values) {
  const double size = static_cast<double>(stratum.pool.size());
  const MatrixXd counts = count(stratum, values);
  const Eigen::RowVectorXd by_value = counts.colwise().sum();
  if (size == 1) retain = 1;  // there is nobody else
  const double share = size > 1 ? (1 - retain) / (size - 1) : 0;
  const MatrixXd clusters = retain * counts + share * (stratum.pool_clusters * by_value - counts);
  const double people = told_by_donors(
      share * by_value.transpose(), by_value, size - by_value.sum(),
      [=](VectorXd& weights, Index y) { weights[y] += retain - share; }, stratum.q);
  return {std::max(0.0, people), told_by_rows(clusters, stratum.q)};
}

/// Donors drawn row by row: adds up what each row of the pool is published for, for all assignments of values
/// at once, so that the rows are computed once.
std::vector<Told> told_by_near(const Stratum& stratum, const NearDraw& draw, double retain,
                               const AccountInput& input, const std::vector<Values>& assignments,
                               const Progress& progress) {
  constexpr std::size_t kRows = 256;  // computed before they are added up: bounds the memory
  const NearRows rows(draw, input.people.features, stratum.pool);
  const auto pool = static_cast<Index>(stratum.pool.size());
  std::vector<MatrixXd> outputs(assignments.size(), MatrixXd::Zero(pool, stratum.values));
  MatrixXd block(pool, static_cast<Index>(kRows));
  for (std::size_t begin = 0; begin < stratum.people.size(); begin += kRows) {
    progress.throw_if_stopped();
    const std::size_t length = std::min(kRows, stratum.people.size() - begin);
    parallel_blocks(length, 8, [&](std::size_t first, std::size_t end) {
      for (std::size_t r = first; r < end; ++r) {
        const auto place = static_cast<std::size_t>(
            std::ranges::lower_bound(stratum.pool, stratum.people[begin + r]) - stratum.pool.begin());
        auto column = block.col(static_cast<Index>(r));
        rows.row(place, {column.data(), static_cast<std::size_t>(pool)});
        column *= 1 - retain;
        column[static_cast<Index>(place)] += retain;
      }
    });
    parallel_blocks(assignments.size(), 1, [&](std::size_t a, std::size_t) {
      for (std::size_t r = 0; r < length; ++r)
        outputs[a].col(assignments[a][begin + r]) += block.col(static_cast<Index>(r));
    });
  }
  std::vector<Told> told(assignments.size());
  parallel_blocks(assignments.size(), 1, [&](std::size_t a, std::size_t) {
    MatrixXd clusters = MatrixXd::Zero(input.clusters, stratum.values);
    for (Index v = 0; v < pool; ++v)
      clusters.row(input.cluster_of_person[stratum.pool[static_cast<std::size_t>(v)]]) += outputs[a].row(v);
    told[a] = {told_by_rows(outputs[a], stratum.q), told_by_rows(clusters, stratum.q)};
  });
  return told;
}

/// Each person's own list of donors.
Told told_by_people(const Stratum& stratum, const PersonDraw& draw, double retain, const AccountInput& input,
                    const Values& values) {
  MatrixXd outputs = MatrixXd::Zero(static_cast<Index>(stratum.pool.size()), stratum.values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(stratum.pool, stratum.people[i]) -
                                                stratum.pool.begin());
    for (std::size_t e = draw.starts[place]; e < draw.starts[place + 1]; ++e)
      outputs(draw.donors[e], values[i]) += (1 - retain) * draw.probabilities[e];
    outputs(static_cast<Index>(place), values[i]) += retain;
  }
  MatrixXd clusters = MatrixXd::Zero(input.clusters, stratum.values);
  for (Index v = 0; v < outputs.rows(); ++v)
    clusters.row(input.cluster_of_person[stratum.pool[static_cast<std::size_t>(v)]]) += outputs.row(v);
  return {told_by_rows(outputs, stratum.q), told_by_rows(clusters, stratum.q)};
}

Stratum stratum_of(const AccountInput& input, std::size_t s, std::size_t pool) {
  Stratum stratum{.people = input.strata.members[s],
                  .pool = input.pools.members[pool],
                  .values = 0,
                  .q = {},
                  .cluster = {},
                  .pool_clusters = VectorXd::Zero(input.clusters)};
  for (const std::uint32_t u : stratum.people)
    stratum.cluster.push_back(static_cast<int>(input.cluster_of_person[u]));
  for (const std::uint32_t u : stratum.pool) stratum.pool_clusters[input.cluster_of_person[u]] += 1;
  return stratum;
}

/// The true values of the stratum, counted from its lowest, followed by shuffles.
std::vector<Values> assignments_of(const AccountInput& input, std::size_t s, int shuffles, const Key& key) {
  Values values;
  for (const std::uint32_t u : input.strata.members[s]) values.push_back(input.people.secrets[u]);
  const std::uint32_t lowest = *std::ranges::min_element(values);
  for (std::uint32_t& value : values) value -= lowest;
  std::vector<Values> assignments(static_cast<std::size_t>(shuffles) + 1, values);
  parallel_blocks(static_cast<std::size_t>(shuffles), 1, [&](std::size_t i, std::size_t) {
    RandomStream random(key.derive(fmt::format("stratum {} shuffle {}", s, i)));
    Values& shuffled = assignments[i + 1];
    for (std::size_t j = shuffled.size(); j > 1; --j) std::swap(shuffled[j - 1], shuffled[random.below(j)]);
  });
  return assignments;
}

std::vector<Told> told_by_stratum(const AccountInput& input, std::size_t s, int shuffles, const Key& key,
                                  const Progress& progress) {
  const std::size_t pool = input.pools.pool_of_person[input.strata.members[s].front()];
  const Channel& channel = input.channels[pool];
  const auto assignments = assignments_of(input, s, shuffles, key);
  Stratum stratum = stratum_of(input, s, pool);
  stratum.values = static_cast<Index>(*std::ranges::max_element(assignments[0])) + 1;
  stratum.q = VectorXd::Zero(stratum.values);
  for (const std::uint32_t value : assignments[0]) stratum.q[value] += 1;
  stratum.q /= stratum.q.sum();
  if (const auto* near = std::get_if<NearDraw>(&channel.draw))
    return told_by_near(stratum, *near, channel.retain, input, assignments, progress);
  std::vector<Told> told(assignments.size());
  parallel_blocks(assignments.size(), 1, [&](std::size_t a, std::size_t) {
    if (const CellDraw* cells = channel.cells())
      told[a] = told_by_cells(stratum, *cells, channel.retain, assignments[a]);
    else if (const auto* people = std::get_if<PersonDraw>(&channel.draw))
      told[a] = told_by_people(stratum, *people, channel.retain, input, assignments[a]);
    else
      told[a] = told_by_others(stratum, channel.retain, assignments[a]);
  });
  return told;
}

}  // namespace

double told_by_groups(const data::People& people, const solve::Partition& partition) {
  const Pools strata = pools_by_group(people, partition);
  MatrixXd counts =
      MatrixXd::Zero(static_cast<Index>(strata.size()), static_cast<Index>(people.values.size()));
  for (std::size_t u = 0; u < people.size(); ++u) counts(strata.pool_of_person[u], people.secrets[u]) += 1;
  return census::mutual_information(counts) * kBitsPerNat;
}

int shuffles_for(std::size_t people) {
  return static_cast<int>(std::clamp<std::size_t>(20'000'000 / std::max<std::size_t>(people, 1), 20, 200));
}

FeatureLeakage account(const AccountInput& input, int shuffles, const Key& key, const Progress& progress) {
  std::vector<Told> all(static_cast<std::size_t>(shuffles) + 1);
  for (std::size_t s = 0; s < input.strata.size(); ++s) {
    if (input.strata.members[s].empty()) continue;
    const auto told = told_by_stratum(input, s, shuffles, key, progress);
    for (std::size_t a = 0; a < all.size(); ++a) {
      all[a].people += told[a].people;
      all[a].clusters += told[a].clusters;
    }
  }
  const double bits = kBitsPerNat / static_cast<double>(input.people.size());
  FeatureLeakage leakage{.people = all[0].people * bits, .clusters = all[0].clusters * bits};
  if (shuffles < 2) return leakage;
  Eigen::ArrayXd null(shuffles);
  for (Index i = 0; i < null.size(); ++i) null[i] = all[static_cast<std::size_t>(i) + 1].people * bits;
  leakage.null = null.mean();
  leakage.null_deviation =
      std::sqrt((null - leakage.null).square().sum() / static_cast<double>(null.size() - 1));
  return leakage;
}

}  // namespace hyobscure::obscure
