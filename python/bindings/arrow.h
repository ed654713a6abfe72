#pragma once

#include <optional>

#include "hyobscure/data/engine/arrow_table.h"

namespace hyobscure::python {

/// Rows for Python; nothing after they were read.
struct ResultRows {
  std::optional<data::ArrowRows> rows;
};

}  // namespace hyobscure::python
