#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::fuzz {

/// A data set of people who do not exist, with all that hyobscure writes for it.
struct MadeRun {
  std::filesystem::path folder;  ///< people.csv, perhaps events.csv, spec.toml
  data::Spec spec;
  data::Reading reading;
  std::vector<std::filesystem::path> mechanisms;
  std::filesystem::path release;
  std::filesystem::path census;  ///< saved
};

/// Ratings, a table and check-ins, 40 people each; written once in a process, always the same.
const std::vector<MadeRun>& made_runs();

/// A folder of this process, in memory where the machine has such a place. Emptied by each call.
std::filesystem::path empty_folder();

}  // namespace hyobscure::fuzz
