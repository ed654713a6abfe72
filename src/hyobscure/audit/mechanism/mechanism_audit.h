#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/attack.h"
#include "hyobscure/audit/attack/informed.h"
#include "hyobscure/audit/attack/known_entries.h"
#include "hyobscure/audit/attack/matching.h"
#include "hyobscure/audit/mechanism/resampled_leakage.h"
#include "hyobscure/audit/utility/task.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::audit {

/// What attackers found in a release, and what it is still good for.
struct Audit {
  int repetitions = 0;
  bool redrawn = false;  ///< every repetition has a draw of its own; else all have the one release
  bool ordered = true;   ///< errors are those of a number; else shares of people whose value was not guessed
  std::vector<audit::AttackResult> attacks;
  std::optional<audit::InformedErrors> informed;  ///< where the channel is known
  std::vector<audit::RepeatedErrors> repeated;    ///< the informed attacker who sees several releases
  std::optional<audit::KnownEntriesResult> known_entries;
  std::optional<audit::MatchingResult> matching;
  std::optional<ResampledLeakage> resampled;  ///< where the channel is known
  std::vector<audit::UtilityResult> utilities;
  std::vector<std::string> notes;  ///< what was not measured, and why
};

/// The audit as the spec has it ([audit]) of a mechanism: every repetition draws again, in memory; the first
/// draw is the release itself. `task`: as task_label() reads it. `own`: attackers of the caller's beside
/// those of the spec. Throws InputError for people whom nobody could audit, and Stopped.
///
/// With audit.minutes it goes on until they are used: `repetitions` of the result says how far it came; a
/// stop then ends it with what is whole. With `kept_in`, a file, finished parts go there and are taken from
/// there (KeptOutcomes): a file of another release, mechanism, data or settings is refused (InputError). Own
/// attackers have no part in the file: nothing tells what they are.
///
/// Several secrets are one value to the attackers; where one of them is a place, its distance counts.
[[nodiscard]] Audit audit_mechanism(const data::People& people, const data::Spec& spec,
                                    const obscure::Mechanism& mechanism,
                                    const std::optional<audit::TaskLabel>& task,
                                    const Progress& progress = {},
                                    const std::vector<audit::OwnAttacker>& own = {},
                                    const std::filesystem::path& kept_in = {});

/// The audit of a written release from its files: the same attacks, all on the one release, without those who
/// know the channel. Throws InputError as verify::published_rows does.
[[nodiscard]] Audit audit_release(const verify::Original& original, const std::filesystem::path& folder,
                                  const std::optional<audit::TaskLabel>& task, const Progress& progress = {},
                                  const std::vector<audit::OwnAttacker>& own = {},
                                  const std::filesystem::path& kept_in = {});

}  // namespace hyobscure::audit
