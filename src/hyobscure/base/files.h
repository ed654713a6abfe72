#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/scratch.h"

namespace hyobscure {

enum class FileAccess {
  Everyone,   ///< as the user's umask says
  OwnerOnly,  ///< private statistics: mode 0600
};

/// Refuses (InputError) an output file that exists already, unless `force`, and one whose folder does not
/// exist.
void check_output_file(const std::filesystem::path& path, bool force);

/// What tells an earlier output of ours from somebody's own folder.
struct OurFolder {
  std::string marker;              ///< a file that is always there
  std::string says;                ///< what stands near its beginning: a file of that name may be anybody's
  std::vector<std::string> files;  ///< all that may be there beside it; a folder of any files ends in /
};

/// The same for a folder. `force` replaces an empty folder or an earlier output of ours, with nothing else in
/// it: a mistyped name must not cost anybody their files.
void check_output_folder(const std::filesystem::path& path, bool force, const OurFolder& ours);

/// Takes the next bytes of something that comes in pieces.
using TakePiece = std::function<void(std::string_view)>;

/// Writes the whole file or nothing: a temporary neighbour is written, brought to the disk and renamed, and
/// the new name is brought to the disk as well: what stands at `path` after a power cut is the old or the new
/// file. Throws InputError when the disk is full or read-only.
void write_file(const std::filesystem::path& path, std::string_view content, FileAccess access);
/// The same for what `produce` hands over piece by piece. If it throws, the old file stays.
void write_file(const std::filesystem::path& path, const std::function<void(const TakePiece&)>& produce,
                FileAccess access);

/// The same for a file that nothing may replace, such as a key: throws InputError where something has its
/// name.
void write_new_file(const std::filesystem::path& path, std::string_view content, FileAccess access);

/// The whole file. Throws InputError when it is missing, a folder or unreadable.
std::string read_file(const std::filesystem::path& path);

/// The same, piece by piece.
void read_pieces(const std::filesystem::path& path, const TakePiece& take);

/// SHA-256 of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// The plain bytes of numbers, in the machine's order.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void add(std::span<const Number> numbers) {
    add(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
  }
  /// 64 hexadecimal digits; call once.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view content);
/// Throws InputError when the file cannot be read to its end, and Stopped.
std::string sha256_of_file(const std::filesystem::path& path, const Progress& progress = {});

/// A folder that appears at `target` complete or not at all: files go to path(), commit() moves them into
/// place, and without commit() nothing stays behind, even after a kill. What check_output_folder lets `force`
/// replace is replaced at the moment of commit: whenever the process is killed or the power fails, the old or
/// the new one is there. What has appeared at `target` meanwhile stays.
class StagedFolder {
 public:
  StagedFolder(std::filesystem::path target, bool force, OurFolder ours,
               FileAccess access = FileAccess::Everyone);

  const std::filesystem::path& path() const { return staging_.path(); }
  /// Throws InputError, and leaves what is there, when the folder cannot take its place.
  void commit();

 private:
  void replace();

  std::filesystem::path target_;
  bool force_;
  OurFolder ours_;
  FileAccess access_;
  TemporaryPath staging_;
};

}  // namespace hyobscure
