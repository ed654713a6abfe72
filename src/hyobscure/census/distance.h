#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/words.h"

namespace hyobscure::census {

using data::Distance;

/// By its word in a spec; throws InputError for another name.
[[nodiscard]] Distance distance_named(const std::string& name);

/// The definition, by one merge of the two rows. The rows must have passed check_rows.
/// `columns` matters for Hamming only. Cost: the entries of both rows.
[[nodiscard]] double distance_between(Distance distance, data::SparseRows::Row a, data::SparseRows::Row b,
                                      std::size_t columns);

/// Throws InputError when a row cannot be used with the distance: an entry that is not finite (any distance),
/// a negative entry or nothing positive (Jensen-Shannon). The error counts such rows, and its place().row - 1
/// is the index of the first one; `source` becomes its place().source.
void check_rows(Distance distance, const data::SparseRows& rows, const std::string& source = {});

/// The sum of the distances of all pairs between two cells, for all pairs of cells:
///
///   S(A, B) = sum over u in A, v in B of d(u, v),      self pairs included (they are 0)
///
/// `cell_of_row` holds a number below `cells` for every row; cells may be empty. S is symmetric, not
/// negative, and has the same bits whatever the number of threads.
///
/// JensenShannon, SquaredEuclidean and Hamming cost O(entries) plus, for every item, the square of the number
/// of cells that have it. Jensen-Shannon means are off by at most kJensenShannonError, for any rows; the
/// other two are exact up to rounding, which for SquaredEuclidean is relative to |x|^2 + |y|^2. Euclidean and
/// Jaccard have no such form and cost O(people^2) at least: see pair_sum_work. They are exact. Memory of the
/// first three: S, at most some 600 MB for sums of cells, and a segment of rows, which may be in a mapped
/// file; the other two keep a part of the entries.
///
/// Throws InputError as check_rows does, and Stopped.
[[nodiscard]] Eigen::MatrixXd pair_sums(Distance distance, const data::SparseRows& rows,
                                        std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                                        const Progress& progress = {});

/// Largest error, in nats, of a mean Jensen-Shannon distance S(A, B) / (|A| |B|); derived in distance.md.
inline constexpr double kJensenShannonError = 8e-7;

/// About how many elementary steps pair_sums takes; a core does about 1e9 of them in a second. An upper
/// estimate for clustered data, from the number of rows that have each item. Cost: one pass over the items.
[[nodiscard]] double pair_sum_work(Distance distance, const data::SparseRows& rows, std::size_t cells);

}  // namespace hyobscure::census
