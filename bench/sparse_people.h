#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/neighbours/row_distances.h"
#include "hyobscure/solve/person/person_channel.h"

/// People with tastes, who like items near to them: about 30 of 1,000 items each, rated 1 to 5. Their value,
/// one of ten, follows the first coordinate of their taste, so that the items tell something about it.
struct SparsePeople {
  hyobscure::data::SparseRows rows;
  std::vector<std::uint32_t> values;
};

inline constexpr std::uint32_t kSparseValues = 10;

inline SparsePeople sparse_people(std::size_t people) {
  constexpr std::size_t kItems = 1000, kDraws = 32, kTastes = 4;
  using Taste = std::array<double, kTastes>;
  std::mt19937_64 rng(7);  // fixed: runs on different days compare the same people
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto draw_taste = [&] {
    Taste taste;
    for (double& coordinate : taste) coordinate = uniform(rng);
    return taste;
  };
  std::vector<Taste> items(kItems);
  for (Taste& item : items) item = draw_taste();

  SparsePeople result;
  result.rows.columns = kItems;
  std::vector<std::uint32_t> liked;
  for (std::size_t u = 0; u < people; ++u) {
    const Taste taste = draw_taste();
    liked.clear();
    while (liked.size() < kDraws) {
      const auto item = static_cast<std::uint32_t>(uniform(rng) * kItems);
      double square = 0;
      for (std::size_t k = 0; k < kTastes; ++k) square += std::pow(taste[k] - items[item][k], 2);
      if (uniform(rng) < std::exp(-20 * square)) liked.push_back(item);
    }
    std::ranges::sort(liked);
    liked.erase(std::unique(liked.begin(), liked.end()), liked.end());
    for (const std::uint32_t item : liked) {
      result.rows.items.push_back(item);
      result.rows.values.push_back(1 + std::floor(5 * uniform(rng)));
    }
    result.rows.end_row();
    const double place = 0.7 * taste[0] + 0.3 * uniform(rng);
    result.values.push_back(static_cast<std::uint32_t>(place * kSparseValues));
  }
  return result;
}

/// Distances computed when they are asked for.
class SparsePeopleDistances final : public hyobscure::solve::PersonDistances {
 public:
  SparsePeopleDistances(const hyobscure::data::SparseRows& rows, const std::vector<std::uint32_t>& members)
      : distances_(hyobscure::census::Distance::JensenShannon, rows, members) {}
  std::size_t size() const override { return distances_.size(); }
  void row(std::size_t person, std::span<float> to) const override { distances_.row(person, to); }
  void distances_to(std::size_t person, std::span<const std::uint32_t> donors,
                    std::span<float> to) const override {
    distances_.distances_to(person, donors, to);
  }

 private:
  hyobscure::obscure::RowDistances distances_;
};

inline std::vector<std::uint32_t> positions(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> result(end - begin);
  std::iota(result.begin(), result.end(), static_cast<std::uint32_t>(begin));
  return result;
}
