#include <algorithm>

#include "hyobscure/base/files.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/methods/method.h"
#include "made.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

std::vector<std::string> spec_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs()) seeds.push_back(read_file(run.folder / "spec.toml"));
  for (const auto& example : std::filesystem::directory_iterator(source_folder() / "examples"))
    if (example.path().extension() == ".toml") seeds.push_back(read_file(example.path()));
  std::ranges::sort(seeds);
  return seeds;
}

void take_spec(std::string_view bytes) {
  const data::Spec spec = data::parse_spec(std::string(bytes), "spec.toml", "/", {});
  (void)obscure::method_of(spec);
  (void)data::setting_values(spec);
}

}  // namespace

Target spec_target() { return {"spec", spec_seeds, take_spec, 1000}; }

}  // namespace hyobscure::fuzz
