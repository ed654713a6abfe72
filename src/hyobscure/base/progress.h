#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"

namespace hyobscure {

/// How long work tells where it is, and learns that it should stop. The default one is silent and never
/// stops.
class Progress {
 public:
  /// Called with the stage and how much of it is done, from one thread at a time; total 0 means unknown.
  using Report = std::function<void(std::string_view stage, double done, double total)>;

  /// Called with the seconds of the whole work, as they were predicted before it began, and how many of them
  /// are done; from one thread at a time.
  using Whole = std::function<void(double done, double total)>;

  Progress() = default;
  Progress(Report report, const std::atomic<bool>* stop, Whole whole = {})
      : report_(std::move(report)), whole_(std::move(whole)), stop_(stop) {}

  void report(std::string_view stage, double done, double total) const {
    if (report_) report_(stage, done, total);
  }

  void whole(double done, double total) const {
    if (whole_) whole_(done, total);
  }

  /// The same stop with other reports, and none of the whole unless given.
  Progress with_reports(Report report, Whole whole = {}) const {
    return Progress(std::move(report), stop_, std::move(whole));
  }

  /// The same reports, and of the whole what is given.
  Progress with_same_reports(Whole whole = {}) const { return Progress(report_, stop_, std::move(whole)); }

  /// For work that has a best-so-far answer to return.
  bool stop_requested() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  /// For work that has none: throws Stopped when the user asked to stop.
  void throw_if_stopped() const {
    if (stop_requested()) throw Stopped();
  }

 private:
  Report report_;
  Whole whole_;
  const std::atomic<bool>* stop_ = nullptr;
};

/// Work in stages that follow each other, each with the seconds that it will take as far as anybody can say
/// beforehand. What a stage reports of itself moves the whole, which never goes back. A stage may be planned
/// work too: then the parts of that one move it.
class PlannedWork {
 public:
  PlannedWork(const Progress& progress, std::vector<double> seconds)
      : progress_(progress), stages_(seconds.size()) {
    for (std::size_t n = 0; n < stages_.size(); ++n) stages_[n].seconds = std::max(0.0, seconds[n]);
    tell();
  }
  PlannedWork(const PlannedWork&) = delete;
  PlannedWork& operator=(const PlannedWork&) = delete;

  /// For what happens in stage n: those before it are done. The plan must outlive it.
  Progress stage(std::size_t n) {
    for (std::size_t before = 0; before < n; ++before) stages_[before].done = 1;
    tell();
    return progress_.with_reports(
        [this, n](std::string_view stage, double done, double total) {
          progress_.report(stage, done, total);
          if (total > 0 && !stages_[n].planned) advance(n, done / total);
        },
        [this, n](double done, double total) {
          stages_[n].planned = true;
          if (total > 0) advance(n, done / total);
        });
  }

  void finish() {
    for (Stage& stage : stages_) stage.done = 1;
    tell();
  }

 private:
  struct Stage {
    double seconds = 0;
    double done = 0;       ///< share
    bool planned = false;  ///< by its own parts
  };

  void advance(std::size_t n, double share) {
    stages_[n].done = std::max(stages_[n].done, std::min(share, 1.0));
    tell();
  }

  void tell() const {
    double done = 0, total = 0;
    for (const Stage& stage : stages_) {
      done += stage.done * stage.seconds;
      total += stage.seconds;
    }
    progress_.whole(done, total);
  }

  const Progress& progress_;
  std::vector<Stage> stages_;
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
