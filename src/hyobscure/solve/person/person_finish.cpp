#include "hyobscure/solve/person/person_finish.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hyobscure/solve/person/person_by_donor.h"
#include "hyobscure/solve/person/person_lifts.h"
#include "hyobscure/solve/person/person_sums.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {
namespace {

constexpr double kColumnTolerance = 1e-9;
// Probabilities below this share of the tolerance, per person, are left out: they cost as much time and space
// as others, and change next to nothing. Within:
constexpr double kShareOfSmallest = 0.05, kSmallest = 1e-7, kLargestSmallest = 1e-5;
constexpr int kMostScalings = 3000;
constexpr int kMostLimitings = 300;
constexpr double kShareOfRepair = 0.05;  // of the tolerance
constexpr double kNatsOfRepair = 20;     // a unit of mass: -log of the share of a rare value, and then some

/// The largest entry of a row stays whatever it is.
SparseChannel prune(const Support& support, std::span<const float> values, double smallest) {
  SparseChannel channel;
  for (std::size_t u = 0; u < support.people_count(); ++u) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(support.starts[u]);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(support.starts[u + 1]);
    // a row never becomes empty
    const double limit = std::min<double>(smallest, *std::max_element(begin, end));
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      if (values[pair] >= limit) {
        channel.donors.push_back(support.donors[pair]);
        channel.probabilities.push_back(values[pair]);
      }
    channel.starts.push_back(channel.donors.size());
  }
  return channel;
}

/// Sinkhorn's scalings of a channel whose rows are normalised, kept apart from it until they are applied.
class Scaling {
 public:
  explicit Scaling(SparseChannel& channel)
      : channel_(channel),
        by_donor_(by_donor(channel)),
        kernel_(channel.donors.size()),
        rows_(channel.size(), 1.0),
        columns_(channel.size(), 1.0),
        errors_(channel.size()) {
    for (std::size_t k = 0; k < kernel_.size(); ++k) kernel_[k] = channel.probabilities[by_donor_.places[k]];
  }

  double largest_error() const { return std::max(std::ranges::max(errors_), -std::ranges::min(errors_)); }
  double total_error() const {
    double sum = 0;
    for (const double error : errors_) sum += std::abs(error);
    return sum;
  }
  /// Somebody whom nobody publishes cannot be scaled; nor a pattern whose factors run away, before they
  /// overflow.
  bool can_scale() const {
    return std::ranges::min(errors_) > -1 && std::ranges::max(columns_) < 1e100 &&
           std::ranges::min(rows_) > 1e-100;
  }

  /// Measures the columns as they stand.
  void measure() {
    parallel_blocks(columns_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) {
        double sum = 0;
        for (std::size_t k = by_donor_.starts[j]; k < by_donor_.starts[j + 1]; ++k)
          sum += kernel_[k] * rows_[by_donor_.people[k]];
        // person_sparse.md, "The channel to return": columns must be within 1e-9
        errors_[j] = sum * columns_[j] - 1;
      }
    });
  }

  void scale() {
    for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j] /= 1 + errors_[j];
    parallel_blocks(rows_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t u = begin; u < end; ++u) {
        double sum = 0;
        for (std::size_t k = channel_.starts[u]; k < channel_.starts[u + 1]; ++k)
          sum += channel_.probabilities[k] * columns_[channel_.donors[k]];
        rows_[u] = 1 / sum;
      }
    });
  }

  void apply() {
    for (std::size_t u = 0; u < channel_.size(); ++u)
      for (std::size_t k = channel_.starts[u]; k < channel_.starts[u + 1]; ++k)
        channel_.probabilities[k] *= rows_[u] * columns_[channel_.donors[k]];
    normalise_rows(channel_);
  }

 private:
  SparseChannel& channel_;
  const ChannelByDonor by_donor_;
  std::vector<double> kernel_;  // the channel before it is scaled, donor by donor
  std::vector<double> rows_, columns_, errors_;
};

/// Brings a channel near to its limits on lifts: rows in turn with columns, each projected onto the shares
/// that are allowed (person_sparse.md, "Limits on lifts"), until what is off is `repairable`.
class LimitedScaling {
 public:
  LimitedScaling(const PoolTask& task, SparseChannel& channel)
      : task_(task),
        channel_(channel),
        by_donor_(by_donor(channel)),
        limits_(share_limits(task.pool, task.terms)),
        rows_(channel.size(), 1.0),
        factors_(channel.size() * task.pool.values, 1.0) {}

  void run(double repairable) {
    for (int round = 0; round < kMostLimitings && project_columns() > repairable; ++round) scale_rows();
    for (std::size_t u = 0; u < channel_.size(); ++u)
      for (std::size_t k = channel_.starts[u]; k < channel_.starts[u + 1]; ++k)
        channel_.probabilities[k] *= rows_[u] * factors_[place(u, channel_.donors[k])];
    normalise_rows(channel_);
  }

 private:
  std::size_t place(std::size_t u, std::size_t j) const {
    return j * task_.pool.values + task_.pool.value_of_person[u];
  }

  /// Sets the factors; how far the cells were off before.
  double project_columns() {
    return sum_over_blocks(channel_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<double> weights(task_.pool.values), shares(task_.pool.values);
      double error = 0;
      for (std::size_t j = begin; j < end; ++j) {
        std::ranges::fill(weights, 0.0);
        for (std::size_t k = by_donor_.starts[j]; k < by_donor_.starts[j + 1]; ++k) {
          const std::uint32_t u = by_donor_.people[k];
          weights[task_.pool.value_of_person[u]] += channel_.probabilities[by_donor_.places[k]] * rows_[u];
        }
        if (by_donor_.starts[j] == by_donor_.starts[j + 1]) continue;
        nearest_shares(weights, limits_.least, limits_.most, shares);
        const double output = task_.terms.balanced ? 1 : output_of(weights, shares);
        for (std::size_t y = 0; y < shares.size(); ++y) {
          double& factor = factors_[j * shares.size() + y];
          error += std::abs(weights[y] * factor - output * shares[y]);
          if (weights[y] > 0) factor = output * shares[y] / weights[y];
        }
      }
      return error;
    });
  }

  static double output_of(const std::vector<double>& weights, const std::vector<double>& shares) {
    double log_output = 0;
    for (std::size_t y = 0; y < shares.size(); ++y)
      if (shares[y] > 0 && weights[y] > 0) log_output -= shares[y] * std::log(shares[y] / weights[y]);
    return std::exp(log_output);
  }

  void scale_rows() {
    parallel_blocks(rows_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t u = begin; u < end; ++u) {
        double sum = 0;
        for (std::size_t k = channel_.starts[u]; k < channel_.starts[u + 1]; ++k)
          sum += channel_.probabilities[k] * factors_[place(u, channel_.donors[k])];
        if (sum > 0) rows_[u] = 1 / sum;
      }
    });
  }

  const PoolTask& task_;
  SparseChannel& channel_;
  const ChannelByDonor by_donor_;
  const ShareLimits limits_;
  std::vector<double> rows_, factors_;
};

enum class Balance { Reached, WorthRepair, Failed };

/// Scales until the columns are as good as they must be, or so good that moving the rest, wherever it goes,
/// costs next to nothing: `repairable` of all columns together.
Balance balance(SparseChannel& channel, double repairable) {
  Scaling scaling(channel);
  for (int round = 0; round < kMostScalings; ++round) {
    scaling.measure();
    const bool reached = scaling.largest_error() <= kColumnTolerance;
    if (reached || scaling.total_error() <= repairable) {
      scaling.apply();
      return reached ? Balance::Reached : Balance::WorthRepair;
    }
    if (!scaling.can_scale()) break;
    scaling.scale();
  }
  scaling.apply();
  return Balance::Failed;
}

/// Mass that may be moved to any donor for a small part of the tolerance. A unit of it costs the distance of
/// the farthest donor and some nats.
double repairable_mass(const PoolTask& task, const Support& support) {
  // Moved mass costs at most lambda (d_new + d_old) in distance and about log(1/q) in leakage a unit; a
  // twentieth of the tolerance may be spent so.
  const double farthest = std::ranges::max(support.distances);
  return kShareOfRepair * task.tolerance / (kNatsOfRepair + 2 * task.multiplier * farthest);
}

struct Gift {
  std::uint32_t person, donor;
  double amount;
};

/// Gives `amount` to row u and column u, where nobody may be their own donor: someone else's mass for a third
/// person makes room.
void give_around(SparseChannel& channel, std::uint32_t u, double amount, std::vector<Gift>& gifts) {
  for (std::uint32_t v = 0; v < channel.size(); ++v) {
    if (v == u) continue;
    for (std::size_t k = channel.starts[v]; k < channel.starts[v + 1]; ++k)
      if (channel.donors[k] != u && channel.probabilities[k] >= amount) {
        channel.probabilities[k] -= amount;
        gifts.push_back({v, u, amount});
        gifts.push_back({u, channel.donors[k], amount});
        return;
      }
  }
}

/// What the rows lack, given to the columns that lack it, wherever they are.
std::vector<Gift> gifts_of(const SparseChannel& channel) {
  std::vector<Gift> gifts;
  std::vector<double> lacking = column_sums(channel);
  for (double& sum : lacking) sum = std::max(0.0, 1 - sum);
  std::uint32_t needy = 0;  // no column before it lacks anything
  for (std::uint32_t u = 0; u < channel.size(); ++u) {
    double lack = 1;
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) lack -= channel.probabilities[k];
    while (lack > 0 && needy < channel.size()) {
      const double gift = std::min(lack, lacking[needy]);
      if (gift > 0) gifts.push_back({u, needy, gift});
      lack -= gift;
      lacking[needy] -= gift;
      // north-west corner rule: at most people + columns gifts
      if (lacking[needy] <= 0) ++needy;
    }
  }
  return gifts;
}

/// The channel and the gifts together; entries that were given away whole are left out.
SparseChannel with_gifts(const SparseChannel& channel, std::vector<Gift> gifts) {
  std::ranges::sort(gifts, {}, [](const Gift& gift) { return std::pair(gift.person, gift.donor); });
  SparseChannel result;
  std::size_t gift = 0;
  const auto add = [&](std::uint32_t donor, double probability) {
    if (probability <= 0) return;
    if (result.donors.size() > result.starts.back() && result.donors.back() == donor) {
      result.probabilities.back() += probability;
      return;
    }
    result.donors.push_back(donor);
    result.probabilities.push_back(probability);
  };
  for (std::uint32_t u = 0; u < channel.size(); ++u) {
    const auto given_up_to = [&](std::size_t donor) {
      for (; gift < gifts.size() && gifts[gift].person == u && gifts[gift].donor <= donor; ++gift)
        add(gifts[gift].donor, gifts[gift].amount);
    };
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) {
      given_up_to(channel.donors[k]);
      add(channel.donors[k], channel.probabilities[k]);
    }
    given_up_to(channel.size());
    result.starts.push_back(result.donors.size());
  }
  return result;
}

/// Takes from columns that have too much and gives what the rows then lack to the columns that have too
/// little, wherever they are: at most two small entries a person, for what scalings are too slow to repair.
void repair(const PoolTask& task, SparseChannel& channel) {
  const auto before = column_sums(channel);
  for (std::size_t k = 0; k < channel.donors.size(); ++k)
    // after this no column is above 1 and no row: rows and columns lack the same in all, which the gifts give
    channel.probabilities[k] /= std::max(1.0, before[channel.donors[k]]);
  std::vector<Gift> gifts;
  for (const Gift& gift : gifts_of(channel)) {
    if (is_allowed(task.pool, task.terms, gift.person, gift.donor))
      gifts.push_back(gift);
    else
      give_around(channel, gift.person, gift.amount, gifts);
  }
  channel = with_gifts(channel, std::move(gifts));
}

/// sum_y v log( v / (q R) ) of one column.
double column_leakage(const Eigen::VectorXd& masses, const Eigen::VectorXd& shares) {
  const double total = masses.sum();
  double sum = 0;
  for (Eigen::Index y = 0; y < masses.size(); ++y)
    if (masses(y) > 0) sum += masses(y) * std::log(masses(y) / (shares(y) * total));
  return sum;
}

}  // namespace

SparseChannel finish_channel(const PoolTask& task, const Support& support, std::span<const float> values) {
  // A pattern that lost too much may not be scalable any more; one that lost next to nothing always is.
  SparseChannel channel;
  const double per_person = task.tolerance / static_cast<double>(task.pool.size());
  const double first = std::clamp(kShareOfSmallest * per_person, kSmallest, kLargestSmallest);
  for (const double smallest : {first, 1e-3 * kSmallest}) {
    channel = prune(support, values, smallest);
    normalise_rows(channel);
    if (task.terms.lifts.any()) {
      LimitedScaling(task, channel).run(repairable_mass(task, support));
      return within_lift_limits(task.pool, task.terms, channel);
    }
    if (!task.terms.balanced) return channel;
    const Balance reached = balance(channel, repairable_mass(task, support));
    if (reached == Balance::Reached) return channel;
    if (reached == Balance::WorthRepair) break;
  }
  repair(task, channel);
  normalise_rows(channel);
  return channel;
}

double leakage_of_channel(const PoolTask& task, const SparseChannel& channel) {
  const ChannelByDonor columns = by_donor(channel);
  const Eigen::VectorXd informed_q = informed_shares(task.pool);
  const Eigen::VectorXd learned_q = counts_learned(task) ? learned_shares(task.pool) : Eigen::VectorXd();
  return sum_over_blocks(channel.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    Eigen::VectorXd informed(informed_q.size());
    Eigen::RowVectorXd learned(counts_learned(task) ? profile_count(task.pool) : 0);
    for (std::size_t j = begin; j < end; ++j) {
      informed.setZero();
      learned.setZero();
      for (std::size_t k = columns.starts[j]; k < columns.starts[j + 1]; ++k) {
        const std::uint32_t u = columns.people[k];
        const double amount = channel.probabilities[columns.places[k]];
        informed(task.pool.value_of_person[u]) += amount;
        if (counts_learned(task))
          learned.segment(first_profile(task.pool, u), task.pool.learned.cols()) +=
              amount * task.pool.learned.row(u).cast<double>();
      }
      // person_sparse.md: w1 F1 + w2 F2, from v_j(y) of the channel that is returned
      sum += task.terms.informed_weight * column_leakage(informed, informed_q) +
             (counts_learned(task)
                  ? task.terms.learned_weight * column_leakage(expand(task.pool, learned), learned_q)
                  : 0);
    }
    return sum;
  });
}

// Nearly all pairs are on the support; a repair may have added others.
double distance_of_channel(const PersonPool& pool, const Support& support, const SparseChannel& channel) {
  return sum_over_blocks(channel.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t u = begin; u < end; ++u) {
      std::size_t pair = support.starts[u];
      for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) {
        while (pair < support.starts[u + 1] && support.donors[pair] < channel.donors[k]) ++pair;
        const bool known = pair < support.starts[u + 1] && support.donors[pair] == channel.donors[k];
        float distance = 0;
        if (known)
          distance = support.distances[pair];
        else
          pool.distances->distances_to(u, {&channel.donors[k], 1}, {&distance, 1});
        sum += channel.probabilities[k] * distance;
      }
    }
    return sum;
  });
}

}  // namespace hyobscure::solve
