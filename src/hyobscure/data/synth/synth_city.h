#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/data/synth/weighted_choice.h"

namespace hyobscure::data {

/// Kilometres east and north of the middle of the city.
struct CityPlace {
  double east = 0, north = 0;
};

/// Latitude and longitude, to about a metre.
std::pair<double, double> degrees(const CityPlace& place);

/// A square city of 12 km with several centres. Kinds of places are at home somewhere in it: the dependence
/// says how much more often the people around go there.
class City {
 public:
  City(double dependence, RandomStream random);

  CityPlace draw_home(RandomStream& random) const;
  /// The centre that is nearest, or any.
  CityPlace draw_centre(const CityPlace& home, RandomStream& random) const;
  /// How often somebody who lives there goes to places of each kind.
  std::vector<double> habits(const CityPlace& home) const;
  const std::string& kind(std::size_t i) const { return kinds_[i]; }

 private:
  double dependence_;
  std::vector<CityPlace> centres_;
  std::vector<std::string> kinds_;
  std::vector<CityPlace> kind_places_;
  std::vector<double> popularity_;
};

struct CheckIn {
  std::string_view category;
  CityPlace place;
};

/// Somebody's home and taste, and where they go.
class Resident {
 public:
  Resident(const City& city, RandomStream& random);

  const CityPlace& home() const { return home_; }
  CheckIn check_in(RandomStream& random) const;

 private:
  const City& city_;
  CityPlace home_;
  WeightedChoice taste_;
};

}  // namespace hyobscure::data
