#include "hyobscure/audit/attack/row_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <optional>
#include <utility>

#include "hyobscure/audit/attack/row_content.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

/// Joins rows that fit as well as each other; the others are dropped.
void merge(BestRows& best, const BestRows& other) {
  if (other.fits < best.fits || other.copies == 0) return;
  if (other.fits > best.fits || best.copies == 0) {
    best = other;
    return;
  }
  best.alike = best.alike && other.alike && best.content == other.content;
  best.copies += other.copies;
  best.own_id = best.own_id || other.own_id;
  if (other.lot < best.lot) std::tie(best.lot, best.under) = std::pair(other.lot, other.under);
}

/// People under whom each row is published.
class PeopleOfRows {
 public:
  explicit PeopleOfRows(const Publication& publication)
      : starts_(publication.rows.size() + 1, 0), people_(publication.row_of_person.size()) {
    for (const std::uint32_t row : publication.row_of_person) ++starts_[row + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t u = 0; u < people_.size(); ++u) people_[next[publication.row_of_person[u]]++] = u;
  }

  std::span<const std::uint32_t> of(std::size_t row) const {
    return std::span(people_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> people_;
};

/// Who is known to have an entry, by item.
class KnownByItem {
 public:
  struct Knowledge {
    std::uint32_t item, sought, order;
    double value;
  };

  KnownByItem(std::span<const SoughtPerson> sought, std::size_t items) : first_of_item_(items + 1, 0) {
    for (std::uint32_t s = 0; s < sought.size(); ++s)
      for (std::uint32_t order = 0; order < sought[s].known.size(); ++order)
        entries_.push_back({sought[s].known[order].item, s, order, sought[s].known[order].value});
    std::ranges::sort(entries_, {}, [](const Knowledge& e) { return std::pair(e.item, e.sought); });
    for (const Knowledge& entry : entries_) ++first_of_item_[entry.item + 1];
    std::partial_sum(first_of_item_.begin(), first_of_item_.end(), first_of_item_.begin());
  }

  std::span<const Knowledge> of(std::uint32_t item) const {
    return std::span(entries_).subspan(first_of_item_[item], first_of_item_[item + 1] - first_of_item_[item]);
  }

 private:
  std::vector<Knowledge> entries_;
  std::vector<std::size_t> first_of_item_;
};

class RowSearch {
 public:
  RowSearch(const Publication& publication, const data::SparseRows& features,
            std::span<const SoughtPerson> sought, std::span<const std::size_t> known, const Key& key)
      : rows_(publication.rows),
        sought_(sought),
        known_(known),
        by_item_(sought, publication.rows.columns),
        people_of_row_(publication) {
    for (const SoughtPerson& person : sought) {
      own_content_.push_back(content_of(features[person.person]));
      seeds_.push_back(RandomStream(key.derive("lots of " + std::to_string(person.person)))());
    }
  }

  std::size_t results() const { return sought_.size() * known_.size(); }

  /// Adds what rows begin .. end - 1 have.
  void look_through(std::size_t begin, std::size_t end, std::vector<FoundRows>& found) const {
    std::vector<std::uint64_t> has(sought_.size(), 0);  // bit i: the i-th known entry
    std::vector<std::uint32_t> touched;
    for (std::size_t r = begin; r < end; ++r) {
      if (people_of_row_.of(r).empty()) continue;
      const data::SparseRows::Row row = rows_[r];
      for (std::size_t e = 0; e < row.items.size(); ++e)
        for (const KnownByItem::Knowledge& entry : by_item_.of(row.items[e])) {
          if (entry.value != row.values[e]) continue;
          if (has[entry.sought] == 0) touched.push_back(entry.sought);
          has[entry.sought] |= std::uint64_t{1} << entry.order;
        }
      std::optional<std::uint64_t> content;
      for (const std::uint32_t s : touched) {
        take(r, s, has[s], content, found);
        has[s] = 0;
      }
      touched.clear();
    }
    rows_.release_pages(begin, end);
  }

 private:
  void take(std::size_t r, std::uint32_t s, std::uint64_t has, std::optional<std::uint64_t>& content,
            std::vector<FoundRows>& found) const {
    for (std::size_t m = 0; m < known_.size(); ++m) {
      FoundRows& best = found[s * known_.size() + m];
      const std::uint64_t wanted =
          known_[m] >= kMostKnown ? ~std::uint64_t{0} : (std::uint64_t{1} << known_[m]) - 1;
      const auto fits = static_cast<std::size_t>(std::popcount(has & wanted));
      if (fits == 0 || (fits < best.of_all.fits && fits < best.of_others.fits)) continue;
      if (!content) content = content_of(rows_[r]);
      for (const std::uint32_t person : people_of_row_.of(r)) {
        const BestRows one{.fits = fits,
                           .copies = 1,
                           .alike = true,
                           .content = *content,
                           .under = person,
                           .own_id = person == sought_[s].person,
                           .lot = mixed(seeds_[s] ^ mixed(person))};
        merge(best.of_all, one);
        if (*content != own_content_[s]) merge(best.of_others, one);
      }
    }
  }

  const data::SparseRows& rows_;
  std::span<const SoughtPerson> sought_;
  std::span<const std::size_t> known_;
  KnownByItem by_item_;
  PeopleOfRows people_of_row_;
  std::vector<std::uint64_t> own_content_, seeds_;
};

}  // namespace

SoughtPerson draw_entries(const data::SparseRows& features, std::uint32_t person, std::size_t most,
                          const Key& key) {
  const data::SparseRows::Row row = features[person];
  RandomStream random(key.derive("entries of " + std::to_string(person)));
  std::vector<std::size_t> places(row.items.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  SoughtPerson sought{.person = person, .known = {}};
  for (std::size_t n = 0; n < std::min(most, places.size()); ++n) {
    std::swap(places[n], places[n + random.below(places.size() - n)]);
    sought.known.push_back({row.items[places[n]], row.values[places[n]]});
  }
  return sought;
}

std::vector<FoundRows> search_rows(const Publication& publication, const data::SparseRows& features,
                                   std::span<const SoughtPerson> sought, std::span<const std::size_t> known,
                                   const Key& key, const Progress& progress) {
  assert(known.back() <= kMostKnown);
  const RowSearch search(publication, features, sought, known, key);
  constexpr std::size_t kRows = 4096;
  const std::size_t rows = publication.rows.size();
  std::vector<std::vector<FoundRows>> of_block(block_count(rows, kRows));
  parallel_blocks(rows, kRows, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    of_block[begin / kRows].resize(search.results());
    search.look_through(begin, end, of_block[begin / kRows]);
  });
  std::vector<FoundRows> found(search.results());
  for (const std::vector<FoundRows>& block : of_block)
    for (std::size_t n = 0; n < found.size(); ++n) {
      merge(found[n].of_all, block[n].of_all);
      merge(found[n].of_others, block[n].of_others);
    }
  return found;
}

}  // namespace hyobscure::audit
