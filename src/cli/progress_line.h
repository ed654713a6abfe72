#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace hyobscure::cli {

/// Shows on standard error what a command does, how far it is and how long it will take: on a terminal in one
/// line that changes, elsewhere (a log file) in a line now and then, and in none where the work is short.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine();
  void report(std::string_view stage, double done, double total);
  /// Of the whole work, in the seconds that were predicted.
  void whole(double done, double total);

 private:
  using Clock = std::chrono::steady_clock;

  void show();
  void show_in_log();
  std::string text() const;
  void clear();

  bool enabled_;
  bool terminal_;
  bool shown_ = false;
  std::string stage_;
  double done_ = 0, total_ = 0;              ///< of the stage
  double whole_done_ = 0, whole_total_ = 0;  ///< 0: nobody has said how long all will take
  Clock::time_point begin_ = Clock::now();   ///< of the program
  Clock::time_point stage_begin_ = begin_;
  Clock::time_point whole_begin_ = begin_;
  Clock::time_point last_shown_{};
  Clock::time_point next_in_log_;
};

/// "clustering, 40 %, about 3 s left"
std::string progress_text(std::string_view stage, double done, double total, double seconds);

/// "attacking, 40 % of the whole, about 3 s left": `done` and `total` are seconds as predicted, `seconds`
/// what it took so far.
std::string whole_text(std::string_view stage, double done, double total, double seconds);

/// What is left of predicted work: the prediction, corrected by how long the first part took, the more the
/// longer that part was. Work that cannot say how far it is (done = 0) goes by the clock.
double seconds_left(double done, double total, double seconds);

}  // namespace hyobscure::cli
