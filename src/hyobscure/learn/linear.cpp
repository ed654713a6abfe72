#include "hyobscure/learn/linear.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/learn/stopped_boosting.h"
#include "hyobscure/learn/training.h"

namespace hyobscure::learn {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

namespace {

constexpr double kSmallestLikelihood = 1e-12;  // of a guess that gave a class no probability

/// rows * dense
MatrixXd times(const SparseRows& rows, const MatrixXd& dense) {
  MatrixXd product = MatrixXd::Zero(static_cast<Index>(rows.size()), dense.cols());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t e = 0; e < rows[r].items.size(); ++e)
      product.row(static_cast<Index>(r)) += rows[r].values[e] * dense.row(rows[r].items[e]);
  return product;
}

/// rows' * dense
MatrixXd transposed_times(const SparseRows& rows, const MatrixXd& dense) {
  MatrixXd product = MatrixXd::Zero(static_cast<Index>(rows.columns), dense.cols());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t e = 0; e < rows[r].items.size(); ++e)
      product.row(rows[r].items[e]) += rows[r].values[e] * dense.row(static_cast<Index>(r));
  return product;
}

MatrixXd orthonormal(const MatrixXd& matrix) {
  const Eigen::HouseholderQR<MatrixXd> qr(matrix);
  return qr.householderQ() * MatrixXd::Identity(matrix.rows(), std::min(matrix.rows(), matrix.cols()));
}

/// 1 / root of the mean square; 0 of a column that is always 0.
VectorXd scales_of(const SparseRows& rows) {
  VectorXd squares = VectorXd::Zero(static_cast<Index>(rows.columns));
  for (std::size_t e = 0; e < rows.entries(); ++e) squares(rows.items[e]) += rows.values[e] * rows.values[e];
  const double count = static_cast<double>(rows.size());
  return squares.unaryExpr([&](double sum) { return sum > 0 ? 1 / std::sqrt(sum / count) : 0.0; });
}

void validate(const SparseRows& rows, std::size_t labels, const Predictions& guesses,
              std::span<const std::uint32_t> cells, const LinearSettings& settings) {
  require(settings.components >= 1, "components", "the setting is out of range", "Take at least 1.");
  require(settings.parts >= 2, "parts", "the setting is out of range", "Take at least 2.");
  check_training(rows, labels);
  require(guesses.rows() == static_cast<Index>(labels) && guesses.allFinite() && cells.size() == labels,
          "guesses", "there is not one cell and finite guess for each row", "Give one for each row.");
}

MatrixXd means_of_cells(const MatrixXd& reduced, std::span<const std::uint32_t> cell_of_row,
                        std::uint32_t cells) {
  MatrixXd means = MatrixXd::Zero(cells, reduced.cols());
  VectorXd counts = VectorXd::Zero(cells);
  for (Index r = 0; r < reduced.rows(); ++r) {
    means.row(cell_of_row[static_cast<std::size_t>(r)]) += reduced.row(r);
    counts(cell_of_row[static_cast<std::size_t>(r)]) += 1;
  }
  const RowVectorXd everywhere = reduced.colwise().mean();
  for (Index cell = 0; cell < means.rows(); ++cell)
    means.row(cell) = counts(cell) > 0 ? (means.row(cell) / counts(cell)).eval() : everywhere;
  return means;
}

MatrixXd deviations(MatrixXd reduced, std::span<const std::uint32_t> cell_of_row, const MatrixXd& means) {
  for (Index r = 0; r < reduced.rows(); ++r)
    reduced.row(r) -= means.row(cell_of_row[static_cast<std::size_t>(r)]);
  return reduced;
}

/// What a penalty leaves of the model.
struct Weights {
  MatrixXd weights;
  RowVectorXd offsets = {};
};

/// Held-out rows of one part, the others, and their labels.
struct HeldOut {
  std::vector<Index> tested, others;
};

std::vector<HeldOut> held_out_parts(std::size_t rows, int parts, const Key& key) {
  std::vector<HeldOut> result(static_cast<std::size_t>(parts));
  const std::vector<std::uint32_t> part_of_row = random_parts(rows, parts, key);
  for (std::size_t p = 0; p < result.size(); ++p)
    for (std::size_t r = 0; r < rows; ++r)
      (part_of_row[r] == p ? result[p].tested : result[p].others).push_back(static_cast<Index>(r));
  std::erase_if(result, [](const HeldOut& part) { return part.tested.empty() || part.others.empty(); });
  return result;
}

// --- numbers

/// Ridge regressions of one set of rows for many penalties.
class Ridge {
 public:
  Ridge(const MatrixXd& z, const VectorXd& rest)
      : squares_(z.transpose() * z), products_(z.transpose() * (rest.array() - rest.mean()).matrix()) {}

  /// The penalty is a share of the mean of the squares.
  MatrixXd weights(double penalty) const {
    MatrixXd system = squares_;
    const double scale = squares_.trace() / static_cast<double>(squares_.rows());
    system.diagonal().array() += penalty * scale + std::numeric_limits<double>::min();
    return system.ldlt().solve(products_);
  }

 private:
  MatrixXd squares_;
  VectorXd products_;
};

// --- classes

/// Linear discriminants of one set of rows for many penalties.
class Discriminants {
 public:
  Discriminants(const MatrixXd& z, std::span<const std::uint32_t> class_of_row, Index classes)
      : means_(MatrixXd::Zero(classes, z.cols())), counts_(VectorXd::Zero(classes)) {
    for (Index r = 0; r < z.rows(); ++r) {
      means_.row(class_of_row[static_cast<std::size_t>(r)]) += z.row(r);
      counts_(class_of_row[static_cast<std::size_t>(r)]) += 1;
    }
    means_.array().colwise() /= counts_.array().max(1.0);
    MatrixXd within = z;
    for (Index r = 0; r < z.rows(); ++r)
      within.row(r) -= means_.row(class_of_row[static_cast<std::size_t>(r)]);
    MatrixXd covariance = within.transpose() * within / static_cast<double>(z.rows());
    constexpr double kRidge = 1e-3;  // of the mean variance: rows may lie in a plane
    covariance.diagonal().array() +=
        kRidge * z.squaredNorm() / static_cast<double>(z.size()) + std::numeric_limits<double>::min();
    inverse_.compute(covariance);
  }

  Weights weights(double rows_at_zero) const {
    MatrixXd drawn = means_;
    drawn.array().colwise() *= counts_.array() / (counts_.array() + rows_at_zero).max(1.0);
    Weights found{.weights = inverse_.solve(drawn.transpose())};
    found.offsets = -0.5 * (drawn.transpose().cwiseProduct(found.weights)).colwise().sum();
    return found;
  }

 private:
  MatrixXd means_;  // of z in a class
  VectorXd counts_;
  Eigen::LDLT<MatrixXd> inverse_;
};

/// guess * exp(scores), scaled to sum 1.
Predictions tilted(const Predictions& guesses, const MatrixXd& z, const Weights& found) {
  Predictions logs = guesses.array().max(kSmallestLikelihood).log().matrix();
  logs += z * found.weights;
  logs.rowwise() += found.offsets;
  logs.colwise() -= logs.rowwise().maxCoeff().eval();
  logs = logs.array().exp();
  logs.array().colwise() /= logs.rowwise().sum().array().eval();
  return logs;
}

double log_loss(const Predictions& probabilities, std::span<const std::uint32_t> class_of_row,
                std::span<const Index> rows) {
  double sum = 0;
  for (Index n = 0; n < probabilities.rows(); ++n)
    sum -= std::log(
        std::max(probabilities(n, class_of_row[static_cast<std::size_t>(rows[static_cast<std::size_t>(n)])]),
                 kSmallestLikelihood));
  return sum;
}

/// The penalty of the smallest loss; nothing where the guess alone is as good.
template <std::size_t size>
std::optional<double> best_penalty(const std::array<double, size>& penalties,
                                   const std::array<double, size>& losses, double loss_of_guess) {
  const auto best = std::ranges::min_element(losses);
  if (!(*best < loss_of_guess)) return std::nullopt;
  return penalties[static_cast<std::size_t>(best - losses.begin())];
}

}  // namespace

Reduction Reduction::of(const SparseRows& rows, std::size_t components, const Key& key) {
  Reduction result;
  const VectorXd scales = scales_of(rows);
  if (rows.columns <= components) {
    result.loadings_ = scales.asDiagonal();
    return result;
  }
  constexpr std::size_t kMore = 8;  // directions beside the wanted ones
  constexpr int kIterations = 3;
  const auto wanted = static_cast<Index>(std::min(components + kMore, rows.size()));
  MatrixXd directions(static_cast<Index>(rows.columns), wanted);
  RandomStream random(key.derive("directions"));
  for (Index i = 0; i < directions.size(); ++i) directions.data()[i] = random.normal();
  for (int i = 0; i < kIterations; ++i) {
    const MatrixXd seen = orthonormal(times(rows, scales.asDiagonal() * directions));
    directions = orthonormal(scales.asDiagonal() * transposed_times(rows, seen));
  }
  const MatrixXd seen = times(rows, scales.asDiagonal() * directions);
  const Eigen::BDCSVD<MatrixXd> svd(seen, Eigen::ComputeThinV);
  const Index kept = std::min<Index>(static_cast<Index>(components), svd.matrixV().cols());
  result.loadings_ = scales.asDiagonal() * (directions * svd.matrixV().leftCols(kept));
  return result;
}

MatrixXd Reduction::operator()(const SparseRows& rows) const { return times(rows, loadings_); }

Linear Linear::of_numbers(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                          std::uint32_t cells, std::span<const double> number_of_row,
                          const Predictions& guess_of_row, const LinearSettings& settings, const Key& key,
                          const Progress& progress) {
  validate(rows, number_of_row.size(), guess_of_row, cell_of_row, settings);
  Linear model;
  model.reduction_ = Reduction::of(rows, settings.components, key);
  const MatrixXd reduced = model.reduction_(rows);
  model.cell_means_ = means_of_cells(reduced, cell_of_row, cells);
  const MatrixXd z = deviations(reduced, cell_of_row, model.cell_means_);
  const VectorXd rest =
      Eigen::Map<const VectorXd>(number_of_row.data(), guess_of_row.rows()) - guess_of_row.col(0);

  constexpr std::array<double, 10> kPenalties = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
  std::array<double, kPenalties.size()> losses{};
  for (const HeldOut& part : held_out_parts(rows.size(), settings.parts, key)) {
    progress.throw_if_stopped();
    const Ridge ridge(z(part.others, Eigen::all), rest(part.others));
    const MatrixXd z_tested = z(part.tested, Eigen::all);
    const VectorXd rest_tested = rest(part.tested);
    for (std::size_t p = 0; p < kPenalties.size(); ++p)
      losses[p] += (rest_tested - z_tested * ridge.weights(kPenalties[p]).col(0)).cwiseAbs().sum();
  }
  if (const auto penalty = best_penalty(kPenalties, losses, rest.cwiseAbs().sum()))
    model.weights_ = Ridge(z, rest).weights(*penalty);
  return model;
}

Linear Linear::of_classes(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                          std::uint32_t cells, std::span<const std::uint32_t> class_of_row,
                          const Predictions& guess_of_row, const LinearSettings& settings, const Key& key,
                          const Progress& progress) {
  validate(rows, class_of_row.size(), guess_of_row, cell_of_row, settings);
  Linear model;
  model.reduction_ = Reduction::of(rows, settings.components, key);
  const MatrixXd reduced = model.reduction_(rows);
  model.cell_means_ = means_of_cells(reduced, cell_of_row, cells);
  const MatrixXd z = deviations(reduced, cell_of_row, model.cell_means_);
  const Index classes = guess_of_row.cols();

  constexpr std::array<double, 8> kRowsAtZero = {0, 1, 3, 10, 30, 100, 300, 1000};
  std::array<double, kRowsAtZero.size()> losses{};
  double loss_of_guess = 0;
  for (const HeldOut& part : held_out_parts(rows.size(), settings.parts, key)) {
    progress.throw_if_stopped();
    std::vector<std::uint32_t> class_of_other;
    for (const Index row : part.others) class_of_other.push_back(class_of_row[static_cast<std::size_t>(row)]);
    const Discriminants found(z(part.others, Eigen::all), class_of_other, classes);
    const MatrixXd z_tested = z(part.tested, Eigen::all);
    const Predictions guesses = guess_of_row(part.tested, Eigen::all);
    loss_of_guess += log_loss(guesses, class_of_row, part.tested);
    for (std::size_t p = 0; p < kRowsAtZero.size(); ++p)
      losses[p] +=
          log_loss(tilted(guesses, z_tested, found.weights(kRowsAtZero[p])), class_of_row, part.tested);
  }
  if (const auto rows_at_zero = best_penalty(kRowsAtZero, losses, loss_of_guess)) {
    Weights found = Discriminants(z, class_of_row, classes).weights(*rows_at_zero);
    model.weights_ = std::move(found.weights);
    model.offsets_ = std::move(found.offsets);
  }
  return model;
}

Predictions Linear::predict(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                            const Predictions& guess_of_row) const {
  if (is_guess()) return guess_of_row;
  const MatrixXd z = deviations(reduction_(rows), cell_of_row, cell_means_);
  if (offsets_.size() == 0) return guess_of_row + z * weights_;
  return tilted(guess_of_row, z, {.weights = weights_, .offsets = offsets_});
}

}  // namespace hyobscure::learn
