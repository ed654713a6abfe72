#include "hyobscure/verify/thrift.h"

namespace hyobscure::verify {

unsigned char ThriftReader::byte() {
  if (place_ >= bytes_.size()) throw NotThrift("it ends too early");
  return static_cast<unsigned char>(bytes_[place_++]);
}

std::uint64_t ThriftReader::varint() {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const unsigned char next = byte();
    number |= std::uint64_t{next & 127u} << shift;
    if (next < 128) return number;
  }
  throw NotThrift("a number does not end");
}

std::int64_t ThriftReader::number() {
  const std::uint64_t zigzag = varint();
  return static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1);
}

std::string_view ThriftReader::text() {
  const std::uint64_t length = varint();
  if (length > bytes_.size() - place_) throw NotThrift("a text ends too early");
  const std::string_view text = bytes_.substr(place_, length);
  place_ += length;
  return text;
}

void ThriftReader::structure(const std::function<void(int, Type)>& field) {
  if (++depth_ > kDeepest) throw NotThrift("it is nested too deeply");
  int id = 0;
  for (;;) {
    const unsigned char head = byte();
    if (head == 0) break;
    const auto type = static_cast<Type>(head & 15);
    const int before = id;
    id = head >> 4 != 0 ? id + (head >> 4) : static_cast<int>(number());
    if (id <= before) throw NotThrift("a field stands twice or out of order");
    field(id, type);
  }
  --depth_;
}

void ThriftReader::list(const std::function<void(Type)>& each) {
  const unsigned char head = byte();
  const std::uint64_t size = head >> 4 == 15 ? varint() : head >> 4;
  if (size > bytes_.size() - place_) throw NotThrift("a list ends too early");
  for (std::uint64_t n = 0; n < size; ++n) each(static_cast<Type>(head & 15));
}

void ThriftReader::skip(Type type) {
  switch (type) {
    case Type::True:
    case Type::False:
      return;
    case Type::Byte:
      (void)byte();
      return;
    case Type::I16:
    case Type::I32:
    case Type::I64:
      (void)varint();
      return;
    case Type::Double:
      for (int n = 0; n < 8; ++n) (void)byte();
      return;
    case Type::Text:
      (void)text();
      return;
    case Type::List:
    case Type::Set:
      if (++depth_ > kDeepest) throw NotThrift("it is nested too deeply");
      list([&](Type each) {
        if (each == Type::True || each == Type::False)
          (void)byte();
        else
          skip(each);
      });
      --depth_;
      return;
    case Type::Struct:
      structure([&](int, Type each) { skip(each); });
      return;
    default:
      throw NotThrift("it has a type that Parquet does not use");
  }
}

}  // namespace hyobscure::verify
