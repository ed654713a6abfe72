#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::release {

/// The people in an order that depends on the key and their ids alone: the order in which donors are
/// numbered.
[[nodiscard]] std::vector<std::uint32_t> keyed_order(const Key& key, const data::People& people);

/// The key of the ids that replace people's own, or of the order of shuffled rows where ids are kept.
[[nodiscard]] Key key_of_rows(const Key& key, const data::Spec& spec);

/// The entry that 64 random bits choose, given the cumulative sums of its probabilities (up to a factor).
/// Never one of probability 0, whatever the rounding of the sums.
[[nodiscard]] std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits);

/// A channel over cells, ready to draw from.
class CellChannel {
 public:
  CellChannel(const obscure::CellDraw& draw, int clusters);

  /// The row of a cluster, or nothing where nobody of the pool is in it.
  std::optional<std::size_t> row_of(std::uint32_t cluster) const {
    if (cluster >= row_of_cluster_.size() || row_of_cluster_[cluster] < 0) return std::nullopt;
    return static_cast<std::size_t>(row_of_cluster_[cluster]);
  }
  struct Choice {
    std::size_t row;      ///< of the donor's cluster
    std::uint64_t place;  ///< of the donor among the people of the cell, in the keyed order
  };
  Choice choose(std::size_t own_row, NamedDraws::Bits bits) const;

 private:
  std::vector<int> row_of_cluster_;
  std::vector<std::vector<double>> cumulative_;  ///< of every row
  std::vector<std::int64_t> people_;
};

/// Draws for one person after the other without looking at anybody else: for engines that keep people on many
/// machines. Who is at the drawn place of a cell is for them to find: people of a cell are ordered by
/// `order`, then by id. Together this is draw_donors, bit for bit.
///
/// Where any other person of the group may be drawn (`others`), the group is one cell, of cluster 0, and
/// places count the others: from the person's own place on the donor is one further.
class PersonalDraws {
 public:
  /// Throws InputError unless donors come from the own group, by cells or any other person, nothing kept. The
  /// mechanism must outlive it.
  explicit PersonalDraws(const obscure::Mechanism& mechanism);

  struct Drawn {
    std::uint32_t group;
    NamedDraws::Bits order;
    std::uint32_t cluster;  ///< of the donor
    std::uint64_t place;
    bool retained;  ///< the own row is published, whatever was drawn
    bool others = false;
  };
  /// Whether the people of this group draw any other person.
  bool draws_others(std::size_t group) const { return channels_[group] == std::nullopt; }
  /// Throws InputError for a value or cluster that the mechanism did not count.
  Drawn draw(std::string_view id, std::uint32_t value, std::uint32_t cluster) const;

 private:
  const obscure::Mechanism& mechanism_;
  NamedDraws order_, draws_, retain_;
  std::vector<std::uint32_t> group_of_value_;
  std::vector<std::optional<CellChannel>> channels_;  ///< by group; none: any other person
};

/// The same for people who draw from lists of their own (obscure::PersonDraw), whose donors are numbered
/// among all people: for engines that hold each list where its person is.
class ListedDraws {
 public:
  explicit ListedDraws(const Key& key);
  /// Whose features are published under the person.
  [[nodiscard]] std::uint32_t donor(std::string_view id, std::uint32_t person, double retain,
                                    std::span<const std::uint32_t> donors,
                                    std::span<const double> probabilities) const;

 private:
  NamedDraws draws_, retain_;
};

/// donor_of[u] is the index of the person whose features are published under person u.
///
/// With probability `retain` of their channel a person keeps their own row; else they draw as the channel
/// says, among the people of their pool. Through cells: a cluster c' from O(.|c), then a donor uniformly
/// among the people of cluster c' in the pool, whoever they are and the person included: only so X' -> (C',
/// G) -> Y is a Markov chain, and the leakage that was computed from the channel is that of the release.
///
/// The draws are the random bits that belong to the person's id under the key: the order of the people,
/// threads and chunks do not matter. A donor is chosen by place, and the people of a cell or pool are ordered
/// by a keyed hash of their ids. So a person who is added to a cell changes nobody's cluster c', and no donor
/// drawn from another cell; among those who draw from this cell, some move to a neighbour in its order or to
/// the newcomer.
///
/// Probabilities are met to 2^-53, uniformity to cell size / 2^64; what has probability 0 is never drawn.
/// Cost: O(people log people); near donors: all pairs of a pool. Throws InputError where the people do not
/// fit the mechanism: somebody in a cell that it does not know, or a pool or cell with another number of
/// people than it has counted.
[[nodiscard]] std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism,
                                                     const data::People& people,
                                                     std::span<const std::uint32_t> cluster_of_person);

}  // namespace hyobscure::release
