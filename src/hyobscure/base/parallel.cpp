#include "hyobscure/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "hyobscure/base/told_order.h"

namespace hyobscure {

void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t blocks = block_count(count, block);
  ToldOrder begin, end;
  begin.before();
  // Isolated: a thread that waits for the end of a loop inside a loop takes no block of the outer one
  // meanwhile, which could be long and need much memory.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
      begin.after();
      body(b * block, std::min(count, (b + 1) * block));
      end.before();
    });
  });
  end.after();
}

void make_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make,
                   const std::function<void(const std::string&)>& take) {
  std::size_t next = 0;
  ToldOrder number, made, one_taken;
  number.before();
  one_taken.before();
  const auto numbers =
      tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        number.after();
        const std::size_t piece = next;
        if (piece == count)
          control.stop();
        else
          ++next;
        number.before();
        return piece;
      });
  const auto pieces =
      tbb::make_filter<std::size_t, std::string>(tbb::filter_mode::parallel, [&](std::size_t piece) {
        number.after();
        std::string content = make(piece);
        made.before();
        return content;
      });
  const auto taken =
      tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, [&](const std::string& piece) {
        made.after();
        one_taken.after();
        take(piece);
        one_taken.before();
      });
  tbb::parallel_pipeline(2 * static_cast<std::size_t>(thread_count()) + 1, numbers & pieces & taken);
  number.after();
  one_taken.after();
}

ThreadLimit::ThreadLimit(int threads) {
  if (threads > 0)
    control_ = new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                       static_cast<std::size_t>(threads));
}

ThreadLimit::~ThreadLimit() { delete static_cast<tbb::global_control*>(control_); }

int thread_count() {
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace hyobscure
