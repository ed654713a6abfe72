#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hyobscure/data/spec/spec.h"

namespace hyobscure::studio {

/// A table that may be chosen.
struct DataFile {
  std::string name;  ///< from the folder on
  std::uintmax_t bytes = 0;
};

/// The folder that the user chose: nothing else is read or written. What a name leads to counts, after links
/// are followed, not how it is spelled.
class Folder {
 public:
  /// Throws InputError unless it is a folder that may be written to.
  explicit Folder(const std::filesystem::path& chosen);

  const std::filesystem::path& path() const { return path_; }
  /// The studio's own files: jobs, finished parts of audits, the lock. For their owner only.
  const std::filesystem::path& state() const { return state_; }
  /// For temporary files: what does not fit into memory must not leave the folder either, and the engine
  /// would not read it elsewhere.
  std::filesystem::path temporary() const { return state_ / "temporary"; }

  /// Something that is there. Throws InputError for what lies outside.
  [[nodiscard]] std::filesystem::path existing(const std::string& name) const;
  /// Something to be written, whose folder is there. Throws InputError for what would lie outside.
  [[nodiscard]] std::filesystem::path to_write(const std::string& name) const;

  /// Tables of the kinds that a spec can name, in this folder and the folders in it; releases and what the
  /// studio keeps are none.
  [[nodiscard]] std::vector<DataFile> tables() const;

  /// Specs that others have written, in the folder itself: spec.toml and the like.
  [[nodiscard]] std::vector<std::string> specs() const;

  /// Throws InputError for a spec that names a file outside, or that runs a query while a link in the folder
  /// leads outside: what a query opens is its own affair, and the engine follows links.
  void refuse_outside(const data::Spec& spec) const;

 private:
  bool holds(const std::filesystem::path& real) const;

  std::filesystem::path path_, state_;
};

/// The one studio of a folder, as long as it lives.
class FolderLock {
 public:
  /// Throws InputError where another studio has the folder, with its address.
  explicit FolderLock(const Folder& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// For the studio that comes second. No secret.
  void write_address(const std::string& address);

 private:
  int descriptor_ = -1;
};

}  // namespace hyobscure::studio
