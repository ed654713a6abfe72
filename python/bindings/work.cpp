#include "work.h"

#include <nanobind/stl/string.h>

#include <exception>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::python {
namespace {

void raise(const InputError& error) {
  const InputPlace& place = error.place();
  const nb::object type = nb::module_::import_("hyobscure._errors").attr("InputError");
  const nb::object raised = type.attr("of_core")(
      error.what(), nb::make_tuple(place.source, place.row, place.column), error.problem(), error.remedy());
  PyErr_SetObject(type.ptr(), raised.ptr());
}

}  // namespace

PythonReports::PythonReports(nb::object function, std::atomic<bool>& stop)
    : function_(std::move(function)), stop_(stop) {}

PythonReports::~PythonReports() = default;

Progress::Report PythonReports::report() {
  if (function_.is_none()) return {};
  return [this](std::string_view stage, double done, double total) {
    const nb::gil_scoped_acquire locked;
    if (raised_) return;
    try {
      function_(nb::str(stage.data(), stage.size()), done, total);
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      stop_ = true;
    }
  };
}

void PythonReports::throw_if_raised() const {
  if (raised_) throw nb::python_error(*raised_);
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise(error);
    } catch (const data::EngineError& error) {
      raise(data::explain(error, "data"));
    } catch (const Stopped&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace hyobscure::python
