#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::release {

/// A column of the source as it is published.
struct Published {
  std::string name;
  std::string cell;         ///< SQL, of the source as `s`; a kept cell, of the people who were read as `k`
  std::string stored_type;  ///< of the cell: everything in a CSV file is text
};

/// What the whole release needs to know of its sources.
struct Layout {
  bool parquet = false;
  data::Relation people;
  data::Relation events;    ///< long data only
  std::string read_people;  ///< to select from: ReadTables::people
  Published id;
  std::string secret;              ///< name of the column with the group's label
  std::vector<std::string> parts;  ///< several secrets: the columns with what the group covers of each
  std::vector<Published> kept;
  std::vector<Published> features;       ///< wide: of people
  std::optional<Published> person;       ///< long: of events
  std::vector<Published> event_columns;  ///< long: item, value, time as far as they are named
  std::string used = "true";             ///< long: condition on an event that was used
};

/// To select from, once: column item, in this order.
[[nodiscard]] std::string texts_to_select(data::Engine& engine, const std::vector<std::string>& items);

/// Texts are slow to sort and large to keep meanwhile, their numbers are not: hyo_item is the type of both.
void number_items(data::Engine& engine, const std::vector<std::string>& items);

/// Throws InputError where a column would be published in two roles.
[[nodiscard]] Layout plan_layout(data::Engine& engine, const data::Spec& spec, const data::Reading& reading);

}  // namespace hyobscure::release
