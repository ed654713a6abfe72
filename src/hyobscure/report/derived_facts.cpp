#include "hyobscure/report/derived_facts.h"

#include "hyobscure/report/evidence.h"
#include "hyobscure/report/verdict.h"

namespace hyobscure::report {

void add_derived_facts(Json& facts) {
  facts.erase("evidence");
  if (Json evidence = evidence_of(facts); !evidence.is_null()) facts["evidence"] = std::move(evidence);
  facts["verdict"] = verdict_of(facts);
}

}  // namespace hyobscure::report
