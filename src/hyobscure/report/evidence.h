#pragma once

#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// The questions of ISO/IEC 27559:2022, of the WP29's Opinion 05/2014 and of the ICO's guidance on
/// anonymisation with the answers that a run's facts give, of which any may be absent:
///
///   headline    how many have no answer
///   questions   each with `key`, `source`, `clause`, `topic`, `question`, `state`, `answer` and, where there
///               is one, `figure` and `see`, the section of the report that it comes from
///   techniques  those of ISO/IEC 20889:2018 with `name`, `used` and `how`
///
/// The state of a question is `answered`, `stated` (by the publisher, in [context]), `open` (for the reader
/// to judge), `not measured` or `not stated`. Evidence, not a verdict: no question is answered by silence,
/// and none says that the law is met. Null for facts that are about no release.
[[nodiscard]] Json evidence_of(const Json& facts);

}  // namespace hyobscure::report
