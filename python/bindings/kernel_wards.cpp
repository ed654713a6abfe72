#include "kernel_wards.h"

#include <numeric>
#include <optional>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/methods/fine_rows.h"
#include "hyobscure/obscure/neighbours/fair_tree.h"
#include "hyobscure/solve/person/person_many.h"
#include "kernel_state.h"

namespace hyobscure::python {
namespace {

std::vector<std::uint32_t> everybody(const data::SparseRows& rows) {
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<std::uint32_t> copied(const InputArray<std::uint32_t>& given) {
  return {given.data(), given.data() + given.size()};
}

void require_one_each(std::size_t given, std::size_t people) {
  if (given != people) refuse_batch("there is not a number for each person");
}

OwnedArray<std::uint32_t> cut_pool(const FrameSpec& spec, const InputRows& given, std::size_t columns,
                                   const InputArray<std::uint32_t>& y, std::uint32_t values, std::size_t most,
                                   const std::string& key, int threads) {
  const data::SparseRows rows = rows_of(given, columns);
  require_one_each(y.size(), rows.size());
  const ThreadLimit limit(threads);
  const auto wards = obscure::fair_wards(spec.spec.channel.distance, rows, everybody(rows), copied(y), values,
                                         most, Key::from_text(key));
  std::vector<std::uint32_t> ward_of_place(rows.size());
  for (std::uint32_t w = 0; w < wards.size(); ++w)
    for (const std::uint32_t place : wards[w]) ward_of_place[place] = w;
  return owned_array(std::move(ward_of_place));
}

LearnedPool learn_pool(const InputRows& given, std::size_t columns, const InputArray<std::uint32_t>& y,
                       const InputArray<std::uint32_t>& numbers, std::uint32_t values, const std::string& key,
                       int threads) {
  const data::SparseRows rows = rows_of(given, columns);
  require_one_each(y.size(), rows.size());
  require_one_each(numbers.size(), rows.size());
  const ThreadLimit limit(threads);
  const std::vector<std::uint32_t> one_group(rows.size(), 0);
  return {
      learn::learn_secret(rows, copied(y), values, one_group, {}, Key::from_text(key), {}, copied(numbers))};
}

double ward_spread(const FrameSpec& spec, const InputRows& given, std::size_t columns) {
  const data::SparseRows rows = rows_of(given, columns);
  return obscure::spread_of(spec.spec.channel.distance, rows, everybody(rows));
}

/// A ward with the distances of all its pairs.
struct WholeWard {
  std::unique_ptr<solve::PersonDistances> distances;
  solve::PersonPool pool;

  WholeWard(const FrameSpec& spec, const InputRows& given, std::size_t columns, const WardPeople& people)
      : pool(people.pool) {
    const data::SparseRows rows = rows_of(given, columns);
    require_one_each(pool.size(), rows.size());
    distances =
        obscure::distances_of_ward(obscure::RowDistances(spec.spec.channel.distance, rows, everybody(rows)));
    pool.distances = distances.get();
  }
};

std::pair<nb::tuple, WardChannel> solve_ward(const FrameSpec& spec, const InputRows& rows,
                                             std::size_t columns, const WardPeople& people,
                                             const WardTerms& how, double price, double tolerance,
                                             const WardChannel* start, int threads) {
  const ThreadLimit limit(threads);
  const WholeWard ward(spec, rows, columns, people);
  solve::validate({&ward.pool, 1}, how.terms);
  solve::SolvedPool solved =
      solve::solve_order(ward.pool, how.terms, how.settings, {.price = price, .tolerance = tolerance},
                         start == nullptr ? solve::SparseChannel{} : start->channel);
  const solve::PoolFigures& found = solved.figures;
  return {nb::make_tuple(found.bound, found.distance, found.informed, found.learned, found.iterations),
          WardChannel{std::move(solved.channel)}};
}

SolvedWards solve_wards_together(const FrameSpec& spec, const std::vector<InputRows>& rows,
                                 std::size_t columns, const std::vector<WardPeople>& people,
                                 const WardTerms& how, double budget, int threads) {
  if (rows.size() != people.size()) refuse_batch("there are not rows for each ward");
  const ThreadLimit limit(threads);
  std::vector<std::unique_ptr<WholeWard>> wards;
  std::vector<solve::PersonPool> pools;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    wards.push_back(std::make_unique<WholeWard>(spec, rows[w], columns, people[w]));
    pools.push_back(wards.back()->pool);
  }
  return {solve::solve_people_with_budget(pools, how.terms, budget, how.settings)};
}

using MatrixState = std::tuple<nb::bytes, Eigen::Index>;

template <class Matrix>
MatrixState matrix_state(const Matrix& matrix) {
  return {packed_numbers(matrix.data(), static_cast<std::size_t>(matrix.size())), matrix.cols()};
}

template <class Matrix>
Matrix matrix_of_state(const MatrixState& state) {
  return unpacked_matrix<Matrix>(std::get<0>(state), std::get<1>(state));
}

using PeopleState = std::tuple<nb::bytes, std::uint32_t, MatrixState, MatrixState, nb::bytes, nb::bytes>;

PeopleState people_state(const WardPeople& ward) {
  const solve::PersonPool& pool = ward.pool;
  return {packed_numbers(pool.value_of_person), pool.values,
          matrix_state(pool.learned),           matrix_state(pool.profiles),
          packed_numbers(pool.profile_block),   packed_numbers(pool.shares_of_lifts)};
}

WardPeople people_of_state(const PeopleState& state) {
  const auto& [values_of_people, values, learned, profiles, blocks, shares] = state;
  return {{.value_of_person = unpacked_numbers<std::uint32_t>(values_of_people),
           .values = values,
           .learned = matrix_of_state<solve::RowMatrixXf>(learned),
           .profiles = matrix_of_state<solve::RowMatrixXf>(profiles),
           .profile_block = unpacked_numbers<std::uint8_t>(blocks),
           .shares_of_lifts = unpacked_numbers<double>(shares)}};
}

using ChannelState = std::tuple<nb::bytes, nb::bytes, nb::bytes>;

ChannelState channel_state(const solve::SparseChannel& channel) {
  return {packed_numbers(channel.starts), packed_numbers(channel.donors),
          packed_numbers(channel.probabilities)};
}

solve::SparseChannel channel_of_state(const ChannelState& state) {
  const auto& [starts, donors, probabilities] = state;
  solve::SparseChannel channel{.starts = unpacked_numbers<std::size_t>(starts),
                               .donors = unpacked_numbers<std::uint32_t>(donors),
                               .probabilities = unpacked_numbers<double>(probabilities)};
  if (channel.starts.empty() || channel.starts.back() != channel.donors.size() ||
      channel.donors.size() != channel.probabilities.size())
    refuse_batch("a channel is damaged");
  return channel;
}

using LearnedState =
    std::tuple<MatrixState, nb::bytes, nb::bytes, MatrixState, nb::bytes, std::size_t, int, int>;

LearnedState learned_state(const LearnedPool& pool) {
  const learn::LearnedSecret& learned = pool.learned;
  const learn::GroupModel& model = learned.groups.front();
  return {matrix_state(learned.weights),
          packed_numbers(learned.block_of_person),
          packed_numbers(model.values),
          matrix_state(model.profiles),
          packed_numbers(learned.gains.data(), static_cast<std::size_t>(learned.gains.size())),
          learned.people_by_group_only,
          learned.models,
          learned.rounds};
}

LearnedPool learned_of_state(const LearnedState& state) {
  const auto& [weights, blocks, values, profiles, gains, by_group_only, models, rounds] = state;
  LearnedPool pool;
  learn::LearnedSecret& learned = pool.learned;
  learned.weights = matrix_of_state<learn::ProbabilityRows>(weights);
  learned.block_of_person = unpacked_numbers<std::uint8_t>(blocks);
  learned.groups = {{.values = unpacked_numbers<std::uint32_t>(values),
                     .profiles = matrix_of_state<learn::ProbabilityRows>(profiles)}};
  const auto numbers = unpacked_numbers<double>(gains);
  learned.gains =
      Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  learned.people_by_group_only = by_group_only;
  learned.models = models;
  learned.rounds = rounds;
  if (learned.block_of_person.size() != numbers.size() ||
      learned.weights.rows() != static_cast<Eigen::Index>(numbers.size()))
    refuse_batch("what was learned of a pool is damaged");
  return pool;
}

using TermsState = std::tuple<double, double, bool, bool, double, double, double, double, std::size_t, int>;

TermsState terms_state(const WardTerms& how) {
  return {how.terms.informed_weight,
          how.terms.learned_weight,
          how.terms.balanced,
          how.terms.self_donor,
          how.terms.lifts.least,
          how.terms.lifts.most,
          how.settings.gap_tolerance_bits,
          how.settings.gap_share,
          how.settings.dense_limit,
          how.settings.max_iterations};
}

WardTerms terms_of_state(const TermsState& state) {
  const auto& [informed, learned, balanced, self_donor, least, most, gap, share, dense, iterations] = state;
  return {
      .terms = {.informed_weight = informed,
                .learned_weight = learned,
                .balanced = balanced,
                .self_donor = self_donor,
                .lifts = {.least = least, .most = most}},
      .settings = {
          .gap_tolerance_bits = gap, .gap_share = share, .dense_limit = dense, .max_iterations = iterations}};
}

using FiguresState = std::tuple<bool, double, double, double, double, double, bool, double, int>;
using SolvedState = std::tuple<std::vector<ChannelState>, FiguresState>;

SolvedState solved_state(const SolvedWards& solved) {
  std::vector<ChannelState> channels;
  for (const solve::SparseChannel& channel : solved.result.channels)
    channels.push_back(channel_state(channel));
  const solve::PersonInfo& info = solved.result.info;
  return {std::move(channels),
          FiguresState{info.solved, info.informed_nats, info.learned_nats, info.distance, info.objective_nats,
                       info.gap_nats, info.all_donors, info.multiplier, info.iterations}};
}

SolvedWards solved_of_state(const SolvedState& state) {
  SolvedWards solved;
  for (const ChannelState& channel : std::get<0>(state))
    solved.result.channels.push_back(channel_of_state(channel));
  solve::PersonInfo& info = solved.result.info;
  std::tie(info.solved, info.informed_nats, info.learned_nats, info.distance, info.objective_nats,
           info.gap_nats, info.all_donors, info.multiplier, info.iterations) = std::get<1>(state);
  return solved;
}

/// A class that travels: pickled as `state`, made again by `made`.
template <class Held, class State>
nb::class_<Held> travelling(nb::module_& module, const char* name, const char* help,
                            State (*state)(const Held&), Held (*made)(const State&)) {
  return nb::class_<Held>(module, name, help)
      .def("__getstate__", [state](const Held& held) { return state(held); })
      .def("__setstate__", [made](Held& held, const State& given) { new (&held) Held(made(given)); });
}

ChannelState ward_channel_state(const WardChannel& ward) { return channel_state(ward.channel); }
WardChannel ward_channel_of_state(const ChannelState& state) { return {channel_of_state(state)}; }

}  // namespace

void bind_ward_kernels(nb::module_& module) {
  travelling(module, "WardPeople", "A ward without its distances.", people_state, people_of_state);
  travelling(module, "WardChannel", "Who publishes whose features in a ward.", ward_channel_state,
             ward_channel_of_state);
  travelling(module, "LearnedPool", "What a model says of the people of one pool.", learned_state,
             learned_of_state);
  travelling(module, "WardTerms", "How wards are solved.", terms_state, terms_of_state);
  travelling(module, "SolvedWards", "Wards that were solved as one problem.", solved_state, solved_of_state);
  module.def("cut_pool", cut_pool, nb::arg("spec"), nb::arg("rows"), nb::arg("columns"), nb::arg("y"),
             nb::arg("values"), nb::arg("most"), nb::arg("key"), nb::arg("threads") = 1,
             "Of each person of a pool the ward that they are in.");
  module.def("learn_pool", learn_pool, nb::arg("rows"), nb::arg("columns"), nb::arg("y"), nb::arg("numbers"),
             nb::arg("values"), nb::arg("key"), nb::arg("threads") = 1,
             "What a model of other people of the pool says of each; `numbers`: theirs among all people.");
  module.def("ward_spread", ward_spread, nb::arg("spec"), nb::arg("rows"), nb::arg("columns"),
             "The mean distance between some people of a ward.");
  module.def("solve_ward", solve_ward, nb::arg("spec"), nb::arg("rows"), nb::arg("columns"),
             nb::arg("people"), nb::arg("how"), nb::arg("price"), nb::arg("tolerance"),
             nb::arg("start").none() = nb::none(), nb::arg("threads") = 1,
             "(bound, distance, informed, learned, iterations) of a ward at a price of distance, and its "
             "channel; from a channel at another price, if any.");
  module.def("solve_wards_together", solve_wards_together, nb::arg("spec"), nb::arg("rows"),
             nb::arg("columns"), nb::arg("people"), nb::arg("how"), nb::arg("budget"), nb::arg("threads") = 1,
             "All wards as one problem within a budget.");
}

}  // namespace hyobscure::python
