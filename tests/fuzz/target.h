#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::fuzz {

/// A reader of files that others may have written. It must give an answer or refuse (InputError,
/// EngineError), whatever the bytes: anything else that it throws, and everything that a sanitizer sees, is a
/// fault of ours.
struct Target {
  const char* name;
  /// Files that hyobscure itself wrote, for people that it made up: where the search begins.
  std::vector<std::string> (*seeds)();
  /// Throws std::logic_error where an answer is wrong.
  void (*take)(std::string_view bytes);
  int replayed_mutations;  ///< of each seed, in every run of the tests: as many as fit in some seconds
};

/// Whether the work is done; false where it is refused.
template <class Work>
bool is_answered(Work&& work) {
  try {
    work();
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const data::EngineError&) {  // the command line tells it like an InputError
    return false;
  }
}

/// A target that tries the bytes in several ways has an answer if one of them has.
inline void refuse_unless(bool answered) {
  require(answered, "bytes", "are refused in every way", "Offer others.");
}

const std::vector<Target>& targets();
const Target& target_named(std::string_view name);

/// Takes the bytes; false where they are refused.
bool offer(const Target& target, std::string_view bytes);

/// One line a target, each in its own file.
Target spec_target();
Target mechanism_target();
Target manifest_target();
Target release_target();
Target census_target();
Target table_target();
Target key_target();
Target ledger_target();

}  // namespace hyobscure::fuzz
