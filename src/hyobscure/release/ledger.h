#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::release {

/// What a ledger knows a person by: the keyed hash of the id, however it is written (plain_id.h).
[[nodiscard]] std::uint64_t hash_of_person(const NamedDraws& hash, std::string_view id);

/// Names the key of the draws in a ledger, without telling it.
[[nodiscard]] std::string name_in_ledger(const Key& key);

/// A mechanism that was published, and for whom.
struct LedgerEntry {
  std::string draw;       ///< names the key of the draws without telling it
  std::string published;  ///< day and time, UTC
  std::string release;    ///< folder; empty: it was not to stay
  std::string mechanism;  ///< file; empty: there was none
  std::int64_t people = 0;
  std::vector<std::uint64_t> hashes = {};  ///< keyed, of the ids of all people, ascending
  /// Keyed, of the features of the people with the first of these hashes: they tell whether equal ids are the
  /// same people. 0: a row without entries, which says nothing. Empty: the entry is of an older program.
  std::vector<std::uint64_t> rows = {};

  /// An entry of the first format may hold the smallest hashes only.
  bool is_complete() const { return hashes.size() == static_cast<std::size_t>(people); }
  /// Whether a mechanism with this key is the one that was published.
  bool is_draw_of(const Key& key) const;
};

/// An entry that had drawn for some of the same people.
struct EarlierDraw {
  LedgerEntry entry;
  double share = 0;  ///< of its people who are drawn for again; estimated where the entry is not complete
  std::size_t rows_compared = 0;  ///< of people with equal ids
  std::size_t rows_same = 0;

  /// Equal ids, but other rows: perhaps another table whose ids are written alike, perhaps the same people
  /// with new data. That is for the publisher to say.
  bool may_be_others() const { return rows_compared > 0 && 10 * rows_same <= rows_compared; }
};

/// Who has been drawn for already. Independent draws of the same people compose (obscure/leakage/signals.h),
/// so a second one must not happen unnoticed. Private, like the mechanism: it tells who is in the data.
///
/// People are known by keyed hashes of their ids, 8 bytes each and all of them, so that nobody is missed; two
/// publications of ten million people each share a hash by chance once in 200,000 cases. Ids that are only
/// written otherwise are the same people (plain_id.h); people with other ids are not recognised.
class Ledger {
 public:
  /// An empty one where there is no file. Throws InputError when the file is not a ledger, no regular file,
  /// or has a second name (a hard link), under which it would not be what this one becomes.
  static Ledger read(const std::filesystem::path& file);
  /// Where the file is a link, what it leads to is written.
  void write(const std::filesystem::path& file) const;

  /// Publications of other draws with some of these people, in their order.
  [[nodiscard]] std::vector<EarlierDraw> earlier(const data::People& people, const Key& key) const;

  /// Once for each key: publishing again is the same draw, and completes its entry. `release` is empty where
  /// the folder is not to stay; a mechanism that is no file is not named.
  void add(const data::People& people, const Key& key, const std::filesystem::path& release,
           const std::string& mechanism);

  const std::vector<LedgerEntry>& entries() const { return entries_; }

 private:
  /// Ascending.
  std::vector<std::uint64_t> hashes(const data::People& people) const;
  /// Of the people with the smallest hashes of ids, in their order.
  std::vector<std::uint64_t> sampled_rows(const data::People& people) const;
  void compare_rows(const data::People& people, EarlierDraw& draw) const;
  /// The same and those of ids as they are written, which entries of before know.
  std::vector<std::uint64_t> hashes_now_and_before(const data::People& people) const;

  Key salt_ = Key::from_system();  ///< of the hashes: without it nobody can try out ids
  std::vector<LedgerEntry> entries_;
};

/// Nobody else reads or writes the ledger meanwhile: from looking whom it knows to adding them, since of two
/// publications at once each would see nobody. A file beside the ledger that goes with this object.
class LedgerLock {
 public:
  /// Waits for the process that has it. Throws InputError when the file cannot be made, and Stopped.
  LedgerLock(const std::filesystem::path& ledger, const Progress& progress);
  ~LedgerLock();
  LedgerLock(const LedgerLock&) = delete;
  LedgerLock& operator=(const LedgerLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// The file itself where this is a link to it, be it there or not.
[[nodiscard]] std::filesystem::path end_of_links(std::filesystem::path file);

}  // namespace hyobscure::release
