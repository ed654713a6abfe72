#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace hyobscure {

/// 256 secret bits. Anyone who holds the key of a mechanism can undo its release.
class Key {
 public:
  using Bytes = std::array<unsigned char, 32>;

  /// From the operating system: what a release draws from.
  static Key from_system();
  /// Repeatable, for trials only: a seed can be guessed.
  static Key from_seed(std::uint64_t seed);
  /// 64 hexadecimal digits, as text() writes them; throws InputError otherwise.
  static Key from_text(std::string_view hex);

  /// An independent key for one purpose; keys of different purposes tell nothing about each other.
  Key derive(std::string_view purpose) const;
  std::string text() const;
  const Bytes& bytes() const { return bytes_; }
  bool operator==(const Key&) const = default;

 private:
  Bytes bytes_{};
};

/// Randomness that belongs to a name: the draws of a person depend on the key and the person's id alone, so
/// that threads, chunks, retries and machines all draw the same. BLAKE2b with a key is the pseudo-random
/// function.
class NamedDraws {
 public:
  explicit NamedDraws(const Key& key) : key_(key) {}

  struct Bits {
    std::uint64_t first;
    std::uint64_t second;
  };
  /// 128 random bits for the name.
  Bits bits(std::string_view name) const;

 private:
  Key key_;
};

/// 53 random bits as a number in [0, 1).
constexpr double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Maps 64 random bits to 0 .. limit-1; the bias is at most limit / 2^64.
constexpr std::uint64_t scale_below(std::uint64_t bits, std::uint64_t limit) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * limit) >> 64);
}

/// A stream of random numbers from a key (ChaCha20 with a counter), the same on every machine and compiler: a
/// generator for the standard library, and the few distributions that must not depend on a standard library's
/// choices.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  explicit RandomStream(const Key& key) : key_(key) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    if (next_ == buffer_.size()) refill();
    return buffer_[next_++];
  }

  /// In [0, 1).
  double uniform() { return unit_interval((*this)()); }
  /// Uniform in 0 .. limit-1; limit > 0.
  std::uint64_t below(std::uint64_t limit) { return scale_below((*this)(), limit); }
  /// Mean 0, deviation 1.
  double normal();

 private:
  void refill();

  Key key_;
  std::array<std::uint64_t, 128> buffer_{};
  std::size_t next_ = 128;
  std::uint64_t block_ = 0;
};

}  // namespace hyobscure
