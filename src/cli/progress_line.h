#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace hyobscure::cli {

/// One line on a terminal that shows the stage, how far it is and how long it will take; silent elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine();
  void report(std::string_view stage, double done, double total);

 private:
  using Clock = std::chrono::steady_clock;

  void clear();

  bool enabled_;
  bool shown_ = false;
  std::string stage_;
  Clock::time_point stage_begin_ = Clock::now();
  Clock::time_point last_shown_{};
};

/// "clustering, 40 %, about 3 s left"
std::string progress_text(std::string_view stage, double done, double total, double seconds);

}  // namespace hyobscure::cli
