#include "hyobscure/base/user_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "hyobscure/base/error.h"

namespace hyobscure {
namespace {

/// Empty unless the variable holds a whole path: the rules of XDG have others ignored.
std::filesystem::path path_of(const char* variable) {
  const char* text = std::getenv(variable);
  const std::filesystem::path path = text == nullptr ? "" : text;
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path user_folder(const char* what) {
  if (const auto data = path_of("XDG_DATA_HOME"); !data.empty()) return data / "hyobscure";
  if (const auto home = path_of("HOME"); !home.empty()) return home / ".local" / "share" / "hyobscure";
  throw InputError({.source = what}, "has no place: there is no home folder (HOME, XDG_DATA_HOME)",
                   "Name a file by its whole path.");
}

void make_private_folder(const std::filesystem::path& folder) {
  std::filesystem::path made;
  for (const std::filesystem::path& part : folder) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST && !std::filesystem::is_directory(made))
      throw InputError({.source = made.string()},
                       "this folder cannot be made: " + std::generic_category().message(errno),
                       "Make it, or name a folder that you may change.");
  }
}

}  // namespace hyobscure
