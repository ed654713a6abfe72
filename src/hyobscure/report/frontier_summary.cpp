#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "hyobscure/base/json.h"
#include "hyobscure/report/plot.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text.h"

namespace hyobscure::report {
std::string frontier_text(const obscure::Frontier& frontier) {
  TextTable table({"budget", "distance", "leakage (bits)", "by groups", "by features", "groups"});
  std::vector<PlotPoint> curve;
  for (const auto& point : frontier.points) {
    table.row({fmt::format("{:.4f}", point.budget), fmt::format("{:.4f}", point.distance),
               fmt::format("{:.4f}", point.leakage), fmt::format("{:.4f}", point.leakage_groups),
               fmt::format("{:.4f}", point.leakage_features),
               fmt::format("{}", fmt::join(point.groups, " | "))});
    curve.push_back({point.budget, point.leakage});
  }
  return fmt::format("Trade-off of {}{}\n{}\n{}", frontier.method, frontier.complete ? "" : " (incomplete)",
                     table.text(), plot_text(curve, "budget", "leakage (bits)"));
}

std::string frontier_csv(const obscure::Frontier& frontier) {
  std::string text =
      "method,budget,distance,leakage_bits,leakage_groups_bits,leakage_features_bits,joint_gap_bits,groups\n";
  for (const auto& point : frontier.points)
    text += fmt::format("{},{},{},{},{},{},{},\"{}\"\n", frontier.method, point.budget, point.distance,
                        point.leakage, point.leakage_groups, point.leakage_features,
                        std::isfinite(point.joint_gap) ? fmt::format("{}", point.joint_gap) : "",
                        fmt::join(point.groups, " | "));
  return text;
}

std::string frontier_json(const obscure::Frontier& frontier) {
  Json json = {{"method", frontier.method}, {"complete", frontier.complete}, {"points", Json::array()}};
  for (const auto& point : frontier.points)
    json["points"].push_back({{"budget", number(point.budget)},
                              {"distance", number(point.distance)},
                              {"leakage_bits", number(point.leakage)},
                              {"leakage_groups_bits", number(point.leakage_groups)},
                              {"leakage_features_bits", number(point.leakage_features)},
                              {"joint_gap_bits", number(point.joint_gap)},
                              {"groups", point.groups}});
  return json.dump();
}

}  // namespace hyobscure::report
