#include <nanobind/stl/string.h>

#include <string>

#include "bind.h"
#include "hyobscure/base/version.h"
#include "work.h"

// hyobscure._core: the C++ library as the Python package needs it. It converts and calls; decisions are the
// library's.
NB_MODULE(_core, module) {
  using namespace hyobscure::python;
  module.def("version", [] { return std::string(hyobscure::version()); });
  translate_errors();
  bind_arrow(module);
  bind_source(module);
  bind_explore(module);
  bind_fit(module);
  bind_audit(module);
  bind_release(module);
  bind_synth(module);
  bind_kernels(module);
}
