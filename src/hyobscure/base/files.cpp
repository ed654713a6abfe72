#include "hyobscure/base/files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "hyobscure/base/error.h"
#include "hyobscure/base/rename.h"
#include "hyobscure/base/scratch.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unwritable(const fs::path& path, int error) {
  const std::string cause = std::generic_category().message(error);
  throw InputError({.source = path.string()}, "cannot be written: " + cause,
                   error == ENOSPC || error == EDQUOT || error == EFBIG
                       ? "Make room on the disk, or write elsewhere."
                       : "Write to a folder that you may change.");
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path without_trailing_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

std::string random_suffix() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string suffix(8, ' ');
  for (char& letter : suffix)
    letter = kLetters[randombytes_uniform(static_cast<std::uint32_t>(kLetters.size()))];
  return suffix;
}

/// A hidden neighbour on the same file system, so that the final rename is atomic.
fs::path temporary_neighbour(const fs::path& path) {
  return folder_of(path) / ("." + path.filename().string() + ".partial-" + random_suffix());
}

/// Brings a file or folder to the disk: for a folder that is its list of names. 0, or the error.
int to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  // A folder that may be written and not read cannot be asked for; the data in it are on the disk already.
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error == EINVAL ? 0 : error;  // a file system that has no such call for folders
}

/// All files and folders of a folder that is about to be renamed.
int all_to_disk(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (const int error = to_disk(entry.path())) return error;
  return to_disk(folder);
}

mode_t mode_of(FileAccess access) { return access == FileAccess::OwnerOnly ? 0600 : 0666; }

/// Goes away unless it is renamed into place.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& target, mode_t mode) : file_(temporary_neighbour(target)) {
    descriptor_ = ::open(file_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0) throw_unwritable(target, errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// 0, or the error.
  int append(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }

  /// The content is on the disk before the name is, and the name before this returns.
  int rename_to(const fs::path& target) {
    if (const int error = finish()) return error;
    if (::rename(file_.path().c_str(), target.c_str()) != 0) return errno;
    return to_disk(folder_of(target));
  }
  /// The same, and EEXIST where there is something at `target`.
  int rename_to_new_file(const fs::path& target) {
    if (const int error = finish()) return error;
    if (const int error = rename_to_new(file_.path(), target)) return error;
    return to_disk(folder_of(target));
  }

 private:
  int finish() {
    if (::fsync(descriptor_) != 0) return errno;
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    return closed == 0 ? 0 : errno;
  }

  TemporaryPath file_;
  int descriptor_ = -1;
};

void refuse_existing(const fs::path& target, bool force) {
  if (fs::exists(target) && !force)
    throw InputError({.source = target.string()}, "exists already",
                     "Choose another name, or add --force to replace it.");
  if (!fs::is_directory(folder_of(target)))
    throw InputError({.source = folder_of(target).string()}, "there is no such folder",
                     "Make the folder first.");
  if (::access(folder_of(target).c_str(), W_OK) != 0)
    throw_unwritable(target, errno);  // now, not after the work
}

bool is_marked(const fs::path& folder, const OurFolder& ours) {
  if (!fs::is_regular_file(fs::symlink_status(folder / ours.marker))) return false;
  std::ifstream file(folder / ours.marker, std::ios::binary);
  std::string beginning(256, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return beginning.find(ours.says) != beginning.npos;
}

bool is_ours(const std::string& name, const OurFolder& ours) {
  return name == ours.marker || std::ranges::any_of(ours.files, [&](const std::string& known) {
           return known.ends_with('/') ? name.starts_with(known) : name == known;
         });
}

/// Files, and whatever else is no folder.
std::size_t count_of_others(const fs::path& folder, const OurFolder& ours) {
  std::size_t others = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!fs::is_directory(entry.symlink_status()))
      others +=
          entry.is_symlink() || !is_ours(entry.path().lexically_relative(folder).string(), ours) ? 1 : 0;
  return others;
}

/// `named` is what the user calls the folder.
void refuse_others(const fs::path& folder, const OurFolder& ours, const fs::path& named) {
  if (fs::is_directory(folder) && fs::is_empty(folder)) return;
  if (!fs::is_directory(folder) || !is_marked(folder, ours))
    throw InputError({.source = named.string()},
                     "exists, and is nothing that this command wrote: it will not be replaced",
                     "Choose another name, or remove it yourself.");
  if (const std::size_t others = count_of_others(folder, ours); others > 0)
    throw InputError({.source = named.string()},
                     others == 1 ? "holds 1 file that this command did not write: it will not be replaced"
                                 : "holds " + std::to_string(others) +
                                       " files that this command did not write: it will not be replaced",
                     "Choose another name, or move them elsewhere.");
}

[[noreturn]] void throw_unreadable(const fs::path& path, int error) {
  if (error == ENOENT)
    throw InputError({.source = path.string()}, "there is no such file", "Correct the path.");
  throw InputError(
      {.source = path.string()}, "cannot be read as a file: " + std::generic_category().message(error),
      error == EIO ? "Check the disk, or copy the file again." : "Correct the path or its permissions.");
}

}  // namespace

void check_output_file(const fs::path& path, bool force) {
  if (fs::is_directory(path)) throw InputError({.source = path.string()}, "this is a folder", "Name a file.");
  refuse_existing(path, force);
}

void check_output_folder(const fs::path& path, bool force, const OurFolder& ours) {
  const fs::path target = without_trailing_slash(path);
  refuse_existing(target, force);
  if (fs::exists(target)) refuse_others(target, ours, target);
}

void write_file(const fs::path& path, std::string_view content, FileAccess access) {
  write_file(path, [&](const TakePiece& take) { take(content); }, access);
}

void write_file(const fs::path& path, const std::function<void(const TakePiece&)>& produce,
                FileAccess access) {
  TemporaryFile file(path, mode_of(access));
  produce([&](std::string_view piece) {
    if (const int error = file.append(piece)) throw_unwritable(path, error);
  });
  if (const int error = file.rename_to(path)) throw_unwritable(path, error);
}

void write_new_file(const fs::path& path, std::string_view content, FileAccess access) {
  TemporaryFile file(path, mode_of(access));
  if (const int error = file.append(content)) throw_unwritable(path, error);
  const int error = file.rename_to_new_file(path);
  if (error == EEXIST)
    throw InputError({.source = path.string()}, "exists already, and stays", "Choose another name.");
  if (error != 0) throw_unwritable(path, error);
}

/// A stream would end quietly where the disk fails.
void read_pieces(const fs::path& path, const TakePiece& take) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_unreadable(path, errno);
  const std::unique_ptr<const int, void (*)(const int*)> closed(&descriptor,
                                                                [](const int* d) { ::close(*d); });
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_unreadable(path, errno);
    if (count == 0) return;
    take({block.data(), static_cast<std::size_t>(count)});
  }
}

std::string read_file(const fs::path& path) {
  std::string content;
  std::error_code unknown;
  if (const auto size = fs::file_size(path, unknown); !unknown) content.reserve(size);
  read_pieces(path, [&](std::string_view block) { content += block; });
  return content;
}

struct Sha256::State {
  EVP_MD_CTX* hash = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(hash); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (EVP_DigestInit_ex(state_->hash, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("there is no SHA-256");
}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(state_->hash, bytes.data(), bytes.size()); }

std::string Sha256::finish() {
  std::array<unsigned char, 32> hash;
  EVP_DigestFinal_ex(state_->hash, hash.data(), nullptr);
  std::string text(2 * hash.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  text.pop_back();
  return text;
}

std::string sha256(std::string_view content) {
  Sha256 hash;
  hash.add(content);
  return hash.finish();
}

std::string sha256_of_file(const fs::path& path, const Progress& progress) {
  Sha256 hash;
  read_pieces(path, [&](std::string_view block) {
    progress.throw_if_stopped();
    hash.add(block);
  });
  return hash.finish();
}

StagedFolder::StagedFolder(fs::path target, bool force, OurFolder ours, FileAccess access)
    : target_(without_trailing_slash(target)),
      force_(force),
      ours_(std::move(ours)),
      access_(access),
      staging_(temporary_neighbour(target_)) {
  check_output_folder(target_, force, ours_);
  if (::mkdir(path().c_str(), 0700) != 0) throw_unwritable(target_, errno);
}

void StagedFolder::commit() {
  if (access_ == FileAccess::Everyone) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::chmod(path().c_str(), 0777 & ~mask);
  }
  if (const int error = all_to_disk(path())) throw_unwritable(target_, error);
  int error = rename_to_new(path(), target_);
  if (error == EEXIST && force_) {
    replace();
    error = 0;
  }
  if (error == EEXIST)
    throw InputError({.source = target_.string()}, "has appeared while it was about to be written, and stays",
                     "Choose another name, or add --force to replace it.");
  if (error == 0) error = to_disk(folder_of(target_));
  if (error != 0) throw_unwritable(target_, error);
}

void StagedFolder::replace() {
  refuse_others(target_, ours_, target_);
  if (const int error = exchange(path(), target_)) throw_unwritable(target_, error);
  // The old folder has the temporary name and goes away with this object. Unless it is another than a moment
  // ago: then both get their names back.
  try {
    refuse_others(path(), ours_, target_);
  } catch (const InputError&) {
    exchange(path(), target_);
    throw;
  }
}

}  // namespace hyobscure
