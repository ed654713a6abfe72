#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "hyobscure/base/terminal.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenChanges = 100ms;  // of the line on a terminal
constexpr auto kQuietInLog = 10s;        // what takes less says nothing

/// Between lines of a log: seldom in long work.
std::chrono::seconds between_lines(std::chrono::duration<double> since_begin) {
  return since_begin < 2min ? 15s : since_begin < 20min ? 60s : 600s;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Nobody needs tenths of what is to come.
std::string left_text(double seconds) {
  return seconds < 1 ? "nearly done" : fmt::format("about {} left", report::seconds_text(seconds));
}

}  // namespace

std::string progress_text(std::string_view stage, double done, double total, double seconds) {
  std::string text(stage);
  if (total > 0) text += fmt::format(", {:.0f} %", 100 * done / total);
  if (total > 0 && done > 0 && seconds > 1)
    text += ", " + left_text(seconds * (total - done) / done);
  else if (seconds > 1)
    text += fmt::format(", {}", report::seconds_text(seconds));
  return text;
}

double seconds_left(double done, double total, double seconds) {
  if (done <= 0) return std::max(0.0, total - seconds);  // nothing yet to correct the prediction by
  const double prior = 1 + 0.1 * total;  // seconds at the predicted pace that the first ones are weighed with
  return std::max(0.0, total - done) * (seconds + prior) / (done + prior);
}

std::string whole_text(std::string_view stage, double done, double total, double seconds) {
  if (done <= 0 && seconds > total)
    return fmt::format("{}, {}: longer than the predicted {}", stage, report::seconds_text(seconds),
                       report::seconds_text(total));
  const std::string left = left_text(seconds_left(done, total, seconds));
  if (done <= 0) return fmt::format("{}, {}", stage, left);
  return fmt::format("{}, {:.0f} % of the whole, {}", stage, 100 * std::min(1.0, done / total), left);
}

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled), terminal_(::isatty(STDERR_FILENO) != 0), next_in_log_(begin_ + kQuietInLog) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::report(std::string_view stage, double done, double total) {
  if (!enabled_) return;
  const bool new_stage = stage != stage_;
  if (new_stage) {
    stage_ = stage;
    stage_begin_ = Clock::now();
  }
  done_ = done;
  total_ = total;
  if (stage.empty()) {  // the answer comes
    whole_total_ = 0;
    clear();
    return;
  }
  if (new_stage || Clock::now() - last_shown_ >= kBetweenChanges) show();
}

void ProgressLine::whole(double done, double total) {
  if (!enabled_) return;
  const bool begins = whole_total_ == 0 && total > 0;
  if (begins) whole_begin_ = Clock::now();
  whole_done_ = done;
  whole_total_ = total;
  if (!begins) return;
  // a long wait is announced at once
  if (!terminal_ && total >= std::chrono::duration<double>(kQuietInLog).count()) next_in_log_ = Clock::now();
  show();
}

std::string ProgressLine::text() const {
  const std::string_view stage = stage_.empty() ? "beginning" : std::string_view(stage_);
  return one_line(whole_total_ > 0 ? whole_text(stage, whole_done_, whole_total_, seconds_since(whole_begin_))
                                   : progress_text(stage, done_, total_, seconds_since(stage_begin_)));
}

void ProgressLine::show() {
  last_shown_ = Clock::now();
  if (!terminal_) {
    show_in_log();
    return;
  }
  shown_ = true;
  fmt::print(stderr, "\r\033[K{}", text());
  std::fflush(stderr);
}

void ProgressLine::show_in_log() {
  const auto now = Clock::now();
  if (now < next_in_log_) return;
  fmt::print(stderr, "hyobscure: {}\n", text());
  std::fflush(stderr);
  next_in_log_ = now + between_lines(now - begin_);
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace hyobscure::cli
