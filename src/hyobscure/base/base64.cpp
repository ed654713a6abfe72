#include "hyobscure/base/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace hyobscure {
namespace {

// OpenSSL counts in int: longer texts go in slices, of whole triples of bytes.
constexpr std::size_t kBytesAtOnce = 3 << 20;
constexpr std::size_t kTextAtOnce = kBytesAtOnce / 3 * 4;

auto* unsigned_data(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const auto* unsigned_data(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a zero behind each slice
  std::size_t written = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBytesAtOnce) {
    const std::string_view slice = bytes.substr(begin, kBytesAtOnce);
    written += static_cast<std::size_t>(
        EVP_EncodeBlock(unsigned_data(text) + written, unsigned_data(slice), static_cast<int>(slice.size())));
  }
  text.resize(written);
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw std::out_of_range("base64");
  std::string bytes(text.size() / 4 * 3, '\0');
  for (std::size_t begin = 0; begin < text.size(); begin += kTextAtOnce) {
    const std::string_view slice = text.substr(begin, kTextAtOnce);
    if (EVP_DecodeBlock(unsigned_data(bytes) + begin / 4 * 3, unsigned_data(slice),
                        static_cast<int>(slice.size())) < 0)
      throw std::out_of_range("base64");
  }
  // OpenSSL decodes padding to zeros
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  for (std::size_t n = 0; n < padding; ++n) bytes.pop_back();
  // what OpenSSL forgives (blanks, padding inside, loose last bits) is no text of ours
  if (to_base64(bytes) != text) throw std::out_of_range("base64");
  return bytes;
}

}  // namespace hyobscure
