#include "hyobscure/learn/xgboost_version.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

namespace hyobscure::learn {

std::string xgboost_version() {
  int major = 0, minor = 0, patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace hyobscure::learn
