#include "hyobscure/census/kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/checked_rows.h"
#include "hyobscure/census/merge_rows.h"
#include "hyobscure/census/row_segments.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Labels = std::vector<std::uint32_t>;

constexpr std::size_t kRowsTogether = 512;
constexpr int kCentrePadding = 4;  // centres are padded to a multiple of this
constexpr int kMostLanes = 4;      // centres held in registers at a time, in lanes
constexpr int kCanonicalRounds = 10;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Below this share of |x|^2 + |y|^2 the difference of squares may be rounding alone.
constexpr double kCancelledCost = 1e-9;

// Distances that differ by less than this share of |x|^2 + |c|^2 may change their order with the number of a
// centre: what is rounded depends on its place in a lane.
constexpr double kNearTie = 1e-10;

double scale_of(SparseRows::Row row, bool normalise) {
  if (!normalise) return 1;
  const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
  return sum > 0 && std::isfinite(1 / sum) ? 1 / sum : 1.0;
}

double square_of(SparseRows::Row row, double scale) {
  double square = 0;
  for (const double value : row.values) square += value * value;
  return square * scale * scale;
}

// The rows as they are clustered: row r is multiplied by scale[r] wherever it is read.
struct ScaledRows {
  ScaledRows(const SparseRows& given, bool normalise)
      : rows(given), scale(given.size()), squares(given.size()) {
    for_row_segments(rows, [&](std::size_t first, std::size_t last) {
      parallel_blocks(last - first, kRowsTogether, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = first + begin; r < first + end; ++r) {
          scale[r] = scale_of(rows[r], normalise);
          squares[r] = square_of(rows[r], scale[r]);
        }
      });
    });
  }
  std::size_t size() const { return rows.size(); }

  const SparseRows& rows;
  std::vector<double> scale;
  std::vector<double> squares;
};

// Settings and rows that can be clustered

void validate(const KMeansSettings& settings) {
  constexpr auto kRemedy = "Correct the setting.";
  require(settings.clusters >= 1, "clusters", "expected at least 1", kRemedy);
  require(settings.starts >= 1, "starts", "expected at least 1", kRemedy);
  require(settings.max_iterations >= 1, "max_iterations", "expected at least 1", kRemedy);
  require(settings.tolerance >= 0, "tolerance", "expected a number that is not negative", kRemedy);
}

std::size_t hash_row(const ScaledRows& work, std::uint32_t r) {
  std::uint64_t hash = 0;
  const auto row = work.rows[r];
  for (std::size_t e = 0; e < row.items.size(); ++e) {
    if (row.values[e] == 0) continue;
    const double value = row.values[e] * work.scale[r];
    hash = (hash ^ (row.items[e] + std::bit_cast<std::uint64_t>(value))) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

double squared_distance(const ScaledRows& work, std::size_t a, std::size_t b) {
  double total = 0;
  merge_rows(work.rows[a], work.rows[b], [&](double x, double y) {
    const double difference = x * work.scale[a] - y * work.scale[b];
    total += difference * difference;
  });
  return total;
}

bool are_equal(const ScaledRows& work, std::uint32_t a, std::uint32_t b) {
  bool equal = true;
  merge_rows(work.rows[a], work.rows[b],
             [&](double x, double y) { equal = equal && x * work.scale[a] == y * work.scale[b]; });
  return equal;
}

// The first of each kind of equal rows; looks no further when there are `enough`.
Labels find_distinct(const ScaledRows& work, std::size_t enough) {
  const auto hash = [&](std::uint32_t r) { return hash_row(work, r); };
  const auto equal = [&](std::uint32_t a, std::uint32_t b) { return are_equal(work, a, b); };
  std::unordered_set<std::uint32_t, decltype(hash), decltype(equal)> distinct(16, hash, equal);
  for (std::uint32_t r = 0; r < work.size() && distinct.size() < enough; ++r) distinct.insert(r);
  return Labels(distinct.begin(), distinct.end());
}

Labels require_distinct_rows(const ScaledRows& work, int clusters) {
  Labels distinct = find_distinct(work, static_cast<std::size_t>(clusters));
  if (distinct.size() >= static_cast<std::size_t>(clusters)) return distinct;
  if (distinct.empty())
    throw InputError({.source = "clusters"}, "there are no rows to cluster", "Give at least one row.");
  throw InputError({.source = "clusters"},
                   fmt::format("{} clusters were asked for, but there are only {} distinct rows", clusters,
                               distinct.size()),
                   fmt::format("Lower clusters to {}.", distinct.size()));
}

void require_finite(double sum_of_squares) {
  if (std::isfinite(sum_of_squares)) return;
  throw InputError({}, "the entries are too large to square and add up", "Scale the entries down.");
}

void require_finite_squares(const ScaledRows& work) {
  require_finite(std::accumulate(work.squares.begin(), work.squares.end(), 0.0));
}

// Nearest centres

// The centres, padded with zeros so that each column begins at a lane.
struct Kernel {
  explicit Kernel(const MatrixXd& centres) : clusters(centres.rows()), squares(centres.rows()) {
    const Index padded = (clusters + kCentrePadding - 1) / kCentrePadding * kCentrePadding;
    columns = MatrixXd::Zero(padded, centres.cols());
    columns.topRows(clusters) = centres;
    squares.setZero();
    for (Index i = 0; i < centres.cols(); ++i) squares += centres.col(i).cwiseAbs2();
    largest_square = squares.maxCoeff();
  }
  Index clusters;
  MatrixXd columns;
  VectorXd squares;
  double largest_square;
};

// Scalar products of a row with Lanes * kCentrePadding centres, which stay in registers.
template <int Lanes>
void multiply(SparseRows::Row row, const double* columns, Index stride, double* products) {
  using Lane = Eigen::Array<double, kCentrePadding, 1>;
  Lane sums[Lanes];
  for (Lane& sum : sums) sum.setZero();
  for (std::size_t e = 0; e < row.items.size(); ++e) {
    const double* column = columns + stride * static_cast<Index>(row.items[e]);
    for (int lane = 0; lane < Lanes; ++lane)
      sums[lane] += row.values[e] * Eigen::Map<const Lane, Eigen::Aligned32>(column + lane * kCentrePadding);
  }
  for (int lane = 0; lane < Lanes; ++lane) Eigen::Map<Lane>(products + lane * kCentrePadding) = sums[lane];
}

void multiply(SparseRows::Row row, const Kernel& kernel, double* products) {
  const Index stride = kernel.columns.rows();
  for (Index first = 0; first < stride; first += kMostLanes * kCentrePadding) {
    const double* columns = kernel.columns.data() + first;
    switch (std::min<Index>(kMostLanes, (stride - first) / kCentrePadding)) {
      case 1:
        multiply<1>(row, columns, stride, products + first);
        break;
      case 2:
        multiply<2>(row, columns, stride, products + first);
        break;
      case 3:
        multiply<3>(row, columns, stride, products + first);
        break;
      default:
        multiply<4>(row, columns, stride, products + first);
    }
  }
}

struct Nearest {
  std::uint32_t cluster;
  double distance;  // |c|^2 - 2 x.c: the squared distance without |x|^2
};

Nearest find_nearest(SparseRows::Row row, double scale, const Kernel& kernel, VectorXd& products) {
  multiply(row, kernel, products.data());
  Nearest nearest{0, kInfinity};
  for (Index c = 0; c < kernel.clusters; ++c) {
    const double distance = kernel.squares(c) - 2 * scale * products(c);
    if (distance < nearest.distance) nearest = {static_cast<std::uint32_t>(c), distance};
  }
  return nearest;
}

struct Assignment {
  Labels labels;
  std::vector<double> distances;  // squared, to the own centre
  double inertia = 0;
};

void assign_rows(const ScaledRows& work, const MatrixXd& centres, Assignment& result) {
  const Kernel kernel(centres);
  std::vector<double> inertia_of_block(block_count(work.size(), kRowsTogether), 0);
  result.labels.resize(work.size());
  result.distances.resize(work.size());
  parallel_blocks(work.size(), kRowsTogether, [&](std::size_t begin, std::size_t end) {
    VectorXd products(kernel.columns.rows());
    double inertia = 0;
    for (std::size_t r = begin; r < end; ++r) {
      const Nearest nearest = find_nearest(work.rows[r], work.scale[r], kernel, products);
      result.labels[r] = nearest.cluster;
      result.distances[r] = std::max(0.0, work.squares[r] + nearest.distance);
      inertia += result.distances[r];
    }
    inertia_of_block[begin / kRowsTogether] = inertia;
  });
  result.inertia = std::accumulate(inertia_of_block.begin(), inertia_of_block.end(), 0.0);
}

// Centres

void set_centre(const ScaledRows& work, std::size_t row, Index cluster, MatrixXd& centres) {
  centres.row(cluster).setZero();
  const auto [items, values] = work.rows[row];
  for (std::size_t e = 0; e < items.size(); ++e) centres(cluster, items[e]) = values[e] * work.scale[row];
}

// The summed rows of every cluster. Only rows that change their cluster are added and taken away; each
// cluster does so by itself and in the order of the rows, so threads do not change the bits.
class ClusterSums {
 public:
  ClusterSums(const ScaledRows& work, Index clusters)
      : work_(work),
        labels_(work.size(), static_cast<std::uint32_t>(clusters)),  // in no cluster yet
        sums_(MatrixXd::Zero(static_cast<Index>(work.rows.columns), clusters)),
        people_(VectorXd::Zero(clusters)) {}

  void follow(const Labels& labels) {
    Labels moved, from, to;
    for (std::uint32_t r = 0; r < labels.size(); ++r) {
      if (labels[r] == labels_[r]) continue;
      moved.push_back(r);
      from.push_back(labels_[r]);
      to.push_back(labels[r]);
    }
    const auto clusters = static_cast<std::size_t>(people_.size());
    const RowsByCell leaving(from, clusters + 1), joining(to, clusters + 1);
    parallel_blocks(clusters, 1, [&](std::size_t cluster, std::size_t) {
      for (const std::uint32_t m : leaving.members(cluster)) add(moved[m], -1, cluster);
      for (const std::uint32_t m : joining.members(cluster)) add(moved[m], 1, cluster);
    });
    labels_ = labels;
  }

  // No cluster may be empty.
  MatrixXd means() const { return people_.cwiseInverse().asDiagonal() * sums_.transpose(); }

 private:
  void add(std::size_t row, double sign, std::size_t cluster) {
    const auto [items, values] = work_.rows[row];
    double* sum = sums_.col(static_cast<Index>(cluster)).data();
    const double factor = sign * work_.scale[row];
    for (std::size_t e = 0; e < items.size(); ++e) sum[items[e]] += factor * values[e];
    people_(static_cast<Index>(cluster)) += sign;
  }

  const ScaledRows& work_;
  Labels labels_;
  MatrixXd sums_;  // columns x clusters
  VectorXd people_;
};

// Lowers every distance to that from the row `seed`, if that is less. Rows equal to the seed get exactly 0.
void lower_distances(const ScaledRows& work, std::size_t seed, std::vector<double>& distances) {
  std::vector<double> dense(work.rows.columns, 0);
  const auto [seed_items, seed_values] = work.rows[seed];
  for (std::size_t e = 0; e < seed_items.size(); ++e) dense[seed_items[e]] = seed_values[e];
  parallel_blocks(work.size(), kRowsTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto [items, values] = work.rows[r];
      double product = 0;
      for (std::size_t e = 0; e < items.size(); ++e) product += values[e] * dense[items[e]];
      const double both = work.squares[r] + work.squares[seed];
      double distance = both - 2 * product * work.scale[r] * work.scale[seed];
      if (distance <= kCancelledCost * both) distance = squared_distance(work, r, seed);
      distances[r] = std::min(distances[r], distance);
    }
  });
}

// A row drawn with probability proportional to its distance; never one at distance 0.
std::size_t draw_far_row(const std::vector<double>& distances, RandomStream& random) {
  const double target = random.uniform() * std::accumulate(distances.begin(), distances.end(), 0.0);
  double passed = 0;
  std::size_t last = 0;
  for (std::size_t r = 0; r < distances.size(); ++r) {
    if (!(distances[r] > 0)) continue;
    passed += distances[r];
    last = r;
    if (passed > target) break;
  }
  return last;
}

MatrixXd draw_seeds(const ScaledRows& work, int clusters, const Key& key) {
  RandomStream random(key);
  MatrixXd centres(clusters, static_cast<Index>(work.rows.columns));
  std::vector<double> distances(work.size(), kInfinity);
  std::size_t seed = random.below(work.size());
  for (Index c = 0; c < clusters; ++c) {
    if (c > 0) seed = draw_far_row(distances, random);
    set_centre(work, seed, c, centres);
    lower_distances(work, seed, distances);
  }
  return centres;
}

// Lloyd's iteration

std::vector<Index> empty_clusters(const Labels& labels, Index clusters) {
  std::vector<bool> used(static_cast<std::size_t>(clusters), false);
  for (const std::uint32_t label : labels) used[label] = true;
  std::vector<Index> empty;
  for (Index c = 0; c < clusters; ++c)
    if (!used[static_cast<std::size_t>(c)]) empty.push_back(c);
  return empty;
}

// Every empty cluster gets the row that is then farthest from all centres. This lowers the inertia, so the
// iteration cannot go round in circles.
void reseed(const ScaledRows& work, const std::vector<Index>& empty, std::vector<double> distances,
            MatrixXd& centres) {
  for (const Index cluster : empty) {
    const auto farthest = std::max_element(distances.begin(), distances.end()) - distances.begin();
    set_centre(work, static_cast<std::size_t>(farthest), cluster, centres);
    lower_distances(work, static_cast<std::size_t>(farthest), distances);
  }
}

[[noreturn]] void refuse_alike_rows(std::size_t found) {
  throw InputError({.source = "clusters"},
                   fmt::format("the rows are so alike that only {} clusters can be told apart", found),
                   fmt::format("Lower clusters to {}.", found));
}

Clustering iterate(const ScaledRows& work, ClusterModel model, const KMeansSettings& settings,
                   const Progress& progress) {
  const Index clusters = model.centres.rows();
  const auto most_reseeds = 10 + 2 * clusters;  // more happen only when rounding hides the differences
  ClusterSums sums(work, clusters);
  Assignment current;
  double before = kInfinity;
  int iterations = 0;
  for (Index reseeds = 0;;) {
    progress.throw_if_stopped();
    assign_rows(work, model.centres, current);
    iterations += 1;
    if (const auto empty = empty_clusters(current.labels, clusters); !empty.empty()) {
      if (++reseeds > most_reseeds) refuse_alike_rows(static_cast<std::size_t>(clusters) - empty.size());
      reseed(work, empty, current.distances, model.centres);
      continue;
    }
    const bool settled = before - current.inertia <= settings.tolerance * current.inertia;
    if (settled || iterations >= settings.max_iterations) break;
    before = current.inertia;
    sums.follow(current.labels);
    model.centres = sums.means();
  }
  return {.model = std::move(model),
          .cluster_of_row = std::move(current.labels),
          .inertia = current.inertia,
          .iterations = iterations};
}

// Canonical numbers

std::vector<Index> order_of(const Labels& labels, std::size_t clusters) {
  std::vector<std::size_t> sizes(clusters, 0), first_row(clusters, 0);
  for (std::size_t r = 0; r < labels.size(); ++r)
    if (sizes[labels[r]]++ == 0) first_row[labels[r]] = r;
  return canonical_order(sizes, first_row);
}

// Rows half-way between two centres follow the lower number, so new numbers may move rows, and moved rows may
// ask for new numbers: iterate until both agree.
Clustering number_canonically(const ScaledRows& work, Clustering clustering, const KMeansSettings& settings,
                              const Progress& progress) {
  for (int round = 0; round < kCanonicalRounds; ++round) {
    const auto order =
        order_of(clustering.cluster_of_row, static_cast<std::size_t>(clustering.model.clusters()));
    if (std::is_sorted(order.begin(), order.end())) break;
    const int iterations = clustering.iterations;
    clustering = iterate(work, reorder(clustering.model, order),
                         {.max_iterations = 1, .tolerance = settings.tolerance}, progress);
    clustering.iterations = iterations;
  }
  return clustering;
}

// The best of the starts; its clusters have no canonical numbers yet.
Clustering cluster_work(const ScaledRows& work, const KMeansSettings& settings, const Key& key,
                        const Progress& progress) {
  Clustering best{.model = {}, .cluster_of_row = {}, .inertia = kInfinity};
  for (int start = 0; start < settings.starts; ++start) {
    progress.report("clusters", start, settings.starts);
    ClusterModel seeds{
        .centres = draw_seeds(work, settings.clusters, key.derive(fmt::format("start {}", start))),
        .normalise = settings.normalise};
    Clustering found = iterate(work, std::move(seeds), settings, progress);
    if (found.inertia < best.inertia) best = std::move(found);
  }
  return best;
}

// Clusters from a sample

// `count` different rows, ascending, every choice as likely (Floyd, Comm. ACM 30, 1987).
Labels draw_sample(std::size_t rows, std::size_t count, const Key& key) {
  RandomStream random(key);
  std::unordered_set<std::uint32_t> chosen;
  for (std::size_t last = rows - count; last < rows; ++last) {
    const auto row = static_cast<std::uint32_t>(random.below(last + 1));
    if (!chosen.insert(row).second) chosen.insert(static_cast<std::uint32_t>(last));
  }
  Labels sample(chosen.begin(), chosen.end());
  std::sort(sample.begin(), sample.end());
  return sample;
}

// `chosen` ascends. Pages of a mapped file are let go of on the way: each row may have brought its own.
SparseRows copy_rows(const SparseRows& rows, const Labels& chosen) {
  SparseRows copy;
  copy.columns = rows.columns;
  std::size_t kept_from = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    copy.append_row(rows[chosen[i]]);
    if (i % kRowsTogether != kRowsTogether - 1 && i + 1 != chosen.size()) continue;
    rows.release_pages(kept_from, chosen[i] + 1);
    kept_from = chosen[i];
  }
  return copy;
}

// A sample of the rows with as many distinct ones as clusters. Where nearly all rows are equal the drawn ones
// may have fewer: then others are looked for among all rows and added.
SparseRows sample_rows(const SparseRows& rows, Labels chosen, const KMeansSettings& settings) {
  SparseRows sample = copy_rows(rows, chosen);
  const auto enough = static_cast<std::size_t>(settings.clusters);
  if (find_distinct(ScaledRows(sample, settings.normalise), enough).size() >= enough) return sample;

  const Labels distinct = require_distinct_rows(ScaledRows(rows, settings.normalise), settings.clusters);
  chosen.insert(chosen.end(), distinct.begin(), distinct.end());
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return copy_rows(rows, chosen);
}

Clustering cluster_checked_sample(const SparseRows& sample, const KMeansSettings& settings, const Key& key,
                                  const Progress& progress) {
  const ScaledRows work(sample, settings.normalise);
  require_finite_squares(work);
  return cluster_work(work, settings, key, progress);
}

// What one pass over all rows finds.
struct FullPass {
  Labels labels;
  Labels near_ties;  // rows whose two nearest centres are equally far but for rounding, ascending
  double inertia = 0;
  double squares = 0;
};

bool is_near_tie(const Kernel& kernel, double scale, double square, const VectorXd& products,
                 double nearest_distance) {
  const double largest = nearest_distance + kNearTie * (square + kernel.largest_square);
  Index near = 0;
  for (Index c = 0; c < kernel.clusters; ++c)
    near += kernel.squares(c) - 2 * scale * products(c) <= largest ? 1 : 0;
  return near > 1;
}

FullPass pass_block(const SparseRows& rows, bool normalise, const Kernel& kernel, std::size_t begin,
                    std::size_t end, Labels& labels) {
  FullPass block;
  VectorXd products(kernel.columns.rows());
  for (std::size_t r = begin; r < end; ++r) {
    const double scale = scale_of(rows[r], normalise), square = square_of(rows[r], scale);
    const Nearest nearest = find_nearest(rows[r], scale, kernel, products);
    labels[r] = nearest.cluster;
    if (is_near_tie(kernel, scale, square, products, nearest.distance))
      block.near_ties.push_back(static_cast<std::uint32_t>(r));
    block.inertia += std::max(0.0, square + nearest.distance);
    block.squares += square;
  }
  return block;
}

FullPass pass_over(const SparseRows& rows, const ClusterModel& model, const Progress& progress) {
  const Kernel kernel(model.centres);
  FullPass all;
  all.labels.resize(rows.size());
  for_row_segments(rows, [&](std::size_t first, std::size_t last) {
    progress.throw_if_stopped();
    std::vector<FullPass> blocks(block_count(last - first, kRowsTogether));
    parallel_blocks(last - first, kRowsTogether, [&](std::size_t begin, std::size_t end) {
      blocks[begin / kRowsTogether] =
          pass_block(rows, model.normalise, kernel, first + begin, first + end, all.labels);
    });
    for (const FullPass& block : blocks) {
      all.near_ties.insert(all.near_ties.end(), block.near_ties.begin(), block.near_ties.end());
      all.inertia += block.inertia;
      all.squares += block.squares;
    }
  });
  return all;
}

// The labels of all rows when the clusters are taken in this order: only rows half-way between two centres
// need be looked at again.
Labels relabel(const SparseRows& rows, const FullPass& pass, const Labels& labels, const ClusterModel& model,
               const std::vector<Index>& order) {
  Labels number(order.size());
  for (std::size_t c = 0; c < order.size(); ++c)
    number[static_cast<std::size_t>(order[c])] = static_cast<std::uint32_t>(c);
  Labels result(labels.size());
  std::transform(labels.begin(), labels.end(), result.begin(), [&](std::uint32_t c) { return number[c]; });

  const Kernel kernel(model.centres);
  parallel_blocks(pass.near_ties.size(), kRowsTogether, [&](std::size_t begin, std::size_t end) {
    VectorXd products(kernel.columns.rows());
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = rows[pass.near_ties[i]];
      result[pass.near_ties[i]] = find_nearest(row, scale_of(row, model.normalise), kernel, products).cluster;
    }
    rows.release_pages(pass.near_ties[begin], pass.near_ties[end - 1] + 1);
  });
  return result;
}

// Clusters of all rows from the model of a sample of them, with canonical numbers. No cluster is empty, since
// the sample's rows are among the rows; numbers that would make one empty are not taken.
Clustering extend(const SparseRows& rows, Clustering sampled, const Progress& progress) {
  FullPass pass = pass_over(rows, sampled.model, progress);
  require_finite(pass.squares);
  Labels labels = std::move(pass.labels);
  ClusterModel model = std::move(sampled.model);
  for (int round = 0; round < kCanonicalRounds; ++round) {
    const auto order = order_of(labels, static_cast<std::size_t>(model.clusters()));
    if (std::is_sorted(order.begin(), order.end())) break;
    ClusterModel numbered = reorder(model, order);
    Labels relabelled = relabel(rows, pass, labels, numbered, order);
    if (!empty_clusters(relabelled, numbered.centres.rows()).empty()) break;
    model = std::move(numbered);
    labels = std::move(relabelled);
  }
  return {.model = std::move(model),
          .cluster_of_row = std::move(labels),
          .inertia = pass.inertia,
          .iterations = sampled.iterations};
}

}  // namespace

std::vector<Index> canonical_order(std::span<const std::size_t> sizes,
                                   std::span<const std::size_t> first_rows) {
  std::vector<Index> order(sizes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index left, Index right) {
    const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : first_rows[a] < first_rows[b];
  });
  return order;
}

ClusterModel reorder(const ClusterModel& model, const std::vector<Index>& order) {
  return {.centres = model.centres(order, Eigen::all), .normalise = model.normalise};
}

std::optional<Labels> sample_for_clusters(std::size_t rows, const KMeansSettings& settings, const Key& key) {
  validate(settings);
  const std::size_t most = settings.sample > 0 ? settings.sample : default_sample(settings.clusters);
  if (rows <= most) return std::nullopt;
  return draw_sample(rows, most, key.derive("sample"));
}

ClusterModel cluster_sample(const SparseRows& sample, const KMeansSettings& settings, const Key& key,
                            const Progress& progress) {
  validate(settings);
  check_rows(Distance::SquaredEuclidean, sample);
  (void)require_distinct_rows(ScaledRows(sample, settings.normalise), settings.clusters);
  return cluster_checked_sample(sample, settings, key, progress).model;
}

ClusterModel seed_centres(const SparseRows& rows, const KMeansSettings& settings, const Key& key) {
  const ScaledRows work(rows, settings.normalise);
  return {.centres = draw_seeds(work, settings.clusters, key), .normalise = settings.normalise};
}

Clustering refine(const SparseRows& rows, ClusterModel model, const KMeansSettings& settings,
                  const Progress& progress) {
  const ScaledRows work(rows, model.normalise);
  return iterate(work, std::move(model), settings, progress);
}

Clustering cluster_rows(const SparseRows& rows, const KMeansSettings& settings, const Key& key,
                        const Progress& progress) {
  validate(settings);
  check_rows(Distance::SquaredEuclidean, rows);
  return cluster_checked_rows(rows, settings, key, progress);
}

Clustering cluster_checked_rows(const SparseRows& rows, const KMeansSettings& settings, const Key& key,
                                const Progress& progress) {
  validate(settings);
  if (const auto chosen = sample_for_clusters(rows.size(), settings, key)) {
    const SparseRows sample = sample_rows(rows, *chosen, settings);
    return extend(rows, cluster_checked_sample(sample, settings, key, progress), progress);
  }
  const ScaledRows work(rows, settings.normalise);
  require_finite_squares(work);
  (void)require_distinct_rows(work, settings.clusters);
  return number_canonically(work, cluster_work(work, settings, key, progress), settings, progress);
}

Labels assign(const ClusterModel& model, const SparseRows& rows) {
  if (model.clusters() < 1 || model.centres.cols() < static_cast<Index>(rows.columns))
    throw InputError({.source = "clusters"}, "their centres are of other columns than the rows",
                     "Give the data that the clusters were made from.");
  const Kernel kernel(model.centres);
  Labels labels(rows.size());
  for_row_segments(rows, [&](std::size_t first, std::size_t last) {
    parallel_blocks(last - first, kRowsTogether, [&](std::size_t begin, std::size_t end) {
      VectorXd products(kernel.columns.rows());
      for (std::size_t r = first + begin; r < first + end; ++r)
        labels[r] = find_nearest(rows[r], scale_of(rows[r], model.normalise), kernel, products).cluster;
    });
  });
  return labels;
}

}  // namespace hyobscure::census
