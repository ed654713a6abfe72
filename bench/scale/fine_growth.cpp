// How the person-level method grows with the people of one pool: near rows from the forest, then the channel
// on these candidates within a budget.
//
//   fine_growth [free] [people...]        default: balanced, 10,000 20,000 50,000 100,000
//
// Each size runs in a process of its own, whose peak memory is measured. The answer is checked before a time
// is printed: within the budget, and its gap proven.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "hyobscure/obscure/neighbours/neighbours.h"
#include "sparse_people.h"

namespace {

using namespace hyobscure;

constexpr double kGapBits = 1e-3;
constexpr double kBudgetShare = 0.5;  // of the way from the smallest distance to that of a random candidate

/// Seconds by the clock, and of all threads.
struct Seconds {
  double wall, cpu;
};

class Stopwatch {
 public:
  Seconds seconds() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin_;
    return {wall.count(), static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC};
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

struct Measured {
  Seconds neighbours, solve;
  double budget, distance, informed_bits, gap_bits;
  double candidates;  // a person
  int iterations;
};

/// Near people both ways, and oneself, as the method has them.
std::vector<std::vector<std::uint32_t>> both_ways(const std::vector<std::vector<std::uint32_t>>& nearest) {
  auto candidates = nearest;
  for (std::uint32_t u = 0; u < nearest.size(); ++u) {
    candidates[u].push_back(u);
    for (const std::uint32_t v : nearest[u]) candidates[v].push_back(u);
  }
  for (auto& donors : candidates) {
    std::ranges::sort(donors);
    donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  }
  return candidates;
}

Measured measure(std::size_t people, bool balanced) {
  const SparsePeople made = sparse_people(people);
  const auto members = positions(0, people);
  const SparsePeopleDistances distances(made.rows, members);
  solve::PersonPool pool{.distances = &distances, .value_of_person = made.values, .values = kSparseValues};
  Measured result{};
  const Stopwatch first;
  pool.candidates = both_ways(
      obscure::nearest_rows(census::Distance::JensenShannon, made.rows, members, {}, Key::from_seed(1)));
  result.neighbours = first.seconds();
  for (const auto& donors : pool.candidates) result.candidates += static_cast<double>(donors.size());
  result.candidates /= static_cast<double>(people);

  const Stopwatch second;
  const std::span<const solve::PersonPool> pools(&pool, 1);
  const solve::PersonTerms terms{.balanced = balanced};
  const double smallest = solve::smallest_person_distance(pools, terms);
  result.budget = smallest + kBudgetShare * (solve::harmless_person_distance(pools, terms) - smallest);
  const auto solved =
      solve::solve_people_with_budget(pools, terms, result.budget, {.gap_tolerance_bits = kGapBits});
  result.solve = second.seconds();
  result.distance = solved.info.distance;
  result.informed_bits = solved.info.informed_nats * kBitsPerNat;
  result.gap_bits = solved.info.gap_nats * kBitsPerNat;
  result.iterations = solved.info.iterations;
  return result;
}

struct Outcome {
  Measured measured;
  double megabytes;
};

/// In a child, so that its peak memory is its own.
Outcome measure_apart(std::size_t people, bool balanced) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const Measured measured = measure(people, balanced);
    _exit(write(ends[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome{};
  const bool answered = read(ends[0], &outcome.measured, sizeof outcome.measured) == sizeof outcome.measured;
  close(ends[0]);
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  if (!answered) {
    fmt::print(stderr, "{} people: no answer\n", people);
    std::exit(1);
  }
  outcome.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return outcome;
}

void check(const Measured& measured, std::size_t people) {
  if (measured.distance <= measured.budget * (1 + 1e-12) && measured.gap_bits <= kGapBits) return;
  fmt::print(stderr, "{} people: distance {} of {}, gap {} bits\n", people, measured.distance,
             measured.budget, measured.gap_bits);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool balanced = words.empty() || words.front() != "free";
  if (!balanced) words.erase(words.begin());
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) sizes.push_back(std::stoul(word));
  if (sizes.empty()) sizes = {10'000, 20'000, 50'000, 100'000};

  fmt::print("{}, budget {} of the way, {} bits\n", balanced ? "balanced" : "free", kBudgetShare, kGapBits);
  double cpu_before = 0, people_before = 0;
  for (const std::size_t people : sizes) {
    const auto [measured, megabytes] = measure_apart(people, balanced);
    check(measured, people);
    const double cpu = measured.neighbours.cpu + measured.solve.cpu;
    // for twice the people, whatever the step between the sizes: ratio^(log 2 / log step)
    const auto now = static_cast<double>(people);
    const std::string ratio =
        people_before > 0
            ? fmt::format(", x{:.2f} for twice the people",
                          std::pow(cpu / cpu_before, std::log(2.0) / std::log(now / people_before)))
            : "";
    fmt::print(
        "{:>9} people, {:.0f} candidates: neighbours {:.1f} s ({:.1f} CPU), solve {:.1f} s ({:.1f} CPU), "
        "{} iterations, {:.4f} bits at {:.4f}, gap {:.1e} bits, {:.0f} MB{}\n",
        people, measured.candidates, measured.neighbours.wall, measured.neighbours.cpu, measured.solve.wall,
        measured.solve.cpu, measured.iterations, measured.informed_bits, measured.distance, measured.gap_bits,
        megabytes, ratio);
    std::fflush(stdout);
    cpu_before = cpu;
    people_before = now;
  }
}
