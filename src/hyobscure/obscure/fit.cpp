#include "hyobscure/obscure/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/labels.h"
#include "hyobscure/obscure/null.h"
#include "hyobscure/solve/first_groups.h"
#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {
namespace {

std::string limits_text(const solve::GroupLimits& limits) {
  return fmt::format("people = [{}, {}], values = [{}, {}]", limits.least_people, limits.most_people,
                     limits.least_values, limits.most_values);
}

[[noreturn]] void throw_infeasible(const data::Spec& spec, const solve::OrderedValues& values,
                                   const solve::GroupLimits& limits, int groups) {
  const solve::Infeasibility why = solve::explain_infeasible(values, limits, groups);
  std::string remedy =
      why.nearest.empty() ? "Widen the limits in [groups]." : "Settings near yours that work:";
  for (const auto& suggestion : why.nearest)
    remedy += fmt::format("\n  count = {}, {}", suggestion.groups, limits_text(suggestion.limits));
  throw InputError({.source = spec.name + ", [groups]"}, "no grouping meets the limits: " + why.reason,
                   remedy);
}

/// The partition that the user wrote down as ranges.
solve::Partition fixed_groups(const data::Spec& spec, const solve::OrderedValues& values,
                              const solve::GroupLimits& limits) {
  const auto fail = [&](const std::string& problem) {
    throw InputError({.source = spec.name + ", groups.fixed"}, problem,
                     "Correct the ranges, or the limits in [groups].");
  };
  solve::Partition partition;
  Eigen::Index v = 0;
  for (const data::Interval& range : spec.groups.fixed) {
    partition.starts.push_back(static_cast<int>(v));
    const Eigen::Index first = v;
    while (v < values.positions.size() && values.positions[v] >= range[0] && values.positions[v] <= range[1])
      ++v;
    const auto text = fmt::format("the range [{}, {}]", range[0], range[1]);
    if (v == first) fail(text + " holds nobody, or an earlier value belongs to no range");
    if (!solve::allowed(values, limits, static_cast<int>(first), static_cast<int>(v)))
      fail(fmt::format("{} holds {} people and {} values, outside {}", text,
                       values.people.segment(first, v - first).sum(),
                       values.distinct.segment(first, v - first).sum(), limits_text(limits)));
  }
  if (v < values.positions.size()) fail("there are people above the last range, or between two ranges");
  partition.starts.push_back(static_cast<int>(v));
  return partition;
}

int smallest_feasible_count(const data::Spec& spec, const solve::OrderedValues& values,
                            const solve::GroupLimits& limits) {
  const auto feasible = solve::feasible_counts(values, limits);
  if (!feasible.empty()) return feasible.front();
  const double fewest =
      std::max(values.people.sum() / limits.most_people, values.distinct.sum() / limits.most_values);
  throw_infeasible(spec, values, limits, std::max(1, static_cast<int>(std::ceil(fewest))));
}

double resolve_budget(const data::Spec& spec, const solve::ChannelProblem& problem) {
  if (!spec.channel.budget && !spec.channel.budget_share)
    throw InputError({.source = spec.name}, "channel.budget is not given",
                     "Choose the largest expected distance; `hyobscure inspect` shows the sensible range.");
  if (spec.channel.budget_share) {
    const double smallest = solve::smallest_distance(problem), harmless = solve::harmless_distance(problem);
    return smallest + *spec.channel.budget_share * (harmless - smallest);
  }
  return *spec.channel.budget;
}

std::vector<Channel> channels_of(const solve::SegmentTables& tables, const MethodResult& result) {
  std::vector<Channel> channels;
  for (int g = 0; g < result.partition.groups(); ++g) {
    const auto segment = tables.segment(result.partition.first(g), result.partition.end(g));
    Channel channel{.clusters = segment.clusters,
                    .people = {},
                    .probabilities = result.solution.channels[static_cast<std::size_t>(g)]};
    const Eigen::VectorXd people = segment.joint.rowwise().sum() * tables.total();
    for (const double count : people) channel.people.push_back(std::llround(count));
    channels.push_back(std::move(channel));
  }
  return channels;
}

double fano_bound(double secret_entropy_bits, double leakage_bits, std::size_t values) {
  if (values < 2) return 0;
  return std::clamp((secret_entropy_bits - leakage_bits - 1) / std::log2(static_cast<double>(values)), 0.0,
                    1.0);
}

Promise promise_of(const solve::ChannelProblem& problem, const MethodResult& result, double budget,
                   std::size_t values, const NullLeakage& null) {
  Promise promise;
  const solve::ChannelInfo& info = result.solution.info;
  promise.leakage_groups = solve::group_entropy(problem.joints) * kBitsPerNat;
  promise.leakage_features = info.leakage_nats * kBitsPerNat;
  promise.leakage = promise.leakage_groups + promise.leakage_features;
  promise.leakage_null = null.mean_bits;
  promise.leakage_null_deviation = null.deviation_bits;
  promise.leakage_unprotected = solve::unobscured_leakage(problem.joints) * kBitsPerNat;
  promise.secret_entropy = solve::secret_entropy(problem.joints) * kBitsPerNat;
  promise.fano_error_bound = fano_bound(promise.secret_entropy, promise.leakage, values);
  promise.distance = info.distance;
  promise.budget = budget;
  promise.gap = info.gap_nats * kBitsPerNat;
  if (result.joint_lower_bound_bits)
    promise.joint_gap = std::max(0.0, result.history.back().objective - *result.joint_lower_bound_bits);
  return promise;
}

}  // namespace

solve::OrderedValues ordered_values(const data::People& people) {
  const auto size = static_cast<Eigen::Index>(people.values.size());
  solve::OrderedValues values{Eigen::VectorXd(size), Eigen::VectorXd::Zero(size), Eigen::VectorXd(size)};
  for (Eigen::Index v = 0; v < size; ++v) {
    values.positions[v] = people.values[static_cast<std::size_t>(v)].centre;
    values.distinct[v] = people.values[static_cast<std::size_t>(v)].distinct;
  }
  for (const std::uint32_t secret : people.secrets) values.people[secret] += 1;
  return values;
}

solve::GroupLimits group_limits(const data::Spec& spec) {
  if (!spec.groups.people || !spec.groups.values)
    throw InputError(
        {.source = spec.name}, "groups.people and groups.values are not both given",
        "Choose the fewest and most people, and the fewest and most distinct secrets of a group; `hyobscure "
        "inspect` shows what is possible.");
  return {.least_people = (*spec.groups.people)[0],
          .most_people = (*spec.groups.people)[1],
          .least_values = (*spec.groups.values)[0],
          .most_values = (*spec.groups.values)[1]};
}

solve::Partition first_groups(const data::Spec& spec, const solve::OrderedValues& values,
                              const solve::GroupLimits& limits, const Key& key) {
  if (!spec.groups.fixed.empty()) return fixed_groups(spec, values, limits);
  const int count = spec.groups.count ? *spec.groups.count : smallest_feasible_count(spec, values, limits);
  const auto optimal = solve::optimal_groups(values, limits, count);
  if (!optimal) throw_infeasible(spec, values, limits, count);
  if (spec.groups.first == "optimal") return *optimal;
  RandomStream random(key.derive("first groups"));
  return solve::paper_groups(values, limits, count, random).partition;
}

census::Census census_of(const data::People& people, const data::Spec& spec, const Progress& progress) {
  if (static_cast<std::size_t>(spec.channel.clusters) > people.size())
    throw InputError({.source = spec.name + ", channel.clusters"},
                     fmt::format("{} clusters are asked for, and there are {} people", spec.channel.clusters,
                                 people.size()),
                     fmt::format("Lower channel.clusters to at most {}.", people.size()));
  const census::CensusSettings settings{.clustering = {.clusters = spec.channel.clusters,
                                                       .starts = spec.channel.starts,
                                                       .normalise = spec.channel.normalise},
                                        .distance = census::distance_named(spec.channel.distance)};
  census::check_rows(settings.distance, people.features, spec.name);
  return census::take_census(people, settings, search_key(spec).derive("clusters"), progress);
}

solve::SegmentTables segment_tables(const data::People& people, const census::Census& census) {
  return {census.counts, ordered_values(people).distinct, census.pair_sums};
}

Key search_key(const data::Spec& spec) {
  return Key::from_seed(spec.method.seed.value_or(0)).derive("search");
}

Terms terms_of(const data::People& people, const data::Spec& spec) {
  Terms terms{.values = ordered_values(people), .limits = group_limits(spec), .first_groups = {}};
  terms.first_groups = first_groups(spec, terms.values, terms.limits, search_key(spec));
  return terms;
}

MethodInput method_input(const data::Spec& spec, const Terms& terms, const solve::SegmentTables& tables) {
  return {
      .tables = tables,
      .values = terms.values,
      .limits = terms.limits,
      .first_groups = terms.first_groups,
      .groups_are_fixed = !spec.groups.fixed.empty(),
      .group_count = spec.groups.count,
      .objective = spec.method.objective == "total" ? solve::Objective::Total : solve::Objective::Conditional,
      .acceptance = spec.method.acceptance == "paper" ? solve::Acceptance::Paper : solve::Acceptance::Budget,
      .convergence_bits = spec.method.convergence,
      .gap_bits = spec.method.gap,
      .key = search_key(spec)};
}

Mechanism fit(const data::People& people, const data::Spec& spec, const Progress& progress) {
  const Terms terms = terms_of(people, spec);
  const solve::GroupLimits& limits = terms.limits;
  const census::Census census = census_of(people, spec, progress);
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(spec, terms, tables);
  input.budget = resolve_budget(spec, solve::problem_of(tables, terms.first_groups).problem);
  const MethodResult result = method_named(spec.method.name).run(input, progress);

  Mechanism mechanism;
  mechanism.method = spec.method.name;
  mechanism.objective = spec.method.objective;
  mechanism.distance = spec.channel.distance;
  mechanism.limits = {limits.least_people, limits.most_people, limits.least_values, limits.most_values};
  mechanism.groups = label_groups(people.values, result.partition.starts, spec.secret.keep);
  mechanism.channels = channels_of(tables, result);
  for (std::size_t g = 0; g < mechanism.groups.size(); ++g)
    mechanism.groups[g].people = std::accumulate(mechanism.channels[g].people.begin(),
                                                 mechanism.channels[g].people.end(), std::int64_t{0});
  mechanism.clusters = census.clustering.model;
  mechanism.history = result.history;
  mechanism.converged = result.converged && result.solution.info.status == solve::SolveStatus::Solved;
  mechanism.seeded = spec.method.seed.has_value();
  mechanism.key = mechanism.seeded ? Key::from_seed(*spec.method.seed).derive("draws") : Key::from_system();
  mechanism.data_fingerprint = data::fingerprint(people);
  mechanism.people = static_cast<std::int64_t>(people.size());
  const NullLeakage null =
      null_leakage(people, census.clustering.cluster_of_row, mechanism, search_key(spec).derive("null"));
  mechanism.promise = promise_of(solve::problem_of(tables, result.partition).problem, result, input.budget,
                                 people.values.size(), null);
  return mechanism;
}

}  // namespace hyobscure::obscure
