#pragma once

// RapidCheck for tests that must be repeatable.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>
#include <utility>

namespace hyobscure {

/// The same cases on every run: a failure can be repeated.
template <class Property>
void expect_always(int cases, Property&& property) {
  rc::detail::TestParams params;
  params.seed = 20261115;
  params.maxSuccess = cases;
  const auto result =
      rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
}

}  // namespace hyobscure
