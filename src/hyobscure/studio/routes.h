#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hyobscure::studio {

enum class Route {
  Page,
  Script,
  Style,
  OpenSession,  ///< a link's token for a bearer
  NewLink,      ///< for another tab
  State,
  Settings,
  Spec,
  Limits,
  StartJob,
  Job,
  CancelJob,
  Events,  ///< jobs as they change, until the client goes
  File,
};

/// A request that the server answers. What is not in routes() is refused.
struct RouteRule {
  Route route;
  const char* method;
  const char* path;   ///< "{}" stands for one segment that is a number
  bool open = false;  ///< without a bearer: holds nothing of anybody
  /// A link elsewhere may lead here (a terminal in a web page): a navigation of a whole window, no other
  /// request.
  bool from_links = false;
  std::size_t most_body = 0;  ///< bytes

  [[nodiscard]] std::string name() const { return std::string(method) + " " + path; }
};

[[nodiscard]] std::span<const RouteRule> routes();

}  // namespace hyobscure::studio
