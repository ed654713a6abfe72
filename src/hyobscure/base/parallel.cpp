#include "hyobscure/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define HYOBSCURE_PLAIN_THREADS
#endif
#endif

namespace hyobscure {

#ifdef HYOBSCURE_PLAIN_THREADS
// The thread sanitizer cannot see how TBB's library, which is built without it, hands work from thread to
// thread, and would call everything a race. There the blocks run on threads of the standard library, as many
// as TBB may use, and nothing but the beginning and the end of a loop puts them in an order.

void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t blocks = block_count(count, block);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    for (std::size_t b = 0; (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) try {
        body(b * block, std::min(count, (b + 1) * block));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        next.store(blocks, std::memory_order_relaxed);
      }
  };
  std::vector<std::thread> threads(std::min(blocks, static_cast<std::size_t>(thread_count())));
  for (std::thread& thread : threads) thread = std::thread(work);
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

void make_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make,
                   const std::function<void(const std::string&)>& take) {
  const std::size_t at_a_time = 2 * static_cast<std::size_t>(thread_count()) + 1;
  for (std::size_t begin = 0; begin < count; begin += at_a_time) {
    std::vector<std::string> pieces(std::min(at_a_time, count - begin));
    parallel_blocks(pieces.size(), 1,
                    [&](std::size_t piece, std::size_t) { pieces[piece] = make(begin + piece); });
    for (const std::string& piece : pieces) take(piece);
  }
}

#else

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

void make_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make,
                   const std::function<void(const std::string&)>& take) {
  std::size_t next = 0;
  const auto numbers =
      tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == count) control.stop();
        return next < count ? next++ : next;
      });
  const auto pieces = tbb::make_filter<std::size_t, std::string>(
      tbb::filter_mode::parallel, [&](std::size_t piece) { return make(piece); });
  const auto taken = tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                         [&](const std::string& piece) { take(piece); });
  tbb::parallel_pipeline(2 * static_cast<std::size_t>(thread_count()) + 1, numbers & pieces & taken);
}

#endif

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
