#pragma once

#include <string>

#include "hyobscure/base/random.h"

namespace hyobscure::fuzz {

/// The bytes with one to four small changes: bits, bytes, numbers, words, lines, cuts and repetitions. The
/// same stream gives the same changes on every machine.
std::string mutated(std::string bytes, RandomStream& random);

}  // namespace hyobscure::fuzz
