#include "hyobscure/data/engine/engine_version.h"

#include <duckdb.h>

namespace hyobscure::data {

std::string engine_version() { return duckdb_library_version(); }

}  // namespace hyobscure::data
