#include "hyobscure/obscure/fit/inspection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/groups/group_extremes.h"
#include "hyobscure/obscure/groups/labels.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/solve/areas/subset_groups.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::obscure {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr int kMostCountsShown = 10;
constexpr int kRangesOfNumbers = 16;
constexpr std::size_t kPeopleSingledOut = 1000;  ///< who are tried

/// Of runs of the rows; of names without an order, whose subsets were looked at, any groups.
GroupCountOption option_of(const std::vector<solve::OrderedValues>& rows,
                           const std::optional<solve::SubsetGroups>& subsets, const data::Spec& spec,
                           int count) {
  GroupCountOption option{
      .count = count, .extremes = subsets ? group_extremes(*subsets, count) : group_extremes(rows, count)};
  if (!spec.groups.people || !spec.groups.values) return option;
  if (subsets)
    option.groupings = subsets->count(group_limits(spec), count);
  else if (rows.size() == 1)
    option.groupings = solve::count_groupings(rows[0], group_limits(spec), count);
  return option;
}

bool is_names_without_order(const data::People& people) {
  return people.space && people.space->hierarchy.empty() && people.space->axes.size() == 1 &&
         people.space->axes[0].kind == data::AxisKind::Categorical;
}

/// What `cells` tell about the secrets, everybody's.
MeasuredLeakage measure(std::span<const std::uint32_t> cells, std::span<const std::uint32_t> secrets,
                        std::span<const std::uint32_t> strata, const Key& key) {
  const auto null = census::permutation_null(cells, secrets, strata, shuffles_for(secrets.size()), key);
  return {census::conditional_information(cells, secrets, strata) * kBitsPerNat, null.mean_nats * kBitsPerNat,
          null.deviation_nats * kBitsPerNat};
}

MeasuredLeakage unprotected_leakage(const data::People& people, const census::Census& census,
                                    std::span<const std::uint32_t> strata, const Key& key) {
  return measure(census.clustering.cluster_of_row, people.secrets, strata, key);
}

/// With the distances of composed rows.
solve::ChannelProblem composed_problem(const data::People& people, const data::Spec& spec,
                                       const census::Census& census, const solve::SegmentTables& tables,
                                       const solve::Partition& partition) {
  const Terms terms = first_terms_of(people, spec);
  return channel_problem(published_pools(method_input(people, spec, terms, census, tables), partition));
}

GroupsPreview preview_of(const data::People& people, const data::Spec& spec, const census::Census& census,
                         const solve::SegmentTables& tables, const solve::Partition& partition,
                         const Key& key) {
  const solve::ChannelProblem problem = solve::problem_of(tables, partition).problem;
  GroupsPreview preview;
  preview.groups = label_groups(people, partition, spec);
  std::vector<std::uint32_t> group_of_person;
  const std::vector<int> group_of_value = partition.group_of_values();
  for (const std::uint32_t secret : people.secrets)
    group_of_person.push_back(static_cast<std::uint32_t>(group_of_value[secret]));
  preview.leakage_groups_bits = solve::group_entropy(problem.joints) * kBitsPerNat;
  preview.features = unprotected_leakage(people, census, group_of_person, key.derive("within groups"));
  const solve::ChannelProblem published =
      composing_of(spec) ? composed_problem(people, spec, census, tables, partition) : problem;
  preview.smallest_budget = solve::smallest_distance(published);
  preview.largest_budget = solve::harmless_distance(published);
  preview.uniform_distance = uniform_distance(published);
  return preview;
}

/// A method solves the channel a handful of times, each about as long as a solve halfway between the budgets.
double channel_estimate(const solve::SegmentTables& tables, const solve::Partition& partition,
                        const data::Spec& spec) {
  const Stopwatch watch;
  const solve::ChannelProblem problem = solve::problem_of(tables, partition).problem;
  (void)solve::solve_with_budget(problem,
                                 (solve::smallest_distance(problem) + solve::harmless_distance(problem)) / 2,
                                 {.gap_tolerance_bits = spec.method.gap.value_or(1e-9)});
  return watch.seconds() * method_of(spec).usual_rounds;
}

}  // namespace

double predicted_channel_seconds(const data::People& people, const data::Spec& spec,
                                 const census::Census& census) {
  const solve::Partition partition = first_terms_of(people, spec).first_groups;
  const solve::SegmentTables tables = segment_tables(people, census);
  return channel_estimate(tables, partition, spec);
}

Inspection inspect(const data::People& people, const data::Spec& spec, const Progress& progress) {
  const std::vector<solve::OrderedValues> rows =
      layout_of(people, spec.groups.shape == data::GroupShape::Boxes)->rows();
  const solve::OrderedValues& values = rows[0];
  Inspection result;
  result.people = people.size();
  result.items = people.features.columns;
  result.entries = people.features.entries();
  result.distinct_values = values.distinct.sum();
  result.atoms = people.values.size();
  result.secret_entropy_bits =
      people.exact.empty() ? census::entropy(values.people) * kBitsPerNat : exact_entropy(people);
  const int most = std::min<int>(kMostCountsShown, static_cast<int>(people.values.size()));
  std::optional<solve::SubsetGroups> subsets;
  if (is_names_without_order(people)) subsets = solve::SubsetGroups::of(values, most);
  for (int count = 2; count <= most; ++count) result.options.push_back(option_of(rows, subsets, spec, count));

  const Stopwatch watch;
  const census::Census census = census_of(people, spec, progress);
  result.census_seconds = watch.seconds();
  const Key key = search_key(spec).derive("inspect");
  result.features = unprotected_leakage(people, census, {}, key);
  result.singled_out =
      census::singled_out(people.features, {2, 4, 8, 16}, kPeopleSingledOut, key.derive("singled out"));
  result.recommendation = recommend(people, spec, census, progress);
  data::Spec looked_at = spec;
  const bool has_limits = spec.groups.people && spec.groups.values;
  if (!has_limits) {
    if (!result.recommendation) {
      result.no_preview_because =
          "The spec gives no limits (groups.people, groups.values), and none were found.";
      return result;
    }
    looked_at = with_terms(spec, {result.recommendation->groups, result.recommendation->limits});
  }
  try {
    const solve::Partition partition = first_terms_of(people, looked_at).first_groups;
    const solve::SegmentTables tables = segment_tables(people, census);
    result.preview = preview_of(people, looked_at, census, tables, partition, key);
    result.preview->of_the_spec = has_limits;
    if (!method_of(spec).by_person) result.channel_seconds = channel_estimate(tables, partition, spec);
  } catch (const InputError& error) {
    result.no_preview_because = error.what();
  }
  return result;
}

std::vector<InspectedColumn> inspect_columns(const data::ColumnTable& table, const data::Spec& spec) {
  const Key key = search_key(spec).derive("inspect columns");
  std::vector<InspectedColumn> result;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const data::ColumnFacts& facts = table.columns()[i];
    InspectedColumn& column = result.emplace_back(InspectedColumn{facts, {}});
    if (facts.role == data::ColumnRole::Feature || facts.role == data::ColumnRole::Kept)
      column.leakage = measure(table.cells(i, kRangesOfNumbers), table.secrets(), {}, key.derive(facts.name));
  }
  return result;
}

}  // namespace hyobscure::obscure
