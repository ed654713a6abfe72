#include "hyobscure/report/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/report/attack_figures.h"
#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/techniques.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

constexpr const char* kIso = "ISO/IEC 27559:2022";
constexpr const char* kWp29 = "WP29 Opinion 05/2014";
constexpr const char* kIco = "ICO guidance on anonymisation";

constexpr const char* kAnswered = "answered";
constexpr const char* kStated = "stated";
constexpr const char* kOpen = "open";
constexpr const char* kNotMeasured = "not measured";
constexpr const char* kNotStated = "not stated";

struct Answer {
  const char* state;
  std::string text;
  std::string figure = {};
  const char* see = "";
};

struct Question {
  const char* key;
  const char* source;
  const char* clause;
  const char* topic;
  const char* question;
};

Json answered(const Question& question, const Answer& answer) {
  Json json = {{"key", question.key},     {"source", question.source},     {"clause", question.clause},
               {"topic", question.topic}, {"question", question.question}, {"state", answer.state},
               {"answer", answer.text}};
  if (!answer.figure.empty()) json["figure"] = answer.figure;
  if (*answer.see != '\0') json["see"] = answer.see;
  return json;
}

// --- what only the publisher knows: the key of a question is that of [context]

constexpr Question kStatements[] = {
    {"recipient", kIso, "6.2", "Threat modelling", "Who gets the release?"},
    {"purpose", kIso, "6.2", "Threat modelling", "What will they use it for?"},
    {"access", kIso, "6.2.2, 8.3.2", "Security and privacy practices",
     "Where may they use it, under which controls and agreements?"},
    {"motive", kIso, "6.2.3", "Motives and capacity to re-identify",
     "Who could want to identify a person, why, and with what means?"},
    {"other_data", kIso, "6.2.3", "Motives and capacity to re-identify",
     "What could they have or find elsewhere about these people?"},
    {"transparency", kIso, "6.3.2", "Transparency and stakeholder engagement",
     "What were the people told, and who was asked?"},
    {"harm", kIso, "6.3.3", "Privacy-related harms",
     "What could a person suffer who is identified, or whose secret is inferred?"},
    {"population", kIso, "7.2.2, 7.3.3", "Data principals",
     "How were the people chosen, and can others know that a person is among them?"},
    {"approver", kIso, "9.2.2", "Roles and responsibilities", "Who approved the release?"},
    {"monitoring", kIso, "9.3.2", "Monitoring the data environment",
     "How is a change of the surroundings noticed?"},
    {"incident", kIso, "9.4", "Mitigation in case of incident", "What is done if a person is identified?"},
    {"intruder_test", kIco, "", "Motivated intruder",
     "What did a test by a motivated intruder with other sources find?"},
    {"valid_until", kIco, "", "Review", "Until when does the assessment hold?"},
};

Json publisher_answer(const Json& facts, const Question& question) {
  const std::string stated = text_at(facts, {"context", question.key});
  const Answer none = {kNotStated,
                       fmt::format("Only the publisher knows: context.{} of the spec.", question.key), "",
                       "settings"};
  return answered(question, stated.empty() ? none : Answer{kStated, stated});
}

// --- data

std::string left_out_text(const Json& facts) {
  double people = 0;
  for (const Json& reason : objects_at(facts, {"data", "left_out"}))
    people += number_at(reason, {"people"}).value_or(0);
  return people == 0 ? ""
                     : fmt::format(" {} in the data were left out.",
                                   counted(std::llround(people), "other person", "other people"));
}

Answer people_answer(const Json& facts) {
  const auto people = number_at(facts, {"data", "people"});
  if (!people) return {kNotMeasured, "The number of people is not known."};
  const std::string number = counted(std::llround(*people), "person", "people");
  return {kAnswered, fmt::format("{} in the release.{}", number, left_out_text(facts)), number, "published"};
}

std::string ids_text(const Json& facts) {
  const std::string ids = text_at(facts, {"release", "ids"});
  return ids == "keep"   ? "Ids are the original ones."
         : ids == "drop" ? "Ids are left out."
                         : "Ids are replaced by random ones.";
}

Answer attributes_answer(const Json& facts) {
  const auto features = number_at(facts, {"data", "features"});
  const std::vector<std::string> kept = texts_at(facts, {"data", "kept"});
  const std::string rest = kept.empty() ? "No column is published as it is."
                                        : fmt::format("Published as they are: {}.", fmt::join(kept, ", "));
  return {kAnswered,
          fmt::format("{} The {} is published as its {}. {} through donors. {}", ids_text(facts),
                      secret_name(facts), group_word(facts),
                      features ? counted(std::llround(*features), "feature", "features") + " published"
                               : "Features are published",
                      rest),
          "", "published"};
}

// --- risk

Answer average_answer(const Json& facts) {
  const auto total = number_at(facts, {"leakage", "total"}),
             entropy = number_at(facts, {"leakage", "secret_entropy"});
  if (!total) return {kNotMeasured, "The leakage takes the mechanism, which was not given.", "", "leakage"};
  const std::string of = entropy ? fmt::format(" of {}", bits_text(*entropy)) : "";
  return {kOpen,
          fmt::format("A published row with its {} leaks at most {}{} about the {}, on average over the "
                      "people, to an informed attacker. The groups alone leak {} of it.",
                      group_word(facts), bits_text(*total), of, secret_name(facts),
                      bits_text(number_at(facts, {"leakage", "groups"}).value_or(0))),
          bits_text(*total), "leakage"};
}

Answer maximum_answer(const Json& facts) {
  const auto highest = number_at(facts, {"lift", "highest"});
  if (!highest)
    return {kNotMeasured, "What the worst row reveals takes the mechanism, which was not given.", "", "lift"};
  const auto lowest = number_at(facts, {"lift", "lowest"}), own = number_at(facts, {"lift", "own_expected"});
  std::string text =
      fmt::format("The worst published row makes one value {} times as likely as it is in its {}",
                  figure_text(*highest), group_word(facts));
  text += lowest && *lowest == 0 ? "; some row rules some value out." : ".";
  if (own)
    text +=
        fmt::format(" Expected over the draw, the own value of the worst person becomes {} times as likely.",
                    figure_text(*own));
  return {kOpen, text, figure_text(*highest) + " times", "lift"};
}

Answer sample_answer(const Json& facts) {
  return {
      kAnswered,
      fmt::format("Sample-based: every attacker here is assumed to know that the target is in the release. "
                  "Exact figures are about {} who were counted, and estimate nothing beyond them.",
                  number_at(facts, {"data", "people"}) ? "the people" : "those people"),
      "", "limits"};
}

Answer beyond_answer(const Json& facts) {
  const auto bits = number_at(facts, {"audit", "beyond_the_sample", "leakage", "bits"});
  const auto low = number_at(facts, {"audit", "beyond_the_sample", "leakage", "low"}),
             high = number_at(facts, {"audit", "beyond_the_sample", "leakage", "high"});
  if (!bits || !low || !high)
    return {kNotMeasured, "No interval of the leakage over people drawn again was computed.", "", "leakage"};
  const std::string covers = text_at(facts, {"audit", "beyond_the_sample", "covers"});
  return {
      kAnswered,
      fmt::format("For people drawn again from these (bootstrap) the leakage lies between {} and {} bits.{}",
                  figure_text(*low), figure_text(*high), covers.empty() ? "" : " " + covers),
      fmt::format("{} to {} bits", figure_text(*low), figure_text(*high)), "attacks"};
}

std::string limits_text(const Json& facts) {
  const Json* people = fact(facts, {"constraints", "people"});
  const Json* values = fact(facts, {"constraints", "values"});
  const auto low = [](const Json* limit) {
    return limit != nullptr && limit->is_array() && !limit->empty() && limit->front().is_number()
               ? std::optional(limit->front().get<double>())
               : std::nullopt;
  };
  const auto k = low(people), l = low(values);
  if (!k || !l) return "";
  return fmt::format(
      "k-anonymity with k = {} and l-diversity with l = {} for the {}, not for the features. ",
      figure_text(*k), figure_text(*l),
      text_at(facts, {"constraints", "for"}) == "pools" ? "group and the kept cells together" : "group");
}

Answer models_answer(const Json& facts) {
  const auto epsilon = number_at(facts, {"leakage", "epsilon"});
  return {kAnswered,
          limits_text(facts) + "Mutual information in bits bounds what features and group leak on average. " +
              (epsilon ? fmt::format("The choice of donors is differentially private with epsilon {}.",
                                     figure_text(*epsilon))
                       : "No differential privacy is claimed."),
          "", "groups"};
}

// --- attackers

Answer gain_answer(const Json& facts, const std::string& title, const std::vector<TrainedAttack>& attacks) {
  const Figure strongest = gain_figure(facts, title, attacks);
  if (!strongest.measured) return {kNotMeasured, strongest.text, "", "attacks"};
  const bool gains = std::ranges::any_of(attacks, &TrainedAttack::gains);
  const bool blind = std::ranges::all_of(attacks, &TrainedAttack::is_blind);
  return {gains   ? kOpen
          : blind ? kNotMeasured
                  : kAnswered,
          fmt::format("{}: {} {}", strongest.title, strongest.figure, strongest.text), strongest.figure,
          "attacks"};
}

std::vector<TrainedAttack> attacks_that_know(const Json& facts, bool part) {
  std::vector<TrainedAttack> attacks = trained_attacks(facts);
  std::erase_if(attacks, [&](const TrainedAttack& attack) { return attack.knows_part != part; });
  return attacks;
}

Answer trained_answer(const Json& facts) {
  return gain_answer(facts, "Gain of the strongest", attacks_that_know(facts, false));
}

Answer known_part_answer(const Json& facts) {
  const std::vector<TrainedAttack> attacks = attacks_that_know(facts, true);
  if (attacks.empty()) return {kNotMeasured, "No such attacker was tried.", "", "attacks"};
  return gain_answer(facts, "Gain of the strongest", attacks);
}

Answer informed_answer(const Json& facts) {
  const Figure named = informed_figure(facts);
  if (!named.measured) return {kNotMeasured, named.text, "", "attacks"};
  const auto right = named_right(facts);
  return {right->one == right->other ? kAnswered : kOpen,
          fmt::format("{}: {} {}", named.title, named.figure, named.text), named.figure, "attacks"};
}

Answer tests_answer(const Json& facts) {
  std::vector<std::string> tried;
  const auto trained = static_cast<std::int64_t>(trained_attacks(facts).size());
  if (trained > 0) tried.push_back(counted(trained, "trained attack", "trained attacks"));
  if (named_right(facts)) tried.emplace_back("the informed attacker");
  if (fact(facts, {"audit", "known_entries"}) != nullptr) tried.emplace_back("known entries");
  if (fact(facts, {"audit", "matching"}) != nullptr) tried.emplace_back("matching of true rows");
  if (tried.empty()) return {kNotMeasured, "No attack was tried on this release.", "", "attacks"};
  return {kAnswered,
          fmt::format("Tried: {}. What was not is named under the three criteria of the WP29.",
                      fmt::join(tried, ", ")),
          "", "attacks"};
}

// --- singling out and linkability

Answer own_rows_answer(const Json& facts) {
  const auto own = number_at(facts, {"release", "own_rows"});
  if (!own)
    return {kNotMeasured, "How many people publish their own row takes the mechanism, which was not given."};
  const std::string share = share_text(*own, 1);
  if (*own == 0) return {kAnswered, "Nobody publishes the own row.", share, "published"};
  return {kOpen,
          fmt::format("{} of the people are expected to publish their own row. The files do not say which.",
                      share),
          share, "published"};
}

std::string kind_of_rows(const Json& facts) {
  return rows_of(facts) == PublishedRows::Composed ? "A published row is composed of entries of several near "
                                                     "people, and is nobody's own row unless by "
                                                     "chance."
                                                   : "A published row is a true row of somebody in the same "
                                                     "group. Whoever knows a few entries of its "
                                                     "owner may find it, and read all others and the group.";
}

Answer found_row_answer(const Json& facts) {
  const Figure found = known_entries_figure(facts);
  if (!found.measured)
    return {
        kNotMeasured,
        kind_of_rows(facts) + " How often that succeeds, or what is learned all the same, was not measured.",
        "", "attacks"};
  const std::vector<Json> tried = objects_at(facts, {"audit", "known_entries", "of"});
  const bool learns = std::ranges::any_of(tried, [](const Json& one) {
    return number_at(one, {"own_row", "mean"}).value_or(0) > 0 ||
           number_at(one, {"gain", "low"}).value_or(0) > 0;
  });
  return {learns ? kOpen : kAnswered, found.figure + " " + found.text, found.figure, "attacks"};
}

Answer ids_answer(const Json& facts) {
  const std::vector<std::string> kept = texts_at(facts, {"data", "kept"});
  const bool keeps_ids = text_at(facts, {"release", "ids"}) == "keep";
  std::string text = ids_text(facts);
  if (keeps_ids) text += " Anyone with another table of these ids can join it: the release is pseudonymous.";
  if (!kept.empty())
    text +=
        fmt::format(" Other tables with {} can be joined by these cells, to pools of people who share them.",
                    fmt::join(kept, ", "));
  for (const Json& setting : objects_at(facts, {"settings"}))
    if (text_at(setting, {"key"}) == "people.allow_identifying" && is_true_at(setting, {"given"}))
      text += fmt::format(" The publisher allowed columns that identify people or reveal the secret: {}.",
                          text_at(setting, {"value"}));
  return {text == ids_text(facts) ? kAnswered : kOpen, text, "", "published"};
}

Answer matching_answer(const Json& facts) {
  const auto auc = number_at(facts, {"audit", "matching", "auc", "mean"}),
             shuffled = number_at(facts, {"audit", "matching", "shuffled_auc", "mean"});
  if (!auc || !shuffled) return {kNotMeasured, "No such attacker was tried.", "", "attacks"};
  const bool gains = number_at(facts, {"audit", "matching", "gain", "low"}).value_or(0) > 0;
  return {
      gains ? kOpen : kAnswered,
      fmt::format(
          "The row under a person's id is nearer to the person's true row than another published row with "
          "probability {} (0.5 is chance); with ids shuffled within the groups it is {}.",
          figure_text(*auc), figure_text(*shuffled)),
      "AUC " + figure_text(*auc), "attacks"};
}

bool keeps_no_ledger(const Json& facts) {
  const std::vector<Json> settings = objects_at(facts, {"settings"});
  return std::ranges::any_of(settings, [](const Json& setting) {
    return text_at(setting, {"key"}) == "release.ledger" && text_at(setting, {"value"}) == "\"none\"";
  });
}

Answer earlier_answer(const Json& facts) {
  const auto earlier = number_at(facts, {"release", "earlier_draws"});
  if (!earlier || keeps_no_ledger(facts))
    return {kNotMeasured, "No ledger says whether these people were released before.", "", "published"};
  if (*earlier > 0)
    return {kOpen,
            "The same people were drawn before: who has several releases knows more than each one says.",
            counted(std::llround(*earlier), "earlier draw", "earlier draws"), "published"};
  return {kAnswered, "The publisher's ledger has no earlier draw of these people.", "no earlier draw",
          "published"};
}

// --- checks and documents

Answer checks_answer(const Json& facts) {
  const CheckCounts counts = count_checks(facts);
  if (counts.all == 0) return {kNotMeasured, "The files were not checked.", "", "published"};
  const std::string passed = fmt::format("{} of {}", counts.passed, counts.all);
  return {counts.failed == 0 && counts.open == 0 ? kAnswered : kOpen,
          fmt::format("{} of the files of the release passed.",
                      passed + (counts.all == 1 ? " check" : " checks")),
          passed, "published"};
}

Answer documents_answer(const Json& facts) {
  const auto repetitions = number_at(facts, {"audit", "repetitions"});
  return {kAnswered,
          fmt::format("This report names the program ({}), the settings, each check and each attack{}. "
                      "The bundle of an audit holds what another party needs to repeat them.",
                      text_at(facts, {"program"}, "version not known"),
                      repetitions ? fmt::format(" with its {}", counted(std::llround(*repetitions),
                                                                        "repetition", "repetitions"))
                                  : ""),
          "", "settings"};
}

Answer techniques_answer(const Json& facts) {
  std::vector<std::string> used;
  for (const Json& technique : techniques_of(facts))
    if (is_true_at(technique, {"used"})) used.push_back(text_at(technique, {"name"}));
  return {kAnswered, fmt::format("{}. The table below says how.", fmt::join(used, "; ")), "", "published"};
}

// --- all of them

struct Measured {
  Question question;
  Answer (*answer)(const Json& facts);
};

const Measured kMeasured[] = {
    {{"people", kIso, "7.2.2", "Data principals", "Who is in the data?"}, people_answer},
    {{"attributes", kIso, "7.2.3 to 7.2.5", "Data features", "What is published of a person?"},
     attributes_answer},
    {{"average_risk", kIso, "7.3.2, 8.2.2", "Average risk", "How much does a row reveal on average?"},
     average_answer},
    {{"maximum_risk", kIso, "7.3.2, 8.2.2", "Maximum risk", "How much does the worst row reveal?"},
     maximum_answer},
    {{"sample_based", kIso, "7.3.3", "Population or sample-based attack", "Whom is the risk about?"},
     sample_answer},
    {{"beyond_sample", kIso, "7.3.3", "Population or sample-based attack",
      "How far do the figures hold beyond these people?"},
     beyond_answer},
    {{"privacy_models", kIso, "7.3.4", "Data privacy models", "Which formal models hold?"}, models_answer},
    {{"adversarial_testing", kIso, "8.2.3", "Adversarial testing", "Which attacks were tried?"},
     tests_answer},
    {{"transformation", kIso, "8.3.3", "Transforming the data", "Which techniques were used?"},
     techniques_answer},
    {{"re_evaluation", kIso, "8.3.4", "Re-evaluation", "Were the files checked after they were written?"},
     checks_answer},
    {{"own_rows", kWp29, "", "Singling out", "Does a person's own row stand under that person's id?"},
     own_rows_answer},
    {{"known_entries", kWp29, "", "Singling out",
      "Can somebody who knows a few entries of a person find the row and learn the rest?"},
     found_row_answer},
    {{"ids", kWp29, "", "Linkability", "Can rows be joined with other tables?"}, ids_answer},
    {{"matching", kWp29, "", "Linkability",
      "Can somebody who has a person's whole row find that person in the release?"},
     matching_answer},
    {{"earlier_releases", kWp29, "", "Linkability", "Are there other releases of these people?"},
     earlier_answer},
    {{"trained_attackers", kWp29, "", "Inference",
      "What does a model infer that was trained on other people?"},
     trained_answer},
    {{"informed_attacker", kWp29, "", "Inference",
      "How often does an informed attacker name the exact value?"},
     informed_answer},
    {{"known_part", kWp29, "", "Inference",
      "What does an attacker infer who knows the secrets of some people in the release?"},
     known_part_answer},
    {{"documented_tests", kIco, "", "Documented tests", "Can the tests be repeated by others?"},
     documents_answer},
};

/// As the documents have them: by source, each source's clauses ascending.
bool stands_before(const Json& one, const Json& other) {
  const auto rank = [](const Json& question) {
    const std::string source = text_at(question, {"source"});
    return source == kIso ? 0 : source == kWp29 ? 1 : 2;
  };
  if (rank(one) != rank(other)) return rank(one) < rank(other);
  return rank(one) == 0 && text_at(one, {"clause"}) < text_at(other, {"clause"});
}

std::string evidence_headline(const std::vector<Json>& questions) {
  const auto count = [&](const char* state) {
    return std::ranges::count_if(questions,
                                 [&](const Json& question) { return question.at("state") == state; });
  };
  const auto gaps = count(kNotStated) + count(kNotMeasured);
  const std::string all = counted(static_cast<std::int64_t>(questions.size()), "question", "questions");
  if (gaps == 0)
    return fmt::format("All {} have an answer; {} of them are for you to judge.", all, count(kOpen));
  return fmt::format("{} of {} have no answer: {} not stated by the publisher, {} not measured.", gaps, all,
                     count(kNotStated), count(kNotMeasured));
}

}  // namespace

Json evidence_of(const Json& facts) {
  if (fact(facts, {"release"}) == nullptr) return nullptr;
  std::vector<Json> questions;
  for (const Question& question : kStatements) questions.push_back(publisher_answer(facts, question));
  for (const Measured& measured : kMeasured)
    questions.push_back(answered(measured.question, measured.answer(facts)));
  std::ranges::stable_sort(questions, stands_before);
  return {{"headline", evidence_headline(questions)},
          {"questions", questions},
          {"techniques", techniques_of(facts)}};
}

}  // namespace hyobscure::report
