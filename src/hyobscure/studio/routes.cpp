#include "hyobscure/studio/routes.h"

namespace hyobscure::studio {

std::span<const RouteRule> routes() {
  constexpr std::size_t kSmall = 4 << 10, kOfSpec = 1 << 20;
  static constexpr RouteRule kRoutes[] = {
      {.route = Route::Page, .method = "GET", .path = "/", .open = true, .from_links = true},
      {.route = Route::Script, .method = "GET", .path = "/studio.js", .open = true},
      {.route = Route::Style, .method = "GET", .path = "/studio.css", .open = true},
      {.route = Route::OpenSession,
       .method = "POST",
       .path = "/api/session",
       .open = true,
       .most_body = kSmall},
      {.route = Route::NewLink, .method = "POST", .path = "/api/link", .most_body = kSmall},
      {.route = Route::State, .method = "GET", .path = "/api/state"},
      {.route = Route::Settings, .method = "GET", .path = "/api/settings"},
      {.route = Route::Spec, .method = "POST", .path = "/api/spec", .most_body = kOfSpec},
      {.route = Route::Limits, .method = "POST", .path = "/api/limits", .most_body = kOfSpec},
      {.route = Route::StartJob, .method = "POST", .path = "/api/jobs", .most_body = kOfSpec},
      {.route = Route::Job, .method = "GET", .path = "/api/jobs/{}"},
      {.route = Route::CancelJob, .method = "POST", .path = "/api/jobs/{}/cancel", .most_body = kSmall},
      {.route = Route::Events, .method = "GET", .path = "/api/events"},
      {.route = Route::File, .method = "GET", .path = "/api/file"},
  };
  return kRoutes;
}

}  // namespace hyobscure::studio
