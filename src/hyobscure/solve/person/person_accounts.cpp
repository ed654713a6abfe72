#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_by_donor.h"
#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {
namespace {

constexpr std::size_t kDonorsInBlock = 1024;
constexpr std::size_t kPeopleAccounted = 64;  // distances may be expensive

/// Adds up `sum_of(begin, end)` over fixed blocks, in order: the same bits for any number of threads.
template <class SumOfBlock>
double compensated_sum_over_blocks(std::size_t count, std::size_t block, const SumOfBlock& sum_of) {
  std::vector<double> parts(block_count(count, block));
  parallel_blocks(count, block,
                  [&](std::size_t begin, std::size_t end) { parts[begin / block] = sum_of(begin, end); });
  CompensatedSum sum;
  for (const double part : parts) sum.add(part);
  return sum.value();
}

/// sum of v log(v / (q R)) over donors, where add(person, probability, v) adds a person's share to v, and
/// `shares` is q.
template <class AddPerson>
double information(const SparseChannel& channel, const std::vector<double>& shares, const AddPerson& add) {
  const ChannelByDonor entries = by_donor(channel);
  const double sum =
      compensated_sum_over_blocks(channel.size(), kDonorsInBlock, [&](std::size_t begin, std::size_t end) {
        std::vector<double> published(shares.size());
        CompensatedSum block;
        for (std::size_t j = begin; j < end; ++j) {
          std::fill(published.begin(), published.end(), 0.0);
          for (std::size_t e = entries.starts[j]; e < entries.starts[j + 1]; ++e)
            add(entries.people[e], channel.probabilities[entries.places[e]], published);
          double output = 0;
          // R_j from the same v: the sum over y of v log( v / (q R) ) is then a relative entropy and not
          // negative
          for (const double v : published) output += v;
          for (std::size_t y = 0; y < shares.size(); ++y)
            if (published[y] > 0) block.add(published[y] * std::log(published[y] / (shares[y] * output)));
        }
        return block.value();
      });
  // a relative entropy of equal distributions may come out as -1e-17
  return std::max(sum, 0.0);
}

void require_distances(std::span<const float> distances) {
  const bool valid = std::ranges::all_of(distances, [](float d) { return d >= 0 && std::isfinite(d); });
  if (!valid)
    throw InputError({.source = "distances"}, "expected distances that are finite and not negative",
                     "Correct the distance.");
}

}  // namespace

double informed_information(const PersonPool& pool, const SparseChannel& channel) {
  std::vector<double> shares(pool.values, 0.0);
  for (const auto value : pool.value_of_person) shares[value] += 1;
  for (double& share : shares) share /= static_cast<double>(pool.size());
  return information(channel, shares, [&](std::uint32_t person, double probability, auto& published) {
    published[pool.value_of_person[person]] += probability;
  });
}

double learned_information(const PersonPool& pool, const SparseChannel& channel) {
  const Eigen::VectorXd q = learned_shares(pool);
  const std::vector<double> shares(q.begin(), q.end());
  return information(channel, shares, [&](std::uint32_t person, double probability, auto& published) {
    const Eigen::RowVectorXd beliefs = posterior(pool, person);
    for (std::size_t y = 0; y < shares.size(); ++y)
      published[y] += probability * beliefs(static_cast<Eigen::Index>(y));
  });
}

double total_distance(const PersonPool& pool, const SparseChannel& channel) {
  return compensated_sum_over_blocks(
      channel.size(), kPeopleAccounted, [&](std::size_t begin, std::size_t end) {
        std::vector<float> distances;
        CompensatedSum block;
        for (std::size_t u = begin; u < end; ++u) {
          const std::size_t first = channel.starts[u];
          read_distances(pool, u, {channel.donors.data() + first, channel.starts[u + 1] - first}, distances);
          for (std::size_t k = 0; k < distances.size(); ++k)
            block.add(channel.probabilities[first + k] * static_cast<double>(distances[k]));
        }
        return block.value();
      });
}

void read_distances(const PersonPool& pool, std::size_t person, std::span<float> to) {
  pool.distances->row(person, to);
  require_distances(to);
}

void read_distances(const PersonPool& pool, std::size_t person, std::span<const std::uint32_t> donors,
                    std::vector<float>& to) {
  to.resize(donors.size());
  pool.distances->distances_to(person, donors, to);
  require_distances(to);
}

SparseChannel one_donor_each(std::vector<std::uint32_t> donors) {
  SparseChannel result;
  for (std::size_t u = 0; u < donors.size(); ++u) result.starts.push_back(u + 1);
  result.probabilities.assign(donors.size(), 1.0);
  result.donors = std::move(donors);
  return result;
}

}  // namespace hyobscure::solve
