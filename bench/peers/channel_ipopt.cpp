// Our channel solver and Ipopt on the same problems; writes the problems for channel_cvxpy.py, which goes on.
// Usage: channel_ipopt FOLDER

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cube_problem.h"
#include "hyobscure/solve/ipopt_oracle.h"
#include "hyobscure/solve/leakage.h"

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

void print_row(std::string_view solver, std::string_view size, double seconds, double leakage_bits,
               double gap_bits, double overdrawn, std::string_view note) {
  fmt::print("{:<10} {:<8} {:>10.4f} s  leakage {:.9f} bits  gap {:>9.2e} bits  overdrawn {:>8.1e}  {}\n",
             solver, size, seconds, leakage_bits, gap_bits, overdrawn, note);
  std::fflush(stdout);
}

void compare(int clusters, int values, const std::filesystem::path& folder) {
  const std::string size = fmt::format("{}x{}", clusters, values);
  const ChannelProblem problem = clusters_in_a_cube(clusters, values);
  const double budget = usual_budget(problem);
  ChannelInfo ours = solve_with_budget(problem, budget).info;
  for (int repeat = 0; repeat < 2; ++repeat)  // the first run pays for cold caches
    ours.seconds = std::min(ours.seconds, solve_with_budget(problem, budget).info.seconds);
  print_row("ours", size, ours.seconds, ours.leakage_nats * kBitsPerNat, ours.gap_nats * kBitsPerNat,
            std::max(0.0, ours.distance - budget),
            ours.status == SolveStatus::Solved ? "certified" : "NOT SOLVED");
  write_problem(folder / fmt::format("channel_{}.json", size), problem, budget, ours);

  const IpoptAnswer theirs = solve_with_ipopt(problem.joints[0], problem.distances[0], budget);
  if (theirs.channel.size() == 0) {
    fmt::print("{:<10} {:<8} {:>10.4f} s  no answer\n", "Ipopt", size, theirs.seconds);
    return;
  }
  const double leakage = group_leakage(problem.joints[0], theirs.channel);
  print_row("Ipopt", size, theirs.seconds, leakage * kBitsPerNat,
            (leakage - ours.lower_bound_nats) * kBitsPerNat,
            std::max(0.0, expected_distance(problem, {&theirs.channel, 1}) - budget),
            theirs.solved ? "" : "stopped at its limit");
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
