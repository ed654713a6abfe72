#include "hyobscure/data/engine/compressed.h"

#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <memory>
#include <vector>

#include "hyobscure/base/error.h"

namespace hyobscure::data {
namespace {

constexpr std::size_t kBuffer = 1 << 18;

/// Calls use(bytes, length) for one piece of the file after the other, until it returns false.
template <class Use>
void read_in_pieces(const std::filesystem::path& path, Use&& use) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(kBuffer);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    if (!use(buffer.data(), static_cast<std::size_t>(file.gcount()))) return;
}

bool gzip_is_whole(const std::filesystem::path& path) {
  z_stream stream{};
  constexpr int kGzipOnly = 15 + 16;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return false;
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  std::vector<unsigned char> out(kBuffer);
  bool at_member_end = false, damaged = false;
  read_in_pieces(path, [&](char* bytes, std::size_t length) {
    stream.next_in = reinterpret_cast<unsigned char*>(bytes);
    stream.avail_in = static_cast<uInt>(length);
    while (stream.avail_in > 0 && !damaged) {
      if (at_member_end) inflateReset(&stream);  // a gzip file may hold several members
      stream.next_out = out.data();
      stream.avail_out = static_cast<uInt>(out.size());
      const int state = inflate(&stream, Z_NO_FLUSH);
      at_member_end = state == Z_STREAM_END;
      damaged = state != Z_OK && state != Z_STREAM_END;
    }
    return !damaged;
  });
  return at_member_end && !damaged;
}

bool zstd_is_whole(const std::filesystem::path& path) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  std::vector<char> out(ZSTD_DStreamOutSize());
  std::size_t state = 1;  // 0 at the end of a frame
  read_in_pieces(path, [&](const char* bytes, std::size_t length) {
    ZSTD_inBuffer in{bytes, length, 0};
    ZSTD_outBuffer piece{out.data(), out.size(), 0};
    while ((in.pos < in.size || piece.pos == piece.size) && !ZSTD_isError(state)) {
      piece.pos = 0;
      state = ZSTD_decompressStream(stream.get(), &piece, &in);
    }
    return !ZSTD_isError(state);
  });
  return state == 0;
}

}  // namespace

void check_compressed_file_is_whole(const std::filesystem::path& file) {
  const bool whole = file.extension() == ".gz"    ? gzip_is_whole(file)
                     : file.extension() == ".zst" ? zstd_is_whole(file)
                                                  : true;
  if (!whole)
    throw InputError({.source = file.string()}, "the compressed file is cut off or damaged",
                     "Copy or compress it again.");
}

}  // namespace hyobscure::data
