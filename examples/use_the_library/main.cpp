// The channel that hides a secret of two values best, within a budget. Built by tests/test_install.py.
#include <hyobscure/solve/channel/channel.h>

#include <iostream>

int main() {
  const hyobscure::solve::ChannelProblem problem{
      {Eigen::MatrixXd{{0.4, 0.1}, {0.1, 0.4}}},   // P(cluster, value)
      {Eigen::MatrixXd{{0.0, 1.0}, {1.0, 0.0}}}};  // distances of clusters
  const auto [channels, info] = hyobscure::solve::solve_with_budget(problem, 0.2);
  std::cout << channels[0] << "\nleaks " << info.leakage_nats << " nats, at most " << info.gap_nats
            << " above the optimum\n";
  return info.status == hyobscure::solve::SolveStatus::Solved ? 0 : 1;
}
