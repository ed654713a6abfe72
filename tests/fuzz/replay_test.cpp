// The fuzz targets without a fuzzer, in every run of the tests: what was found once, the seeds, and the same
// few mutations of them each time. `./run fuzz` searches on.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "hyobscure/base/files.h"
#include "hyobscure/base/test_places.h"
#include "mutation.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

namespace fs = std::filesystem;

class Replay : public testing::TestWithParam<Target> {
 protected:
  /// Keeps what a sanitizer would take along with the process.
  static bool try_bytes(const std::string& bytes, const std::string& name) {
    const fs::path kept = fmt::format("{}-{}", GetParam().name, name);
    std::ofstream(kept, std::ios::binary) << bytes;
    try {
      const bool answered = offer(GetParam(), bytes);
      fs::remove(kept);
      return answered;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "; the bytes are in " << fs::absolute(kept);
      return true;
    }
  }
};

TEST_P(Replay, SeedsAreAccepted) {
  for (const std::string& seed : GetParam().seeds()) EXPECT_NO_THROW(GetParam().take(seed));
}

TEST_P(Replay, WhatWasFoundOnceIsRefusedOrAnswered) {
  const fs::path folder = source_folder() / "tests" / "fuzz" / "found" / GetParam().name;
  if (!fs::is_directory(folder)) GTEST_SKIP() << "nothing was found yet";
  for (const auto& file : fs::directory_iterator(folder))
    try_bytes(read_file(file.path()), file.path().filename().string());
}

TEST_P(Replay, MutationsAreRefusedOrAnswered) {
  const auto seeds = GetParam().seeds();
  int answered = 0;
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    RandomStream random(Key::from_seed(seed));
    for (int n = 0; n < GetParam().replayed_mutations; ++n)
      answered +=
          try_bytes(mutated(seeds[seed], random), fmt::format("seed-{}-mutation-{}", seed, n)) ? 1 : 0;
  }
  RecordProperty("answered", answered);  // of a reader that refuses everything nothing was tried
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(targets()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hyobscure::fuzz
