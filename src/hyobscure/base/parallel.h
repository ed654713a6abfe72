#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace hyobscure {

/// Runs body(begin, end) over [0, count) cut into blocks of `block` (the last one may be shorter), on all
/// threads.
///
/// The blocks depend on `count` and `block` alone, never on the number of threads: a reduction that keeps one
/// partial result a block (index begin / block) and adds them in order gives the same bits however many
/// threads there are. The first exception of a body is thrown again here.
void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Number of blocks that parallel_blocks makes.
constexpr std::size_t block_count(std::size_t count, std::size_t block) {
  return (count + block - 1) / block;
}

/// Makes `count` pieces on all threads and takes them one by one, in their order: a file whose parts are made
/// side by side. Only a few pieces exist at a time. `take` is never called twice at once; the first exception
/// is thrown again here.
void make_in_order(std::size_t count, const std::function<std::string(std::size_t piece)>& make,
                   const std::function<void(const std::string& piece)>& take);

/// Limits all parallel work of the process to `threads` for the life of the object; 0 takes all cores.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  void* control_ = nullptr;
};

/// Threads that parallel work may use now.
int thread_count();

}  // namespace hyobscure
