#pragma once

#include "hyobscure/audit/mechanism/mechanism_audit.h"

namespace hyobscure::python {

/// An audit with what its words need.
struct Audited {
  audit::Audit audit;
  data::Spec spec;
  double seconds = 0;
};

}  // namespace hyobscure::python
