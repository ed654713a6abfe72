#include "hyobscure/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::report {

std::string plot_text(const std::vector<PlotCurve>& curves, const std::string& x_name,
                      const std::string& y_name, int width, int height) {
  std::vector<std::pair<PlotPoint, char>> shown;
  for (const PlotCurve& curve : curves)
    for (const PlotPoint& point : curve.points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) shown.emplace_back(point, curve.mark);
  if (shown.empty()) return "  (nothing to plot)\n";
  const auto x_of = [](const auto& marked) { return marked.first.x; };
  const auto y_of = [](const auto& marked) { return marked.first.y; };
  const double left = x_of(std::ranges::min(shown, {}, x_of)),
               right = x_of(std::ranges::max(shown, {}, x_of));
  const double bottom = y_of(std::ranges::min(shown, {}, y_of)),
               top = y_of(std::ranges::max(shown, {}, y_of));
  const auto place = [](double value, double low, double high, int cells) {
    const double share = high > low ? (value - low) / (high - low) : 0.0;
    return static_cast<std::size_t>(std::lround(share * (cells - 1)));
  };
  std::vector<std::string> lines(static_cast<std::size_t>(height),
                                 std::string(static_cast<std::size_t>(width), ' '));
  for (const auto& [point, mark] : shown) {
    char& cell = lines[static_cast<std::size_t>(height) - 1 - place(point.y, bottom, top, height)]
                      [place(point.x, left, right, width)];
    if (cell == ' ') cell = mark;
  }
  std::string text = "  " + y_name + "\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const bool first = row == 0, last = row + 1 == lines.size();
    const std::string label = first ? fmt::format("{:.4g}", top) : last ? fmt::format("{:.4g}", bottom) : "";
    lines[row].erase(lines[row].find_last_not_of(' ') + 1);
    text += fmt::format("  {:>8} |{}\n", label, lines[row]);
  }
  const std::string low = fmt::format("{:.4g}", left), high = fmt::format("{:.4g}", right);
  const auto gap = static_cast<std::size_t>(std::max(1, width - static_cast<int>(low.size() + high.size())));
  text += fmt::format("  {:>8} +{}\n", "", std::string(static_cast<std::size_t>(width), '-'));
  return text + fmt::format("  {:>8}  {}{}{}   {}\n", "", low, std::string(gap, ' '), high, x_name);
}

}  // namespace hyobscure::report
