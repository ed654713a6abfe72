#pragma once

#include <duckdb.h>

namespace hyobscure::data {

/// Throws EngineError where there is an error, and gives its memory back in any case.
void throw_if(duckdb_error_data error);

}  // namespace hyobscure::data
