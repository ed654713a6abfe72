#include "hyobscure/data/guess/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/guess/ordered_names.h"
#include "hyobscure/data/guess/seen_source.h"
#include "hyobscure/data/read/column_names.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/spec/nearest_word.h"

namespace hyobscure::data {
namespace {

constexpr const char* kRowNumber = "row";  ///< the id of tables without one
constexpr double kMostlyPeople = 0.5;      ///< of the people of events who must be in the table of people

constexpr double kSharedItem =
    2;  ///< people per item, at least: the time of an event is nearly nobody else's
constexpr std::int64_t kMostRatings = 100;  ///< different numbers that a column of ratings may hold

std::string listed(const SeenSource& seen) {
  std::vector<std::string> names;
  for (const SeenColumn& column : seen.columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What a column holds, without a cell of it.
std::string content(const SeenColumn& column) {
  const char* kind = column.is_whole_number() ? "whole numbers"
                     : column.is_number()     ? "numbers"
                     : column.is_date()       ? "dates"
                                              : "words";
  return fmt::format("{}, {} different", kind, column.distinct);
}

/// How likely people keep a column to themselves, the smaller the likelier: by its name, else as many
/// different numbers as there are ages.
int likeliness(const SeenColumn& column) {
  constexpr int kLikeAges = 100, kLast = 101;
  if (const int rank = privacy_rank(column.name); rank > 0) return rank;
  return column.is_whole_number() && column.distinct >= 10 && column.distinct <= 150 ? kLikeAges : kLast;
}

/// A cell of the relation as text, whatever the number type: 7 and 7.0 are one id.
std::int64_t shared_ids(Engine& engine, const SeenSource& people, const std::string& id,
                        const SeenSource& events, const std::string& person) {
  return engine.integers(
      fmt::format("SELECT count(*) FROM (SELECT DISTINCT {} AS id FROM {}) WHERE id IN (SELECT {} FROM {})",
                  events.text_of(person), events.relation.sql, people.text_of(id), people.relation.sql))[0];
}

class Guesser {
 public:
  Guesser(Engine& engine, const GuessRequest& request, const ChooseSecret& choose)
      : engine_(engine), request_(request), choose_(choose) {}

  Guess guess() {
    people_ = look_at(request_.people, "people");
    if (!request_.events.empty()) events_ = look_at(request_.events, "events");
    guess_.spec.folder = request_.folder;
    guess_.spec.people.source = people_.source;
    find_ids();
    find_secret();
    write_query();
    if (events_)
      find_events();
    else
      find_features();
    add_reasons("people", people_);
    if (events_) add_reasons("events", *events_);
    return std::move(guess_);
  }

 private:
  SeenSource look_at(const std::string& name, const std::string& section) {
    return request_.in_memory ? look_at_table(engine_, name, section)
                              : look_at_source(engine_, request_.folder, name, section);
  }

  // --- who is who

  std::vector<std::string> unique_columns() const {
    std::vector<std::string> names;
    for (const SeenColumn& column : people_.columns)
      if (column.given == people_.rows &&
          (column.is_whole_number() || column.is_text() || column.type == "UUID") && is_unique(column))
        names.push_back(column.name);
    return names;
  }

  bool is_unique(const SeenColumn& column) const {
    if (column.distinct < people_.rows * 9 / 10) return false;  // distinct may be an estimate
    const std::string cell = people_.relation.column(column.name);
    return engine_.integers(fmt::format("SELECT count(DISTINCT {}) FROM {}", cell,
                                        people_.relation.sql))[0] == people_.rows;
  }

  void find_ids() {
    const std::vector<std::string> unique = unique_columns();
    if (events_) return find_ids_of_both(unique);
    const auto named = std::ranges::find_if(
        unique, [](const std::string& name) { return is_called_id(name) || is_called_person(name); });
    if (named != unique.end()) {
      guess_.spec.people.id = *named;
      guess_.reasons["people.id"] = "no two rows have the same";
      return;
    }
    std::string id = kRowNumber;
    while (has_column(people_, id)) id += "_number";
    guess_.spec.people.id = id;
    guess_.reasons["people.id"] = "no column tells people apart, so rows are numbered";
    numbered_ = true;
  }

  /// The pair of columns that shares most ids; names decide between equals.
  void find_ids_of_both(const std::vector<std::string>& unique) {
    std::int64_t most = 0;
    for (const std::string& id : unique)
      for (const SeenColumn& person : events_->columns) {
        if (person.distinct < 2 || person.distinct > 2 * people_.rows) continue;
        const bool named = lower_case(person.name) == lower_case(id) || is_called_person(person.name);
        const std::int64_t shared =
            2 * shared_ids(engine_, people_, id, *events_, person.name) + (named ? 1 : 0);
        if (shared <= most) continue;
        most = shared;
        guess_.spec.people.id = id;
        guess_.spec.events.person = person.name;
      }
    const double wanted = kMostlyPeople * static_cast<double>(people_.rows);
    if (static_cast<double>(most) / 2 < std::min(wanted, 2.0))
      throw InputError(
          {.source = request_.events},
          fmt::format("no column names the people of {}; its columns are: {}", request_.people,
                      listed(*events_)),
          "Give two files that share the ids of people, or write a spec by hand (docs/settings.md).");
    guess_.reasons["people.id"] = "no two rows have the same";
    guess_.reasons["events.person"] =
        fmt::format("shares {} of its values with {}", most / 2, guess_.spec.people.id);
  }

  // --- the secret

  static bool has_column(const SeenSource& seen, const std::string& name) {
    return std::ranges::any_of(
        seen.columns, [&](const SeenColumn& column) { return lower_case(column.name) == lower_case(name); });
  }

  bool can_be_secret(const SeenColumn& column) const {
    return column.distinct >= 2 && column.separator.empty() && column.name != guess_.spec.people.id;
  }

  /// The likeliest first, then as they stand in the file.
  std::vector<SecretCandidate> candidates() const {
    std::vector<const SeenColumn*> able;
    for (const SeenColumn& column : people_.columns)
      if (can_be_secret(column)) able.push_back(&column);
    std::ranges::stable_sort(able, {}, [](const SeenColumn* column) { return likeliness(*column); });
    std::vector<SecretCandidate> found;
    for (const SeenColumn* column : able) found.push_back({column->name, content(*column)});
    return found;
  }

  void find_secret() {
    const std::vector<SecretCandidate> able = candidates();
    if (!request_.secret.empty()) {
      secret_ = people_.relation.column(request_.secret).empty() ? "" : people_.column(request_.secret).name;
      guess_.reasons["people.secret"] = "as you said";
    } else if (choose_ && !able.empty()) {
      secret_ = people_.column(choose_(able)).name;
      guess_.reasons["people.secret"] = "as you said";
    } else {
      guess_secret(able);
    }
    for (const SecretCandidate& column : able)
      if (column.name != secret_) guess_.secrets.push_back(column.name);
    if (secret_ == guess_.spec.people.id)
      throw InputError({.source = request_.people, .column = secret_},
                       "tells people apart: it cannot be the secret", "Name another column.");
    describe_secret();
  }

  void guess_secret(const std::vector<SecretCandidate>& able) {
    if (able.empty())
      throw InputError({.source = request_.people},
                       fmt::format("no column can be the secret: each has one value only, or tells people "
                                   "apart; its columns are: {}",
                                   listed(people_)),
                       "Give a table with the column that nobody may infer.");
    if (privacy_rank(able[0].name) == 0) {
      std::vector<std::string> shown;
      for (const SecretCandidate& column : able)
        shown.push_back(fmt::format("{} ({})", column.name, column.holds));
      throw InputError({.source = request_.people},
                       fmt::format("no column is called like a secret (age, income, ...); it could be: {}",
                                   fmt::join(shown, ", ")),
                       "Say which column nobody may infer: --secret COLUMN.");
    }
    secret_ = able[0].name;
    guess_.reasons["people.secret"] = "by its name; --secret COLUMN takes another";
  }

  void describe_secret() {
    const SeenColumn& column = people_.column(secret_);
    std::string name = secret_;
    if (column.is_date()) {
      name = secret_ + "_year";
      year_of_ = secret_;
      guess_.reasons["people.secret"] = fmt::format("the year of {}", secret_);
    } else if (!column.is_number()) {
      guess_.spec.secret.kind.all = {AxisKind::Categorical};
      guess_.reasons["secret.kind"] = "its cells are names";
      find_order(column);
    }
    guess_.spec.people.secret.all = {name};
    if (column.given < people_.rows) {
      guess_.spec.secret.missing = Unfit::LeaveOut;
      guess_.reasons["secret.missing"] =
          fmt::format("{} of {} people have none", people_.rows - column.given, people_.rows);
    }
  }

  /// Of names that are ranges of numbers.
  void find_order(const SeenColumn& column) {
    constexpr std::int64_t kMostNames = 50;
    if (column.distinct > kMostNames) return;
    const std::string cell = people_.text_of(column.name);
    auto order = ordered_by_numbers(engine_.texts(fmt::format(
        "SELECT DISTINCT {0} AS name FROM {1} WHERE {0} <> '' ORDER BY name", cell, people_.relation.sql)));
    if (!order) return;
    guess_.spec.secret.order = *std::move(order);
    guess_.reasons["secret.order"] = "the names are ranges, in the order of their numbers";
  }

  // --- rows that are numbered, dates that become years

  std::string reader() const {
    if (request_.in_memory) return quoted_name(request_.people);
    const std::string file = quoted_text(people_.source.file);
    if (people_.relation.kind == SourceKind::Parquet) return fmt::format("read_parquet({})", file);
    if (people_.relation.kind == SourceKind::Json)
      return fmt::format("read_json({}, format = 'newline_delimited')", file);
    return fmt::format("read_csv({}, header = {}, sample_size = -1{})", file, people_.source.header,
                       csv_options(people_.source, false));
  }

  void write_query() {
    if (!numbered_ && year_of_.empty()) return;
    const char* number = request_.in_memory ? kRowInMemory : "row_number() OVER ()";
    std::string columns = numbered_ ? fmt::format("{} AS {}, *", number, guess_.spec.people.id) : "*";
    if (!year_of_.empty()) {
      const std::string date = quoted_name(people_.column(year_of_).name);
      columns += fmt::format(" EXCLUDE ({0}), year({0}) AS {1}", date, quoted_name(year_of_ + "_year"));
    }
    guess_.spec.people.source = SourceSpec();
    guess_.spec.people.source.query = fmt::format("SELECT {} FROM {}", columns, reader());
    people_.reasons.clear();
    guess_.reasons["people.query"] = numbered_ && !year_of_.empty()
                                         ? "numbers the rows, and takes the year of a date"
                                     : numbered_ ? "numbers the rows"
                                                 : "takes the year of a date";
  }

  // --- what is published

  void leave_out(const std::string& column, const std::string& because) {
    guess_.left_out.push_back({column, because});
  }

  void find_features() {
    std::vector<std::string>& features = guess_.spec.people.features;
    for (const SeenColumn& column : people_.columns) {
      if (column.name == guess_.spec.people.id || column.name == secret_) continue;
      if (column.distinct < 2) {
        leave_out(column.name, "all rows have the same");
      } else if (column.is_date()) {
        leave_out(column.name, "dates identify; take a year or an age in a query");
      } else if (!column.is_number() && !column.is_text()) {
        leave_out(column.name, fmt::format("columns of type {} are not published", column.type));
      } else {
        features.push_back(column.name);
        describe_feature(column);
      }
    }
    choose_distance();
    leave_out_what_identifies();
    if (features.empty())
      throw InputError({.source = request_.people},
                       fmt::format("no column is left to publish; its columns are: {}", listed(people_)),
                       "Give the table of events too, or write a spec by hand (docs/settings.md).");
  }

  void describe_feature(const SeenColumn& column) {
    PeopleSpec& people = guess_.spec.people;
    if (!column.separator.empty()) {
      people.sets.push_back(column.name);
      people.set_separator = column.separator;
      guess_.reasons["people.sets"] = "cells hold several words";
    } else if (column.given < people_.rows) {
      people.missing = MissingFeature::Category;
      guess_.reasons["people.missing"] = "some cells are empty: that is a category of its own";
    }
    if (column.no_number > 0)
      guess_.reasons["people.features"] +=
          fmt::format("{}{} is text because of {} cell{} among its numbers",
                      guess_.reasons["people.features"].empty() ? "" : "; ", column.name, column.no_number,
                      column.no_number == 1 ? "" : "s");
  }

  void choose_distance() {
    ChannelSpec& channel = guess_.spec.channel;
    const bool words_only = guess_.spec.people.features == guess_.spec.people.sets;
    channel.distance = words_only ? Distance::Jaccard : Distance::SquaredEuclidean;
    guess_.reasons["channel.distance"] =
        words_only ? "features are sets of words" : "features are numbers and categories";
  }

  /// By the rules of reading.
  void leave_out_what_identifies() {
    const ColumnTable table(engine_, guess_.spec);
    for (const ColumnFacts& column : table.columns())
      if (column.refused()) leave_out(column.name, column.identifies);
    guess_.spec = table.without_refused();
  }

  void find_events() {
    EventsSpec& events = guess_.spec.events;
    events.source = events_->source;
    find_item();
    find_value();
    for (const SeenColumn& column : people_.columns)
      if (column.name != guess_.spec.people.id && column.name != secret_)
        leave_out(column.name, "nothing of people but the group is published; keep = [...] publishes more");
    for (const SeenColumn& column : events_->columns)
      if (column.name != events.person && column.name != events.item && column.name != events.value)
        leave_out(column.name, column.is_date() || is_called_time(column.name)
                                   ? "times of events; time = \"...\" publishes them with the donor's events"
                                   : "a column of events that has no role");
    guess_.spec.channel.distance = Distance::JensenShannon;
    guess_.reasons["channel.distance"] = "features are counts or ratings";
    find_unfit_events();
  }

  std::vector<const SeenColumn*> other_columns_of_events() const {
    std::vector<const SeenColumn*> columns;
    for (const SeenColumn& column : events_->columns)
      if (column.name != guess_.spec.events.person && column.name != guess_.spec.events.item &&
          column.distinct >= 2 && !column.is_date())
        columns.push_back(&column);
    return columns;
  }

  /// How many people a cell of the column has on average.
  double people_per_cell(const SeenColumn& column) const {
    const std::string person = events_->relation.column(guess_.spec.events.person),
                      cell = events_->relation.column(column.name);
    const std::vector<std::int64_t> counts = engine_.integers(
        fmt::format("SELECT count(*) FROM (SELECT DISTINCT {0}, {1} FROM {2} WHERE {1} IS NOT NULL)", person,
                    cell, events_->relation.sql));
    return static_cast<double>(counts[0]) / static_cast<double>(std::max<std::int64_t>(column.distinct, 1));
  }

  /// An item is what several people have; of such columns the one with most different cells.
  void find_item() {
    const SeenColumn* best = nullptr;
    std::array<std::int64_t, 3> best_rank = {};
    for (const SeenColumn* column : other_columns_of_events()) {
      if (column->type == "DOUBLE" || is_called_time(column->name)) continue;
      const std::array<std::int64_t, 3> rank = {is_called_item(column->name) ? 1 : 0,
                                                people_per_cell(*column) >= kSharedItem ? 1 : 0,
                                                column->distinct};
      if (best != nullptr && rank <= best_rank) continue;
      best = column;
      best_rank = rank;
    }
    if (best == nullptr)
      throw InputError(
          {.source = request_.events},
          fmt::format("no column names what an event is about; its columns are: {}", listed(*events_)),
          "Write a spec by hand (docs/settings.md).");
    guess_.spec.events.item = best->name;
    guess_.reasons["events.item"] = best_rank[0] == 1   ? "by its name"
                                    : best_rank[1] == 1 ? "has most different cells that several people have"
                                                        : "has most different cells";
  }

  void set_value(const SeenColumn& column, const std::string& reason) {
    guess_.spec.events.value = column.name;
    guess_.reasons["events.value"] = reason;
  }

  /// By its name; where columns have none, the first with few different numbers.
  void find_value() {
    for (const SeenColumn* column : other_columns_of_events())
      if (column->is_number() && is_called_amount(column->name)) return set_value(*column, "by its name");
    if (events_->source.header) return;
    for (const SeenColumn* column : other_columns_of_events())
      if (column->is_number() && column->distinct <= kMostRatings)
        return set_value(*column, fmt::format("holds {} different numbers, as ratings do", column->distinct));
  }

  std::int64_t count_events(const std::string& condition) const {
    return engine_.integers(
        fmt::format("SELECT count(*) FROM {} WHERE {}", events_->relation.sql, condition))[0];
  }

  /// Events that reading would refuse are left out, counted, and said.
  void find_unfit_events() {
    EventsSpec& events = guess_.spec.events;
    const auto is_empty = [&](const std::string& name) {
      return events_->relation.column(name) + " IS NULL";
    };
    std::string incomplete = fmt::format("{} OR {}", is_empty(events.person), is_empty(events.item));
    if (!events.value.empty()) incomplete += " OR " + is_empty(events.value);
    if (const auto count = count_events(incomplete); count > 0) {
      events.missing = Unfit::LeaveOut;
      guess_.reasons["events.missing"] = fmt::format("{} have an empty cell", count);
    }
    const std::string person = events_->text_of(events.person), id = people_.text_of(guess_.spec.people.id);
    const std::string known = fmt::format("SELECT {} FROM {}", id, people_.relation.sql);
    if (const auto count = count_events(fmt::format("{0} NOT IN ({1})", person, known)); count > 0) {
      events.unknown_people = Unfit::LeaveOut;
      guess_.reasons["events.unknown_people"] = fmt::format("{} are of nobody in {}", count, request_.people);
    }
    const auto without = engine_.integers(
        fmt::format("SELECT count(*) FROM {} WHERE {} NOT IN (SELECT {} FROM {} WHERE {} IS NOT NULL)",
                    people_.relation.sql, id, person, events_->relation.sql, person))[0];
    if (without > 0) {
      guess_.spec.people.without_events = Unfit::LeaveOut;
      guess_.reasons["people.without_events"] = fmt::format("{} have none", without);
    }
    find_repeated_events();
  }

  void find_repeated_events() {
    EventsSpec& events = guess_.spec.events;
    if (events.value.empty()) return;
    const auto repeated = engine_.integers(fmt::format(
        "SELECT count(*) FROM (SELECT 1 FROM {} GROUP BY {}, {} HAVING count(*) > 1)", events_->relation.sql,
        events_->relation.column(events.person), events_->relation.column(events.item)))[0];
    if (repeated == 0) return;
    events.repeated = RepeatedEvent::Mean;
    guess_.reasons["events.repeated"] = fmt::format("{} times a person has several of one item", repeated);
  }

  void add_reasons(const std::string& section, const SeenSource& seen) {
    for (const auto& [key, reason] : seen.reasons) guess_.reasons[section + "." + key] = reason;
  }

  Engine& engine_;
  const GuessRequest& request_;
  const ChooseSecret& choose_;
  SeenSource people_;
  std::optional<SeenSource> events_;
  std::string secret_;   ///< as its column is called
  std::string year_of_;  ///< a date whose year is the secret
  bool numbered_ = false;
  Guess guess_;
};

}  // namespace

Guess guess_spec(Engine& engine, const GuessRequest& request, const ChooseSecret& choose) {
  return Guesser(engine, request, choose).guess();
}

}  // namespace hyobscure::data
