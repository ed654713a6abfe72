#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hyobscure/studio/routes.h"
#include "hyobscure/studio/sessions.h"

namespace hyobscure::studio {

/// What is known of a request before its body is read.
struct RequestHead {
  std::string method;
  std::string target;                                            ///< "/api/jobs/3?part=1"
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in lower case; as often as sent
};

/// Why a request is not answered.
struct Refusal {
  int status = 403;
  std::string problem, remedy;
};

/// A request that may be answered.
struct Passage {
  const RouteRule* rule = nullptr;
  std::uint64_t number = 0;                  ///< the {} of its path
  std::map<std::string, std::string> query;  ///< decoded
};

/// The one place that every request passes, whatever it is for; what is not expressly allowed is refused. In
/// this order: the target is plain; Host is 127.0.0.1, [::1] or localhost with our port, by equality, given
/// once (a name of somebody else that leads here is refused); Sec-Fetch-Site, where the browser says it, is
/// same-origin or none, but for a link to the page; Origin is ours by equality, and must be there with POST;
/// the route is known and has this method; the bearer is one of ours; the body is JSON and not too large.
[[nodiscard]] std::variant<Passage, Refusal> pass(const RequestHead& head, const Sessions& sessions,
                                                  std::uint16_t port);

/// The bytes of a body that was announced as this long are not more than the route takes.
inline constexpr std::size_t kMostHeader = 16 << 10;

}  // namespace hyobscure::studio
