#pragma once

#include <list>
#include <memory>
#include <utility>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/compose/composed_rows.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// Composed rows for the groups that a search tries. The key is that of the draws: made before the search,
/// which must know the rows that will be published.
class Composer {
 public:
  /// The people must outlive it. Throws InputError for columns that are to stay together and are not there.
  Composer(const data::People& people, census::Distance distance, Composing composing, const Key& key);

  /// Those of the last pools are kept, as long as somebody holds them or no others are asked for.
  [[nodiscard]] std::shared_ptr<const ComposedRows> rows(const Pools& pools, const Progress& progress = {});

  const Composing& composing() const { return composing_; }
  const Key& key() const { return key_; }

 private:
  struct Kept {
    std::vector<std::uint32_t> pool_of_person;
    std::shared_ptr<const ComposedRows> rows;
  };

  const data::People& people_;
  census::Distance distance_;
  Composing composing_;
  Units units_;
  Key key_;
  std::list<Kept> kept_;
};

/// The key of the draws of a mechanism that a spec asks for: its seed's, or a new one.
[[nodiscard]] Key key_of_draws(const data::Spec& spec);

/// What the spec asks for; absent: donors' rows are published.
[[nodiscard]] std::optional<Composing> composing_of(const data::Spec& spec);

/// The rows that a mechanism publishes, or none where it publishes donors' rows. The people must fit it
/// (misfit.h).
[[nodiscard]] std::shared_ptr<const ComposedRows> composed_rows_of(const Mechanism& mechanism,
                                                                   const data::People& people,
                                                                   const Progress& progress = {});

}  // namespace hyobscure::obscure
