#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyobscure/published/manifest.h"

namespace hyobscure::published {

/// A file of a release that follows from its manifest alone.
struct DictionaryFile {
  std::string name;
  std::string text;
  std::int64_t rows = 0;  ///< as the manifest states them
};

/// What lies beside the tables of every release for those who read them: groups.csv with the values that each
/// label covers and its people, and README.txt with what each column is. One text for one manifest, whoever
/// writes the release; neither depends on the list of files.
[[nodiscard]] std::vector<DictionaryFile> dictionary(const Manifest& manifest);

/// Names them in the manifest, with their hashes.
void declare(const std::vector<DictionaryFile>& dictionary, Manifest& manifest);

}  // namespace hyobscure::published
