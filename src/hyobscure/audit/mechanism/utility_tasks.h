#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/utility/task.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::audit {

/// The column of audit.task, person by person; nothing where the spec names none. `reading` is that of the
/// engine and spec. Throws InputError where the column is not kept: users of the release would not have it.
[[nodiscard]] std::optional<audit::TaskLabel> task_label(data::Engine& engine, const data::Spec& spec,
                                                         const data::Reading& reading);

/// What a publication is good for, as far as it can be measured on such data: rating prediction,
/// recommendation, item statistics, and the declared task, which comes first.
[[nodiscard]] std::vector<audit::UtilityResult> utilities(const data::People& people, const data::Spec& spec,
                                                          const std::optional<audit::TaskLabel>& task,
                                                          const audit::PublicationOf& publication_of,
                                                          const Progress& progress = {},
                                                          KeptOutcomes* kept = nullptr);

/// The one of them that a promise speaks of, with the same splits and figures: `measure` is one of
/// data::target_measures() but distance. Throws InputError for a task where there is none.
[[nodiscard]] audit::UtilityResult utility_of_target(const std::string& measure, const data::People& people,
                                                     const data::Spec& spec,
                                                     const std::optional<audit::TaskLabel>& task,
                                                     const audit::PublicationOf& publication_of,
                                                     const Progress& progress = {});

}  // namespace hyobscure::audit
