#include "hyobscure/release/publish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/read/id_numbers.h"
#include "hyobscure/obscure/leakage/recomputed.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/obscure/mechanism/misfit.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/published/area_file.h"
#include "hyobscure/published/coarse.h"
#include "hyobscure/published/dictionary.h"
#include "hyobscure/release/composed_tables.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/event_file.h"
#include "hyobscure/release/ledger.h"
#include "hyobscure/release/publish_layout.h"
#include "hyobscure/release/published_ids.h"

namespace hyobscure::release {
namespace {

namespace fs = std::filesystem;
using data::quoted_name;
using data::quoted_text;
using data::Relation;

// --- before any work: what cannot be published

void refuse_other_data(const data::People& people, const obscure::Mechanism& mechanism) {
  if (data::fingerprint(people) != mechanism.data_fingerprint)
    throw InputError({.source = mechanism.source}, "was made for other data",
                     "Run fit again, or give the data and the spec that it was made from.");
  obscure::refuse_misfit(mechanism, people);
  obscure::refuse_other_method(mechanism);
}

/// Nothing about the secret may cross the groups: such a mechanism serves comparisons.
void refuse_donors_across_groups(const obscure::Mechanism& mechanism) {
  if (!mechanism.within_groups)
    throw InputError(
        {.source = mechanism.source},
        "draws donors from all groups (method.within_groups = false), which is for comparisons only",
        "Run fit again without it: a release takes donors from the person's own group.");
}

/// The kind of rows was decided by fit, which keeps the budget for it.
void refuse_other_rows(const data::Spec& spec, const obscure::Mechanism& mechanism) {
  if (obscure::composing_of(spec) == mechanism.composing) return;
  const bool composed = mechanism.composing.has_value();
  throw InputError({.source = mechanism.source},
                   composed && spec.release.rows == data::PublishedRows::Composed
                       ? "composes rows with another release.kin, release.owners or release.together than "
                         "the spec asks for"
                       : fmt::format("publishes {} rows, and the spec asks for {} ones (release.rows)",
                                     composed ? "composed" : "donors'", composed ? "donors'" : "composed"),
                   "Run fit again, or give the spec and flags that it was made with.");
}

void refuse_dropped_ids_of_events(const data::Spec& spec) {
  if (spec.is_long() && spec.release.ids == data::PublishedIds::Drop)
    throw InputError({.source = spec.name, .column = "release.ids"},
                     "events need an id that names their person",
                     "Set release.ids = \"replace\": the new ids tell nothing.");
}

// --- one draw a person, ever

std::optional<fs::path> ledger_file(const data::Spec& spec, const obscure::Mechanism& mechanism,
                                    const fs::path& folder) {
  if (mechanism.seeded || spec.release.ledger == "none") return std::nullopt;
  return (folder.empty() ? spec.folder : folder) / spec.release.ledger;
}

void refuse_unwritable_ledger(const fs::path& file) {
  const fs::path real = end_of_links(file);
  const fs::path folder = real.has_parent_path() ? real.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError({.source = file.string(), .column = "release.ledger"},
                     "cannot be written, so nothing would remember whom this release draws for",
                     "Name a file in a folder of yours, or \"none\" for a trial that nobody will see.");
}

/// Why a mechanism's file tells nothing of the release that the ledger remembers; empty: it does. The file
/// may be another by now: only the key says whether the release was drawn by it.
std::string why_not_of(const EarlierDraw& draw, const obscure::Mechanism& found,
                       const obscure::Mechanism& mechanism) {
  if (!draw.entry.is_draw_of(found.key)) return "has another key by now";
  if (found.data_fingerprint != mechanism.data_fingerprint) return "was made for other people or data";
  return {};
}

/// What the releases tell together; where that cannot be computed, all that there is to tell.
struct Together {
  obscure::Composition composition;
  std::string why_not = {};  ///< which earlier mechanism is missing, and why
};

Together all_there_is(const EarlierDraw& draw, const std::string& why, const obscure::Mechanism& mechanism) {
  return {
      .composition = {.bits = mechanism.figures.leakage.secret_entropy, .exact = false},
      .why_not = fmt::format(
          " (it cannot be computed: {} {})",
          draw.entry.mechanism.empty() ? "its mechanism, which was no file," : draw.entry.mechanism, why)};
}

Together composition(const std::vector<EarlierDraw>& earlier, const data::People& people,
                     const obscure::Mechanism& mechanism) {
  std::vector<obscure::Mechanism> mechanisms;
  for (const EarlierDraw& draw : earlier) try {
      mechanisms.push_back(obscure::read_mechanism(draw.entry.mechanism));
      const std::string why = why_not_of(draw, mechanisms.back(), mechanism);
      if (!why.empty()) return all_there_is(draw, why, mechanism);
      obscure::refuse_misfit(mechanisms.back(), people);
    } catch (const InputError&) {
      return all_there_is(draw, "is gone or damaged", mechanism);
    }
  mechanisms.push_back(mechanism);
  std::vector<std::vector<std::uint32_t>> clusters;
  for (const auto& each : mechanisms) clusters.push_back(census::assign(each.clusters, people.features));
  std::vector<obscure::Signals> releases;
  for (std::size_t r = 0; r < mechanisms.size(); ++r)
    releases.emplace_back(mechanisms[r], people, clusters[r]);
  return {.composition = obscure::compose(people, releases)};
}

/// Few of many are a number, not "0 %".
std::string how_many(const EarlierDraw& draw) {
  if (draw.share >= 0.01) return fmt::format("{:.0f} % of the people", 100 * draw.share);
  const double people = draw.share * static_cast<double>(draw.entry.people);
  return fmt::format("{:.0f} of the {} people", std::max(1.0, people), draw.entry.people);
}

/// 1 to n or 0 to n-1, as tables without ids are numbered: any two tables then look like the same people.
bool are_numbers_of_rows(const std::vector<std::string>& ids) {
  return std::ranges::all_of(ids, [&](const std::string& id) {
    return id.size() <= 18 && id.find_first_not_of("0123456789") == id.npos && !id.empty() &&
           std::stoull(id) <= ids.size();
  });
}

/// What can be done where these are other people after all.
std::string if_these_are_others(const EarlierDraw& last, const data::People& people) {
  if (last.may_be_others())
    return fmt::format(
        " The ids are the same, but of {} rows that were compared {} {} the same. If these are other people "
        "whose ids happen to be written alike, --other-people publishes, or name another ledger "
        "(release.ledger). The same people with new or edited data are a second draw.",
        last.rows_compared, last.rows_same, last.rows_same == 1 ? "is" : "are");
  return are_numbers_of_rows(people.ids)
             ? " Ids are numbers of rows here: if these are other people than those, give them ids of their "
               "own, or another ledger (release.ledger)."
             : "";
}

[[noreturn]] void throw_not_others(const EarlierDraw& draw, const fs::path& ledger) {
  throw InputError(
      {.source = ledger.string()},
      draw.rows_compared == 0
          ? "does not know the rows of the earlier people, so nothing says that these are others"
          : fmt::format("of {} people with the ids of an earlier release {} have the same row: they are the "
                        "same people",
                        draw.rows_compared, draw.rows_same),
      "Publish without --other-people, which says what both releases would leak; or name another ledger "
      "(release.ledger) for another table.");
}

[[noreturn]] void throw_second_draw(const std::vector<EarlierDraw>& earlier, const fs::path& ledger,
                                    const data::People& people, const Together& together,
                                    const obscure::Mechanism& mechanism) {
  const EarlierDraw& last = earlier.back();
  throw InputError(
      {.source = ledger.string()},
      fmt::format(
          "{} in {} (published {}) would be drawn for a second time: anyone who sees {} "
          "learns {}{:.4f} of {:.4f} bits{}, where this release alone leaks {:.4f}",
          how_many(last), last.entry.release.empty() ? "a release without a folder" : last.entry.release,
          last.entry.published,
          earlier.size() == 1 ? "both releases" : fmt::format("all {} releases", earlier.size() + 1),
          together.composition.exact ? "" : "up to ", together.composition.bits,
          mechanism.figures.leakage.secret_entropy, together.why_not, mechanism.figures.leakage.total),
      fmt::format(
          "Publish {} again, which gives the same release. If the earlier one never left your hands, take "
          "its entry out of the ledger. --second-draw (second_draw=True from Python) publishes all the same, "
          "and the manifest says so.{}",
          last.entry.mechanism.empty() ? "with its mechanism" : last.entry.mechanism,
          if_these_are_others(last, people)));
}

/// Refuses people who were drawn for before, or finds what that costs, with all digits.
published::ManifestComposition about_earlier_draws(const Ledger& ledger, const fs::path& file,
                                                   const data::People& people,
                                                   const obscure::Mechanism& mechanism,
                                                   const PublishSettings& settings) {
  const bool second_draw = settings.second_draw;
  auto earlier = ledger.earlier(people, mechanism.key);
  if (settings.other_people)
    std::erase_if(earlier, [&](const EarlierDraw& draw) {
      if (!draw.may_be_others()) throw_not_others(draw, file);
      return true;
    });
  if (earlier.empty()) return {};
  const Together together = composition(earlier, people, mechanism);
  if (!second_draw) throw_second_draw(earlier, file, people, together, mechanism);
  return {.earlier_draws = static_cast<int>(earlier.size()), .leakage = together.composition.bits};
}

// --- what the draw did

/// Of at most 100,000 people at equal steps: that tells the mean to a thousandth, and donors' rows lie
/// anywhere in a file that may be larger than memory.
double mean_distance(census::Distance distance, const data::SparseRows& rows,
                     const data::SparseRows& published, const std::vector<std::uint32_t>& donor_of) {
  constexpr std::size_t kMost = 100'000, kRows = 64;
  const std::size_t count = std::min(kMost, rows.size());
  std::vector<double> partial(block_count(count, kRows), 0.0);
  parallel_blocks(count, kRows, [&](std::size_t begin, std::size_t end) {
    CompensatedSum sum;
    for (std::size_t n = begin; n < end; ++n) {
      const std::size_t u = n * rows.size() / count;
      if (&published != &rows || donor_of[u] != u)
        sum.add(census::distance_between(distance, rows[u], published[donor_of[u]], rows.columns));
    }
    partial[begin / kRows] = sum.value();
    rows.release_pages(
        0,
        rows.size());  // donors lie anywhere in a mapped file, and each brings pages around its own
  });
  CompensatedSum total;
  for (const double part : partial) total.add(part);
  return total.value() / static_cast<double>(count);
}

// --- writing

/// Table hyo_groups (number, label, p0, p1, ...): of several secrets, what the group covers of each.
void load_groups(data::Engine& engine, const Layout& layout, const std::vector<published::Group>& groups) {
  std::string columns;
  for (std::size_t axis = 0; axis < layout.parts.size(); ++axis)
    columns += fmt::format(", p{} VARCHAR", axis);
  engine.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE hyo_groups (number BIGINT, label VARCHAR{})", columns));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::string> cells = {std::to_string(g), quoted_text(groups[g].label)};
    if (!layout.parts.empty())
      for (const published::Cover& cover : groups[g].covers) cells.push_back(quoted_text(cover.label));
    engine.run(fmt::format("INSERT INTO hyo_groups VALUES ({})", fmt::join(cells, ", ")));
  }
}

/// hyo_donors (place, u, donor, grp): the one thing that must not outlive the release. People and donors are
/// known by their places in the order of ids.
class DonorTable {
 public:
  DonorTable(data::Engine& engine, const data::People& people, const obscure::Mechanism& mechanism,
             const std::vector<std::uint32_t>& donor_of, const PublishedIds& published)
      : engine_(engine) {
    const std::string drawn = engine_.made_rows(
        {{"place", "BIGINT"}, {"u", "BIGINT"}, {"donor", "BIGINT"}, {"grp", "BIGINT"}},
        [&, next = std::size_t{0}](data::ChunkMaker& chunk) mutable {
          const std::size_t rows = std::min(chunk.most_rows(), people.size() - next);
          for (std::size_t row = 0; row < rows; ++row, ++next) {
            const std::uint32_t u = published.person_at(next);
            chunk.integers(0)[row] = static_cast<std::int64_t>(next);
            chunk.integers(1)[row] = u;
            chunk.integers(2)[row] = donor_of[u];
            chunk.integers(3)[row] = static_cast<std::int64_t>(mechanism.group_of_value(people.secrets[u]));
          }
          return rows;
        });
    engine_.run(
        "CREATE OR REPLACE TEMP TABLE hyo_donors AS SELECT CAST(place AS UINTEGER) AS place, u, donor, grp "
        "FROM " +
        drawn);
  }
  ~DonorTable() {
    try {
      engine_.run("DROP TABLE IF EXISTS hyo_donors");
    } catch (...) {  // it lives in the memory of this process only
    }
  }
  DonorTable(const DonorTable&) = delete;
  DonorTable& operator=(const DonorTable&) = delete;

 private:
  data::Engine& engine_;
};

/// The published id of whom the row of the release is about, by `id_of`, a function of the engine. Ids that
/// are kept have the type of their column; new ones are text.
std::string id_cell(const data::Spec& spec, const std::string& id_of, const std::string& place,
                    const Published& column) {
  const std::string text = fmt::format("{}({})", id_of, place);
  return spec.release.ids == data::PublishedIds::Keep
             ? fmt::format("CAST({} AS {})", text, column.stored_type)
             : text;
}

std::string as(const std::string& cell, const std::string& name) { return cell + " AS " + quoted_name(name); }

/// Functions of the engine.
struct IdFunctions {
  std::string id_at;      ///< the published id of a row of the release
  std::string person_of;  ///< the place of the person with this id in the source
};

std::string people_query(const data::Spec& spec, const Layout& layout, const IdFunctions& ids,
                         const std::optional<ComposedTables::Cells>& composed) {
  std::vector<std::string> columns;
  if (spec.release.ids != data::PublishedIds::Drop)
    columns.push_back(as(id_cell(spec, ids.id_at, "d.place", layout.id), layout.id.name));
  columns.push_back(as("g.label", layout.secret));
  for (std::size_t axis = 0; axis < layout.parts.size(); ++axis)
    columns.push_back(as(fmt::format("g.p{}", axis), layout.parts[axis]));
  for (const Published& column : layout.kept) columns.push_back(as(column.cell, column.name));
  for (std::size_t c = 0; c < layout.features.size(); ++c)
    columns.push_back(
        as(composed ? composed->of_feature[c] : layout.features[c].cell, layout.features[c].name));
  std::string source = "hyo_donors AS d JOIN hyo_groups AS g ON g.number = d.grp";
  if (!layout.kept.empty()) source += fmt::format(" JOIN {} AS k ON k.u = d.u", layout.read_people);
  if (composed)
    source += composed->joins;
  else if (!layout.features.empty())
    source += fmt::format(" JOIN {} AS s ON {}(CAST({} AS VARCHAR)) = d.donor", layout.people.sql,
                          ids.person_of, layout.id.cell);
  return fmt::format("SELECT {} FROM {} ORDER BY d.place", fmt::join(columns, ", "), source);
}

/// The rows are sorted as small as they can be: ids and names of items come after that. A person's events
/// stand in the order of their content, or of its hash where the order is to say nothing: in any case not in
/// that of the source. Where nobody has an item twice, the item is enough of the content.
std::string events_query(data::Engine& engine, const data::Spec& spec, const Layout& layout,
                         const data::Reading& reading, const IdFunctions& ids,
                         const std::optional<std::string>& composed) {
  const bool by_number = reading.items_had_once && layout.event_columns[0].stored_type == "VARCHAR";
  if (by_number) number_items(engine, reading.items);
  std::vector<std::string> columns = {
      as(id_cell(spec, ids.id_at, "e.place", *layout.person), layout.person->name)};
  std::vector<std::string> cells, content;
  for (std::size_t c = 0; c < layout.event_columns.size(); ++c) {
    const Published& column = layout.event_columns[c];
    const bool numbered = by_number && c == 0;
    const std::string name = fmt::format("c{}", c);
    cells.push_back((numbered ? fmt::format("TRY_CAST({} AS hyo_item)", column.cell) : column.cell) + " AS " +
                    name);
    columns.push_back(as(numbered ? fmt::format("CAST(e.{} AS VARCHAR)", name) : "e." + name, column.name));
    if (numbered || !by_number) content.push_back(name);
  }
  std::string order = fmt::format("{}", fmt::join(content, ", "));
  if (spec.release.order == data::RowOrder::Shuffled) order = fmt::format("hash({0}), {0}", order);
  const std::string givers = composed ? fmt::format("{} AS d ON CAST({} AS VARCHAR) = d.item AND d.giver",
                                                    *composed, layout.event_columns[0].cell)
                                      : "hyo_donors AS d ON d.donor";
  return fmt::format(
      "SELECT {} FROM (SELECT d.place, {} FROM {} AS s JOIN {} = {}(CAST({} AS VARCHAR)) WHERE {} ORDER BY "
      "d.place, {}) AS e",
      fmt::join(columns, ", "), fmt::join(cells, ", "), layout.events.sql, givers, ids.person_of,
      layout.person->cell, layout.used, order);
}

/// Rows in a given order and row groups of a given size: so threads do not show in the bytes.
published::ManifestFile write_table(data::Engine& engine, const std::string& query, const fs::path& file,
                                    bool parquet) {
  std::int64_t rows = 0;
  engine.query(
      fmt::format("COPY ({}) TO {} ({})", query, quoted_text(fs::absolute(file).string()),
                  parquet
                      ? "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880, WRITE_BLOOM_FILTER false"
                      : "FORMAT csv, HEADER true, DELIMITER ','"),
      [&](const data::Chunk& chunk) {
        if (chunk.rows() > 0) rows = chunk.integers(0)[0];
      });
  return {.name = file.filename().string(), .rows = rows, .sha256 = sha256_of_file(file)};
}

void refuse_changed_source(const Relation& source, std::int64_t written, std::int64_t expected) {
  if (written != expected)
    throw InputError({.source = source.name}, "changed while it was published",
                     "Publish again when it is at rest.");
}

// --- the manifest

published::ManifestColumns manifest_columns(const data::Spec& spec, const Layout& layout) {
  published::ManifestColumns columns;
  if (spec.release.ids != data::PublishedIds::Drop) columns.id = layout.id.name;
  columns.secret = layout.secret;
  columns.parts = layout.parts;
  for (const Published& column : layout.kept) columns.keep.push_back(column.name);
  for (const Published& feature : layout.features) columns.features.push_back(feature.name);
  if (!spec.is_long()) return columns;
  columns.person = layout.person->name;
  columns.item = layout.event_columns[0].name;
  if (!spec.events.value.empty()) columns.value = layout.event_columns[1].name;
  if (!spec.events.time.empty()) columns.time = layout.event_columns.back().name;
  return columns;
}

void describe_secret(const data::Reading& reading, published::Manifest& manifest) {
  manifest.kinds = data::secret_kinds(reading.people);
  manifest.whole_numbers = reading.secrets_are_whole;
  if (reading.people.space) manifest.grid = reading.people.space->grid;
}

/// With a hash of its own, as every file.
void write_areas(const fs::path& folder, published::Manifest& manifest) {
  const std::string text = published::areas_geojson(manifest);
  write_file(folder / published::Manifest::kAreasFile, text, FileAccess::Everyone);
  manifest.files.push_back({.name = published::Manifest::kAreasFile,
                            .rows = static_cast<std::int64_t>(manifest.groups.size()),
                            .sha256 = sha256(text)});
}

void write_dictionary(const fs::path& folder, published::Manifest& manifest) {
  const auto files = published::dictionary(manifest);
  for (const published::DictionaryFile& file : files)
    write_file(folder / file.name, file.text, FileAccess::Everyone);
  declare(files, manifest);
}

void write_manifest(const fs::path& folder, const std::optional<published::SigningKey>& key,
                    PublishResult& result) {
  const std::string text = to_json(result.manifest);
  write_file(folder / published::Manifest::kFileName, text, FileAccess::Everyone);
  if (!key) return;
  write_file(folder / published::Signature::kFileName, key->sign(text).text(), FileAccess::Everyone);
  result.signer = key->public_key();
}

/// The engine's errors while both sources are read and the output is written, as errors for the user.
template <class Work>
auto about_writing(const Relation& source, const fs::path& output, Work&& work) {
  try {
    return work();
  } catch (const data::EngineError& error) {
    const bool full = error.kind() == data::EngineError::Kind::DiskFull;
    throw explain(error, full ? output.string() : source.name);
  }
}

}  // namespace

void refuse_shortfalls(const obscure::Mechanism& mechanism) {
  const auto reasons = obscure::shortfalls(mechanism);
  if (reasons.empty()) return;
  std::string problem = fmt::format("is weaker than it should be: {}", fmt::join(reasons, " "));
  problem.pop_back();  // the full stop that the message adds
  throw InputError(
      {.source = mechanism.source}, problem,
      "Fit again with a larger budget, fewer kept columns or wider groups; or publish all the same "
      "with --accept-leakage (accept_leakage=True from Python).");
}

PublishResult publish(data::Engine& engine, const data::Spec& spec, const data::Reading& reading,
                      const obscure::Mechanism& mechanism, const PublishSettings& settings,
                      const Progress& progress) {
  const data::People& people = reading.people;
  refuse_donors_across_groups(mechanism);
  refuse_dropped_ids_of_events(spec);
  refuse_other_rows(spec, mechanism);
  if (!settings.accept_leakage) refuse_shortfalls(mechanism);
  check_output_folder(settings.output, settings.force, published::release_folder());
  refuse_other_data(people, mechanism);
  const auto ledger_path = ledger_file(spec, mechanism, settings.ledger_folder);
  std::optional<LedgerLock> until_published;
  Ledger ledger;
  published::ManifestComposition composition;
  if (ledger_path) {
    refuse_unwritable_ledger(*ledger_path);
    until_published.emplace(*ledger_path, progress);
    ledger = Ledger::read(*ledger_path);
    composition = about_earlier_draws(ledger, *ledger_path, people, mechanism, settings);
  }

  const auto clusters = census::assign(mechanism.clusters, people.features);
  obscure::refuse_untrue(mechanism, people, clusters, spec.secret.keep, progress);
  progress.report("drawing donors", 0, 0);
  const auto donor_of = draw_donors(mechanism, people, clusters);
  PublishResult result;
  result.people = static_cast<std::int64_t>(people.size());
  const auto composed = obscure::composed_rows_of(mechanism, people, progress);
  const data::SparseRows& rows = composed ? composed->rows : people.features;
  result.realised_distance =
      mean_distance(census::distance_named(mechanism.distance), people.features, rows, donor_of);
  if (!composed)
    for (std::size_t u = 0; u < donor_of.size(); ++u) result.people_unchanged += donor_of[u] == u ? 1 : 0;
  progress.throw_if_stopped();

  const Layout layout = plan_layout(engine, spec, reading);
  result.manifest = manifest_of(mechanism, spec);
  result.manifest.format = layout.parquet ? "parquet" : "csv";
  result.manifest.columns = manifest_columns(spec, layout);
  describe_secret(reading, result.manifest);
  result.figures = mechanism.figures;
  result.converged = mechanism.converged;
  result.leakage_together = composition.leakage;
  result.manifest.composition = composition;
  result.manifest.composition.leakage = published::rounded_up_bits(composition.leakage, result.people);
  StagedFolder folder(settings.output, settings.force, published::release_folder());
  {
    const PublishedIds published(spec, mechanism.key, people);
    const DonorTable donors(engine, people, mechanism, donor_of, published);
    const auto write = [&](const Relation& source, const std::string& name, const std::string& query) {
      about_writing(source, settings.output, [&] {
        result.manifest.files.push_back(write_table(engine, query, folder.path() / name, layout.parquet));
      });
    };
    load_groups(engine, layout, mechanism.groups);
    const data::IdNumbers numbers(people.ids);
    const IdFunctions ids{.id_at = engine.text_function([&](std::int64_t row) {
                            return published.id(published.person_at(static_cast<std::size_t>(row)));
                          }),
                          .person_of = engine.number_function([&](std::string_view id) {
                            const auto person = numbers.find(id);
                            return person ? std::optional<std::int64_t>(*person) : std::nullopt;
                          })};
    std::optional<obscure::Units> units;
    std::optional<ComposedTables> tables;
    if (composed) {
      units.emplace(people, mechanism.composing->together);
      tables.emplace(engine,
                     ComposedTables::Rows{people, *composed, *units, donor_of, published, ids.person_of});
    }
    engine.set_stage("writing people");
    std::optional<ComposedTables::Cells> cells;
    if (composed && !spec.is_long()) {
      about_writing(layout.people, settings.output, [&] { cells = tables->cells(spec, layout); });
      refuse_changed_source(layout.people, cells->people, result.people);
    }
    write(layout.people, result.manifest.people_file(), people_query(spec, layout, ids, cells));
    refuse_changed_source(layout.people, result.manifest.files.back().rows, result.people);
    if (spec.is_long()) {
      engine.set_stage("writing events");
      const std::string name = result.manifest.events_file();
      if (const auto events = EventFile::plan(engine, spec, reading, layout))
        about_writing(layout.events, settings.output, [&] {
          result.manifest.files.push_back(
              events->write(folder.path() / name, published, rows, donor_of, progress));
        });
      else
        write(layout.events, name,
              events_query(engine, spec, layout, reading, ids,
                           composed ? std::optional(tables->entries(reading.items)) : std::nullopt));
      result.events = result.manifest.files.back().rows;
    }
  }
  if (result.manifest.spatial_axis()) write_areas(folder.path(), result.manifest);
  write_dictionary(folder.path(), result.manifest);
  write_manifest(folder.path(), settings.sign, result);
  progress.throw_if_stopped();
  if (ledger_path) {
    // Before the release appears: remembering one that never came about does no harm.
    ledger.add(people, mechanism.key, settings.stays ? settings.output : fs::path(), mechanism.source);
    ledger.write(*ledger_path);
  }
  folder.commit();
  return result;
}

}  // namespace hyobscure::release
