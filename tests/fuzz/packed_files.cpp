#include "packed_files.h"

#include <algorithm>
#include <fstream>

#include "hyobscure/base/files.h"

namespace hyobscure::fuzz {
namespace {

constexpr std::string_view kNameLine = "\n@@@ ";

}  // namespace

std::string packed(const std::filesystem::path& folder, std::initializer_list<const char*> names) {
  std::string bytes;
  for (const char* name : names)
    if (std::filesystem::exists(folder / name))
      bytes.append(kNameLine).append(name).append("\n").append(read_file(folder / name));
  return bytes;
}

std::map<std::string, std::string> unpacked(std::string_view bytes,
                                            std::initializer_list<const char*> names) {
  std::map<std::string, std::string> files;
  for (auto at = bytes.find(kNameLine); at != bytes.npos;) {
    const auto next = bytes.find(kNameLine, at + 1);
    const std::string_view file =
        bytes.substr(at + kNameLine.size(), next == bytes.npos ? next : next - at - kNameLine.size());
    const auto line = file.find('\n');
    const std::string name(file.substr(0, line));
    if (line != file.npos && std::ranges::find(names, name) != names.end())
      files[name] = file.substr(line + 1);
    at = next;
  }
  return files;
}

void write_all(const std::filesystem::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, content] : files) std::ofstream(folder / name, std::ios::binary) << content;
}

}  // namespace hyobscure::fuzz
