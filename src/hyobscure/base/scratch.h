#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "hyobscure/base/mapped_file.h"

namespace hyobscure {

/// A file or folder that must not stay: it is removed with this object, and also when the process is killed.
/// A process of its own (a shell that waits on a pipe) sees to the latter. Renaming the path away keeps it.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::filesystem::path path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int pipe_ = -1;  ///< closed when this process ends, which is what the guard waits for
  pid_t guard_ = -1;
};

/// The folder for temporary files (TMPDIR). Throws InputError when there is none.
std::filesystem::path temporary_folder();

/// A new folder in it that only its owner can open, with the purpose in its name.
std::filesystem::path make_temporary_folder(std::string_view purpose);

/// A file without a name that grows at its end: nobody else can open it, and it is gone with the process.
class ScratchFile {
 public:
  ScratchFile();  ///< in temporary_folder()
  ~ScratchFile();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&&) = delete;

  /// Throws InputError when the disk is full.
  void append(std::span<const std::byte> bytes);
  template <class Number>
  void append_numbers(std::span<const Number> numbers) {
    append(std::as_bytes(numbers));
  }
  std::size_t size() const { return size_; }
  /// All that was appended; valid as long as the mapping, whatever becomes of this object.
  MappedFile map() const { return MappedFile(descriptor_); }

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace hyobscure
