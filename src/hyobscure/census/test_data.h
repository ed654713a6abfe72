#pragma once

// Data for the tests of this folder.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "hyobscure/base/mapped_file.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

inline data::SparseRows sparse(const std::vector<std::vector<double>>& dense) {
  data::SparseRows rows;
  for (const auto& row : dense) {
    rows.columns = row.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == 0) continue;
      rows.items.push_back(static_cast<std::uint32_t>(i));
      rows.values.push_back(row[i]);
    }
    rows.end_row();
  }
  return rows;
}

/// Rows with between one entry and half of the columns, values over many orders of magnitude, every seventh
/// row a copy of the one before.
inline data::SparseRows skewed_rows(unsigned seed, std::size_t count, std::size_t columns) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> exponent(0, 4);
  std::vector<std::vector<double>> dense;
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<double> row(columns, 0);
    const double density = unit(random) / 2;
    for (double& x : row)
      if (unit(random) < density) x = std::exp(exponent(random));
    row[random() % columns] = 1;
    dense.push_back(r % 7 == 6 ? dense.back() : row);
  }
  return sparse(dense);
}

/// Rows around `clusters` centres that lie far apart; row r belongs to cluster r % clusters.
inline data::SparseRows planted_rows(unsigned seed, std::size_t count, std::size_t clusters) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(0, 1);
  std::vector<std::vector<double>> dense(count, std::vector<double>(clusters * 3, 0));
  for (std::size_t r = 0; r < count; ++r) {
    for (double& x : dense[r]) x = noise(random);
    for (std::size_t i = 0; i < 3; ++i) dense[r][(r % clusters) * 3 + i] += 20;
  }
  return sparse(dense);
}

/// Rows of whole ratings 1 to 5 by people of `tastes` tastes, a few items more popular than most.
inline data::SparseRows rated_rows(unsigned seed, std::size_t count, std::size_t columns, unsigned tastes) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  data::SparseRows rows;
  rows.columns = columns;
  for (std::size_t r = 0; r < count; ++r) {
    const unsigned taste = static_cast<unsigned>(random()) % tastes;
    for (std::uint32_t item = 0; item < columns; ++item) {
      const double liking = item % tastes == taste ? 3.0 : 0.6;
      if (item > 0 && unit(random) > liking / std::sqrt(item + 4.0)) continue;
      rows.items.push_back(item);
      rows.values.push_back(1 + static_cast<double>(random() % 5));
    }
    rows.end_row();
  }
  return rows;
}

/// The same rows in files that are mapped.
inline data::SparseRows mapped(const data::SparseRows& rows, const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const auto& numbers) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(*numbers.data())));
    return MappedFile(folder / name);
  };
  data::SparseRows result;
  result.starts = rows.starts;
  result.columns = rows.columns;
  result.items = data::Stored<std::uint32_t>(write("items", rows.items));
  result.values = data::Stored<double>(write("values", rows.values));
  return result;
}

inline std::vector<std::uint32_t> random_labels(unsigned seed, std::size_t count, std::uint32_t labels) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> result(count);
  for (auto& label : result) label = static_cast<std::uint32_t>(random() % labels);
  return result;
}

inline std::filesystem::path data_folder() { return shared_folder("HYOBSCURE_DATA", "data"); }

/// The people of MovieLens-100K as the paper's authors prepared them: ages 18 to 50, and the 1538 films that
/// people of at least two ages rated, whatever those ages. Nothing when the files are absent.
inline std::optional<data::People> movielens() {
  std::ifstream users(data_folder() / "movielens-100k/u.user");
  std::ifstream ratings(data_folder() / "movielens-100k/u.data");
  if (!users || !ratings) return std::nullopt;

  std::map<int, int> age_of_user;
  for (std::string line; std::getline(users, line);) {
    std::istringstream fields(line);
    int user = 0, age = 0;
    char bar = 0;
    fields >> user >> bar >> age;
    age_of_user[user] = age;
  }
  std::map<int, std::map<int, double>> ratings_of_user;
  std::map<int, std::set<int>> ages_of_film;
  int user = 0, film = 0, rating = 0;
  for (long time = 0; ratings >> user >> film >> rating >> time;) {
    ratings_of_user[user][film] = rating;
    ages_of_film[film].insert(age_of_user[user]);
  }
  std::map<int, std::uint32_t> column_of_film;
  for (const auto& [id, ages] : ages_of_film)
    if (ages.size() >= 2) column_of_film.emplace(id, static_cast<std::uint32_t>(column_of_film.size()));

  data::People people;
  people.values.resize(50 - 18 + 1);  // the census reads their number only
  people.features.columns = column_of_film.size();
  for (const auto& [id, age] : age_of_user) {
    if (age < 18 || age > 50) continue;
    people.ids.push_back(std::to_string(id));
    people.secrets.push_back(static_cast<std::uint32_t>(age - 18));
    for (const auto& [rated, value] : ratings_of_user[id]) {
      if (!column_of_film.contains(rated)) continue;
      people.features.items.push_back(column_of_film[rated]);
      people.features.values.push_back(value);
    }
    people.features.end_row();
  }
  return people;
}

/// Small whole numbers, many zeros, some negative: ties and zeros are where sparse splits go wrong.
inline std::vector<std::vector<double>> small_numbers(unsigned seed, std::size_t rows, std::size_t columns) {
  std::mt19937 random(seed);
  std::vector<std::vector<double>> dense(rows, std::vector<double>(columns, 0));
  for (auto& row : dense)
    for (double& x : row)
      if (random() % 5 < 2) x = static_cast<double>(static_cast<int>(random() % 7) - 3);
  return dense;
}

}  // namespace hyobscure::census
