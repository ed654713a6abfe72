#include "hyobscure/base/version.h"

namespace hyobscure {

const char* version() { return HYOBSCURE_VERSION; }

}  // namespace hyobscure
