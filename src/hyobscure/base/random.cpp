#include "hyobscure/base/random.h"

#include <sodium.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include "hyobscure/base/error.h"

namespace hyobscure {
namespace {

void start_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("the operating system gives no randomness");
}

std::uint64_t little_endian(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

Key Key::from_system() {
  start_sodium();
  Key key;
  randombytes_buf(key.bytes_.data(), key.bytes_.size());
  return key;
}

Key Key::from_seed(std::uint64_t seed) {
  start_sodium();
  Key key;
  for (std::size_t i = 0; i < 8; ++i) key.bytes_[i] = static_cast<unsigned char>(seed >> (8 * i));
  return key.derive("seed");
}

Key Key::from_text(std::string_view hex) {
  start_sodium();
  Key key;
  std::size_t length = 0;
  if (sodium_hex2bin(key.bytes_.data(), key.bytes_.size(), hex.data(), hex.size(), nullptr, &length,
                     nullptr) != 0 ||
      length != key.bytes_.size() || hex.size() != 2 * key.bytes_.size())
    throw InputError({.source = "key"}, "expected 64 hexadecimal digits",
                     "Restore the file that held the key.");
  return key;
}

Key Key::derive(std::string_view purpose) const {
  start_sodium();
  Key derived;
  crypto_generichash(derived.bytes_.data(), derived.bytes_.size(),
                     reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(), bytes_.data(),
                     bytes_.size());
  return derived;
}

std::string Key::text() const {
  std::string hex(2 * bytes_.size() + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), bytes_.data(), bytes_.size());
  hex.pop_back();
  return hex;
}

NamedDraws::Bits NamedDraws::bits(std::string_view name) const {
  std::array<unsigned char, 16> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(name.data()),
                     name.size(), key_.bytes().data(), key_.bytes().size());
  return {little_endian(hash.data()), little_endian(hash.data() + 8)};
}

void RandomStream::refill() {
  constexpr std::size_t kChachaBlock = 64;
  const std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};  // one stream a key
  auto* const bytes = reinterpret_cast<unsigned char*>(buffer_.data());
  buffer_.fill(0);
  crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof(buffer_), nonce.data(), block_, key_.bytes().data());
  if constexpr (std::endian::native != std::endian::little)
    for (std::size_t i = 0; i < buffer_.size(); ++i) buffer_[i] = little_endian(bytes + 8 * i);
  block_ += sizeof(buffer_) / kChachaBlock;
  next_ = 0;
}

double
RandomStream::normal() {  // Box and Muller; the second number is thrown away to keep the stream stateless
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace hyobscure
