// One target for libFuzzer: HYOBSCURE_TARGET is its name. Given a folder in place of libFuzzer's flags,
// `fuzz_spec --write-seeds FOLDER` writes the seeds.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "target.h"

namespace {

const hyobscure::fuzz::Target& target() {
  static const auto& found = hyobscure::fuzz::target_named(HYOBSCURE_TARGET);
  return found;
}

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const std::string& seed : target().seeds())
    std::ofstream(folder + "/seed-" + std::to_string(number++), std::ios::binary) << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 3 && std::string((*arguments)[1]) == "--write-seeds") {
    write_seeds((*arguments)[2]);
    std::exit(0);
  }
  (void)target().seeds();  // what takes long and is done once: not in the time of the first bytes
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hyobscure::fuzz::offer(target(), {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
