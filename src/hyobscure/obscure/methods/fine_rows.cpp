#include "hyobscure/obscure/methods/fine_rows.h"

#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/neighbours/fair_tree.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {
namespace {

constexpr std::size_t kPeopleOfSpread = 256;

/// A ward with distances of its own.
struct OwnedWard {
  std::unique_ptr<solve::PersonDistances> distances;
  solve::PersonPool pool;
};

class RowsInMemory final : public FineRows {
 public:
  RowsInMemory(const data::People& people, census::Distance distance, const Pools& pools,
               std::shared_ptr<const ComposedRows> composed)
      : people_(people), distance_(distance), pools_(pools), composed_(std::move(composed)) {}

  std::vector<std::vector<std::vector<std::uint32_t>>> cut(std::size_t most_in_ward,
                                                           std::span<const Key> key_of_pool,
                                                           const Progress& progress) override {
    std::vector<std::vector<std::vector<std::uint32_t>>> wards;
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      std::vector<std::uint32_t> values;
      for (const std::uint32_t u : pools_.members[p]) values.push_back(people_.secrets[u]);
      wards.push_back(fair_wards(distance_, people_.features, pools_.members[p], values, value_count(),
                                 most_in_ward, key_of_pool[p], progress));
    }
    return wards;
  }

  learn::LearnedSecret learn(const Key& key, const Progress& progress) override {
    return learn::learn_secret(people_.features, people_.secrets, value_count(), pools_.pool_of_person, {},
                               key, progress);
  }

  void gather(std::vector<std::vector<std::uint32_t>> people_of_ward, bool together,
              const Progress& progress) override {
    wards_ = std::move(people_of_ward);
    if (!together) return;
    progress.report("distances of all pairs", 0, 0);
    for (const auto& ward : wards_) distances_.push_back(distances_of_ward(distances_of(ward), progress));
  }

  void describe(DescribeWard ward) override {
    describe_ = std::move(ward);
    kept_.clear();
    for (std::size_t w = 0; w < distances_.size(); ++w) {
      kept_.push_back(describe_(w));
      kept_.back().distances = distances_[w].get();
    }
  }

  std::vector<double> spreads(const Progress& progress) override {
    std::vector<double> found(wards_.size());
    parallel_blocks(wards_.size(), 1, [&](std::size_t w, std::size_t) {
      progress.throw_if_stopped();
      found[w] = spread_of(distance_, people_.features, wards_[w], progress);
    });
    return found;
  }

  solve::PersonResult solve(const solve::PoolList& wards, const solve::PersonTerms& terms, double budget,
                            const solve::PersonSettings& settings, const Progress& progress) override {
    return kept_.empty()
               ? solve::solve_many_pools_with_budget(Loaded(wards, *this), terms, budget, settings, progress)
               : solve::solve_people_with_budget(kept_, terms, budget, settings, progress);
  }

  double smallest_distance(const solve::PoolList& wards, const solve::PersonTerms& terms) override {
    return solve::smallest_person_distance(Loaded(wards, *this), terms);
  }

  std::span<const solve::PersonPool> kept() const override { return kept_; }

 private:
  /// The wards, each made when it is asked for.
  class Loaded final : public solve::PoolSource {
   public:
    Loaded(const solve::PoolList& wards, const RowsInMemory& rows) : wards_(wards), rows_(rows) {}
    std::size_t size() const override { return wards_.size(); }
    std::size_t people(std::size_t ward) const override { return wards_.people(ward); }
    std::size_t stratum(std::size_t ward) const override { return wards_.stratum(ward); }
    double spread(std::size_t ward) const override { return wards_.spread(ward); }
    bool own_rows_are_free() const override { return wards_.own_rows_are_free(); }
    std::shared_ptr<const solve::PersonPool> load(std::size_t ward) const override {
      return rows_.load(ward);
    }

   private:
    const solve::PoolList& wards_;
    const RowsInMemory& rows_;
  };

  std::shared_ptr<const solve::PersonPool> load(std::size_t ward) const {
    // a kept pool is nobody's: the pointer owns nothing
    if (!kept_.empty()) return {std::shared_ptr<const void>(), &kept_[ward]};
    auto owned = std::make_shared<OwnedWard>();
    owned->distances = distances_of_ward(distances_of(wards_[ward]));
    owned->pool = describe_(ward);
    owned->pool.distances = owned->distances.get();
    return {owned, &owned->pool};
  }

  RowDistances distances_of(std::span<const std::uint32_t> ward) const {
    return composed_ ? RowDistances(distance_, people_.features, composed_->rows, ward)
                     : RowDistances(distance_, people_.features, ward);
  }

  std::uint32_t value_count() const { return static_cast<std::uint32_t>(people_.values.size()); }

  const data::People& people_;
  census::Distance distance_;
  const Pools& pools_;
  std::shared_ptr<const ComposedRows> composed_;
  std::vector<std::vector<std::uint32_t>> wards_;
  DescribeWard describe_;
  std::vector<std::unique_ptr<solve::PersonDistances>> distances_;  ///< of the kept ones
  std::vector<solve::PersonPool> kept_;
};

}  // namespace

std::unique_ptr<FineRows> rows_in_memory(const data::People& people, census::Distance distance,
                                         const Pools& pools, std::shared_ptr<const ComposedRows> composed) {
  return std::make_unique<RowsInMemory>(people, distance, pools, std::move(composed));
}

double spread_of(census::Distance distance, const data::SparseRows& rows, std::span<const std::uint32_t> ward,
                 const Progress& progress) {
  const std::size_t size = ward.size(), count = std::min(size, kPeopleOfSpread);
  std::vector<std::uint32_t> some;
  for (std::size_t n = 0; n < count; ++n) some.push_back(ward[n * size / count]);
  const DistanceTable pairs = all_distances(RowDistances(distance, rows, some), progress);
  return static_cast<double>(pairs.sum()) / static_cast<double>(count * (count - 1));
}

std::unique_ptr<solve::PersonDistances> distances_of_ward(const RowDistances& distances,
                                                          const Progress& progress) {
  return std::make_unique<solve::DistanceMatrix>(all_distances(distances, progress));
}

}  // namespace hyobscure::obscure
