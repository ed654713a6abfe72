#include "hyobscure/report/fact_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "hyobscure/report/text_table.h"

namespace hyobscure::report {

const Json* fact(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = &facts;
  for (const char* key : keys) {
    if (!found->is_object() || !found->contains(key)) return nullptr;
    found = &found->at(key);
  }
  return found->is_null() ? nullptr : found;
}

std::optional<double> number_at(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = fact(facts, keys);
  return found != nullptr && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

bool is_true_at(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = fact(facts, keys);
  return found != nullptr && *found == true;
}

std::string text_at(const Json& facts, std::initializer_list<const char*> keys,
                    const std::string& otherwise) {
  const Json* found = fact(facts, keys);
  if (found == nullptr || !found->is_string()) return otherwise;
  const auto text = found->get<std::string>();
  return text.empty() ? otherwise : text;
}

std::vector<Json> objects_at(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = fact(facts, keys);
  std::vector<Json> objects;
  if (found != nullptr && found->is_array())
    std::ranges::copy_if(*found, std::back_inserter(objects),
                         [](const Json& one) { return one.is_object(); });
  return objects;
}

std::vector<std::string> texts_at(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = fact(facts, keys);
  std::vector<std::string> texts;
  if (found == nullptr || !found->is_array()) return texts;
  for (const Json& one : *found)
    if (one.is_string() && !one.get<std::string>().empty()) texts.push_back(one);
  return texts;
}

std::string secret_name(const Json& facts) {
  const std::vector<std::string> axes = texts_at(facts, {"data", "axes"});
  if (axes.size() < 2) return text_at(facts, {"data", "secret"}, "secret value");
  return fmt::format("{} and {}", fmt::join(std::span(axes).first(axes.size() - 1), ", "), axes.back());
}

std::string group_word(const Json& facts) {
  if (texts_at(facts, {"data", "axes"}).size() > 1) return "group";
  const std::string kind = text_at(facts, {"data", "secret_kind"});
  return kind == "ordered" ? secret_name(facts) + " range" : kind == "spatial" ? "area" : "group";
}

CheckState state_of_check(const Json& check) {
  const Json* passed = fact(check, {"passed"});
  if (passed == nullptr || !passed->is_boolean()) return CheckState::Open;
  if (passed->get<bool>()) return CheckState::Passed;
  return is_true_at(check, {"warning"}) ? CheckState::Note : CheckState::Failed;
}

CheckCounts count_checks(const Json& facts) {
  CheckCounts counts;
  for (const Json& check : objects_at(facts, {"checks"})) {
    ++counts.all;
    const CheckState state = state_of_check(check);
    ++(state == CheckState::Passed   ? counts.passed
       : state == CheckState::Failed ? counts.failed
       : state == CheckState::Note   ? counts.notes
                                     : counts.open);
  }
  return counts;
}

PairText pair_text(double one, double other, int decimals) {
  constexpr int kMost = 6;
  PairText text{fmt::format("{:.{}f}", one, decimals), fmt::format("{:.{}f}", other, decimals)};
  if (text.one != text.other || one == other || decimals >= kMost) return text;
  return pair_text(one, other, decimals + 1);
}

std::string lost_text(double share) {
  if (share < 0.005) return "nothing";
  return share >= 1 ? "all" : fmt::format("{:.0f} %", 100 * share);
}

std::string figure_text(double x) {
  const int digits = x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x))));
  std::string text = fmt::format("{:.{}f}", x, std::clamp(2 - digits, 0, 6));
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string counted(std::int64_t number, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count_text(number), number == 1 ? one : many);
}

}  // namespace hyobscure::report
