#include "cluster_rows.h"

#include <optional>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/person/person_many.h"
#include "kernel_wards.h"

namespace hyobscure::python {
namespace {

/// Solves wards on the cluster.
class ClusterWards final : public solve::PoolSolver {
 public:
  ClusterWards(const nb::object& engine, const obscure::DescribeWard& describe, std::size_t wards,
               WardTerms how)
      : engine_(engine), describe_(describe), wards_(wards), how_(how) {
    const nb::gil_scoped_acquire locked;
    engine_.attr("begin")(how_);
  }

  std::vector<solve::PoolFigures> solve(std::span<const solve::PoolOrder> orders, const Progress&) override {
    std::vector<std::uint32_t> wards;
    std::vector<double> prices, tolerances;
    for (const solve::PoolOrder& order : orders) {
      wards.push_back(static_cast<std::uint32_t>(order.pool));
      prices.push_back(order.price);
      tolerances.push_back(order.tolerance);
    }
    const nb::gil_scoped_acquire locked;
    std::vector<solve::PoolFigures> found;
    for (const nb::handle each :
         engine_.attr("solve")(owned_array(std::move(wards)), owned_array(std::move(prices)),
                               owned_array(std::move(tolerances)))) {
      const auto [bound, distance, informed, learned, iterations] =
          nb::cast<std::tuple<double, double, double, double, int>>(each);
      found.push_back({bound, distance, informed, learned, iterations});
    }
    if (found.size() != orders.size()) refuse_batch("there are not figures for each ward");
    return found;
  }

  solve::OwnRows own_rows(std::size_t ward) const override { return solve::own_rows_of(describe_(ward)); }

  std::vector<solve::SparseChannel> take_channels() override {
    const nb::gil_scoped_acquire locked;
    std::vector<solve::SparseChannel> channels(wards_);
    for (const nb::handle each : engine_.attr("channels")()) {
      const auto [ward, channel] = nb::cast<std::tuple<std::size_t, WardChannel*>>(each);
      channels.at(ward) = channel->channel;
    }
    return channels;
  }

 private:
  const nb::object& engine_;
  const obscure::DescribeWard& describe_;
  std::size_t wards_;
  WardTerms how_;
};

class ClusterPools final : public obscure::FineRows {
 public:
  ClusterPools(nb::object engine, const obscure::Pools& pools) : engine_(std::move(engine)), pools_(pools) {}
  ~ClusterPools() override {
    const nb::gil_scoped_acquire locked;
    engine_.reset();
  }
  ClusterPools(const ClusterPools&) = delete;
  ClusterPools& operator=(const ClusterPools&) = delete;

  std::vector<std::vector<std::vector<std::uint32_t>>> cut(std::size_t most_in_ward,
                                                           std::span<const Key> key_of_pool,
                                                           const Progress&) override {
    std::vector<std::string> keys;
    for (const Key& key : key_of_pool) keys.push_back(key.text());
    std::vector<std::vector<std::vector<std::uint32_t>>> wards(pools_.size());
    const nb::gil_scoped_acquire locked;
    std::size_t pool = 0;
    for (const nb::handle each : engine_.attr("cut")(most_in_ward, keys)) {
      const auto ward_of_place = nb::cast<InputArray<std::uint32_t>>(each);
      if (pool == pools_.size() || ward_of_place.size() != pools_.members[pool].size())
        refuse_batch("there is not a ward for each person of the pool");
      for (std::uint32_t place = 0; place < ward_of_place.size(); ++place) {
        const std::uint32_t ward = ward_of_place.data()[place];
        if (ward >= wards[pool].size()) wards[pool].resize(ward + 1);
        wards[pool][ward].push_back(place);
      }
      ++pool;
    }
    return wards;
  }

  learn::LearnedSecret learn(const Key& key, const Progress&) override {
    std::vector<learn::LearnedSecret> of_pools;
    std::vector<std::uint32_t> value_of_person(pools_.pool_of_person.size());
    {
      const nb::gil_scoped_acquire locked;
      for (const nb::handle each : engine_.attr("learn")(key.text()))
        of_pools.push_back(nb::cast<LearnedPool&>(each).learned);
      const auto y = nb::cast<InputArray<std::uint32_t>>(engine_.attr("y"));
      if (y.size() != value_of_person.size()) refuse_batch("there is not a value for each person");
      std::copy_n(y.data(), y.size(), value_of_person.begin());
    }
    if (of_pools.size() != pools_.size()) refuse_batch("there is not a model for each pool");
    return learn::join_learned(of_pools, value_of_person, pools_.pool_of_person);
  }

  void gather(std::vector<std::vector<std::uint32_t>> people_of_ward, bool together,
              const Progress&) override {
    wards_ = people_of_ward.size();
    together_ = together;
    std::vector<std::uint32_t> ward_of_person(pools_.pool_of_person.size());
    for (std::uint32_t w = 0; w < wards_; ++w)
      for (const std::uint32_t u : people_of_ward[w]) ward_of_person[u] = w;
    const nb::gil_scoped_acquire locked;
    engine_.attr("gather")(owned_array(std::move(ward_of_person)), wards_);
  }

  void describe(obscure::DescribeWard ward) override {
    describe_ = std::move(ward);
    described_ = false;
  }

  std::vector<double> spreads(const Progress&) override {
    const nb::gil_scoped_acquire locked;
    return nb::cast<std::vector<double>>(engine_.attr("spreads")());
  }

  solve::PersonResult solve(const solve::PoolList& wards, const solve::PersonTerms& terms, double budget,
                            const solve::PersonSettings& settings, const Progress& progress) override {
    send_descriptions();
    const WardTerms how{terms, settings};
    if (!together_) {
      ClusterWards solver(engine_, describe_, wards_, how);
      return solve::solve_many_pools_with_budget(wards, solver, terms, budget, settings, progress);
    }
    const nb::gil_scoped_acquire locked;
    const nb::object solved = engine_.attr("together")(how, budget);
    return nb::cast<SolvedWards&>(solved).result;
  }

  double smallest_distance(const solve::PoolList&, const solve::PersonTerms&) override {
    throw InputError({.source = "method.self_donor"},
                     "how near strangers can be is found from all distances of all wards, which is not "
                     "distributed",
                     "Leave it out, or run it with the command line on one machine.");
  }

 private:
  /// Models may have been learned since the last solve, or not: only what is solved is sent.
  void send_descriptions() {
    if (described_) return;
    std::vector<WardPeople> people;
    for (std::size_t w = 0; w < wards_; ++w) people.push_back({describe_(w)});
    const nb::gil_scoped_acquire locked;
    nb::list sent;
    for (WardPeople& each : people) sent.append(nb::cast(std::move(each)));
    engine_.attr("describe")(sent);
    described_ = true;
  }

  nb::object engine_;
  const obscure::Pools& pools_;
  std::size_t wards_ = 0;
  bool together_ = false, described_ = false;
  obscure::DescribeWard describe_;
};

class ClusterRows final : public obscure::FineRowsOf {
 public:
  explicit ClusterRows(nb::object engine) : engine_(std::move(engine)) {}
  ~ClusterRows() override {
    const nb::gil_scoped_acquire locked;
    engine_.reset();
  }
  ClusterRows(const ClusterRows&) = delete;
  ClusterRows& operator=(const ClusterRows&) = delete;

  std::unique_ptr<obscure::FineRows> pools(const obscure::Pools& pools) override {
    const nb::gil_scoped_acquire locked;
    nb::object of_pools = engine_.attr("pools")(owned_array(std::vector(pools.pool_of_person)), pools.size());
    return std::make_unique<ClusterPools>(std::move(of_pools), pools);
  }

 private:
  nb::object engine_;
};

}  // namespace

std::unique_ptr<obscure::FineRowsOf> rows_of_cluster(nb::object engine) {
  return std::make_unique<ClusterRows>(std::move(engine));
}

}  // namespace hyobscure::python
