#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

enum class ColumnRole { Feature, Kept, Secret, Item, Value, Time };

/// What a column holds, in numbers. Smallest and largest are for the screen of who owns the data and for
/// nothing else.
struct ColumnFacts {
  std::string name = {};
  ColumnRole role = ColumnRole::Feature;
  std::string type = {};   ///< as DuckDB names it
  std::int64_t rows = 0;   ///< people, or events
  std::int64_t given = 0;  ///< of them with a cell that is not empty
  std::int64_t distinct = 0;
  std::int64_t unique = 0;                     ///< cells that no other row has
  double smallest = kUnset, largest = kUnset;  ///< of numbers
  std::string identifies = {};                 ///< why it may not be published; empty: it may
  bool allowed = false;                        ///< people.allow_identifying names it

  bool refused() const { return !identifies.empty() && !allowed; }
};

/// People whose secret cannot be true, or is a code for something else.
struct ImplausibleSecrets {
  std::string name;  ///< of the secret
  std::int64_t people = 0;
  std::string because;
};

/// The columns of a spec for who owns the data, refused ones included: nothing is refused here for what it
/// identifies. Of people as they stand before features are read.
class ColumnTable {
 public:
  /// Reads the people. Both must outlive this; other readings with the engine end its life.
  ColumnTable(Engine& engine, const Spec& spec);
  ~ColumnTable();

  /// Features, kept columns, secrets; of long data then item, value and time of the events.
  const std::vector<ColumnFacts>& columns() const { return columns_; }

  /// Everybody's secret, by its place among the values.
  const std::vector<std::uint32_t>& secrets() const { return secrets_; }

  /// Everybody's cell of a feature or kept column as a number: an empty cell is one of its own, and numbers
  /// of more than `bins` different ones are cut into so many ranges with about as many people each.
  std::vector<std::uint32_t> cells(std::size_t column, int bins) const;

  /// Below 0 or above 120 of what is called an age; of other numbers far outside of the quartiles. Nobody is
  /// refused for it.
  std::vector<ImplausibleSecrets> implausible() const;

  /// The spec without its refused columns. It may have no feature left.
  Spec without_refused() const;

  /// As reading would: throws InputError where a column is refused.
  void refuse_identifying() const;

 private:
  void refuse_problems() const;
  void add_secrets();
  void add_events();

  Engine& engine_;
  const Spec& spec_;
  struct Reader;
  std::unique_ptr<Reader> reader_;
  std::vector<ColumnFacts> columns_;
  std::vector<std::uint32_t> secrets_;
};

}  // namespace hyobscure::data
