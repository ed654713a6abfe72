#pragma once

#include <cstdint>
#include <string>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/read/row_collector.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

class FoundProblems;
struct Reading;

// What the readers of people, secrets, features and events share. Tables that they leave for each other:
// hyo_people, all rows of the source; hyo_kept, those who were not left out, numbered by u in the order of
// their ids.

std::string as_text(const std::string& column);

/// NULL where the cell is not a number.
std::string as_number(const std::string& column, const std::string& type);

/// A number in SQL that is this number and not a decimal near it.
std::string exact_number(double number);

/// The type a cell has when it is read: everything in a CSV file is text.
std::string stored_type(const Relation& relation, const std::string& column);

/// 1-based row of the source that is the first to meet a condition on the projected columns.
std::size_t first_row(Engine& engine, const Relation& relation, const std::string& projection,
                      const std::string& condition);

std::string plural(std::int64_t count, const char* one, const char* many);

/// What several values of one person and item mean (events.repeated), where the spec leaves it to us: where
/// there are no values, they are counted.
RepeatedEvent rule_of(const Spec& spec);
RowCollector::Merge merge_of(const Spec& spec);

/// Thrown by it where events.repeated does not say.
struct RepeatedEvents {};

/// Wide data, whose feature columns hyo_kept holds as c0, c1, ...: finds columns of numbers that are columns
/// of categories because of less than a tenth of their cells, unless people.categorical names them.
void find_words_among_numbers(Engine& engine, const Spec& spec, const Relation& people,
                              const std::vector<FeatureKind>& kinds, FoundProblems& problems);

/// Wide data: the feature columns of the reading's people, which hyo_kept holds as c0, c1, ... Refuses them
/// with what was found before; counts the empty cells.
SparseRows read_wide_features(Engine& engine, const Spec& spec, const Relation& people,
                              const std::vector<FeatureKind>& kinds, Reading& reading,
                              FoundProblems& problems);

}  // namespace hyobscure::data
