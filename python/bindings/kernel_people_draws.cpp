#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/release/publish.h"
#include "kernel_draws.h"
#include "kernel_state.h"

namespace hyobscure::python {
namespace {

/// The people of a mechanism, who are without rows and ids here.
data::People valued(const obscure::Mechanism& mechanism, const InputArray<std::uint32_t>& y) {
  data::People people;
  people.ids.resize(y.size());
  people.secrets.assign(y.data(), y.data() + y.size());
  const std::size_t values = mechanism.partition().group_of_values().size();
  const bool known = std::ranges::all_of(people.secrets, [&](std::uint32_t value) { return value < values; });
  if (!known || mechanism.people != static_cast<std::int64_t>(people.size()) || !mechanism.within_groups ||
      mechanism.smallest_pool > 0)
    throw InputError({.source = mechanism.source},
                     "its groups do not hold the people that it counted, or columns are kept",
                     "Run fit again with this data.");
  return people;
}

/// Lists of donors of some people who follow each other; donors are numbered among all.
struct DonorLists {
  std::uint32_t first = 0;  ///< of the people
  std::vector<std::uint32_t> groups;
  std::vector<std::size_t> starts = {0};
  std::vector<std::uint32_t> donors;
  std::vector<double> probabilities;
};

using ListsState = std::tuple<std::uint32_t, nb::bytes, nb::bytes, nb::bytes, nb::bytes>;

ListsState lists_state(const DonorLists& lists) {
  return {lists.first, packed_numbers(lists.groups), packed_numbers(lists.starts),
          packed_numbers(lists.donors), packed_numbers(lists.probabilities)};
}

DonorLists lists_of_state(const ListsState& state) {
  const auto& [first, groups, starts, donors, probabilities] = state;
  DonorLists lists{.first = first,
                   .groups = unpacked_numbers<std::uint32_t>(groups),
                   .starts = unpacked_numbers<std::size_t>(starts),
                   .donors = unpacked_numbers<std::uint32_t>(donors),
                   .probabilities = unpacked_numbers<double>(probabilities)};
  if (lists.starts.size() != lists.groups.size() + 1 || lists.starts.back() != lists.donors.size() ||
      lists.donors.size() != lists.probabilities.size())
    refuse_batch("lists of donors are damaged");
  return lists;
}

/// A mechanism of lists, on the driver: which list is whose.
class ListedPeople {
 public:
  ListedPeople(const Draws& draws, const InputArray<std::uint32_t>& y)
      : mechanism_(draws.mechanism()),
        pools_(obscure::pools_by_group(valued(mechanism_, y), mechanism_.partition())),
        place_(y.size()) {
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      if (std::get<obscure::PersonDraw>(mechanism_.channels[p].draw).size() != pools_.members[p].size())
        refuse_batch("there is not a list for each person");
      for (std::uint32_t place = 0; place < pools_.members[p].size(); ++place)
        place_[pools_.members[p][place]] = place;
    }
  }

  DonorLists lists(std::size_t begin, std::size_t end) const {
    if (begin > end || end > place_.size()) refuse_batch("there are fewer people");
    DonorLists found{.first = static_cast<std::uint32_t>(begin)};
    for (std::size_t u = begin; u < end; ++u) {
      const std::uint32_t pool = pools_.pool_of_person[u];
      const auto& draw = std::get<obscure::PersonDraw>(mechanism_.channels[pool].draw);
      for (std::size_t e = draw.starts[place_[u]]; e < draw.starts[place_[u] + 1]; ++e) {
        found.donors.push_back(pools_.members[pool][draw.donors[e]]);
        found.probabilities.push_back(draw.probabilities[e]);
      }
      found.starts.push_back(found.donors.size());
      found.groups.push_back(pool);
    }
    return found;
  }

  /// All that executors need beside the lists.
  std::tuple<std::string, std::vector<double>> key_and_retain() const {
    std::vector<double> retain;
    for (const obscure::Channel& channel : mechanism_.channels) retain.push_back(channel.retain);
    return {mechanism_.key.text(), retain};
  }

 private:
  const obscure::Mechanism& mechanism_;
  obscure::Pools pools_;
  std::vector<std::uint32_t> place_;  ///< of each person in their pool
};

/// Group and donor of each.
nb::tuple draw_of_lists(const std::tuple<std::string, std::vector<double>>& key_and_retain,
                        const InputTexts& ids, const DonorLists& lists) {
  const auto& [key, retain] = key_and_retain;
  const Texts texts(ids);
  if (texts.size() != lists.groups.size()) refuse_batch("there is not a list for each person");
  const release::ListedDraws draws(Key::from_text(key));
  std::vector<std::uint32_t> donors;
  for (std::size_t n = 0; n < texts.size(); ++n) {
    const std::size_t begin = lists.starts[n], count = lists.starts[n + 1] - begin;
    donors.push_back(draws.donor(texts[n], lists.first + static_cast<std::uint32_t>(n),
                                 retain.at(lists.groups[n]), {lists.donors.data() + begin, count},
                                 {lists.probabilities.data() + begin, count}));
  }
  return nb::make_tuple(owned_array(std::vector(lists.groups)), owned_array(std::move(donors)));
}

/// Of all people at once: donors are drawn by the distances of rows.
nb::tuple draw_of_rows(const std::string& text, const InputTexts& ids, const InputArray<std::uint32_t>& y,
                       const InputRows& rows, int threads) {
  const obscure::Mechanism mechanism = obscure::parse_mechanism(text, "mechanism");
  data::People people = valued(mechanism, y);
  const Texts texts(ids);
  if (texts.size() != people.size()) refuse_batch("there is not an id for each person");
  for (std::size_t u = 0; u < people.size(); ++u) people.ids[u] = std::string(texts[u]);
  people.features = rows_of(rows, static_cast<std::size_t>(mechanism.clusters.centres.cols()));
  const ThreadLimit limit(threads);
  auto donors = release::draw_donors(mechanism, people, census::assign(mechanism.clusters, people.features));
  return nb::make_tuple(owned_array(obscure::pools_by_group(people, mechanism.partition()).pool_of_person),
                        owned_array(std::move(donors)));
}

/// Two hashes of each id under the key of a mechanism.
nb::tuple published_hashes(const std::string& key, const InputTexts& ids, const FrameSpec& spec) {
  const Texts texts(ids);
  const NamedDraws draws(release::key_of_rows(Key::from_text(key), spec.spec));
  std::vector<std::uint64_t> first(texts.size()), second(texts.size());
  for (std::size_t u = 0; u < texts.size(); ++u) {
    const auto bits = draws.bits(texts[u]);
    first[u] = bits.first;
    second[u] = bits.second;
  }
  return nb::make_tuple(owned_array(std::move(first)), owned_array(std::move(second)));
}

}  // namespace

void bind_people_draw_kernels(nb::module_& module) {
  nb::class_<DonorLists>(module, "DonorLists", "Lists of donors of some people who follow each other.")
      .def("__getstate__", lists_state)
      .def("__setstate__", [](DonorLists& lists, const ListsState& state) {
        new (&lists) DonorLists(lists_of_state(state));
      });
  nb::class_<ListedPeople>(module, "ListedPeople", "A mechanism of lists, and which list is whose.")
      .def(nb::init<const Draws&, const InputArray<std::uint32_t>&>(), nb::keep_alive<1, 2>(),
           nb::arg("draws"), nb::arg("y"))
      .def("lists", &ListedPeople::lists, nb::arg("begin"), nb::arg("end"),
           "Those of people begin .. end - 1.")
      .def("key_and_retain", &ListedPeople::key_and_retain,
           "All that is needed to draw beside the lists; as private as the mechanism.");
  module.def("draw_of_lists", draw_of_lists, nb::arg("key_and_retain"), nb::arg("ids"), nb::arg("lists"),
             "Group and donor of each of these people.");
  module.def("draw_of_rows", draw_of_rows, nb::arg("mechanism"), nb::arg("ids"), nb::arg("y"),
             nb::arg("rows"), nb::arg("threads") = 1, "Group and donor of all people.");
  module.def("published_hashes", published_hashes, nb::arg("key"), nb::arg("ids"), nb::arg("spec"),
             "Two hashes: new ids (release.ids = \"replace\"), or the order of rows (\"shuffled\").");
}

}  // namespace hyobscure::python
