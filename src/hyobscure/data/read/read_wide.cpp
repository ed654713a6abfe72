#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {
namespace {

double mean_of_column(Engine& engine, const std::string& number) {
  CompensatedSum sum;
  std::size_t count = 0;
  engine.query(fmt::format("SELECT {} FROM hyo_kept ORDER BY u", number), [&](const Chunk& chunk) {
    const auto cells = chunk.doubles(0);
    for (std::size_t row = 0; row < chunk.rows(); ++row)
      if (!chunk.is_null(0, row)) {
        sum.add(cells[row]);
        count += 1;
      }
  });
  return count == 0 ? 0.0 : sum.value() / static_cast<double>(count);
}

/// The item that is an element of a set.
std::string element_of(const std::string& column, const std::string& word) { return column + " has " + word; }

class WideFeatures {
 public:
  WideFeatures(Engine& engine, const Spec& spec, const Relation& people,
               const std::vector<FeatureKind>& kinds, FoundProblems& problems)
      : engine_(engine), spec_(spec), people_(people), kinds_(kinds), problems_(problems) {}

  void check_cells() const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const std::string cell = fmt::format("c{}", i);
      if (kinds_[i] == FeatureKind::Numeric) {
        const std::string number = as_number(cell, stored_type(people_, spec_.people.features[i]));
        look_for(i, fmt::format("{} IS NOT NULL AND {} IS NULL", cell, number), "expected a number",
                 "Correct the cell, or list the column in people.categorical.");
        look_for(i, fmt::format("NOT isfinite({})", number), "expected a finite number, not NaN or infinity",
                 "Correct the cell.");
        if (spec_.channel.distance == Distance::JensenShannon && spec_.people.scale == FeatureScale::None)
          look_for(i, number + " < 0",
                   "the value is negative, and Jensen-Shannon needs values of at least zero",
                   "Correct it, or choose another distance (channel.distance).");
      }
      if (kinds_[i] != FeatureKind::Set && spec_.people.missing == MissingFeature::Refuse)
        look_for(i, cell + " IS NULL", "the cell is empty",
                 "Fill it in, or choose what empty cells mean with people.missing.");
    }
  }

  /// Columns of numbers that a few words ("n/a") have made columns of categories.
  void check_categories() const {
    constexpr double kFew = 0.1;
    const auto& wanted = spec_.people.categorical;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i] != FeatureKind::Categorical ||
          std::ranges::find(wanted, spec_.people.features[i]) != wanted.end())
        continue;
      const std::string cell = fmt::format("CAST(c{} AS VARCHAR)", i);
      const std::string word = fmt::format("{0} IS NOT NULL AND TRY_CAST({0} AS DOUBLE) IS NULL", cell);
      const auto share = engine_.doubles(
          fmt::format("SELECT count_if({}) / nullif(count(c{}), 0) FROM hyo_kept", word, i))[0];
      if (share > 0 && share < kFew)
        look_for(i, word, "expected a number, as nearly all cells of the column are",
                 "Correct the cell, or name such words in people.nulls (people.missing says what an empty "
                 "cell means). If its "
                 "numbers are names, list the column in people.categorical.");
    }
  }

  /// Empty cells that people.missing gives a meaning; an empty set is one.
  std::int64_t count_filled() const {
    std::string sum = "0";
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i] != FeatureKind::Set) sum += fmt::format(" + count_if(c{} IS NULL)", i);
    return engine_.integers(fmt::format("SELECT CAST({} AS BIGINT) FROM hyo_kept", sum))[0];
  }

  /// A SELECT of entries (u, item, value) of one column.
  struct Select {
    std::size_t column;
    std::string sql;
  };

  /// All entries, a SELECT for each column and kind of cell.
  std::vector<Select> selects() const {
    std::vector<Select> all;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      std::vector<std::string> result;
      switch (kinds_[i]) {
        case FeatureKind::Numeric:
          add_numeric(i, result);
          break;
        case FeatureKind::Categorical:
          add_categorical(i, result);
          break;
        case FeatureKind::Set:
          add_set(i, result);
          break;
      }
      for (std::string& sql : result) all.push_back({i, std::move(sql)});
    }
    return all;
  }

 private:
  void look_for(std::size_t i, const std::string& condition, const std::string& problem,
                const std::string& remedy) const {
    const auto bad = engine_.integers(fmt::format("SELECT count(*) FROM hyo_kept WHERE {}", condition))[0];
    if (bad == 0) return;
    const std::string id = as_text(people_.column(spec_.people.id));
    const std::string projection =
        fmt::format("{} AS id, {} AS c{}", id, people_.column(spec_.people.features[i]), i);
    const auto row = first_row(engine_, people_, projection,
                               fmt::format("{} AND id IN (SELECT id FROM hyo_kept)", condition));
    problems_.add({{people_.name, row, spec_.people.features[i]},
                   fmt::format("{} ({} in all)", problem, plural(bad, "cell", "cells")),
                   remedy});
  }

  void add_numeric(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    const std::string number = as_number(fmt::format("c{}", i), stored_type(people_, name));
    const auto range = engine_.doubles(fmt::format("SELECT min({0}), max({0}) FROM hyo_kept", number));
    const bool scaled = spec_.people.scale == FeatureScale::Range;
    const double low = scaled ? range[0] : 0.0;
    const double width = scaled ? range[1] - range[0] : 1.0;
    if (std::isnan(low) || std::isnan(width) || width == 0) return;  // nothing to tell people apart by
    const auto scale = [&](const std::string& x) {
      return fmt::format("({} - {}) / {}", x, exact_number(low), exact_number(width));
    };
    const std::string item = quoted_text(name);
    result.push_back(fmt::format("SELECT u, {} AS item, {} AS value FROM hyo_kept WHERE c{} IS NOT NULL",
                                 item, scale(number), i));
    if (spec_.people.missing == MissingFeature::Mean)
      result.push_back(fmt::format("SELECT u, {} AS item, {} AS value FROM hyo_kept WHERE c{} IS NULL", item,
                                   scale(exact_number(mean_of_column(engine_, number))), i));
    if (spec_.people.missing == MissingFeature::Category)
      result.push_back(fmt::format("SELECT u, {} AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NULL",
                                   quoted_text(name + " is missing"), i));
  }

  void add_categorical(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    result.push_back(fmt::format(
        "SELECT u, {} || CAST(c{} AS VARCHAR) AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NOT NULL",
        quoted_text(name + " = "), i, i));
    if (spec_.people.missing == MissingFeature::Category)
      result.push_back(fmt::format("SELECT u, {} AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NULL",
                                   quoted_text(name + " is missing"), i));
  }

  void add_set(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    const bool list = stored_type(people_, name).ends_with("[]");
    const std::string words = list ? fmt::format("CAST(c{} AS VARCHAR[])", i)
                                   : fmt::format("string_split(CAST(c{} AS VARCHAR), {})", i,
                                                 quoted_text(spec_.people.set_separator));
    result.push_back(
        fmt::format("SELECT DISTINCT u, {} || word AS item, 1.0 AS value FROM (SELECT u, unnest({}) AS word "
                    "FROM hyo_kept) WHERE word <> ''",
                    quoted_text(element_of(name, "")), words));
  }

  Engine& engine_;
  const Spec& spec_;
  const Relation& people_;
  const std::vector<FeatureKind>& kinds_;
  FoundProblems& problems_;
};

/// Which column each item of the rows comes from.
class ItemColumns {
 public:
  void add(std::string_view item, std::size_t column) {
    if (last_ == item) return;
    last_ = item;
    column_of_item_.try_emplace(last_, static_cast<std::uint32_t>(column));
  }

  FeatureColumns finish(const std::vector<std::string>& items, const Spec& spec,
                        const std::vector<FeatureKind>& kinds) const {
    FeatureColumns found;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      found.columns.push_back({spec.people.features[i], kinds[i]});
    for (const std::string& item : items) {
      const std::uint32_t column = column_of_item_.at(item);
      found.of_item.push_back(column);
      found.words.push_back(kinds[column] == FeatureKind::Set
                                ? item.substr(element_of(spec.people.features[column], "").size())
                                : "");
    }
    return found;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> column_of_item_;
  std::string last_;
};

}  // namespace

void find_words_among_numbers(Engine& engine, const Spec& spec, const Relation& people,
                              const std::vector<FeatureKind>& kinds, FoundProblems& problems) {
  WideFeatures(engine, spec, people, kinds, problems).check_categories();
}

SparseRows read_wide_features(Engine& engine, const Spec& spec, const Relation& people,
                              const std::vector<FeatureKind>& kinds, Reading& reading,
                              FoundProblems& problems) {
  const WideFeatures features(engine, spec, people, kinds, problems);
  features.check_cells();
  problems.refuse();
  reading.counts.cells_filled = features.count_filled();
  RowCollector rows(reading.people.size(), engine.memory_for_rows());
  ItemColumns columns;
  for (const auto& [column, sql] : features.selects())
    engine.query(fmt::format("SELECT u, item, CAST(value AS DOUBLE) FROM ({})", sql),
                 [&, column = column](const Chunk& chunk) {
                   const auto person = chunk.integers(0);
                   const auto value = chunk.doubles(2);
                   for (std::size_t r = 0; r < chunk.rows(); ++r)
                     if (!chunk.is_null(2, r)) {
                       rows.add(static_cast<std::uint32_t>(person[r]), chunk.text(1, r), value[r]);
                       columns.add(chunk.text(1, r), column);
                     }
                 });
  SparseRows features_of_people = rows.finish(merge_of(spec));
  reading.people.columns = columns.finish(rows.item_names(), spec, kinds);
  return features_of_people;
}

}  // namespace hyobscure::data
