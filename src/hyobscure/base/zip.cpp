#include "hyobscure/base/zip.h"

#include <array>
#include <cstdint>
#include <limits>

#include "hyobscure/base/error.h"

namespace hyobscure {
namespace {

// Signatures and fields are those of PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (directory)
// and 4.3.16 (end of the directory). All numbers are little-endian.
constexpr std::uint32_t kLocal = 0x04034b50, kDirectory = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20, kMadeOnUnix = 3 << 8, kNamesAreUtf8 = 1 << 11, kStored = 0;
constexpr std::uint16_t kMidnight = 0, kFirstDay = (1 << 5) | 1;  // 1980-01-01
constexpr std::uint32_t kPlainFile = 0100644U << 16;

void put(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xff);
}

/// CRC-32 of ISO 3309: reflected, polynomial 0xedb88320.
std::uint32_t crc32(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t remainder = i;
      for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder & 1 ? 0xedb88320U : 0U);
      made[i] = remainder;
    }
    return made;
  }();
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) sum = table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ sum >> 8;
  return ~sum;
}

/// What both headers of a file say, from the version on.
void put_description(std::string& out, const ZipFile& file) {
  put(out, kVersion, 2);
  put(out, kNamesAreUtf8, 2);
  put(out, kStored, 2);
  put(out, kMidnight, 2);
  put(out, kFirstDay, 2);
  put(out, crc32(file.content), 4);
  put(out, file.content.size(), 4);
  put(out, file.content.size(), 4);
  put(out, file.name.size(), 2);
  put(out, 0, 2);  // extra field
}

void put_local(std::string& out, const ZipFile& file) {
  put(out, kLocal, 4);
  put_description(out, file);
  out += file.name;
  out += file.content;
}

void put_entry(std::string& out, const ZipFile& file, std::size_t offset) {
  put(out, kDirectory, 4);
  put(out, kMadeOnUnix | kVersion, 2);
  put_description(out, file);
  put(out, 0, 2);  // comment
  put(out, 0, 2);  // disk
  put(out, 0, 2);  // internal attributes
  put(out, kPlainFile, 4);
  put(out, offset, 4);
  out += file.name;
}

}  // namespace

std::string zip_of(const std::vector<ZipFile>& files) {
  std::string archive, directory;
  for (const ZipFile& file : files) {
    put_entry(directory, file, archive.size());
    put_local(archive, file);
  }
  require(archive.size() + directory.size() < std::numeric_limits<std::uint32_t>::max(), "archive",
          "is larger than a zip archive may be", "Leave the largest file out.");
  const std::size_t begin = archive.size();
  archive += directory;
  put(archive, kEnd, 4);
  put(archive, 0, 2);  // disks
  put(archive, 0, 2);
  put(archive, files.size(), 2);
  put(archive, files.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, begin, 4);
  put(archive, 0, 2);  // comment
  return archive;
}

}  // namespace hyobscure
