#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/engine/source.h"

namespace hyobscure::data {

/// The tables that a reading leaves in its engine, for statements about the same people. They end with the
/// reading, or with the engine.
class ReadTables {
 public:
  ReadTables() = default;
  /// Takes over the tables that reading has just filled.
  explicit ReadTables(Engine& engine);
  ~ReadTables();
  ReadTables(ReadTables&& other) noexcept;
  ReadTables& operator=(ReadTables&& other) noexcept;

  /// To select from: the people who were not left out, (u, id, secret, k0, k1, ...), u in the order of ids
  /// and k0, k1, ... the cells of people.keep. Of a secret that is no single number, `secret` is which of
  /// SecretSpace::points it is.
  const std::string& people() const { return people_; }
  /// To select from: (person, home_row, home_column), where home is found from events; else empty.
  const std::string& homes() const { return homes_; }

  /// Of people who came from a table of the caller's memory: which row of it each person is. `id` is its
  /// column of ids.
  [[nodiscard]] std::vector<std::int64_t> rows_in_memory(const Relation& source, const std::string& id) const;

 private:
  void drop() noexcept;

  Engine* engine_ = nullptr;
  std::weak_ptr<const void> life_;  ///< of the engine
  std::string people_, homes_;
};

}  // namespace hyobscure::data
