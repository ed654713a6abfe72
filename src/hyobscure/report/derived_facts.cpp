#include "hyobscure/report/derived_facts.h"

#include "hyobscure/report/evidence.h"
#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/verdict.h"

namespace hyobscure::report {
namespace {

constexpr const char* kPrivate =
    "This report is not part of the release. It holds counts finer than those published (people by exact "
    "value, "
    "who exchanges features with whom): keep it with the mechanism file, and do not give it to the people "
    "who "
    "get the release.";
constexpr const char* kShared =
    "For auditors, not for the public, and not part of the release. Counts finer than those published, "
    "details "
    "of checks and paths were left out. Exact figures are coarse: what an attacker achieves is rounded up, "
    "what "
    "the groups give alone is rounded down.";

}  // namespace

void add_derived_facts(Json& facts) {
  facts.erase("evidence");
  if (Json evidence = evidence_of(facts); !evidence.is_null()) facts["evidence"] = std::move(evidence);
  facts["verdict"] = verdict_of(facts);
  facts["notice"] = is_true_at(facts, {"shared"}) ? kShared : kPrivate;
}

}  // namespace hyobscure::report
