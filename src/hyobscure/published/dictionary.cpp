#include "hyobscure/published/dictionary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hyobscure/base/files.h"
#include "hyobscure/base/terminal.h"

namespace hyobscure::published {
namespace {

// --- groups.csv

/// As the tables of a release have it: quotes exactly where they are needed.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::vector<std::string> written;
  for (const std::string& cell : cells) written.push_back(csv_cell(cell));
  return fmt::format("{}\n", fmt::join(written, ","));
}

/// Of names that are listed with " | " between them.
std::string list_item(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (letter == '|' || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

std::string range_text(const Cover& cover) {
  const std::string below = cover.high_included ? "" : "below ";
  if (!cover.low && !cover.high) return "all";
  if (!cover.high) return fmt::format("{} and above", *cover.low);
  if (!cover.low) return fmt::format("{}{}", cover.high_included ? "up to " : below, *cover.high);
  if (*cover.low == *cover.high && cover.high_included) return fmt::format("{}", *cover.low);
  return fmt::format("{} to {}{}", *cover.low, below, *cover.high);
}

/// "18 to 24", "asthma | COPD", "3:17 | 3:18" (row and column of cells).
std::string covered_text(const Cover& cover) {
  std::vector<std::string> items;
  for (const data::GridCell& cell : cover.cells) items.push_back(fmt::format("{}:{}", cell.row, cell.column));
  for (const std::string& name : cover.names) items.push_back(list_item(name));
  return items.empty() ? range_text(cover) : fmt::format("{}", fmt::join(items, " | "));
}

/// "24, F | 25, F"
std::string combinations_text(const Group& group) {
  std::vector<std::string> items;
  for (const std::vector<std::string>& combination : group.combinations) {
    std::vector<std::string> parts;
    for (const std::string& part : combination) parts.push_back(list_item(part));
    items.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  }
  return fmt::format("{}", fmt::join(items, " | "));
}

std::string groups_csv(const Manifest& manifest) {
  const bool lists =
      std::ranges::any_of(manifest.groups, [](const Group& group) { return !group.combinations.empty(); });
  std::vector<std::string> header = {"group"};
  for (const std::string& part : manifest.columns.parts) header.push_back("covers of " + part);
  if (manifest.columns.parts.empty()) header.push_back("covers");
  if (lists) header.push_back("only these");
  header.push_back("people");
  std::string text = csv_row(header);
  for (const Group& group : manifest.groups) {
    std::vector<std::string> row = {group.label};
    for (const Cover& cover : group.covers) row.push_back(covered_text(cover));
    if (lists) row.push_back(combinations_text(group));
    row.push_back(std::to_string(group.people));
    text += csv_row(row);
  }
  return text;
}

// --- README.txt

std::string column_line(const std::string& name, const std::string& what) {
  return fmt::format("  {}: {}\n", one_line(name), what);
}

std::string id_text(const Manifest& manifest) {
  return manifest.ids == data::PublishedIds::Keep
             ? "the id of the original data"
             : "a new id, which stands for the person in this release only";
}

bool is_composed(const Manifest& manifest) { return manifest.rows == data::PublishedRows::Composed; }

/// Whose the published features are.
std::string owner_text(const Manifest& manifest) {
  return is_composed(manifest) ? "somebody of the group" : "the donor";
}

std::string people_columns(const Manifest& manifest) {
  const ManifestColumns& columns = manifest.columns;
  std::string text;
  if (!columns.id.empty()) text += column_line(columns.id, id_text(manifest));
  text += column_line(columns.secret,
                      "the group of the person, in place of what they keep private: see groups.csv");
  for (const std::string& part : columns.parts)
    text += column_line(part, "what the group covers of it, not the person's own");
  for (const std::string& kept : columns.keep) text += column_line(kept, "the person's own");
  constexpr std::size_t kListed = 20;  // more names say less than their number
  if (columns.features.size() > kListed)
    text +=
        fmt::format("  {} further columns: features of {}\n", columns.features.size(), owner_text(manifest));
  else
    for (const std::string& feature : columns.features)
      text += column_line(feature, "of " + owner_text(manifest));
  return text;
}

std::string events_columns(const Manifest& manifest) {
  const ManifestColumns& columns = manifest.columns;
  std::string text = column_line(columns.person, fmt::format("an id of {}", manifest.people_file()));
  for (const std::string& name : {columns.item, columns.value, columns.time})
    if (!name.empty()) text += column_line(name, "of an event of " + owner_text(manifest));
  return text;
}

std::string readme(const Manifest& manifest) {
  std::int64_t people = 0;
  for (const Group& group : manifest.groups) people += group.people;
  std::string text = fmt::format("Data about {} people, protected by HyObscure\n\n", people);
  if (manifest.seeded) text += "A trial: the draws come from a seed. These files must not be published.\n\n";
  text +=
      is_composed(manifest)
          ? "Each person stands here with a group in place of the exact value, and with features composed of "
            "those of\n"
            "several people of the same group, who are alike. Read a row as what people of its group do, not "
            "as "
            "what\n"
            "this or any other person did: averages and models of groups hold, histories of single people do "
            "not.\n\n"
          : "Each person stands here with a group in place of the exact value, and with the features of a "
            "donor, a\n"
            "person drawn at random from the same group. Read a row as what people of its group do, not as "
            "what "
            "this\n"
            "person did: averages and models of groups hold, histories of single people do not.\n\n";
  text += fmt::format("{}: one row per person\n{}\n", manifest.people_file(), people_columns(manifest));
  if (manifest.is_long())
    text += fmt::format("{}: one row per event\n{}\n", manifest.events_file(), events_columns(manifest));
  text +=
      "groups.csv: one row per group\n"
      "  the label, the values that it covers, and how many people have it\n\n";
  if (manifest.spatial_axis())
    text += fmt::format(
        "{}: the outlines of the groups on a map\n"
        "  cells in groups.csv are row:column; rows count northwards, columns eastwards\n\n",
        Manifest::kAreasFile);
  text += fmt::format(
      "{}: how the release was made, what it leaks at most, and the SHA-256 of every file\n"
      "  `hyobscure verify FOLDER` checks all of it from these files alone\n",
      Manifest::kFileName);
  return text;
}

}  // namespace

std::vector<DictionaryFile> dictionary(const Manifest& manifest) {
  const std::string text = readme(manifest);
  return {{Manifest::kGroupsFile, groups_csv(manifest), static_cast<std::int64_t>(manifest.groups.size())},
          {Manifest::kReadmeFile, text, std::ranges::count(text, '\n')}};
}

void declare(const std::vector<DictionaryFile>& dictionary, Manifest& manifest) {
  for (const DictionaryFile& file : dictionary)
    manifest.files.push_back({.name = file.name, .rows = file.rows, .sha256 = sha256(file.text)});
}

}  // namespace hyobscure::published
