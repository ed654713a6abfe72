#pragma once

#include "hyobscure/study/audit.h"

namespace hyobscure::python {

/// An audit with what its words need.
struct Audited {
  study::Audit audit;
  data::Spec spec;
  double seconds = 0;
};

}  // namespace hyobscure::python
