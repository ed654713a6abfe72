#include "cli/files_to_start_from.h"

#include <algorithm>
#include <filesystem>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/fit/recommendation.h"

namespace hyobscure::cli {
namespace {

namespace fs = std::filesystem;

/// As a spec in this folder would name the file.
std::string name_from(const fs::path& folder, const std::string& file) {
  if (file.empty()) return {};
  if (data::is_pattern(file))
    throw InputError({.source = file}, "its name holds one of [ ? *, which a spec takes for a pattern",
                     "Name one file, and rename it if these letters are its own.");
  if (fs::path(file).is_absolute()) return file;
  return fs::absolute(file).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
}

}  // namespace

double budget_share_of(const std::string& care) {
  return std::ranges::find_if(obscure::kCares, [&](const auto& known) { return care == known.name; })
      ->budget_share;
}

void add_start_options(CLI::App& command, FilesToStartFrom& files) {
  command.add_option("--secret", files.secret, "column of the people that nobody may infer");
  command
      .add_option("--care", files.care,
                  "careful, balanced or useful: how far published features may be from the true ones")
      ->check(CLI::IsMember({"careful", "balanced", "useful"}))
      ->capture_default_str();
}

workflow::StartingSpec start_from(const FilesToStartFrom& files, const std::string& spec,
                                  const data::ChooseSecret& choose, const CommonOptions& common,
                                  const Progress& progress) {
  fs::path folder = fs::path(spec).parent_path();
  if (folder.empty()) folder = ".";
  return workflow::starting_spec({.folder = folder,
                                  .people = name_from(folder, files.people),
                                  .events = name_from(folder, files.events),
                                  .secret = files.secret},
                                 budget_share_of(files.care), choose, resources(common), progress);
}

}  // namespace hyobscure::cli
