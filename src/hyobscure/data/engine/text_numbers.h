#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hyobscure::data {

/// Texts numbered in the order in which they are first seen.
class TextNumbers {
 public:
  std::uint32_t number(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    const std::size_t hash = std::hash<std::string_view>()(text);
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      Slot& at = slots_[slot];
      if (at.number == kFree) {
        at = {hash, static_cast<std::uint32_t>(texts_.size())};
        texts_.emplace_back(text);
        return at.number;
      }
      if (at.hash == hash && texts_[at.number] == text) return at.number;
    }
  }

  std::size_t size() const { return texts_.size(); }
  const std::string& text(std::uint32_t number) const { return texts_[number]; }

 private:
  static constexpr std::uint32_t kFree = ~0u;
  struct Slot {
    std::size_t hash = 0;
    std::uint32_t number = kFree;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == kFree) continue;
      std::size_t place = slot.hash & mask();
      while (slots_[place].number != kFree) place = (place + 1) & mask();
      slots_[place] = slot;
    }
  }

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;  ///< a power of two of them, at most half in use
};

}  // namespace hyobscure::data
