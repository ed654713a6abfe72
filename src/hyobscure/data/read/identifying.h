#pragma once

#include <string>
#include <vector>

#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {

/// One of the secrets, in SQL on hyo_kept.
struct SecretCells {
  std::string name;
  std::vector<std::string> exact;  ///< what tells one value from another
  std::string number;              ///< empty where it is none
};

/// The columns of hyo_kept that would be published, features first, each judged by itself
/// (docs/threat-model.md has the rules): texts of which more than half are one person's alone, e-mail
/// addresses, phone numbers, names of persons, dates of birth, and what tells the secret. Cost: an
/// aggregation a column.
std::vector<ColumnFacts> look_at_columns(Engine& engine, const Spec& spec, const Relation& people,
                                         const std::vector<FeatureKind>& kinds,
                                         const std::vector<SecretCells>& secrets);

/// The time of events where it is text: texts of which more than half occur once tell events apart.
std::vector<ColumnFacts> look_at_times(Engine& engine, const Spec& spec, const Relation& events);

/// Throws InputError where one of them is refused; it names all that are.
void refuse_identifying(const Relation& relation, const std::vector<ColumnFacts>& columns);

/// A column of numbers, whose cells are measured rather than named.
bool is_number_column(const Spec& spec, const Relation& relation, const std::string& column);

}  // namespace hyobscure::data
