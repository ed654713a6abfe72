#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <type_traits>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/progress.h"

namespace hyobscure::python {

namespace nb = nanobind;

/// Reports of progress to a Python function (stage, done, total), or to nobody where it is None. What the
/// function raises stops the work.
class PythonReports {
 public:
  PythonReports(nb::object function, std::atomic<bool>& stop);
  ~PythonReports();
  PythonReports(const PythonReports&) = delete;
  PythonReports& operator=(const PythonReports&) = delete;

  Progress::Report report();
  void throw_if_raised() const;

 private:
  nb::object function_;
  std::atomic<bool>& stop_;
  std::optional<nb::python_error> raised_;
};

/// An answer, and what a signal raised before it was complete: Ctrl-C a KeyboardInterrupt.
template <class Answer>
struct Worked {
  Answer answer;
  std::optional<nb::python_error> signal;
};

/// Does long work on a thread of its own and without Python's lock, so that other threads of Python go on.
/// Meanwhile this thread looks for signals: Ctrl-C asks the work to stop. Work that has a best-so-far answer
/// returns it; where it has none, what the signal raised (KeyboardInterrupt) is raised here.
template <class Work>
auto work_until_stopped(const nb::object& report, int threads, Work&& work) {
  using Answer = std::invoke_result_t<Work, const Progress&>;
  std::atomic<bool> stop{false};
  PythonReports reports(report, stop);
  const Progress progress(reports.report(), &stop);
  std::optional<nb::python_error> signal;
  std::future<Answer> answer;
  {
    const nb::gil_scoped_release unlocked;
    answer = std::async(std::launch::async, [&] {
      const ThreadLimit limit(threads);
      return work(progress);
    });
    while (answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (signal) continue;
      const nb::gil_scoped_acquire locked;
      if (PyErr_CheckSignals() == 0) continue;
      signal.emplace();
      stop = true;
    }
  }
  try {
    Answer found = answer.get();
    reports.throw_if_raised();
    return Worked<Answer>{std::move(found), std::move(signal)};
  } catch (...) {
    reports.throw_if_raised();
    if (signal) throw nb::python_error(*signal);
    throw;
  }
}

/// The same for work that has no use for a best-so-far answer.
template <class Work>
auto work(const nb::object& report, int threads, Work&& work) {
  auto worked = work_until_stopped(report, threads, std::forward<Work>(work));
  if (worked.signal) throw nb::python_error(*worked.signal);
  return std::move(worked.answer);
}

/// hyobscure.InputError and KeyboardInterrupt for the errors of the core.
void translate_errors();

}  // namespace hyobscure::python
