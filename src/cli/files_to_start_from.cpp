#include "cli/files_to_start_from.h"

#include <filesystem>

namespace hyobscure::cli {

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
  std::filesystem::path folder = std::filesystem::path(spec).parent_path();
  if (folder.empty()) folder = ".";
  return workflow::starting_spec({.folder = folder,
                                  .people = workflow::name_in_spec(folder, files.people),
                                  .events = workflow::name_in_spec(folder, files.events),
                                  .secret = files.secret},
                                 workflow::budget_share_of(files.care), choose, resources(common), progress);
}

}  // namespace hyobscure::cli
