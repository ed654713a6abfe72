#pragma once

#include <string>

namespace hyobscure::report {

/// One HTML file that needs nothing else: the page of web/report with the facts of a run inside. `facts_json`
/// is one JSON object, "report facts" of docs/formats.md; every section of it may be absent. What follows
/// from them is added (derived_facts.h), and where scripts are off the page shows all as text
/// (static_page.h).
[[nodiscard]] std::string html_report(const std::string& facts_json);

}  // namespace hyobscure::report
