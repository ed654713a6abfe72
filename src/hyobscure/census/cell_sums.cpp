#include "hyobscure/census/cell_sums.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/occupied.h"
#include "hyobscure/census/row_features.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// As bytes: entries, number of cells, numbers a cell, cells, sums.
struct Sums {
  std::uint64_t entries = 0;
  std::uint64_t width = 0;
  std::map<std::uint32_t, std::vector<std::int64_t>> of_cell = {};
};

template <class Number>
void write(std::string& bytes, std::span<const Number> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

std::string bytes_of(const Sums& sums) {
  std::string bytes;
  const std::uint64_t head[] = {sums.entries, sums.of_cell.size(), sums.width};
  write(bytes, std::span<const std::uint64_t>(head));
  for (const auto& [cell, numbers] : sums.of_cell) write(bytes, std::span<const std::uint32_t>(&cell, 1));
  for (const auto& [cell, numbers] : sums.of_cell) write(bytes, std::span<const std::int64_t>(numbers));
  return bytes;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  std::vector<Number> take(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(Number)) refuse();
    std::vector<Number> numbers(count);
    std::memcpy(numbers.data(), bytes_.data(), count * sizeof(Number));
    bytes_.remove_prefix(count * sizeof(Number));
    return numbers;
  }
  void end() const {
    if (!bytes_.empty()) refuse();
  }
  [[noreturn]] static void refuse() {
    throw InputError({.source = "census"}, "a part of the sums is damaged", "Take the census again.");
  }

 private:
  std::string_view bytes_;
};

void add_bytes(std::string_view bytes, Sums& sums) {
  Reader reader(bytes);
  const auto head = reader.take<std::uint64_t>(3);
  if (sums.width != 0 && sums.width != head[2]) Reader::refuse();
  sums.entries += head[0];
  sums.width = head[2];
  const auto cells = reader.take<std::uint32_t>(head[1]);
  for (const std::uint32_t cell : cells) {
    const auto added = reader.take<std::int64_t>(sums.width);
    std::vector<std::int64_t>& numbers = sums.of_cell[cell];
    numbers.resize(sums.width, 0);
    std::transform(numbers.begin(), numbers.end(), added.begin(), numbers.begin(), std::plus{});
  }
  reader.end();
}

ItemSums item_sums(const CellSums::Part& part, const Occupied& occupied, Index width) {
  Sums sums;
  add_bytes(part.bytes, sums);
  ItemSums item{.item = part.item, .entries = sums.entries, .cells = {}, .sums = {}};
  item.sums.resize(width, static_cast<Index>(sums.of_cell.size()));
  for (const auto& [cell, numbers] : sums.of_cell) {
    if (cell >= occupied.number.size() || static_cast<Index>(numbers.size()) != width) Reader::refuse();
    item.sums.col(static_cast<Index>(item.cells.size())) =
        Eigen::Map<const Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>>(numbers.data(), width);
    item.cells.push_back(occupied.number[cell]);
  }
  return item;
}

VectorXd squares_of(const CellSums::Part& part, const Occupied& occupied, const FixedPoint& fixed) {
  Sums sums;
  add_bytes(part.bytes, sums);
  VectorXd squares = VectorXd::Zero(static_cast<Index>(occupied.cells.size()));
  for (const auto& [cell, numbers] : sums.of_cell) {
    if (cell >= occupied.number.size() || numbers.size() != 1) Reader::refuse();
    squares(occupied.number[cell]) = static_cast<double>(numbers[0]) * fixed.unit();
  }
  return squares;
}

}  // namespace

CellSums::CellSums(const AdditiveDistance& distance, std::uint64_t people)
    : distance_(distance),
      features_(fixed_features(distance.map, people)),
      squares_(distance.largest_square, people) {}

void CellSums::add(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row) {
  RowFeatures features(distance_.map, features_);
  const auto width = static_cast<std::size_t>(distance_.map.scale.size());
  if (items_.size() < rows.columns) items_.resize(rows.columns);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = rows[r];
    features.start_row(scale_of(row, distance_.scaling));
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      Item& item = items_[row.items[e]];
      item.entries += 1;
      if (row.values[e] == 0) continue;
      const auto [place, fresh] = item.place_of_cell.try_emplace(cell_of_row[r], sums_.size());
      if (fresh) sums_.resize(sums_.size() + width, 0);
      const std::int64_t* added = features.of(row.values[e]);
      std::int64_t* sum = sums_.data() + place->second;
      for (std::size_t j = 0; j < width; ++j) sum[j] += added[j];
    }
    if (distance_.weight != nullptr) square_of_cell_[cell_of_row[r]] += squares_(distance_.square_of(row));
  }
}

std::vector<CellSums::Part> CellSums::take_parts() {
  std::vector<Part> parts;
  const auto width = static_cast<std::size_t>(distance_.map.scale.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].entries == 0) continue;
    Sums sums{.entries = items_[i].entries, .width = width};
    for (const auto& [cell, place] : items_[i].place_of_cell) {
      const auto first = sums_.begin() + static_cast<std::ptrdiff_t>(place);
      sums.of_cell[cell].assign(first, first + static_cast<std::ptrdiff_t>(width));
    }
    parts.push_back({.item = i, .bytes = bytes_of(sums)});
  }
  if (!square_of_cell_.empty()) {
    Sums squares{.width = 1};
    for (const auto& [cell, square] : square_of_cell_) squares.of_cell[cell] = {square};
    parts.push_back({.item = kNoItem, .bytes = bytes_of(squares)});
  }
  sums_.clear();
  items_.clear();
  square_of_cell_.clear();
  return parts;
}

std::string CellSums::join(std::span<const std::string_view> parts) {
  Sums sums;
  for (const std::string_view part : parts) add_bytes(part, sums);
  return bytes_of(sums);
}

MatrixXd pair_sums_of_parts(const AdditiveDistance& distance, std::span<const CellSums::Part> parts,
                            const MatrixXd& counts, std::size_t columns, std::size_t entries) {
  const auto people = static_cast<std::uint64_t>(counts.sum());
  const Occupied occupied = occupied_cells(counts);
  std::vector<ItemSums> sums;
  VectorXd squares;
  for (const CellSums::Part& part : parts) {
    if (part.item == CellSums::kNoItem)
      squares = squares_of(part, occupied, FixedPoint(distance.largest_square, people));
    else if (part.item >= columns)
      Reader::refuse();
    else
      sums.push_back(item_sums(part, occupied, distance.map.scale.size()));
  }
  MatrixXd products = products_of_sums(sums, columns, entries, people, occupied.cells.size(), distance.map);
  const VectorXd people_of_cells = counts.reshaped()(occupied.cells);
  return spread(distance.pair_sums(std::move(products), squares, people_of_cells), occupied, counts.size());
}

}  // namespace hyobscure::census
