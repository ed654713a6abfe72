#include "hyobscure/report/pdf.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "hyobscure/base/child_program.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/scratch.h"

namespace hyobscure::report {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 180;
constexpr const char* kByHand = "open the HTML report in any browser and print it: the pages are the same";

std::vector<std::string> arguments_of_browser(const fs::path& folder) {
  std::vector<std::string> arguments = {"--headless",
                                        "--disable-gpu",
                                        "--disable-extensions",
                                        "--disable-sync",
                                        "--disable-background-networking",
                                        "--disable-component-update",
                                        "--disable-breakpad",
                                        "--no-first-run",
                                        "--no-default-browser-check",
                                        "--host-resolver-rules=MAP * ~NOTFOUND",
                                        "--user-data-dir=" + (folder / "profile").string(),
                                        "--no-pdf-header-footer",
                                        "--print-to-pdf=" + (folder / "page.pdf").string()};
  // Chromium has no sandbox for root. The page loads nothing, and runs no script but the one it names by its
  // hash.
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");
  arguments.push_back((folder / "page.html").string());
  return arguments;
}

}  // namespace

fs::path printing_browser() {
  if (const char* named = std::getenv("HYOBSCURE_CHROMIUM"); named != nullptr && *named != '\0') return named;
  if (const auto found =
          find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}))
    return *found;
  throw InputError({.source = "PDF"}, "there is no Chromium or Chrome to print it",
                   std::string("Install one, or ") + kByHand + ".");
}

std::string pdf_of(const std::string& html, const fs::path& browser, const Progress& progress) {
  progress.report("printing the report", 0, 0);
  const TemporaryPath folder(make_temporary_folder("print"));
  write_file(folder.path() / "page.html", html, FileAccess::OwnerOnly);
  const auto ended = run_program(browser, arguments_of_browser(folder.path()), kMostSeconds, progress);
  const fs::path printed = folder.path() / "page.pdf";
  require(ended == 0 && fs::exists(printed), browser.string(), "could not print the report",
          std::string("Name another browser in HYOBSCURE_CHROMIUM, or ") + kByHand + ".");
  return read_file(printed);
}

}  // namespace hyobscure::report
