#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "hyobscure/base/terminal.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::cli {

std::string progress_text(std::string_view stage, double done, double total, double seconds) {
  std::string text(stage);
  if (total > 0) text += fmt::format(", {:.0f} %", 100 * done / total);
  if (total > 0 && done > 0 && seconds > 1)
    text += fmt::format(", about {} left", report::seconds_text(seconds * (total - done) / done));
  else if (seconds > 1)
    text += fmt::format(", {}", report::seconds_text(seconds));
  return text;
}

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && ::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::report(std::string_view stage, double done, double total) {
  if (!enabled_) return;
  const auto now = Clock::now();
  const bool new_stage = stage != stage_;
  if (new_stage) {
    stage_ = stage;
    stage_begin_ = now;
  }
  if (!new_stage && now - last_shown_ < std::chrono::milliseconds(100)) return;
  last_shown_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - stage_begin_).count();
  fmt::print(stderr, "\r\033[K{}", one_line(progress_text(stage, done, total, seconds)));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace hyobscure::cli
