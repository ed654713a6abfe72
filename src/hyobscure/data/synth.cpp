#include "hyobscure/data/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "hyobscure/base/files.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/engine.h"
#include "hyobscure/data/synth_city.h"
#include "hyobscure/data/weighted_choice.h"

namespace hyobscure::data {
namespace {

constexpr int kYoungest = 18;
constexpr int kOldest = 70;
constexpr int kGenres = 12;

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

struct Catalogue {
  std::vector<double> centre, quality;
  std::vector<int> genre;
  WeightedChoice by_popularity;
};

Catalogue make_catalogue(const SynthSettings& settings, RandomStream random) {
  std::vector<double> centre, quality, popularity;
  std::vector<int> genre;
  for (int i = 0; i < settings.items; ++i) {
    popularity.push_back(1 / (i + 10.0));
    centre.push_back(kYoungest + (kOldest - kYoungest) * random.uniform());
    quality.push_back(3.4 + 0.6 * random.normal());
    genre.push_back(static_cast<int>(random.below(kGenres)));
  }
  return {std::move(centre), std::move(quality), std::move(genre), WeightedChoice(popularity)};
}

class Synthesiser {
 public:
  Synthesiser(const SynthSettings& settings, Engine& engine, const Progress& progress)
      : settings_(settings),
        engine_(engine),
        progress_(progress),
        key_(Key::from_seed(settings.seed)),
        ages_(age_weights()) {}

  void make_ratings() {
    engine_.run("CREATE TABLE people (id VARCHAR, age BIGINT)");
    engine_.run("CREATE TABLE events (person VARCHAR, item VARCHAR, rating BIGINT)");
    const Catalogue catalogue = make_catalogue(settings_, RandomStream(key_.derive("catalogue")));
    Engine::Appender people(engine_, "people"), events(engine_, "events");
    for_each_person([&](const std::string& id, RandomStream& random) {
      const int age = draw_age(random);
      people.row({std::string_view(id), std::int64_t{age}});
      rate(catalogue, id, age, random, events);
    });
    people.close();
    events.close();
  }

  void make_table() {
    engine_.run(
        "CREATE TABLE people (id VARCHAR, age BIGINT, hours DOUBLE, income DOUBLE, visits BIGINT, region "
        "VARCHAR, "
        "likes VARCHAR)");
    Engine::Appender people(engine_, "people");
    for_each_person([&](const std::string& id, RandomStream& random) {
      const int age = draw_age(random);
      const double bond = settings_.dependence;
      const double years = (age - 40) / 15.0;
      const double hours = std::clamp(38 - 4 * bond * years * years + 6 * random.normal(), 0.0, 80.0);
      const double income = 30 * std::exp(0.5 * bond * years + 0.4 * random.normal());
      const auto visits =
          static_cast<std::int64_t>(std::max(0.0, 4 + 3 * bond * years + 2 * random.normal()));
      people.row({std::string_view(id), std::int64_t{age}, std::round(hours * 10) / 10,
                  std::round(income * 100) / 100, visits, region(age, random), likes(age, random)});
    });
    people.close();
  }

  void make_check_ins() {
    engine_.run("CREATE TABLE people (id VARCHAR, latitude DOUBLE, longitude DOUBLE)");
    engine_.run("CREATE TABLE events (person VARCHAR, item VARCHAR, latitude DOUBLE, longitude DOUBLE)");
    const City city(settings_.dependence, RandomStream(key_.derive("city")));
    Engine::Appender people(engine_, "people"), events(engine_, "events");
    for_each_person([&](const std::string& id, RandomStream& random) {
      const Resident resident(city, random);
      const auto [latitude, longitude] = degrees(resident.home());
      people.row({std::string_view(id), latitude, longitude});
      const double wanted = settings_.entries * std::exp(0.4 * random.normal() - 0.08);
      for (double n = 0; n < std::max(5.0, wanted); ++n) {
        const CheckIn visit = resident.check_in(random);
        const auto [north, east] = degrees(visit.place);
        events.row({std::string_view(id), visit.category, north, east});
      }
    });
    people.close();
    events.close();
  }

 private:
  template <class Make>
  void for_each_person(Make&& make) {
    const int width = static_cast<int>(std::to_string(settings_.people).size());
    for (std::int64_t n = 1; n <= settings_.people; ++n) {
      if (n % 1000 == 0) {
        progress_.throw_if_stopped();
        progress_.report("making people", static_cast<double>(n), static_cast<double>(settings_.people));
      }
      RandomStream random(key_.derive(fmt::format("person {}", n)));
      make(fmt::format("p{:0{}}", n, width), random);
    }
  }

  int draw_age(RandomStream& random) const { return kYoungest + static_cast<int>(ages_.draw(random)); }

  /// People love one genre, like another and care little for the rest; which ones goes by age as far as the
  /// dependence says.
  std::array<double, kGenres> draw_taste(int age, RandomStream& random) const {
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

  /// Popular items first come to mind; taste and, as far as the dependence goes, age decide.
  void rate(const Catalogue& catalogue, const std::string& id, int age, RandomStream& random,
            Engine::Appender& events) const {
    const auto taste = draw_taste(age, random);
    const double wanted_mean = settings_.entries * std::exp(0.4 * random.normal() - 0.08);
    const auto wanted = static_cast<std::size_t>(std::clamp(wanted_mean, 5.0, settings_.items / 2.0));
    std::unordered_set<std::size_t> rated;
    for (std::size_t tries = 0; rated.size() < wanted && tries < 200 * wanted; ++tries) {
      const std::size_t item = catalogue.by_popularity.draw(random);
      const double liking = taste[static_cast<std::size_t>(catalogue.genre[item])];
      const double fit = suits(age, catalogue.centre[item], settings_.dependence);
      if (random.uniform() >= liking * fit || !rated.insert(item).second) continue;
      const double stars =
          catalogue.quality[item] + liking + settings_.dependence * (fit - 0.5) + 0.8 * random.normal() - 0.5;
      events.row({std::string_view(id), fmt::format("film{:05}", item),
                  static_cast<std::int64_t>(std::clamp(std::round(stars), 1.0, 5.0))});
    }
  }

  std::string_view region(int age, RandomStream& random) const {
    static constexpr std::array<std::string_view, 5> kRegions = {"centre", "north", "east", "south", "west"};
    const bool by_age = random.uniform() < 0.6 * settings_.dependence;
    return kRegions[by_age ? static_cast<std::size_t>((age - kYoungest) * 5 / (kOldest - kYoungest + 1))
                           : random.below(5)];
  }

  std::string likes(int age, RandomStream& random) const {
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

  const SynthSettings& settings_;
  Engine& engine_;
  const Progress& progress_;
  Key key_;
  WeightedChoice ages_;
};

const char* extension(const SynthSettings& settings) { return settings.parquet ? "parquet" : "csv"; }

std::string secret_and_features(const SynthSettings& settings) {
  switch (settings.kind) {
    case SynthKind::Ratings:
      return fmt::format(
          "secret = \"age\"\n\n[events]\nfile   = \"events.{}\"\nperson = \"person\"\nitem   = "
          "\"item\"\nvalue  = "
          "\"rating\"\n",
          extension(settings));
    case SynthKind::CheckIns:
      return fmt::format(
          "secret = \"home\"\n\n[secret]\nkind      = \"spatial\"\nlatitude  = \"latitude\"\nlongitude = "
          "\"longitude\"\n\n[events]\nfile   = \"events.{}\"\nperson = \"person\"\nitem   = \"item\"\n",
          extension(settings));
    case SynthKind::Tabular:
      break;
  }
  return "secret = \"age\"\nfeatures = [\"hours\", \"income\", \"visits\", \"region\", \"likes\"]\nsets     "
         "= "
         "[\"likes\"]\n";
}

/// Limits that leave room: four groups, each with at least a tenth and at most half of the people.
std::string spec_text(const SynthSettings& settings) {
  const auto fewest = std::max<std::int64_t>(1, settings.people / 10), most = (settings.people + 1) / 2;
  return fmt::format(
      R"([people]
file   = "people.{0}"
id     = "id"
{1}
[groups]
count  = 4
people = [{2}, {3}]  # k, alpha
values = {6}  # l, beta

[channel]
clusters     = 10
distance     = "{4}"
budget_share = {5}  # or `budget`, an expected distance

[method]
name = "fine"
)",
      extension(settings), secret_and_features(settings), fewest, most,
      settings.kind == SynthKind::Tabular ? "squared-euclidean" : "jensen-shannon", 0.7,
      settings.kind == SynthKind::CheckIns ? "[5, 100]" : "[4, 20]");
}

}  // namespace

void synthesise(const SynthSettings& settings, const std::filesystem::path& folder, bool force,
                const Progress& progress) {
  StagedFolder staged(folder, force, "spec.toml");
  Engine engine({}, progress);
  Synthesiser synthesiser(settings, engine, progress);
  switch (settings.kind) {
    case SynthKind::Ratings:
      synthesiser.make_ratings();
      break;
    case SynthKind::Tabular:
      synthesiser.make_table();
      break;
    case SynthKind::CheckIns:
      synthesiser.make_check_ins();
      break;
  }
  engine.set_stage("writing");
  const auto write = [&](const char* table) {
    const auto file = staged.path() / fmt::format("{}.{}", table, extension(settings));
    try {
      engine.run(fmt::format("COPY {} TO {} ({})", table, quoted_text(file.string()),
                             settings.parquet ? "FORMAT parquet" : "FORMAT csv, HEADER true"));
    } catch (const EngineError& error) {
      throw explain(error, folder.string());
    }
  };
  write("people");
  if (settings.kind != SynthKind::Tabular) write("events");
  write_file(staged.path() / "spec.toml", spec_text(settings), FileAccess::Everyone);
  staged.commit();
}

}  // namespace hyobscure::data
