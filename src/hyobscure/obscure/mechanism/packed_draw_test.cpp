#include "hyobscure/obscure/mechanism/packed_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace hyobscure::obscure {
namespace {

PersonDraw random_draw(unsigned seed, std::size_t people) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  PersonDraw draw;
  for (std::size_t u = 0; u < people; ++u) {
    double sum = 0;
    for (std::size_t donor = random() % 5; donor < people; donor += 1 + random() % (people / 4)) {
      draw.donors.push_back(static_cast<std::uint32_t>(donor));
      draw.probabilities.push_back(std::pow(unit(random), 8));
      sum += draw.probabilities.back();
    }
    for (std::size_t e = draw.starts.back(); e < draw.donors.size(); ++e) draw.probabilities[e] /= sum;
    draw.starts.push_back(draw.donors.size());
  }
  return draw;
}

TEST(PackedDraw, RoundedRowsSumToOneAndAreNear) {
  PersonDraw draw = random_draw(1, 200);
  const PersonDraw before = draw;
  round_to_units(draw);
  ASSERT_EQ(draw.size(), before.size());
  for (std::size_t u = 0; u < draw.size(); ++u) {
    double sum = 0;
    std::size_t k = before.starts[u];
    for (std::size_t e = draw.starts[u]; e < draw.starts[u + 1]; ++e, ++k) {
      // what became 0 is left out
      for (; before.donors[k] != draw.donors[e]; ++k) EXPECT_LT(before.probabilities[k], 0x1p-33 * 1.001);
      const auto entries = static_cast<double>(before.starts[u + 1] - before.starts[u]);
      EXPECT_NEAR(draw.probabilities[e], before.probabilities[k], 0x1p-33 * (1 + entries));
      EXPECT_EQ(std::floor(draw.probabilities[e] * 0x1p32), draw.probabilities[e] * 0x1p32);
      sum += draw.probabilities[e];
    }
    EXPECT_EQ(sum, 1);
  }
}

TEST(PackedDraw, ReadsWhatItWrites) {
  PersonDraw draw = random_draw(2, 300);
  round_to_units(draw);
  const PersonDraw again = unpack(pack(draw));
  EXPECT_EQ(again.starts, draw.starts);
  EXPECT_EQ(again.donors, draw.donors);
  EXPECT_EQ(again.probabilities, draw.probabilities);
  PersonDraw twice = draw;
  round_to_units(twice);
  EXPECT_EQ(twice.probabilities, draw.probabilities);
}

TEST(PackedDraw, IsWrittenAsTheDocumentSays) {
  const PersonDraw draw{.starts = {0, 2, 3}, .donors = {1, 200, 0}, .probabilities = {0.25, 0.75, 1}};
  const std::string expected{'\x02', '\x01', '\x80', '\x80', '\x80', '\x80', '\x04',   // 1/4
                             '\xC6', '\x01', '\x80', '\x80', '\x80', '\x80', '\x0C',   // 198 more, 3/4
                             '\x01', '\x00', '\x80', '\x80', '\x80', '\x80', '\x10'};  // 1
  EXPECT_EQ(pack(draw), expected);
}

TEST(PackedDraw, RefusesBytesThatAreNoRows) {
  PersonDraw draw = random_draw(3, 40);
  round_to_units(draw);
  const std::string bytes = pack(draw);
  EXPECT_THROW((void)unpack(bytes.substr(0, bytes.size() - 1)), std::out_of_range);
  EXPECT_THROW((void)unpack(std::string(12, '\xFF')), std::out_of_range);
  EXPECT_THROW((void)unpack(std::string("\x01\x80\x00\x01", 4)), std::out_of_range);  // 0 in two bytes
  EXPECT_THROW((void)unpack("\x01\x01\xFF\xFF\xFF\xFF\x7F"), std::out_of_range);      // a probability of 8
  EXPECT_THROW((void)unpack("\x02\xFF\xFF\xFF\xFF\x0F\x01\x01\x01"), std::out_of_range);  // beyond all donors
  EXPECT_EQ(unpack("").size(), 0U);
}

}  // namespace
}  // namespace hyobscure::obscure
