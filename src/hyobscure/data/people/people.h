#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/data/people/stored.h"
#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::data {

/// Non-zero entries of many rows, one row after the other (compressed sparse rows). Items of a row ascend.
struct SparseRows {
  std::vector<std::size_t> starts = {0};  ///< row r holds the entries starts[r] .. starts[r + 1] - 1
  Stored<std::uint32_t> items;
  Stored<double> values;
  std::size_t columns = 0;  ///< number of distinct items; every item is below it

  struct Row {
    std::span<const std::uint32_t> items;
    std::span<const double> values;
  };

  std::size_t size() const { return starts.size() - 1; }
  std::size_t entries() const { return items.size(); }
  Row operator[](std::size_t row) const {
    const std::size_t begin = starts[row], length = starts[row + 1] - begin;
    return {{items.data() + begin, length}, {values.data() + begin, length}};
  }
  void end_row() { starts.push_back(items.size()); }
  void append_row(Row row) {
    items.append(row.items);
    values.append(row.values);
    end_row();
  }
  /// After a pass over these rows: lets go of the memory that a mapped file took for them.
  void release_pages(std::size_t first, std::size_t last) const {
    items.release_pages(starts[first], starts[last]);
    values.release_pages(starts[first], starts[last]);
  }
};

/// What the secret can be, in order. Usually one exact value each; where there are too many distinct values,
/// neighbouring ones are joined into atoms and optimised as one. Of a secret that is no single number the
/// first three are its place in the list: People::space knows the rest.
struct SecretValue {
  double low;           ///< smallest exact value
  double high;          ///< largest exact value; equal to low unless values were joined
  double centre;        ///< mean over its people
  double distinct = 1;  ///< number of exact values
};

/// How a feature column of wide data enters the rows.
enum class FeatureKind : std::uint8_t { Numeric, Categorical, Set };

/// Where the items of wide data come from; empty of long data, whose items are things of their own.
struct FeatureColumns {
  struct Column {
    std::string name;
    FeatureKind kind = FeatureKind::Numeric;
    bool operator==(const Column&) const = default;
  };
  std::vector<Column> columns = {};
  std::vector<std::uint32_t> of_item = {};  ///< the column of each item
  std::vector<std::string> words = {};      ///< of each item: the element of a set; else ""
  /// An item of rows that have nothing else, for a distance that cannot do with nothing; of no column.
  std::optional<std::uint32_t> nothing = {};

  bool empty() const { return columns.empty(); }
  bool operator==(const FeatureColumns&) const = default;
};

/// The people to protect, in the order of their ids.
struct People {
  std::vector<std::string> ids;
  std::vector<std::uint32_t> secrets;     ///< index into `values`
  std::vector<SecretValue> values;        ///< ascending
  std::optional<SecretSpace> space = {};  ///< absent: the secret is one ordered number
  /// Which exact secret a person has, numbered in order, where values were joined; empty: `secrets` tells.
  std::vector<std::uint32_t> exact = {};
  std::uint32_t exact_values = 0;  ///< every entry of `exact` is below it
  SparseRows features;
  FeatureColumns columns = {};
  /// Which combination of kept cells (people.keep) a person has, numbered in the order of those cells; empty
  /// where nothing is kept.
  std::vector<std::uint32_t> kept;
  std::uint32_t kept_combinations = 1;  ///< every entry of `kept` is below it

  std::size_t size() const { return ids.size(); }
  std::span<const std::uint32_t> exact_secrets() const { return exact.empty() ? secrets : exact; }
};

/// The kinds of the secrets that together are the secret: Ordered alone where it is one number.
[[nodiscard]] std::vector<AxisKind> secret_kinds(const People& people);

/// Some of the people, in ascending order of their index. Values that none of them has are gone.
[[nodiscard]] People select(const People& people, std::span<const std::uint32_t> chosen);

/// Hash of ids, secrets, features and who shares kept cells: tells whether two readings saw the same data.
std::string fingerprint(const People& people);

// The same in steps, for people on many machines.

inline constexpr std::size_t kFingerprintBlock = 4096;  ///< people that are hashed together

/// Of people begin .. end - 1, a block of all.
std::string fingerprint_of_block(const People& people, std::size_t begin, std::size_t end);
/// Of the blocks of all people in their order, and of what the secret can be.
std::string fingerprint_of_blocks(std::span<const std::string> blocks, std::span<const SecretValue> values,
                                  const std::optional<SecretSpace>& space);

}  // namespace hyobscure::data
