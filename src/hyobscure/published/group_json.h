#pragma once

#include "hyobscure/base/json.h"
#include "hyobscure/published/group.h"

namespace hyobscure::published {

/// What may be published of a group: all but its members. Not a public header: users of the library need no
/// JSON.
[[nodiscard]] Json group_json(const Group& group);
/// Throws Json::exception for what is no group.
[[nodiscard]] Group group_from(const Json& json);

}  // namespace hyobscure::published
