#pragma once

#include <string>
#include <vector>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

/// data::settings() with what only this folder knows: the methods that there are. What front ends show.
[[nodiscard]] std::vector<data::Setting> settings();

/// "dp, simp and random": the methods with this ability, for messages.
[[nodiscard]] std::string methods_that(bool Method::* can);

}  // namespace hyobscure::obscure
