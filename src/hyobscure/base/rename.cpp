#include "hyobscure/base/rename.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

int rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

int plain_rename(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Network and older file systems know no flags.
bool knows_no_flags(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

}  // namespace

int rename_to_new(const fs::path& from, const fs::path& to) {
  const int error = rename_with(from, to, RENAME_NOREPLACE);
  if (!knows_no_flags(error)) return error;
  // A plain rename replaces an empty folder at most, and nothing that is there by now.
  return fs::exists(fs::symlink_status(to)) ? EEXIST : plain_rename(from, to);
}

int exchange(const fs::path& a, const fs::path& b) {
  const int error = rename_with(a, b, RENAME_EXCHANGE);
  return knows_no_flags(error) ? exchange_by_renames(a, b, b.string() + ".replaced") : error;
}

int exchange_by_renames(const fs::path& a, const fs::path& b, const fs::path& aside) {
  if (const int error = rename_to_new(b, aside)) return error;
  if (const int error = plain_rename(a, b)) {
    plain_rename(aside, b);
    return error;
  }
  if (const int error = plain_rename(aside, a)) {
    plain_rename(b, a);
    plain_rename(aside, b);
    return error;
  }
  return 0;
}

}  // namespace hyobscure
