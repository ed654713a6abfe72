// Our channel solver and Ipopt on the same problems; writes the problems for channel_cvxpy.py, which goes on.
// Usage: channel_ipopt FOLDER

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cube_problem.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/channel/test_ipopt_oracle.h"

namespace {

using namespace hyobscure;
using namespace hyobscure::solve;

std::vector<std::vector<double>> rows_of(const Eigen::MatrixXd& matrix) {
  std::vector<std::vector<double>> rows;
  for (const auto& row : matrix.rowwise()) rows.emplace_back(row.begin(), row.end());
  return rows;
}

void write_problem(const std::filesystem::path& path, const ChannelProblem& problem, double budget,
                   const ChannelInfo& ours) {
  const nlohmann::json json{{"joint", rows_of(problem.joints[0])},
                            {"distance", rows_of(problem.distances[0])},
                            {"budget", budget},
                            {"lower_bound_bits", ours.lower_bound_nats * kBitsPerNat}};
  std::ofstream(path) << json;
}

struct Row {
  std::string_view solver, size;
  double seconds = 1e9, cpu_seconds = 1e9;
  double leakage_nats = 0, gap_nats = 0, overdrawn = 0;
  std::string_view note = {};
};

/// A channel outside the budget is no answer, however little it leaks.
std::string gap_text(const Row& row) {
  return row.overdrawn > 1e-6 ? "none" : fmt::format("{:.1e}", row.gap_nats * kBitsPerNat);
}

void print(const Row& row) {
  fmt::print(
      "{:<9} {:<7} {:>9.4f} s  {:>9.4f} CPU s  leakage {:.9f} bits  gap {:>8} bits  overdrawn {:>7.1e}  "
      "{}\n",
      row.solver, row.size, row.seconds, row.cpu_seconds, row.leakage_nats * kBitsPerNat, gap_text(row),
      std::max(0.0, row.overdrawn), row.note);
  std::fflush(stdout);
}

/// The best of three: the first run pays for cold caches.
Row ours(const ChannelProblem& problem, double budget, std::string_view size, ChannelInfo& info) {
  Row row{.solver = "ours", .size = size};
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::clock_t begin = std::clock();
    info = solve_with_budget(problem, budget).info;
    row.seconds = std::min(row.seconds, info.seconds);
    row.cpu_seconds = std::min(row.cpu_seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  row.leakage_nats = info.leakage_nats;
  row.gap_nats = info.gap_nats;
  row.overdrawn = info.distance - budget;
  row.note = info.status == SolveStatus::Solved ? "certified" : "NOT SOLVED";
  return row;
}

void compare(int clusters, int values, const std::filesystem::path& folder) {
  const std::string size = fmt::format("{}x{}", clusters, values);
  const ChannelProblem problem = clusters_in_a_cube(clusters, values);
  const double budget = usual_budget(problem);
  ChannelInfo info;
  print(ours(problem, budget, size, info));
  write_problem(folder / fmt::format("channel_{}.json", size), problem, budget, info);

  const IpoptAnswer theirs = solve_with_ipopt(problem.joints[0], problem.distances[0], budget);
  const double leakage = group_leakage(problem.joints[0], theirs.channel);
  print({.solver = "Ipopt",
         .size = size,
         .seconds = theirs.seconds,
         .cpu_seconds = theirs.cpu_seconds,
         .leakage_nats = leakage,
         .gap_nats = leakage - info.lower_bound_nats,
         .overdrawn = expected_distance(problem, {&theirs.channel, 1}) - budget,
         .note = theirs.solved ? "" : "stopped at its limit of 600 s"});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: channel_ipopt FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const auto& [clusters, values] : {std::pair{10, 8}, {50, 30}, {200, 30}})
    compare(clusters, values, argv[1]);
}
