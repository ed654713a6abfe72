#include "hyobscure/workflow/starting_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/terminal.h"
#include "hyobscure/data/spec/spec_text.h"
#include "hyobscure/obscure/fit/recommendation.h"
#include "hyobscure/obscure/groups/suggestion.h"

namespace hyobscure::workflow {
namespace {

namespace fs = std::filesystem;

std::string files_of(const data::GuessRequest& request) {
  if (request.in_memory) return "tables in memory";
  return request.events.empty() ? request.people : fmt::format("{} and {}", request.people, request.events);
}

std::string comment(const std::string& text) { return "# " + one_line(text) + "\n"; }

/// Other columns that could be the secret, the likeliest first.
std::string other_secrets_text(const data::Guess& guess) {
  constexpr std::size_t kMostShown = 6;
  if (guess.secrets.empty()) return {};
  const auto end =
      guess.secrets.begin() + static_cast<std::ptrdiff_t>(std::min(kMostShown, guess.secrets.size()));
  return comment(fmt::format("not hidden, though they could be the secret: {}{}",
                             fmt::join(guess.secrets.begin(), end, ", "),
                             guess.secrets.size() > kMostShown ? ", ..." : ""));
}

std::string left_out_text(const data::Guess& guess) {
  if (guess.left_out.empty()) return {};
  std::string text = "\n# Not published:\n";
  for (const data::ColumnLeftOut& column : guess.left_out)
    text += comment(fmt::format("  {}: {}", column.name, column.because));
  return text;
}

std::string toml_of(const data::Guess& guess, const data::GuessRequest& request) {
  std::string text =
      comment("Made by `hyobscure init` from " + files_of(request) +
              ". All of it is guessed, each line for the "
              "reason above it:") +
      "# read it before you fit. What is published, and what nobody may infer, is yours to decide.\n"
      "# All keys: hyobscure settings\n";
  std::string section;
  for (const data::SettingValue& setting : data::setting_values(guess.spec)) {
    const auto reason = guess.reasons.find(setting.name);
    if (setting.value == "none" || (!setting.given && reason == guess.reasons.end())) continue;
    const std::size_t dot = setting.name.find('.');
    if (setting.name.substr(0, dot) != section) {
      if (section == (guess.spec.is_long() ? "events" : "people")) text += left_out_text(guess);
      section = setting.name.substr(0, dot);
      text += fmt::format("\n[{}]\n", section);
    }
    if (reason != guess.reasons.end()) text += comment(reason->second);
    if (setting.name == "people.secret") text += other_secrets_text(guess);
    text += fmt::format("{} = {}\n", setting.name.substr(dot + 1), setting.value);
  }
  return text;
}

/// At most `enough` of the different rows, counted as clusters see them.
std::size_t distinct_rows(const data::SparseRows& features, bool normalise, std::size_t enough) {
  std::set<std::vector<std::pair<std::uint32_t, double>>> seen;
  for (std::size_t u = 0; u < features.size() && seen.size() < enough; ++u) {
    const auto row = features[u];
    const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
    const double scale = normalise && sum > 0 ? 1 / sum : 1;
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t i = 0; i < row.items.size(); ++i)
      entries.emplace_back(row.items[i], scale * row.values[i]);
    seen.insert(std::move(entries));
  }
  return seen.size();
}

/// As many clusters as usual, or as there are different rows.
void set_clusters(data::Guess& guess, const data::People& people) {
  int& clusters = guess.spec.channel.clusters.count;
  const std::size_t rows =
      distinct_rows(people.features, guess.spec.channel.normalise, static_cast<std::size_t>(clusters));
  if (rows == static_cast<std::size_t>(clusters)) return;
  clusters = static_cast<int>(rows);
  guess.reasons["channel.clusters"] = "there are no more different rows";
}

void set_terms(data::Guess& guess, const obscure::SuggestedTerms& terms, double budget_share) {
  data::Spec& spec = guess.spec;
  spec.groups.count = terms.count;
  spec.groups.people = data::Interval{terms.limits.least_people, terms.limits.most_people};
  spec.groups.values = data::Interval{terms.limits.least_values, terms.limits.most_values};
  spec.channel.budget_share = budget_share;
  guess.reasons["groups.count"] =
      "the secret is published as one of so many groups: fewer are safer, more are more exact";
  guess.reasons["groups.people"] = "k and alpha: every group has at least and at most so many people";
  guess.reasons["groups.values"] =
      "l and beta: every group has at least and at most so many different secrets";
  guess.reasons["channel.budget_share"] =
      "0: features as near to the true ones as can be; 1: so far that they tell nothing more than the group";
}

/// For who has not chosen: rows that are nobody's.
void set_rows(data::Guess& guess) {
  guess.spec.release.rows = data::PublishedRows::Composed;
  guess.reasons["release.rows"] =
      "every published row is made of the rows of several alike people: nobody's own row is published; "
      "\"donor\" publishes true rows under other ids, which somebody who knows a few entries of a person can "
      "find";
}

}  // namespace

double budget_share_of(const std::string& care) {
  const auto found =
      std::ranges::find_if(obscure::kCares, [&](const auto& known) { return care == known.name; });
  if (found == obscure::kCares.end())
    throw InputError({.source = "care"}, "there is no such word", "Take careful, balanced or useful.");
  return found->budget_share;
}

std::string name_in_spec(const fs::path& folder, const std::string& file) {
  if (file.empty()) return {};
  if (data::is_pattern(file))
    throw InputError({.source = file}, "its name holds one of [ ? *, which a spec takes for a pattern",
                     "Name one file, and rename it if these letters are its own.");
  if (fs::path(file).is_absolute()) return file;
  return fs::absolute(file).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
}

std::string spec_text(const data::Spec& spec) { return data::spec_text(data::setting_values(spec)); }

StartingSpec starting_spec(const data::GuessRequest& request, double budget_share,
                           const data::ChooseSecret& choose, const Resources& resources,
                           const Progress& progress) {
  StartingSpec start;
  {
    data::Engine engine(resources.engine(request.folder), progress);
    start.guess = data::guess_spec(engine, request, choose);
  }
  Workbench bench(start.guess.spec, resources, progress);
  start.people = bench.people().size();
  const auto terms = obscure::suggest_terms(bench.people());
  if (!terms)
    throw InputError({.source = request.people},
                     "no group of at least two people with two different secrets can be formed",
                     "Take another column as the secret, or more people.");
  set_terms(start.guess, *terms, budget_share);
  set_clusters(start.guess, bench.people());
  set_rows(start.guess);
  start.toml = toml_of(start.guess, request);
  return start;
}

}  // namespace hyobscure::workflow
