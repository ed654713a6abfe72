#include "hyobscure/verify/verify_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "hyobscure/published/signature.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using published::Manifest;

/// What Spark puts behind the number of a part: the same for all parts of a table, but for the count of files
/// of a task. Empty: nothing; absent: something else.
std::optional<std::string> name_of_job(const std::string& behind_number, const std::string& format) {
  static const std::regex spark(
      "(-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[.-]c[0-9]{3}(?:\\.[a-z0-9]{1,8})?\\.([a-z]+)");
  std::smatch found;
  if (behind_number == "." + format) return "";
  if (std::regex_match(behind_number, found, spark) && found[2] == format) return found[1];
  return std::nullopt;
}

/// In the folder of a table that several machines wrote: parts are numbered from 0 on without a gap, or as
/// Spark names them, which leaves out numbers of tasks without rows.
std::int64_t files_that_are_no_parts(const fs::path& table, const std::string& format) {
  if (!fs::is_directory(fs::symlink_status(table))) return 0;
  static const std::string kBegin = "part-";
  constexpr std::size_t kDigits = 5;
  std::int64_t others = 0;
  std::size_t number = 0;
  std::optional<std::string> job;
  for (const fs::path& part : published::parts_of_table(table)) {
    const std::string name = part.filename().string();
    const std::string digits =
        name.size() > kBegin.size() + kDigits ? name.substr(kBegin.size(), kDigits) : "";
    const bool numbered = name.starts_with(kBegin) && digits.size() == kDigits &&
                          digits.find_first_not_of("0123456789") == digits.npos;
    const auto of = numbered ? name_of_job(name.substr(kBegin.size() + kDigits), format) : std::nullopt;
    const bool first_or_same = of && (!job || *job == *of);
    if (!first_or_same || (of->empty() && digits != fmt::format("{:05}", number))) {
      ++others;
      continue;
    }
    job = of;
    ++number;
  }
  return others;
}

}  // namespace

bool is_regular(const fs::path& file) { return fs::is_regular_file(fs::symlink_status(file)); }

bool is_table(const fs::path& table) {
  return fs::is_directory(fs::symlink_status(table))
             ? std::ranges::all_of(published::parts_of_table(table), is_regular)
             : is_regular(table);
}

void check_manifest(const Manifest& manifest, Findings& findings) {
  findings.add(rule("manifest-seal"), manifest.seal_intact,
               manifest.seal_intact
                   ? "its seal fits"
                   : fmt::format("{} was edited: its seal does not fit", Manifest::kFileName));
  findings.add(rule("manifest-canonical"), manifest.is_canonical,
               manifest.is_canonical
                   ? "byte by byte"
                   : fmt::format("{} is not what its content gives when it is written", Manifest::kFileName));
  findings.add(
      rule("secret-key"), !manifest.seeded,
      manifest.seeded ? "trial release, drawn from a seed: must not be published" : "not from a seed");
  findings.add(
      rule("not-weak"), !manifest.accepted_leakage,
      manifest.accepted_leakage ? "it did, and the publisher accepted the leakage" : "as the manifest says");
}

void check_no_other_files(const fs::path& folder, const Manifest& manifest, Findings& findings) {
  std::set<std::string> expected = {Manifest::kFileName};
  for (const published::ManifestFile& file : manifest.files) expected.insert(file.name);
  if (fs::exists(fs::symlink_status(folder / published::Signature::kFileName)))
    expected.insert(published::Signature::kFileName);  // verify_signature.h looks at it
  std::vector<std::string> unexpected;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!expected.contains(entry.path().filename().string()))
      unexpected.push_back(entry.path().filename().string() + " does not belong to the release");
  std::ranges::sort(unexpected);
  for (const published::ManifestFile& file : manifest.files)
    if (const auto others = files_that_are_no_parts(folder / file.name, manifest.format); others > 0)
      unexpected.push_back(fmt::format("{} other file{} in {}", others, others == 1 ? "" : "s", file.name));
  findings.add(rule("no-other-files"), unexpected, fmt::format("{} files", expected.size()));
}

bool check_files(const fs::path& folder, const Manifest& manifest, const Progress& progress,
                 Findings& findings) {
  std::vector<std::string> missing, changed;
  const auto is_right_kind = [&](const std::string& name) {
    return manifest.is_table(name) ? is_table(folder / name) : is_regular(folder / name);
  };
  for (const published::ManifestFile& file : manifest.files)
    if (!fs::exists(fs::symlink_status(folder / file.name)))
      missing.push_back(file.name + " is missing");
    else if (!is_right_kind(file.name))
      missing.push_back(file.name + " is no regular file, or has parts that are none");
    else if (published::sha256_of_table(folder / file.name, progress) != file.sha256)
      changed.push_back(file.name + " was edited: its SHA-256 is not that of the manifest");
  findings.add(rule("files-there"), missing, fmt::format("{} beside the manifest", manifest.files.size()));
  findings.add(rule("files-unchanged"), changed, "SHA-256 of each");
  return missing.empty();
}

}  // namespace hyobscure::verify
