#include "hyobscure/report/html.h"

#include <cassert>
#include <string_view>

#include "hyobscure/base/json.h"
#include "hyobscure/report/derived_facts.h"
#include "hyobscure/report/html_page.h"
#include "hyobscure/report/static_page.h"

namespace hyobscure::report {
namespace {

struct Replacement {
  std::string_view text;
  std::string_view by;
};

// In JSON these can only stand inside strings, where the escape means the same character. Without "<" no
// string can end the script element or open a comment in it; U+2028 and U+2029 end a line in older scripts.
constexpr Replacement kUnsafe[] = {
    {"<", "\\u003c"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}};

const Replacement* unsafe_at(std::string_view rest) {
  for (const Replacement& unsafe : kUnsafe)
    if (rest.starts_with(unsafe.text)) return &unsafe;
  return nullptr;
}

void append_safely(std::string_view json, std::string& page) {
  for (std::size_t at = 0; at < json.size();) {
    if (const Replacement* unsafe = unsafe_at(json.substr(at))) {
      page += unsafe->by;
      at += unsafe->text.size();
    } else {
      page += json[at++];
    }
  }
}

}  // namespace

std::string html_report(const std::string& facts_json) {
  Json facts = parse_json(facts_json);
  if (!facts.is_object()) facts = Json::object();
  add_derived_facts(facts);
  const std::size_t text_place = kHtmlPage.find(kHtmlTextPlace), place = kHtmlPage.find(kHtmlFactsPlace);
  assert(text_place < place && place != std::string_view::npos);  // web/build.mjs refuses a page without them
  const std::size_t behind_text = text_place + kHtmlTextPlace.size();
  std::string page(kHtmlPage.substr(0, text_place));
  page += static_page(facts);
  page += kHtmlPage.substr(behind_text, place - behind_text);
  append_safely(facts.dump(), page);
  page += kHtmlPage.substr(place + kHtmlFactsPlace.size());
  return page;
}

}  // namespace hyobscure::report
