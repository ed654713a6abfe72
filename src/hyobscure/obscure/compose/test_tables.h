#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// People with ids, rows and no secret that matters.
inline data::People people_with(const std::vector<std::vector<std::pair<std::uint32_t, double>>>& rows,
                                std::size_t columns) {
  data::People people;
  people.features.columns = columns;
  for (const auto& row : rows) {
    people.ids.push_back("p" + std::to_string(10'000 + people.ids.size()));
    people.secrets.push_back(0);
    for (const auto& [item, value] : row) {
      people.features.items.push_back(item);
      people.features.values.push_back(value);
    }
    people.features.end_row();
  }
  people.values.push_back({.low = 0, .high = 0, .centre = 0});
  return people;
}

/// Long data: each of `items` items with a rating, with the given probability.
inline data::People raters(unsigned seed, std::size_t size, std::uint32_t items, double probability) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(size);
  for (auto& row : rows) {
    for (std::uint32_t item = 0; item < items; ++item)
      if (uniform(rng) < probability) row.emplace_back(item, 1 + std::floor(5 * uniform(rng)));
    if (row.empty()) row.emplace_back(0, 3);
  }
  return people_with(rows, items);
}

/// Wide data: columns a, b, c of so many categories, a number d, and a set e of four elements. Of b only the
/// category of a occurs: that is what columns that stay together must keep.
inline data::People wide_people(unsigned seed, std::size_t size, std::uint32_t categories) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const std::uint32_t number = 3 * categories, set = number + 1;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(size);
  for (auto& row : rows) {
    const auto a = static_cast<std::uint32_t>(uniform(rng) * categories),
               c = static_cast<std::uint32_t>(uniform(rng) * categories);
    row = {{a, 1}, {categories + a, 1}, {2 * categories + c, 1}, {number, 0.01 + uniform(rng)}};
    for (std::uint32_t element = 0; element < 4; ++element)
      if (uniform(rng) < 0.4) row.emplace_back(set + element, 1);
  }
  data::People people = people_with(rows, set + 4);
  using enum data::FeatureKind;
  people.columns.columns = {
      {"a", Categorical}, {"b", Categorical}, {"c", Categorical}, {"d", Numeric}, {"e", Set}};
  for (std::uint32_t item = 0; item < set + 4; ++item) {
    people.columns.of_item.push_back(item < number ? item / categories : item == number ? 3 : 4);
    people.columns.words.push_back(item >= set ? std::string(1, static_cast<char>('v' + item - set)) : "");
  }
  return people;
}

}  // namespace hyobscure::obscure
