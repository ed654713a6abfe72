#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/data/synth/synth_city.h"
#include "hyobscure/data/synth/weighted_choice.h"

namespace hyobscure::data {

/// Rows of the tables that synth writes; people are numbered from 1.
struct AgeRow {
  std::int64_t person;
  std::int64_t age;
};
struct RatingRow {
  std::int64_t person;
  std::uint32_t item;
  std::int32_t stars;
};
struct HomeRow {
  std::int64_t person;
  double latitude, longitude;
};
struct CheckInRow {
  std::int64_t person;
  std::string_view category;  ///< lives as long as the maker
  double latitude, longitude;
};
struct TabularRow {
  std::int64_t person;
  std::int64_t age;
  double hours, income;
  std::int64_t visits;
  std::string_view region;
  std::string likes;
};

/// Makes people one by one from the seed and their number, from any number of threads.
class PeopleMaker {
 public:
  explicit PeopleMaker(const SynthSettings& settings);

  /// Each appends the rows of people first .. last - 1.
  void make(std::int64_t first, std::int64_t last, std::vector<AgeRow>& rows) const;
  void make(std::int64_t first, std::int64_t last, std::vector<RatingRow>& rows) const;
  void make(std::int64_t first, std::int64_t last, std::vector<HomeRow>& rows) const;
  void make(std::int64_t first, std::int64_t last, std::vector<CheckInRow>& rows) const;
  void make(std::int64_t first, std::int64_t last, std::vector<TabularRow>& rows) const;

  const std::string& item_name(std::uint32_t item) const { return items_[item].name; }

 private:
  static constexpr int kGenres = 12;

  struct Item {
    double centre, quality;
    std::string name;
  };

  RandomStream stream_of(std::int64_t person) const;
  int draw_age(RandomStream& random) const;
  double draw_entries(RandomStream& random) const;
  std::array<double, kGenres> draw_taste(int age, RandomStream& random) const;
  void rate(std::int64_t person, std::vector<bool>& rated, std::vector<RatingRow>& rows) const;
  std::string_view region(int age, RandomStream& random) const;
  std::string likes(int age, RandomStream& random) const;

  SynthSettings settings_;
  Key key_;
  WeightedChoice ages_;
  std::vector<Item> items_;             ///< ratings only
  std::vector<std::uint8_t> genre_of_;  ///< all that most tries look at, so it stays close to the processor
  std::optional<WeightedChoice> popular_;
  std::optional<City> city_;  ///< check-ins only
};

}  // namespace hyobscure::data
