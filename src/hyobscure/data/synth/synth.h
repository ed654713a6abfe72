#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hyobscure/base/files.h"
#include "hyobscure/base/progress.h"

namespace hyobscure::data {

enum class SynthKind {
  Ratings,   ///< long: people with an age, and what they rated
  Tabular,   ///< wide: numbers, a category and a set beside the age
  CheckIns,  ///< long: people with a home in a city, and the places where they checked in
};

struct SynthSettings {
  SynthKind kind = SynthKind::Ratings;
  std::int64_t people = 1000;
  std::uint64_t seed = 1;
  double dependence = 0.5;  ///< 0: features know nothing of the secret; 1: they follow it closely
  int items = 1500;         ///< ratings only
  int entries = 110;        ///< mean number of ratings or check-ins a person
  bool parquet = false;     ///< CSV otherwise
};

/// How a folder with synthetic people is known, before it is replaced.
[[nodiscard]] OurFolder synthetic_folder();

/// Writes synthetic people and a spec.toml that fits them to `folder`, whole or not at all. People are made
/// one by one from the seed and their number, so the first thousand of a million are the thousand of a
/// thousand.
void synthesise(const SynthSettings& settings, const std::filesystem::path& folder, bool force,
                const Progress& progress = {});

}  // namespace hyobscure::data
