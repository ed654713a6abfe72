#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hyobscure/base/progress.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::studio {

struct ServerSettings {
  std::filesystem::path folder = ".";
  std::uint16_t port = 0;    ///< 0: the system chooses
  double idle_minutes = 60;  ///< without a request, an open page or a job, the server ends; 0: never
  workflow::Resources resources = {};
};

/// Serves the page on 127.0.0.1 until `progress` is asked to stop or nobody has needed it for a while. One
/// thread talks, one answers, one works. `ready` is called once it listens, with the link that opens the
/// page.
///
/// Limits: 64 connections, of them 8 with events; 16 KB of header; 10 seconds for a whole request, however
/// slowly it comes.
///
/// Throws InputError where the folder or the port is taken.
void serve(const ServerSettings& settings, const Progress& progress,
           const std::function<void(const std::string& link)>& ready);

}  // namespace hyobscure::studio
