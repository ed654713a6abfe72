#pragma once

#include <string>
#include <string_view>

namespace hyobscure {

/// Text as it may go to a terminal. Labels, names of files and manifests are written by others: a control
/// character among them could hide or forge what stands on the screen. Those, letters that turn the direction
/// of writing and bytes that are no UTF-8 become visible (\u001b, \xff), so that JSON stays the same JSON.
/// Lines and tabs stay.
[[nodiscard]] std::string for_terminal(std::string_view text);

/// The same without lines and tabs, for what must not end a line: cells of tables, errors.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace hyobscure
