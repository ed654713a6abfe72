#include "hyobscure/studio/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hyobscure::studio {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// Of a field that is given at most once; more than once is none of the texts that anybody wants.
std::optional<std::string> only(const Fields& fields, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [other, value] : fields)
    if (other == name) found = found ? std::string("given twice") : value;
  return found;
}

bool is_ours(const std::string& host, std::uint16_t port) {
  for (const char* name : {"127.0.0.1", "[::1]", "localhost"})
    if (host == fmt::format("{}:{}", name, port)) return true;
  return false;
}

std::optional<Refusal> refuse_target(const std::string& target) {
  constexpr std::size_t kLongest = 2048;
  const bool plain = !target.empty() && target.front() == '/' && target.size() <= kLongest &&
                     !target.starts_with("//") &&
                     std::ranges::all_of(target, [](char letter) { return letter > ' ' && letter < '\x7f'; });
  if (plain) return std::nullopt;
  return Refusal{400, "this is no path of the studio", "Use the page that the studio shows."};
}

std::optional<Refusal> refuse_host(const RequestHead& head, std::uint16_t port) {
  const auto host = only(head.fields, "host");
  if (host && is_ours(*host, port)) return std::nullopt;
  return Refusal{403, "the request names another host", "Use the address that the studio printed."};
}

/// A window that goes to the page because of a link, wherever that stood.
bool is_navigation(const RequestHead& head) {
  return only(head.fields, "sec-fetch-mode") == "navigate" &&
         only(head.fields, "sec-fetch-dest") == "document";
}

std::optional<Refusal> refuse_site(const RequestHead& head, const RouteRule* rule) {
  const auto site = only(head.fields, "sec-fetch-site");
  if (!site || *site == "same-origin" || *site == "none") return std::nullopt;
  if (rule != nullptr && rule->from_links && is_navigation(head)) return std::nullopt;
  return Refusal{403, "the request comes from another site", "Use the page that the studio shows."};
}

std::optional<Refusal> refuse_origin(const RequestHead& head) {
  const auto origin = only(head.fields, "origin");
  if (!origin && head.method != "POST") return std::nullopt;
  if (origin && *origin == "http://" + *only(head.fields, "host")) return std::nullopt;
  return Refusal{403, "the request comes from another origin", "Use the page that the studio shows."};
}

/// "/api/jobs/{}" for "/api/jobs/17", and 17.
std::optional<std::uint64_t> matches(std::string_view pattern, std::string_view path) {
  const auto place = pattern.find("{}");
  if (place == pattern.npos) return pattern == path ? std::optional<std::uint64_t>(0) : std::nullopt;
  const std::string_view before = pattern.substr(0, place), after = pattern.substr(place + 2);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
    return std::nullopt;
  const std::string_view digits = path.substr(before.size(), path.size() - before.size() - after.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// The route of a path, by its method where it has several; with another method the first of the path.
const RouteRule* route_of(std::string_view path, std::string_view method, std::uint64_t& number) {
  const RouteRule* found = nullptr;
  for (const RouteRule& rule : routes()) {
    const auto match = matches(rule.path, path);
    if (!match || (found != nullptr && rule.method != method)) continue;
    found = &rule;
    number = *match;
  }
  return found;
}

std::optional<Refusal> refuse_route(const RequestHead& head, const RouteRule* rule) {
  if (rule == nullptr)
    return Refusal{404, "the studio has no such page", "Use the page that the studio shows."};
  if (head.method != rule->method)
    return Refusal{405, "the studio does not answer this method here", "Use the page that the studio shows."};
  return std::nullopt;
}

std::optional<Refusal> refuse_stranger(const RequestHead& head, const RouteRule& rule,
                                       const Sessions& sessions) {
  if (rule.open) return std::nullopt;
  constexpr std::string_view kScheme = "Bearer ";
  const auto said = only(head.fields, "authorization");
  if (said && said->starts_with(kScheme) && sessions.knows(std::string_view(*said).substr(kScheme.size())))
    return std::nullopt;
  return Refusal{401, "this tab is not known to the studio",
                 "Open the link that the studio printed, or a new tab from a page that is open."};
}

std::optional<Refusal> refuse_body(const RequestHead& head, const RouteRule& rule) {
  const auto length = only(head.fields, "content-length");
  const bool chunked = only(head.fields, "transfer-encoding").has_value();
  if (rule.most_body == 0) {
    if (!chunked && (!length || *length == "0")) return std::nullopt;
    return Refusal{413, "this request has no body", "Use the page that the studio shows."};
  }
  if (only(head.fields, "content-type") != "application/json")
    return Refusal{415, "the body must be application/json", "Use the page that the studio shows."};
  std::uint64_t bytes = 0;
  if (length) {
    const auto [end, error] = std::from_chars(length->data(), length->data() + length->size(), bytes);
    if (error != std::errc{} || end != length->data() + length->size())
      return Refusal{400, "the length of the body is no number", "Use the page that the studio shows."};
  }
  if (bytes > rule.most_body)
    return Refusal{413, "the body is too large", "A spec of the studio has at most 1 MB."};
  return std::nullopt;
}

std::optional<int> hexadecimal(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return std::nullopt;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hexadecimal(text[i + 1]) && hexadecimal(text[i + 2])) {
      plain += static_cast<char>(16 * *hexadecimal(text[i + 1]) + *hexadecimal(text[i + 2]));
      i += 2;
    } else {
      plain += text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

std::map<std::string, std::string> query_of(std::string_view target) {
  std::map<std::string, std::string> query;
  const auto mark = target.find('?');
  if (mark == target.npos) return query;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals != part.npos) query[decoded(part.substr(0, equals))] = decoded(part.substr(equals + 1));
  }
  return query;
}

}  // namespace

std::variant<Passage, Refusal> pass(const RequestHead& head, const Sessions& sessions, std::uint16_t port) {
  if (auto refusal = refuse_target(head.target)) return *refusal;
  if (auto refusal = refuse_host(head, port)) return *refusal;
  Passage passage;
  passage.rule = route_of(head.target.substr(0, head.target.find('?')), head.method, passage.number);
  if (auto refusal = refuse_site(head, passage.rule)) return *refusal;
  if (auto refusal = refuse_origin(head)) return *refusal;
  if (auto refusal = refuse_route(head, passage.rule)) return *refusal;
  if (auto refusal = refuse_stranger(head, *passage.rule, sessions)) return *refusal;
  if (auto refusal = refuse_body(head, *passage.rule)) return *refusal;
  passage.query = query_of(head.target);
  return passage;
}

}  // namespace hyobscure::studio
