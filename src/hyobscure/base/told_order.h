#pragma once

// Not a public header.

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define HYOBSCURE_TELLS_ORDER
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace hyobscure {

/// That something on one thread happens before something on another, told to the thread sanitizer where it
/// cannot see it: inside of TBB, whose library is built without it. What is told must be what TBB promises.
/// Nothing in any other build.
class ToldOrder {
 public:
#ifdef HYOBSCURE_TELLS_ORDER
  void before() { __tsan_release(this); }
  void after() { __tsan_acquire(this); }
#else
  void before() {}
  void after() {}
#endif

 private:
  char address_ = 0;  ///< the sanitizer knows it by this place
};

}  // namespace hyobscure
