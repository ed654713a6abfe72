#include "hyobscure/obscure/mechanism/packed_draw.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace hyobscure::obscure {
namespace {

constexpr std::uint64_t kUnits = std::uint64_t{1} << 32;  // of probability 1

std::uint64_t units_of(double probability) {
  return static_cast<std::uint64_t>(std::llround(probability * static_cast<double>(kUnits)));
}

void write_number(std::uint64_t number, std::string& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(0x80 | (number & 0x7F)));
  bytes.push_back(static_cast<char>(number));
}

class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return next_ == bytes_.size(); }
  std::size_t bytes_left() const { return bytes_.size() - next_; }

  /// Not above `most`.
  std::uint64_t read(std::uint64_t most) {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (at_end()) break;
      const auto byte = static_cast<unsigned char>(bytes_[next_++]);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) != 0) continue;
      if (number > most || (byte == 0 && shift > 0)) break;  // too large, or longer than it must be
      return number;
    }
    throw std::out_of_range("packed number");
  }

 private:
  std::string_view bytes_;
  std::size_t next_ = 0;
};

}  // namespace

void round_to_units(PersonDraw& draw) {
  PersonDraw rounded;
  rounded.starts.reserve(draw.starts.size());
  rounded.donors.reserve(draw.donors.size());
  rounded.probabilities.reserve(draw.donors.size());
  std::vector<std::uint64_t> units;
  for (std::size_t u = 0; u < draw.size(); ++u) {
    const std::size_t begin = draw.starts[u], end = draw.starts[u + 1];
    units.clear();
    std::uint64_t sum = 0;
    std::size_t largest = 0;
    for (std::size_t e = begin; e < end; ++e) {
      units.push_back(units_of(draw.probabilities[e]));
      sum += units.back();
      if (units.back() > units[largest]) largest = units.size() - 1;
    }
    // what rounding leaves, at most half a unit an entry, changes the largest least
    units[largest] += kUnits - sum;
    for (std::size_t k = 0; k < units.size(); ++k) {
      if (units[k] == 0) continue;
      rounded.donors.push_back(draw.donors[begin + k]);
      rounded.probabilities.push_back(static_cast<double>(units[k]) / static_cast<double>(kUnits));
    }
    rounded.starts.push_back(rounded.donors.size());
  }
  draw = std::move(rounded);
}

std::string pack(const PersonDraw& draw) {
  std::string bytes;
  bytes.reserve(7 * draw.donors.size());
  for (std::size_t u = 0; u < draw.size(); ++u) {
    write_number(draw.starts[u + 1] - draw.starts[u], bytes);
    std::uint64_t next = 0;  // the smallest donor that can follow
    for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e) {
      assert(draw.donors[e] >= next);
      write_number(draw.donors[e] - next, bytes);
      write_number(units_of(draw.probabilities[e]), bytes);
      next = std::uint64_t{draw.donors[e]} + 1;
    }
  }
  return bytes;
}

PersonDraw unpack(std::string_view bytes) {
  NumberReader reader(bytes);
  PersonDraw draw;
  while (!reader.at_end()) {
    std::uint64_t entries = reader.read(bytes.size() / 2);  // two bytes an entry at least
    std::uint64_t next = 0;
    for (; entries > 0; --entries) {
      const std::uint64_t donor = next + reader.read(std::numeric_limits<std::uint32_t>::max() - next);
      draw.donors.push_back(static_cast<std::uint32_t>(donor));
      draw.probabilities.push_back(static_cast<double>(reader.read(kUnits)) / static_cast<double>(kUnits));
      next = donor + 1;
      if (next > std::numeric_limits<std::uint32_t>::max() && entries > 1)
        throw std::out_of_range("packed donor");
    }
    draw.starts.push_back(draw.donors.size());
  }
  return draw;
}

}  // namespace hyobscure::obscure
