#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace hyobscure::fuzz {

/// Several files as the bytes of one input: before each a line "@@@ name".
std::string packed(const std::filesystem::path& folder, std::initializer_list<const char*> names);

/// Files of other names than these are left out, so that nothing is written elsewhere.
std::map<std::string, std::string> unpacked(std::string_view bytes, std::initializer_list<const char*> names);

void write_all(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

}  // namespace hyobscure::fuzz
