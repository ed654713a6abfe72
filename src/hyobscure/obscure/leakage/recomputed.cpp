#include "hyobscure/obscure/leakage/recomputed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/leakage/group_statements.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

using Members = std::vector<std::uint32_t>;

/// The people of a stratum, who are also those that they draw from: their rows are shared among them.
struct SharedRows {
  const Members& people;  ///< ascending
  const Channel& channel;
  std::vector<std::uint32_t> secret;  ///< of each, counted from 0 among those that occur
  std::vector<double> log_share;      ///< log P(y) of each secret that occurs, among all people
  std::vector<double> count;          ///< people of each

  std::size_t size() const { return people.size(); }
};

SharedRows shared_rows(const Members& people, const Channel& channel, std::span<const std::uint32_t> secrets,
                       const std::vector<double>& people_of_secret, double all) {
  SharedRows stratum{.people = people, .channel = channel, .secret = {}, .log_share = {}, .count = {}};
  std::vector<std::uint32_t> occurring;
  occurring.reserve(people.size());
  for (const std::uint32_t u : people) occurring.push_back(secrets[u]);
  std::ranges::sort(occurring);
  occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  for (const std::uint32_t secret : occurring)
    stratum.log_share.push_back(std::log(people_of_secret[secret] / all));
  stratum.count.resize(occurring.size(), 0.0);
  for (const std::uint32_t u : people) {
    stratum.secret.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(occurring, secrets[u]) - occurring.begin()));
    stratum.count[stratum.secret.back()] += 1;
  }
  return stratum;
}

// --- lifts: how far donors raise and lower the probability of a secret

class LiftRange {
 public:
  /// Of a secret that so many of `size` people have, when it weighs `weight` of `all` that a donor is
  /// published.
  void see(const SharedRows& stratum, std::size_t secret, double weight, double all) {
    if (!(all > 0)) return;  // never published
    const double posterior = weight / all,
                 prior = stratum.count[secret] / static_cast<double>(stratum.size());
    highest_ = std::max(highest_, posterior / prior);
    lowest_ = std::min(lowest_, posterior / prior);
    of_population_ = std::max(of_population_, posterior / std::exp(stratum.log_share[secret]));
  }
  void see(const LiftRange& other) {
    highest_ = std::max(highest_, other.highest_);
    lowest_ = std::min(lowest_, other.lowest_);
    of_population_ = std::max(of_population_, other.of_population_);
  }
  void rules_one_out() { lowest_ = 0; }

  double highest() const { return highest_; }
  double lowest() const { return lowest_; }
  double of_population() const { return of_population_; }

 private:
  double highest_ = 0, lowest_ = std::numeric_limits<double>::infinity(), of_population_ = 0;
};

struct DonorFigures {
  double leakage = 0;  ///< nats times people
  LiftRange lift = {};
};

// --- sum over y of w log( w / (W P(y)) ), W the sum of w, for one donor; w by secret

double term(double weight, double log_share) {
  return weight > 0 ? weight * (std::log(weight) - log_share) : 0;
}

/// Of a donor that is published for others by `base` and for themselves, of secret `own`, with `more`.
class DonorsAlike {
 public:
  DonorsAlike(const SharedRows& stratum, std::vector<double> base)
      : stratum_(stratum), base_(std::move(base)) {
    CompensatedSum sum, weight;
    for (std::size_t y = 0; y < base_.size(); ++y) {
      sum.add(term(base_[y], stratum.log_share[y]));
      weight.add(base_[y]);
    }
    sum_ = sum.value();
    weight_ = weight.value();
  }

  /// Where so many secrets occur among them, by `occurs(secret)`.
  template <class Occurs>
  LiftRange lift(std::size_t occurring, const Occurs& occurs, double more) const {
    LiftRange range;
    for (std::size_t y = 0; y < base_.size(); ++y) {
      const bool is_own = occurs(static_cast<std::uint32_t>(y));
      if (is_own) range.see(stratum_, y, std::max(0.0, base_[y] + more), weight_ + more);
      if (occurring > (is_own ? 1 : 0)) range.see(stratum_, y, base_[y], weight_ + more);
    }
    return range;
  }

  double leakage(std::uint32_t own, double more) const {
    const double log_share = stratum_.log_share[own];
    return sum_ - term(base_[own], log_share) + term(base_[own] + more, log_share) - x_log_x(weight_ + more);
  }

 private:
  const SharedRows& stratum_;
  std::vector<double> base_;
  double sum_ = 0, weight_ = 0;
};

DonorFigures figures_of(const SharedRows& stratum, const CellDraw& draw,
                        std::span<const std::uint32_t> clusters) {
  const double retain = stratum.channel.retain;
  const std::size_t cells = draw.clusters.size(), secrets = stratum.count.size();
  std::map<std::uint32_t, std::size_t> cell_of_cluster;
  for (std::size_t i = 0; i < cells; ++i) cell_of_cluster[static_cast<std::uint32_t>(draw.clusters[i])] = i;
  std::vector<std::map<std::uint32_t, double>> people_of(cells);  // by secret
  std::vector<double> size(cells, 0.0);
  for (std::size_t i = 0; i < stratum.size(); ++i) {
    const std::size_t cell = cell_of_cluster.at(clusters[stratum.people[i]]);
    people_of[cell][stratum.secret[i]] += 1;
    size[cell] += 1;
  }
  CompensatedSum sum;
  LiftRange lift;
  for (std::size_t to = 0; to < cells; ++to) {
    if (size[to] == 0) continue;
    std::vector<double> base(secrets, 0.0);
    for (std::size_t from = 0; from < cells; ++from) {
      const double probability =
          draw.probabilities(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to));
      if (probability > 0)
        for (const auto& [secret, people] : people_of[from])
          base[secret] += (1 - retain) * probability * people / size[to];
    }
    const DonorsAlike donors(stratum, std::move(base));
    for (const auto& [secret, people] : people_of[to]) sum.add(people * donors.leakage(secret, retain));
    lift.see(donors.lift(
        people_of[to].size(), [&](std::uint32_t secret) { return people_of[to].contains(secret); }, retain));
  }
  return {sum.value(), lift};
}

DonorFigures figures_of(const SharedRows& stratum, const OtherDraw&, std::span<const std::uint32_t>) {
  const auto size = static_cast<double>(stratum.size());
  const double retain = size == 1 ? 1 : stratum.channel.retain;
  const double other = size == 1 ? 0 : (1 - retain) / (size - 1);
  std::vector<double> base = stratum.count;
  for (double& weight : base) weight *= other;
  const DonorsAlike donors(stratum, std::move(base));
  CompensatedSum sum;
  for (std::uint32_t secret = 0; secret < stratum.count.size(); ++secret)
    sum.add(stratum.count[secret] * donors.leakage(secret, retain - other));
  return {sum.value(), donors.lift(stratum.count.size(), [](std::uint32_t) { return true; }, retain - other)};
}

/// So much of a donor is published for people of a secret.
struct DonorWeight {
  std::uint32_t donor, secret;
  double weight;
};

/// By donor, in the order in which they came: one pass to count, one to place.
std::vector<DonorWeight> sorted_by_donor(const std::vector<DonorWeight>& weights, std::size_t donors) {
  std::vector<std::size_t> next(donors + 1, 0);
  for (const DonorWeight& each : weights) next[each.donor + 1] += 1;
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<DonorWeight> sorted(weights.size());
  for (const DonorWeight& each : weights) sorted[next[each.donor]++] = each;
  return sorted;
}

DonorFigures figures_of(const SharedRows& stratum, const PersonDraw& draw, std::span<const std::uint32_t>) {
  const double retain = stratum.channel.retain;
  std::vector<DonorWeight> weights;
  weights.reserve(draw.donors.size());
  for (std::size_t u = 0; u < stratum.size(); ++u) {
    for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e)
      if (const double weight = (1 - retain) * draw.probabilities[e]; weight > 0)
        weights.push_back({static_cast<std::uint32_t>(draw.donors[e]), stratum.secret[u], weight});
    if (retain > 0) weights.push_back({static_cast<std::uint32_t>(u), stratum.secret[u], retain});
  }
  weights = sorted_by_donor(weights, stratum.size());
  CompensatedSum sum;
  LiftRange lift;
  std::vector<double> of_secret(stratum.count.size(), 0.0);  // for one donor; zero again after it
  std::vector<std::uint32_t> secrets;
  for (std::size_t i = 0; i < weights.size();) {
    const std::uint32_t donor = weights[i].donor;
    double all = 0;
    secrets.clear();
    for (; i < weights.size() && weights[i].donor == donor; ++i) {
      double& weight = of_secret[weights[i].secret];
      if (weight == 0) secrets.push_back(weights[i].secret);
      weight += weights[i].weight;
      all += weights[i].weight;
    }
    for (const std::uint32_t secret : secrets) {
      sum.add(term(of_secret[secret], stratum.log_share[secret]));
      lift.see(stratum, secret, of_secret[secret], all);
      of_secret[secret] = 0;
    }
    if (secrets.size() < stratum.count.size()) lift.rules_one_out();
    sum.add(-x_log_x(all));
  }
  return {sum.value(), lift};
}

/// Who is published for person `u` of the stratum, by place in it.
std::vector<double> near_row(const NearRows& rows, double retain, std::size_t u) {
  std::vector<double> row(rows.size());
  rows.row(u, row);
  for (double& probability : row) probability *= 1 - retain;
  row[u] += retain;
  return row;
}

DonorFigures figures_of_near(const SharedRows& stratum, const NearRows& rows, const Progress& progress) {
  // Donor by secret; people one after the other, so that sums do not depend on threads.
  constexpr std::size_t kRows = 64;
  const std::size_t secrets = stratum.count.size();
  std::vector<double> weight(stratum.size() * secrets, 0.0);
  for (std::size_t begin = 0; begin < stratum.size(); begin += kRows) {
    progress.throw_if_stopped();
    const std::size_t length = std::min(kRows, stratum.size() - begin);
    std::vector<std::vector<double>> block(length);
    parallel_blocks(length, 4, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) block[i] = near_row(rows, stratum.channel.retain, begin + i);
    });
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t v = 0; v < stratum.size(); ++v)
        weight[v * secrets + stratum.secret[begin + i]] += block[i][v];
  }
  CompensatedSum sum;
  LiftRange lift;
  for (std::size_t v = 0; v < stratum.size(); ++v) {
    double all = 0;
    for (std::size_t y = 0; y < secrets; ++y) {
      sum.add(term(weight[v * secrets + y], stratum.log_share[y]));
      all += weight[v * secrets + y];
    }
    for (std::size_t y = 0; y < secrets; ++y) lift.see(stratum, y, weight[v * secrets + y], all);
    sum.add(-x_log_x(all));
  }
  return {sum.value(), lift};
}

// --- own rows

double own_rows_of(const SharedRows& stratum, std::span<const std::uint32_t> clusters) {
  const double retain = stratum.channel.retain;
  const auto& draw = stratum.channel.draw;
  if (stratum.size() == 1) return 1;
  if (const auto* cells = std::get_if<CellDraw>(&draw)) {
    std::map<int, double> size;
    for (const std::uint32_t u : stratum.people) size[static_cast<int>(clusters[u])] += 1;
    CompensatedSum own;  // each of a cell of n people with O(c | c) / n: O(c | c) in all
    for (std::size_t i = 0; i < cells->clusters.size(); ++i)
      if (size.contains(cells->clusters[i]))
        own.add(cells->probabilities(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)));
    return retain * static_cast<double>(stratum.size()) + (1 - retain) * own.value();
  }
  if (const auto* lists = std::get_if<PersonDraw>(&draw)) {
    CompensatedSum own;
    for (std::size_t u = 0; u < stratum.size(); ++u)
      for (std::size_t e = lists->starts[u]; e < lists->starts[u + 1]; ++e)
        if (lists->donors[e] == u) own.add(lists->probabilities[e]);
    return retain * static_cast<double>(stratum.size()) + (1 - retain) * own.value();
  }
  return retain * static_cast<double>(stratum.size());  // others
}

double own_rows_of_near(const SharedRows& stratum, const NearRows& rows) {
  std::vector<double> own(stratum.size());
  parallel_blocks(own.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) own[u] = near_row(rows, stratum.channel.retain, u)[u];
  });
  return std::accumulate(own.begin(), own.end(), 0.0);
}

// --- distance

/// Draws donors of one person, or goes through all of them.
class Donors {
 public:
  Donors(const SharedRows& stratum, std::span<const std::uint32_t> clusters) : stratum_(stratum) {
    const auto* cells = std::get_if<CellDraw>(&stratum.channel.draw);
    if (cells == nullptr) return;
    std::map<int, std::size_t> cell_of_cluster;
    for (std::size_t i = 0; i < cells->clusters.size(); ++i) cell_of_cluster[cells->clusters[i]] = i;
    people_of_cell_.resize(cells->clusters.size());
    for (std::size_t u = 0; u < stratum.size(); ++u) {
      cell_of_.push_back(cell_of_cluster.at(static_cast<int>(clusters[stratum.people[u]])));
      people_of_cell_[cell_of_.back()].push_back(static_cast<std::uint32_t>(u));
    }
  }

  /// visit(donor by place in the stratum, probability).
  template <class Visit>
  void for_each(std::size_t u, const NearRows* near, const Visit& visit) const {
    const double retained = stratum_.size() == 1 ? 1 : stratum_.channel.retain, drawn = 1 - retained;
    if (retained > 0) visit(u, retained);
    const auto others = [&](std::size_t v, double probability) {
      if (drawn * probability > 0) visit(v, drawn * probability);
    };
    if (const auto* cells = std::get_if<CellDraw>(&stratum_.channel.draw)) {
      for (std::size_t to = 0; to < people_of_cell_.size(); ++to)
        for (const std::uint32_t v : people_of_cell_[to])
          others(v,
                 cells->probabilities(static_cast<Eigen::Index>(cell_of_[u]), static_cast<Eigen::Index>(to)) /
                     static_cast<double>(people_of_cell_[to].size()));
    } else if (const auto* lists = std::get_if<PersonDraw>(&stratum_.channel.draw)) {
      for (std::size_t e = lists->starts[u]; e < lists->starts[u + 1]; ++e)
        others(static_cast<std::size_t>(lists->donors[e]), lists->probabilities[e]);
    } else if (near != nullptr) {
      std::vector<double> row(near->size());
      near->row(u, row);
      for (std::size_t v = 0; v < row.size(); ++v) others(v, row[v]);
    } else {
      for (std::size_t v = 0; v < stratum_.size(); ++v)
        if (v != u) others(v, 1 / static_cast<double>(stratum_.size() - 1));
    }
  }

  /// How many donors for_each would visit, at most.
  std::size_t most(std::size_t u) const {
    if (const auto* lists = std::get_if<PersonDraw>(&stratum_.channel.draw))
      return lists->starts[u + 1] - lists->starts[u];
    return stratum_.size();
  }

  /// One donor of a person who draws by cells, from a list, or uniformly.
  std::size_t draw(std::size_t u, RandomStream& random) const {
    if (random.uniform() < stratum_.channel.retain || stratum_.size() == 1) return u;
    if (const auto* lists = std::get_if<PersonDraw>(&stratum_.channel.draw)) {
      double left = random.uniform();
      std::size_t e = lists->starts[u];
      while (e + 1 < lists->starts[u + 1] && (left -= lists->probabilities[e]) >= 0) ++e;
      return static_cast<std::size_t>(lists->donors[e]);
    }
    const auto* cells = std::get_if<CellDraw>(&stratum_.channel.draw);
    if (cells == nullptr) {
      const std::size_t other = random.below(stratum_.size() - 1);
      return other + (other >= u ? 1 : 0);
    }
    double left = random.uniform();
    std::size_t to = 0;
    for (; to + 1 < people_of_cell_.size(); ++to) {
      left -= cells->probabilities(static_cast<Eigen::Index>(cell_of_[u]), static_cast<Eigen::Index>(to));
      if (left < 0 && !people_of_cell_[to].empty()) break;
    }
    const auto& people = people_of_cell_[to];
    return people.empty() ? u : people[random.below(people.size())];
  }

 private:
  const SharedRows& stratum_;
  std::vector<std::size_t> cell_of_;                        ///< of each person, where cells decide
  std::vector<std::vector<std::uint32_t>> people_of_cell_;  ///< by place in the stratum
};

constexpr std::size_t kMostPairs = 200'000;  ///< up to so many distances all donors of all people count
constexpr std::size_t kSampledPeople = 16'384, kDrawsOfOne = 8;
/// A true mechanism is refused by chance with odds of about 1e-11: of a sum of so many terms more than seven
/// deviations off.
constexpr double kDeviations = 7;

Estimate distance_of(const std::vector<SharedRows>& strata,
                     const std::vector<std::unique_ptr<NearRows>>& near, const data::People& people,
                     const Mechanism& mechanism, const ComposedRows* composed,
                     std::span<const std::uint32_t> clusters) {
  const data::SparseRows& published = composed != nullptr ? composed->rows : people.features;
  const auto kind = census::distance_named(mechanism.distance);
  std::vector<Donors> donors;
  std::size_t pairs = 0;
  for (const SharedRows& stratum : strata) {
    donors.emplace_back(stratum, clusters);
    for (std::size_t u = 0; u < stratum.size(); ++u) pairs += donors.back().most(u);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> whom;  // stratum and place in it
  for (std::uint32_t s = 0; s < strata.size(); ++s)
    for (std::uint32_t u = 0; u < strata[s].size(); ++u) whom.emplace_back(s, u);
  const bool all = pairs <= kMostPairs;
  const std::size_t count = all ? whom.size() : std::min(whom.size(), kSampledPeople);
  const Key key = mechanism.key.derive("distance recomputed");
  std::vector<double> found(count);
  parallel_blocks(count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      RandomStream random(key.derive(fmt::format("person {}", i)));
      const auto [s, u] = whom[all ? i : random.below(whom.size())];
      const SharedRows& stratum = strata[s];
      const auto row = people.features[stratum.people[u]];
      const auto to = [&, u = u](std::size_t v) {
        return v == u && composed == nullptr
                   ? 0
                   : census::distance_between(kind, row, published[stratum.people[v]], published.columns);
      };
      CompensatedSum sum;
      if (all || near[s]) {
        donors[s].for_each(u, near[s].get(),
                           [&](std::size_t v, double probability) { sum.add(probability * to(v)); });
      } else {
        for (std::size_t n = 0; n < kDrawsOfOne; ++n)
          sum.add(to(donors[s].draw(u, random)) / double{kDrawsOfOne});
      }
      found[i] = sum.value();
    }
  });
  const auto n = static_cast<double>(count);
  const double mean = std::accumulate(found.begin(), found.end(), 0.0) / n;
  double squares = 0;
  for (const double x : found) squares += (x - mean) * (x - mean);
  return {.value = mean, .error = all ? 0 : kDeviations * std::sqrt(squares / (n - 1) / n)};
}

ComposedFigures figures_of_composed(const ComposedRows& composed) {
  return {.largest_share = composed.largest_share, .dropped = composed.dropped, .entries = composed.entries};
}

/// H(Y|S), or I(Y; C|S) where rows reveal no more than their cluster; nats times people.
double unprotected_of(const SharedRows& stratum, bool by_cluster, std::span<const std::uint32_t> clusters) {
  const auto size = static_cast<double>(stratum.size());
  CompensatedSum sum;  // size times H(Y|S=s)
  for (const double people : stratum.count) sum.add(-people * std::log(people / size));
  if (!by_cluster) return sum.value();
  std::map<std::uint32_t, std::map<std::uint32_t, double>> cells;
  for (std::size_t i = 0; i < stratum.size(); ++i) cells[clusters[stratum.people[i]]][stratum.secret[i]] += 1;
  for (const auto& [cluster, by_secret] : cells) {
    double of_cell = 0;
    for (const auto& [secret, people] : by_secret) of_cell += people;
    for (const auto& [secret, people] : by_secret) sum.add(people * std::log(people / of_cell));
  }
  return sum.value();
}

}  // namespace

Recomputed recompute(const Mechanism& mechanism, const data::People& people,
                     std::span<const std::uint32_t> clusters, const Progress& progress) {
  const bool exact = counts_exact_values(people, mechanism.clusters.clusters());
  const auto secrets = exact ? people.exact_secrets() : std::span<const std::uint32_t>(people.secrets);
  const auto all = static_cast<double>(people.size());
  std::vector<double> people_of_secret;
  for (const std::uint32_t secret : secrets) {
    if (secret >= people_of_secret.size()) people_of_secret.resize(secret + 1, 0.0);
    people_of_secret[secret] += 1;
  }
  const Pools pools = pools_by_group(people, mechanism.partition());
  std::vector<SharedRows> strata;
  std::vector<std::unique_ptr<NearRows>> near;
  for (std::size_t s = 0; s < pools.size(); ++s) {
    strata.push_back(shared_rows(pools.members[s], mechanism.channels.at(s), secrets, people_of_secret, all));
    const auto* by_nearness = std::get_if<NearDraw>(&mechanism.channels[s].draw);
    near.push_back(by_nearness == nullptr
                       ? nullptr
                       : std::make_unique<NearRows>(*by_nearness, people.features, pools.members[s]));
  }

  std::vector<double> leaked(strata.size()), of_groups(strata.size()), unprotected(strata.size()),
      own(strata.size());
  std::vector<LiftRange> lifts(strata.size());
  const bool by_cluster = rows_tell_their_cell(mechanism.channels);
  parallel_blocks(strata.size(), 1, [&](std::size_t s, std::size_t) {
    progress.throw_if_stopped();
    const SharedRows& stratum = strata[s];
    const DonorFigures found =
        near[s] ? figures_of_near(stratum, *near[s], progress)
                : std::visit(
                      [&](const auto& draw) -> DonorFigures {
                        if constexpr (std::is_same_v<std::decay_t<decltype(draw)>, NearDraw>)
                          return {.leakage = kUnset};  // above
                        else
                          return figures_of(stratum, draw, clusters);
                      },
                      stratum.channel.draw);
    leaked[s] = found.leakage;
    lifts[s] = found.lift;
    own[s] = near[s] ? own_rows_of_near(stratum, *near[s]) : own_rows_of(stratum, clusters);
    unprotected[s] = unprotected_of(stratum, by_cluster, clusters);
    // sum over y of n log( n / (size P(y)) )
    const double log_size = std::log(static_cast<double>(stratum.size()));
    CompensatedSum sum;
    for (std::size_t y = 0; y < stratum.count.size(); ++y)
      sum.add(stratum.count[y] * (std::log(stratum.count[y]) - log_size - stratum.log_share[y]));
    of_groups[s] = sum.value();
  });
  const auto bits = [&](const std::vector<double>& nats) {
    CompensatedSum sum;
    for (const double each : nats) sum.add(each);
    return sum.value() / all * kBitsPerNat;
  };
  LiftRange lift;
  for (const LiftRange& of_stratum : lifts) lift.see(of_stratum);
  CompensatedSum entropy;
  for (const double count : people_of_secret) entropy.add(-x_log_x(count / all));
  const auto composed = composed_rows_of(mechanism, people, progress);
  return {.leakage = bits(leaked),
          .leakage_groups = bits(of_groups),
          .secret_entropy = entropy.value() * kBitsPerNat,
          .unprotected = bits(unprotected),
          .max_lift = lift.highest(),
          .min_lift = lift.lowest(),
          .max_lift_of_population = lift.of_population(),
          .own_rows = composed ? 0 : std::accumulate(own.begin(), own.end(), 0.0) / all,
          .distance = distance_of(strata, near, people, mechanism, composed.get(), clusters),
          .composed = composed ? std::optional(figures_of_composed(*composed)) : std::nullopt};
}

namespace {

/// Room for another order of adding up; far below what a release states.
constexpr double kRounding = 1e-6;

void compare(const char* name, double said, const Estimate& found, std::vector<std::string>& untrue) {
  const double room = kRounding * std::max(1.0, std::abs(found.value)) + found.error;
  if (std::abs(said - found.value) <= room)
    return;  // false for NaN: a figure that is left out is untrue, too
  untrue.push_back(fmt::format("it says {} = {}, and its channels give {:.6g}{}.", name,
                               std::isnan(said) ? "nothing" : fmt::format("{:.6g}", said), found.value,
                               found.error > 0 ? fmt::format(" (+- {:.2g})", found.error) : ""));
}

/// Of a pool with somebody of a cluster from which its channel draws nobody: there are no figures then.
bool draws_for_everybody(const Mechanism& mechanism, const data::People& people,
                         std::span<const std::uint32_t> clusters) {
  const Pools pools = pools_by_group(people, mechanism.partition());
  for (std::size_t s = 0; s < pools.size(); ++s) {
    const CellDraw* cells = mechanism.channels.at(s).cells();
    if (cells == nullptr) continue;
    std::vector<bool> draws(static_cast<std::size_t>(mechanism.clusters.clusters()), false);
    for (const int cluster : cells->clusters) draws[static_cast<std::size_t>(cluster)] = true;
    for (const std::uint32_t u : pools.members[s])
      if (!draws[clusters[u]]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> untrue_statements(const Mechanism& mechanism, const data::People& people,
                                           std::span<const std::uint32_t> clusters,
                                           const std::optional<data::Interval>& keep,
                                           const Progress& progress) {
  progress.report("computing the mechanism's figures again", 0, 0);
  if (!draws_for_everybody(mechanism, people, clusters))
    return {"its channels are of other groups: there are people from whose cluster nobody draws."};
  return untrue_statements(mechanism, people, recompute(mechanism, people, clusters, progress), keep);
}

std::vector<std::string> untrue_statements(const Mechanism& mechanism, const data::People& people,
                                           const Recomputed& found,
                                           const std::optional<data::Interval>& keep) {
  const Leakage& said = mechanism.figures.leakage;
  std::vector<std::string> untrue;
  compare("leakage_bits", said.total, {found.leakage}, untrue);
  compare("leakage_groups_bits", said.groups, {found.leakage_groups}, untrue);
  compare("leakage_features_bits", said.features, {found.leakage - found.leakage_groups}, untrue);
  compare("leakage_unprotected_bits", said.unprotected, {found.unprotected}, untrue);
  compare("secret_entropy_bits", said.secret_entropy, {found.secret_entropy}, untrue);
  const LiftFigures& lift = mechanism.figures.lift;
  compare("max_lift", lift.highest, {found.max_lift}, untrue);
  compare("min_lift", lift.lowest, {found.min_lift}, untrue);
  compare("max_lift_of_population", lift.highest_of_population, {found.max_lift_of_population}, untrue);
  compare("own_rows", mechanism.figures.own_rows, {found.own_rows}, untrue);
  compare("distance", mechanism.figures.distance, found.distance, untrue);
  if (found.composed) {
    const ComposedFigures& composed = mechanism.figures.composed;
    compare("composed_largest_share", composed.largest_share, {found.composed->largest_share}, untrue);
    compare("composed_dropped", composed.dropped, {found.composed->dropped}, untrue);
    compare("composed_entries", composed.entries, {found.composed->entries}, untrue);
  }
  const auto of_groups = untrue_of_groups(mechanism, people, keep);
  untrue.insert(untrue.end(), of_groups.begin(), of_groups.end());
  return untrue;
}

void refuse_untrue(const Mechanism& mechanism, const data::People& people,
                   std::span<const std::uint32_t> clusters, const std::optional<data::Interval>& keep,
                   const Progress& progress) {
  auto untrue = untrue_statements(mechanism, people, clusters, keep, progress);
  if (untrue.empty()) return;
  constexpr std::size_t kListed = 3;
  const std::size_t more = untrue.size() > kListed ? untrue.size() - kListed : 0;
  untrue.resize(untrue.size() - more);
  std::string problem = fmt::format("does not say what it does: {}", fmt::join(untrue, " "));
  problem.pop_back();  // the full stop that the message adds
  if (more > 0) problem += fmt::format(", and {} more", more);
  throw InputError({.source = mechanism.source}, problem,
                   "It was edited or damaged. Give the file that `hyobscure fit` wrote, or run fit again.");
}

}  // namespace hyobscure::obscure
