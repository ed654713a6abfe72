#include "kernel_draws.h"
#include "hyobscure/data/spec/secret_checks.h"
#include "hyobscure/published/coarse.h"
#include "hyobscure/published/dictionary.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/release/ledger.h"
#include "hyobscure/release/manifest_of.h"
#include "hyobscure/release/publish.h"

namespace hyobscure::python {
namespace {

/// What a ledger knows people by: keyed hashes of their ids.
OwnedArray<std::uint64_t> person_hashes(const InputTexts& ids, const std::string& salt) {
  const Texts texts(ids);
  const NamedDraws hash(Key::from_text(salt));
  std::vector<std::uint64_t> hashes(texts.size());
  for (std::size_t u = 0; u < texts.size(); ++u) hashes[u] = release::hash_of_person(hash, texts[u]);
  return owned_array(std::move(hashes));
}

std::map<std::string, std::string> texts_of(const std::vector<published::DictionaryFile>& files) {
  std::map<std::string, std::string> texts;
  for (const published::DictionaryFile& file : files) texts[file.name] = file.text;
  return texts;
}

using FileFacts = std::tuple<std::string, std::int64_t, std::string>;

/// The text of manifest.json, and the files that follow from it, by name.
std::pair<std::string, std::map<std::string, std::string>> manifest(
    const Draws& draws, const FrameSpec& spec, const std::map<std::string, std::string>& columns,
    const std::vector<std::string>& features, bool whole_numbers, const std::vector<FileFacts>& files,
    int earlier_draws, const std::vector<std::string>& parts) {
  published::Manifest manifest = release::manifest_of(draws.mechanism(), spec.spec);
  if (earlier_draws > 0)
    manifest.composition = {.earlier_draws = earlier_draws,
                            .leakage = published::rounded_up_bits(
                                draws.mechanism().figures.leakage.secret_entropy, draws.mechanism().people)};
  const auto name = [&](const char* role) {
    const auto found = columns.find(role);
    return found == columns.end() ? std::string() : found->second;
  };
  manifest.format = "parquet";
  manifest.whole_numbers = whole_numbers;
  manifest.kinds.clear();
  for (std::size_t a = 0; a < spec.spec.people.secret.all.size(); ++a)
    manifest.kinds.push_back(data::kind_of_secret(spec.spec, a));
  manifest.columns = {.id = spec.spec.release.ids == data::PublishedIds::Drop ? std::string() : name("id"),
                      .secret = parts.empty() ? name("secret") : published::Manifest::kGroupColumn,
                      .parts = parts,
                      .features = features,
                      .person = name("person"),
                      .item = name("item"),
                      .value = name("value"),
                      .time = name("time")};
  for (const auto& [file, rows, hash] : files) manifest.files.push_back({file, rows, hash});
  const auto beside = published::dictionary(manifest);
  declare(beside, manifest);
  return {published::to_json(manifest), texts_of(beside)};
}

/// What the text of a manifest says should lie beside the tables.
std::map<std::string, std::string> dictionary(const std::string& manifest) {
  return texts_of(published::dictionary(published::manifest_from(manifest, published::Manifest::kFileName)));
}

}  // namespace

void bind_draw_kernels(nb::module_& module) {
  nb::class_<Draws>(module, "Draws", "A mechanism, ready to draw for each person by themselves.")
      .def(nb::init<const std::string&>(), nb::arg("mechanism"))
      .def("draw", &Draws::draw, nb::arg("ids"), nb::arg("y"), nb::arg("cluster"),
           "By cells: group * clusters + cluster; people of a cell are ordered by hash1, hash2, id.")
      .def_prop_ro("by", &Draws::by,
                   "What a draw needs: \"cells\" the person, \"lists\" also their list, \"rows\" all people.")
      .def_prop_ro("key", &Draws::key, "Of the draws; as private as the mechanism.")
      .def_prop_ro("model", &Draws::model)
      .def_prop_ro("labels", &Draws::labels)
      .def_prop_ro("part_labels", &Draws::part_labels, "Of each secret, the label of what each group covers.")
      .def_prop_ro("draw_others", &Draws::draw_others,
                   "Whether any other person of the group is drawn: a group is one cell then, and from the "
                   "person's own "
                   "place in it on the donor is one place further.")
      .def_prop_ro("cell_people", &Draws::cell_people, nb::rv_policy::move)
      .def_prop_ro("people", [](const Draws& draws) { return draws.mechanism().people; })
      .def_prop_ro("seeded", [](const Draws& draws) { return draws.mechanism().seeded; })
      .def(
          "refuse_shortfalls", [](const Draws& draws) { release::refuse_shortfalls(draws.mechanism()); },
          "Raises InputError for a mechanism that `fit` called weaker than it should be.")
      .def_prop_ro(
          "name", [](const Draws& draws) { return release::name_in_ledger(draws.mechanism().key); },
          "Names the key in a ledger, without telling it.")
      .def_prop_ro("leakage", [](const Draws& draws) { return draws.mechanism().figures.leakage.total; })
      .def_prop_ro("secret_entropy",
                   [](const Draws& draws) { return draws.mechanism().figures.leakage.secret_entropy; })
      .def_prop_ro("fingerprint", [](const Draws& draws) { return draws.mechanism().data_fingerprint; })
      .def_prop_ro("limits", [](const Draws& draws) {
        const published::Limits& limits = draws.mechanism().limits;
        return std::tuple(limits.least_people, limits.most_people, limits.least_values, limits.most_values);
      });
  module.def("manifest", manifest, nb::arg("draws"), nb::arg("spec"), nb::arg("columns"), nb::arg("features"),
             nb::arg("whole_numbers"), nb::arg("files"), nb::arg("earlier_draws") = 0,
             nb::arg("parts") = std::vector<std::string>(),
             "The text of manifest.json, and what lies beside the tables, by name; files: (name, rows, "
             "sha256). With "
             "earlier draws of the same people all releases together leak up to H(Y).");
  module.def("dictionary", dictionary, nb::arg("manifest"),
             "The files that follow from the text of a manifest, by name.");
  module.def("person_hashes", person_hashes, nb::arg("ids"), nb::arg("salt"),
             "What a ledger knows people by; `salt`: 64 hexadecimal digits.");
}

}  // namespace hyobscure::python
