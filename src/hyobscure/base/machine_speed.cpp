#include "hyobscure/base/machine_speed.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"

namespace hyobscure {

double machine_speed() {
  // One core of the machine of the figures sums so many logarithms per second.
  constexpr double kLogarithmsPerSecond = 1.2e8;
  constexpr std::size_t kPieces = 64, kOfPiece = 40'000;
  std::vector<double> sums(kPieces);
  const Stopwatch watch;
  parallel_blocks(kPieces, 1, [&](std::size_t piece, std::size_t) {
    double sum = 0;
    for (std::size_t i = 1; i <= kOfPiece; ++i) sum += std::log(static_cast<double>(i + piece));
    sums[piece] = sum;
  });
  const double seconds = watch.seconds();
  volatile double keep = sums[0];  // or the loop would be left out
  (void)keep;
  return kPieces * kOfPiece / seconds / kLogarithmsPerSecond;
}

}  // namespace hyobscure
