#include <nlohmann/json.hpp>

#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/verify/verify_signature.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

// No Parquet: that its readers withstand any bytes is for DuckDB to show.
constexpr std::initializer_list<const char*> kReleaseFiles = {
    "manifest.json", "people.csv", "events.csv", "areas.geojson", "manifest.sig", "groups.csv", "README.txt"};

std::vector<std::string> release_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs()) seeds.push_back(packed(run.release, kReleaseFiles));
  return seeds;
}

/// What a forger does last: hashes and seal fit. What is no manifest stays as it is.
void reseal_release(std::map<std::string, std::string>& files) {
  std::string& manifest = files[published::Manifest::kFileName];
  try {
    Json json = parse_json(manifest);
    for (Json& file : json.at("files"))
      if (const auto found = files.find(file.at("name").get<std::string>()); found != files.end())
        file["sha256"] = sha256(found->second);
    json.erase("seal");
    json["seal"] = sha256(json.dump());
    manifest = json.dump(2) + "\n";
  } catch (const Json::exception&) {
  }
}

void take_release(std::string_view bytes) {
  auto files = unpacked(bytes, kReleaseFiles);
  reseal_release(files);
  const auto folder = empty_folder();
  write_all(folder, files);
  auto found = verify::verify(folder, nullptr, {}, {.folder = folder, .threads = 1});
  verify::add_signature(found, folder, {});
  (void)report::verification_text(found);
  (void)report::verification_json(found, 0);
}

}  // namespace

Target release_target() { return {"release", release_seeds, take_release, 40}; }

}  // namespace hyobscure::fuzz
