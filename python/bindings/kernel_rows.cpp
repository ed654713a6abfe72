#include <numeric>
#include <unordered_map>

#include "hyobscure/base/error.h"
#include "hyobscure/census/additive.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/read/read_parts.h"
#include "hyobscure/data/secret/atoms.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

nb::tuple merge_events(const InputArray<std::int64_t>& starts, const InputArray<std::uint32_t>& items,
                       const InputArray<double>& values, const FrameSpec& spec) {
  const auto begins = span_of(starts);
  if (begins.empty() || begins.front() != 0 || static_cast<std::size_t>(begins.back()) != items.size() ||
      items.size() != values.size() || !std::ranges::is_sorted(begins))
    refuse_batch("rows end where their entries do not");
  const data::MergeValues merge = data::merge_of(spec.spec);
  data::SparseRows rows;
  std::vector<data::RowEntry> entries;
  try {
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
      entries.clear();
      for (auto e = static_cast<std::size_t>(begins[r]); e < static_cast<std::size_t>(begins[r + 1]); ++e)
        entries.push_back({items.data()[e], values.data()[e]});
      data::append_merged(entries, merge, rows);
    }
  } catch (const data::RepeatedEvents&) {
    throw InputError({.source = "events", .column = spec.spec.events.item},
                     "some people have several events of one item",
                     "Say in events.repeated what that means: sum, mean or max.");
  }
  return given_of(rows);
}

/// How many of the bounds, which ascend, are not above each text: the part that it lies in, the first being
/// 0.
OwnedArray<std::uint32_t> parts_of_texts(const InputTexts& given, const InputTexts& ascending) {
  const Texts texts(given), bounds(ascending);
  std::vector<std::string_view> limits(bounds.size());
  for (std::size_t b = 0; b < limits.size(); ++b) limits[b] = bounds[b];
  std::vector<std::uint32_t> parts(texts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = static_cast<std::uint32_t>(std::ranges::upper_bound(limits, texts[i]) - limits.begin());
  return owned_array(std::move(parts));
}

/// The place of each text among others that are all different; -1: it is none of them.
OwnedArray<std::int32_t> find_texts(const InputTexts& wanted, const InputTexts& all) {
  const Texts texts(wanted), known(all);
  std::unordered_map<std::string_view, std::int32_t> places;
  places.reserve(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(known[i], static_cast<std::int32_t>(i));
  std::vector<std::int32_t> found(texts.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto place = places.find(texts[i]);
    found[i] = place == places.end() ? -1 : place->second;
  }
  return owned_array(std::move(found));
}

/// Where each of `count` keys begins in their order, and that order; equal keys stay as they are.
nb::tuple order_by_key(const InputArray<std::uint32_t>& given, std::size_t count) {
  const auto keys = span_of(given);
  if (std::ranges::any_of(keys, [&](std::uint32_t key) { return key >= count; }))
    refuse_batch("a key is too large");
  std::vector<std::int64_t> starts(count + 1, 0);
  for (const std::uint32_t key : keys) ++starts[key + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1), order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    order[static_cast<std::size_t>(next[keys[i]]++)] = static_cast<std::int64_t>(i);
  return nb::make_tuple(owned_array(std::move(starts)), owned_array(std::move(order)));
}

OwnedArray<std::uint32_t> cut_into_atoms(const InputArray<std::int64_t>& counts, int atoms) {
  const auto people = span_of(counts);
  return owned_array(data::cut_into_atoms({people.begin(), people.end()}, atoms).atom_of_value);
}

std::string fingerprint_block(const InputTexts& ids, const InputArray<std::uint32_t>& y,
                              const InputRows& rows) {
  const Texts texts(ids);
  data::People people;
  for (std::size_t u = 0; u < texts.size(); ++u) people.ids.emplace_back(texts[u]);
  people.secrets.assign(y.data(), y.data() + y.size());
  people.features = rows_of(rows, std::size_t{1} << 32);
  if (people.secrets.size() != people.size() || people.features.size() != people.size())
    refuse_batch("there are not as many rows as people");
  return data::fingerprint_of_block(people, 0, people.size());
}

std::string fingerprint(const std::vector<std::string>& blocks, const InputArray<double>& low,
                        const InputArray<double>& high, const Space* space) {
  return data::fingerprint_of_blocks(blocks, values_of(low, high, low, low),
                                     space == nullptr ? std::nullopt : std::optional(space->space));
}

void check_rows(const InputRows& rows, std::size_t columns, const FrameSpec& spec) {
  census::check_rows(spec.spec.channel.distance, rows_of(rows, columns), spec.spec.name);
}

std::pair<double, double> extent(const InputRows& rows, std::size_t columns) {
  const census::Extent found = census::extent_of(rows_of(rows, columns));
  return {found.entry, found.square};
}

}  // namespace

void bind_row_kernels(nb::module_& module) {
  module.attr("FINGERPRINT_BLOCK") = data::kFingerprintBlock;
  module.def(
      "merge_events", merge_events, nb::arg("starts"), nb::arg("items"), nb::arg("values"), nb::arg("spec"),
      "Rows of entries in any order: several of one item merged as events.repeated says, zeros left out.");
  module.def("parts_of_texts", parts_of_texts, nb::arg("texts"), nb::arg("bounds"),
             "How many of the bounds, ascending in binary order, are not above each text.");
  module.def("find_texts", find_texts, nb::arg("texts"), nb::arg("known"),
             "The place of each text among the known ones, which differ; -1: none.");
  module.def("order_by_key", order_by_key, nb::arg("keys"), nb::arg("count"),
             "Starts of the keys 0 .. count - 1, and the order that sorts them; equal ones keep theirs.");
  module.def("cut_into_atoms", cut_into_atoms, nb::arg("counts"), nb::arg("atoms"),
             "The atom of each value, from the people of each.");
  module.def("fingerprint_block", fingerprint_block, nb::arg("ids"), nb::arg("y"), nb::arg("rows"),
             "Hash of one block of people, FINGERPRINT_BLOCK of them in the order of their ids.");
  module.def("fingerprint", fingerprint, nb::arg("blocks"), nb::arg("low"), nb::arg("high"),
             nb::arg("space").none() = nb::none(),
             "Hash of all blocks and of the values of the secret: that of a mechanism file.");
  module.def("check_rows", check_rows, nb::arg("rows"), nb::arg("columns"), nb::arg("spec"),
             "Refuses rows that the spec's distance cannot use.");
  module.def(
      "extent", extent, nb::arg("rows"), nb::arg("columns"),
      "Largest entry and largest sum of squares of a row; of several batches, take the larger of each.");
}

}  // namespace hyobscure::python
