#include "hyobscure/studio/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/base/user_folder.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStay = "The studio reads and writes its own folder only. Copy the file there.";

[[noreturn]] void refuse(const std::string& name) {
  throw InputError({.source = name}, "lies outside the folder of the studio", kStay);
}

bool is_table(const fs::path& file) {
  static constexpr std::array kEndings = {".csv",  ".tsv",   ".txt",    ".parquet", ".pq",
                                          ".json", ".jsonl", ".ndjson", ".duckdb",  ".ddb"};
  fs::path name = lower_case(file.filename().string());
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return std::ranges::find(kEndings, name.extension()) != kEndings.end();
}

/// The folder of a release holds tables that nobody should take for people to protect.
bool is_release(const fs::path& folder) { return fs::exists(folder / "manifest.json"); }

}  // namespace

Folder::Folder(const fs::path& chosen) {
  std::error_code error;
  path_ = fs::canonical(chosen, error);
  if (error || !fs::is_directory(path_))
    throw InputError({.source = chosen.string()}, "there is no such folder",
                     "Name the folder that holds your files, or make one.");
  state_ = path_ / ".hyobscure-studio";
  if (fs::is_symlink(state_)) refuse(state_.string());
  make_private_folder(state_ / "jobs");
  make_private_folder(temporary());
}

bool Folder::holds(const fs::path& real) const {
  const auto [end, rest] = std::mismatch(path_.begin(), path_.end(), real.begin(), real.end());
  return end == path_.end();
}

fs::path Folder::existing(const std::string& name) const {
  std::error_code error;
  const fs::path real = fs::canonical(path_ / name, error);
  if (error)
    throw InputError({.source = name}, "there is no such file", "Choose one of the folder of the studio.");
  if (!holds(real)) refuse(name);
  return real;
}

fs::path Folder::to_write(const std::string& name) const {
  const fs::path wanted = path_ / name;
  std::error_code error;
  const fs::path parent = fs::canonical(wanted.parent_path(), error);
  if (error || !holds(parent) || wanted.filename() == ".." || fs::is_symlink(wanted)) refuse(name);
  return parent / wanted.filename();
}

std::vector<DataFile> Folder::tables() const {
  constexpr std::size_t kMost = 500;
  std::vector<DataFile> found;
  std::error_code error;
  auto walk = fs::recursive_directory_iterator(path_, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator() && found.size() < kMost;
       walk.increment(error)) {
    std::error_code gone;  // a file may go away meanwhile: then it is none
    const bool hidden = walk->path().filename().string().starts_with('.');
    if (walk->is_directory(gone)) {
      if (hidden || walk.depth() >= 1 || is_release(walk->path())) walk.disable_recursion_pending();
      continue;
    }
    const fs::path real = fs::canonical(walk->path(), gone);
    if (gone || hidden || !is_table(walk->path()) || !holds(real) || !fs::is_regular_file(real)) continue;
    const std::uintmax_t bytes = fs::file_size(real, gone);
    if (!gone) found.push_back({walk->path().lexically_relative(path_).string(), bytes});
  }
  std::ranges::sort(found, {}, &DataFile::name);
  return found;
}

std::vector<std::string> Folder::specs() const {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".toml") && !name.starts_with("spec-") && entry.is_regular_file())
      found.push_back(name);
  }
  std::ranges::sort(found);
  return found;
}

void Folder::refuse_outside(const data::Spec& spec) const {
  const auto refuse_links = [&](const fs::path& folder, bool below) {
    std::error_code error;
    auto walk =
        fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
      if (!below) walk.disable_recursion_pending();
      std::error_code broken;
      if (walk->is_symlink() && !holds(fs::weakly_canonical(walk->path(), broken)))
        throw InputError(
            {.source = walk->path().lexically_relative(path_).string()},
            "this link leads outside the folder of the studio, and a query or a pattern may follow it",
            "Remove the link, or name the files one by one.");
    }
  };
  for (const data::SourceSpec* source : {&spec.people.source, &spec.events.source}) {
    if (!source->query.empty()) refuse_links(path_, true);
    if (source->file.empty()) continue;
    if (data::is_pattern(source->file) && !fs::exists(path_ / source->file)) {
      const fs::path folder = existing(fs::path(source->file).parent_path().string());
      refuse_links(folder, false);
    } else if (fs::exists(path_ / source->file)) {
      (void)existing(source->file);
    } else {
      (void)to_write(source->file);  // what is missing is told where it is read
    }
  }
  for (const std::string* file : {&spec.secret.hierarchy, &spec.secret.similarity})
    if (!file->empty()) (void)existing(*file);
  if (spec.release.ledger != "none") (void)to_write(spec.release.ledger);
}

// --- one studio per folder

FolderLock::FolderLock(const Folder& folder) {
  const fs::path file = folder.state() / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0)
    throw InputError({.source = file.string()}, "cannot be written", "Take a folder that you may change.");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  std::array<char, 100> address{};
  const ssize_t length = ::pread(descriptor_, address.data(), address.size(), 0);
  ::close(descriptor_);
  const std::string_view there(address.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  throw InputError(
      {.source = folder.path().string()},
      fmt::format("another studio has this folder open{}{}", there.empty() ? "" : ", at ", there),
      "Use the tab that is open, or stop that studio with Ctrl-C first.");
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  (void)!::ftruncate(descriptor_, 0);
  ::close(descriptor_);
}

void FolderLock::write_address(const std::string& address) {
  (void)!::ftruncate(descriptor_, 0);
  (void)!::pwrite(descriptor_, address.data(), address.size(), 0);
}

}  // namespace hyobscure::studio
