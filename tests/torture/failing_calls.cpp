// Preloaded into the program: makes the n-th call of a kind fail, or kills the process in its place.
//
//   HYOBSCURE_FAIL=kind:n:fail    the n-th call fails as if the disk, the memory or the machine had
//   HYOBSCURE_FAIL=kind:n:kill    the process is killed instead of making that call
//   HYOBSCURE_FAIL=map:n:shorten  the n-th file that is mapped is empty from then on, as if another process
//   did it HYOBSCURE_FAIL=...:onwards    so do all calls after it HYOBSCURE_FAIL_COUNT=file     at the end: a
//   line "kind calls" for each kind HYOBSCURE_FAIL_LOG=file       the calls that bring bytes and names to the
//   disk, in their order
//
// Only in the program itself, not in the shell that guards its temporary files.

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" void* __libc_malloc(std::size_t);  // malloc is needed before dlsym can be called

namespace {

enum Kind { kOpen, kRead, kWrite, kResize, kSync, kMakeFolder, kRename, kMemory, kMap, kThread, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"open",   "read",   "write",  "resize", "sync",
                                                    "folder", "rename", "memory", "map",    "thread"};
constexpr std::array<int, kKinds> kErrors = {EMFILE, EIO, ENOSPC, ENOSPC, EIO,
                                             ENOSPC, EIO, ENOMEM, ENOMEM, EAGAIN};
/// Small ones are too many to be tried one by one, and the C++ library answers them from what it has.
constexpr std::size_t kLargeMemory = 32 << 10;

std::array<std::atomic<long>, kKinds> calls{};
bool active = false, kills = false, onwards = false, shortens = false;
int kind_to_fail = -1;
long call_to_fail = 0;
int log_file = -1;

void begin() {
  if (std::strcmp(program_invocation_short_name, "hyobscure") != 0) return;
  if (const char* plan = std::getenv("HYOBSCURE_FAIL")) {
    const std::string_view text = plan;
    const auto colon = text.find(':');
    for (int kind = 0; kind < kKinds; ++kind)
      if (text.substr(0, colon) == kNames[static_cast<std::size_t>(kind)]) kind_to_fail = kind;
    call_to_fail = std::atol(plan + colon + 1);
    kills = text.find(":kill") != text.npos;
    onwards = text.find(":onwards") != text.npos;
    shortens = text.find(":shorten") != text.npos;
    if (kind_to_fail < 0 || call_to_fail < 1) ::abort();  // a misspelt plan must not pass as a good run
  }
  if (const char* log = std::getenv("HYOBSCURE_FAIL_LOG"))
    log_file = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  active = true;
}

void end() {
  const char* file = std::getenv("HYOBSCURE_FAIL_COUNT");
  if (!active || file == nullptr) return;
  active = false;
  const int out = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    ::dprintf(out, "%s %ld\n", kNames[kind], calls[kind].load());
  ::close(out);
}

[[gnu::constructor]] void at_load() { begin(); }
[[gnu::destructor]] void at_exit() { end(); }

/// Whether this call is to fail; errno is set then.
bool fails(Kind kind) {
  if (!active) return false;
  const long call = ++calls[kind];
  if (kind != kind_to_fail || (onwards ? call < call_to_fail : call != call_to_fail)) return false;
  if (kills) {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }
  errno = kErrors[kind];
  return true;
}

void tell(const char* call, const char* first, const char* second = "") {
  if (active && log_file >= 0) ::dprintf(log_file, "%s\t%s\t%s\n", call, first, second);
}

void tell_descriptor(const char* call, int descriptor) {
  if (!active || log_file < 0 || descriptor == log_file) return;
  std::array<char, 64> link;
  std::array<char, PATH_MAX> name{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  if (::readlink(link.data(), name.data(), name.size() - 1) > 0) tell(call, name.data());
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// What goes to the terminal or a pipe is no file.
bool is_file(int descriptor) { return descriptor > 2 && descriptor != log_file; }

mode_t mode_of(int flags, va_list& more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (fails(kOpen)) return -1;
  static auto* const call = real<int(const char*, int, ...)>("open");
  return call(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (fails(kOpen)) return -1;
  static auto* const call = real<int(const char*, int, ...)>("open64");
  return call(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  static auto* const call = real<FILE*(const char*, const char*)>("fopen");
  return call(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  static auto* const call = real<FILE*(const char*, const char*)>("fopen64");
  return call(path, mode);
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  if (is_file(descriptor) && fails(kRead)) return -1;
  static auto* const call = real<ssize_t(int, void*, size_t)>("read");
  return call(descriptor, bytes, count);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (is_file(descriptor)) {
    if (fails(kWrite)) return -1;
    tell_descriptor("write", descriptor);
  }
  static auto* const call = real<ssize_t(int, const void*, size_t)>("write");
  return call(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  if (is_file(descriptor)) {
    if (fails(kWrite)) return -1;
    tell_descriptor("write", descriptor);
  }
  static auto* const call = real<ssize_t(int, const struct iovec*, int)>("writev");
  return call(descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t at) {
  if (fails(kWrite)) return -1;
  tell_descriptor("write", descriptor);
  static auto* const call = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return call(descriptor, bytes, count, at);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t at) {
  if (fails(kWrite)) return -1;
  tell_descriptor("write", descriptor);
  static auto* const call = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return call(descriptor, bytes, count, at);
}

int ftruncate(int descriptor, off_t size) noexcept {
  if (fails(kResize)) return -1;
  static auto* const call = real<int(int, off_t)>("ftruncate");
  return call(descriptor, size);
}

int fsync(int descriptor) {
  if (fails(kSync)) return -1;
  tell_descriptor("fsync", descriptor);
  static auto* const call = real<int(int)>("fsync");
  return call(descriptor);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fails(kMakeFolder)) return -1;
  static auto* const call = real<int(const char*, mode_t)>("mkdir");
  return call(path, mode);
}

char* mkdtemp(char* pattern) noexcept {
  if (fails(kMakeFolder)) return nullptr;
  static auto* const call = real<char*(char*)>("mkdtemp");
  return call(pattern);
}

int rename(const char* from, const char* to) noexcept {
  if (fails(kRename)) return -1;
  tell("rename", from, to);
  static auto* const call = real<int(const char*, const char*)>("rename");
  return call(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (fails(kRename)) return -1;
  tell("rename", from, to);
  static auto* const call = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return call(from_folder, from, to_folder, to, flags);
}

void* malloc(size_t size) {
  if (size >= kLargeMemory && fails(kMemory)) return nullptr;
  return __libc_malloc(size);
}

void* mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  // Of files only: the allocator inside DuckDB 1.4.4 (jemalloc) crashes when its own first mapping fails.
  const bool chosen = descriptor >= 0 && fails(kMap);
  if (chosen && !shortens) return MAP_FAILED;
  static auto* const call = real<void*(void*, size_t, int, int, int, off_t)>("mmap");
  void* const mapped = call(at, size, protection, flags, descriptor, offset);
  if (chosen) {
    std::array<char, 64> name;
    std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", descriptor);
    if (::truncate(name.data(), 0) != 0) ::abort();
  }
  return mapped;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  if (fails(kThread)) return EAGAIN;
  static auto* const call =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return call(thread, attributes, run, argument);
}

}  // extern "C"
