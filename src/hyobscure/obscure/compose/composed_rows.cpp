#include "hyobscure/obscure/compose/composed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <list>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/compose/kin.h"

namespace hyobscure::obscure {
namespace {

constexpr int kAttemptsOfKin = 12;  ///< before random people of the pool take the places of the kin
constexpr int kAttemptsOfAnyone = 12;
constexpr int kProbes = 64;  ///< random people who are asked for a cell that no kin can give

/// The one composition of a row.
struct Draft {
  struct Entry {
    std::uint32_t item;
    double value;
    std::uint32_t contributor;
  };
  std::vector<Entry> entries;               ///< items ascend
  std::vector<std::uint32_t> contributors;  ///< of the fixed units
  double largest_share = 0;
  bool may_be_published = false;
};

/// A hash of the entries: two rows are the same row where it is the same.
class RowHash {
 public:
  void add(std::uint32_t item, double value) {
    mix(item + 1);
    mix(std::bit_cast<std::uint64_t>(value));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void mix(std::uint64_t word) {  // the finaliser of MurmurHash3
    hash_ ^= word;
    hash_ = (hash_ ^ (hash_ >> 33)) * 0xff51afd7ed558ccdULL;
    hash_ = (hash_ ^ (hash_ >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    hash_ ^= hash_ >> 33;
  }
  std::uint64_t hash_ = 0x9e3779b97f4a7c15ULL;
};

/// How many units of a row one person may give.
std::size_t most_of_one(std::size_t units, std::size_t contributors) {
  if (contributors < 2 || units < 2) return units;
  return contributors == 2 ? (units + 1) / 2 : units / 2;
}

template <class T>
void shuffle(std::vector<T>& list, RandomStream& random) {
  for (std::size_t n = list.size(); n > 1; --n) std::swap(list[n - 1], list[random.below(n)]);
}

/// The people of one pool, who may give and whose rows are true.
class Pool {
 public:
  Pool(const data::People& people, std::span<const std::uint32_t> members, const Units& units,
       const Composing& composing, bool may_be_empty)
      : people_(people),
        members_(members),
        units_(units),
        owners_(static_cast<std::uint32_t>(composing.owners)),
        may_be_empty_(may_be_empty),
        owners_of_item_(people.features.columns, 0) {
    for (const std::uint32_t u : members) {
      const auto row = people.features[u];
      RowHash hash;
      for (std::size_t e = 0; e < row.items.size(); ++e) {
        owners_of_item_[row.items[e]] += 1;
        hash.add(row.items[e], row.values[e]);
      }
      people_with_row_[hash.value()] += 1;
    }
    for (std::size_t item = 0; item < owners_of_item_.size(); ++item)
      if (!may_travel(static_cast<std::uint32_t>(item))) dropped_ += owners_of_item_[item];
  }

  std::size_t size() const { return members_.size(); }
  std::uint32_t person(std::size_t member) const { return members_[member]; }
  const Units& units() const { return units_; }
  data::SparseRows::Row row(std::size_t member) const { return people_.features[members_[member]]; }
  double dropped() const { return dropped_; }  ///< entries

  /// Enough people have what it points at.
  bool may_travel(std::uint32_t item) const {
    return !units_.is_nothing(item) && (!units_.has_owners(item) || owners_of_item_[item] >= owners_);
  }

  /// Nobody has the row, or enough people do; and there is something in it.
  bool may_be_published(const std::vector<Draft::Entry>& entries) const {
    if (entries.empty() && !may_be_empty_) return false;
    RowHash hash;
    for (const Draft::Entry& entry : entries) hash.add(entry.item, entry.value);
    const auto found = people_with_row_.find(hash.value());
    return found == people_with_row_.end() || found->second >= owners_;
  }

 private:
  const data::People& people_;
  std::span<const std::uint32_t> members_;
  const Units& units_;
  std::uint32_t owners_;
  bool may_be_empty_;
  std::vector<std::uint32_t> owners_of_item_;
  std::unordered_map<std::uint64_t, std::uint32_t> people_with_row_;
  double dropped_ = 0;
};

/// Composes rows of the people in some places of a pool.
class Composition {
 public:
  Composition(const Pool& pool, std::vector<std::uint32_t> places, RandomStream& random)
      : pool_(pool), places_(std::move(places)), random_(random) {
    gather();
  }

  Draft draw() {
    taken_.clear();
    others_.clear();
    given_.clear();
    // Half of the fixed units is half of any row: these are never left out.
    const std::size_t fixed = pool_.units().fixed();
    std::vector<std::uint32_t> units(fixed);
    std::iota(units.begin(), units.end(), 0U);
    shuffle(units, random_);
    for (const std::uint32_t unit : units) assign(unit, most_of_one(fixed, contributors_));
    units = draw_units();
    shuffle(units, random_);
    const std::size_t most = most_of_one(fixed + units.size(), contributors_);
    for (const std::uint32_t unit : units) assign(unit, most);
    keep_to_half();
    return finish();
  }

  /// The same without one of its entries that can be left out.
  Draft draw_one_less() {
    std::vector<std::size_t> removable;
    for (std::size_t n = 0; n < taken_.size(); ++n)
      if (taken_[n].unit >= pool_.units().fixed()) removable.push_back(n);
    if (removable.empty()) return {};
    remove(removable[random_.below(removable.size())]);
    keep_to_half();
    return finish();
  }

 private:
  struct Cell {
    std::uint32_t unit, place, item;
    double value;
  };
  struct Taken {
    std::uint32_t unit;
    std::uint32_t member;         ///< kNobody: the cell stays empty
    std::span<const Cell> cells;  ///< what it gives
  };

  /// All that the places could give, by unit and place.
  void gather() {
    std::vector<std::uint32_t> people = places_;
    std::ranges::sort(people);
    contributors_ = static_cast<std::size_t>(std::unique(people.begin(), people.end()) - people.begin());
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      const auto row = pool_.row(places_[place]);
      for (std::size_t e = 0; e < row.items.size(); ++e) {
        const std::uint32_t unit = pool_.units().of_item(row.items[e]);
        if (pool_.units().is_nothing(row.items[e])) continue;
        if (unit < pool_.units().fixed() || pool_.may_travel(row.items[e]))
          cells_.push_back({unit, place, row.items[e], row.values[e]});
      }
    }
    std::ranges::sort(cells_, [](const Cell& a, const Cell& b) {
      return a.unit != b.unit ? a.unit < b.unit : a.place != b.place ? a.place < b.place : a.item < b.item;
    });
  }

  std::span<const Cell> cells_of(std::uint32_t unit, std::uint32_t place) const {
    const auto found = std::ranges::equal_range(cells_, std::pair(unit, place), {}, [](const Cell& cell) {
      return std::pair(cell.unit, cell.place);
    });
    return {found.begin(), found.end()};
  }

  /// Of the units that are not in every row: each with the probability of its share of the places, in a
  /// number that is their mean, rounded up or down.
  std::vector<std::uint32_t> draw_units() {
    struct Count {
      std::uint32_t unit, places;
    };
    std::vector<Count> counts;
    for (const Cell& cell : cells_) {
      if (cell.unit < pool_.units().fixed()) continue;
      if (counts.empty() || counts.back().unit != cell.unit) counts.push_back({cell.unit, 0});
      counts.back().places += 1;  // a place has one item of such a unit
    }
    shuffle(counts, random_);
    std::vector<std::uint32_t> drawn;
    std::uint64_t sum = random_.below(places_.size());
    for (const Count& count : counts) {
      const std::uint64_t next = sum + count.places;
      if (next / places_.size() > sum / places_.size()) drawn.push_back(count.unit);
      sum = next;
    }
    return drawn;
  }

  /// One of the places that have the unit gives it, of those who have not given enough.
  void assign(std::uint32_t unit, std::size_t most) {
    const bool is_fixed = unit < pool_.units().fixed();
    std::vector<std::uint32_t> have_room;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      const std::span<const Cell> cells = cells_of(unit, place);
      const bool able =
          is_fixed ? std::ranges::all_of(cells, [&](const Cell& cell) { return pool_.may_travel(cell.item); })
                   : !cells.empty();
      if (able && given_[places_[place]] < most) have_room.push_back(place);
    }
    if (!have_room.empty()) {
      const std::uint32_t place = have_room[random_.below(have_room.size())];
      taken_.push_back({unit, places_[place], cells_of(unit, place)});
      given_[places_[place]] += 1;
    } else if (is_fixed) {
      ask_anyone(unit, most);
    }
  }

  /// Random people of the pool, whether they have a cell that may be published.
  void ask_anyone(std::uint32_t unit, std::size_t most) {
    for (int n = 0; n < kProbes; ++n) {
      const auto member = static_cast<std::uint32_t>(random_.below(pool_.size()));
      std::vector<Cell> cells;
      const auto row = pool_.row(member);
      bool able = given_[member] < most;
      for (std::size_t e = 0; e < row.items.size(); ++e) {
        if (pool_.units().of_item(row.items[e]) != unit || pool_.units().is_nothing(row.items[e])) continue;
        able = able && pool_.may_travel(row.items[e]);
        cells.push_back({unit, kNobody, row.items[e], row.values[e]});
      }
      if (!able) continue;
      others_.push_back(std::move(cells));
      taken_.push_back({unit, member, others_.back()});
      given_[member] += 1;
      return;
    }
    taken_.push_back({unit, kNobody, {}});
  }

  void remove(std::size_t n) {
    given_[taken_[n].member] -= 1;
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(n));
  }

  /// Where units were left out, half is less than it was.
  void keep_to_half() {
    while (true) {
      const std::size_t most = most_of_one(taken_.size(), contributors_);
      const auto above = std::ranges::find_if(given_, [&](const auto& each) { return each.second > most; });
      if (above == given_.end()) return;
      std::vector<std::size_t> removable;
      for (std::size_t n = 0; n < taken_.size(); ++n)
        if (taken_[n].member == above->first && taken_[n].unit >= pool_.units().fixed())
          removable.push_back(n);
      if (removable.empty()) return;
      remove(removable[random_.below(removable.size())]);
    }
  }

  Draft finish() const {
    Draft draft;
    draft.contributors.assign(pool_.units().fixed(), kNobody);
    for (const Taken& taken : taken_) {
      if (taken.member == kNobody) continue;
      const std::uint32_t person = pool_.person(taken.member);
      if (taken.unit < pool_.units().fixed()) draft.contributors[taken.unit] = person;
      for (const Cell& cell : taken.cells) draft.entries.push_back({cell.item, cell.value, person});
    }
    std::ranges::sort(draft.entries, {}, &Draft::Entry::item);
    if (draft.entries.empty() && pool_.units().nothing())
      draft.entries.push_back({*pool_.units().nothing(), 1, kNobody});
    if (taken_.size() > 1)
      for (const auto& [member, units] : given_)
        draft.largest_share =
            std::max(draft.largest_share, static_cast<double>(units) / static_cast<double>(taken_.size()));
    draft.may_be_published = pool_.may_be_published(draft.entries);
    return draft;
  }

  const Pool& pool_;
  std::vector<std::uint32_t> places_;  ///< members
  RandomStream& random_;
  std::size_t contributors_ = 0;  ///< different people in the places
  std::vector<Cell> cells_;
  std::list<std::vector<Cell>> others_;  ///< of people who are in no place
  std::vector<Taken> taken_;
  std::map<std::uint32_t, std::size_t> given_;  ///< units by member
};

/// Random members of the pool, all different.
std::vector<std::uint32_t> anyone(std::size_t pool, std::size_t places, RandomStream& random) {
  std::vector<std::uint32_t> chosen;
  while (chosen.size() < places) {
    const auto member = static_cast<std::uint32_t>(random.below(pool));
    if (std::ranges::find(chosen, member) == chosen.end()) chosen.push_back(member);
  }
  return chosen;
}

Draft compose_one(const Pool& pool, std::span<const std::uint32_t> kin, RandomStream random) {
  Composition of_kin(pool, {kin.begin(), kin.end()}, random);
  Draft draft;
  for (int n = 0; n < kAttemptsOfKin; ++n) {
    draft = of_kin.draw();
    if (draft.may_be_published) return draft;
  }
  for (int n = 0; n < kAttemptsOfAnyone; ++n) {
    Composition of_anyone(pool, anyone(pool.size(), kin.size(), random), random);
    draft = of_anyone.draw();
    if (draft.may_be_published) return draft;
  }
  while (!draft.entries.empty() && !draft.may_be_published) draft = of_kin.draw_one_less();
  return draft;
}

[[noreturn]] void throw_nothing_to_publish(std::size_t size, const Composing& composing) {
  throw InputError(
      {.source = "release.rows"},
      fmt::format(
          "a pool of {} people (same group, same kept values) has no row that can be published: every "
          "one that can be composed has an entry, or is a row, that fewer than {} of them have",
          size, composing.owners),
      "Widen the groups (groups.people), keep fewer columns, lower release.owners, or publish true rows with "
      "release.rows = \"donor\".");
}

/// Where nothing can be composed for somebody, the row of the next member for whom it can.
void borrow(std::vector<Draft>& drafts, std::size_t size, const Composing& composing) {
  const auto given = [](const Draft& draft) { return draft.may_be_published; };
  if (std::ranges::none_of(drafts, given)) throw_nothing_to_publish(size, composing);
  for (std::size_t i = 0; i < drafts.size(); ++i)
    for (std::size_t n = 1; !drafts[i].may_be_published; ++n) {
      const Draft& other = drafts[(i + n) % drafts.size()];
      if (other.may_be_published) drafts[i] = other;
    }
}

/// How many units of a row are there in any case or by its items: what kin are compared by.
std::vector<double> lengths_of(const data::SparseRows& rows, std::span<const std::uint32_t> members,
                               const Units& units) {
  std::vector<double> lengths;
  for (const std::uint32_t u : members) {
    const auto alone = std::ranges::count_if(
        rows[u].items, [&](std::uint32_t item) { return units.of_item(item) >= units.fixed(); });
    lengths.push_back(static_cast<double>(units.fixed()) + static_cast<double>(alone));
  }
  return lengths;
}

}  // namespace

ComposedRows compose_rows(const data::People& people, census::Distance distance, const Pools& pools,
                          const Units& units, const Composing& composing, const Key& key,
                          const Progress& progress) {
  const data::SparseRows& rows = people.features;
  const bool may_be_empty = units.fixed() > 0 && distance != census::Distance::JensenShannon;
  const Key of_rows = key.derive("composed rows");
  std::vector<Draft> drafts(people.size());
  double dropped = 0;
  for (const auto& members : pools.members) {
    if (members.empty()) continue;
    progress.throw_if_stopped();
    const Pool pool(people, members, units, composing, may_be_empty);
    dropped += pool.dropped();
    const Kin kin =
        kin_of(distance, rows, members, lengths_of(rows, members, units), composing.kin, progress);
    std::vector<Draft> of_pool(members.size());
    parallel_blocks(members.size(), 64, [&](std::size_t begin, std::size_t end) {
      progress.throw_if_stopped();
      for (std::size_t i = begin; i < end; ++i)
        of_pool[i] = compose_one(pool, kin.of(i), RandomStream(of_rows.derive(people.ids[members[i]])));
    });
    borrow(of_pool, members.size(), composing);
    for (std::size_t i = 0; i < members.size(); ++i) drafts[members[i]] = std::move(of_pool[i]);
  }
  ComposedRows composed{.rows = {}, .contributors = {}, .contributors_of_units = {}, .fixed = units.fixed()};
  composed.rows.columns = rows.columns;
  for (Draft& draft : drafts) {
    for (const Draft::Entry& entry : draft.entries) {
      composed.rows.items.push_back(entry.item);
      composed.rows.values.push_back(entry.value);
      composed.contributors.push_back(entry.contributor);
    }
    composed.rows.end_row();
    composed.contributors_of_units.insert(composed.contributors_of_units.end(), draft.contributors.begin(),
                                          draft.contributors.end());
    composed.largest_share = std::max(composed.largest_share, draft.largest_share);
    draft = {};
  }
  const auto entries = static_cast<double>(std::max<std::size_t>(rows.entries(), 1));
  composed.dropped = dropped / entries;
  composed.entries = static_cast<double>(composed.rows.entries()) / entries;
  return composed;
}

}  // namespace hyobscure::obscure
