#include "hyobscure/base/scratch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "hyobscure/base/error.h"

extern char** environ;

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_no_scratch(int error) {
  throw InputError({.source = temporary_folder().string()},
                   "temporary files cannot be written: " + std::generic_category().message(error),
                   error == ENOSPC || error == EDQUOT || error == EFBIG
                       ? "Make room there, or name another folder in TMPDIR."
                       : "Name a folder that you may change in TMPDIR.");
}

/// A shell that reads from `pipe` until its other end is closed, and then removes the path. In a session of
/// its own, so that what a terminal sends to stop this process does not stop it.
pid_t spawn_guard(const fs::path& path, int pipe) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string script = "read -r _; exec rm -rf -- \"$0\"", shell = "sh", flag = "-c", name = path.string();
  char* arguments[] = {shell.data(), flag.data(), script.data(), name.data(), nullptr};
  pid_t guard = -1;
  const int error = ::posix_spawn(&guard, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? guard : -1;
}

int open_scratch() {
  std::string name = (temporary_folder() / "hyobscure-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw_no_scratch(errno);
  ::unlink(name.c_str());
  return descriptor;
}

}  // namespace

fs::path temporary_folder() {
  std::error_code none;
  fs::path folder = fs::temp_directory_path(none);
  if (!none) return folder;
  const char* named = std::getenv("TMPDIR");
  throw InputError({.source = named ? named : "/tmp"},
                   "temporary files cannot be written: there is no such folder",
                   "Make it, or name another folder in TMPDIR.");
}

fs::path make_temporary_folder(std::string_view purpose) {
  std::string name = (temporary_folder() / "hyobscure-").string();
  name.append(purpose).append("-XXXXXX");
  if (::mkdtemp(name.data()) == nullptr) throw_no_scratch(errno);
  return name;
}

TemporaryPath::TemporaryPath(fs::path path) : path_(fs::absolute(path)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // too many open files: still removed with this object
  guard_ = spawn_guard(path_, ends[0]);
  ::close(ends[0]);
  pipe_ = ends[1];
}

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (pipe_ >= 0) ::close(pipe_);
  if (guard_ > 0)
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

ScratchFile::ScratchFile() : descriptor_(open_scratch()) {}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

void ScratchFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_no_scratch(errno);
    size_ += static_cast<std::size_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace hyobscure
