#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace hyobscure::verify {

/// Bytes that are not what the format says.
class NotThrift : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Walks the compact protocol of Thrift, in which Parquet describes itself. Every read is within the bytes.
class ThriftReader {
 public:
  enum class Type {
    End = 0,
    True = 1,
    False = 2,
    Byte = 3,
    I16 = 4,
    I32 = 5,
    I64 = 6,
    Double = 7,
    Text = 8,
    List = 9,
    Set = 10,
    Map = 11,
    Struct = 12
  };

  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  /// Calls field(id, type) for every field of a structure; it must read or skip the value.
  void structure(const std::function<void(int id, Type type)>& field);
  /// Calls each(type) for every element of a list; it must read or skip the element.
  void list(const std::function<void(Type type)>& each);
  std::int64_t number();
  std::string_view text();
  void skip(Type type);

  /// How many bytes were read.
  std::size_t place() const { return place_; }

 private:
  static constexpr int kDeepest = 32;

  unsigned char byte();
  std::uint64_t varint();

  std::string_view bytes_;
  std::size_t place_ = 0;
  int depth_ = 0;
};

}  // namespace hyobscure::verify
