#include "hyobscure/data/synth/synth_city.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hyobscure::data {
namespace {

constexpr double kHalfSideKm = 6;
constexpr int kCentres = 5;
constexpr int kKinds = 200;
constexpr double kLatitude = 45.5, kLongitude = 10.5;  // between two degrees, where nobody lives in it
constexpr double kKmOfADegree = std::numbers::pi * 6371 / 180;

CityPlace anywhere(double half_side, RandomStream& random) {
  const double east = half_side * (2 * random.uniform() - 1);
  return {east, half_side * (2 * random.uniform() - 1)};
}

CityPlace around(const CityPlace& middle, double km, RandomStream& random) {
  const double east = middle.east + km * random.normal();
  return {east, middle.north + km * random.normal()};
}

bool in_city(const CityPlace& place) {
  return std::abs(place.east) < kHalfSideKm && std::abs(place.north) < kHalfSideKm;
}

double squared_km(const CityPlace& a, const CityPlace& b) {
  return (a.east - b.east) * (a.east - b.east) + (a.north - b.north) * (a.north - b.north);
}

double rounded(double degrees) { return std::round(degrees * 1e5) / 1e5; }

/// What the neighbourhood likes, and what of it the person does.
std::vector<double> draw_taste(const City& city, const CityPlace& home, RandomStream& random) {
  std::vector<double> taste = city.habits(home);
  for (double& liking : taste) liking *= std::exp(random.normal());
  return taste;
}

}  // namespace

std::pair<double, double> degrees(const CityPlace& place) {
  const double width = kKmOfADegree * std::cos(kLatitude * std::numbers::pi / 180);
  return {rounded(kLatitude + place.north / kKmOfADegree), rounded(kLongitude + place.east / width)};
}

City::City(double dependence, RandomStream random) : dependence_(dependence) {
  for (int i = 0; i < kCentres; ++i) centres_.push_back(anywhere(0.7 * kHalfSideKm, random));
  for (int i = 0; i < kKinds; ++i) {
    kinds_.push_back(i == 0 ? "home" : fmt::format("place{:03}", i));
    kind_places_.push_back(anywhere(kHalfSideKm, random));
    popularity_.push_back(1 / (i + 10.0));
  }
}

CityPlace City::draw_home(RandomStream& random) const {
  while (true) {
    const CityPlace& centre = centres_[random.below(centres_.size())];
    if (const CityPlace home = around(centre, 2, random); in_city(home)) return home;
  }
}

CityPlace City::draw_centre(const CityPlace& home, RandomStream& random) const {
  if (random.uniform() < 0.3) return centres_[random.below(centres_.size())];
  return *std::ranges::min_element(centres_, {},
                                   [&](const CityPlace& centre) { return squared_km(home, centre); });
}

std::vector<double> City::habits(const CityPlace& home) const {
  std::vector<double> often = popularity_;
  for (std::size_t i = 1; i < often.size(); ++i)  // everybody is at home
    often[i] *= std::max(0.02, std::exp(-dependence_ * squared_km(home, kind_places_[i]) / 8));
  return often;
}

Resident::Resident(const City& city, RandomStream& random)
    : city_(city), home_(city.draw_home(random)), taste_(draw_taste(city, home_, random)) {}

CheckIn Resident::check_in(RandomStream& random) const {
  const std::size_t kind = taste_.draw(random);
  if (kind == 0) return {city_.kind(kind), home_};
  const bool near_home = random.uniform() < 0.5;
  return {city_.kind(kind),
          near_home ? around(home_, 0.7, random) : around(city_.draw_centre(home_, random), 1, random)};
}

}  // namespace hyobscure::data
