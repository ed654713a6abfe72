#include "hyobscure/workflow/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::workflow {
namespace {

// CPU seconds of one core of speed 1, measured by bench/scale/costs.py (docs/benchmarks.md).
constexpr double kFinePerPerson = 1.1e-3;       ///< price search and channels of all wards
constexpr double kWritePerEntry = 1.2e-7;       ///< donors' rows, encoded and hashed
constexpr double kDrawPerPerson = 2e-5;         ///< mechanism read, figures computed again, donor drawn
constexpr double kVerifyPerEntry = 6e-8;        ///< one pass over what is published
constexpr double kForestPerEntry = 2.4e-8;      ///< a tree, an entry of the known people, a level of the tree
constexpr double kBoostingPerEntry = 6e-9;      ///< a round
constexpr double kSimilarityPerEntry = 1.2e-9;  ///< a tested person, an entry of the known people
constexpr int kTrees = 100, kRounds = 160;

constexpr double kPairPerEntry = 4e-9;  ///< the distance of two people of a pool, an entry of one of them

constexpr double kLongSeconds = 600;  ///< what advice is given for

// Bytes.
constexpr double kProgram = 8e7;          ///< the program and its engine
constexpr double kPerEntry = 16;          ///< a row in memory or mapped, and what reading it keeps beside
constexpr double kDonorsPerPerson = 900;  ///< lists of donors with what the search keeps of them
constexpr double kWardsPerThread = 2;     ///< tables of pairs at the same time

/// All pairs of people who may donate to each other.
double pairs(const obscure::Inspection& inspection) {
  double sum = 0;
  for (const published::Group& group : inspection.preview->groups)
    sum += static_cast<double>(group.people) * static_cast<double>(group.people);
  return sum;
}

double trained_people(const data::People& people, const data::Spec& spec) {
  return std::min(static_cast<double>(people.size()), static_cast<double>(spec.audit.people));
}

double ward_bytes(double people, const data::Spec& spec) {
  return kWardsPerThread * thread_count() * 4 * std::pow(std::min<double>(spec.method.ward, people / 2), 2);
}

/// Attackers of the audit, each trained on some people's rows.
double attack_seconds(double people, double entries_per_person, const data::AuditSpec& audit) {
  double seconds = 0;
  for (const data::AttackScenario scenario : audit.scenarios) {
    // scenario I learns once from true rows; II in each fold from the release and from true rows
    const bool first = scenario == data::AttackScenario::I;
    const double known = people * (first ? audit.known : 1 - 1.0 / audit.folds);
    const double models = audit.releases * (first ? 1.0 : 2.0 * audit.folds);
    for (const data::AttackModel model : audit.attackers)
      seconds += models * known * entries_per_person *
                 (model == data::AttackModel::Forest ? kForestPerEntry * kTrees * std::log2(known)
                                                     : kBoostingPerEntry * kRounds);
  }
  return seconds;
}

/// Similarities of tested and known people, for the release and for the truth.
double recommendation_seconds(double people, double entries_per_person, int releases) {
  constexpr double kKnown = 0.7;
  return 2.0 * std::max(2, releases) * people * (1 - kKnown) * people * kKnown * entries_per_person *
         kSimilarityPerEntry;
}

}  // namespace

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

std::vector<obscure::CommandCost> command_costs(const data::People& people, const data::Spec& spec,
                                                const obscure::Inspection& inspection,
                                                const MeasuredWork& measured) {
  const auto count = static_cast<double>(people.size()),
             entries = static_cast<double>(people.features.entries());
  const double per_person = entries / std::max(1.0, count);
  const auto clock = [&](double cpu_seconds) { return cpu_seconds / measured.machine_speed; };
  const obscure::Method& method = obscure::method_of(spec);
  const double rows = kProgram + kPerEntry * entries;
  const double donors = method.person_level ? kDonorsPerPerson * count : 0;

  std::vector<obscure::CommandCost> costs;
  if (inspection.preview) {
    obscure::CommandCost& fit = costs.emplace_back(obscure::CommandCost{
        .command = "fit",
        .seconds = measured.reading_seconds + inspection.census_seconds,
        .memory_bytes = rows + donors + (method.person_level ? ward_bytes(count, spec) : 0)});
    fit.seconds += method.person_level ? clock(kFinePerPerson * count)
                   : method.by_person  ? clock(kPairPerEntry * per_person * pairs(inspection))
                                       : inspection.channel_seconds;
    if (method.by_person && fit.seconds > kLongSeconds)
      fit.advice = "method.name = \"exact\" takes little more than reading";
  }
  costs.push_back(
      {.command = "publish",
       .seconds = measured.reading_seconds + clock(kWritePerEntry * entries + kDrawPerPerson * count),
       .memory_bytes = rows + donors});
  const double trained = trained_people(people, spec);
  obscure::CommandCost& audit = costs.emplace_back(obscure::CommandCost{
      .command = "audit",
      .seconds =
          measured.reading_seconds + clock(attack_seconds(trained, per_person, spec.audit) +
                                           recommendation_seconds(trained, per_person, spec.audit.releases)),
      .memory_bytes = rows + donors});
  if (audit.seconds > kLongSeconds)
    audit.advice =
        fmt::format("audit.releases = {} or audit.people = {} takes a quarter or less",
                    std::max(2, spec.audit.releases / 4), std::max(1000, static_cast<int>(trained / 4)));
  return costs;
}

}  // namespace hyobscure::workflow
