#pragma once

#include "hyobscure/base/numeric.h"

namespace hyobscure::obscure {

/// What a release reveals about the secret, in bits; exact for the counted people, not estimates. NaN: not
/// computed.
struct Leakage {
  double total = kUnset;     ///< I(Y; V, G), V the donor: all that the release reveals about the secret
  double groups = kUnset;    ///< H(G): what the groups reveal
  double features = kUnset;  ///< I(Y; V|G): what the features add
  /// I(Y; C'|G), C' the cluster of the published row: the same where donors are uniform in their cell, else
  /// less than what the rows reveal.
  double clusters = kUnset;
  /// I(Y'; V|G), Y' as a model trained on other people sees it: what the features reveal to the learned
  /// attacker.
  double learned = kUnset;
  double null = kUnset;  ///< what `features` would be for values shuffled within their groups
  double null_deviation = kUnset;
  /// The same groups with true features: I(Y; C|G) where rows reveal no more than their cluster, else H(Y|G),
  /// all that is left to learn for an informed attacker.
  double unprotected = kUnset;
  double random = kUnset;            ///< I(Y; V|G) of random donors at the same expected distance
  double any_donor = kUnset;         ///< the same of drawing any other person
  double secret_entropy = kUnset;    ///< H(Y)
  double fano_error_bound = kUnset;  ///< a guess from the release is wrong for at least this share of people
};

/// The worst case where leakage is an average: how much one published row can change what an informed
/// attacker believes of one value, as a factor (leakage/lift.h). NaN: not computed.
struct LiftFigures {
  double highest = kUnset;                ///< max over rows j and values y of P(y | j, G) / P(y | G)
  double lowest = kUnset;                 ///< min of the same; 0: some row rules some value out
  double highest_of_population = kUnset;  ///< max of P(y | j, G) / P(y)
  /// What a person's own draw does to the own value, for the person whom it hurts most and for the median
  /// one: by the row that raises it most, and in expectation.
  double own_largest = kUnset;
  double own_largest_median = kUnset;
  double own_expected = kUnset;
  double own_expected_median = kUnset;
  double own_of_population = kUnset;  ///< own_expected against P(y), the group included
};

/// Of composed rows (compose/composed_rows.h); NaN where donors' rows are published.
struct ComposedFigures {
  double smallest_distance = kUnset;  ///< no channel of these groups publishes nearer rows
  double largest_share = kUnset;      ///< that one person gives of a row of two units or more
  double dropped = kUnset;            ///< share of the entries that too few people of a pool have
  double entries = kUnset;            ///< entries of the composed rows, as a share of those of all true rows
};

/// What a mechanism gives and costs, as fit computes it from the channel.
struct Figures {
  Leakage leakage;
  LiftFigures lift;
  ComposedFigures composed;
  double own_rows = kUnset;    ///< expected share of people who publish their own row; 0 for composed rows
  double informed_weight = 1;  ///< in what was minimised; the rest is the learned attacker's
  double distance = kUnset;    ///< expected, between published and true features
  double budget = kUnset;
  /// What was minimised is proven this close to its optimum for these groups: the features' leakage, or its
  /// sum weighed by informed_weight where there is a learned attacker too.
  double gap = kUnset;
  double joint_gap = kUnset;  ///< the same for the objective, over all groupings; NaN: not proven
  double epsilon = kUnset;    ///< differential privacy of the choice of donors, in nats; NaN: none
};

/// Every figure with its key, in files and in JSON: visit(const char* key, double& figure).
template <class AnyFigures, class Visit>
void visit_figures(AnyFigures& figures, Visit&& visit) {
  auto& leakage = figures.leakage;
  visit("leakage_bits", leakage.total);
  visit("leakage_groups_bits", leakage.groups);
  visit("leakage_features_bits", leakage.features);
  visit("leakage_clusters_bits", leakage.clusters);
  visit("leakage_learned_bits", leakage.learned);
  visit("leakage_null_bits", leakage.null);
  visit("leakage_null_deviation_bits", leakage.null_deviation);
  visit("leakage_unprotected_bits", leakage.unprotected);
  visit("leakage_random_bits", leakage.random);
  visit("leakage_any_donor_bits", leakage.any_donor);
  visit("max_lift", figures.lift.highest);
  visit("min_lift", figures.lift.lowest);
  visit("max_lift_of_population", figures.lift.highest_of_population);
  visit("own_lift_largest", figures.lift.own_largest);
  visit("own_lift_largest_median", figures.lift.own_largest_median);
  visit("own_lift_expected", figures.lift.own_expected);
  visit("own_lift_expected_median", figures.lift.own_expected_median);
  visit("own_lift_of_population", figures.lift.own_of_population);
  visit("own_rows", figures.own_rows);
  visit("informed_weight", figures.informed_weight);
  visit("secret_entropy_bits", leakage.secret_entropy);
  visit("fano_error_bound", leakage.fano_error_bound);
  visit("distance", figures.distance);
  visit("budget", figures.budget);
  visit("composed_smallest_distance", figures.composed.smallest_distance);
  visit("composed_largest_share", figures.composed.largest_share);
  visit("composed_dropped", figures.composed.dropped);
  visit("composed_entries", figures.composed.entries);
  visit("gap_bits", figures.gap);
  visit("joint_gap_bits", figures.joint_gap);
  visit("epsilon", figures.epsilon);
}

}  // namespace hyobscure::obscure
