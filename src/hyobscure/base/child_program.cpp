#include "hyobscure/base/child_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "hyobscure/base/stopwatch.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

/// In a process group of its own, which can be ended as a whole; without input and output.
pid_t spawn_alone(const fs::path& program, std::vector<std::string> arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -1;
}

void end_group(pid_t child) {
  ::kill(-child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

std::optional<fs::path> find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path program = fs::path(folder) / name;
      std::error_code absent;
      if (!folder.empty() && fs::is_regular_file(program, absent) && ::access(program.c_str(), X_OK) == 0)
        return program;
    }
  }
  return std::nullopt;
}

std::optional<int> run_program(const fs::path& program, const std::vector<std::string>& arguments,
                               double seconds, const Progress& progress) {
  const pid_t child = spawn_alone(program, arguments);
  if (child < 0) return std::nullopt;
  const Stopwatch watch;
  for (int status = 0;; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (progress.stop_requested()) {
      end_group(child);
      throw Stopped();
    }
    if (watch.seconds() > seconds) {
      end_group(child);
      return std::nullopt;
    }
  }
}

}  // namespace hyobscure
