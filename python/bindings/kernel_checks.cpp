// hyobscure._core.kernels.check_rules: the table of checks, for the verifier of Spark.

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "hyobscure/verify/verify_rules.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

nb::list check_rules() {
  nb::list rules;
  for (const verify::CheckRule& rule : verify::kChecks) {
    nb::dict row;
    row["key"] = std::string(rule.key);
    row["name"] = std::string(rule.name);
    row["warning"] = rule.warning;
    rules.append(row);
  }
  return rules;
}

}  // namespace

void bind_check_rules(nb::module_& module) {
  module.def("check_rules", check_rules,
             "Key, name and kind of each check of `verify`; {} stands for a subject.");
}

}  // namespace hyobscure::python
