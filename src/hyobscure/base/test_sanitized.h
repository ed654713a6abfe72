#pragma once

#include <gtest/gtest.h>

/// The first line of a test that is a long numerical search: sanitizers make it ten times as long, and
/// smaller tests of the same code run under them.
#ifdef __SANITIZE_ADDRESS__
#define HYOBSCURE_ONLY_IN_RELEASE() GTEST_SKIP() << "a long numerical search: it runs in the release build"
#else
#define HYOBSCURE_ONLY_IN_RELEASE() static_cast<void>(0)
#endif
