#pragma once

#include <string>
#include <vector>

namespace hyobscure::report {

struct PlotPoint {
  double x, y;
};

/// Points that are drawn with the same letter.
struct PlotCurve {
  char mark;
  std::vector<PlotPoint> points;
};

/// Curves in letters: y over x with the ends of both axes written down. Points that are not finite are left
/// out; where curves meet, the first one is seen.
std::string plot_text(const std::vector<PlotCurve>& curves, const std::string& x_name,
                      const std::string& y_name, int width = 64, int height = 14);

}  // namespace hyobscure::report
