#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/release/publish_layout.h"
#include "hyobscure/release/published_ids.h"

namespace hyobscure::release {

/// Who gives what to which row of a release of composed rows, as tables of the engine. As private as the
/// donors: they go with this object.
class ComposedTables {
 public:
  /// What is published, by whom: all must outlive it. `person_of` is a function of the engine, from an id to
  /// the place of the person.
  struct Rows {
    const data::People& people;
    const obscure::ComposedRows& composed;
    const obscure::Units& units;
    std::span<const std::uint32_t> donor_of;
    const PublishedIds& published;
    std::string person_of;
  };

  ComposedTables(data::Engine& engine, const Rows& rows) : engine_(engine), rows_(rows) {}
  ~ComposedTables();
  ComposedTables(const ComposedTables&) = delete;
  ComposedTables& operator=(const ComposedTables&) = delete;

  /// Wide data: joins to hyo_donors `d`, and the cell of each feature column in them.
  struct Cells {
    std::string joins;
    std::vector<std::string> of_feature;
    std::int64_t people = 0;  ///< of the source
  };
  [[nodiscard]] Cells cells(const data::Spec& spec, const Layout& layout);

  /// Long data: the table (place, giver, item) with an entry each; the item is text.
  [[nodiscard]] std::string entries(const std::vector<std::string>& items);

 private:
  [[nodiscard]] std::uint32_t donor_at(std::size_t place) const {
    return rows_.donor_of[rows_.published.person_at(place)];
  }
  [[nodiscard]] std::string elements_of(std::uint32_t donor, std::size_t column,
                                        const std::string& separator) const;
  void make_givers(const std::vector<std::size_t>& sets, const std::string& separator);
  void create(const std::string& name, const std::string& query);

  data::Engine& engine_;
  Rows rows_;
  std::vector<std::string> created_;
};

}  // namespace hyobscure::release
