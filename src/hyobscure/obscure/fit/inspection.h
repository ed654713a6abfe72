#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/census/singled_out.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/fit/recommendation.h"
#include "hyobscure/obscure/groups/group_extremes.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// A leakage in bits beside what chance alone would show.
struct MeasuredLeakage {
  double bits = kUnset;
  double null_bits = kUnset;
  double null_deviation_bits = kUnset;
};

/// What a number of groups admits, each limit taken by itself; of areas and of very many names, at least this
/// much.
struct GroupCountOption {
  int count = 0;
  GroupExtremes extremes;
  double groupings = kUnset;  ///< that meet all limits of the spec; unset where it gives none
};

/// What the first groups of the spec would give, or recommended ones where it gives no limits.
struct GroupsPreview {
  bool of_the_spec = true;
  std::vector<published::Group> groups;
  double leakage_groups_bits = kUnset;  ///< H(G): what the groups alone tell
  MeasuredLeakage features;             ///< I(Y; C|G) of unprotected features
  double smallest_budget = kUnset;      ///< no channel is nearer
  double largest_budget = kUnset;       ///< from here on the features need tell nothing
  double uniform_distance = kUnset;     ///< of a uniform donor: where person-level channels need tell nothing
};

/// A column, and what it tells about the secret by itself: its cells, numbers cut into ranges, without any
/// group. Unset for the secret and for columns of events.
struct InspectedColumn {
  data::ColumnFacts facts;
  MeasuredLeakage leakage;
};

/// What a command would take, about.
struct CommandCost {
  std::string command;
  double seconds = kUnset;
  double memory_bytes = kUnset;
  std::string advice = {};  ///< where that is long: which setting to change
};

/// What is in the data, how much it leaks today and which terms can be met.
struct Inspection {
  std::vector<InspectedColumn> columns;  ///< where they were looked at: also those that would be refused
  std::vector<data::ImplausibleSecrets> implausible;
  std::size_t people = 0, items = 0, entries = 0;
  double distinct_values = 0;
  std::size_t atoms = 0;  ///< values as optimised; fewer than distinct_values where they were joined
  double secret_entropy_bits = kUnset;
  MeasuredLeakage features;  ///< I(Y; C): what the unprotected features tell without any group
  /// How many people a few known entries of theirs tell from all others.
  std::vector<census::SingledOut> singled_out;
  std::vector<GroupCountOption> options;
  std::optional<GroupsPreview> preview;  ///< absent where its limits cannot be met
  std::string no_preview_because;
  std::optional<Recommendation> recommendation;  ///< absent where no groups can be formed
  double census_seconds = kUnset;
  /// About, after the census, of methods that solve channels over clusters.
  double channel_seconds = kUnset;
  std::vector<CommandCost> costs;  ///< what commands would take (workflow/costs.h)
};

/// About how long a method that solves channels over clusters takes after the census: solves one of them.
[[nodiscard]] double predicted_channel_seconds(const data::People& people, const data::Spec& spec,
                                               const census::Census& census);

[[nodiscard]] Inspection inspect(const data::People& people, const data::Spec& spec,
                                 const Progress& progress = {});

/// Deterministic for a spec. Cost: a sort and some shuffles of the people for each column.
[[nodiscard]] std::vector<InspectedColumn> inspect_columns(const data::ColumnTable& table,
                                                           const data::Spec& spec);

}  // namespace hyobscure::obscure
