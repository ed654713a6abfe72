#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "hyobscure/base/error.h"

namespace hyobscure {

/// How long work tells where it is, and learns that it should stop. The default one is silent and never
/// stops.
class Progress {
 public:
  /// Called with the stage and how much of it is done, from one thread at a time; total 0 means unknown.
  using Report = std::function<void(std::string_view stage, double done, double total)>;

  Progress() = default;
  Progress(Report report, const std::atomic<bool>* stop) : report_(std::move(report)), stop_(stop) {}

  void report(std::string_view stage, double done, double total) const {
    if (report_) report_(stage, done, total);
  }

  /// The same stop with other reports.
  Progress with_reports(Report report) const { return Progress(std::move(report), stop_); }

  /// For work that has a best-so-far answer to return.
  bool stop_requested() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  /// For work that has none: throws Stopped when the user asked to stop.
  void throw_if_stopped() const {
    if (stop_requested()) throw Stopped();
  }

 private:
  Report report_;
  const std::atomic<bool>* stop_ = nullptr;
};

/// Counts tasks that run side by side; reports come from one thread at a time.
class SharedProgress {
 public:
  SharedProgress(const Progress& progress, std::string_view stage, std::size_t total)
      : progress_(progress), stage_(stage), total_(total) {}

  void one_done() {
    const std::lock_guard lock(mutex_);
    progress_.report(stage_, static_cast<double>(++done_), static_cast<double>(total_));
  }

 private:
  const Progress& progress_;
  std::string stage_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

}  // namespace hyobscure
