#include "hyobscure/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace hyobscure {

void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t blocks = block_count(count, block);
  // Isolated: a thread that waits for the end of a loop inside a loop takes no block of the outer one
  // meanwhile, which could be long and need much memory.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::size_t{0}, blocks,
                      [&](std::size_t b) { body(b * block, std::min(count, (b + 1) * block)); });
  });
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
