#include "hyobscure/verify/verify_dictionary.h"

#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/base/files.h"
#include "hyobscure/published/dictionary.h"
#include "hyobscure/verify/csv_form.h"

namespace hyobscure::verify {
namespace {

using published::Manifest;

std::vector<std::string> columns_of_groups(const Manifest& manifest) {
  std::vector<std::string> columns = {"group"};
  for (const std::string& part : manifest.columns.parts) columns.push_back("covers of " + part);
  if (columns.size() == 1) columns.emplace_back("covers");
  if (std::ranges::any_of(manifest.groups, [](const auto& group) { return !group.combinations.empty(); }))
    columns.emplace_back("only these");
  columns.emplace_back("people");
  return columns;
}

/// By a reader of its own: the first cell of a row is the label, the last one its people.
std::vector<std::string> other_groups(const std::filesystem::path& file, const Manifest& manifest,
                                      const Progress& progress) {
  std::vector<std::string> wrong;
  std::size_t row = 0;
  const auto look = [&](std::span<const std::string> cells) {
    const std::size_t g = row++;
    if (g >= manifest.groups.size()) return;
    const published::Group& group = manifest.groups[g];
    if (cells.empty() || cells.front() != group.label || cells.back() != std::to_string(group.people))
      wrong.push_back(fmt::format("row {} is not {} with {} people", g + 1, group.label, group.people));
  };
  const std::vector<std::string> columns = columns_of_groups(manifest);
  const CsvForm form = csv_form(file, columns, progress, look);
  if (!form.canonical()) wrong.push_back(form.what_is_wrong());
  if (row != manifest.groups.size())
    wrong.push_back(fmt::format("{} groups, {} declared", row, manifest.groups.size()));
  return wrong;
}

}  // namespace

void check_dictionary(const std::filesystem::path& folder, const Manifest& manifest, const Progress& progress,
                      Findings& findings) {
  findings.add(rule("groups-listed"), other_groups(folder / Manifest::kGroupsFile, manifest, progress),
               fmt::format("{} groups", manifest.groups.size()));
  for (const published::DictionaryFile& file : published::dictionary(manifest)) {
    progress.throw_if_stopped();
    const bool same = read_file(folder / file.name) == file.text;
    const CheckRule& canonical =
        file.name == Manifest::kGroupsFile ? rule("groups-canonical") : rule("readme-canonical");
    findings.add(canonical, same,
                 same ? "byte by byte" : "it is not what the manifest gives when it is written");
  }
}

}  // namespace hyobscure::verify
