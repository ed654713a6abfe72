#include "hyobscure/obscure/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/freed_memory.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/groups/labels.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/leakage/lift.h"
#include "hyobscure/obscure/methods/baseline.h"
#include "hyobscure/obscure/methods/fine.h"
#include "hyobscure/obscure/methods/settings.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::obscure {
namespace {

void refuse_target(const data::Spec& spec) {
  if (spec.channel.target)
    throw InputError({.source = spec.name},
                     fmt::format("channel.budget is a promise ({}) that only a search with audits can keep",
                                 data::target_text(*spec.channel.target)),
                     "Use `hyobscure fit` (audit::fit_for_use), or give an expected distance.");
}

double resolve_budget(const data::Spec& spec, const MethodInput& input) {
  if (!spec.channel.budget && !spec.channel.budget_share)
    throw InputError({.source = spec.name}, "channel.budget is not given",
                     "Choose the largest expected distance; `hyobscure inspect` shows the sensible range.");
  if (spec.channel.budget_share) return method_of(spec).range(input).at(*spec.channel.budget_share);
  return *spec.channel.budget;
}

double fano_bound(double secret_entropy_bits, double leakage_bits, std::size_t values) {
  if (values < 2) return 0;
  return std::clamp((secret_entropy_bits - leakage_bits - 1) / std::log2(static_cast<double>(values)), 0.0,
                    1.0);
}

/// What the optimal channel of the first groups leaks at the budget; infinite where it cannot be met.
double leakage_at(const data::People& people, const data::Spec& spec, const census::Census& census,
                  double budget) {
  const Terms terms = first_terms_of(people, spec);
  const solve::SegmentTables tables = segment_tables(people, census);
  const solve::ChannelProblem problem = solve::problem_of(tables, terms.first_groups).problem;
  if (budget < solve::smallest_distance(problem)) return std::numeric_limits<double>::infinity();
  return solve::solve_with_budget(problem, budget, {.gap_tolerance_bits = 1e-6}).info.leakage_nats *
         kBitsPerNat;
}

/// channel.clusters = "auto". More clusters bring donors nearer, so at the same budget less leaks, and cost
/// time: doubles them from 5 while a doubling lowers the leakage of the features by a tenth, each cluster has
/// on average four people in each group, and the tables stay small.
census::Census census_of_best_clusters(const data::People& people, data::Spec spec,
                                       const Progress& progress) {
  constexpr int kFewest = 5, kMost = 320, kPeopleOfACell = 4;
  constexpr double kWorthIt = 0.9, kNothing = 1e-4;
  spec.channel.clusters = {.count = 10};
  if (!spec.groups.people || !spec.groups.values) return census_of(people, spec, progress);
  const Terms terms = first_terms_of(people, spec);
  double budget = kUnset;
  std::optional<census::Census> best;
  double least = std::numeric_limits<double>::infinity();
  for (int clusters = kFewest; clusters <= kMost; clusters *= 2) {
    const std::size_t cells = static_cast<std::size_t>(clusters * terms.first_groups.groups());
    if (best && (people.size() < kPeopleOfACell * cells || people.values.size() * cells > 20'000)) break;
    spec.channel.clusters.count = clusters;
    census::Census census = census_of(people, spec, progress);
    if (std::isnan(budget)) {  // a share of the range is a share of the first one's range
      const solve::SegmentTables tables = segment_tables(people, census);
      const BudgetRange range = cell_range(method_input(people, spec, terms, census, tables));
      budget =
          std::max(spec.channel.budget.value_or(range.at(spec.channel.budget_share.value_or(0.5))),
                   range.smallest);  // of a budget that only people's own channels reach, nothing is learned
    }
    const double leakage = leakage_at(people, spec, census, budget);
    const bool better = leakage < kWorthIt * least || std::isinf(least);
    if (better || !best) best = std::move(census);
    if (!better || leakage < kNothing) break;
    least = leakage;
  }
  return *std::move(best);
}

std::int64_t smallest_pool(const data::People& people, const solve::Partition& partition) {
  if (people.kept.empty()) return 0;
  const Pools pools = pools_by_group(people, partition);
  std::size_t smallest = people.size();
  for (const auto& members : pools.members) smallest = std::min(smallest, members.size());
  return static_cast<std::int64_t>(smallest);
}

/// Kept columns cut groups into smaller pools, where few people hide each other.
std::string small_pools_text(const Mechanism& mechanism) {
  if (mechanism.smallest_pool == 0 || mechanism.limits.for_pools ||
      static_cast<double>(mechanism.smallest_pool) >= mechanism.limits.least_people)
    return {};
  return fmt::format(
      "The limits hold for groups only (groups.limits_for): the smallest pool, people with the same group "
      "and "
      "the same kept cells, has {} people, fewer than k = {}.",
      mechanism.smallest_pool, mechanism.limits.least_people);
}

/// Values were joined, and the leakage is not about exact ones.
std::string joined_values_text(const Population& population, const data::People& people, int clusters) {
  const bool joined =
      std::ranges::any_of(population.values, [](const auto& value) { return value.distinct > 1; });
  if (!joined || counts_exact_values(people, clusters)) return {};
  return fmt::format(
      "Values were joined (secret.atoms): the leakage is about {} neighbourhoods of values, not about exact "
      "values. An attacker may learn more about these.",
      population.values.size());
}

/// Methods with one knob turn it by the distances of true rows.
std::string budget_of_true_rows_text(const MethodInput& input, const MethodResult& result) {
  if (!input.composer || !(result.distance > input.budget * (1 + 1e-9))) return {};
  return fmt::format("The budget was kept for donors' rows: composed rows are at {:.6g}.", result.distance);
}

bool of_exact_values(const MethodInput& input) {
  return counts_exact_values(input.people, input.tables.clusters());
}

/// Adds what is the same at every budget, or slow: entropies, and what other channels would leak.
void complete(Figures& figures, const Population& population, const MethodInput& input,
              const MethodResult& result, const FeatureLeakage& features) {
  Leakage& leakage = figures.leakage;
  const bool exact = of_exact_values(input);
  leakage.null = features.null;
  leakage.null_deviation = features.null_deviation;
  leakage.secret_entropy =
      exact ? exact_entropy(input.people) : census::entropy(input.values.people) * kBitsPerNat;
  if (!rows_tell_their_cell(result.channels))
    leakage.unprotected = leakage.secret_entropy - leakage.groups;
  else if (exact)
    leakage.unprotected = exact_leakage_of_clusters(input.people, input.cluster_of_person, result.partition);
  else
    leakage.unprotected =
        solve::unobscured_leakage(channel_problem(donor_pools(input, result.partition)).joints) * kBitsPerNat;
  const std::size_t values = exact ? input.people.exact_values : population.values.size();
  leakage.fano_error_bound = fano_bound(leakage.secret_entropy, leakage.total, values);
  leakage.random = leakage_of_random(input, result.partition, result.distance);
  leakage.any_donor = leakage_of_random(input, result.partition, std::numeric_limits<double>::infinity());
}

std::string joined_notes(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes)
    if (!note.empty()) text += (text.empty() ? "" : " ") + note;
  return text;
}

/// The groups of the result, counted.
std::vector<CountedStratum> strata_of(const Eigen::MatrixXd& counts, const MethodResult& result) {
  std::vector<CountedStratum> strata;
  for (int g = 0; g < result.partition.groups(); ++g) {
    const Eigen::MatrixXd group = counts(Eigen::all, result.partition.members(g));
    strata.push_back({group,
                      (result.within_groups ? group : counts).rowwise().sum(),
                      result.channels[result.within_groups ? static_cast<std::size_t>(g) : 0],
                      {}});
    for (const int value : result.partition.members(g))
      strata.back().values.push_back(static_cast<std::uint32_t>(value));
  }
  return strata;
}

/// Whether nobody need be looked at to account for the result.
bool counts_suffice(const data::People& people, const census::Census& census, const MethodResult& result) {
  return people.kept.empty() && std::ranges::all_of(result.channels, draws_by_cluster) &&
         !counts_exact_values(people, census.clustering.model.clusters());
}

/// Who shares what is published beside a row, and who draws from whom.
class AccountedPools {
 public:
  AccountedPools(const data::People& people, const MethodResult& result)
      : strata_(pools_by_group(people, result.partition)),
        everyone_(result.within_groups ? Pools{} : one_pool(people.size())) {}

  AccountInput input(const data::People& people, const census::Census& census,
                     const MethodResult& result) const {
    return {.people = people,
            .cluster_of_person = census.clustering.cluster_of_row,
            .clusters = census.clustering.model.clusters(),
            .strata = strata_,
            .pools = result.within_groups ? strata_ : everyone_,
            .channels = result.channels};
  }

 private:
  Pools strata_, everyone_;
};

LiftFigures lifts_of_result(const data::People& people, const census::Census& census,
                            const MethodResult& result, const Progress& progress) {
  if (counts_suffice(people, census, result)) return figures_of(lifts_of(strata_of(census.counts, result)));
  const AccountedPools pools(people, result);
  return figures_of(lifts_of(pools.input(people, census, result), progress));
}

bool limits_lifts(const data::Spec& spec) { return spec.channel.max_lift || spec.channel.min_lift; }

void refuse_lifts_that_cannot_be_kept(const Population& population, const data::Spec& spec) {
  if (!limits_lifts(spec)) return;
  const std::string source =
      spec.name + (spec.channel.max_lift ? ", channel.max_lift" : ", channel.min_lift");
  require(method_of(spec).limits_lifts, source,
          fmt::format("{} cannot keep lifts within limits", spec.method.name),
          fmt::format("Only {} can; `fit` states the lifts of every method.",
                      methods_that(&Method::limits_lifts)));
  require(spec.method.retain == 0, source,
          "rows that are retained (method.retain) raise their people's values",
          "Leave method.retain out, or the limits on lifts.");
  require(!method_of(spec).person_level || spec.method.self_donor == data::SelfDonor::Allowed, source,
          "where nobody may publish their own row, values that few people have cannot be kept within limits",
          "Leave method.self_donor out, or the limits on lifts.");
  require(std::ranges::all_of(population.values, [](const auto& value) { return value.distinct <= 1; }),
          source, "values are joined (secret.atoms), and lifts are about exact ones",
          "Raise secret.atoms to the number of distinct values, or leave the limits on lifts out.");
}

void refuse_what_the_method_cannot(const data::Spec& spec) {
  const Method& method = method_of(spec);
  if (!spec.method.within_groups && !method.across_groups)
    throw InputError(
        {.source = spec.name + ", method.within_groups"},
        fmt::format("{} always draws donors inside the groups", method.name),
        fmt::format("Leave it out; only {} can draw from all people.", methods_that(&Method::across_groups)));
  if (!spec.method.within_groups && composing_of(spec))
    throw InputError(
        {.source = spec.name + ", release.rows"},
        "rows are composed inside the groups, and method.within_groups = false draws donors from "
        "all of them",
        "Leave one of the two out.");
  if (spec.method.parameter && !method.has_parameter)
    throw InputError(
        {.source = spec.name + ", method.parameter"},
        fmt::format("{} has no parameter of its own", method.name),
        fmt::format("Give channel.budget instead; only {} have one.", methods_that(&Method::has_parameter)));
}

}  // namespace

census::CensusSettings census_settings(const data::Spec& spec) {
  return {.clustering = {.clusters = spec.channel.clusters.count,
                         .starts = spec.channel.starts,
                         .normalise = spec.channel.normalise},
          .distance = spec.channel.distance,
          .source = spec.name};
}

Key census_key(const data::Spec& spec) { return search_key(spec).derive("clusters"); }

census::Census census_of(const data::People& people, const data::Spec& spec, const Progress& progress) {
  if (spec.channel.clusters.automatic) return census_of_best_clusters(people, spec, progress);
  const int clusters = spec.channel.clusters.count;
  if (static_cast<std::size_t>(clusters) > people.size())
    throw InputError(
        {.source = spec.name + ", channel.clusters"},
        fmt::format("{} clusters are asked for, and there are {} people", clusters, people.size()),
        fmt::format("Lower channel.clusters to at most {}.", people.size()));
  return census::take_census(people, census_settings(spec), census_key(spec), progress);
}

solve::SegmentTables segment_tables(const Population& population, const census::Census& census) {
  return {census.counts, ordered_values(population).distinct, census.pair_sums};
}

Terms terms_of(const Population& population, const data::Spec& spec) {
  refuse_what_the_method_cannot(spec);
  refuse_lifts_that_cannot_be_kept(population, spec);
  return first_terms_of(population, spec);
}

MethodInput method_input(const data::People& people, const data::Spec& spec, const Terms& terms,
                         const census::Census& census, const solve::SegmentTables& tables) {
  std::shared_ptr<Composer> composer;
  if (auto composing = composing_of(spec))
    composer =
        std::make_shared<Composer>(people, spec.channel.distance, *std::move(composing), key_of_draws(spec));
  return {
      .tables = tables,
      .values = terms.values,
      .layout = *terms.layout,
      .people = people,
      .cluster_of_person = census.clustering.cluster_of_row,
      .distance = spec.channel.distance,
      .limits = terms.limits,
      .first_groups = terms.first_groups,
      .groups_are_fixed = !spec.groups.fixed.empty(),
      .group_count = spec.groups.count,
      .within_groups = spec.method.within_groups,
      .retain = spec.method.retain,
      .lifts = {.least = spec.channel.min_lift.value_or(0),
                .most = spec.channel.max_lift.value_or(std::numeric_limits<double>::infinity())},
      .objective = spec.method.objective == data::Objective::Total ? solve::Objective::Total
                                                                   : solve::Objective::Conditional,
      .gap_bits = spec.method.gap.value_or(1e-9),
      .parameter = spec.method.parameter,
      .search = {.acceptance = spec.method.acceptance == data::Acceptance::Paper ? solve::Acceptance::Paper
                                                                                 : solve::Acceptance::Budget,
                 .convergence_bits = spec.method.convergence},
      .person = {.threat = spec.method.threat,
                 .least_informed_weight = spec.method.least_informed_weight,
                 .balanced = spec.method.balanced,
                 .self_donor = spec.method.self_donor == data::SelfDonor::Allowed,
                 .gap_bits = spec.method.gap,
                 .most_in_ward = static_cast<std::size_t>(spec.method.ward)},
      .key = search_key(spec),
      .composer = std::move(composer)};
}

FeatureLeakage leakage_of(const data::People& people, const census::Census& census, const data::Spec& spec,
                          const MethodResult& result, int shuffles, const Progress& progress) {
  const Key key = search_key(spec).derive("null");
  if (counts_suffice(people, census, result)) return account(strata_of(census.counts, result), shuffles, key);
  const AccountedPools pools(people, result);
  return account(pools.input(people, census, result), shuffles, key, progress);
}

Figures basic_figures(const Population& population, const MethodInput& input, const MethodResult& result,
                      const FeatureLeakage& features) {
  Figures figures;
  Leakage& leakage = figures.leakage;
  leakage.groups = of_exact_values(input)      ? exact_leakage_of_groups(input.people, result.partition)
                   : input.people.kept.empty() ? leakage_of_groups(population, result.partition)
                                               : leakage_of_groups(input.people, result.partition);
  leakage.features = features.people;
  leakage.clusters = features.clusters;
  leakage.learned = result.learned_bits;
  leakage.total = leakage.groups + leakage.features;
  figures.informed_weight = result.informed_weight;
  figures.distance = result.distance;
  figures.budget = input.budget;
  figures.gap = result.gap_bits;
  figures.joint_gap = joint_gap_bits(result);
  figures.epsilon = result.epsilon;
  return figures;
}

double joint_gap_bits(const MethodResult& result) {
  if (!result.joint_lower_bound_bits) return kUnset;
  return std::max(0.0, result.history.back().objective - *result.joint_lower_bound_bits);
}

namespace {

void describe_composed(const MethodInput& input, const MethodResult& result, Mechanism& mechanism) {
  mechanism.composing = input.composer->composing();
  mechanism.figures.own_rows = 0;  // nobody publishes a true row
  const auto composed = input.composer->rows(pools_by_group(input.people, result.partition));
  mechanism.figures.composed = {.smallest_distance = result.smallest_distance,
                                .largest_share = composed->largest_share,
                                .dropped = composed->dropped,
                                .entries = composed->entries};
}

Mechanism assemble(const Population& population, const data::Spec& spec, const census::Census& census,
                   const MethodInput& input, MethodResult result, int shuffles,
                   const std::string& fingerprint, const Progress& progress) {
  const data::People& people = input.people;
  const solve::GroupLimits& limits = input.limits;
  Mechanism mechanism;
  mechanism.method = spec.method.name;
  mechanism.objective = data::word(spec.method.objective);
  mechanism.distance = data::word(spec.channel.distance);
  mechanism.limits = {limits.least_people, limits.most_people, limits.least_values, limits.most_values};
  mechanism.groups = label_groups(population, result.partition, spec);
  mechanism.within_groups = result.within_groups;
  mechanism.parameter = result.parameter;
  if (method_of(spec).person_level) {
    mechanism.threat = data::word(spec.method.threat);
    mechanism.balanced = spec.method.balanced;
  }
  mechanism.smallest_pool = smallest_pool(people, result.partition);
  mechanism.limits.for_pools =
      mechanism.smallest_pool > 0 && spec.groups.limits_for == data::LimitsFor::Pools;
  mechanism.note = joined_notes({result.note, small_pools_text(mechanism),
                                 joined_values_text(population, people, input.tables.clusters()),
                                 budget_of_true_rows_text(input, result)});
  mechanism.clusters = census.clustering.model;
  mechanism.history = result.history;
  mechanism.converged = result.converged;
  mechanism.seeded = spec.method.seed.has_value();
  mechanism.key = input.composer ? input.composer->key() : key_of_draws(spec);
  mechanism.data_fingerprint = fingerprint;
  mechanism.people = std::llround(population.size());
  mechanism.most_own_rows = spec.channel.most_own_rows;
  const FeatureLeakage features = leakage_of(people, census, spec, result, shuffles, progress);
  mechanism.figures = basic_figures(population, input, result, features);
  complete(mechanism.figures, population, input, result, features);
  mechanism.figures.lift = lifts_of_result(people, census, result, progress);
  if (input.composer)
    describe_composed(input, result, mechanism);
  else
    mechanism.figures.own_rows = own_rows(
        result.channels, people,
        result.within_groups ? pools_by_group(people, result.partition) : one_pool(people.size()), progress);
  mechanism.channels = std::move(result.channels);  // of many people, too large for a copy
  return mechanism;
}

/// `people` is nobody where only counts are known, and without features where these are in `rows`.
void refuse_rows_elsewhere(const data::People& people, const data::Spec& spec, const FineRowsOf* rows) {
  if (composing_of(spec) && (rows != nullptr || people.features.entries() == 0))
    throw InputError({.source = spec.name + ", release.rows"},
                     "rows of people who are on other machines are not composed yet",
                     "Set release.rows = \"donor\", or fit on one machine.");
}

Mechanism find(const Population& population, const data::People& people, const data::Spec& spec,
               const census::Census& census, const std::function<std::string()>& fingerprint,
               const std::optional<solve::Partition>& groups, const Progress& progress,
               FineRowsOf* rows = nullptr) {
  refuse_target(spec);
  refuse_rows_elsewhere(people, spec, rows);
  Terms terms = terms_of(population, spec);
  if (groups) terms.first_groups = *groups;
  const solve::SegmentTables tables = segment_tables(population, census);
  MethodInput input = method_input(people, spec, terms, census, tables);
  if (groups) input.groups_are_fixed = true;
  FineCache prepared;
  input.person.rows = rows;
  input.person.cache = &prepared;  // budget_share and the method look at the same people
  if (!input.parameter) input.budget = resolve_budget(spec, input);
  MethodResult result = method_of(spec).run(input, progress);
  prepared = {};
  return_freed_memory();
  const int shuffles = shuffles_for(static_cast<std::size_t>(population.size()));
  // What was found before the user stopped the search is still accounted for.
  const Progress undisturbed;
  return assemble(population, spec, census, input, std::move(result), shuffles, fingerprint(),
                  progress.stop_requested() ? undisturbed : progress);
}

}  // namespace

Mechanism mechanism_of(const data::People& people, const data::Spec& spec, const census::Census& census,
                       const MethodInput& input, const MethodResult& result, int shuffles,
                       const Progress& progress) {
  return assemble(people, spec, census, input, result, shuffles, data::fingerprint(people), progress);
}

Mechanism fit(const data::People& people, const data::Spec& spec, const Progress& progress,
              const std::optional<solve::Partition>& groups) {
  refuse_target(spec);
  (void)terms_of(people, spec);  // what cannot be met is refused before the work
  return fit(people, spec, census_of(people, spec, progress), progress, groups);
}

Mechanism fit(const data::People& people, const data::Spec& spec, const census::Census& census,
              const Progress& progress, const std::optional<solve::Partition>& groups) {
  return find(people, people, spec, census, [&] { return data::fingerprint(people); }, groups, progress);
}

Mechanism fit_counted(const Population& population, const data::Spec& spec, const census::Census& census,
                      const std::string& fingerprint, const Progress& progress) {
  if (method_of(spec).by_person)
    throw InputError(
        {.source = spec.name + ", method.name"},
        fmt::format("{} looks at each person, and here people are only counted", spec.method.name),
        "Take exact, hyobscure, xobf, ygen, privcheck, frapp or random.");
  const data::People nobody;
  return find(population, nobody, spec, census, [&] { return fingerprint; }, std::nullopt, progress);
}

Mechanism fit_people(const data::People& people, const data::Spec& spec, const census::Census& census,
                     const std::string& fingerprint, FineRowsOf* rows, const Progress& progress) {
  return find(people, people, spec, census, [&] { return fingerprint; }, std::nullopt, progress, rows);
}

}  // namespace hyobscure::obscure
