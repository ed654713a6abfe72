#include "hyobscure/verify/verify_canonical.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "hyobscure/verify/csv_form.h"
#include "hyobscure/verify/odds.h"
#include "hyobscure/verify/parquet_form.h"
#include "hyobscure/verify/row_order.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using data::Engine;
using published::Manifest;

// --- the order of rows

/// Which cells of a row say where it stands; none: the order is that of hashes, which files do not tell.
std::vector<std::string> cells_in_order(const Manifest& manifest, const ReleasedTable& table) {
  const bool shuffled = manifest.order == data::RowOrder::Shuffled;
  if (manifest.ids == data::PublishedIds::Drop || (manifest.ids == data::PublishedIds::Keep && shuffled))
    return {};
  if (!table.is_view) return {"id"};
  std::vector<std::string> cells = {"person"};
  if (!shuffled)
    for (const std::string& cell : table.cells()) cells.push_back(cell);
  return cells;
}

/// The engine gives chunks of a file in any order; each knows the rows it has.
RowOrder order_in_parquet(Engine& engine, const fs::path& part, const ReleasedTable& table,
                          const std::vector<std::string>& cells, RowOrder::Of of) {
  std::vector<std::string> columns;
  for (const std::string& cell : cells) {
    const auto at = std::ranges::find(table.roles, cell) - table.roles.begin();
    columns.push_back(as_text(data::quoted_name(table.names[static_cast<std::size_t>(at)])));
  }
  std::map<std::int64_t, RowOrder> pieces;  // by their first row
  std::mutex mutex;
  engine.query_on_all_threads(
      fmt::format("SELECT file_row_number, {} FROM read_parquet({}, file_row_number = true)",
                  fmt::join(columns, ", "), data::quoted_file(part)),
      [&](const data::Chunk& chunk) {
        RowOrder order(of);
        std::vector<std::string> row(cells.size());
        for (std::size_t r = 0; r < chunk.rows(); ++r) {
          for (std::size_t c = 0; c < cells.size(); ++c)
            row[c] = chunk.is_null(c + 1, r) ? std::string_view() : chunk.text(c + 1, r);
          order.add(row);
        }
        if (chunk.rows() == 0) return;
        const std::lock_guard lock(mutex);
        pieces.emplace(chunk.integers(0)[0], std::move(order));
      });
  RowOrder whole(of);
  for (const auto& [first, piece] : pieces) whole.join(piece);
  return whole;
}

struct TableForm {
  std::vector<std::string> wrong;
  bool in_order = true;
};

TableForm form_of_csv(const std::vector<fs::path>& parts, const ReleasedTable& table,
                      const std::vector<std::string>& cells, RowOrder::Of of, const Progress& progress) {
  std::vector<std::size_t> places;
  for (const std::string& cell : cells)
    places.push_back(static_cast<std::size_t>(std::ranges::find(table.roles, cell) - table.roles.begin()));
  TableForm form;
  RowOrder order(of);
  std::vector<std::string> row(places.size());
  for (const fs::path& part : parts) {
    const CsvForm found = csv_form(part, table.names, progress, [&](std::span<const std::string> all) {
      if (places.empty()) return;
      for (std::size_t c = 0; c < places.size(); ++c) row[c] = all[places[c]];
      order.add(row);
    });
    if (!found.canonical()) form.wrong.push_back(found.what_is_wrong());
  }
  form.in_order = order.holds();
  return form;
}

TableForm form_of_parquet(Engine& engine, const std::vector<fs::path>& parts, const ReleasedTable& table,
                          const std::vector<std::string>& cells, RowOrder::Of of, const Progress& progress) {
  TableForm form;
  RowOrder order(of);
  for (const fs::path& part : parts) {
    progress.throw_if_stopped();
    for (const std::string& wrong : what_else_is_in_parquet(part)) form.wrong.push_back(wrong);
    if (!cells.empty()) order.join(order_in_parquet(engine, part, table, cells, of));
  }
  form.in_order = order.holds();
  return form;
}

}  // namespace

void check_table_form(Engine& engine, const fs::path& folder, const Manifest& manifest,
                      const ReleasedTable& table, const Progress& progress, Findings& findings) {
  const std::vector<fs::path> parts = published::parts_of_table(folder / table.file);
  const std::vector<std::string> cells = cells_in_order(manifest, table);
  const RowOrder::Of of = table.is_view ? RowOrder::Of::Events : RowOrder::Of::People;
  progress.report(fmt::format("looking at every byte of {}", table.file), 0, 0);
  const TableForm form = manifest.format == "csv"
                             ? form_of_csv(parts, table, cells, of, progress)
                             : form_of_parquet(engine, parts, table, cells, of, progress);
  findings.add({rule("table-canonical"), table.file}, form.wrong,
               parts.size() == 1 ? "every byte" : fmt::format("every byte of {} files", parts.size()));
  if (!cells.empty())
    findings.add({rule("rows-in-order"), table.file}, form.in_order,
                 form.in_order ? (table.is_view ? "by person, then by what the event is" : "ascending ids")
                               : "rows stand in another order");
}

void check_new_ids(Engine& engine, const Manifest& manifest, Findings& findings) {
  if (manifest.ids != data::PublishedIds::Replace) return;
  const auto others = [&](int digits) {
    return count(
        engine,
        fmt::format("rel_people WHERE NOT coalesce(regexp_full_match(id, '[0-9a-f]{{{}}}'), false)", digits));
  };
  const std::int64_t others_than_16 = others(16);
  findings.add_count(rule("ids-new"), others_than_16 == 0 ? 0 : std::min(others_than_16, others(32)),
                     "ids have another form", "all ids");
}

void check_order_tells_nothing(Engine& engine, const Manifest& manifest, Findings& findings) {
  const bool by_hash = manifest.ids != data::PublishedIds::Keep || manifest.order == data::RowOrder::Shuffled;
  if (!by_hash) return;
  constexpr std::int64_t kBlocks = 8;
  std::unordered_map<std::string, std::size_t> group_of_label;
  for (std::size_t g = 0; g < manifest.groups.size(); ++g)
    group_of_label.emplace(manifest.groups[g].label, g);
  const std::int64_t all = count(engine, "rel_people");
  std::vector<std::array<std::int64_t, kBlocks>> found(manifest.groups.size());
  std::array<std::int64_t, kBlocks> rows{};
  std::int64_t row = 0;
  engine.query("SELECT label FROM rel_people", [&](const data::Chunk& chunk) {
    for (std::size_t r = 0; r < chunk.rows(); ++r, ++row) {
      const auto block = static_cast<std::size_t>(row * kBlocks / all);
      rows[block] += 1;
      if (chunk.is_null(0, r)) continue;
      const auto group = group_of_label.find(std::string(chunk.text(0, r)));
      if (group != group_of_label.end()) found[group->second][block] += 1;
    }
  });
  // Each group in each block, to both sides.
  const double tests = 2.0 * kBlocks * static_cast<double>(manifest.groups.size());
  std::vector<std::string> wrong;
  for (std::size_t g = 0; g < found.size(); ++g) {
    double people = 0, most = 0;
    for (const std::int64_t each : found[g]) people += static_cast<double>(each);
    for (std::size_t b = 0; b < kBlocks; ++b)
      most = std::max(most, surprise_in_block(static_cast<double>(all), people, static_cast<double>(rows[b]),
                                              static_cast<double>(found[g][b])));
    if (most > std::log(tests / kOdds))
      wrong.push_back(fmt::format("people of {} stand together", manifest.groups[g].label));
  }
  findings.add(rule("order-tells-nothing"), wrong,
               fmt::format("{} groups in {} blocks of rows", found.size(), kBlocks));
}

}  // namespace hyobscure::verify
