#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hyobscure {

/// States for work that is called on many threads at once: each call has one to itself while it runs. There
/// are as many as there were calls at once, and which call had which is left to chance.
template <class State>
class StatePool {
 public:
  explicit StatePool(std::function<std::unique_ptr<State>()> make) : make_(std::move(make)) {}

  template <class Work>
  void with_state(Work&& work) {
    State* state = take();
    try {
      work(*state);
    } catch (...) {
      give_back(state);
      throw;
    }
    give_back(state);
  }

  /// When no call runs.
  const std::vector<std::unique_ptr<State>>& states() const { return states_; }

 private:
  State* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      states_.push_back(make_());
      return states_.back().get();
    }
    State* state = free_.back();
    free_.pop_back();
    return state;
  }
  void give_back(State* state) {
    const std::lock_guard lock(mutex_);
    free_.push_back(state);
  }

  std::function<std::unique_ptr<State>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<State*> free_;
};

}  // namespace hyobscure
