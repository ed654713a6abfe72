#include "hyobscure/release/publish_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/spec/secret_checks.h"
#include "hyobscure/published/manifest.h"

namespace hyobscure::release {
namespace {

using data::quoted_name;
using data::Relation;
using data::SourceKind;

Published published(const Relation& relation, const std::string& wanted) {
  const std::string quoted = relation.column(wanted);
  const auto found = std::ranges::find_if(
      relation.columns, [&](const data::Column& column) { return quoted_name(column.name) == quoted; });
  const std::string cell = "s." + quoted;
  // An enumeration has an order of its own, which is the source's business and none of the release's.
  if (found->type.starts_with("ENUM("))
    return {found->name, fmt::format("CAST({} AS VARCHAR)", cell), "VARCHAR"};
  return {found->name, cell, relation.kind == SourceKind::Csv ? "VARCHAR" : found->type};
}

/// A CSV file could say of an empty cell whether there is a text of no letters or none: a release has one
/// form of it.
void write_empty_texts_as_nothing(std::vector<Published>& columns) {
  for (Published& column : columns)
    if (column.stored_type == "VARCHAR") column.cell = fmt::format("nullif({}, '')", column.cell);
}

/// Whether the secret is a place that no column of people holds: coordinates, or found from events.
bool is_derived(const data::Spec& spec, std::size_t secret) {
  return data::kind_of_secret(spec, secret) == data::AxisKind::Spatial && !spec.secret.grid_columns;
}

void add_secrets(const data::Spec& spec, Layout& layout) {
  const std::vector<std::string>& names = spec.people.secret.all;
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    layout.parts.push_back(is_derived(spec, axis) ? names[axis] : published(layout.people, names[axis]).name);
  layout.secret = names.size() == 1 ? layout.parts[0] : published::Manifest::kGroupColumn;
  if (names.size() == 1) layout.parts.clear();
}

[[noreturn]] void throw_two_roles(const Layout& layout, const std::string& column) {
  if (!layout.parts.empty() && lower_case(column) == published::Manifest::kGroupColumn)
    throw InputError({.source = layout.people.name, .column = column},
                     "is what the column with the groups of several secrets is called",
                     "Rename the column, or leave it out.");
  throw InputError({.source = layout.people.name, .column = column},
                   "has two roles among id, secret, features and keep", "Give every column one role.");
}

/// A query or a CSV reader takes names in any case: "AGE" must not carry the secret "age" out as a feature.
void refuse_secret_in_another_role(const Layout& layout) {
  std::set<std::string> seen = {lower_case(layout.secret)};
  const auto take = [&](const std::string& column) {
    if (!seen.insert(lower_case(column)).second) throw_two_roles(layout, column);
  };
  take(layout.id.name);
  for (const std::string& column : layout.parts) take(column);
  for (const Published& column : layout.kept) take(column.name);
  for (const Published& feature : layout.features) take(feature.name);
}

bool are_whole(data::Engine& engine, const Relation& relation, const Published& column) {
  return engine.integers(
             fmt::format("SELECT count(*) FROM (SELECT CAST({0} AS DOUBLE) AS x FROM {1} AS s WHERE "
                         "TRY_CAST({0} AS DOUBLE) IS NOT NULL) WHERE "
                         "x <> floor(x) OR abs(x) > 9e15",
                         column.cell, relation.sql))[0] == 0;
}

/// Numbers of a CSV file as numbers of a Parquet file: whole where all are. Their content was checked when it
/// was read.
void turn_text_into_numbers(Published& column, bool whole) {
  column.stored_type = whole ? "BIGINT" : "DOUBLE";
  column.cell = fmt::format("TRY_CAST(TRY_CAST({} AS DOUBLE) AS {})", column.cell, column.stored_type);
}

void add_kept(const data::Spec& spec, Layout& layout) {
  for (const std::string& name : spec.people.keep) {
    Published column = published(layout.people, name);
    column.cell = fmt::format("k.k{}", layout.kept.size());
    layout.kept.push_back(std::move(column));
  }
}

void add_features(data::Engine& engine, const data::Spec& spec, Layout& layout) {
  for (const std::string& name : spec.people.features) {
    Published feature = published(layout.people, name);
    if (layout.parquet && layout.people.kind == SourceKind::Csv &&
        data::feature_kind(spec, layout.people, name) == data::FeatureKind::Numeric)
      turn_text_into_numbers(feature, are_whole(engine, layout.people, feature));
    layout.features.push_back(std::move(feature));
  }
}

void add_events(const data::Spec& spec, const data::Reading& reading, Layout& layout) {
  layout.person = published(layout.events, spec.events.person);
  layout.event_columns.push_back(published(layout.events, spec.events.item));
  layout.used = fmt::format("{} IS NOT NULL AND {}", layout.event_columns[0].cell,
                            data::event_is_feature(spec, reading, "s"));
  if (!spec.events.value.empty()) {
    Published value = published(layout.events, spec.events.value);
    layout.used += fmt::format(" AND {} IS NOT NULL", value.cell);
    if (layout.parquet && layout.events.kind == SourceKind::Csv)
      turn_text_into_numbers(value, reading.values_are_whole);
    layout.event_columns.push_back(std::move(value));
  }
  if (!spec.events.time.empty()) layout.event_columns.push_back(published(layout.events, spec.events.time));
}

}  // namespace

std::string texts_to_select(data::Engine& engine, const std::vector<std::string>& items) {
  return engine.made_rows({{"item", "VARCHAR"}},
                          [&items, next = std::size_t{0}](data::ChunkMaker& chunk) mutable {
                            const std::size_t rows = std::min(chunk.most_rows(), items.size() - next);
                            for (std::size_t row = 0; row < rows; ++row)
                              chunk.set_text(0, row, items[next++]);
                            return rows;
                          });
}

void number_items(data::Engine& engine, const std::vector<std::string>& items) {
  engine.run("DROP TYPE IF EXISTS hyo_item");
  engine.run(
      fmt::format("CREATE TEMP TYPE hyo_item AS ENUM (SELECT item FROM {})", texts_to_select(engine, items)));
}

Layout plan_layout(data::Engine& engine, const data::Spec& spec, const data::Reading& reading) {
  Layout layout;
  layout.people = reading.people_source;
  layout.events = reading.events_source;
  layout.read_people = reading.tables.people();
  layout.parquet =
      spec.release.format == data::ReleaseFormat::Parquet ||
      (spec.release.format == data::ReleaseFormat::Auto && layout.people.kind == SourceKind::Parquet);
  layout.id = published(layout.people, spec.people.id);
  add_secrets(spec, layout);
  add_kept(spec, layout);
  about(layout.people, [&] { add_features(engine, spec, layout); });
  refuse_secret_in_another_role(layout);
  if (spec.is_long()) add_events(spec, reading, layout);
  if (!layout.parquet)
    for (auto* columns : {&layout.kept, &layout.features, &layout.event_columns})
      write_empty_texts_as_nothing(*columns);
  return layout;
}

}  // namespace hyobscure::release
