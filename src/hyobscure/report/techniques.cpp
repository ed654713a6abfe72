#include "hyobscure/report/techniques.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

Json technique(const char* name, bool used, const std::string& how) {
  return {{"name", name}, {"used", used}, {"how", how}};
}

Json generalisation(const Json& facts) {
  return technique(
      "Generalisation", true,
      fmt::format("The {} of each person is published as its {}.", secret_name(facts), group_word(facts)));
}

Json permutation(const Json& facts) {
  const std::string alike =
      texts_at(facts, {"data", "kept"}).empty() ? "the same group" : "the same group and the same kept cells";
  if (rows_of(facts) == PublishedRows::Composed)
    return technique(
        "Permutation (randomisation)", true,
        fmt::format(
            "Of single entries, at random: each entry of a published row is a true entry of a person of "
            "{} who is near the donor. An entry may be published several times or not at all.",
            alike));
  return technique(
      "Permutation (randomisation)", true,
      fmt::format(
          "Of whole rows, at random: the features of each person are replaced by those of a donor of {}. "
          "Each person's donor is drawn by itself, so a row may be published several times or not at all.",
          alike));
}

Json microaggregation(const Json& facts) {
  return technique(
      "Microaggregation (randomisation)", false,
      rows_of(facts) == PublishedRows::Composed
          ? "No value is averaged: rows are composed within small sets of near people, of true entries."
          : "No value is averaged.");
}

Json suppression(const Json& facts) {
  double people = 0, events = 0;
  for (const Json& reason : objects_at(facts, {"data", "left_out"}))
    people += number_at(reason, {"people"}).value_or(0);
  for (const Json& reason : objects_at(facts, {"data", "events_left_out"}))
    events += number_at(reason, {"events"}).value_or(0);
  std::vector<std::string> left_out;
  if (text_at(facts, {"release", "ids"}) == "drop") left_out.emplace_back("ids");
  if (people > 0) left_out.push_back(counted(std::llround(people), "person", "people"));
  if (events > 0) left_out.push_back(counted(std::llround(events), "event", "events"));
  return technique("Suppression", !left_out.empty(),
                   left_out.empty() ? "Nobody and no event was left out."
                                    : fmt::format("Left out: {}.", fmt::join(left_out, ", ")));
}

Json pseudonymisation(const Json& facts) {
  const std::string ids = text_at(facts, {"release", "ids"});
  if (ids == "drop") return technique("Pseudonymisation", false, "There are no ids.");
  if (ids == "keep") return technique("Pseudonymisation", false, "The original ids are kept.");
  return technique(
      "Pseudonymisation", true,
      "Ids are replaced by random ones. Whoever has the mechanism file can undo it, and the draws.");
}

Json noise(const Json&) {
  return technique("Noise addition (randomisation)", false, "No published value was changed.");
}

Json sampling(const Json&) {
  return technique("Sampling", false, "Everybody who was counted is in the release.");
}

Json synthetic(const Json& facts) {
  return technique("Synthetic data", false,
                   rows_of(facts) == PublishedRows::Composed ? "Every entry is a true entry of somebody."
                                                             : "Every row is a true row of somebody.");
}

}  // namespace

PublishedRows rows_of(const Json& facts) {
  return text_at(facts, {"release", "rows"}) == "composed" ? PublishedRows::Composed : PublishedRows::Donor;
}

Json techniques_of(const Json& facts) {
  Json all = Json::array();
  for (const auto make : {generalisation, permutation, pseudonymisation, suppression, microaggregation, noise,
                          sampling, synthetic})
    all.push_back(make(facts));
  return all;
}

}  // namespace hyobscure::report
