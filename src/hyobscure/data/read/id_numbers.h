#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyobscure::data {

/// Finds the place of an id among the ids. Takes 8 bytes for each of at most 3/4 of its slots, beside the ids
/// themselves, which must outlive it: much less than a join in the engine would.
class IdNumbers {
 public:
  explicit IdNumbers(std::span<const std::string> ids) : ids_(ids) {
    std::size_t size = 16;
    while (3 * size < 4 * ids.size()) size *= 2;
    slots_.resize(size);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t hash = hash_of(ids[i]);
      std::size_t at = hash & mask();
      while (slots_[at].number != kFree) at = (at + 1) & mask();
      slots_[at] = {static_cast<std::uint32_t>(i), tag_of(hash)};
    }
  }

  std::optional<std::uint32_t> find(std::string_view id) const {
    const std::size_t hash = hash_of(id);
    for (std::size_t at = hash & mask(); slots_[at].number != kFree; at = (at + 1) & mask())
      if (slots_[at].tag == tag_of(hash) && ids_[slots_[at].number] == id) return slots_[at].number;
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kFree = ~0u;
  struct Slot {
    std::uint32_t number = kFree;
    std::uint32_t tag = 0;  ///< of the hash: spares most looks at other ids
  };

  static std::size_t hash_of(std::string_view id) { return std::hash<std::string_view>()(id); }
  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  std::size_t mask() const { return slots_.size() - 1; }

  std::span<const std::string> ids_;
  std::vector<Slot> slots_;  ///< a power of two of them
};

}  // namespace hyobscure::data
