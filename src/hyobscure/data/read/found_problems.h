#pragma once

#include <utility>
#include <vector>

#include "hyobscure/base/error.h"

namespace hyobscure::data {

/// Problems of one reading, so that they are told all at once and not one per run. What needs sound data to
/// go on calls refuse() first.
class FoundProblems {
 public:
  void add(InputError problem) { problems_.push_back(std::move(problem)); }

  /// Keeps the problem that the work throws, and says whether there was none.
  template <class Work>
  bool try_out(Work&& work) {
    try {
      work();
      return true;
    } catch (const InputError& error) {
      add(error);
      return false;
    }
  }

  bool any() const { return !problems_.empty(); }

  /// Throws InputError with all that was found, if anything was.
  void refuse() const {
    if (!problems_.empty()) throw InputError(problems_);
  }

 private:
  std::vector<InputError> problems_;
};

}  // namespace hyobscure::data
