#include "hyobscure/data/read/read_kept.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyobscure/base/error.h"
#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/spec/secret_checks.h"

namespace hyobscure::data {
namespace {

/// id, the cells of the secret, c0, c1, ..., k0, k1, ...
std::string people_projection(const Spec& spec, const Relation& people, const SecretReader& secret) {
  std::string projection = as_text(people.column(spec.people.id)) + " AS id" + secret.projection();
  for (std::size_t i = 0; i < spec.people.features.size(); ++i)
    projection += fmt::format(", {} AS c{}", people.column(spec.people.features[i]), i);
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i)
    projection += fmt::format(", {} AS k{}", people.column(spec.people.keep[i]), i);
  return projection;
}

/// Nothing else can be looked at where ids are wrong: all that belongs to a person is found by them.
void check_ids(Engine& engine, const Spec& spec, const Relation& people, ReadCounts& counts) {
  const auto sums = engine.integers(
      "SELECT count(*), count(*) - count(id), count(id) - count(DISTINCT id) FROM hyo_people");
  counts.people_read = sums[0];
  FoundProblems problems;
  const auto fail = [&](const std::string& condition, const std::string& problem, const std::string& remedy) {
    const std::string id = as_text(people.column(spec.people.id)) + " AS id";
    problems.add({{people.name, first_row(engine, people, id, condition), spec.people.id}, problem, remedy});
  };
  if (sums[0] == 0)
    throw InputError({.source = people.name}, "there are no people in it", "Check the file or the query.");
  if (sums[1] > 0)
    fail("id IS NULL", fmt::format("the id is missing ({} in all)", plural(sums[1], "row", "rows")),
         "Give every person an id.");
  if (sums[2] > 0)
    fail("id IN (SELECT id FROM hyo_people GROUP BY id HAVING count(*) > 1)",
         fmt::format("the person occurs again further down ({} too many)", plural(sums[2], "row", "rows")),
         "Keep one row per person; events belong in [events].");
  problems.refuse();
}

std::string missing_condition(const std::vector<FeatureKind>& features, const std::string& combine) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features[i] != FeatureKind::Set) parts.push_back(fmt::format("c{} IS NULL", i));
  return parts.empty() ? "false" : fmt::format("({})", fmt::join(parts, combine));
}

/// hyo_kept: the people to protect, numbered by their ids.
void keep_people(Engine& engine, const Spec& spec, const SecretReader& secret,
                 const std::vector<FeatureKind>& features, ReadCounts& counts) {
  std::string inside = secret.is_given();
  if (spec.secret.keep) {
    const std::string range =
        fmt::format("s0 BETWEEN {} AND {}", (*spec.secret.keep)[0], (*spec.secret.keep)[1]);
    counts.people_outside = engine.integers(
        fmt::format("SELECT count(*) FROM hyo_people WHERE {} AND NOT ({})", inside, range))[0];
    inside += " AND " + range;
  }
  if (spec.people.missing == MissingFeature::LeaveOut) {
    const std::string incomplete = missing_condition(features, " OR ");
    counts.people_incomplete = engine.integers(
        fmt::format("SELECT count(*) FROM hyo_people WHERE {} AND {}", inside, incomplete))[0];
    inside += " AND NOT " + incomplete;
  }
  engine.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE hyo_kept AS SELECT *, CAST({} AS DOUBLE) AS secret, "
                  "row_number() OVER (ORDER BY id) - 1 AS u FROM hyo_people WHERE {}",
                  secret_is_one_number(spec) ? "s0" : "NULL", inside));
}

Relation open_people(Engine& engine, const Spec& spec) {
  engine.set_stage("reading people");
  return open_source(engine, spec, spec.people.source, "people");
}

}  // namespace

KeptPeople::KeptPeople(Engine& engine, const Spec& spec, Reading& reading)
    : engine_(engine),
      spec_(spec),
      reading_(reading),
      secret_(engine, spec, reading.people_source = open_people(engine, spec)) {
  const Relation& relation = reading.people_source;
  for (const std::string& name : spec.people.features) kinds_.push_back(feature_kind(spec, relation, name));
  about(relation, [&] {
    engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE hyo_people AS SELECT {} FROM {}",
                           people_projection(spec, relation, secret_), relation.sql));
    check_ids(engine, spec, relation, reading.counts);
  });
  if (home_is_found(spec)) {
    open_events();
    secret_.take_homes(events_->find_homes());
  }
  about(relation, [&] {
    secret_.check(reading.counts, problems_);
    keep_people(engine, spec, secret_, kinds_, reading.counts);
    secret_.leave_out_rare(reading.counts);
  });
}

void KeptPeople::open_events() {
  if (events_) return;
  engine_.set_stage("reading events");
  reading_.events_source = open_source(engine_, spec_, spec_.events.source, "events");
  events_.emplace(engine_, spec_, reading_.events_source);
}

std::vector<ColumnFacts> KeptPeople::look_at_columns() const {
  return data::look_at_columns(engine_, spec_, reading_.people_source, kinds_, secret_.cells());
}

}  // namespace hyobscure::data
