#include <nlohmann/json.hpp>

#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/saved_census.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

constexpr std::initializer_list<const char*> kCensusFiles = {"census.json", "people.bin", "items.bin",
                                                             "values.bin"};

std::vector<std::string> census_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs()) seeds.push_back(packed(run.census, kCensusFiles));
  return seeds;
}

void rehash_census(std::map<std::string, std::string>& files) {
  try {
    Json json = parse_json(files["census.json"]);
    for (auto& [name, hash] : json.at("sha256").items()) hash = sha256(files[name]);
    files["census.json"] = json.dump(2);
  } catch (const Json::exception&) {
  }
}

/// What load_census accepts, a fit must be able to work with.
void take_census_files(std::string_view bytes) {
  auto files = unpacked(bytes, kCensusFiles);
  rehash_census(files);
  const auto folder = empty_folder();
  write_all(folder, files);
  bool loaded = false;  // it is of the data of one run
  for (const MadeRun& run : made_runs())
    loaded |= is_answered([&] {
      const obscure::TakenCensus taken = obscure::load_census(folder, run.spec);
      (void)obscure::fit(taken.people, run.spec, taken.census, {});
    });
  refuse_unless(loaded);
}

}  // namespace

Target census_target() { return {"census", census_seeds, take_census_files, 100}; }

}  // namespace hyobscure::fuzz
