#include "hyobscure/solve/person/person_extremes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_assignment.h"
#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/person_support.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kAssignmentLimit = 1500;  // people: 18 MB, a few seconds at worst
constexpr std::size_t kUniformLimit = 2000;     // people: a uniform channel has people^2 entries
constexpr std::size_t kPeopleInBlock = 64;
constexpr double kTie = 1e-12;  // distances are floats: ties are exact but for the rounding of prices

Index to_index(std::size_t i) { return static_cast<Index>(i); }

/// Calls body(person, distances) for everybody, on all threads.
template <class Body>
void for_each_row(const PersonPool& pool, const Body& body) {
  parallel_blocks(pool.size(), kPeopleInBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> row(pool.size());
    for (std::size_t u = begin; u < end; ++u) {
      read_distances(pool, u, row);
      body(u, std::span<const float>(row));
    }
  });
}

bool may_publish_self(const PersonPool& pool, const PersonTerms& terms) {
  return terms.self_donor || pool.size() == 1;
}

// ---- Smallest distance ----

/// Calls body(person, donors, distances) for everybody, on all threads: all donors that the person may have.
template <class Body>
void for_each_person(const PersonPool& pool, const PersonTerms& terms, const Body& body) {
  const bool own = may_publish_self(pool, terms);
  parallel_blocks(pool.size(), kPeopleInBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> donors;
    std::vector<float> distances;
    for (std::size_t u = begin; u < end; ++u) {
      if (pool.candidates.empty()) {
        donors.resize(pool.size());
        distances.resize(pool.size());
        std::iota(donors.begin(), donors.end(), 0U);
        read_distances(pool, u, distances);
        if (!own) {
          donors.erase(donors.begin() + static_cast<std::ptrdiff_t>(u));
          distances.erase(distances.begin() + static_cast<std::ptrdiff_t>(u));
        }
      } else {
        donors = considered_donors(pool, terms, u);
        read_distances(pool, u, donors, distances);
      }
      body(u, std::span<const std::uint32_t>(donors), std::span<const float>(distances));
    }
  });
}

/// Everybody's nearest donor.
CheapestChannel nearest_donors(const PersonPool& pool, const PersonTerms& terms) {
  CheapestChannel result;
  result.person_prices.resize(to_index(pool.size()));
  result.donor_prices = VectorXd::Zero(to_index(pool.size()));
  std::vector<std::uint32_t> nearest(pool.size());
  for_each_person(pool, terms, [&](std::size_t u, auto donors, auto distances) {
    const auto best = std::ranges::min_element(distances);
    nearest[u] = donors[static_cast<std::size_t>(best - distances.begin())];
    result.person_prices(to_index(u)) = static_cast<double>(*best);
  });
  result.distance = result.person_prices.sum();
  result.channel = one_donor_each(std::move(nearest));
  return result;
}

// Distances are not negative: if nobody's own row costs anything, all prices are 0 and nothing can be nearer.
bool own_rows_cost_nothing(const PersonPool& pool) {
  VectorXd own(to_index(pool.size()));
  parallel_blocks(pool.size(), kPeopleInBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> distance;
    for (std::size_t u = begin; u < end; ++u) {
      const auto person = static_cast<std::uint32_t>(u);
      read_distances(pool, u, {&person, 1}, distance);
      own(to_index(u)) = static_cast<double>(distance.front());
    }
  });
  return own.maxCoeff() <= 0;
}

CheapestChannel everybody_as_they_are(std::size_t people) {
  CheapestChannel result;
  result.person_prices = result.donor_prices = VectorXd::Zero(to_index(people));
  std::vector<std::uint32_t> donors(people);
  std::iota(donors.begin(), donors.end(), 0U);
  result.channel = one_donor_each(std::move(donors));
  return result;
}

// person_channel.md, "Budget", "Ends": an assignment is the cheapest balanced channel, because the corners of
// the doubly stochastic matrices are permutations; its prices prove it.
CheapestChannel assigned_donors(const PersonPool& pool, bool own) {
  Eigen::MatrixXd cost(to_index(pool.size()), to_index(pool.size()));
  for_each_row(pool, [&](std::size_t u, std::span<const float> row) {
    cost.row(to_index(u)) =
        Eigen::Map<const Eigen::RowVectorXf>(row.data(), to_index(row.size())).cast<double>();
  });
  // A price no assignment pays if it can avoid it, and with two people or more it can.
  if (!own) cost.diagonal().setConstant(1 + static_cast<double>(pool.size()) * cost.maxCoeff());
  Assignment assignment = cheapest_assignment(cost);
  CheapestChannel result;
  for (std::size_t u = 0; u < pool.size(); ++u)
    result.distance += cost(to_index(u), to_index(assignment.donors[u]));
  result.person_prices = std::move(assignment.person_prices);
  result.donor_prices = std::move(assignment.donor_prices);
  result.channel = one_donor_each(std::move(assignment.donors));
  return result;
}

/// The smallest of all values that threads bring, in whatever order.
void lower(float& smallest, float value) {
  const std::atomic_ref<float> shared(smallest);
  float seen = shared.load(std::memory_order_relaxed);
  // a minimum does not depend on the order in which threads come
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) continue;
}

/// sum_u p_u + sum_j r_j for prices with p_u + r_j <= d(u,j) is below the cost of every balanced channel.
/// Here r_j = 0, or the cheapest person of each donor: whichever bounds better.
CheapestChannel assignment_bound(const PersonPool& pool, const PersonTerms& terms) {
  VectorXd nearest(to_index(pool.size()));
  std::vector<float> cheapest(pool.size(), std::numeric_limits<float>::infinity());
  for_each_person(pool, terms, [&](std::size_t u, auto donors, auto distances) {
    nearest(to_index(u)) = static_cast<double>(std::ranges::min(distances));
    for (std::size_t k = 0; k < donors.size(); ++k) lower(cheapest[donors[k]], distances[k]);
  });
  VectorXd person_prices(to_index(pool.size()));
  for_each_person(pool, terms, [&](std::size_t u, auto donors, auto distances) {
    // p_u = min_j ( d(u,j) - r_j ) is the largest price that r leaves: p_u + r_j <= d(u,j) for all pairs
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < donors.size(); ++k)
      best = std::min(best, static_cast<double>(distances[k]) - static_cast<double>(cheapest[donors[k]]));
    person_prices(to_index(u)) = best;
  });
  double donor_prices = 0;
  for (const float price : cheapest) donor_prices += static_cast<double>(price);
  CheapestChannel result;
  // Weak duality: sum_uj x d >= sum_u p_u + sum_j r_j since rows and columns of x sum to 1. Both choices are
  // valid, so their maximum is.
  result.distance = std::max(nearest.sum(), person_prices.sum() + donor_prices);
  return result;
}

// ---- Nothing leaks ----

/// x(u, j) of a channel whose donors all have the pool's mix of values, if there is one.
class HarmlessWeights {
 public:
  HarmlessWeights(const PersonPool& pool, const PersonTerms& terms)
      : pool_(pool), own_(may_publish_self(pool, terms)), sizes_(pool.values, 0) {
    for (const auto value : pool.value_of_person) ++sizes_[value];
    if (own_ && !terms.balanced)
      hub_ = cheapest_hub();
    else
      choose_donors(terms.balanced);
  }

  bool harmless() const { return harmless_; }
  bool has_hub() const { return hub_ < pool_.size(); }

  double operator()(std::size_t u, std::size_t j) const {
    // person_channel.md, "Ends", "Harmless": v_j = R_j q for every donor j
    if (has_hub()) return j == hub_ ? 1 : 0;
    if (own_) return 1 / donors_;
    if (u == j) return 0;
    // nothing is harmless: the uniform donor serves as the far end of the search only
    if (!harmless_) return 1 / (donors_ - 1);
    const auto size_of = [&](std::size_t v) { return sizes_[pool_.value_of_person[v]]; };
    if (!everybody_donates_ && size_of(j) < 2) return 0;
    if (pool_.value_of_person[u] != pool_.value_of_person[j]) return 1 / donors_;
    // The others of the same value share what the own row would have had.
    const auto alike = static_cast<double>(size_of(j));
    return alike / (donors_ * (alike - 1));
  }

 private:
  /// The donor that is nearest to everybody.
  std::size_t cheapest_hub() const {
    std::vector<VectorXd> of_block(block_count(pool_.size(), kHubBlock));
    parallel_blocks(pool_.size(), kHubBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<float> row(pool_.size());
      VectorXd sums = VectorXd::Zero(to_index(pool_.size()));
      for (std::size_t u = begin; u < end; ++u) {
        read_distances(pool_, u, row);
        sums += Eigen::Map<const Eigen::VectorXf>(row.data(), to_index(row.size())).cast<double>();
      }
      of_block[begin / kHubBlock] = std::move(sums);
    });
    VectorXd sums = VectorXd::Zero(to_index(pool_.size()));
    for (const auto& block : of_block) sums += block;
    Index best = 0;
    sums.minCoeff(&best);
    return static_cast<std::size_t>(best);
  }

  /// A person who never publishes themselves leaves their own row without their value, unless others have it
  /// too. A free channel can do without such rows, a balanced one cannot.
  void choose_donors(bool balanced) {
    donors_ = static_cast<double>(pool_.size());
    if (own_) return;
    // n_y / (n_y - 1) has no meaning for n_y = 1: the row of such a person can carry every value but its
    // owner's
    const auto alone = std::ranges::count(sizes_, 1U);
    if (alone == 0) return;
    harmless_ = !balanced && static_cast<std::size_t>(alone) < pool_.size();
    if (!harmless_) return;
    everybody_donates_ = false;
    donors_ -= static_cast<double>(alone);
  }

  static constexpr std::size_t kHubBlock = 1024;

  const PersonPool& pool_;
  const bool own_;
  std::vector<std::uint32_t> sizes_;  // of the values
  std::size_t hub_ = std::numeric_limits<std::size_t>::max();
  double donors_ = 1;
  bool everybody_donates_ = true;
  bool harmless_ = true;
};

SparseChannel channel_of_weights(std::size_t people, const HarmlessWeights& weights) {
  SparseChannel result;
  for (std::size_t u = 0; u < people; ++u) {
    for (std::size_t j = 0; j < people; ++j) {
      const double weight = weights(u, j);
      if (weight <= 0) continue;
      result.donors.push_back(static_cast<std::uint32_t>(j));
      result.probabilities.push_back(weight);
    }
    result.starts.push_back(result.donors.size());
  }
  return result;
}

HarmlessChannel uniform_candidates(const PersonPool& pool, const PersonTerms& terms) {
  VectorXd means(to_index(pool.size()));
  for_each_person(pool, terms, [&](std::size_t u, auto donors, auto distances) {
    double sum = 0;
    for (const float distance : distances) sum += static_cast<double>(distance);
    means(to_index(u)) = sum / static_cast<double>(donors.size());
  });
  return {.distance = means.sum(), .harmless = false, .channel = {}};
}

}  // namespace

CheapestChannel cheapest_channel(const PersonPool& pool, const PersonTerms& terms) {
  const bool own = may_publish_self(pool, terms);
  if (!terms.balanced) return nearest_donors(pool, terms);
  if (own && own_rows_cost_nothing(pool)) return everybody_as_they_are(pool.size());
  if (pool.size() <= kAssignmentLimit && pool.candidates.empty()) return assigned_donors(pool, own);
  return assignment_bound(pool, terms);
}

HarmlessChannel harmless_channel(const PersonPool& pool, const PersonTerms& terms) {
  if (!pool.candidates.empty()) return uniform_candidates(pool, terms);
  const HarmlessWeights weights(pool, terms);
  HarmlessChannel result;
  result.harmless = weights.harmless();
  VectorXd distances(to_index(pool.size()));
  for_each_row(pool, [&](std::size_t u, std::span<const float> row) {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += weights(u, j) * static_cast<double>(row[j]);
    distances(to_index(u)) = sum;
  });
  result.distance = distances.sum();
  // beyond the limit only the distance is of use; the search then mixes solved channels
  if (weights.has_hub() || pool.size() <= kUniformLimit)
    result.channel = channel_of_weights(pool.size(), weights);
  return result;
}

SparseChannel on_cheapest_pairs(const PersonPool& pool, const PersonTerms& terms,
                                const CheapestChannel& cheapest, const SparseChannel& channel) {
  SparseChannel result;
  std::vector<float> distances;
  for (std::size_t u = 0; u < channel.size(); ++u) {
    const std::size_t first = channel.starts[u];
    read_distances(pool, u, {channel.donors.data() + first, channel.starts[u + 1] - first}, distances);
    const std::size_t begin = result.donors.size();
    double kept = 0;
    for (std::size_t e = first; e < channel.starts[u + 1]; ++e) {
      const std::uint32_t j = channel.donors[e];
      const auto distance = static_cast<double>(distances[e - first]);
      // Complementary slackness: channels of the smallest distance use pairs with p_u + r_j = d(u,j) and no
      // others. Prices are sums of at most m distances, so 1e-12 is far above their rounding and far below a
      // float's spacing.
      const double least = cheapest.person_prices(to_index(u)) + cheapest.donor_prices(to_index(j));
      if (distance - least > kTie * (1 + distance)) continue;
      result.donors.push_back(j);
      result.probabilities.push_back(channel.probabilities[e]);
      kept += channel.probabilities[e];
    }
    if (result.donors.size() == begin) return *cheapest.channel;  // far from the smallest distance
    for (std::size_t e = begin; e < result.donors.size(); ++e) result.probabilities[e] /= kept;
    result.starts.push_back(result.donors.size());
  }
  return terms.balanced ? balanced_channel(result, may_publish_self(pool, terms)) : result;
}

}  // namespace hyobscure::solve
