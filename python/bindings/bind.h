#pragma once

#include <nanobind/nanobind.h>

namespace hyobscure::python {

namespace nb = nanobind;

// One of each a file.
void bind_arrow(nb::module_& module);
void bind_source(nb::module_& module);
void bind_explore(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_audit(nb::module_& module);
void bind_release(nb::module_& module);
void bind_synth(nb::module_& module);
void bind_kernels(nb::module_& module);

}  // namespace hyobscure::python
