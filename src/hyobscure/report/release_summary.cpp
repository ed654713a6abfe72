#include <fmt/format.h>

#include <cmath>

#include "hyobscure/base/json.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
std::string release_text(const release::PublishResult& result) {
  const published::Manifest& manifest = result.manifest;
  std::string text = fmt::format("Release of {} people", count_text(result.people));
  if (manifest.is_long()) text += fmt::format(" with {} events", count_text(result.events));
  text += manifest.ids == data::PublishedIds::Keep      ? ", pseudonymous: published under the original ids\n"
          : manifest.ids == data::PublishedIds::Replace ? ", ids replaced\n"
                                                        : ", ids dropped\n";
  TextTable table({"file", "rows", "sha256"});
  for (const auto& file : manifest.files)
    table.row({file.name, count_text(file.rows), file.sha256.substr(0, 16) + "..."});
  text += table.text();
  text += fmt::format("  realised distance {:.6f} (expected {:.6f})\n", result.realised_distance,
                      result.figures.distance);
  if (manifest.rows == data::PublishedRows::Composed)
    text += fmt::format(
        "  rows are composed: of {} people each, at most {:.0f} % of a row from one of them; no row is the "
        "true "
        "row of fewer than {} people\n",
        manifest.composed.kin, 100 * manifest.composed.largest_share, manifest.composed.owners);
  else
    text += fmt::format(
        "  {} of {} people drew their own features: the leakage counts it, but anyone who knows part of such "
        "a row recognises the person (method.self_donor = \"never\" forbids it)\n",
        count_text(result.people_unchanged), count_text(result.people));
  text +=
      fmt::format("  the manifest states a leakage of at most {} bits: figures of a release are rounded up\n",
                  manifest.leakage.leakage);
  if (const auto& composition = manifest.composition; composition.earlier_draws > 0)
    text += fmt::format(
        "  Second draw: with {} earlier {} of the same people this leaks up to {:.4f} of {:.4f} bits.\n",
        composition.earlier_draws, composition.earlier_draws == 1 ? "release" : "releases",
        result.leakage_together, result.figures.leakage.secret_entropy);
  if (result.signer)
    text += fmt::format("  Signed ({}) with the key of fingerprint {}\n", published::Signature::kFileName,
                        result.signer->fingerprint());
  if (!result.converged)
    text += fmt::format("  The search of this mechanism was stopped early: {}.\n",
                        std::isfinite(result.figures.gap)
                            ? fmt::format("it is at most {:.2g} bits above the best channel for these groups",
                                          result.figures.gap)
                            : "nothing is proven about a better one");
  if (manifest.seeded) text += "  Seeded, for trials: this release must not be published.\n";
  return wrapped(text);
}

std::string release_json(const release::PublishResult& result, double seconds) {
  const published::Manifest& manifest = result.manifest;
  Json json = {{"command", "publish"},
               {"method", manifest.method},
               {"people", result.people},
               {"events", result.events},
               {"rows", data::word(manifest.rows)},
               {"people_unchanged", result.people_unchanged},
               {"realised_distance", result.realised_distance},
               {"distance", number(result.figures.distance)},
               {"budget", number(result.figures.budget)},
               {"leakage_bits", number(result.figures.leakage.total)},
               {"published_leakage_bits", number(manifest.leakage.leakage)},
               {"seeded", manifest.seeded},
               {"converged", result.converged},
               {"gap_bits", number(result.figures.gap)},
               {"earlier_draws", manifest.composition.earlier_draws},
               {"leakage_together_bits", number(result.leakage_together)}};
  json["groups"] = Json::array();
  for (const auto& group : manifest.groups)
    json["groups"].push_back({{"label", group.label}, {"people", group.people}});
  json["files"] = Json::array();
  for (const auto& file : manifest.files)
    json["files"].push_back({{"name", file.name}, {"rows", file.rows}, {"sha256", file.sha256}});
  if (result.signer) json["signed_by"] = result.signer->fingerprint();
  json["seconds"] = seconds;
  return json.dump();
}

}  // namespace hyobscure::report
