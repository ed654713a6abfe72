#include "hyobscure/report/plot.h"

#include <gtest/gtest.h>

#include <limits>

namespace hyobscure::report {
namespace {

TEST(Plot, DrawsACurveWithTheEndsOfItsAxes) {
  EXPECT_EQ(plot_text({{'*', {{0, 2}, {1, 1}, {2, 0}}}}, "budget", "bits", 5, 3),
            "  bits\n"
            "         2 |*\n"
            "           |  *\n"
            "         0 |    *\n"
            "           +-----\n"
            "            0   2   budget\n");
}

TEST(Plot, DrawsSeveralCurvesTheFirstOnTop) {
  EXPECT_EQ(plot_text({{'a', {{0, 1}, {2, 0}}}, {'b', {{0, 1}, {2, 2}}}}, "x", "y", 3, 3),
            "  y\n"
            "         2 |  b\n"
            "           |a\n"
            "         0 |  a\n"
            "           +---\n"
            "            0 2   x\n");
}

TEST(Plot, CopesWithOnePointAndWithNone) {
  EXPECT_NE(plot_text({{'*', {{1, 1}}}}, "x", "y").find('*'), std::string::npos);
  EXPECT_EQ(plot_text({}, "x", "y"), "  (nothing to plot)\n");
  EXPECT_EQ(plot_text({{'*', {{1, std::numeric_limits<double>::quiet_NaN()}}}}, "x", "y"),
            "  (nothing to plot)\n");
}

}  // namespace
}  // namespace hyobscure::report
