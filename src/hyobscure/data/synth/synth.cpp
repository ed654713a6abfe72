#include "hyobscure/data/synth/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "hyobscure/base/files.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/synth/rows_ahead.h"
#include "hyobscure/data/synth/synth_limits.h"
#include "hyobscure/data/synth/synth_people.h"

namespace hyobscure::data {
namespace {

const char* extension(const SynthSettings& settings) { return settings.parquet ? "parquet" : "csv"; }

std::string secret_and_features(const SynthSettings& settings) {
  switch (settings.kind) {
    case SynthKind::Ratings:
      return fmt::format(
          "secret = \"age\"\n\n[events]\nfile   = \"events.{}\"\nperson = \"person\"\nitem   = "
          "\"item\"\nvalue  = "
          "\"rating\"\n",
          extension(settings));
    case SynthKind::CheckIns:
      return fmt::format(
          "secret = \"home\"\n\n[secret]\nkind      = \"spatial\"\nlatitude  = \"latitude\"\nlongitude = "
          "\"longitude\"\n\n[events]\nfile   = \"events.{}\"\nperson = \"person\"\nitem   = \"item\"\n",
          extension(settings));
    case SynthKind::Tabular:
      break;
  }
  return "secret = \"age\"\nfeatures = [\"hours\", \"income\", \"visits\", \"region\", \"likes\"]\nsets     "
         "= "
         "[\"likes\"]\n";
}

constexpr const char* kMark = "# Made-up people, by `hyobscure synth`.";

/// Areas of a city take in as many homes as they like; few people are few homes.
AgeLimits limits_of_homes(std::int64_t people) {
  const bool few = people < 30;
  return {.groups = few ? (people < 20 ? 1 : 2) : 4,
          .least_people = std::max<std::int64_t>(2, people / 10),
          .most_people = few ? people : (people + 1) / 2,
          .least_values = few ? 2 : 5,
          .most_values = 100};
}

std::string spec_text(const SynthSettings& settings, const AgeLimits& limits) {
  return fmt::format(
      R"({8}
[people]
file   = "people.{0}"
id     = "id"
{1}
[groups]
count  = {2}
people = [{3}, {4}]  # k, alpha
values = [{5}, {6}]  # l, beta

[channel]
clusters     = {9}
distance     = "{7}"
budget_share = 0.7  # or `budget`, an expected distance

[method]
name = "fine"
)",
      extension(settings), secret_and_features(settings), limits.groups, limits.least_people,
      limits.most_people, limits.least_values, limits.most_values,
      settings.kind == SynthKind::Tabular ? "squared-euclidean" : "jensen-shannon", kMark,
      std::min<std::int64_t>(10, settings.people));
}

/// The ids that the tables share, in the order of numbers. Rows of a person follow each other.
class PersonNames {
 public:
  explicit PersonNames(std::int64_t people) : width_(std::to_string(people).size()) {}

  const std::string& of(std::int64_t person) {
    if (person != person_) name_ = fmt::format("p{:0{}}", person, width_);
    person_ = person;
    return name_;
  }

 private:
  std::size_t width_;
  std::int64_t person_ = 0;
  std::string name_;
};

/// Everything that rows are made from. It outlives the engine, whose threads make the rows.
struct Making {
  explicit Making(const SynthSettings& given) : settings(given), maker(given) {}

  SynthSettings settings;
  PeopleMaker maker;
  std::atomic<std::int64_t> reached = 0;  ///< the person whose rows were last read
  std::map<std::int64_t, std::int64_t> people_of_age = {};

  void put(ChunkMaker& chunk, std::size_t at, const AgeRow& row) { put_age(chunk, at, row.age); }
  void put(ChunkMaker& chunk, std::size_t at, const RatingRow& row) const {
    chunk.set_text(1, at, maker.item_name(row.item));
    chunk.integers(2)[at] = row.stars;
  }
  void put(ChunkMaker& chunk, std::size_t at, const HomeRow& row) const {
    chunk.doubles(1)[at] = row.latitude;
    chunk.doubles(2)[at] = row.longitude;
  }
  void put(ChunkMaker& chunk, std::size_t at, const CheckInRow& row) const {
    chunk.set_text(1, at, row.category);
    chunk.doubles(2)[at] = row.latitude;
    chunk.doubles(3)[at] = row.longitude;
  }
  void put(ChunkMaker& chunk, std::size_t at, const TabularRow& row) {
    put_age(chunk, at, row.age);
    chunk.doubles(2)[at] = row.hours;
    chunk.doubles(3)[at] = row.income;
    chunk.integers(4)[at] = row.visits;
    chunk.set_text(5, at, row.region);
    chunk.set_text(6, at, row.likes);
  }

  void put_age(ChunkMaker& chunk, std::size_t at, std::int64_t age) {
    chunk.integers(1)[at] = age;
    ++people_of_age[age];  // rows of a table are read by one thread at a time
  }

  /// `entries`: about how many rows a person has.
  template <class Row>
  MakeChunk chunks(int entries) {
    const auto rows = std::make_shared<RowsAhead<Row>>(
        settings.people, entries, [this](std::int64_t first, std::int64_t last, std::vector<Row>& made) {
          maker.make(first, last, made);
        });
    return [this, rows, names = PersonNames(settings.people)](ChunkMaker& chunk) mutable {
      std::size_t at = 0;
      for (const Row* row; at < chunk.most_rows() && (row = rows->next()) != nullptr; ++at) {
        chunk.set_text(0, at, names.of(row->person));
        put(chunk, at, *row);
        reached = row->person;
      }
      return at;
    };
  }
};

class Writer {
 public:
  Writer(Making& making, const std::filesystem::path& folder, const Progress& progress)
      : making_(making), folder_(folder), engine_({}, counted(progress)) {}

  /// The first column is the person's id.
  template <class Row>
  void write(const std::string& table, std::vector<Column> columns, int entries) {
    engine_.set_stage("making " + table);
    const std::string rows = engine_.made_rows(std::move(columns), making_.chunks<Row>(entries));
    const auto file = folder_ / fmt::format("{}.{}", table, extension(making_.settings));
    engine_.run(fmt::format("COPY (FROM {}) TO {} ({})", rows, quoted_text(file.string()),
                            making_.settings.parquet ? "FORMAT parquet" : "FORMAT csv, HEADER true"));
  }

 private:
  /// The engine cannot know how many rows are still to come.
  Progress counted(const Progress& progress) const {
    return progress.with_reports([&progress, this](std::string_view stage, double, double) {
      progress.report(stage, static_cast<double>(making_.reached),
                      static_cast<double>(making_.settings.people));
    });
  }

  Making& making_;
  std::filesystem::path folder_;
  Engine engine_;
};

void write_tables(Writer& writer, const SynthSettings& settings) {
  switch (settings.kind) {
    case SynthKind::Ratings:
      writer.write<AgeRow>("people", {{"id", "VARCHAR"}, {"age", "BIGINT"}}, 1);
      writer.write<RatingRow>("events", {{"person", "VARCHAR"}, {"item", "VARCHAR"}, {"rating", "BIGINT"}},
                              settings.entries);
      break;
    case SynthKind::Tabular:
      writer.write<TabularRow>("people",
                               {{"id", "VARCHAR"},
                                {"age", "BIGINT"},
                                {"hours", "DOUBLE"},
                                {"income", "DOUBLE"},
                                {"visits", "BIGINT"},
                                {"region", "VARCHAR"},
                                {"likes", "VARCHAR"}},
                               1);
      break;
    case SynthKind::CheckIns:
      writer.write<HomeRow>("people", {{"id", "VARCHAR"}, {"latitude", "DOUBLE"}, {"longitude", "DOUBLE"}},
                            1);
      writer.write<CheckInRow>(
          "events",
          {{"person", "VARCHAR"}, {"item", "VARCHAR"}, {"latitude", "DOUBLE"}, {"longitude", "DOUBLE"}},
          settings.entries);
      break;
  }
}

}  // namespace

OurFolder synthetic_folder() {
  return {.marker = "spec.toml",
          .says = kMark,
          .files = {"people.csv", "events.csv", "people.parquet", "events.parquet"}};
}

void synthesise(const SynthSettings& settings, const std::filesystem::path& folder, bool force,
                const Progress& progress) {
  StagedFolder staged(folder, force, synthetic_folder());
  Making making(settings);
  try {
    Writer writer(making, staged.path(), progress);
    write_tables(writer, settings);
  } catch (const EngineError& error) {
    throw explain(error, folder.string());
  }
  const AgeLimits limits = settings.kind == SynthKind::CheckIns ? limits_of_homes(settings.people)
                                                                : limits_that_fit(making.people_of_age);
  write_file(staged.path() / "spec.toml", spec_text(settings, limits), FileAccess::Everyone);
  staged.commit();
}

}  // namespace hyobscure::data
