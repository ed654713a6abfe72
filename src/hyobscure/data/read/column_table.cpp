#include "hyobscure/data/read/column_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/data/read/column_names.h"
#include "hyobscure/data/read/identifying.h"
#include "hyobscure/data/read/read_kept.h"

namespace hyobscure::data {
namespace {

constexpr double kOldestAge = 120;
/// Beyond the quartiles by more than so many times their distance: of a bell curve nobody, of incomes few.
constexpr double kFarOutside = 10;

/// Rows, cells, distinct cells, cells that occur once.
void count_cells(Engine& engine, const std::string& cell, const std::string& relation, ColumnFacts& facts) {
  const auto sums = engine.integers(fmt::format(
      "SELECT CAST(sum(n) AS BIGINT), CAST(coalesce(sum(n) FILTER (WHERE cell IS NOT NULL), 0) AS BIGINT), "
      "count(cell), count_if(n = 1 AND cell IS NOT NULL)::BIGINT FROM (SELECT {} AS cell, count(*) AS n FROM "
      "{} "
      "GROUP BY ALL)",
      cell, relation));
  facts.rows = sums[0];
  facts.given = sums[1];
  facts.distinct = sums[2];
  facts.unique = sums[3];
}

void measure(Engine& engine, const std::string& number, const std::string& relation, ColumnFacts& facts) {
  const auto range = engine.doubles(fmt::format("SELECT min({0}), max({0}) FROM {1}", number, relation));
  facts.smallest = range[0];
  facts.largest = range[1];
}

std::string type_of(const Relation& relation, const std::string& column) {
  const auto found = std::ranges::find(relation.columns, column, &Column::name);
  return found == relation.columns.end() ? "" : found->type;  // home has no column
}

}  // namespace

struct ColumnTable::Reader {
  Reading reading;
  KeptPeople kept;

  Reader(Engine& engine, const Spec& spec) : kept(engine, spec, reading) {}
};

ColumnTable::ColumnTable(Engine& engine, const Spec& spec)
    : engine_(engine), spec_(spec), reader_(std::make_unique<Reader>(engine, spec)) {
  about(reader_->reading.people_source, [&] {
    refuse_problems();
    columns_ = reader_->kept.look_at_columns();
    add_secrets();
    People people;
    people.ids = engine.texts("SELECT id FROM hyo_kept ORDER BY u");
    reader_->kept.secret().number(people);
    secrets_ = std::move(people.secrets);
  });
  if (spec.is_long()) {
    reader_->kept.open_events();
    about(reader_->reading.events_source, [&] { add_events(); });
  }
}

ColumnTable::~ColumnTable() = default;

/// Where people are refused anyway, what their features would be refused for is told too.
void ColumnTable::refuse_problems() const {
  FoundProblems& problems = reader_->kept.problems();
  if (problems.any() && !spec_.is_long())
    find_words_among_numbers(engine_, spec_, reader_->reading.people_source, reader_->kept.kinds(), problems);
  problems.refuse();
}

void ColumnTable::add_secrets() {
  for (const SecretCells& secret : reader_->kept.secret().cells()) {
    ColumnFacts facts{.name = secret.name,
                      .role = ColumnRole::Secret,
                      .type = type_of(reader_->reading.people_source, secret.name)};
    const std::string cell =
        secret.exact.size() == 1 ? secret.exact[0] : fmt::format("({})", fmt::join(secret.exact, ", "));
    count_cells(engine_, cell, "hyo_kept", facts);
    if (!secret.number.empty()) measure(engine_, secret.number, "hyo_kept", facts);
    columns_.push_back(std::move(facts));
  }
}

void ColumnTable::add_events() {
  const Relation& events = reader_->reading.events_source;
  const auto add = [&](const std::string& name, ColumnRole role) {
    if (name.empty()) return;
    ColumnFacts facts{.name = name, .role = role, .type = type_of(events, name)};
    const std::string cell = events.column(name);
    count_cells(engine_, cell, events.sql, facts);
    if (role == ColumnRole::Value)
      measure(engine_, as_number(cell, stored_type(events, name)), events.sql, facts);
    columns_.push_back(std::move(facts));
  };
  add(spec_.events.item, ColumnRole::Item);
  add(spec_.events.value, ColumnRole::Value);
  const std::vector<ColumnFacts> times = look_at_times(engine_, spec_, events);
  if (times.empty()) add(spec_.events.time, ColumnRole::Time);
  columns_.insert(columns_.end(), times.begin(), times.end());
}

std::vector<std::uint32_t> ColumnTable::cells(std::size_t column, int bins) const {
  const ColumnFacts& facts = columns_[column];
  const Relation& people = reader_->reading.people_source;
  const std::string cell = facts.role == ColumnRole::Feature
                               ? fmt::format("c{}", column)
                               : fmt::format("k{}", column - spec_.people.features.size());
  const std::string number = as_number(cell, stored_type(people, facts.name));
  const bool cut = is_number_column(spec_, people, facts.name) && facts.distinct > bins;
  // Equal numbers have equal ranks: no cut goes through them. Ranks of empty cells come last.
  const std::string code =
      cut ? fmt::format(
                "CASE WHEN {0} IS NULL THEN {1} ELSE CAST(floor({1}.0 * (rank() OVER (ORDER BY {0}) - 1) "
                "/ {2}) AS BIGINT) END",
                number, bins, facts.given)
          : fmt::format("CAST(dense_rank() OVER (ORDER BY {}) - 1 AS BIGINT)", cell);
  std::vector<std::uint32_t> codes;
  engine_.query(fmt::format("SELECT code FROM (SELECT u, {} AS code FROM hyo_kept) ORDER BY u", code),
                [&](const Chunk& chunk) {
                  for (const std::int64_t each : chunk.integers(0).first(chunk.rows()))
                    codes.push_back(static_cast<std::uint32_t>(each));
                });
  return codes;
}

std::vector<ImplausibleSecrets> ColumnTable::implausible() const {
  std::vector<ImplausibleSecrets> result;
  const auto count = [&](const SecretCells& secret, double low, double high, std::string because) {
    const auto people =
        engine_.integers(fmt::format("SELECT count(*) FROM hyo_kept WHERE {0} < {1} OR {0} > {2}",
                                     secret.number, exact_number(low), exact_number(high)))[0];
    if (people > 0) result.push_back({secret.name, people, std::move(because)});
  };
  for (const SecretCells& secret : reader_->kept.secret().cells()) {
    if (secret.number.empty()) continue;
    if (is_called_age(secret.name)) {
      count(secret, 0, kOldestAge, fmt::format("an age below 0 or above {}", kOldestAge));
      continue;
    }
    const auto quartiles = engine_.doubles(fmt::format(
        "SELECT quantile_cont({0}, 0.25), quantile_cont({0}, 0.75) FROM hyo_kept", secret.number));
    const double far = kFarOutside * (quartiles[1] - quartiles[0]);
    if (far > 0)
      count(secret, quartiles[0] - far, quartiles[1] + far,
            fmt::format("beyond the quartiles by more than {} times their distance", kFarOutside));
  }
  return result;
}

Spec ColumnTable::without_refused() const {
  Spec spec = spec_;
  for (const ColumnFacts& column : columns_) {
    if (!column.refused()) continue;
    for (auto* list : {&spec.people.features, &spec.people.keep, &spec.people.categorical, &spec.people.sets})
      std::erase(*list, column.name);
    if (column.role == ColumnRole::Time) spec.events.time.clear();
  }
  return spec;
}

void ColumnTable::refuse_identifying() const {
  data::refuse_identifying(reader_->reading.people_source, columns_);
}

}  // namespace hyobscure::data
