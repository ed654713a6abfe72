#include "hyobscure/obscure/leakage/accounting.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The people of a stratum with their true values or with shuffled ones, counted from 0.
using Values = std::vector<std::uint32_t>;

/// What a stratum's rows tell when people weigh 1; nats.
struct RowLeakage {
  double people = 0;
  double clusters = 0;
};

/// Sum over y of v log(v / (q_y R)) for one published thing that comes from people of value y with weight v.
/// q: the stratum's distribution of values.
template <class Weights>
double leakage_of_output(const Weights& weights, const VectorXd& q) {
  double total = 0, sum = 0;
  for (Index y = 0; y < q.size(); ++y) {
    total += weights[y];
    if (weights[y] > 0) sum += weights[y] * std::log(weights[y] / q[y]);
  }
  return sum - x_log_x(total);
}

double leakage_of_rows(const MatrixXd& outputs, const VectorXd& q) {
  double sum = 0;
  for (Index row = 0; row < outputs.rows(); ++row) sum += leakage_of_output(outputs.row(row), q);
  return std::max(0.0, sum);
}

/// All donors of cluster c look alike but for the value of the retained row: a donor of the stratum with
/// value y publishes `base` for others and, with probability retain, their own row.
double leakage_of_donors(const VectorXd& base, const Eigen::RowVectorXd& counts, double outside,
                         const std::function<void(VectorXd&, Index)>& own, const VectorXd& q) {
  double sum = outside > 0 ? outside * leakage_of_output(base, q) : 0;
  VectorXd weights(base.size());
  for (Index y = 0; y < base.size(); ++y) {
    if (counts[y] == 0) continue;
    weights = base;
    own(weights, y);
    sum += counts[y] * leakage_of_output(weights, q);
  }
  return sum;
}

RowLeakage leakage_of_cells(const CountedStratum& stratum, const CellDraw& draw, double retain,
                            const MatrixXd& counts, const VectorXd& q) {
  MatrixXd drawn = MatrixXd::Zero(counts.rows(), counts.cols());  // people of value y who draw cluster c'
  const MatrixXd known = draw.probabilities.transpose() * counts(draw.clusters, Eigen::all);
  for (std::size_t i = 0; i < draw.clusters.size(); ++i)
    drawn.row(draw.clusters[i]) = (1 - retain) * known.row(static_cast<Index>(i));
  RowLeakage leaked{0, leakage_of_rows(drawn + retain * counts, q)};
  if (retain == 0) return {leaked.clusters, leaked.clusters};  // the donor is uniform in its cell
  for (Index c = 0; c < counts.rows(); ++c) {
    if (stratum.pool[c] == 0) continue;
    leaked.people += leakage_of_donors(
        drawn.row(c).transpose() / stratum.pool[c], counts.row(c), stratum.pool[c] - counts.row(c).sum(),
        [retain](VectorXd& weights, Index y) { weights[y] += retain; }, q);
  }
  return leaked;
}

RowLeakage leakage_of_others(const CountedStratum& stratum, double retain, const MatrixXd& counts,
                             const VectorXd& q) {
  const double size = stratum.pool.sum();
  const Eigen::RowVectorXd by_value = counts.colwise().sum();
  if (size == 1) retain = 1;  // there is nobody else
  const double share = size > 1 ? (1 - retain) / (size - 1) : 0;
  const MatrixXd clusters = retain * counts + share * (stratum.pool * by_value - counts);
  const double people = leakage_of_donors(
      share * by_value.transpose(), by_value, size - by_value.sum(),
      [=](VectorXd& weights, Index y) { weights[y] += retain - share; }, q);
  return {std::max(0.0, people), leakage_of_rows(clusters, q)};
}

/// With the true values first, then with values shuffled.
std::vector<RowLeakage> leakage_of_counts(const CountedStratum& stratum, int shuffles, const Key& key) {
  const VectorXd q = stratum.counts.colwise().sum().transpose() / stratum.counts.sum();
  std::vector<RowLeakage> leaked(static_cast<std::size_t>(shuffles) + 1);
  parallel_blocks(leaked.size(), 1, [&](std::size_t a, std::size_t) {
    RandomStream random(key.derive(fmt::format("shuffle {}", a)));
    const MatrixXd counts = a == 0 ? stratum.counts : census::permuted_table(stratum.counts, random);
    if (const CellDraw* cells = stratum.channel.cells())
      leaked[a] = leakage_of_cells(stratum, *cells, stratum.channel.retain, counts, q);
    else
      leaked[a] = leakage_of_others(stratum, stratum.channel.retain, counts, q);
  });
  return leaked;
}

/// A stratum of people who draw person by person, and the pool they draw from.
struct Stratum {
  std::span<const std::uint32_t> people;
  std::span<const std::uint32_t> pool;
  Index values = 0;
  VectorXd q;  ///< the distribution of the values, the same for shuffled ones
};

/// Donors drawn row by row: adds up what each row of the pool is published for, for all assignments of values
/// at once, so that the rows are computed once.
std::vector<RowLeakage> leakage_of_near(const Stratum& stratum, const NearDraw& draw, double retain,
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
  std::vector<RowLeakage> leaked(assignments.size());
  parallel_blocks(assignments.size(), 1, [&](std::size_t a, std::size_t) {
    MatrixXd clusters = MatrixXd::Zero(input.clusters, stratum.values);
    for (Index v = 0; v < pool; ++v)
      clusters.row(input.cluster_of_person[stratum.pool[static_cast<std::size_t>(v)]]) += outputs[a].row(v);
    leaked[a] = {leakage_of_rows(outputs[a], stratum.q), leakage_of_rows(clusters, stratum.q)};
  });
  return leaked;
}

/// So much of a donor's row is published for people of a value.
struct Shown {
  std::uint32_t donor, value;
  double weight;
};

/// The same as leakage_of_rows, of a table that has few entries.
double leakage_of_entries(std::vector<Shown>& shown, const VectorXd& q) {
  std::ranges::stable_sort(shown, {}, [](const Shown& s) { return std::pair(s.donor, s.value); });
  double sum = 0;
  for (std::size_t i = 0; i < shown.size();) {
    const std::uint32_t donor = shown[i].donor;
    double total = 0;
    while (i < shown.size() && shown[i].donor == donor) {
      const std::uint32_t value = shown[i].value;
      double weight = 0;
      for (; i < shown.size() && shown[i].donor == donor && shown[i].value == value; ++i)
        weight += shown[i].weight;
      if (weight > 0) sum += weight * std::log(weight / q[value]);
      total += weight;
    }
    sum -= x_log_x(total);
  }
  return std::max(0.0, sum);
}

/// Each person's own list of donors, where exact values are so many that a table of donors by values would
/// not fit.
RowLeakage leakage_of_people_of_exact_values(const Stratum& stratum, const PersonDraw& draw, double retain,
                                             const AccountInput& input, const Values& values) {
  std::vector<Shown> shown;
  MatrixXd clusters = MatrixXd::Zero(input.clusters, stratum.values);
  const auto show = [&](std::uint32_t donor, std::uint32_t value, double weight) {
    if (weight == 0) return;
    shown.push_back({donor, value, weight});
    clusters(input.cluster_of_person[stratum.pool[donor]], value) += weight;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(stratum.pool, stratum.people[i]) -
                                                stratum.pool.begin());
    for (std::size_t e = draw.starts[place]; e < draw.starts[place + 1]; ++e)
      show(static_cast<std::uint32_t>(draw.donors[e]), values[i], (1 - retain) * draw.probabilities[e]);
    show(static_cast<std::uint32_t>(place), values[i], retain);
  }
  return {leakage_of_entries(shown, stratum.q), leakage_of_rows(clusters, stratum.q)};
}

/// Each person's own list of donors.
RowLeakage leakage_of_people(const Stratum& stratum, const PersonDraw& draw, double retain,
                             const AccountInput& input, const Values& values) {
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
  return {leakage_of_rows(outputs, stratum.q), leakage_of_rows(clusters, stratum.q)};
}

/// Values counted from the lowest; exact ones, of which many may be elsewhere, by their ranks.
void count_from_lowest(Values& values, bool exact) {
  if (!exact) {
    const std::uint32_t lowest = *std::ranges::min_element(values);
    for (std::uint32_t& value : values) value -= lowest;
    return;
  }
  Values distinct = values;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::uint32_t& value : values)
    value = static_cast<std::uint32_t>(std::ranges::lower_bound(distinct, value) - distinct.begin());
}

Values values_of(const AccountInput& input, std::span<const std::uint32_t> members) {
  const bool exact = input.of_exact_values();
  const auto secrets =
      exact ? input.people.exact_secrets() : std::span<const std::uint32_t>(input.people.secrets);
  Values values;
  for (const std::uint32_t u : members) values.push_back(secrets[u]);
  count_from_lowest(values, exact);
  return values;
}

/// The true values of the stratum, counted from its lowest, followed by shuffles.
std::vector<Values> assignments_of(const AccountInput& input, std::size_t s, int shuffles, const Key& key) {
  const Values values = values_of(input, input.strata.members[s]);
  std::vector<Values> assignments(static_cast<std::size_t>(shuffles) + 1, values);
  parallel_blocks(static_cast<std::size_t>(shuffles), 1, [&](std::size_t i, std::size_t) {
    RandomStream random(key.derive(fmt::format("stratum {} shuffle {}", s, i)));
    Values& shuffled = assignments[i + 1];
    for (std::size_t j = shuffled.size(); j > 1; --j) std::swap(shuffled[j - 1], shuffled[random.below(j)]);
  });
  return assignments;
}

std::vector<RowLeakage> leakage_of_stratum(const AccountInput& input, std::size_t s, int shuffles,
                                           const Key& key, const Progress& progress) {
  const std::size_t pool = input.pools.pool_of_person[input.strata.members[s].front()];
  const Channel& channel = input.channels[pool];
  const auto assignments = assignments_of(input, s, shuffles, key);
  Stratum stratum{.people = input.strata.members[s],
                  .pool = input.pools.members[pool],
                  .values = static_cast<Index>(*std::ranges::max_element(assignments[0])) + 1,
                  .q = {}};
  stratum.q = VectorXd::Zero(stratum.values);
  for (const std::uint32_t value : assignments[0]) stratum.q[value] += 1;
  stratum.q /= stratum.q.sum();
  if (const auto* near = std::get_if<NearDraw>(&channel.draw))
    return leakage_of_near(stratum, *near, channel.retain, input, assignments, progress);
  std::vector<RowLeakage> leaked(assignments.size());
  parallel_blocks(assignments.size(), 1, [&](std::size_t a, std::size_t) {
    leaked[a] = (input.of_exact_values() ? leakage_of_people_of_exact_values : leakage_of_people)(
        stratum, std::get<PersonDraw>(channel.draw), channel.retain, input, assignments[a]);
  });
  return leaked;
}

/// Adds up what strata tell of so many people.
class LeakageSum {
 public:
  explicit LeakageSum(int shuffles) : all_(static_cast<std::size_t>(shuffles) + 1) {}

  void add(const std::vector<RowLeakage>& leaked) {
    for (std::size_t a = 0; a < all_.size(); ++a) {
      all_[a].people += leaked[a].people;
      all_[a].clusters += leaked[a].clusters;
    }
  }
  FeatureLeakage of(double people) const {
    const double bits = kBitsPerNat / people;
    FeatureLeakage leakage{.people = all_[0].people * bits, .clusters = all_[0].clusters * bits};
    if (all_.size() < 3) return leakage;
    Eigen::ArrayXd null(static_cast<Index>(all_.size()) - 1);
    for (Index i = 0; i < null.size(); ++i) null[i] = all_[static_cast<std::size_t>(i) + 1].people * bits;
    leakage.null = null.mean();
    leakage.null_deviation =
        std::sqrt((null - leakage.null).square().sum() / static_cast<double>(null.size() - 1));
    return leakage;
  }

 private:
  std::vector<RowLeakage> all_;
};

Values joined_values(const AccountInput& input, std::span<const std::uint32_t> members) {
  Values values;
  for (const std::uint32_t u : members) values.push_back(input.people.secrets[u]);
  return values;
}

bool has_near(std::span<const Channel> channels) {
  return std::ranges::any_of(
      channels, [](const Channel& channel) { return std::holds_alternative<NearDraw>(channel.draw); });
}

std::vector<CountedStratum> count_strata(const AccountInput& input) {
  std::vector<CountedStratum> strata;
  for (const auto& members : input.strata.members) {
    if (members.empty()) continue;
    const std::size_t pool = input.pools.pool_of_person[members.front()];
    const Values values = input.of_exact_values() ? values_of(input, members) : joined_values(input, members);
    const Index columns = input.of_exact_values() ? 1 + static_cast<Index>(*std::ranges::max_element(values))
                                                  : static_cast<Index>(input.people.values.size());
    CountedStratum stratum{MatrixXd::Zero(input.clusters, columns), VectorXd::Zero(input.clusters),
                           input.channels[pool]};
    for (std::size_t i = 0; i < members.size(); ++i)
      stratum.counts(input.cluster_of_person[members[i]], values[i]) += 1;
    for (const std::uint32_t u : input.pools.members[pool]) stratum.pool[input.cluster_of_person[u]] += 1;
    strata.push_back(std::move(stratum));
  }
  return strata;
}

// --- own rows: expected number of people of a pool who draw themselves

double own_draws(const CellDraw& draw, double) { return draw.probabilities.trace(); }  // n_c O(c|c) / n_c

double own_draws(const OtherDraw&, double people) { return people == 1 ? 1 : 0; }

double own_draws(const PersonDraw& draw, double) {
  double sum = 0;
  for (std::size_t u = 0; u < draw.size(); ++u)
    for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e)
      if (draw.donors[e] == u) sum += draw.probabilities[e];
  return sum;
}

double own_draws(const NearDraw& draw, const data::People& people, std::span<const std::uint32_t> members,
                 const Progress& progress) {
  if (!draw.decay && members.size() > 1) return 0;
  const NearRows rows(draw, people.features, members);
  VectorXd own(static_cast<Index>(members.size()));
  parallel_blocks(members.size(), 64, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    std::vector<double> row(members.size());
    for (std::size_t i = begin; i < end; ++i) {
      rows.row(i, row);
      own[static_cast<Index>(i)] = row[i];
    }
  });
  return own.sum();
}

}  // namespace

double own_rows(std::span<const Channel> channels, const data::People& people, const Pools& pools,
                const Progress& progress) {
  double own = 0, all = 0;
  for (std::size_t p = 0; p < channels.size(); ++p) {
    const Channel& channel = channels[p];
    const auto size = static_cast<double>(channel.people);
    const auto* near = std::get_if<NearDraw>(&channel.draw);
    const double drawn = near != nullptr              ? own_draws(*near, people, pools.members[p], progress)
                         : channel.cells() != nullptr ? own_draws(*channel.cells(), size)
                         : std::holds_alternative<OtherDraw>(channel.draw)
                             ? own_draws(OtherDraw{}, size)
                             : own_draws(std::get<PersonDraw>(channel.draw), size);
    own += channel.retain * size + (1 - channel.retain) * drawn;
    all += size;
  }
  return own / all;
}

bool AccountInput::of_exact_values() const { return counts_exact_values(people, clusters); }

double leakage_of_groups(const Population& population, const solve::Partition& partition) {
  const std::vector<int> group_of_value = partition.group_of_values();
  MatrixXd counts = MatrixXd::Zero(partition.groups(), population.people.size());
  for (Index v = 0; v < counts.cols(); ++v)
    counts(group_of_value[static_cast<std::size_t>(v)], v) = population.people[v];
  return census::mutual_information(counts) * kBitsPerNat;
}

double leakage_of_groups(const data::People& people, const solve::Partition& partition) {
  if (people.kept.empty()) return leakage_of_groups(Population(people), partition);
  const Pools strata = pools_by_group(people, partition);
  MatrixXd counts =
      MatrixXd::Zero(static_cast<Index>(strata.size()), static_cast<Index>(people.values.size()));
  for (std::size_t u = 0; u < people.size(); ++u) counts(strata.pool_of_person[u], people.secrets[u]) += 1;
  return census::mutual_information(counts) * kBitsPerNat;
}

int shuffles_for(std::size_t people) {
  return static_cast<int>(std::clamp<std::size_t>(20'000'000 / std::max<std::size_t>(people, 1), 20, 200));
}

bool draws_by_cluster(const Channel& channel) {
  return channel.cells() != nullptr || std::holds_alternative<OtherDraw>(channel.draw);
}

FeatureLeakage account(std::span<const CountedStratum> strata, int shuffles, const Key& key) {
  LeakageSum sum(shuffles);
  double people = 0;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    sum.add(leakage_of_counts(strata[s], shuffles, key.derive(fmt::format("stratum {}", s))));
    people += strata[s].counts.sum();
  }
  return sum.of(people);
}

FeatureLeakage account(const AccountInput& input, int shuffles, const Key& key, const Progress& progress) {
  if (std::ranges::all_of(input.channels, draws_by_cluster))
    return account(count_strata(input), shuffles, key);
  // Near donors have a table of the pool by values for every shuffle at once: too much for exact values.
  if (input.of_exact_values() && has_near(input.channels)) shuffles = 0;
  LeakageSum sum(shuffles);
  for (std::size_t s = 0; s < input.strata.size(); ++s)
    if (!input.strata.members[s].empty()) sum.add(leakage_of_stratum(input, s, shuffles, key, progress));
  return sum.of(static_cast<double>(input.people.size()));
}

}  // namespace hyobscure::obscure
