#include "hyobscure/base/test_places.h"

#include <cstdlib>

namespace hyobscure {

std::filesystem::path source_folder() { return HYOBSCURE_SOURCE_DIR; }

std::filesystem::path shared_folder(const char* variable, const char* usual) {
  const char* set = std::getenv(variable);
  return set != nullptr ? std::filesystem::path(set) : source_folder() / ".." / "shared" / usual;
}

}  // namespace hyobscure
