#include "hyobscure/verify/mechanism/verify_mechanism.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/scratch.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/obscure/leakage/recomputed.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/mechanism/misfit.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/verify/verify_figures.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_folder.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using obscure::Mechanism;
using published::Manifest;

// --- what the manifest says of the mechanism

void check_drawn_by(const Manifest& manifest, const Mechanism& mechanism, Findings& findings) {
  const bool same = manifest.draw == published::name_of_draws(mechanism.key);
  findings.add(rule("drawn-by-mechanism"), same,
               same ? "by the name of its key" : "the name of its key is not the one in the manifest");
}

bool same_limits(const published::Limits& a, const published::Limits& b) {
  return a.least_people == b.least_people && a.most_people == b.most_people &&
         a.least_values == b.least_values && a.most_values == b.most_values && a.for_pools == b.for_pools;
}

/// Of what a release tells of a group: no members, no number of values.
bool same_group(const published::Group& a, const published::Group& b) {
  return a.label == b.label && a.covers == b.covers && a.people == b.people &&
         a.combinations == b.combinations;
}

bool same_composing(const Manifest& manifest, const Mechanism& mechanism) {
  if ((manifest.rows == data::PublishedRows::Composed) != mechanism.composing.has_value()) return false;
  return !mechanism.composing || (manifest.composed.kin == mechanism.composing->kin &&
                                  manifest.composed.owners == mechanism.composing->owners &&
                                  manifest.composed.together == mechanism.composing->together);
}

/// The largest share of a row's units that one person gives, counted here again; of rows of two units or
/// more.
double largest_share_of(const obscure::ComposedRows& composed, const obscure::Units& units) {
  double largest = 0;
  for (std::uint32_t j = 0; j < composed.rows.size(); ++j) {
    std::map<std::uint32_t, double> given;
    double all = 0;
    const auto give = [&](std::uint32_t person) {
      all += 1;
      if (person != obscure::kNobody) given[person] += 1;
    };
    for (std::uint32_t unit = 0; unit < composed.fixed; ++unit) give(composed.contributor(j, unit));
    for (std::size_t e = composed.rows.starts[j]; e < composed.rows.starts[j + 1]; ++e)
      if (const std::uint32_t item = composed.rows.items[e];
          units.of_item(item) >= composed.fixed && !units.is_nothing(item))
        give(composed.contributors[e]);
    if (all > 1)
      for (const auto& [person, count] : given) largest = std::max(largest, count / all);
  }
  return largest;
}

void check_shares(const Manifest& manifest, const Mechanism& mechanism, const data::People& people,
                  const Progress& progress, Findings& findings) {
  const auto composed = obscure::composed_rows_of(mechanism, people, progress);
  if (!composed) return;
  const double share = largest_share_of(*composed, obscure::Units(people, mechanism.composing->together));
  const double stated = manifest.composed.largest_share;
  const bool is_rounded = std::abs(stated * 20 - std::round(stated * 20)) < 1e-9;
  findings.add(rule("composed-share"), is_rounded && share <= stated + 1e-9 && stated < share + 0.05,
               fmt::format("at most {:.3f}, stated {}", share, stated));
}

void check_described(const Manifest& manifest, const Mechanism& mechanism, Findings& findings) {
  std::vector<std::string> wrong;
  const auto expect = [&](const char* what, bool same) {
    if (!same) wrong.push_back(fmt::format("{} is not that of the mechanism", what));
  };
  expect("method", manifest.method == mechanism.method);
  expect("objective", manifest.objective == mechanism.objective);
  expect("distance_name", manifest.distance == mechanism.distance);
  expect("seeded", manifest.seeded == mechanism.seeded);
  expect("rows", same_composing(manifest, mechanism));
  expect("accepted_leakage", manifest.accepted_leakage == !obscure::shortfalls(mechanism).empty());
  expect("constraints", same_limits(manifest.limits, mechanism.limits));
  expect("the number of groups", manifest.groups.size() == mechanism.groups.size());
  if (manifest.groups.size() == mechanism.groups.size())
    for (std::size_t g = 0; g < manifest.groups.size(); ++g)
      if (!same_group(manifest.groups[g], mechanism.groups[g]))
        wrong.push_back(fmt::format("{} is another group than in the mechanism", manifest.groups[g].label));
  findings.add(rule("mechanism-groups"), wrong, fmt::format("{} groups", manifest.groups.size()));
}

/// By the figures that were computed again; the mechanism's own are compared with these elsewhere.
void check_stated_figures(const Manifest& manifest, const obscure::Recomputed& found, Findings& findings) {
  std::vector<std::string> wrong;
  double people = 0;
  for (const published::Group& group : manifest.groups) people += static_cast<double>(group.people);
  const published::ManifestLeakage& stated = manifest.leakage;
  if (!is_rounded_up(
          {stated.leakage_added, least_leakage_step(people)},
          {.low = found.leakage - stated.leakage_groups, .high = found.leakage - stated.leakage_groups}))
    wrong.push_back(
        fmt::format("leakage_added_bits = {}, and the mechanism adds {:.6g} to leakage_groups_bits",
                    stated.leakage_added, found.leakage - stated.leakage_groups));
  if (!is_rounded_up({stated.distance, 0}, {.low = found.distance.value - found.distance.error,
                                            .high = found.distance.value + found.distance.error}))
    wrong.push_back(fmt::format("distance = {}, and that of the mechanism is {:.6g}", stated.distance,
                                found.distance.value));
  findings.add(rule("mechanism-figures"), wrong,
               fmt::format("I(Y; V, G) = {:.6f} bits, stated {}; distance {:.6f}, stated {}", found.leakage,
                           stated.leakage, found.distance.value, stated.distance));
}

// --- the files

std::vector<std::string> texts_of_columns(const std::vector<data::Column>& columns) {
  std::vector<std::string> cells;
  for (const data::Column& column : columns) cells.push_back(as_text(data::quoted_name(column.name)));
  return cells;
}

/// Parquet leaves room for encoders, and several machines write several files: the same rows in the same
/// order.
bool same_rows(data::Engine& engine, const Manifest& manifest, const fs::path& file, const fs::path& again) {
  const std::string one = table_reader(manifest, file), other = table_reader(manifest, again);
  const auto columns = engine.describe(one);
  const auto expected = engine.describe(other);
  const auto name = [](const data::Column& column) { return column.name; };
  if (!std::ranges::equal(columns, expected, {}, name, name)) return false;
  const auto numbered = [&](const std::string& table) {
    return fmt::format("(SELECT 1 AS there, {} AS cells FROM {})", packed_exactly(texts_of_columns(columns)),
                       table);
  };
  return count(engine,
               fmt::format("{} AS a POSITIONAL JOIN {} AS b WHERE a.there IS DISTINCT FROM b.there OR "
                           "a.cells IS DISTINCT FROM b.cells",
                           numbered(one), numbered(other))) == 0;
}

/// The release once more, in a folder that goes away.
class SecondRelease {
 public:
  SecondRelease(const Original& original, const Manifest& manifest, const Mechanism& mechanism,
                const Progress& progress)
      : folder_(make_temporary_folder("verify")) {
    data::Spec spec = original.spec;
    spec.release.ids = manifest.ids;
    spec.release.format =
        manifest.format == "parquet" ? data::ReleaseFormat::Parquet : data::ReleaseFormat::Csv;
    spec.release.order = manifest.order;
    spec.release.rows = mechanism.composing ? data::PublishedRows::Composed : data::PublishedRows::Donor;
    if (mechanism.composing) {
      spec.release.kin = mechanism.composing->kin;
      spec.release.owners = mechanism.composing->owners;
      spec.release.together = mechanism.composing->together;
    }
    spec.release.ledger = "none";  // nobody is drawn for: this release is never seen
    manifest_ = release::publish(original.engine, spec, original.reading, mechanism,
                                 {.output = path(), .accept_leakage = true}, progress)
                    .manifest;
  }

  fs::path path() const { return folder_.path() / "release"; }
  const Manifest& manifest() const { return manifest_; }

 private:
  TemporaryPath folder_;
  Manifest manifest_;
};

void check_published_again(const fs::path& folder, const Manifest& manifest, const Original& original,
                           const Mechanism& mechanism, const Progress& progress, Findings& findings) {
  const SecondRelease again(original, manifest, mechanism, progress);
  progress.report("comparing with what the mechanism draws", 0, 0);
  std::vector<std::string> wrong, by_rows;
  for (const published::ManifestFile& file : again.manifest().files) {
    const fs::path there = folder / file.name;
    if (!is_table(there)) {
      wrong.push_back(file.name + " is missing");
    } else if (published::sha256_of_table(there) == file.sha256) {
      continue;
    } else if (manifest.format == "parquet" && manifest.is_table(file.name) &&
               same_rows(original.engine, manifest, there, again.path() / file.name)) {
      by_rows.push_back(file.name);
    } else {
      wrong.push_back(file.name + " is another than the mechanism gives");
    }
  }
  findings.add(rule("published-again"), wrong,
               by_rows.empty() ? "byte by byte"
                               : fmt::format("{}: the same rows in the same order, written otherwise",
                                             fmt::join(by_rows, ", ")));
}

}  // namespace

Verification verify_with_mechanism(const fs::path& folder, const Original& original,
                                   const Mechanism& mechanism, const Progress& progress) {
  Verification verification = verify(folder, original, progress);
  const Manifest manifest = manifest_of_release(folder);
  const data::People& people = original.reading.people;
  Findings findings;
  check_drawn_by(manifest, mechanism, findings);
  check_described(manifest, mechanism, findings);
  if (mechanism.data_fingerprint != data::fingerprint(people)) {
    findings.add(rule("mechanism-true"), false, "it was made for other people or data");
  } else {
    obscure::refuse_misfit(mechanism, people);
    progress.report("computing the mechanism's figures again", 0, 0);
    const obscure::Recomputed found =
        obscure::recompute(mechanism, people, census::assign(mechanism.clusters, people.features), progress);
    const auto untrue = untrue_statements(mechanism, people, found, original.spec.secret.keep);
    findings.add(rule("mechanism-true"), untrue,
                 mechanism.composing ? "rows are composed"
                                     : fmt::format("{:.2f} of the people draw their own row, in expectation",
                                                   found.own_rows));
    check_stated_figures(manifest, found, findings);
    check_shares(manifest, mechanism, people, progress, findings);
    // What says untruly of itself what it does is not applied, and what crosses groups never was.
    if (untrue.empty() && mechanism.within_groups)
      check_published_again(folder, manifest, original, mechanism, progress, findings);
    else
      findings.add(rule("published-again"), false, "the mechanism cannot be applied");
  }
  const auto more = findings.take();
  verification.checks.insert(verification.checks.end(), more.begin(), more.end());
  verification.mode = Mode::Mechanism;
  verification.not_seen = not_seen(Mode::Mechanism, manifest);
  return verification;
}

}  // namespace hyobscure::verify
