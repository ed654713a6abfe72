// The step of the published algorithm that ours does without: the table of the distances of all pairs of
// people, each by its definition. usage: pairwise_distances SPEC [largest table in GB]
//
// Prints the mean distance, for comparison with the census. Exit code 3: the table would be too large.

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/read/read.h"

int main(int count, char** words) {
  using namespace hyobscure;
  if (count < 2) {
    fmt::print(stderr, "usage: pairwise_distances SPEC [largest table in GB]\n");
    return 2;
  }
  const double largest = (count > 2 ? std::atof(words[2]) : 4) * 1e9;
  const data::Spec spec = data::read_spec(words[1]);
  data::Engine engine({.folder = spec.folder}, {});
  const data::SparseRows rows = data::read_people(engine, spec).people.features;
  const std::size_t people = rows.size();
  if (const double bytes = 8.0 * static_cast<double>(people * people); bytes > largest) {
    fmt::print("table of {:.0f} GB\n", bytes / 1e9);
    return 3;
  }

  const census::Distance distance = spec.channel.distance;
  std::vector<double> table(people * people);
  parallel_blocks(people, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      for (std::size_t v = 0; v < u; ++v)
        table[u * people + v] = table[v * people + u] =
            census::distance_between(distance, rows[u], rows[v], rows.columns);
  });
  const double sum = std::accumulate(table.begin(), table.end(), 0.0);
  fmt::print("mean distance {}\n", sum / static_cast<double>(people * people));
}
