#include "hyobscure/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::report {

std::string plot_text(const std::vector<PlotPoint>& points, const std::string& x_name,
                      const std::string& y_name, int width, int height) {
  std::vector<PlotPoint> shown;
  std::ranges::copy_if(points, std::back_inserter(shown),
                       [](const PlotPoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); });
  if (shown.empty()) return "  (nothing to plot)\n";
  const auto [left, right] = std::ranges::minmax(shown, {}, &PlotPoint::x);
  const auto [bottom, top] = std::ranges::minmax(shown, {}, &PlotPoint::y);
  const auto place = [](double value, double low, double high, int cells) {
    const double share = high > low ? (value - low) / (high - low) : 0.0;
    return static_cast<std::size_t>(std::lround(share * (cells - 1)));
  };
  std::vector<std::string> lines(static_cast<std::size_t>(height),
                                 std::string(static_cast<std::size_t>(width), ' '));
  for (const PlotPoint& point : shown)
    lines[static_cast<std::size_t>(height) - 1 - place(point.y, bottom.y, top.y, height)]
         [place(point.x, left.x, right.x, width)] = '*';
  std::string text = "  " + y_name + "\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const bool first = row == 0, last = row + 1 == lines.size();
    const std::string label = first  ? fmt::format("{:.4g}", top.y)
                              : last ? fmt::format("{:.4g}", bottom.y)
                                     : "";
    lines[row].erase(lines[row].find_last_not_of(' ') + 1);
    text += fmt::format("  {:>8} |{}\n", label, lines[row]);
  }
  const std::string low = fmt::format("{:.4g}", left.x), high = fmt::format("{:.4g}", right.x);
  const auto gap = static_cast<std::size_t>(std::max(1, width - static_cast<int>(low.size() + high.size())));
  text += fmt::format("  {:>8} +{}\n", "", std::string(static_cast<std::size_t>(width), '-'));
  return text + fmt::format("  {:>8}  {}{}{}   {}\n", "", low, std::string(gap, ' '), high, x_name);
}

}  // namespace hyobscure::report
