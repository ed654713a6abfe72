#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/release/parquet_file.h"
#include "hyobscure/release/publish_layout.h"
#include "hyobscure/release/published_ids.h"

namespace hyobscure::release {

/// A cell of a CSV file, with quotes where the engine would set them; an empty one is nothing
/// (publish_layout.h).
[[nodiscard]] std::string csv_cell(const std::string& text);

/// The events of a release, from the rows that a reading holds: one walk over the people in the order of the
/// release, each with the donor's entries. No source is read again, nothing is joined or sorted. The file is
/// the same whatever the number of threads, and holds the rows that the engine would write.
class EventFile {
 public:
  /// Absent where the rows do not tell all that is to be written (Reading::event_cells), or a column is of a
  /// type that we do not write ourselves: the engine does it then.
  static std::optional<EventFile> plan(data::Engine& engine, const data::Spec& spec,
                                       const data::Reading& reading, const Layout& layout);

  /// `rows` are those of donors: their true ones, or composed ones.
  published::ManifestFile write(const std::filesystem::path& file, const PublishedIds& ids,
                                const data::SparseRows& rows, std::span<const std::uint32_t> donor_of,
                                const Progress& progress) const;

 private:
  struct Block;
  class Walk;

  explicit EventFile(const data::Reading& reading) : reading_(reading) {}
  bool plan_items(data::Engine& engine, bool shuffled);
  bool plan_values(data::Engine& engine);
  bool find_value_cells(data::Engine& engine);
  std::string value_cell(double value) const;
  void order_items(data::Engine& engine, bool shuffled);
  std::string csv_of(const Block& block, const Walk& walk) const;
  ParquetRowGroup parquet_of(const Block& block, const Walk& walk) const;
  void add_people(const Block& block, const Walk& walk, ParquetRowGroup& group) const;
  void add_items(const Block& block, ParquetRowGroup& group) const;
  void add_values(const Block& block, ParquetRowGroup& group) const;

  const data::Reading& reading_;
  bool parquet_ = false;
  std::vector<ParquetColumn> columns_;  ///< person, item and, where there is one, value
  bool has_values_ = false;
  std::string value_type_;
  std::vector<std::int64_t> item_numbers_;      ///< items that are numbers
  std::vector<std::string> item_cells_;         ///< in a CSV file
  std::vector<std::uint32_t> item_order_;       ///< place of an item among all; empty: as they are numbered
  std::vector<std::string> small_value_cells_;  ///< in a CSV file, of 0, 1, 2, ...: nearly all values
  std::unordered_map<double, std::string> value_cells_;  ///< in a CSV file, those that are no plain_decimal
};

}  // namespace hyobscure::release
