#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "hyobscure/base/json.h"
#include "hyobscure/report/plot.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

constexpr const char* kCsvHeader =
    "method,budget,distance,leakage_bits,leakage_groups_bits,leakage_features_bits,leakage_clusters_bits,"
    "leakage_learned_bits,gap_bits,joint_gap_bits,parameter,epsilon,groups,seconds\n";

std::string csv_rows(const obscure::Frontier& frontier) {
  std::string text;
  for (const auto& point : frontier.points)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},\"{}\",{:.6f}\n", frontier.method, point.budget,
                    point.distance, point.leakage.total, point.leakage.groups, point.leakage.features,
                    point.leakage.clusters, number_text(point.leakage.learned), number_text(point.gap),
                    number_text(point.joint_gap), point.parameter ? number_text(point.parameter->value) : "",
                    number_text(point.epsilon), fmt::join(point.groups, " | "), point.seconds);
  return text;
}

Json to_json(const obscure::Frontier& frontier) {
  Json json = {{"method", frontier.method},
               {"complete", frontier.complete},
               {"note", frontier.note},
               {"points", Json::array()}};
  for (const auto& point : frontier.points) {
    Json entry = {{"budget", number(point.budget)},
                  {"distance", number(point.distance)},
                  {"leakage_bits", number(point.leakage.total)},
                  {"leakage_groups_bits", number(point.leakage.groups)},
                  {"leakage_features_bits", number(point.leakage.features)},
                  {"leakage_clusters_bits", number(point.leakage.clusters)},
                  {"leakage_learned_bits", number(point.leakage.learned)},
                  {"gap_bits", number(point.gap)},
                  {"joint_gap_bits", number(point.joint_gap)},
                  {"epsilon", number(point.epsilon)},
                  {"groups", point.groups},
                  {"seconds", number(point.seconds)}};
    if (point.parameter) entry["parameter"] = {{point.parameter->name, point.parameter->value}};
    json["points"].push_back(std::move(entry));
  }
  return json;
}

/// Leakage by budget, one column per method; a dash where the method cannot meet the budget.
std::string leakage_table(const obscure::Comparison& comparison, double obscure::Leakage::* figure) {
  std::vector<std::string> header = {"budget"};
  for (const auto& curve : comparison.curves) header.push_back(curve.method);
  TextTable table(header);
  for (const double budget : comparison.budgets) {
    std::vector<std::string> row = {fmt::format("{:.4f}", budget)};
    for (const auto& curve : comparison.curves) {
      const auto found = std::ranges::find(curve.points, budget, &obscure::FrontierPoint::budget);
      const bool known = found != curve.points.end() && std::isfinite(found->leakage.*figure);
      row.push_back(known ? fmt::format("{:.4f}", found->leakage.*figure) : "-");
    }
    table.row(std::move(row));
  }
  return table.text();
}

const obscure::FrontierPoint* point_at(const obscure::Frontier& curve, double budget) {
  const auto found = std::ranges::find(curve.points, budget, &obscure::FrontierPoint::budget);
  return found == curve.points.end() ? nullptr : &*found;
}

/// A method that a spec can name; variants of one take part as "fine-free".
bool is_variant(const obscure::Frontier& curve) { return curve.method.find('-') != std::string::npos; }

struct BestAt {
  const obscure::Frontier* best = nullptr;
  const obscure::Frontier* second = nullptr;
};

BestAt best_at(const obscure::Comparison& comparison, double budget) {
  BestAt found;
  const auto leakage = [&](const obscure::Frontier* curve) {
    return curve == nullptr ? kUnset : point_at(*curve, budget)->leakage.total;
  };
  for (const obscure::Frontier& curve : comparison.curves) {
    if (is_variant(curve) || point_at(curve, budget) == nullptr) continue;
    if (!(leakage(&curve) >= leakage(found.best)))
      found = {&curve, found.best};
    else if (!(leakage(&curve) >= leakage(found.second)))
      found.second = &curve;
  }
  return found;
}

/// The method that leaks least at most of the budgets; null where none meets any.
Json recommended(const obscure::Comparison& comparison) {
  std::map<std::string, int> wins;
  for (const double budget : comparison.budgets)
    if (const BestAt found = best_at(comparison, budget); found.best != nullptr) ++wins[found.best->method];
  if (wins.empty()) return nullptr;
  const auto most = std::ranges::max_element(wins, {}, [](const auto& win) { return win.second; });
  std::string why = fmt::format("It leaks least to the informed attacker at {} of {} budgets.", most->second,
                                comparison.budgets.size());
  for (const double budget : comparison.budgets) {
    const BestAt found = best_at(comparison, budget);
    if (found.best == nullptr || found.best->method != most->first) continue;
    const obscure::Leakage& leakage = point_at(*found.best, budget)->leakage;
    why += fmt::format(" At budget {:.4f} the features add {} to the leakage of the groups", budget,
                       bits_text(leakage.features));
    if (found.second != nullptr)
      why += fmt::format("; with the next, {}, {}", found.second->method,
                         bits_text(point_at(*found.second, budget)->leakage.features));
    why += ".";
    break;
  }
  return {{"method", most->first}, {"why", why}};
}

std::string methods_table(const obscure::Comparison& comparison) {
  TextTable table({"method", "mark", "seconds per budget", "channel gap", "joint gap", "remark"});
  for (std::size_t m = 0; m < comparison.curves.size(); ++m) {
    const auto& curve = comparison.curves[m];
    double seconds = 0, gap = 0, channel_gap = 0;
    for (const auto& point : curve.points) {
      seconds += point.seconds / static_cast<double>(curve.points.size());
      gap = std::max(gap, std::isfinite(point.joint_gap) ? point.joint_gap : 0);
      channel_gap = std::max(channel_gap, std::isfinite(point.gap) ? point.gap : 0);
    }
    const bool joint = !curve.points.empty() && std::isfinite(curve.points.front().joint_gap);
    const bool proven = !curve.points.empty() && std::isfinite(curve.points.front().gap);
    table.row({curve.method, std::string(1, static_cast<char>('a' + m)),
               curve.points.empty() ? "-" : fmt::format("{:.3f}", seconds),
               proven ? fmt::format("{:.0e}", channel_gap) : "-", joint ? fmt::format("{:.0e}", gap) : "-",
               curve.points.empty() && curve.complete ? "meets none of these budgets"
               : curve.complete                       ? curve.note
                                                      : "stopped early"});
  }
  return table.text();
}

}  // namespace

std::string frontier_text(const obscure::Frontier& frontier) {
  TextTable table({"budget", "distance", "leakage (bits)", "by groups", "by features", "groups"});
  std::vector<PlotPoint> curve;
  for (const auto& point : frontier.points) {
    table.row({fmt::format("{:.4f}", point.budget), fmt::format("{:.4f}", point.distance),
               fmt::format("{:.4f}", point.leakage.total), fmt::format("{:.4f}", point.leakage.groups),
               fmt::format("{:.4f}", point.leakage.features),
               fmt::format("{}", fmt::join(point.groups, " | "))});
    curve.push_back({point.budget, point.leakage.total});
  }
  return fmt::format("Trade-off of {}{}\n{}\n{}", frontier.method, frontier.complete ? "" : " (incomplete)",
                     table.text(), plot_text({{'*', curve}}, "budget", "leakage (bits)"));
}

std::string frontier_csv(const obscure::Frontier& frontier) { return kCsvHeader + csv_rows(frontier); }

std::string frontier_json(const obscure::Frontier& frontier) { return to_json(frontier).dump(); }

std::string comparison_text(const obscure::Comparison& comparison) {
  std::vector<PlotCurve> curves;
  for (std::size_t m = 0; m < comparison.curves.size(); ++m) {
    curves.push_back({static_cast<char>('a' + m), {}});
    for (const auto& point : comparison.curves[m].points)
      curves.back().points.push_back({point.budget, point.leakage.total});
  }
  std::string text = fmt::format(
      "{} methods, {} budgets, {} groups each; donors of the baselines come from {}\n\n"
      "Leakage I(Y; V, G) in bits, V the donor, of H(Y) = {:.4f}: what no attacker can exceed\n{}",
      comparison.curves.size(), comparison.budgets.size(), comparison.groups,
      comparison.within_groups ? "the person's own group" : "all groups", comparison.secret_entropy,
      leakage_table(comparison, &obscure::Leakage::total));
  text += fmt::format(
      "\nOf it, by the features beyond the groups, I(Y; V | G)\n{}"
      "\nThe same by the published row's cluster only, I(Y; C' | G): does not see own rows\n{}",
      leakage_table(comparison, &obscure::Leakage::features),
      leakage_table(comparison, &obscure::Leakage::clusters));
  const bool learned = std::ranges::any_of(comparison.curves, [](const auto& curve) {
    return !curve.points.empty() && std::isfinite(curve.points.front().leakage.learned);
  });
  if (learned)
    text += fmt::format("\nTo a model trained on other people, where it was computed\n{}",
                        leakage_table(comparison, &obscure::Leakage::learned));
  if (const Json best = recommended(comparison); !best.is_null())
    text += fmt::format("\nRecommended: {}. {}\n", best["method"].get<std::string>(),
                        best["why"].get<std::string>());
  return wrapped(text) +
         fmt::format("\n{}\n{}", methods_table(comparison),
                     plot_text(curves, "budget", "leakage I(Y; V, G) in bits, by the marks above"));
}

std::string comparison_csv(const obscure::Comparison& comparison) {
  std::string text = kCsvHeader;
  for (const auto& curve : comparison.curves) text += csv_rows(curve);
  return text;
}

std::string comparison_json(const obscure::Comparison& comparison, double seconds) {
  Json json = {{"command", "compare"},
               {"budgets", comparison.budgets},
               {"groups", comparison.groups},
               {"within_groups", comparison.within_groups},
               {"secret_entropy_bits", number(comparison.secret_entropy)},
               {"complete", comparison.complete()},
               {"recommended", recommended(comparison)},
               {"methods", Json::array()},
               {"seconds", seconds}};
  for (const auto& curve : comparison.curves) json["methods"].push_back(to_json(curve));
  return json.dump();
}

}  // namespace hyobscure::report
