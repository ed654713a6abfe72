// hyobscure studio my-data/

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/scratch.h"
#include "hyobscure/studio/routes.h"
#include "hyobscure/studio/server.h"

namespace hyobscure::cli {
namespace {

struct StudioOptions {
  studio::ServerSettings server;
  bool no_browser = false;
  bool list_routes = false;
};

/// The link in a file that only its owner can read: on a command line other users of the machine would see
/// it.
std::string page_that_leads_to(const std::string& link) {
  return fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>HyObscure</title><meta http-equiv=\"refresh\" "
      "content=\"0;url={0}\"><a href=\"{0}\">Open the studio</a>\n",
      link);
}

/// Where there is none, the user has the printed link.
void open_browser(const std::filesystem::path& file) {
  std::string program = "xdg-open", argument = file.string();
  char* const words[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&silent, stream, "/dev/null",
                                     stream == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
  pid_t child = 0;
  (void)posix_spawnp(&child, program.c_str(), &silent, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&silent);
}

/// For tests: each of them is tried with every check broken.
std::string routes_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const studio::RouteRule& rule : studio::routes())
    list.push_back({{"method", rule.method},
                    {"path", rule.path},
                    {"open", rule.open},
                    {"from_links", rule.from_links},
                    {"most_body", rule.most_body}});
  return list.dump() + "\n";
}

int run(const StudioOptions& options, const CommonOptions& common, const Progress& progress) {
  if (options.list_routes) {
    print(routes_json());
    return kGood;
  }
  studio::ServerSettings settings = options.server;
  settings.resources = resources(common);
  const TemporaryPath opener(make_temporary_folder("studio"));
  studio::serve(settings, progress, [&](const std::string& link) {
    if (common.json)
      print(nlohmann::ordered_json{{"command", "studio"}, {"link", link}}.dump() + "\n");
    else
      print(fmt::format(
          "Open {}\nThe link works once. Nothing leaves this machine. Ctrl-C ends the studio.\n", link));
    std::fflush(stdout);
    if (options.no_browser) return;
    write_file(opener.path() / "open.html", page_that_leads_to(link), FileAccess::OwnerOnly);
    open_browser(opener.path() / "open.html");
  });
  return kGood;
}

}  // namespace

void add_studio_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<StudioOptions>();  // lives as long as the parser's callbacks
  CLI::App* sub = app.add_subcommand(
      "studio", "Open a local web page that goes from a file to a release and its evidence");
  sub->add_option("FOLDER", options->server.folder,
                  "folder with your files; nothing outside is read or written")
      ->capture_default_str();
  sub->add_option("--port", options->server.port, "port on 127.0.0.1 (default: one that is free)")
      ->check(CLI::Range(0, 65535));
  sub->add_option("--idle-minutes", options->server.idle_minutes,
                  "end when no page was open and no job ran for so long; 0: never")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  sub->add_flag("--no-browser", options->no_browser, "print the link only");
  sub->add_flag("--list-routes", options->list_routes)->group("");
  add_common_options(*sub, chosen.common);
  sub->footer("Example: hyobscure studio my-data");
  when_chosen(*sub, chosen, options, run);
}

}  // namespace hyobscure::cli
