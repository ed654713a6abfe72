#include "hyobscure/base/files.h"
#include "hyobscure/published/area_file.h"
#include "hyobscure/published/manifest.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

std::vector<std::string> manifest_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs())
    seeds.push_back(read_file(run.release / published::Manifest::kFileName));
  return seeds;
}

void take_manifest(std::string_view bytes) {
  const auto folder = empty_folder();
  write_all(folder, {{published::Manifest::kFileName, std::string(bytes)}});
  const auto manifest = published::read_manifest(folder / published::Manifest::kFileName);
  if (manifest.spatial_axis()) (void)published::areas_geojson(manifest);
  write_all(folder, {{"again", to_json(manifest)}});
  if (to_json(published::read_manifest(folder / "again")) != to_json(manifest))
    throw std::logic_error("a manifest that was written is read as another");
}

}  // namespace

Target manifest_target() { return {"manifest", manifest_seeds, take_manifest, 1500}; }

}  // namespace hyobscure::fuzz
