#pragma once

#include <string>
#include <vector>

namespace hyobscure::report {

struct PlotPoint {
  double x, y;
};

/// A curve in letters: y over x with the ends of both axes written down. Points that are not finite are left
/// out.
std::string plot_text(const std::vector<PlotPoint>& points, const std::string& x_name,
                      const std::string& y_name, int width = 64, int height = 14);

}  // namespace hyobscure::report
