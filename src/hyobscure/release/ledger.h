#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/data/people.h"

namespace hyobscure::release {

/// A mechanism that was published, and for whom.
struct LedgerEntry {
  std::string draw;       ///< names the key of the draws without telling it
  std::string published;  ///< day and time, UTC
  std::string release;    ///< folder
  std::string mechanism;  ///< file
  std::int64_t people = 0;
  std::vector<std::uint64_t> sample = {};  ///< keyed hashes of ids, ascending: the smallest of them, or all
};

/// An entry that had drawn for some of the same people.
struct EarlierDraw {
  LedgerEntry entry;
  double share = 0;  ///< of its people who are drawn for again; estimated where they are many
};

/// Who has been drawn for already. Independent draws of the same people compose (obscure/signals.h), so a
/// second one must not happen unnoticed. Private, like the mechanism: it tells who is in the data.
///
/// People are known by keyed hashes of their ids, the kSample smallest of each publication: so the file stays
/// small, and an overlap of 1 in 500 people is missed with odds below 1 in 3000. People whose ids were
/// changed in between are not recognised.
class Ledger {
 public:
  static constexpr std::size_t kSample = 4096;

  /// An empty one where there is no file. Throws InputError when the file is not a ledger.
  static Ledger read(const std::filesystem::path& file);
  void write(const std::filesystem::path& file) const;

  /// Publications of other draws with some of these people, in their order.
  [[nodiscard]] std::vector<EarlierDraw> earlier(const data::People& people, const Key& key) const;

  /// Once for each key: publishing again is the same draw.
  void add(const data::People& people, const Key& key, const std::filesystem::path& release,
           const std::string& mechanism);

  const std::vector<LedgerEntry>& entries() const { return entries_; }

 private:
  /// Ascending.
  std::vector<std::uint64_t> hashes(const data::People& people) const;

  Key salt_ = Key::from_system();  ///< of the hashes: without it nobody can try out ids
  std::vector<LedgerEntry> entries_;
};

}  // namespace hyobscure::release
