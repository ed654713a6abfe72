#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/solve/areas/value_layout.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::obscure {

class FineCache;
class FineRowsOf;

using data::Threat;

/// Of methods that search groups step by step.
struct SearchSettings {
  solve::Acceptance acceptance = solve::Acceptance::Paper;
  double convergence_bits = 1e-4;  ///< a round that gains less is the last
};

/// Of the person-level channel.
struct PersonSettings {
  Threat threat = Threat::Both;
  double least_informed_weight = 0.2;  ///< of the informed attacker, where the threat is both
  bool balanced = true;                ///< every row is published once in expectation
  bool self_donor = true;              ///< false: nobody draws their own row
  std::optional<double> gap_bits;      ///< absent: what the solver reaches quickly
  FineCache* cache = nullptr;          ///< shared by several runs, or none
  FineRowsOf* rows = nullptr;          ///< where the rows of people are; none: in MethodInput::people
  /// Larger pools are cut into wards (fine_people.h). Distances of a ward take 4 bytes a pair.
  std::size_t most_in_ward = 4096;
};

/// What every method starts from: the census as tables, the people for methods that look at each
/// (Method::by_person; nobody where only counts are known), and the publisher's terms.
struct MethodInput {
  const solve::SegmentTables& tables;
  const solve::OrderedValues& values;
  const solve::ValueLayout& layout;  ///< how the values lie: what may be a group
  const data::People& people;
  std::span<const std::uint32_t> cluster_of_person;
  bool ignore_kept = false;  ///< true while groups are searched as if no column were kept
  census::Distance distance = census::Distance::JensenShannon;
  solve::GroupLimits limits;
  solve::Partition first_groups;
  bool groups_are_fixed = false;   ///< the user gave them: no method may move a boundary
  std::optional<int> group_count;  ///< as the user asked; absent: any number
  bool within_groups = true;       ///< false: baselines draw donors among all people
  double retain = 0;  ///< probability of publishing one's own row before anything is drawn; below 1
  double budget = kUnset;
  solve::LiftLimits lifts = {};  ///< of Method::limits_lifts
  solve::Objective objective = solve::Objective::Total;
  double gap_bits = 1e-9;           ///< of channels over cells
  std::optional<double> parameter;  ///< the knob of a baseline, given instead of a budget
  SearchSettings search = {};
  PersonSettings person = {};
  Key key;                                  ///< of the search, not of the draws
  std::shared_ptr<Composer> composer = {};  ///< composed rows are published; none: donors' rows

  /// Kept columns narrow the pools of donors.
  bool keeps() const { return !people.kept.empty() && !ignore_kept; }

  /// What the drawn rows may cost, where retained ones cost `own`: nothing but for composed rows.
  double drawn_budget(double own = 0) const { return (budget - retain * own) / (1 - retain); }
};

struct MethodResult {
  solve::Partition partition;
  std::vector<Channel> channels = {};  ///< one a group; one in all where donors come from all groups
  bool within_groups = true;
  double distance = kUnset;           ///< expected, retained rows included
  double smallest_distance = kUnset;  ///< of any channel for these groups, where the method found it
  std::vector<Round> history = {};    ///< of methods that optimise
  bool converged = true;              ///< false: the user stopped it, this is the best so far
  double gap_bits = kUnset;  ///< proven for these groups: of the features' leakage, or of its weighted sum
  /// Proven by methods that search all groupings: no groups and channels within the terms have an objective
  /// below.
  std::optional<double> joint_lower_bound_bits = {};
  std::optional<Parameter> parameter = {};  ///< the knob of a baseline, as the budget turned it
  double informed_bits = kUnset;  ///< what drawn rows tell the informed attacker; person-level channels only
  double learned_bits = kUnset;   ///< leakage to the learned attacker, where it was computed
  double informed_weight =
      1;                    ///< of the informed attacker in what was minimised; the rest is the learned one's
  double epsilon = kUnset;  ///< differential privacy that the method guarantees; nats
  std::string note = {};    ///< what the user should know of this answer
};

/// Receives the answer to one budget of a sweep.
using OnBudget = std::function<void(double budget, const MethodResult& result)>;

/// Budgets between which there is something to trade.
struct BudgetRange {
  double smallest = kUnset;
  double harmless = kUnset;  ///< from here on the features need tell nothing

  double at(double share) const { return smallest + share * (harmless - smallest); }
};

/// Of channels over the cells of the first groups.
BudgetRange cell_range(const MethodInput& input);
/// Of person-level channels in the first groups: from one's own row, or the nearest others where nobody
/// publishes their own, to a uniform donor.
BudgetRange person_range(const MethodInput& input);

/// A method under settings of its own, for comparisons.
struct MethodVariant {
  std::string name;
  void (*adjust)(MethodInput& input);
};

/// What the channels of most methods are.
template <class Draw>
bool draws_by(const Channel& channel) {
  return std::holds_alternative<Draw>(channel.draw);
}

/// A way to find groups and channels. One file each, and one line in method_list.cpp; the list feeds the
/// spec's method.name, flags, the settings page, Python and comparisons.
struct Method {
  std::string name;
  std::string help;            ///< one line, after the name
  bool across_groups = false;  ///< can draw donors among all people
  bool has_parameter = false;  ///< has one knob, which can be given instead of a budget
  bool by_person = false;      ///< looks at each person: the counts of cells are not enough
  bool person_level = false;   ///< a channel of each person: MethodInput::person are its settings
  bool limits_lifts = false;   ///< keeps MethodInput::lifts
  int usual_rounds = 5;        ///< channels solved on the way, about
  BudgetRange (*range)(const MethodInput& input) = cell_range;
  MethodResult (*run)(const MethodInput& input, const Progress& progress);
  /// Many budgets, one after the other; a method that learns from one for the next has its own way. Ends
  /// early when stopped. A budget that the method cannot meet is passed over.
  void (*sweep)(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                const OnBudget& on_budget);
  std::vector<MethodVariant> variants = {};  ///< shown beside it in comparisons
  /// Whether a channel is of the kind that this method makes: what a mechanism's file may claim.
  bool (*makes)(const Channel& channel) = draws_by<CellDraw>;
};

[[nodiscard]] const std::vector<Method>& methods();
/// Throws InputError where there is none of this name; `source` is where it was asked for.
[[nodiscard]] const Method& method_named(const std::string& name, const std::string& source = "method.name");
/// The method that the spec asks for.
[[nodiscard]] const Method& method_of(const data::Spec& spec);
/// Throws InputError for a mechanism that names a method which does not exist, or makes other channels: a
/// release would say so. Methods with channels of one kind cannot be told apart by them.
void refuse_other_method(const Mechanism& mechanism);
/// A method of the caller's beside ours. Not while others read the list.
void add_method(Method method);

// --- what the methods share

/// People who may donate to each other, by their cells.
struct DonorPool {
  solve::SegmentTables::Segment cells;
  std::int64_t people = 0;
  /// Mean distance from a person's row to the one that is published when they draw themselves.
  double own_distance = 0;

  double size() const { return static_cast<double>(people); }
};

/// The groups of the partition (with the same kept columns), or one pool of all where donors come from all
/// groups.
[[nodiscard]] std::vector<DonorPool> donor_pools(const MethodInput& input, const solve::Partition& partition);

/// The same with the distances of what is published: from true rows to composed ones, where they are
/// composed.
[[nodiscard]] std::vector<DonorPool> published_pools(const MethodInput& input,
                                                     const solve::Partition& partition);

/// Expected distance of what is published by these channels of the partition's pools, retained rows included.
[[nodiscard]] double published_distance(const MethodInput& input, const solve::Partition& partition,
                                        std::span<const Channel> channels);

/// Who is in the same pools, in the same order.
[[nodiscard]] Pools people_of_pools(const MethodInput& input, const solve::Partition& partition);

/// The O-problem of the pools.
[[nodiscard]] solve::ChannelProblem channel_problem(const std::vector<DonorPool>& pools);

/// The optimal channel for given groups, as if donors' rows were published, and the round that it makes in
/// the history.
struct SolvedGroups {
  solve::Partition partition;
  solve::ChannelResult solution;
  Round round;
};
[[nodiscard]] SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition,
                                        int moves);

/// The paper's search of better groups for given channels.
[[nodiscard]] solve::BoundarySearchResult move_boundaries(const MethodInput& input,
                                                          const solve::Partition& partition,
                                                          const solve::PartitionChannels& channels,
                                                          RandomStream& random);

/// Channels over the cells of each pool, as a result without history or proof. `channels` are those of the
/// partition's pools.
[[nodiscard]] MethodResult cell_result(const MethodInput& input, const solve::Partition& partition,
                                       const std::vector<Eigen::MatrixXd>& channels);

/// The same for solved groups, with the proof where it covers what is published. Where rows are composed, the
/// channels of these groups are solved again within the budget of composed rows.
[[nodiscard]] MethodResult solved_result(const MethodInput& input, SolvedGroups solved);

/// A channel over cells: O for the clusters of a segment, in a pool of those people.
[[nodiscard]] Channel cell_channel(const MethodInput& input, const solve::SegmentTables::Segment& segment,
                                   Eigen::MatrixXd probabilities);

/// Answers one budget after the other: what a sweep is. A budget out of reach is passed over; ends early when
/// stopped.
void answer_each(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget, const std::function<MethodResult(const MethodInput& at)>& answer);

/// A sweep of a method that learns nothing from one budget for the next.
template <MethodResult (*run)(const MethodInput&, const Progress&)>
void run_each(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
              const OnBudget& on_budget) {
  answer_each(input, budgets, progress, on_budget, [&](const MethodInput& at) { return run(at, progress); });
}

/// Expected distance when everybody draws themselves; 0 where true rows are published.
[[nodiscard]] double own_distance(const std::vector<DonorPool>& pools);

/// Expected distance when everybody draws uniformly in their pool, oneself included.
[[nodiscard]] double uniform_distance(const solve::ChannelProblem& problem);

/// Nothing of the method is as near as the budget asks.
class BudgetOutOfReach : public InputError {
 public:
  BudgetOutOfReach(std::string problem, std::string remedy)
      : InputError({.source = "channel.budget"}, std::move(problem), std::move(remedy)) {}
};

/// Nothing of the method is as near as the budget asks and keeps the limits on lifts. `works`: a largest lift
/// that can be kept within the budget, where one is known.
[[nodiscard]] BudgetOutOfReach out_of_reach(const MethodInput& input, const solve::LiftsOutOfReach& refused,
                                            std::optional<double> works = std::nullopt);

/// Throws BudgetOutOfReach when the drawn rows cannot be within the budget; `what` reaches no less than
/// `smallest`, and retained ones cost `own`.
void require_reach(const MethodInput& input, double smallest, const std::string& what, double own = 0);

}  // namespace hyobscure::obscure
