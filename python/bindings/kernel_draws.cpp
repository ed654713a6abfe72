#include "hyobscure/published/manifest.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/manifest_of.h"
#include "hyobscure/release/publish.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

class Draws {
 public:
  explicit Draws(const std::string& text)
      : mechanism_(obscure::parse_mechanism(text, "mechanism")), draws_(mechanism_) {}

  const obscure::Mechanism& mechanism() const { return mechanism_; }
  Model model() const { return {mechanism_.clusters}; }

  nb::dict draw(const InputTexts& ids, const InputArray<std::uint32_t>& y,
                const InputArray<std::uint32_t>& cluster) const {
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
    result["group"] = owned_array(std::move(group));
    result["own_cell"] = owned_array(std::move(own_cell));
    result["hash1"] = owned_array(std::move(hash1));
    result["hash2"] = owned_array(std::move(hash2));
    result["donor_cell"] = owned_array(std::move(donor_cell));
    result["place"] = owned_array(std::move(place));
    result["retained"] = owned_array(std::move(retained));
    return result;
  }

  nb::tuple published(const InputTexts& ids, const FrameSpec& spec) const {
    const Texts texts(ids);
    const NamedDraws draws(release::key_of_rows(mechanism_.key, spec.spec));
    std::vector<std::uint64_t> first(texts.size()), second(texts.size());
    for (std::size_t u = 0; u < texts.size(); ++u) {
      const auto bits = draws.bits(texts[u]);
      first[u] = bits.first;
      second[u] = bits.second;
    }
    return nb::make_tuple(owned_array(std::move(first)), owned_array(std::move(second)));
  }

  OwnedArray<std::int64_t> cell_people() const {
    const auto clusters = static_cast<std::size_t>(mechanism_.clusters.clusters());
    std::vector<std::int64_t> people(mechanism_.groups.size() * clusters, 0);
    for (std::size_t g = 0; g < mechanism_.channels.size(); ++g) {
      const obscure::CellDraw& cells = *mechanism_.channels[g].cells();
      for (std::size_t i = 0; i < cells.clusters.size(); ++i)
        people[g * clusters + static_cast<std::size_t>(cells.clusters[i])] = cells.people[i];
    }
    return owned_array(std::move(people));
  }

  std::vector<std::string> labels() const {
    std::vector<std::string> labels;
    for (const published::Group& group : mechanism_.groups) labels.push_back(group.label);
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
  published::Manifest manifest = release::manifest_of(draws.mechanism(), spec.spec);
  const auto name = [&](const char* role) {
    const auto found = columns.find(role);
    return found == columns.end() ? std::string() : found->second;
  };
  manifest.format = "parquet";
  manifest.whole_numbers = whole_numbers;
  manifest.columns = {.id = spec.spec.release.ids == data::PublishedIds::Drop ? std::string() : name("id"),
                      .secret = name("secret"),
                      .features = features,
                      .person = name("person"),
                      .item = name("item"),
                      .value = name("value"),
                      .time = name("time")};
  for (const auto& [file, rows, hash] : files) manifest.files.push_back({file, rows, hash});
  return published::to_json(manifest);
}

}  // namespace

void bind_draw_kernels(nb::module_& module) {
  nb::class_<Draws>(module, "Draws", "A mechanism, ready to draw for each person by themselves.")
      .def(nb::init<const std::string&>(), nb::arg("mechanism"))
      .def("draw", &Draws::draw, nb::arg("ids"), nb::arg("y"), nb::arg("cluster"),
           "Cells are group * clusters + cluster; people of a cell are ordered by hash1, hash2, id.")
      .def("published", &Draws::published, nb::arg("ids"), nb::arg("spec"),
           "Two hashes: new ids (release.ids = \"replace\"), or the order of rows (\"shuffled\").")
      .def_prop_ro("model", &Draws::model)
      .def_prop_ro("labels", &Draws::labels)
      .def_prop_ro("cell_people", &Draws::cell_people, nb::rv_policy::move)
      .def_prop_ro("people", [](const Draws& draws) { return draws.mechanism().people; })
      .def_prop_ro("seeded", [](const Draws& draws) { return draws.mechanism().seeded; })
      .def(
          "refuse_shortfalls", [](const Draws& draws) { release::refuse_shortfalls(draws.mechanism()); },
          "Raises InputError for a mechanism that `fit` called weaker than it should be.")
      .def_prop_ro("fingerprint", [](const Draws& draws) { return draws.mechanism().data_fingerprint; })
      .def_prop_ro("limits", [](const Draws& draws) {
        const published::Limits& limits = draws.mechanism().limits;
        return std::tuple(limits.least_people, limits.most_people, limits.least_values, limits.most_values);
      });
  module.def("manifest", manifest, nb::arg("draws"), nb::arg("spec"), nb::arg("columns"), nb::arg("features"),
             nb::arg("whole_numbers"), nb::arg("files"),
             "The text of manifest.json; files: (name, rows, sha256).");
}

}  // namespace hyobscure::python
