#include "hyobscure/release/composed_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hyobscure::release {
namespace {

constexpr std::size_t kJoinedAtOnce = 16;
constexpr const char* kUnitSeparator = "\x1f";

bool is_list(const Published& column) { return column.stored_type.ends_with("[]"); }

/// A set that was written as one text, as the source has it.
std::string set_cell(const std::string& text, const Published& column) {
  return is_list(column) ? fmt::format("CAST(string_split({}, {}) AS {})", text,
                                       data::quoted_text(kUnitSeparator), column.stored_type)
                         : text;
}

}  // namespace

ComposedTables::~ComposedTables() {
  for (const std::string& name : created_) try {
      engine_.run("DROP TABLE IF EXISTS " + name);
    } catch (...) {  // it lives in the memory of this process only
    }
}

void ComposedTables::create(const std::string& name, const std::string& query) {
  created_.push_back(name);
  engine_.run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS {}", name, query));
}

/// What a row has of a set whose elements travel alone; "" for nothing.
std::string ComposedTables::elements_of(std::uint32_t donor, std::size_t column,
                                        const std::string& separator) const {
  const data::FeatureColumns& columns = rows_.people.columns;
  std::string text;
  for (const std::uint32_t item : rows_.composed.rows[donor].items)
    if (columns.of_item[item] == column && item != columns.nothing)
      text.append(text.empty() ? "" : separator).append(columns.words[item]);
  return text;
}

/// hyo_givers (place, w0, w1, ..., t0, t1, ...): who gives each fixed unit, and the sets.
void ComposedTables::make_givers(const std::vector<std::size_t>& sets, const std::string& separator) {
  std::vector<data::Column> columns = {{"place", "BIGINT"}};
  for (std::uint32_t unit = 0; unit < rows_.units.fixed(); ++unit)
    columns.push_back({fmt::format("w{}", unit), "BIGINT"});
  for (std::size_t n = 0; n < sets.size(); ++n) columns.push_back({fmt::format("t{}", n), "VARCHAR"});
  const std::string made =
      engine_.made_rows(columns, [&, next = std::size_t{0}](data::ChunkMaker& chunk) mutable {
        const std::size_t rows = std::min(chunk.most_rows(), rows_.people.size() - next);
        for (std::size_t row = 0; row < rows; ++row, ++next) {
          const std::uint32_t donor = donor_at(next);
          chunk.integers(0)[row] = static_cast<std::int64_t>(next);
          for (std::uint32_t unit = 0; unit < rows_.units.fixed(); ++unit) {
            const std::uint32_t giver = rows_.composed.contributor(donor, unit);
            chunk.integers(1 + unit)[row] = giver == obscure::kNobody ? -1 : std::int64_t{giver};
          }
          for (std::size_t n = 0; n < sets.size(); ++n)
            chunk.set_text(1 + rows_.units.fixed() + n, row, elements_of(donor, sets[n], separator));
        }
        return rows;
      });
  create("hyo_givers", "SELECT * FROM " + made);
}

ComposedTables::Cells ComposedTables::cells(const data::Spec& spec, const Layout& layout) {
  std::vector<std::size_t> sets;
  std::vector<std::vector<std::size_t>> columns_of_unit(rows_.units.fixed());
  for (std::size_t c = 0; c < layout.features.size(); ++c)
    if (const auto unit = rows_.units.of_column(c))
      columns_of_unit[*unit].push_back(c);
    else
      sets.push_back(c);
  const bool lists = std::ranges::any_of(sets, [&](std::size_t c) { return is_list(layout.features[c]); });
  make_givers(sets, lists ? kUnitSeparator : spec.people.set_separator);

  std::vector<std::string> cells = {
      fmt::format("{}(CAST({} AS VARCHAR)) AS n", rows_.person_of, layout.id.cell)};
  for (std::size_t c = 0; c < layout.features.size(); ++c)
    if (rows_.units.of_column(c)) cells.push_back(fmt::format("{} AS f{}", layout.features[c].cell, c));
  create("hyo_givers_cells", fmt::format("SELECT * FROM (SELECT {} FROM {} AS s) WHERE n IS NOT NULL",
                                         fmt::join(cells, ", "), layout.people.sql));

  Cells result{.joins = {},
               .of_feature = std::vector<std::string>(layout.features.size()),
               .people = engine_.integers("SELECT count(*) FROM hyo_givers_cells")[0]};
  for (std::size_t first = 0; first < columns_of_unit.size(); first += kJoinedAtOnce) {
    const std::string table = fmt::format("hyo_composed_{}", first / kJoinedAtOnce);
    std::string chosen = "g.place", joins = "hyo_givers AS g";
    for (std::size_t unit = first; unit < std::min(columns_of_unit.size(), first + kJoinedAtOnce); ++unit) {
      joins += fmt::format(" LEFT JOIN hyo_givers_cells AS u{0} ON u{0}.n = g.w{0}", unit);
      for (const std::size_t c : columns_of_unit[unit]) {
        chosen += fmt::format(", u{}.f{}", unit, c);
        result.of_feature[c] = fmt::format("{}.f{}", table, c);
      }
    }
    create(table, fmt::format("SELECT {} FROM {}", chosen, joins));
    result.joins += fmt::format(" JOIN {0} ON {0}.place = d.place", table);
  }
  if (!sets.empty()) result.joins += " JOIN hyo_givers AS g ON g.place = d.place";
  for (std::size_t n = 0; n < sets.size(); ++n) {
    std::string text = fmt::format("nullif(g.t{}, '')", n);
    if (lists && !is_list(layout.features[sets[n]]))
      text = fmt::format("replace({}, {}, {})", text, data::quoted_text(kUnitSeparator),
                         data::quoted_text(spec.people.set_separator));
    result.of_feature[sets[n]] = set_cell(text, layout.features[sets[n]]);
  }
  return result;
}

std::string ComposedTables::entries(const std::vector<std::string>& items) {
  const data::SparseRows& rows = rows_.composed.rows;
  std::size_t place = 0, entry = 0;
  const std::string made =
      engine_.made_rows({{"place", "BIGINT"}, {"giver", "BIGINT"}, {"item", "VARCHAR"}},
                        [&, place, entry](data::ChunkMaker& chunk) mutable {
                          std::size_t row = 0;
                          while (row < chunk.most_rows() && place < rows_.people.size()) {
                            const std::size_t at = rows.starts[donor_at(place)] + entry;
                            if (at == rows.starts[donor_at(place) + 1]) {
                              place += 1;
                              entry = 0;
                              continue;
                            }
                            chunk.integers(0)[row] = static_cast<std::int64_t>(place);
                            chunk.integers(1)[row] = rows_.composed.contributors[at];
                            chunk.set_text(2, row++, items[rows.items[at]]);
                            entry += 1;
                          }
                          return row;
                        });
  create("hyo_entries", "SELECT * FROM " + made);
  return "hyo_entries";
}

}  // namespace hyobscure::release
