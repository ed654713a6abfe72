// hyobscure._core.kernels: the steps of a census and a release that an engine runs on many machines, each on
// a batch of people. Arrays come and go as numpy arrays; rows are (starts, items, values), texts (offsets,
// bytes).

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <toml++/toml.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "bind.h"
#include "hyobscure/base/error.h"
#include "hyobscure/census/cell_sums.h"
#include "hyobscure/census/census.h"
#include "hyobscure/census/checked_rows.h"
#include "hyobscure/data/read.h"
#include "hyobscure/data/read_parts.h"
#include "hyobscure/obscure/fit.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/manifest.h"

namespace hyobscure::python {
namespace {

template <class Number>
using Given = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Number>
using Made = nb::ndarray<nb::numpy, Number, nb::ndim<1>>;
using GivenRows = std::tuple<Given<std::int64_t>, Given<std::uint32_t>, Given<double>>;
using GivenTexts = std::tuple<Given<std::int64_t>, Given<std::uint8_t>>;

template <class Number>
std::span<const Number> span_of(const Given<Number>& given) {
  return {given.data(), given.size()};
}

template <class Number>
Made<Number> made(std::vector<Number> numbers) {
  auto owned = std::make_unique<std::vector<Number>>(std::move(numbers));
  Number* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(),
                    [](void* memory) noexcept { delete static_cast<std::vector<Number>*>(memory); });
  return Made<Number>(data, {size}, owner);
}

[[noreturn]] void refuse_batch(const char* problem) {
  throw InputError({.source = "batch"}, problem, "Give arrays that belong together.");
}

data::SparseRows rows_of(const GivenRows& given, std::size_t columns) {
  const auto starts = span_of(std::get<0>(given));
  const auto items = span_of(std::get<1>(given));
  const auto values = span_of(std::get<2>(given));
  if (starts.empty() || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
      static_cast<std::size_t>(starts.back()) != items.size() || items.size() != values.size())
    refuse_batch("rows end where their entries do not");
  if (!items.empty() && *std::ranges::max_element(items) >= columns)
    refuse_batch("an item is beyond the columns");
  data::SparseRows rows;
  rows.columns = columns;
  rows.starts.assign(starts.begin(), starts.end());
  rows.items = std::vector<std::uint32_t>(items.begin(), items.end());
  rows.values = std::vector<double>(values.begin(), values.end());
  return rows;
}

nb::tuple given_of(const data::SparseRows& rows) {
  return nb::make_tuple(made(std::vector<std::int64_t>(rows.starts.begin(), rows.starts.end())),
                        made(std::vector<std::uint32_t>(rows.items.begin(), rows.items.end())),
                        made(std::vector<double>(rows.values.begin(), rows.values.end())));
}

/// Views into the given bytes.
class Texts {
 public:
  explicit Texts(const GivenTexts& given)
      : offsets_(span_of(std::get<0>(given))), bytes_(span_of(std::get<1>(given))) {
    if (offsets_.empty() || !std::ranges::is_sorted(offsets_) || offsets_.front() < 0 ||
        static_cast<std::size_t>(offsets_.back()) > bytes_.size())
      refuse_batch("texts end where their bytes do not");
  }
  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + offsets_[i],
            static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

 private:
  std::span<const std::int64_t> offsets_;
  std::span<const std::uint8_t> bytes_;
};

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// --- the spec

/// A spec whose tables are frames of the engine; travels between machines as it was written.
struct FrameSpec {
  std::string text, name;
  std::map<std::string, std::string> overrides;
  data::Spec spec;

  FrameSpec(std::string toml, std::string called, std::map<std::string, std::string> given)
      : text(std::move(toml)), name(std::move(called)), overrides(std::move(given)) {
    std::vector<data::Override> all;
    for (const auto& [key, value] : overrides) all.push_back({.name = key, .text = value, .flag = key});
    all.push_back({.name = "people.file", .text = "people"});
    if (names_events()) all.push_back({.name = "events.file", .text = "events"});
    spec = data::parse_spec(text, name, ".", all);
  }

 private:
  bool names_events() const {
    if (std::ranges::any_of(overrides, [](const auto& given) { return given.first.starts_with("events."); }))
      return true;
    const auto parsed = toml::parse(text);
    return parsed.contains("events");
  }
};

std::string value_of(const FrameSpec& given, const std::string& key) {
  for (const data::SettingValue& setting : data::setting_values(given.spec))
    if (setting.name == key) return setting.value;
  throw InputError({.source = given.name, .column = key}, "there is no such setting",
                   "Take one of docs/settings.md.");
}

void bind_spec(nb::module_& module) {
  nb::class_<FrameSpec>(module, "Spec", "A spec whose tables are frames.")
      .def(nb::init<std::string, std::string, std::map<std::string, std::string>>(), nb::arg("text"),
           nb::arg("name") = "spec", nb::arg("overrides") = std::map<std::string, std::string>())
      .def("__getstate__", [](const FrameSpec& s) { return std::tuple(s.text, s.name, s.overrides); })
      .def("__setstate__",
           [](FrameSpec& s,
              const std::tuple<std::string, std::string, std::map<std::string, std::string>>& state) {
             new (&s) FrameSpec(std::get<0>(state), std::get<1>(state), std::get<2>(state));
           })
      .def("get", value_of, nb::arg("key"), "The value of a key as a spec would write it; \"none\".")
      .def_ro("name", &FrameSpec::name)
      .def_prop_ro("is_long", [](const FrameSpec& s) { return s.spec.is_long(); })
      .def_prop_ro("id", [](const FrameSpec& s) { return s.spec.people.id; })
      .def_prop_ro("secrets", [](const FrameSpec& s) { return s.spec.people.secret.all; })
      .def_prop_ro("secret_kinds", [](const FrameSpec& s) { return s.spec.secret.kind.all; })
      .def_prop_ro("features", [](const FrameSpec& s) { return s.spec.people.features; })
      .def_prop_ro("keep", [](const FrameSpec& s) { return s.spec.people.keep; })
      .def_prop_ro("categorical", [](const FrameSpec& s) { return s.spec.people.categorical; })
      .def_prop_ro("sets", [](const FrameSpec& s) { return s.spec.people.sets; })
      .def_prop_ro("set_separator", [](const FrameSpec& s) { return s.spec.people.set_separator; })
      .def_prop_ro("person", [](const FrameSpec& s) { return s.spec.events.person; })
      .def_prop_ro("item", [](const FrameSpec& s) { return s.spec.events.item; })
      .def_prop_ro("value", [](const FrameSpec& s) { return s.spec.events.value; })
      .def_prop_ro("time", [](const FrameSpec& s) { return s.spec.events.time; })
      .def_prop_ro("keep_range", [](const FrameSpec& s) { return s.spec.secret.keep; })
      .def_prop_ro("atoms", [](const FrameSpec& s) { return s.spec.secret.atoms; })
      .def_prop_ro("fewest_people", [](const FrameSpec& s) { return s.spec.secret.fewest_people; })
      .def_prop_ro("clusters", [](const FrameSpec& s) { return s.spec.channel.clusters.count; })
      .def_prop_ro("automatic_clusters", [](const FrameSpec& s) { return s.spec.channel.clusters.automatic; })
      .def_prop_ro("distance", [](const FrameSpec& s) { return s.spec.channel.distance; })
      .def_prop_ro("method", [](const FrameSpec& s) { return s.spec.method.name; })
      .def_prop_ro("seed", [](const FrameSpec& s) { return s.spec.method.seed; })
      .def_prop_ro("ids", [](const FrameSpec& s) { return s.spec.release.ids; })
      .def_prop_ro("order", [](const FrameSpec& s) { return s.spec.release.order; });
}

// --- rows

nb::tuple merge_events(const Given<std::int64_t>& starts, const Given<std::uint32_t>& items,
                       const Given<double>& values, const FrameSpec& spec) {
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

Made<std::uint32_t> cut_into_atoms(const Given<std::int64_t>& counts, int atoms) {
  const auto people = span_of(counts);
  return made(data::cut_into_atoms({people.begin(), people.end()}, atoms).atom_of_value);
}

std::string fingerprint_block(const GivenTexts& ids, const Given<std::uint32_t>& y, const GivenRows& rows) {
  const Texts texts(ids);
  data::People people;
  for (std::size_t u = 0; u < texts.size(); ++u) people.ids.emplace_back(texts[u]);
  people.secrets.assign(y.data(), y.data() + y.size());
  people.features = rows_of(rows, std::size_t{1} << 32);
  if (people.secrets.size() != people.size() || people.features.size() != people.size())
    refuse_batch("there are not as many rows as people");
  return data::fingerprint_of_block(people, 0, people.size());
}

std::vector<data::SecretValue> values_of(const Given<double>& low, const Given<double>& high,
                                         const Given<double>& centre, const Given<double>& distinct) {
  std::vector<data::SecretValue> values;
  for (std::size_t v = 0; v < low.size(); ++v)
    values.push_back({.low = low.data()[v],
                      .high = high.data()[v],
                      .centre = centre.data()[v],
                      .distinct = distinct.data()[v]});
  return values;
}

std::string fingerprint(const std::vector<std::string>& blocks, const Given<double>& low,
                        const Given<double>& high) {
  return data::fingerprint_of_blocks(blocks, values_of(low, high, low, low), std::nullopt);
}

void check_rows(const GivenRows& rows, std::size_t columns, const FrameSpec& spec) {
  census::check_rows(census::distance_named(spec.spec.channel.distance), rows_of(rows, columns),
                     spec.spec.name);
}

std::pair<double, double> extent(const GivenRows& rows, std::size_t columns) {
  const census::Extent found = census::extent_of(rows_of(rows, columns));
  return {found.entry, found.square};
}

void bind_rows(nb::module_& module) {
  module.attr("FINGERPRINT_BLOCK") = data::kFingerprintBlock;
  module.def(
      "merge_events", merge_events, nb::arg("starts"), nb::arg("items"), nb::arg("values"), nb::arg("spec"),
      "Rows of entries in any order: several of one item merged as events.repeated says, zeros left out.");
  module.def("cut_into_atoms", cut_into_atoms, nb::arg("counts"), nb::arg("atoms"),
             "The atom of each value, from the people of each.");
  module.def("fingerprint_block", fingerprint_block, nb::arg("ids"), nb::arg("y"), nb::arg("rows"),
             "Hash of one block of people, FINGERPRINT_BLOCK of them in the order of their ids.");
  module.def("fingerprint", fingerprint, nb::arg("blocks"), nb::arg("low"), nb::arg("high"),
             "Hash of all blocks and of the values of the secret: that of a mechanism file.");
  module.def("check_rows", check_rows, nb::arg("rows"), nb::arg("columns"), nb::arg("spec"),
             "Refuses rows that the spec's distance cannot use.");
  module.def(
      "extent", extent, nb::arg("rows"), nb::arg("columns"),
      "Largest entry and largest sum of squares of a row; of several batches, take the larger of each.");
}

// --- clusters

struct Model {
  census::ClusterModel model;

  std::size_t columns() const { return static_cast<std::size_t>(model.centres.cols()); }
};

std::optional<Made<std::uint32_t>> sample(std::size_t people, const FrameSpec& spec) {
  const auto chosen = census::sample_for_clusters(people, obscure::census_settings(spec.spec).clustering,
                                                  census::clusters_key(obscure::census_key(spec.spec)));
  if (!chosen) return std::nullopt;
  return made(*chosen);
}

Model cluster(const GivenRows& given, std::size_t columns, const FrameSpec& spec, bool sampled) {
  const data::SparseRows rows = rows_of(given, columns);
  const census::KMeansSettings settings = obscure::census_settings(spec.spec).clustering;
  const Key key = census::clusters_key(obscure::census_key(spec.spec));
  return {sampled ? census::cluster_sample(rows, settings, key)
                  : census::cluster_rows(rows, settings, key).model};
}

Made<std::int64_t> canonical_order(const Given<std::int64_t>& sizes, const Given<std::int64_t>& firsts) {
  const std::vector<std::size_t> people(sizes.data(), sizes.data() + sizes.size());
  const std::vector<std::size_t> rows(firsts.data(), firsts.data() + firsts.size());
  if (people.size() != rows.size()) refuse_batch("there is not a first row for each cluster");
  const auto order = census::canonical_order(people, rows);
  return made(std::vector<std::int64_t>(order.begin(), order.end()));
}

Model reordered(const Model& model, const Given<std::int64_t>& order) {
  const std::vector<Eigen::Index> numbers(order.data(), order.data() + order.size());
  return {census::reorder(model.model, numbers)};
}

nb::tuple model_state(const Model& model) {
  const Eigen::MatrixXd& centres = model.model.centres;
  return nb::make_tuple(centres.rows(), centres.cols(), model.model.normalise,
                        nb::bytes(reinterpret_cast<const char*>(centres.data()),
                                  static_cast<std::size_t>(centres.size()) * sizeof(double)));
}

Model model_of_state(const std::tuple<Eigen::Index, Eigen::Index, bool, nb::bytes>& state) {
  const auto& [clusters, columns, normalise, bytes] = state;
  if (bytes.size() != static_cast<std::size_t>(clusters * columns) * sizeof(double))
    refuse_batch("the cluster model is damaged");
  Model model{{.centres = Eigen::MatrixXd(clusters, columns), .normalise = normalise}};
  std::memcpy(model.model.centres.data(), bytes.c_str(), bytes.size());
  return model;
}

void bind_clusters(nb::module_& module) {
  nb::class_<Model>(module, "Model", "Centres of clusters.")
      .def_prop_ro("clusters", [](const Model& model) { return model.model.clusters(); })
      .def_prop_ro("columns", &Model::columns)
      .def(
          "assign",
          [](const Model& model, const GivenRows& rows) {
            return made(census::assign(model.model, rows_of(rows, model.columns())));
          },
          nb::arg("rows"), "The nearest centre of every row.")
      .def("reorder", reordered, nb::arg("order"), "Cluster order[i] becomes cluster i.")
      .def("__getstate__", model_state)
      .def("__setstate__",
           [](Model& model, const std::tuple<Eigen::Index, Eigen::Index, bool, nb::bytes>& state) {
             new (&model) Model(model_of_state(state));
           });
  module.def("sample", sample, nb::arg("people"), nb::arg("spec"),
             "The people who tell the centres, ascending; None: everybody.");
  module.def("cluster", cluster, nb::arg("rows"), nb::arg("columns"), nb::arg("spec"), nb::arg("sampled"),
             "The centres of these rows: a sample, still to be numbered; or all, numbered.");
  module.def("canonical_order", canonical_order, nb::arg("sizes"), nb::arg("firsts"),
             "Clusters by size, ties by their first person.");
}

// --- cells

census::AdditiveDistance distance_of(const FrameSpec& spec, std::size_t columns,
                                     const std::pair<double, double>& extent) {
  const census::Distance distance = census::distance_named(spec.spec.channel.distance);
  if (!census::is_additive(distance))
    throw InputError({.source = spec.name + ", channel.distance"},
                     fmt::format("{} needs every pair of people", spec.spec.channel.distance),
                     "Take jensen-shannon, squared-euclidean or hamming.");
  return census::additive_distance(distance, columns, {.entry = extent.first, .square = extent.second});
}

struct Sums {
  std::size_t columns;
  census::CellSums sums;
};

nb::tuple parts_of(std::vector<census::CellSums::Part> parts) {
  std::vector<std::uint32_t> items;
  nb::list payloads;
  for (const census::CellSums::Part& part : parts) {
    items.push_back(part.item);
    payloads.append(bytes_of(part.bytes));
  }
  return nb::make_tuple(made(std::move(items)), payloads);
}

/// Neighbours of the same item are joined.
nb::tuple join_parts(const Given<std::uint32_t>& items, const std::vector<nb::bytes>& payloads) {
  const auto given = span_of(items);
  if (given.size() != payloads.size()) refuse_batch("there is not a payload for each item");
  if (!std::ranges::is_sorted(given)) refuse_batch("items do not ascend");
  std::vector<census::CellSums::Part> joined;
  for (std::size_t i = 0; i < given.size();) {
    std::vector<std::string_view> same;
    const std::uint32_t item = given[i];
    for (; i < given.size() && given[i] == item; ++i) same.push_back(text_of(payloads[i]));
    joined.push_back({item, census::CellSums::join(same)});
  }
  return parts_of(std::move(joined));
}

/// What was counted and summed of everybody, becoming a mechanism.
class Solver {
 public:
  Solver(const FrameSpec& spec, const Model& model, const Given<double>& low, const Given<double>& high,
         const Given<double>& centre, const Given<double>& distinct,
         const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& counts,
         std::size_t entries, const std::pair<double, double>& extent, std::string fingerprint)
      : spec_(spec.spec),
        distance_(distance_of(spec, model.columns(), extent)),
        values_(values_of(low, high, centre, distinct)),
        entries_(entries),
        fingerprint_(std::move(fingerprint)) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    census_.counts = Eigen::Map<const RowMajor>(counts.data(), static_cast<Eigen::Index>(counts.shape(0)),
                                                static_cast<Eigen::Index>(counts.shape(1)));
    census_.clustering.model = model.model;
    if (census_.counts.rows() != model.model.clusters() ||
        census_.counts.cols() != static_cast<Eigen::Index>(values_.size()))
      refuse_batch("counts are not those of the clusters and values");
    census::check_size(values_.size(), model.model.clusters());
  }

  void add(const Given<std::uint32_t>& items, const std::vector<nb::bytes>& payloads) {
    for (std::size_t i = 0; i < items.size(); ++i)
      parts_.push_back({items.data()[i], std::string(text_of(payloads[i]))});
  }

  std::string solve() {
    const nb::gil_scoped_release unlocked;
    census_.pair_sums = census::pair_sums_of_parts(
        distance_, parts_, census_.counts, static_cast<std::size_t>(census_.clustering.model.centres.cols()),
        entries_);
    parts_.clear();
    const std::optional<data::SecretSpace> one_number;
    const obscure::Population population(values_, one_number, census_.counts.colwise().sum().transpose());
    return obscure::mechanism_content(obscure::fit_counted(population, spec_, census_, fingerprint_));
  }

 private:
  data::Spec spec_;
  census::AdditiveDistance distance_;
  std::vector<data::SecretValue> values_;
  std::size_t entries_;
  std::string fingerprint_;
  census::Census census_;
  std::vector<census::CellSums::Part> parts_;
};

void bind_cells(nb::module_& module) {
  nb::class_<Sums>(module, "CellSums", "What a part of the people adds to the distances between cells.")
      .def(
          "__init__",
          [](Sums* sums, const FrameSpec& spec, std::size_t columns, std::uint64_t people,
             const std::pair<double, double>& extent) {
            new (sums) Sums{columns, census::CellSums(distance_of(spec, columns, extent), people)};
          },
          nb::arg("spec"), nb::arg("columns"), nb::arg("people"), nb::arg("extent"))
      .def(
          "add",
          [](Sums& sums, const GivenRows& rows, const Given<std::uint32_t>& cells) {
            const data::SparseRows given = rows_of(rows, sums.columns);
            if (cells.size() != given.size()) refuse_batch("there is not a cell for each row");
            sums.sums.add(given, span_of(cells));
          },
          nb::arg("rows"), nb::arg("cells"), "Cell: value * clusters + cluster.")
      .def(
          "parts", [](Sums& sums) { return parts_of(sums.sums.take_parts()); },
          "Items, ascending, and the sums of each as bytes; starts anew.")
      .def_prop_ro("memory", [](const Sums& sums) { return sums.sums.memory(); });
  module.def("join_parts", join_parts, nb::arg("items"), nb::arg("payloads"),
             "Items ascend; neighbours of the same item are joined. Returns items and payloads.");
  nb::class_<Solver>(module, "Solver", "Finds the mechanism for people who are counted.")
      .def(nb::init<const FrameSpec&, const Model&, const Given<double>&, const Given<double>&,
                    const Given<double>&, const Given<double>&,
                    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>&, std::size_t,
                    const std::pair<double, double>&, std::string>(),
           nb::arg("spec"), nb::arg("model"), nb::arg("low"), nb::arg("high"), nb::arg("centre"),
           nb::arg("distinct"), nb::arg("counts"), nb::arg("entries"), nb::arg("extent"),
           nb::arg("fingerprint"))
      .def("add", &Solver::add, nb::arg("items"), nb::arg("payloads"), "Joined sums of some of the items.")
      .def("solve", &Solver::solve, "The text of the mechanism file.");
}

// --- draws

class Draws {
 public:
  explicit Draws(const std::string& text)
      : mechanism_(obscure::parse_mechanism(text, "mechanism")), draws_(mechanism_) {}

  const obscure::Mechanism& mechanism() const { return mechanism_; }
  Model model() const { return {mechanism_.clusters}; }

  nb::dict draw(const GivenTexts& ids, const Given<std::uint32_t>& y,
                const Given<std::uint32_t>& cluster) const {
    const Texts texts(ids);
    const std::size_t people = texts.size();
    if (y.size() != people || cluster.size() != people) refuse_batch("arrays have unlike lengths");
    const auto clusters = static_cast<std::int32_t>(mechanism_.clusters.clusters());
    std::vector<std::int32_t> group(people), own_cell(people), donor_cell(people);
    std::vector<std::uint64_t> hash1(people), hash2(people);
    std::vector<std::int64_t> place(people);
    std::vector<std::uint8_t> retained(people);
    for (std::size_t u = 0; u < people; ++u) {
      const auto drawn = draws_.draw(texts[u], y.data()[u], cluster.data()[u]);
      group[u] = static_cast<std::int32_t>(drawn.group);
      own_cell[u] = group[u] * clusters + static_cast<std::int32_t>(cluster.data()[u]);
      donor_cell[u] = group[u] * clusters + static_cast<std::int32_t>(drawn.cluster);
      hash1[u] = drawn.order.first;
      hash2[u] = drawn.order.second;
      place[u] = static_cast<std::int64_t>(drawn.place);
      retained[u] = drawn.retained;
    }
    nb::dict result;
    result["group"] = made(std::move(group));
    result["own_cell"] = made(std::move(own_cell));
    result["hash1"] = made(std::move(hash1));
    result["hash2"] = made(std::move(hash2));
    result["donor_cell"] = made(std::move(donor_cell));
    result["place"] = made(std::move(place));
    result["retained"] = made(std::move(retained));
    return result;
  }

  nb::tuple published(const GivenTexts& ids, const FrameSpec& spec) const {
    const Texts texts(ids);
    const NamedDraws draws(release::key_of_rows(mechanism_.key, spec.spec));
    std::vector<std::uint64_t> first(texts.size()), second(texts.size());
    for (std::size_t u = 0; u < texts.size(); ++u) {
      const auto bits = draws.bits(texts[u]);
      first[u] = bits.first;
      second[u] = bits.second;
    }
    return nb::make_tuple(made(std::move(first)), made(std::move(second)));
  }

  Made<std::int64_t> cell_people() const {
    const auto clusters = static_cast<std::size_t>(mechanism_.clusters.clusters());
    std::vector<std::int64_t> people(mechanism_.groups.size() * clusters, 0);
    for (std::size_t g = 0; g < mechanism_.channels.size(); ++g) {
      const obscure::CellDraw& cells = *mechanism_.channels[g].cells();
      for (std::size_t i = 0; i < cells.clusters.size(); ++i)
        people[g * clusters + static_cast<std::size_t>(cells.clusters[i])] = cells.people[i];
    }
    return made(std::move(people));
  }

  std::vector<std::string> labels() const {
    std::vector<std::string> labels;
    for (const obscure::Group& group : mechanism_.groups) labels.push_back(group.label);
    return labels;
  }

 private:
  obscure::Mechanism mechanism_;
  release::PersonalDraws draws_;
};

using FileFacts = std::tuple<std::string, std::int64_t, std::string>;

std::string manifest(const Draws& draws, const FrameSpec& spec,
                     const std::map<std::string, std::string>& columns,
                     const std::vector<std::string>& features, bool whole_numbers,
                     const std::vector<FileFacts>& files) {
  release::Manifest manifest = release::manifest_of(draws.mechanism(), spec.spec);
  const auto name = [&](const char* role) {
    const auto found = columns.find(role);
    return found == columns.end() ? std::string() : found->second;
  };
  manifest.format = "parquet";
  manifest.whole_numbers = whole_numbers;
  manifest.columns = {.id = spec.spec.release.ids == "drop" ? std::string() : name("id"),
                      .secret = name("secret"),
                      .features = features,
                      .person = name("person"),
                      .item = name("item"),
                      .value = name("value"),
                      .time = name("time")};
  for (const auto& [file, rows, hash] : files) manifest.files.push_back({file, rows, hash});
  return release::to_json(manifest);
}

void bind_draws(nb::module_& module) {
  nb::class_<Draws>(module, "Draws", "A mechanism, ready to draw for each person by themselves.")
      .def(nb::init<const std::string&>(), nb::arg("mechanism"))
      .def("draw", &Draws::draw, nb::arg("ids"), nb::arg("y"), nb::arg("cluster"),
           "Cells are group * clusters + cluster; people of a cell are ordered by hash1, hash2, id.")
      .def("published", &Draws::published, nb::arg("ids"), nb::arg("spec"),
           "Two hashes: new ids (release.ids = \"replace\"), or the order of rows (\"shuffled\").")
      .def_prop_ro("model", &Draws::model)
      .def_prop_ro("labels", &Draws::labels)
      .def_prop_ro("cell_people", &Draws::cell_people)
      .def_prop_ro("people", [](const Draws& draws) { return draws.mechanism().people; })
      .def_prop_ro("seeded", [](const Draws& draws) { return draws.mechanism().seeded; })
      .def_prop_ro("fingerprint", [](const Draws& draws) { return draws.mechanism().data_fingerprint; })
      .def_prop_ro("limits", [](const Draws& draws) {
        const obscure::Limits& limits = draws.mechanism().limits;
        return std::tuple(limits.least_people, limits.most_people, limits.least_values, limits.most_values);
      });
  module.def("manifest", manifest, nb::arg("draws"), nb::arg("spec"), nb::arg("columns"), nb::arg("features"),
             nb::arg("whole_numbers"), nb::arg("files"),
             "The text of manifest.json; files: (name, rows, sha256).");
}

}  // namespace

void bind_kernels(nb::module_& module) {
  nb::module_ kernels =
      module.def_submodule("kernels", "Steps of a census and a release on a batch of people.");
  bind_spec(kernels);
  bind_rows(kernels);
  bind_clusters(kernels);
  bind_cells(kernels);
  bind_draws(kernels);
}

}  // namespace hyobscure::python
