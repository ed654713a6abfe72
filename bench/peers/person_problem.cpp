// One group of 100 synthetic people at one price of distance: solves it, and writes it as JSON for peers.
//
//   person_problem FILE

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sparse_people.h"

int main(int argc, char** argv) {
  using namespace hyobscure;
  constexpr std::size_t kPeople = 100;
  constexpr double kMultiplier = 4;  // nats: inside the frontier, where most rows use several donors
  constexpr double kGapBits = 5e-9;  // Clarabel ends at 6e-9 with its own settings
  if (argc != 2) return 2;

  const SparsePeople made = sparse_people(kPeople);
  const auto members = positions(0, kPeople);
  const SparsePeopleDistances rows(made.rows, members);
  solve::DistanceMatrix::Table table(kPeople, kPeople);
  std::vector<std::vector<float>> distances(kPeople, std::vector<float>(kPeople));
  for (std::size_t u = 0; u < kPeople; ++u) {
    rows.row(u, distances[u]);
    std::ranges::copy(distances[u], table.row(static_cast<Eigen::Index>(u)).data());
  }
  const solve::DistanceMatrix kept(table);
  const solve::PersonPool pool{.distances = &kept, .value_of_person = made.values, .values = kSparseValues};

  nlohmann::json file = {{"distance", distances},
                         {"values", made.values},
                         {"value_count", kSparseValues},
                         {"multiplier", kMultiplier}};
  for (const bool balanced : {false, true}) {
    std::array<double, 5> seconds;
    solve::PersonInfo info;
    for (double& run : seconds) {  // of CPU: a busy machine disturbs less
      const std::clock_t begin = std::clock();
      info = solve::solve_people_with_multiplier({&pool, 1}, {.balanced = balanced}, kMultiplier,
                                                 {.gap_tolerance_bits = kGapBits})
                 .info;
      run = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    std::ranges::sort(seconds);
    const double objective = (info.objective_nats + kMultiplier * info.distance) * kBitsPerNat;
    const double gap = info.gap_nats * kBitsPerNat;
    fmt::print("HyObscure  {:<8} {:>10.4f} CPU s  value {:.9f} bits  gap {:>9.2e} bits, {} iterations\n",
               balanced ? "balanced" : "free", seconds[2], objective, gap, info.iterations);
    file[balanced ? "balanced" : "free"] = {{"cpu_seconds", seconds[2]},
                                            {"lower_bound_bits", objective - gap}};
  }
  std::ofstream(argv[1]) << file;
}
