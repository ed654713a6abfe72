#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace hyobscure {

/// A file as bytes of memory, read-only: the system fetches what is looked at and may drop it again.
class MappedFile {
 public:
  /// Throws InputError when the file cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  /// Of an open file, which the caller may close (and whose name may be gone).
  explicit MappedFile(int descriptor);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Lets the memory of whole pages between these bytes go; they are fetched again when looked at.
  void release_pages(std::size_t begin, std::size_t end) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace hyobscure
