#include "hyobscure/release/draw.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/groups/pools.h"

namespace hyobscure::release {
namespace {

using Clusters = std::vector<std::uint32_t>;

struct Population {
  data::People people;
  Clusters cluster_of_person;
  std::vector<int> group_starts;
  int clusters = 0;

  void add(const std::string& id, std::uint32_t value, std::uint32_t cluster) {
    people.ids.push_back(id);
    people.secrets.push_back(value);
    people.features.end_row();
    cluster_of_person.push_back(cluster);
  }
};

Population empty_population(std::uint32_t values, std::vector<int> group_starts, int clusters) {
  Population population;
  for (std::uint32_t v = 0; v < values; ++v)
    population.people.values.push_back({double(v), double(v), double(v)});
  population.group_starts = std::move(group_starts);
  population.clusters = clusters;
  return population;
}

/// 14 people, 4 values in 2 groups, 3 clusters; nobody of the second group is in cluster 1.
Population small_population() {
  Population population = empty_population(4, {0, 2}, 3);
  const std::uint32_t cells[][2] = {{0, 0}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {1, 2},
                                    {0, 2}, {2, 0}, {2, 0}, {3, 0}, {3, 2}, {3, 2}, {2, 2}};
  for (std::size_t u = 0; u < std::size(cells); ++u)
    population.add(fmt::format("p{:02}", u), cells[u][0], cells[u][1]);
  return population;
}

/// Values lean to clusters, so that the features reveal something.
Population large_population(std::size_t people) {
  Population population = empty_population(12, {0, 3, 8}, 5);
  RandomStream random(Key::from_seed(5));
  for (std::size_t u = 0; u < people; ++u) {
    const auto value = static_cast<std::uint32_t>(random.below(12));
    const auto cluster = random.uniform() < 0.5 ? value % 5 : static_cast<std::uint32_t>(random.below(5));
    population.add(fmt::format("p{}", u), value, cluster);
  }
  return population;
}

/// Counts the cells and gives every row of the channel uneven probabilities, one of them 0 where there are
/// three or more.
obscure::Mechanism mechanism_for(const Population& population, std::uint64_t seed) {
  obscure::Mechanism mechanism;
  mechanism.key = Key::from_seed(seed);
  mechanism.clusters.centres = Eigen::MatrixXd::Zero(population.clusters, 1);
  const auto& starts = population.group_starts;
  for (std::size_t g = 0; g < starts.size(); ++g) {
    const auto end =
        g + 1 < starts.size() ? starts[g + 1] : static_cast<int>(population.people.values.size());
    published::Group group;
    for (int value = starts[g]; value < end; ++value) group.members.push_back(value);
    mechanism.groups.push_back(group);
  }
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> counts;
  for (std::size_t u = 0; u < population.people.size(); ++u)
    counts[{mechanism.group_of_value(population.people.secrets[u]), population.cluster_of_person[u]}] += 1;
  mechanism.channels.resize(mechanism.groups.size());
  for (const auto& [cell, people] : counts) {
    mechanism.channels[cell.first].people += people;
    mechanism.channels[cell.first].cells()->clusters.push_back(static_cast<int>(cell.second));
    mechanism.channels[cell.first].cells()->people.push_back(people);
  }
  for (obscure::Channel& with_cells : mechanism.channels) {
    obscure::CellDraw& channel = *with_cells.cells();
    const auto size = static_cast<Eigen::Index>(channel.clusters.size());
    channel.probabilities = Eigen::MatrixXd::NullaryExpr(size, size, [&](Eigen::Index r, Eigen::Index c) {
      const bool none = size > 2 && c == (r + 1) % size;
      return none ? 0.0 : 1.0 + double((2 * r + c) % 3);
    });
    for (Eigen::Index row = 0; row < size; ++row)
      channel.probabilities.row(row) /= channel.probabilities.row(row).sum();
  }
  return mechanism;
}

std::vector<std::uint32_t> donors(const Population& population, const obscure::Mechanism& mechanism) {
  return draw_donors(mechanism, population.people, population.cluster_of_person);
}

/// O_g(c'|c) / |cell (c', g)|, written from the definition.
double donor_probability(const Population& population, const obscure::Mechanism& mechanism, std::size_t u,
                         std::size_t v) {
  const std::size_t group = mechanism.group_of_value(population.people.secrets[u]);
  if (mechanism.group_of_value(population.people.secrets[v]) != group) return 0;
  const obscure::CellDraw& channel = *mechanism.channels[group].cells();
  const auto index = [&](std::size_t person) {
    const auto found =
        std::ranges::find(channel.clusters, static_cast<int>(population.cluster_of_person[person]));
    return found - channel.clusters.begin();
  };
  return channel.probabilities(index(u), index(v)) /
         double(channel.people[static_cast<std::size_t>(index(v))]);
}

/// Quantile of chi-squared with a tail of 1e-6 (Wilson and Hilferty; off by less than 1 % here).
double chi_squared_limit(double freedom) {
  const double z = 4.7534, spread = 2 / (9 * freedom);
  return freedom * std::pow(1 - spread + z * std::sqrt(spread), 3);
}

struct Fit {
  double statistic = 0;
  double freedom = 0;
  int impossible = 0;  ///< draws of probability 0
};

using Counts = std::vector<std::vector<double>>;  // [person][donor]

Counts count_donors(const Population& population, int releases) {
  Counts counts(population.people.size(), std::vector<double>(population.people.size(), 0.0));
  for (int release = 0; release < releases; ++release) {
    const auto donor_of = donors(population, mechanism_for(population, static_cast<std::uint64_t>(release)));
    for (std::size_t u = 0; u < donor_of.size(); ++u) counts[u][donor_of[u]] += 1;
  }
  return counts;
}

Fit compare(const Population& population, const obscure::Mechanism& mechanism, const Counts& counts) {
  Fit fit;
  for (std::size_t u = 0; u < counts.size(); ++u) {
    const double releases = std::accumulate(counts[u].begin(), counts[u].end(), 0.0);
    fit.freedom -= 1;
    for (std::size_t v = 0; v < counts.size(); ++v) {
      const double expected = releases * donor_probability(population, mechanism, u, v);
      if (expected == 0 && counts[u][v] > 0) fit.impossible += 1;
      if (expected == 0) continue;
      fit.statistic += (counts[u][v] - expected) * (counts[u][v] - expected) / expected;
      fit.freedom += 1;
    }
  }
  return fit;
}

// False alarm: 1e-6, once and for all, because the keys are fixed.
TEST(Draw, DonorsOfTenThousandReleasesFollowTheChannel) {
  const Population population = small_population();
  const Counts counts = count_donors(population, 10'000);
  const Fit fit = compare(population, mechanism_for(population, 0), counts);
  EXPECT_EQ(fit.impossible, 0);
  EXPECT_GT(fit.freedom, 50);
  EXPECT_LT(fit.statistic, chi_squared_limit(fit.freedom));
}

TEST(Draw, TheComparisonWouldNoticeAChannelThatIsOffByThreeHundredths) {
  const Population population = small_population();
  obscure::Mechanism other = mechanism_for(population, 0);
  other.channels[0].cells()->probabilities(0, 0) -= 0.03;
  other.channels[0].cells()->probabilities(0, 2) += 0.03;
  const Fit fit = compare(population, other, count_donors(population, 10'000));
  EXPECT_GT(fit.statistic, chi_squared_limit(fit.freedom));
}

// Within one release the place of the donor in the cell must not depend on the cluster that the person comes
// from, which it would if both draws used the same bits. Eighths of the cell are counted; false alarm 1e-6,
// with a fixed key.
TEST(Draw, DonorsOfOneReleaseAreSpreadEvenlyOverTheCellWhereverThePersonComesFrom) {
  const Population population = large_population(100'000);
  const auto mechanism = mechanism_for(population, 11);
  using Cell = std::pair<std::size_t, std::uint32_t>;
  const auto cell_of = [&](std::uint32_t u) {
    return Cell{mechanism.group_of_value(population.people.secrets[u]), population.cluster_of_person[u]};
  };
  std::map<Cell, Clusters> cells;
  for (const std::uint32_t u : keyed_order(mechanism.key, population.people)) cells[cell_of(u)].push_back(u);
  std::vector<std::size_t> eighth_of_person(population.people.size());
  for (const auto& [cell, members] : cells)
    for (std::size_t place = 0; place < members.size(); ++place)
      eighth_of_person[members[place]] = place * 8 / members.size();
  std::map<std::pair<Cell, Cell>, std::vector<double>> counts;  // (own cell, cell of the donor)
  const auto donor_of = donors(population, mechanism);
  for (std::uint32_t u = 0; u < donor_of.size(); ++u) {
    auto& eighths = counts[{cell_of(u), cell_of(donor_of[u])}];
    eighths.resize(8);
    eighths[eighth_of_person[donor_of[u]]] += 1;
  }
  double statistic = 0;
  for (const auto& [pair, eighths] : counts) {
    const double expected = std::accumulate(eighths.begin(), eighths.end(), 0.0) / 8;
    for (const double count : eighths) statistic += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(statistic, chi_squared_limit(7 * double(counts.size())));
}

/// People with features, so that some are nearer than others.
Population with_features(Population population) {
  data::SparseRows rows;
  rows.columns = 6;
  for (std::uint32_t u = 0; u < population.people.size(); ++u) {
    for (std::uint32_t item = 0; item < 6; ++item)
      if ((u + item * item) % 3 != 0 || item == u % 6) {
        rows.items.push_back(item);
        rows.values.push_back(1 + u % 2);
      }
    rows.end_row();
  }
  population.people.features = std::move(rows);
  return population;
}

/// A draw of the definition: probability of donor v for person u of the pool, nothing retained.
using Definition = std::function<double(std::uint32_t u, std::uint32_t v, const Clusters& pool)>;

double jaccard_of(const Population& population, std::uint32_t u, std::uint32_t v) {
  return census::distance_between(census::Distance::Jaccard, population.people.features[u],
                                  population.people.features[v], population.people.features.columns);
}

// False alarm: 1e-6 for each, once and for all, because the keys are fixed.
TEST(Draw, OtherNearAndRetainedDonorsFollowTheirDefinition) {
  const Population population = with_features(small_population());
  const auto others = [](std::uint32_t u, std::uint32_t v, const Clusters& pool) {
    return u == v ? 0.0 : 1.0 / (double(pool.size()) - 1);
  };
  const auto weighted = [&](const std::function<double(std::uint32_t, std::uint32_t)>& weight) {
    return [&population, weight](std::uint32_t u, std::uint32_t v, const Clusters& pool) {
      double sum = 0;
      for (const std::uint32_t w : pool) sum += weight(u, w);
      return weight(u, v) / sum;
    };
  };
  const auto dp =
      weighted([&](std::uint32_t u, std::uint32_t v) { return std::exp(-3 * jaccard_of(population, u, v)); });
  const auto simp = weighted(
      [&](std::uint32_t u, std::uint32_t v) { return u == v ? 0 : 1 - jaccard_of(population, u, v); });
  struct Case {
    decltype(obscure::Channel::draw) draw;
    Definition probability;
    double retain;
    bool within_groups;
  };
  // Everybody draws from three places of their pool, which the definition finds again.
  obscure::PersonDraw lists;
  for (std::uint32_t u = 0; u < 14; ++u) {
    for (const std::uint32_t step : {0u, 4u, 9u}) {
      lists.donors.push_back((u + step) % 14);
      lists.probabilities.push_back((step + 1.0) / 16);
    }
    lists.starts.push_back(lists.donors.size());
  }
  const auto listed = [&](std::uint32_t u, std::uint32_t v, const Clusters&) {
    for (std::size_t e = lists.starts[u]; e < lists.starts[u + 1]; ++e)
      if (lists.donors[e] == v) return lists.probabilities[e];
    return 0.0;
  };
  const std::vector<Case> cases = {{lists, listed, 0, false},
                                   {lists, listed, 0.3, false},
                                   {obscure::OtherDraw{}, others, 0, true},
                                   {obscure::OtherDraw{}, others, 0.3, false},
                                   {obscure::NearDraw{.decay = 3}, dp, 0, true},
                                   {obscure::NearDraw{.decay = 3}, dp, 0.2, false},
                                   {obscure::NearDraw{}, simp, 0.4, true}};
  constexpr int kReleases = 4000;
  for (const Case& one : cases) {
    obscure::Mechanism mechanism = mechanism_for(population, 0);
    mechanism.within_groups = one.within_groups;
    if (!one.within_groups) mechanism.channels = {{.people = 14}};
    for (obscure::Channel& channel : mechanism.channels) {
      channel.retain = one.retain;
      channel.draw = one.draw;
    }
    Counts counts(14, std::vector<double>(14, 0));
    for (std::uint64_t seed = 0; seed < kReleases; ++seed) {
      mechanism.key = Key::from_seed(seed);
      const auto donor_of = donors(population, mechanism);
      for (std::size_t u = 0; u < 14; ++u) counts[u][donor_of[u]] += 1;
    }
    Fit fit;
    for (std::uint32_t u = 0; u < 14; ++u) {
      Clusters pool;
      for (std::uint32_t v = 0; v < 14; ++v)
        if (!one.within_groups || mechanism.group_of_value(population.people.secrets[u]) ==
                                      mechanism.group_of_value(population.people.secrets[v]))
          pool.push_back(v);
      fit.freedom -= 1;
      for (std::uint32_t v = 0; v < 14; ++v) {
        const bool reachable = std::ranges::find(pool, v) != pool.end();
        const double p =
            (reachable ? (1 - one.retain) * one.probability(u, v, pool) : 0) + (u == v ? one.retain : 0);
        if (p == 0) {
          EXPECT_EQ(counts[u][v], 0);
          continue;
        }
        fit.freedom += 1;
        fit.statistic += std::pow(counts[u][v] - kReleases * p, 2) / (kReleases * p);
      }
    }
    EXPECT_LT(fit.statistic, chi_squared_limit(fit.freedom)) << &one - cases.data();
  }
}

TEST(Draw, ListsNeedNobodyElse) {
  const Population population = small_population();
  obscure::Mechanism mechanism = mechanism_for(population, 5);
  const obscure::Pools pools = obscure::pools_by_group(population.people, mechanism.partition());
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto size = static_cast<std::uint32_t>(pools.members[p].size());
    obscure::PersonDraw lists;
    for (std::uint32_t u = 0; u < size; ++u) {
      for (std::uint32_t v = 0; v < size; ++v) {
        lists.donors.push_back(v);
        lists.probabilities.push_back(1.0 / size);
      }
      lists.starts.push_back(lists.donors.size());
    }
    mechanism.channels[p].draw = lists;
    mechanism.channels[p].retain = 0.2;
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    mechanism.key = Key::from_seed(seed);
    const auto donor_of = donors(population, mechanism);
    const ListedDraws draws(mechanism.key);
    for (const auto& members : pools.members) {
      const std::vector<double> probabilities(members.size(), 1.0 / double(members.size()));
      for (const std::uint32_t u : members)
        EXPECT_EQ(draws.donor(population.people.ids[u], u, 0.2, members, probabilities), donor_of[u]);
    }
  }
}

TEST(Draw, ThePersonMayBeTheirOwnDonor) {
  const Population population = small_population();
  int own = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    own += donors(population, mechanism_for(population, seed))[0] == 0;
  EXPECT_GT(own, 0);
}

TEST(Draw, DonorsAreAlwaysOfTheSameGroup) {
  const Population population = large_population(20'000);
  const auto mechanism = mechanism_for(population, 3);
  const auto donor_of = donors(population, mechanism);
  for (std::size_t u = 0; u < donor_of.size(); ++u)
    ASSERT_EQ(mechanism.group_of_value(population.people.secrets[u]),
              mechanism.group_of_value(population.people.secrets[donor_of[u]]));
}

TEST(Draw, ThreadsDoNotMatter) {
  const Population population = large_population(20'000);
  const auto mechanism = mechanism_for(population, 3);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return donors(population, mechanism);
  };
  EXPECT_EQ(with_threads(1), with_threads(2));
}

// People on many machines: each draws alone, and the person at the drawn place of the cell is the donor.
TEST(Draw, ForEachPersonByThemselvesIsTheSame) {
  for (const double retain : {0.0, 0.3}) {
    const Population population = large_population(900);
    obscure::Mechanism mechanism = mechanism_for(population, 5);
    for (obscure::Channel& channel : mechanism.channels) channel.retain = retain;
    const PersonalDraws draws(mechanism);
    const auto drawn = [&](std::size_t u) {
      return draws.draw(population.people.ids[u], population.people.secrets[u],
                        population.cluster_of_person[u]);
    };
    using Place = std::tuple<std::uint64_t, std::uint64_t, std::string, std::uint32_t>;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Place>> cells;
    for (std::uint32_t u = 0; u < population.people.size(); ++u)
      cells[{drawn(u).group, population.cluster_of_person[u]}].emplace_back(
          drawn(u).order.first, drawn(u).order.second, population.people.ids[u], u);
    for (auto& [cell, people] : cells) std::ranges::sort(people);
    std::vector<std::uint32_t> found;
    for (std::uint32_t u = 0; u < population.people.size(); ++u) {
      const auto& cell = cells[{drawn(u).group, drawn(u).cluster}];
      found.push_back(drawn(u).retained ? u : std::get<3>(cell[drawn(u).place]));
    }
    EXPECT_EQ(found, donors(population, mechanism)) << retain;
  }
}

TEST(Draw, AnyOtherPersonOfTheGroupForEachByThemselves) {
  for (const double retain : {0.0, 0.3}) {
    const Population population = large_population(900);
    obscure::Mechanism mechanism = mechanism_for(population, 5);
    for (obscure::Channel& channel : mechanism.channels) {
      channel.draw = obscure::OtherDraw{};
      channel.retain = retain;
    }
    const PersonalDraws draws(mechanism);
    std::vector<PersonalDraws::Drawn> drawn;
    std::vector<std::vector<std::uint32_t>> groups(mechanism.groups.size());
    for (std::uint32_t u = 0; u < population.people.size(); ++u) {
      drawn.push_back(draws.draw(population.people.ids[u], population.people.secrets[u], 0));
      EXPECT_TRUE(drawn.back().others);
      groups[drawn.back().group].push_back(u);
    }
    const auto order = [&](std::uint32_t u) {
      return std::tuple(drawn[u].order.first, drawn[u].order.second, population.people.ids[u]);
    };
    for (auto& members : groups)
      std::ranges::sort(members, [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
    std::vector<std::uint32_t> found;
    for (std::uint32_t u = 0; u < population.people.size(); ++u) {
      const auto& members = groups[drawn[u].group];
      const auto own = static_cast<std::uint64_t>(std::ranges::find(members, u) - members.begin());
      const std::uint64_t place = drawn[u].place < own ? drawn[u].place : drawn[u].place + 1;
      found.push_back(drawn[u].retained ? u : members[place]);
    }
    EXPECT_EQ(found, donors(population, mechanism)) << retain;
  }
}

TEST(Draw, ForEachPersonByThemselvesRefusesWhatNeedsOthers) {
  const Population population = small_population();
  obscure::Mechanism mechanism = mechanism_for(population, 5);
  EXPECT_THROW((void)PersonalDraws(mechanism).draw("x", 2, 1), InputError);  // a cell without people
  EXPECT_THROW((void)PersonalDraws(mechanism).draw("x", 4, 0), InputError);  // a value that nobody has
  mechanism.channels[1].draw = obscure::NearDraw{};
  EXPECT_THROW(PersonalDraws{mechanism}, InputError);
}

TEST(Draw, TheKeyDecides) {
  const Population population = large_population(1000);
  EXPECT_EQ(donors(population, mechanism_for(population, 3)),
            donors(population, mechanism_for(population, 3)));
  EXPECT_NE(donors(population, mechanism_for(population, 3)),
            donors(population, mechanism_for(population, 4)));
}

TEST(Draw, TheOrderOfPeopleDoesNotMatter) {
  const Population population = large_population(5000);
  Population reversed = empty_population(12, population.group_starts, 5);
  for (std::size_t u = 5000; u-- > 0;)
    reversed.add(population.people.ids[u], population.people.secrets[u], population.cluster_of_person[u]);
  const auto forward = donors(population, mechanism_for(population, 3));
  const auto backward = donors(reversed, mechanism_for(reversed, 3));
  for (std::size_t u = 0; u < 5000; ++u) ASSERT_EQ(forward[u], 4999 - backward[4999 - u]);
}

TEST(Draw, APersonMoreChangesOnlyDonorsDrawnFromTheirCell) {
  const Population before = large_population(5000);
  Population after = before;
  after.add("newcomer", 1, 2);
  const auto old_donors = donors(before, mechanism_for(before, 3));
  const auto new_donors = donors(after, mechanism_for(after, 3));
  const auto in_cell_of_newcomer = [&](std::uint32_t v) {
    return after.people.secrets[v] < 3 && after.cluster_of_person[v] == 2;
  };
  int moved = 0, stayed = 0;
  for (std::size_t u = 0; u < 5000; ++u) {
    ASSERT_EQ(before.cluster_of_person[old_donors[u]], after.cluster_of_person[new_donors[u]]);
    if (!in_cell_of_newcomer(old_donors[u]))
      ASSERT_EQ(old_donors[u], new_donors[u]);
    else
      (old_donors[u] == new_donors[u] ? stayed : moved) += 1;
  }
  EXPECT_GT(moved, 0);
  EXPECT_GT(stayed, 0);
}

TEST(Draw, InversionNeverTakesAnImpossibleEntry) {
  const std::vector<double> cumulative = {0.0, 0.0, 0.3, 0.3, 0.9999999999999999, 0.9999999999999999};
  EXPECT_EQ(choose_by_inversion(cumulative, 0), 2u);
  EXPECT_EQ(choose_by_inversion(cumulative, ~std::uint64_t{0}), 4u);
  EXPECT_EQ(choose_by_inversion(std::vector<double>{5e-324}, ~std::uint64_t{0}), 0u);
  EXPECT_EQ(choose_by_inversion(std::vector<double>{0.0, 5e-324, 5e-324}, ~std::uint64_t{0}), 1u);
}

TEST(Draw, RefusesPeopleThatTheMechanismDidNotCount) {
  const Population population = small_population();
  auto other_count = mechanism_for(population, 1);
  other_count.channels[1].cells()->people[0] += 1;
  EXPECT_THROW((void)donors(population, other_count), InputError);

  Population elsewhere = population;
  elsewhere.cluster_of_person[9] = 1;  // a cell that is empty
  EXPECT_THROW((void)donors(elsewhere, mechanism_for(population, 1)), InputError);
}

// --- leakage of what was drawn

using Joint =
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<double>>;  // (group, c') -> people by value

/// I(Y; C', G) in nats and the variance of its terms, from the definition.
struct Information {
  double mean = 0;
  double variance = 0;
};

Information information(const Joint& joint, std::size_t values) {
  std::vector<double> of_value(values, 0.0);
  double total = 0;
  for (const auto& [cell, people] : joint)
    for (std::size_t v = 0; v < values; ++v) {
      of_value[v] += people[v];
      total += people[v];
    }
  Information result;
  double square = 0;
  for (const auto& [cell, people] : joint) {
    const double in_cell = std::accumulate(people.begin(), people.end(), 0.0);
    for (std::size_t v = 0; v < values; ++v) {
      if (people[v] == 0) continue;
      const double term = std::log(people[v] * total / (in_cell * of_value[v]));
      result.mean += people[v] / total * term;
      square += people[v] / total * term * term;
    }
  }
  result.variance = square - result.mean * result.mean;
  return result;
}

Joint promised_joint(const Population& population, const obscure::Mechanism& mechanism) {
  Joint joint;
  for (std::size_t u = 0; u < population.people.size(); ++u) {
    const std::size_t group = mechanism.group_of_value(population.people.secrets[u]);
    const obscure::CellDraw& channel = *mechanism.channels[group].cells();
    const auto own = std::ranges::find(channel.clusters, static_cast<int>(population.cluster_of_person[u]));
    for (std::size_t i = 0; i < channel.clusters.size(); ++i) {
      auto& cell = joint[{group, static_cast<std::uint32_t>(channel.clusters[i])}];
      cell.resize(population.people.values.size());
      cell[population.people.secrets[u]] +=
          channel.probabilities(own - channel.clusters.begin(), static_cast<Eigen::Index>(i));
    }
  }
  return joint;
}

Joint drawn_joint(const Population& population, const obscure::Mechanism& mechanism) {
  Joint joint;
  const auto donor_of = donors(population, mechanism);
  for (std::size_t u = 0; u < donor_of.size(); ++u) {
    const std::size_t group = mechanism.group_of_value(population.people.secrets[donor_of[u]]);
    auto& cell = joint[{group, population.cluster_of_person[donor_of[u]]}];
    cell.resize(population.people.values.size());
    cell[population.people.secrets[u]] += 1;
  }
  return joint;
}

// The plug-in estimate is too large by about (free cells) / 2N: sum over groups of (values - 1)(clusters -
// 1). Five standard deviations of the mean are allowed: false alarm below 1e-6, with a fixed key.
TEST(Draw, LeakageOfTheDrawsIsThatOfTheChannel) {
  const std::size_t number = 200'000;
  const Population population = large_population(number);
  const auto mechanism = mechanism_for(population, 11);
  const Information promised = information(promised_joint(population, mechanism), 12);
  const Information drawn = information(drawn_joint(population, mechanism), 12);
  const double bias = (2 * 4 + 4 * 4 + 3 * 4) / (2.0 * double(number));
  const double tolerance = 5 * std::sqrt(promised.variance / double(number));
  EXPECT_NEAR(drawn.mean - bias, promised.mean, tolerance);
  EXPECT_LT(tolerance, 0.01);
  const double of_groups_alone =
      -(0.25 * std::log(0.25) + 5 / 12.0 * std::log(5 / 12.0) + 4 / 12.0 * std::log(4 / 12.0));
  EXPECT_GT(promised.mean,
            of_groups_alone + 2 * tolerance);  // the features reveal enough for the test to mean something
}

// --- kept columns

/// Combinations 0, 1, 2 by turns, but combination 1 does not occur in the second group.
Population keeping_population() {
  Population population = small_population();
  population.people.kept_combinations = 3;
  for (std::uint32_t u = 0; u < population.people.size(); ++u)
    population.people.kept.push_back(population.people.secrets[u] < 2 ? u % 3 : u % 2 * 2);
  return population;
}

TEST(Draw, PoolsOfKeptCellsAreOrderedByGroupAndLeaveOutEmptyOnes) {
  using testing::ElementsAre;
  const Population population = keeping_population();
  const auto pools = obscure::pools_by_group(population.people, solve::Partition{{0, 2, 4}});
  EXPECT_THAT(pools.members, ElementsAre(ElementsAre(0, 3, 6), ElementsAre(1, 4, 7), ElementsAre(2, 5),
                                         ElementsAre(8, 10, 12), ElementsAre(9, 11, 13)));
  for (std::uint32_t pool = 0; pool < pools.size(); ++pool)
    for (const std::uint32_t u : pools.members[pool]) EXPECT_EQ(pools.pool_of_person[u], pool);
}

TEST(Draw, DonorsShareGroupAndKeptCells) {
  const Population population = keeping_population();
  const auto pools = obscure::pools_by_group(population.people, solve::Partition{{0, 2, 4}});
  auto mechanism = mechanism_for(population, 3);
  mechanism.channels.clear();
  for (const auto& members : pools.members)
    mechanism.channels.push_back(
        {.people = static_cast<std::int64_t>(members.size()), .draw = obscure::OtherDraw{}});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    mechanism.key = Key::from_seed(seed);
    const auto donor_of = donors(population, mechanism);
    for (std::size_t u = 0; u < donor_of.size(); ++u) {
      EXPECT_NE(donor_of[u], u);
      EXPECT_EQ(pools.pool_of_person[donor_of[u]], pools.pool_of_person[u]);
    }
  }
}

TEST(Draw, RefusesAChannelAGroupWhereCellsAreKept) {
  const Population population = keeping_population();
  EXPECT_THROW((void)donors(population, mechanism_for(population, 3)), InputError);
}

}  // namespace
}  // namespace hyobscure::release
