#pragma once

#include <memory>

#include "hyobscure/obscure/methods/fine_rows.h"
#include "kernels.h"

namespace hyobscure::python {

/// Rows on the machines of a cluster: `engine` is an object of Python's that moves them and has the kernels
/// of kernel_wards.h answer (hyobscure/spark/wards.py says what its methods are). What it raises ends the
/// work. To be used without Python's lock.
[[nodiscard]] std::unique_ptr<obscure::FineRowsOf> rows_of_cluster(nb::object engine);

}  // namespace hyobscure::python
