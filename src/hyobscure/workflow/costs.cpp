#include "hyobscure/workflow/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hyobscure/audit/mechanism/audit_cost.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/fit_cost.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::workflow {
namespace {

// CPU seconds of one core of speed 1, measured by bench/scale/costs.py (docs/benchmarks.md).
constexpr double kWritePerEntry = 1.2e-7;  ///< donors' rows, encoded and hashed
constexpr double kDrawPerPerson = 2e-5;    ///< mechanism read, figures computed again, donor drawn
constexpr double kVerifyPerEntry = 6e-8;   ///< one pass over what is published

constexpr double kLongSeconds = 600;    ///< what advice is given for
constexpr double kMinutesToWait = 180;  ///< more than a user of fit expects

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

std::string exact_instead(const data::Spec& spec, double exact_seconds) {
  return fmt::format(
      "method.name = \"exact\" takes {}: proven channels over {} clusters of people, which leak more than "
      "donors chosen person by person",
      exact_seconds < 1 ? "little more than reading"
                        : fmt::format("about {:.0f} s after reading", exact_seconds),
      spec.channel.clusters.automatic ? "some" : fmt::format("{}", spec.channel.clusters.count));
}

double trained_people(const data::People& people, const data::Spec& spec) {
  return std::min(static_cast<double>(people.size()), static_cast<double>(spec.audit.people));
}

double ward_bytes(double people, const data::Spec& spec) {
  return kWardsPerThread * thread_count() * 4 * std::pow(std::min<double>(spec.method.ward, people / 2), 2);
}

}  // namespace

FitPrediction predicted_fit(const data::People& people, const data::Spec& spec,
                            const census::Census& census) {
  const obscure::Method& method = obscure::method_of(spec);
  if (!method.by_person) {
    // One solve more is a fifth of the work: it is worth that where a user would wait.
    constexpr double kManyCells = 2000;
    const auto cells = static_cast<double>(census.counts.rows() * census.counts.cols());
    return {.seconds = cells < kManyCells ? 0 : obscure::predicted_channel_seconds(people, spec, census)};
  }
  FitPrediction found{.seconds = obscure::method_seconds(method, people, spec) / machine_speed()};
  if (method.person_level && found.seconds > kMinutesToWait) {
    data::Spec exact = spec;
    exact.method.name = "exact";
    found.advice = exact_instead(spec, obscure::predicted_channel_seconds(people, exact, census));
  }
  return found;
}

std::vector<obscure::CommandCost> command_costs(const data::People& people, const data::Spec& spec,
                                                const obscure::Inspection& inspection,
                                                const MeasuredWork& measured) {
  const auto count = static_cast<double>(people.size()),
             entries = static_cast<double>(people.features.entries());
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
    fit.seconds += method.by_person ? clock(obscure::by_person_seconds(method, people, pairs(inspection)))
                                    : inspection.channel_seconds;
    if (method.by_person && fit.seconds > kLongSeconds) fit.advice = exact_instead(spec, 0);
  }
  costs.push_back(
      {.command = "publish",
       .seconds = measured.reading_seconds + clock(kWritePerEntry * entries + kDrawPerPerson * count),
       .memory_bytes = rows + donors});
  const double trained = trained_people(people, spec);
  obscure::CommandCost& audit = costs.emplace_back(obscure::CommandCost{
      .command = "audit",
      .seconds = measured.reading_seconds + clock(audit::audit_cost(people, spec).total()),
      .memory_bytes = rows + donors});
  if (audit.seconds > kLongSeconds)
    audit.advice =
        fmt::format("audit.releases = {} or audit.people = {} takes a quarter or less",
                    std::max(2, spec.audit.releases / 4), std::max(1000, static_cast<int>(trained / 4)));
  return costs;
}

}  // namespace hyobscure::workflow
