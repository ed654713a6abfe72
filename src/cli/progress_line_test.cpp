#include "cli/progress_line.h"

#include <gmock/gmock.h>

namespace hyobscure::cli {
namespace {

using testing::HasSubstr;

TEST(ProgressText, SaysHowFarAndHowLong) {
  EXPECT_EQ(progress_text("clustering", 2, 5, 20), "clustering, 40 %, about 30 s left");
  EXPECT_EQ(progress_text("clustering", 0, 5, 0.5), "clustering, 0 %");
  EXPECT_EQ(progress_text("thinking", 0, 0, 7), "thinking, 7.0 s");
  // tenths of a second are no estimate
  EXPECT_EQ(progress_text("clustering", 99, 100, 2), "clustering, 99 %, nearly done");
}

TEST(SecondsLeft, ArePredictedAtFirstAndMeasuredInTheEnd) {
  EXPECT_EQ(seconds_left(0, 100, 0), 100);
  EXPECT_EQ(seconds_left(0, 100, 30), 70);  // by the clock where nothing else is known
  EXPECT_EQ(seconds_left(0, 100, 130), 0);
  EXPECT_EQ(seconds_left(100, 100, 130), 0);
  // twice as slow as predicted: at the half it is nearly known
  const double at_half = seconds_left(50, 100, 100);
  EXPECT_GT(at_half, 85);
  EXPECT_LT(at_half, 100);
  // and after one hundredth hardly believed
  EXPECT_LT(seconds_left(1, 100, 2), 110);
}

// Work that is predicted wrong by a factor of 3 either way and goes on evenly: from a fifth on, what is said
// to be left is within a factor of 2 of what is.
TEST(SecondsLeft, AreRightWithinAFactorOfTwoAfterAFifth) {
  for (const double slower : {1.0 / 3, 0.5, 1.0, 2.0, 3.0})
    for (double done = 20; done < 100; done += 5) {
      const double left = (100 - done) * slower;
      const double said = seconds_left(done, 100, done * slower);
      EXPECT_LT(said, 2 * left) << slower << " " << done;
      EXPECT_GT(said, left / 2) << slower << " " << done;
    }
}

TEST(WholeText, HasThePartAndTheWhole) {
  EXPECT_EQ(whole_text("attacking", 0, 40, 0), "attacking, about 40 s left");
  EXPECT_THAT(whole_text("attacking", 20, 40, 20),
              HasSubstr("attacking, 50 % of the whole, about 20 s left"));
  EXPECT_THAT(whole_text("attacking", 0, 40, 60), HasSubstr("longer than the predicted 40 s"));
  EXPECT_THAT(whole_text("attacking", 40, 40, 60), HasSubstr("nearly done"));
}

}  // namespace
}  // namespace hyobscure::cli
