#include "hyobscure/data/read/identifying.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/data/read/column_names.h"

namespace hyobscure::data {
namespace {

/// Fewer cells than this say nothing about a column.
constexpr std::int64_t kFewestCells = 20;
/// Where the secret is told, this share of the errors that chance makes may be left.
constexpr double kErrorsLeft = 0.05;
/// Errors that chance must be expected to make before their absence counts: a Poisson number of mean 40, or
/// 20 where cells are shared by three, is at most its twentieth with odds below one in a million.
constexpr double kFewestExpectedErrors = 40;
constexpr double kFollows = 0.999;  ///< correlation with the secret
constexpr int kDaysOfTwentyYears = 7305;

const char* const kDateFormats = "['%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y', '%d-%m-%Y', '%Y%m%d', '%Y/%m/%d']";

std::string date_of(const std::string& text) {
  return fmt::format("coalesce(TRY_CAST({0} AS DATE), CAST(try_strptime({0}, {1}) AS DATE))", text,
                     kDateFormats);
}

/// How many cells look like something.
struct Looks {
  std::int64_t mails = 0, phones = 0, international = 0, dates = 0, years = 0;
};

/// A column of hyo_kept on its way to be judged.
struct Candidate {
  ColumnFacts facts;
  std::string cell;    ///< SQL; an empty text is an empty cell
  std::string number;  ///< SQL; empty where it is no column of numbers
  bool text = true;    ///< its cells are names of something
  bool set = false;    ///< its words are the features, not its cells
  Looks looks = {};
  std::vector<double> correlations = {};  ///< of numbers: with each secret, unset where that is none
};

bool more_than_half(std::int64_t part, std::int64_t all) { return 2 * part > all; }

/// Of what is called an address a tenth is enough: the name already says what it is for.
bool many_unique(const ColumnFacts& facts) { return 10 * facts.unique > facts.given; }

bool nearly_unique(const ColumnFacts& facts) {
  return facts.given >= kFewestCells && more_than_half(facts.unique, facts.given);
}

std::string unique_text(const ColumnFacts& facts) {
  return fmt::format("{} of its {} cells occur once, so that they tell people apart", facts.unique,
                     facts.given);
}

std::string cells_as(const SecretCells& secret) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < secret.exact.size(); ++i)
    cells.push_back(fmt::format("{} AS y{}", secret.exact[i], i));
  return fmt::format("{}", fmt::join(cells, ", "));
}

/// The share of people with the commonest secret.
double commonest(Engine& engine, const SecretCells& secret) {
  return engine.doubles(fmt::format(
      "SELECT max(n)::DOUBLE / sum(n)::DOUBLE FROM (SELECT {}, count(*) AS n FROM hyo_kept GROUP BY ALL)",
      cells_as(secret)))[0];
}

/// Counts the cells and what they look like, each with its people, in one pass. Returns how many people have
/// another secret than most people of their cell.
std::int64_t count_cells(Engine& engine, Candidate& candidate, const SecretCells& secret) {
  const bool looked_at =
      candidate.text || is_called_phone(candidate.facts.name) || is_called_birth(candidate.facts.name);
  const std::string cell = "CAST(cell AS VARCHAR)";
  const std::string phone = fmt::format(
      "regexp_full_match({0}, '[+]?[0-9(][0-9 ()./-]{{5,}}[0-9]') AND length(regexp_replace({0}, '[^0-9]', "
      "'', "
      "'g')) BETWEEN 7 AND 15",
      cell);
  const auto count = [&](const std::string& condition) {
    return looked_at ? fmt::format("CAST(coalesce(sum(n) FILTER (WHERE {}), 0) AS BIGINT)", condition)
                     : std::string("0::BIGINT");
  };
  const auto sums = engine.integers(fmt::format(
      "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*), count_if(n = 1)::BIGINT, CAST(coalesce(sum(n - "
      "most), 0) AS BIGINT), {}, {}, {}, {}, {} FROM (SELECT cell, sum(n) AS n, max(n) AS most FROM (SELECT "
      "{} "
      "AS cell, {}, count(*) AS n FROM hyo_kept GROUP BY ALL) WHERE cell IS NOT NULL GROUP BY cell)",
      count(fmt::format("regexp_full_match({}, '[^@ ]+@[^@ ]+[.][^@ .]+')", cell)), count(phone),
      count(phone + fmt::format(" AND starts_with({}, '+')", cell)), count(date_of(cell) + " IS NOT NULL"),
      count(fmt::format("TRY_CAST({} AS DOUBLE) BETWEEN 1880 AND 2100", cell)), candidate.cell,
      cells_as(secret)));
  candidate.facts.given = sums[0];
  candidate.facts.distinct = sums[1];
  candidate.facts.unique = sums[2];
  candidate.looks = {
      .mails = sums[4], .phones = sums[5], .international = sums[6], .dates = sums[7], .years = sums[8]};
  return sums[3];
}

/// Pairs of a candidate and a secret that are numbers; of numbers whose squares have no room, none.
std::string numbers_together(const Candidate& candidate, const SecretCells& secret) {
  return fmt::format(
      "(SELECT x, y FROM (SELECT {} AS x, {} AS y FROM hyo_kept) WHERE abs(x) < 1e100 AND abs(y) < "
      "1e100)",
      candidate.number, secret.number);
}

/// Smallest, largest, and correlations with the secrets, of all columns of numbers in one pass.
void measure_numbers(Engine& engine, std::vector<Candidate>& candidates,
                     const std::vector<SecretCells>& secrets) {
  std::vector<std::string> aggregates;
  for (const Candidate& candidate : candidates) {
    if (candidate.number.empty()) continue;
    aggregates.push_back(fmt::format("min({})", candidate.number));
    aggregates.push_back(fmt::format("max({})", candidate.number));
    for (const SecretCells& secret : secrets)
      if (!secret.number.empty())
        aggregates.push_back(
            fmt::format("corr({0}, {1}) FILTER (WHERE abs({0}) < 1e100 AND abs({1}) < 1e100)",
                        candidate.number, secret.number));
  }
  if (aggregates.empty()) return;
  const auto found = engine.doubles(fmt::format("SELECT {} FROM hyo_kept", fmt::join(aggregates, ", ")));
  auto next = found.begin();
  for (Candidate& candidate : candidates) {
    if (candidate.number.empty()) continue;
    candidate.facts.smallest = *next++;
    candidate.facts.largest = *next++;
    for (const SecretCells& secret : secrets)
      candidate.correlations.push_back(secret.number.empty() ? kUnset : *next++);
  }
}

/// Dates of births spread over the ages of people; those of visits, orders or diagnoses seldom over 20 years.
bool spreads_over_decades(Engine& engine, const std::string& cell) {
  const std::string date = date_of(fmt::format("CAST({} AS VARCHAR)", cell));
  return engine.integers(fmt::format(
             "SELECT CAST(date_diff('day', quantile_disc(d, 0.05), quantile_disc(d, 0.95)) AS BIGINT) FROM "
             "(SELECT {} AS d FROM hyo_kept) WHERE d IS NOT NULL",
             date))[0] >= kDaysOfTwentyYears;
}

bool is_date_of_birth(Engine& engine, const Candidate& candidate) {
  const Looks& looks = candidate.looks;
  const std::int64_t given = candidate.facts.given;
  if (is_called_birth(candidate.facts.name) && more_than_half(std::max(looks.dates, looks.years), given))
    return true;
  return candidate.text && more_than_half(looks.dates, given) && spreads_over_decades(engine, candidate.cell);
}

/// Of people who are not the first of their cell, chance gives another secret than their cell's at least to
/// who has not the commonest one.
bool tells(const Candidate& candidate, std::int64_t wrong, double commonest_share) {
  const double expected =
      static_cast<double>(candidate.facts.given - candidate.facts.distinct) * (1 - commonest_share);
  return expected >= kFewestExpectedErrors && static_cast<double>(wrong) <= kErrorsLeft * expected;
}

/// A number that is the secret in other units, also where nobody shares a cell. By ranks too, because one
/// outlier that two columns have in common makes any correlation 1.
bool follows(Engine& engine, const Candidate& candidate, const SecretCells& secret, double correlation) {
  const auto is_close = [](double x) { return std::abs(x) >= kFollows; };  // false of NaN: a constant
  return candidate.facts.given >= kFewestCells && is_close(correlation) &&
         is_close(
             engine.doubles("SELECT corr(a, b) FROM (SELECT CAST(rank() OVER (ORDER BY x) AS DOUBLE) AS a, "
                            "CAST(rank() OVER (ORDER BY y) AS DOUBLE) AS b FROM " +
                            numbers_together(candidate, secret) + ")")[0]);
}

bool is_secret_itself(Engine& engine, const Candidate& candidate, const SecretCells& secret) {
  const std::string same =
      secret.number.empty()
          ? fmt::format("CAST({} AS VARCHAR) = CAST({} AS VARCHAR)", candidate.cell, secret.exact[0])
          : fmt::format("TRY_CAST(CAST({} AS VARCHAR) AS DOUBLE) = {}", candidate.cell, secret.number);
  const auto equal = engine.integers(fmt::format("SELECT count_if({})::BIGINT FROM hyo_kept", same))[0];
  return static_cast<double>(equal) >= (1 - kErrorsLeft) * static_cast<double>(candidate.facts.given);
}

/// A secret, and the share of people with its commonest value.
struct JudgedSecret {
  SecretCells cells;
  double commonest;
};

/// Empty where it does not.
std::string why_it_tells(Engine& engine, const Candidate& candidate, const JudgedSecret& secret,
                         std::int64_t wrong, double correlation) {
  const bool told = tells(candidate, wrong, secret.commonest);
  if (!told && !follows(engine, candidate, secret.cells, correlation)) return "";
  if (is_secret_itself(engine, candidate, secret.cells))
    return fmt::format("it is the secret \"{}\" itself", secret.cells.name);
  return told ? fmt::format("people with the same cell have the same secret \"{}\"", secret.cells.name)
              : fmt::format("it follows the secret \"{}\" step by step", secret.cells.name);
}

/// `why_it_tells_the_secret` is empty where it does not.
std::string why_it_identifies(Engine& engine, const Candidate& candidate,
                              const std::string& why_it_tells_the_secret) {
  const ColumnFacts& facts = candidate.facts;
  const Looks& looks = candidate.looks;
  if (facts.given == 0) return "";
  if (more_than_half(looks.mails, facts.given)) return "its cells are e-mail addresses";
  // Years, ranges and codes look like phone numbers too.
  if (more_than_half(looks.international, facts.given) ||
      (is_called_phone(facts.name) && more_than_half(looks.phones, facts.given)))
    return "its cells are phone numbers";
  if (candidate.text && is_called_name_of_person(facts.name))
    return "by what it is called, its cells are names of persons";
  if (is_called_address(facts.name) && many_unique(facts))
    return "by what it is called, its cells are addresses, postcodes or numbers of documents, and many occur "
           "once";
  if (is_date_of_birth(engine, candidate)) return "its cells are dates or years of birth";
  if (!why_it_tells_the_secret.empty()) return why_it_tells_the_secret;
  // Kept numbers are published unchanged beside the id.
  if ((candidate.text || facts.role == ColumnRole::Kept) && nearly_unique(facts)) return unique_text(facts);
  return "";
}

void judge(Engine& engine, Candidate& candidate, const std::vector<JudgedSecret>& secrets) {
  std::string why;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    const std::int64_t wrong = count_cells(engine, candidate, secrets[i].cells);
    const double correlation = candidate.correlations.empty() ? kUnset : candidate.correlations[i];
    if (why.empty()) why = why_it_tells(engine, candidate, secrets[i], wrong, correlation);
  }
  if (!candidate.set) candidate.facts.identifies = why_it_identifies(engine, candidate, why);
}

bool allows(const Spec& spec, const std::string& column) {
  return std::ranges::find(spec.people.allow_identifying, column) != spec.people.allow_identifying.end();
}

Candidate candidate_of(const Spec& spec, const Relation& people, const std::string& name, ColumnRole role,
                       const std::string& cell) {
  Candidate candidate;
  candidate.facts = {.name = name, .role = role, .type = people.type(name), .allowed = allows(spec, name)};
  candidate.text = !is_number_column(spec, people, name);
  candidate.cell = stored_type(people, name) == "VARCHAR" ? fmt::format("nullif({}, '')", cell) : cell;
  if (!candidate.text) candidate.number = as_number(cell, stored_type(people, name));
  return candidate;
}

}  // namespace

bool is_number_column(const Spec& spec, const Relation& relation, const std::string& column) {
  static const std::vector<std::string> kNumbers = {
      "TINYINT",  "SMALLINT", "INTEGER",  "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
      "UINTEGER", "UBIGINT",  "UHUGEINT", "FLOAT",  "DOUBLE",  "BOOLEAN"};
  const std::string& type = relation.type(column);
  const auto& named = spec.people.categorical;
  return std::ranges::find(named, column) == named.end() &&
         (std::ranges::find(kNumbers, type) != kNumbers.end() || type.starts_with("DECIMAL"));
}

std::vector<ColumnFacts> look_at_columns(Engine& engine, const Spec& spec, const Relation& people,
                                         const std::vector<FeatureKind>& kinds,
                                         const std::vector<SecretCells>& secrets) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < spec.people.features.size(); ++i)
    candidates.push_back(
        candidate_of(spec, people, spec.people.features[i], ColumnRole::Feature, fmt::format("c{}", i)));
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i)
    candidates.push_back(
        candidate_of(spec, people, spec.people.keep[i], ColumnRole::Kept, fmt::format("k{}", i)));
  if (candidates.empty()) return {};
  for (std::size_t i = 0; i < kinds.size(); ++i) candidates[i].set = kinds[i] == FeatureKind::Set;
  measure_numbers(engine, candidates, secrets);
  std::vector<JudgedSecret> judged;
  for (const SecretCells& secret : secrets) judged.push_back({secret, commonest(engine, secret)});
  const auto rows = engine.integers("SELECT count(*) FROM hyo_kept")[0];
  std::vector<ColumnFacts> result;
  for (Candidate& candidate : candidates) {
    candidate.facts.rows = rows;
    judge(engine, candidate, judged);
    result.push_back(std::move(candidate.facts));
  }
  return result;
}

std::vector<ColumnFacts> look_at_times(Engine& engine, const Spec& spec, const Relation& events) {
  const std::string& name = spec.events.time;
  if (name.empty() || events.type(name) != "VARCHAR") return {};
  const auto sums = engine.integers(fmt::format(
      "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*), count_if(n = 1)::BIGINT, CAST(coalesce(sum(n) "
      "FILTER (WHERE TRY_CAST(cell AS TIMESTAMP) IS NOT NULL OR TRY_CAST(cell AS DOUBLE) IS NOT NULL), 0) AS "
      "BIGINT) FROM (SELECT nullif({}, '') AS cell, count(*) AS n FROM {} GROUP BY ALL) WHERE cell IS NOT "
      "NULL",
      events.column(name), events.sql));
  ColumnFacts facts{.name = name,
                    .role = ColumnRole::Time,
                    .type = events.type(name),
                    .rows = sums[0],
                    .given = sums[0],
                    .distinct = sums[1],
                    .unique = sums[2],
                    .allowed = allows(spec, name)};
  if (nearly_unique(facts) && !more_than_half(sums[3], facts.given)) facts.identifies = unique_text(facts);
  return {facts};
}

void refuse_identifying(const Relation& relation, const std::vector<ColumnFacts>& columns) {
  std::vector<std::string> names, further;
  std::string first;
  for (const ColumnFacts& column : columns) {
    if (!column.refused()) continue;
    if (!names.empty()) further.push_back(fmt::format("\"{}\" ({})", column.name, column.identifies));
    names.push_back(column.name);
    if (first.empty()) first = column.identifies;
  }
  if (names.empty()) return;
  throw InputError(
      {.source = relation.name, .column = names[0]},
      fmt::format("may not be published, because {}{}{}", first, further.empty() ? "" : "; nor may ",
                  fmt::join(further, ", ")),
      fmt::format("Leave it out of {}, or, if that is what you want, allow it by name: "
                  "people.allow_identifying = [\"{}\"].",
                  columns[0].role == ColumnRole::Time ? "events.time" : "people.features or people.keep",
                  fmt::join(names, "\", \"")));
}

}  // namespace hyobscure::data
