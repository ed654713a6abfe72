#pragma once

#include <string>

#include "cli/command.h"
#include "hyobscure/workflow/starting_spec.h"

namespace hyobscure::cli {

/// Files that have no spec yet, and what the user says of them.
struct FilesToStartFrom {
  std::string people, events, secret;
  std::string care = "balanced";
};

void add_start_options(CLI::App& command, FilesToStartFrom& files);
/// `spec` is where the spec stands or would stand: names of files are made to start at its folder. Throws
/// InputError for names that a spec would take for patterns.
workflow::StartingSpec start_from(const FilesToStartFrom& files, const std::string& spec,
                                  const data::ChooseSecret& choose, const CommonOptions& common,
                                  const Progress& progress);

}  // namespace hyobscure::cli
