#pragma once

#include <string>
#include <vector>

namespace hyobscure {

struct ZipFile {
  std::string name;  ///< with / for folders
  std::string content;
};

/// A zip archive of these files, in their order: stored, not compressed, all of 1 January 1980, so that the
/// same files give the same bytes on every machine and at every time. Throws InputError beyond 4 GB.
[[nodiscard]] std::string zip_of(const std::vector<ZipFile>& files);

}  // namespace hyobscure
