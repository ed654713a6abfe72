#pragma once

// Private to spec.cpp: the settings, each described once.

#include "hyobscure/data/spec/setting_fields.h"

namespace hyobscure::data {

/// What only the publisher knows. None is required: the report says which are not stated.
template <class Visit>
void visit_context(ContextSpec& c, Visit&& visit) {
  const auto statement = [&](const char* key, std::string& field, const char* help) {
    visit("context", key, field, Rule{}, help);
  };
  statement("recipient", c.recipient, "who gets the release; printed in the report as you state it");
  statement("purpose", c.purpose, "what they will use it for");
  statement("access", c.access,
            "where they may use it, and under which controls and agreements; or that it is public");
  statement("motive", c.motive,
            "who could want to identify a person in it, why, and with what skills and means");
  statement("other_data", c.other_data,
            "what these people could have or find elsewhere about persons in the release");
  statement("population", c.population,
            "how the people were chosen, and whether others can know that a person is among them");
  statement("transparency", c.transparency, "what the people in the data were told, and who was asked");
  statement("harm", c.harm, "what a person could suffer who is identified, or whose secret is inferred");
  statement("intruder_test", c.intruder_test,
            "what a test by a motivated intruder with other sources found, who made it and when");
  statement("approver", c.approver, "who approved the release, and in which role");
  statement("valid_until", c.valid_until,
            "until when the assessment holds, or what makes you review it; such as \"2027-12-31\"");
  statement("monitoring", c.monitoring, "how you notice that the surroundings of the release change");
  statement("incident", c.incident, "what is done if a person is identified, and by whom");
}

template <class Visit>
void visit_source(const char* section, SourceSpec& s, Visit&& visit) {
  visit(section, "file", s.file, Rule{},
        "file to read: CSV or TSV (also .gz, .zst), Parquet, JSON lines, DuckDB");
  visit(section, "format", s.format, Rule{}, "format of the file; auto goes by its name");
  visit(section, "table", s.table, Rule{}, "table of a DuckDB file");
  visit(section, "query", s.query, Rule{}, "SQL (DuckDB) that gives the rows, instead of a file");
  visit(section, "delimiter", s.delimiter, Rule{},
        "what separates the columns of a CSV file; found out when absent");
  visit(section, "header", s.header, Rule{},
        "whether the first line of a CSV file names the columns; without, they are column0, column1, ...");
  visit(section, "encoding", s.encoding, Rule{}, "letters of a CSV file");
  visit(section, "nulls", s.nulls, Rule{},
        "cells of a CSV file that mean an empty cell, such as \"NA\"; an empty one always does");
  visit(section, "decimal", s.decimal, Rule{},
        "what stands before the fraction of a number in a CSV file; a release has points");
}

template <class Visit>
void visit_settings(Spec& s, Visit&& visit) {
  visit_source("people", s.people.source, visit);
  visit("people", "id", s.people.id, Rule{.required = true}, "column that tells people apart");
  visit("people", "secret", s.people.secret, Rule{.required = true},
        "column that nobody may infer; published as groups. A list: several secrets, grouped together");
  visit("people", "features", s.people.features, Rule{}, "wide data: the columns to publish through donors");
  visit(
      "people", "keep", s.people.keep, Rule{},
      "columns published unchanged; donors share them, and the leakage counts them. An empty cell is a value "
      "of its own");
  visit(
      "people", "allow_identifying", s.people.allow_identifying, Rule{},
      "columns to publish though they identify people or reveal the secret (e-mail addresses, names, unique "
      "texts ...), which are refused otherwise");
  visit("people", "categorical", s.people.categorical, Rule{},
        "features that are categories though all or nearly all of their cells look like numbers");
  visit("people", "sets", s.people.sets, Rule{}, "features whose cells hold several words");
  visit("people", "set_separator", s.people.set_separator, Rule{}, "what separates the words of a set");
  visit("people", "missing", s.people.missing, Rule{},
        "an empty feature cell: an error, zero (no category), the column's mean, a category of its own, or "
        "the person is "
        "left out");
  visit("people", "scale", s.people.scale, Rule{},
        "numeric features, for clusters and distances only: each column to 0..1, or as it is");
  visit("people", "without_events", s.people.without_events, Rule{},
        "people with no event, or only zeros: an error, or they are left out and counted");
  visit_source("events", s.events.source, visit);
  visit("events", "person", s.events.person, Rule{}, "column that names the person");
  visit("events", "item", s.events.item, Rule{}, "column that names the item (film, place, product)");
  visit("events", "value", s.events.value, Rule{},
        "column with a rating or amount; without it events are counted");
  visit("events", "time", s.events.time, Rule{},
        "column published with the donor's events, not used otherwise");
  visit("events", "repeated", s.events.repeated, Rule{},
        "a person with several events of one item; auto adds counts and refuses repeated values");
  visit("events", "missing", s.events.missing, Rule{},
        "an event with an empty cell: an error, or it is left out and counted");
  visit("events", "unknown_people", s.events.unknown_people, Rule{},
        "events of people who are not in the people table: an error, or left out and counted");
  visit(
      "secret", "kind", s.secret.kind, Rule{},
      "ordered: numbers whose neighbours form groups; spatial: places, whose groups are areas; categorical: "
      "names. A list: of each secret");
  visit("secret", "keep", s.secret.keep, Rule{}, "people with a secret outside are left out and counted");
  visit("secret", "missing", s.secret.missing, Rule{},
        "people without a secret: an error, or left out and counted");
  visit(
      "secret", "atoms", s.secret.atoms, Rule{.low = 2, .high = 1000},
      "more distinct values than this are first joined to this many: numbers to ranges of equal size, others "
      "the smallest with its smallest neighbour");
  visit("secret", "fewest_people", s.secret.fewest_people, Rule{.low = 1},
        "drop people whose exact secret is shared by fewer people than this; they are counted");
  visit("secret", "latitude", s.secret.latitude, Rule{},
        "places: column with degrees north, of people or, where home is found from events, of events; "
        "people.secret is then only the name under which the area is published");
  visit("secret", "longitude", s.secret.longitude, Rule{}, "places: column with degrees east");
  visit("secret", "grid_columns", s.secret.grid_columns, Rule{.low = 1},
        "places: the secret is a number, row * grid_columns + column of a grid; instead of degrees");
  visit("secret", "cell_km", s.secret.cell_km, Rule{.low = 0.001, .high = 1000},
        "places: side of a cell of the grid, in kilometres");
  visit("secret", "home", s.secret.home, Rule{},
        "places: given with the person, the cell of most of their events, or of most of their events of a "
        "category");
  visit("secret", "home_column", s.secret.home_column, Rule{},
        "places: column of events with the category, for home = \"category\"");
  visit("secret", "home_category", s.secret.home_category, Rule{},
        "places: the category that means home, such as \"Home (private)\"");
  visit(
      "secret", "home_events", s.secret.home_events, Rule{},
      "places: events that reveal home (in its cell, or of the category) are features and published, or are "
      "left out and counted");
  visit(
      "secret", "hierarchy", s.secret.hierarchy, Rule{},
      "categories: CSV file, one row a category: its name, then what it belongs to, from near to far; groups "
      "follow it");
  visit("secret", "order", s.secret.order, Rule{},
        "categories: all of their names in their order (\"under 15K\", \"15-24K\", ...); groups are "
        "neighbours");
  visit("secret", "similarity", s.secret.similarity, Rule{},
        "categories: CSV file with the columns a, b and similarity: two names and how alike they are, 0 to "
        "1; a "
        "pair that is not in it has nothing in common; groups follow it");
  visit("groups", "count", s.groups.count, Rule{.low = 1, .high = 1000},
        "number of groups; absent: the smallest number that the limits allow");
  visit("groups", "people", s.groups.people, Rule{.low = 1, .required = true},
        "k and alpha: fewest and most people of a group");
  visit("groups", "values", s.groups.values, Rule{.low = 1, .required = true},
        "l and beta: fewest and most distinct secrets of a group");
  visit("groups", "fixed", s.groups.fixed, Rule{},
        "groups given instead of searched, in order and without gaps");
  visit("groups", "first", s.groups.first, Rule{},
        "first groups: the optimal ones by dynamic programming, or the paper's constraint-aware k-means");
  visit("groups", "shape", s.groups.shape, Rule{},
        "several secrets: groups that are a range or list of each secret by itself, or any neighbouring "
        "combinations, which leak less and read worse; auto takes boxes where the limits allow them");
  visit("groups", "limits_for", s.groups.limits_for, Rule{},
        "kept columns: k and l hold for pools (people with the same group and the same kept cells: what an "
        "attacker sees), or only for groups. alpha and beta are limits of groups");
  visit("channel", "clusters", s.channel.clusters, Rule{.low = 1, .high = 1000},
        "clusters of people with alike features; auto: doubled from 5 while that lowers the leakage at the "
        "budget "
        "by a tenth or more (docs/method.md)");
  visit("channel", "distance", s.channel.distance, Rule{}, "distance between two people's features");
  Budget budget{s.channel.budget, s.channel.target};
  visit("channel", "budget", budget, Rule{.low = 0, .required = true},
        "largest expected distance between published and true features; or what the release must still be "
        "good for: `at most 2 % of rating RMSE`, also of `mAP`, of `task` (the column of audit.task) or of "
        "`distance` (that of any donor of the group)");
  visit("channel", "budget_share", s.channel.budget_share, Rule{.low = 0, .high = 1},
        "instead of budget: 0 is the smallest distance that the first groups can reach, 1 the one at which "
        "their features "
        "reveal nothing");
  visit("channel", "most_own_rows", s.channel.most_own_rows, Rule{.low = 0, .high = 1},
        "share of people who may be expected to publish their own row; beyond it `fit` ends with exit code 3 "
        "and "
        "`publish` asks for --accept-leakage");
  visit("channel", "max_lift", s.channel.max_lift, Rule{.low = 1},
        "no published row may raise the probability of any value above this factor times its share in the "
        "group "
        "(1: rows reveal nothing); methods exact, hyobscure and xobf");
  visit("channel", "min_lift", s.channel.min_lift, Rule{.low = 0, .high = 1},
        "none may lower it below this factor (above 0: no value is ruled out); the same methods");
  visit("channel", "normalise", s.channel.normalise, Rule{}, "scale every row to sum 1 before clustering");
  visit("channel", "starts", s.channel.starts, Rule{.low = 1, .high = 1000},
        "starts of k-means; the best one is kept");
  // Which methods there are is not known here: obscure/methods/settings.h.
  visit("method", "name", s.method.name, Rule{}, "how groups and channels are found");
  visit("method", "parameter", s.method.parameter, Rule{.low = 0},
        "instead of a budget: the knob of a baseline");
  visit("method", "within_groups", s.method.within_groups, Rule{},
        "false: baselines draw donors among all people, as in the paper; for comparisons, not for a release");
  visit("method", "retain", s.method.retain, Rule{.low = 0, .high = 0.999},
        "probability of publishing one's own row before anything is drawn; the leakage counts it");
  visit("method", "objective", s.method.objective, Rule{},
        "what to minimise: all that the release reveals, or what the features add to the groups");
  visit("method", "acceptance", s.method.acceptance, Rule{},
        "a moved boundary must lower leakage and distance (paper), or leakage within the budget (budget)");
  visit("method", "convergence", s.method.convergence, Rule{.low = 1e-12, .high = 1},
        "stop when a round lowers the leakage by less than this many bits");
  visit("method", "gap", s.method.gap, Rule{.low = 1e-12, .high = 1},
        "bits that a channel may be proven above the optimum; absent: 1e-9, and for fine 1e-5 (informed, "
        "groups of at most 400), 1e-3 times the weight of the informed attacker or a tenth of the leakage "
        "where "
        "that is less, within 2e-4 and 5e-4, or 1e-3 where there are many wards");
  visit("method", "threat", s.method.threat, Rule{},
        "fine: protect against an informed attacker (knows all rows, secrets and the channel as statistics, "
        "not "
        "which row is the target's), against a model trained on other people, or against both");
  visit("method", "least_informed_weight", s.method.least_informed_weight, Rule{.low = 0, .high = 1},
        "fine with threat both: the informed attacker weighs at least this in what is minimised, the model "
        "at most "
        "the rest (docs/method.md)");
  visit("method", "balanced", s.method.balanced, Rule{},
        "fine: every row is published once in expectation, so that averages of a group stay unbiased");
  visit("method", "self_donor", s.method.self_donor, Rule{},
        "fine: whether people may publish their own row");
  visit(
      "method", "ward", s.method.ward, Rule{.low = 20, .high = 50'000},
      "fine: larger groups are cut into wards of at most so many alike people, among whom donors are found; "
      "memory is 4 bytes times the square of it, per thread");
  visit("method", "seed", s.method.seed, Rule{}, "repeatable draws, for trials only: never for a release");
  visit("release", "format", s.release.format, Rule{},
        "format of the released files; auto: Parquet if the input is Parquet, else CSV");
  visit("release", "ids", s.release.ids, Rule{},
        "ids of people: replaced by random ones, kept (the release is then pseudonymous: everybody stands in "
        "it under the original id), or left out (wide data only)");
  visit("release", "order", s.release.order, Rule{},
        "rows of the release: by published id and then by content, or at random, which is faster for many "
        "events; "
        "neither reveals the order of the input");
  visit("release", "ledger", s.release.ledger, Rule{},
        "private file that remembers who was published, so that each person gets one draw; none: nothing is "
        "remembered, for trials");
  visit("audit", "releases", s.audit.releases, Rule{.low = 1, .high = 10'000},
        "repetitions of every attack and utility, each with its own split of the people and, where the "
        "mechanism is given, its own draw");
  visit("audit", "minutes", s.audit.minutes, Rule{.low = 0, .high = 1e5},
        "the audit goes on with repetitions beyond audit.releases until so much time is used; 0: it does "
        "not");
  visit("audit", "attackers", s.audit.attackers, Rule{},
        "models that are trained to infer the secret: boosted trees and a linear model, which begin with the "
        "guess from the group alone and stop where they learn no more; the paper's random forest and XGBoost "
        "of 160 rounds, which do not");
  visit("audit", "scenarios", s.audit.scenarios, Rule{},
        "I: the attacker learns from true features and secrets of some people; II: from the release and the "
        "true secrets of some people in it; known-part: the same, of 10 % and of 90 % of them");
  visit("audit", "row_attacks", s.audit.row_attacks, Rule{},
        "known-entries: the attacker knows 2, 4, 8 and 16 entries of a person's row and looks for the "
        "published row that fits best; matching: it has a person's whole row");
  visit("audit", "known", s.audit.known, Rule{.low = 0.01, .high = 0.99},
        "share of the people whose secret the attacker of scenario I knows");
  visit("audit", "folds", s.audit.folds, Rule{.low = 2, .high = 100},
        "scenario II: each fold is attacked with the secrets of the others");
  visit("audit", "people", s.audit.people, Rule{.low = 40, .high = 1e9},
        "attackers and users learn from and are tried on so many people at most, drawn again for every "
        "repetition; intervals cover the draw");
  visit("audit", "shadow", s.audit.shadow, Rule{.low = 0, .high = 100},
        "repetitions of the attacker who fits the same method to people of its own and learns from that");
  visit("audit", "task", s.audit.task, Rule{},
        "a kept column that users of the release will predict; the audit measures how well they can");
  visit_context(s.context, visit);
}

}  // namespace hyobscure::data
