#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/published/signature.h"

namespace hyobscure::release {

struct PublishSettings {
  std::filesystem::path output;  ///< the folder to make
  bool force = false;            ///< replaces an earlier release at `output`, and nothing else
  bool second_draw = false;      ///< publishes although some of the people were drawn for before
  /// Ids of an earlier release are those of other people: publishes unless the rows say otherwise.
  bool other_people = false;
  bool accept_leakage =
      false;  ///< publishes although the mechanism has shortfalls (obscure/leakage/shortfalls.h)
  std::optional<published::SigningKey> sign = {};  ///< says who published
  std::filesystem::path ledger_folder = {};  ///< where a relative release.ledger begins; empty: as the spec's
  bool stays = true;  ///< false: the caller removes the folder again, so the ledger names none
};

struct PublishResult {
  published::Manifest manifest;
  obscure::Figures figures;           ///< of the mechanism, with all digits; private
  bool converged = true;              ///< false: its search was stopped early (Mechanism::converged)
  double leakage_together = kUnset;   ///< bits, with earlier draws of the same people; private
  double realised_distance = kUnset;  ///< mean distance between true and published features, of this draw and
                                      ///< at most 100,000 people; private
  std::int64_t people = 0;
  std::int64_t events = 0;            ///< long data
  std::int64_t people_unchanged = 0;  ///< who publish their own row, having drawn themselves; private
  std::optional<published::PublicKey> signer = {};
};

/// Throws InputError for a mechanism with shortfalls.
void refuse_shortfalls(const obscure::Mechanism& mechanism);

/// Applies the mechanism to the people it was made for, and writes the release in the shape of the input:
///
///   long   people.<ext>: id, label of the group, kept columns
///          events.<ext>: person, item, value, time (those that the spec names)
///   wide   people.<ext>: id, label of the group, kept columns, feature columns
///
/// Composed rows (obscure/compose/composed_rows.h) have cells and events of several people instead: a time,
/// or several events of one item, come with the item from whoever gives it. A set whose elements travel alone
/// has them in the order of their texts.
///
/// together with manifest.json and, where there is a key to sign with, its signature. Several secrets are a
/// column `group` with the label, and a column each with what the group covers of them. Areas of places are
/// in areas.geojson as well. Columns keep their names, cells their content: in kept columns stand the
/// person's own original cells, in features and events the donor's. No column that the spec does not name is
/// published, nor an event that was left out. Rows are ordered by published id (by a keyed hash where ids are
/// dropped), events of a person by their content, so that no order tells the donor or the order of the input;
/// with release.order = "shuffled" both by hashes. CSV cells that go to Parquet become numbers where the
/// column was used as numbers, else stay text.
///
/// `reading` must come from read_people on the same engine and spec. The same mechanism gives the same bytes,
/// whatever the number of threads. All files appear at once or none does, and the table of donors is dropped
/// in every case.
///
/// Unless the mechanism is seeded, the ledger that the spec names (release.ledger) remembers whom it drew
/// for. Another draw of some of the same people is refused, with what both releases would tell together; with
/// `second_draw` it is published, and the manifest says so.
///
/// A mechanism with shortfalls is refused unless the leakage is accepted; then the manifest says so.
///
/// Throws InputError when the mechanism was made for other data, the output exists (without force), ids of
/// long data are to be dropped, or files cannot be read or written; and Stopped.
[[nodiscard]] PublishResult publish(data::Engine& engine, const data::Spec& spec,
                                    const data::Reading& reading, const obscure::Mechanism& mechanism,
                                    const PublishSettings& settings, const Progress& progress = {});

}  // namespace hyobscure::release
