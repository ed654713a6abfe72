#include "hyobscure/data/synth/synth_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hyobscure::data {
namespace {

constexpr int kYoungest = 18;
constexpr int kOldest = 70;

std::vector<double> age_weights() {
  std::vector<double> weights;
  for (int age = kYoungest; age <= kOldest; ++age)
    weights.push_back(0.05 + std::exp(-std::pow((age - 29) / 14.0, 2) / 2));
  return weights;
}

/// How well something made for people of `centre` suits someone of `age`, at most 1; always 1 without
/// dependence.
double suits(double age, double centre, double dependence) {
  const double distance = (age - centre) / 9.0;
  return std::max(0.02, std::exp(-dependence * distance * distance / 2));
}

std::vector<double> popularities(int items) {
  std::vector<double> weights;
  for (int i = 0; i < items; ++i) weights.push_back(1 / (i + 10.0));
  return weights;
}

}  // namespace

PeopleMaker::PeopleMaker(const SynthSettings& settings)
    : settings_(settings), key_(Key::from_seed(settings.seed)), ages_(age_weights()) {
  if (settings.kind == SynthKind::CheckIns)
    city_.emplace(settings.dependence, RandomStream(key_.derive("city")));
  if (settings.kind != SynthKind::Ratings) return;
  RandomStream random(key_.derive("catalogue"));
  for (int i = 0; i < settings.items; ++i) {
    const double centre = kYoungest + (kOldest - kYoungest) * random.uniform();
    const double quality = 3.4 + 0.6 * random.normal();
    items_.push_back({centre, quality, fmt::format("film{:05}", i)});
    genre_of_.push_back(static_cast<std::uint8_t>(random.below(kGenres)));
  }
  popular_.emplace(popularities(settings.items));
}

RandomStream PeopleMaker::stream_of(std::int64_t person) const {
  return RandomStream(key_.derive(fmt::format("person {}", person)));
}

int PeopleMaker::draw_age(RandomStream& random) const {
  return kYoungest + static_cast<int>(ages_.draw(random));
}

double PeopleMaker::draw_entries(RandomStream& random) const {
  return settings_.entries * std::exp(0.4 * random.normal() - 0.08);
}

void PeopleMaker::make(std::int64_t first, std::int64_t last, std::vector<AgeRow>& rows) const {
  for (std::int64_t person = first; person < last; ++person) {
    RandomStream random = stream_of(person);
    rows.push_back({person, draw_age(random)});
  }
}

void PeopleMaker::make(std::int64_t first, std::int64_t last, std::vector<RatingRow>& rows) const {
  std::vector<bool> rated(items_.size());
  for (std::int64_t person = first; person < last; ++person) rate(person, rated, rows);
}

void PeopleMaker::make(std::int64_t first, std::int64_t last, std::vector<HomeRow>& rows) const {
  for (std::int64_t person = first; person < last; ++person) {
    RandomStream random = stream_of(person);
    const auto [latitude, longitude] = degrees(city_->draw_home(random));
    rows.push_back({person, latitude, longitude});
  }
}

void PeopleMaker::make(std::int64_t first, std::int64_t last, std::vector<CheckInRow>& rows) const {
  for (std::int64_t person = first; person < last; ++person) {
    RandomStream random = stream_of(person);
    const Resident resident(*city_, random);
    const double wanted = std::max(5.0, draw_entries(random));
    for (double n = 0; n < wanted; ++n) {
      const CheckIn visit = resident.check_in(random);
      const auto [latitude, longitude] = degrees(visit.place);
      rows.push_back({person, visit.category, latitude, longitude});
    }
  }
}

void PeopleMaker::make(std::int64_t first, std::int64_t last, std::vector<TabularRow>& rows) const {
  for (std::int64_t person = first; person < last; ++person) {
    RandomStream random = stream_of(person);
    const int age = draw_age(random);
    const double bond = settings_.dependence;
    const double years = (age - 40) / 15.0;
    const double hours = std::clamp(38 - 4 * bond * years * years + 6 * random.normal(), 0.0, 80.0);
    const double income = 30 * std::exp(0.5 * bond * years + 0.4 * random.normal());
    const auto visits = static_cast<std::int64_t>(std::max(0.0, 4 + 3 * bond * years + 2 * random.normal()));
    const std::string_view lives = region(age, random);
    rows.push_back({person, age, std::round(hours * 10) / 10, std::round(income * 100) / 100, visits, lives,
                    likes(age, random)});
  }
}

/// People love one genre, like another and care little for the rest; which ones goes by age as far as the
/// dependence says.
std::array<double, PeopleMaker::kGenres> PeopleMaker::draw_taste(int age, RandomStream& random) const {
  std::array<double, kGenres> taste, pull;
  for (int genre = 0; genre < kGenres; ++genre) {
    const auto at = static_cast<std::size_t>(genre);
    const double centre = kYoungest + (kOldest - kYoungest) * (genre + 0.5) / kGenres;
    taste[at] = 0.02 + 0.08 * random.uniform();
    pull[at] = suits(age, centre, settings_.dependence);
  }
  for (const double liking : {1.0, 0.5}) {
    double rest = random.uniform() * std::accumulate(pull.begin(), pull.end(), 0.0);
    std::size_t genre = 0;
    while (genre + 1 < pull.size() && rest >= pull[genre]) rest -= pull[genre++];
    taste[genre] = liking;
    pull[genre] = 0;
  }
  return taste;
}

/// Popular items first come to mind; taste and, as far as the dependence goes, age decide. `rated` comes and
/// goes all false.
void PeopleMaker::rate(std::int64_t person, std::vector<bool>& rated, std::vector<RatingRow>& rows) const {
  RandomStream random = stream_of(person);
  const int age = draw_age(random);
  const auto taste = draw_taste(age, random);
  const double wanted_mean = draw_entries(random);
  const auto wanted = static_cast<std::size_t>(std::clamp(wanted_mean, 5.0, settings_.items / 2.0));
  const std::size_t begin = rows.size();
  for (std::size_t tries = 0; rows.size() - begin < wanted && tries < 200 * wanted; ++tries) {
    const std::size_t at = popular_->draw(random);
    const double liking = taste[genre_of_[at]], chance = random.uniform();
    if (chance >= liking || rated[at]) continue;  // nothing suits better than 1: most tries end here
    const Item& item = items_[at];
    const double fit = suits(age, item.centre, settings_.dependence);
    if (chance >= liking * fit) continue;
    rated[at] = true;
    const double stars =
        item.quality + liking + settings_.dependence * (fit - 0.5) + 0.8 * random.normal() - 0.5;
    rows.push_back({person, static_cast<std::uint32_t>(at),
                    static_cast<std::int32_t>(std::clamp(std::round(stars), 1.0, 5.0))});
  }
  for (std::size_t row = begin; row < rows.size(); ++row) rated[rows[row].item] = false;
}

std::string_view PeopleMaker::region(int age, RandomStream& random) const {
  static constexpr std::array<std::string_view, 5> kRegions = {"centre", "north", "east", "south", "west"};
  const bool by_age = random.uniform() < 0.6 * settings_.dependence;
  return kRegions[by_age ? static_cast<std::size_t>((age - kYoungest) * 5 / (kOldest - kYoungest + 1))
                         : random.below(5)];
}

std::string PeopleMaker::likes(int age, RandomStream& random) const {
  static constexpr std::array<std::string_view, 6> kTags = {"games",  "music",  "sport",
                                                            "travel", "garden", "opera"};
  std::string words;
  for (std::size_t tag = 0; tag < kTags.size(); ++tag) {
    const double centre = kYoungest + (kOldest - kYoungest) * static_cast<double>(tag) / (kTags.size() - 1);
    if (random.uniform() < 0.6 * suits(age, centre, settings_.dependence))
      words += (words.empty() ? "" : "|") + std::string(kTags[tag]);
  }
  return words;
}

}  // namespace hyobscure::data
