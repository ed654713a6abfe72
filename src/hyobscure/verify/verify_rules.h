#pragma once

#include <array>
#include <string>
#include <string_view>

namespace hyobscure::verify {

/// What a verification has at hand; each mode makes all checks of those before it.
enum class Mode { Files, Original, Mechanism };

/// One row of the table of checks. The program, its documents (docs/verify.md) and the verifier of Spark take
/// their names and sentences from here.
struct CheckRule {
  std::string_view key;  ///< for programs; stays the same when a name is put better
  std::string_view
      name;  ///< a sentence that is true when the check passes; {} stands for a file or a kind of column
  std::string_view covers;      ///< what is looked at
  std::string_view on_failure;  ///< what is the matter where it fails
  Mode mode = Mode::Files;      ///< the first that makes it
  bool warning =
      false;  ///< it tells the reader something; the release may be what it says it is all the same
};

/// A check with its name filled in.
struct NamedCheck {
  const CheckRule& rule;
  std::string name;

  NamedCheck(const CheckRule& of_table)
      : rule(of_table), name(of_table.name) {}  // a rule is a check without a subject
  /// `subject` stands in place of {}.
  NamedCheck(const CheckRule& of_table, std::string_view subject) : rule(of_table) {
    const std::size_t place = of_table.name.find("{}");
    name.append(of_table.name.substr(0, place)).append(subject).append(of_table.name.substr(place + 2));
  }
};

/// The releases that a blind spot is about.
enum class Concerns { AllReleases, ThoseWithoutIds, ParquetOnly };

/// What modes cannot see, and the first that does.
struct BlindSpot {
  std::string_view what;
  Mode seen_by = Mode::Mechanism;
  bool ever_seen = true;  ///< false: no mode sees it
  Concerns concerns = Concerns::AllReleases;
};

// clang-format off: a table
inline constexpr auto kChecks = std::to_array<CheckRule>({
  // --- the files alone: the folder and the manifest
  {"manifest-seal", "the manifest is as it was written", "the seal of manifest.json",
   "the manifest was edited or damaged"},
  {"manifest-canonical", "the manifest is written in the one way", "every byte of manifest.json",
   "it has keys that publish does not write, a key twice, or other spacing: something else may be said there"},
  {"secret-key", "the draws come from a secret key", "`seeded` of the manifest",
   "a trial: anyone who guesses the seed can undo it", Mode::Files, true},
  {"not-weak", "fit did not call the mechanism weak", "`accepted_leakage` of the manifest",
   "it leaks more than a careful publisher would accept", Mode::Files, true},
  {"no-other-files", "there are no other files", "names in the folder and in folders of part files",
   "files are there that the release does not declare, or parts that are not part-00000, part-00001, ... (nor as Spark "
   "names them)"},
  {"files-there", "all files are there", "the declared files: regular ones, no links, pipes or devices",
   "a file is missing, or leads out of the release"},
  {"files-unchanged", "the files are as they were written", "SHA-256 of each file",
   "a file was edited or damaged since the manifest was written"},
  // --- who published it: only of signed releases, or where a signature is asked for
  {"signed-by", "the manifest is signed by the key that was asked for", "manifest.sig, and the key of --signed-by",
   "somebody else published it, or it was changed since"},
  {"signature-fits", "the signature fits the manifest", "manifest.sig, where no key was asked for",
   "the manifest or its signature was changed"},
  {"signer-known", "the signer is known", "manifest.sig, where no key was asked for",
   "anybody can sign: compare the key with the publisher's by --signed-by", Mode::Files, true},
  // --- groups and figures
  {"groups-in-order", "groups are in order and do not overlap", "ranges of one number",
   "a secret would be in two groups, or the order of groups is another"},
  {"groups-apart", "groups do not overlap", "places, names and several secrets", "a secret would be in two groups"},
  {"groups-connected", "every group is connected", "places and several secrets", "a group is in pieces"},
  {"room-for-l", "the range of every group has room for l values", "ranges of whole numbers",
   "a group cannot hold as many values as promised"},
  {"listed-values", "listed values per group are within (l, beta)", "groups that list their secrets",
   "a group holds fewer or more values than promised"},
  {"listed-secrets", "every listed secret can be read", "groups that list combinations",
   "a group lists what is no secret"},
  {"no-single-value", "no group is a single value", "covers of groups",
   "people of the group publish their exact secret", Mode::Files, true},
  {"no-exact-label", "no label reads as an exact secret", "labels of places, names and several secrets",
   "a label says less than its group covers, or the exact secret"},
  {"no-single-part", "no group is a single value of one of the secrets", "several secrets",
   "people of the group publish one of their secrets exactly", Mode::Files, true},
  {"group-figures", "the figures of the groups follow from their people",
   "leakage_groups_bits against H(G), leakage_bits against the sum of its parts",
   "a figure is not what the groups give"},
  {"coarse-figures", "no figure of the manifest is fine enough to compute a secret from",
   "steps of leakage_added_bits, distance and leakage_together_bits; keys of the manifest",
   "somebody who knows all secrets but one could compute that one"},
  {"areas-drawn", "areas.geojson draws the declared areas", "the polygons, line by line",
   "the map shows other areas than the manifest lists"},
  {"areas-canonical", "areas.geojson is written in the one way", "every byte of areas.geojson",
   "it holds more than the declared areas, or in another form"},
  {"groups-listed", "groups.csv lists the declared groups", "labels and people, line by line",
   "the list shows other groups than the manifest"},
  {"groups-canonical", "groups.csv is written in the one way", "every byte of groups.csv",
   "it covers other values, holds more than the declared groups, or is in another form"},
  {"readme-canonical", "README.txt is written in the one way", "every byte of README.txt",
   "it says something else than the manifest gives"},
  // --- tables
  {"columns", "the columns of {} are the declared ones", "names and order of columns",
   "the table cannot be read, or publishes a column that is not declared"},
  {"table-canonical", "{} is written in the one way",
   "CSV: quotes, ends of lines, every cell; Parquet: metadata, encodings, bytes that no column claims",
   "the way in which it is written may reveal what its cells do not"},
  {"rows", "{} has the declared number of rows", "rows of each table", "rows are missing or were added"},
  {"rows-in-order", "the rows of {} are in the order of ids", "people by id, events as their people",
   "the order of rows may reveal secrets"},
  {"order-tells-nothing", "the order of rows says nothing of the groups",
   "where ids are replaced or dropped: people of each group in each eighth of the rows; a good release fails once in 1e9",
   "ids or the order of rows were computed from the groups"},
  {"ids-new", "new ids are sixteen hexadecimal digits, or all of them thirty-two", "where ids are replaced",
   "ids have another form than publish gives them: they may reveal something"},
  {"labels-declared", "every label is a declared group", "the column of the secret", "somebody has another label"},
  {"groups-occur", "every declared group occurs", "the column of the secret", "a declared group has nobody"},
  {"no-plain-numbers", "the secret column holds no plain numbers", "secrets that are one number",
   "exact secrets are published"},
  {"secret-parts", "every secret column holds what the group covers of it", "several secrets",
   "a column says something else than the group"},
  {"people-within", "people per group are within (k, alpha)", "people of each label",
   "a group is smaller or larger than promised"},
  {"people-declared", "people per group are as declared", "people of each label", "the manifest counts wrongly"},
  {"nobody-alone", "no person is alone in their group with their kept values", "kept columns",
   "somebody can be published with their own features only"},
  {"pools-of-k", "people per pool (same group and kept values) are at least k",
   "kept columns, limits declared for pools", "a pool is smaller than promised"},
  {"no-small-pool", "no pool (same group and kept values) is smaller than k",
   "kept columns, limits declared for groups", "the limits hold for groups only", Mode::Files, true},
  {"ids-unique", "ids are unique", "the column of ids", "somebody has no id, or two have the same"},
  {"events-of-people", "every event belongs to a published person", "events", "events of somebody else are there"},
  {"people-have-events", "every person has events", "events", "somebody has none"},
  {"events-complete", "every event is complete", "items and values", "an event lacks its item, or a number as value"},
  // --- against the original
  {"people-count", "as many people as in the original", "the number of people", "people are missing or were added",
   Mode::Original},
  {"same-people", "the published people are those of the original", "where ids are kept",
   "other people are published", Mode::Original},
  {"no-original-id", "no original id is published", "where ids are replaced", "people can be looked up by their ids",
   Mode::Original},
  {"same-grid", "the grid is that of the original", "places", "the cells lie elsewhere", Mode::Original},
  {"spec-limits", "the limits are those of the spec", "(k, alpha), (l, beta) and what they hold for, as the spec asks",
   "the release promises something else than the spec asks for, or the spec was given other flags then",
   Mode::Original},
  {"spec-method", "method, objective and distance are those of the spec", "names in the manifest",
   "the release was made in another way than the spec asks for, or the spec was given other flags then",
   Mode::Original, true},
  {"true-groups", "every true secret is in one declared group", "all people", "somebody is in none or in two",
   Mode::Original},
  {"true-labels", "every label covers the true secret", "where ids are kept", "somebody has the label of another group",
   Mode::Original},
  {"true-sizes", "groups are as large as in the original", "where ids are not kept",
   "somebody has the label of another group", Mode::Original},
  {"own-kept", "kept columns hold the person's own values", "kept columns, where ids are kept",
   "somebody has other values there", Mode::Original},
  {"kept-of-groups", "every group has the kept values of the original", "kept columns, where ids are not kept",
   "people of a group have other values there", Mode::Original},
  {"true-k", "(k, alpha) holds for the true secrets", "people of each group, counted again",
   "a group is smaller or larger than promised", Mode::Original},
  {"true-l", "(l, beta) holds for the true secrets", "distinct secrets of each group, counted again",
   "a group holds fewer or more values than promised", Mode::Original},
  {"true-counts", "the manifest counts people truly, and lists the secrets there are",
   "people and listed secrets of each group", "the manifest counts wrongly", Mode::Original},
  {"true-pools-k", "k holds for the true pools", "kept columns, limits declared for pools",
   "a pool is smaller than promised", Mode::Original},
  {"true-pools-l", "l holds for the true pools", "kept columns, limits declared for pools",
   "a pool holds fewer values than promised", Mode::Original},
  {"leakage-bounds", "the stated leakage is possible for these secrets",
   "leakage_bits against H(Y), which it need not exceed", "the manifest states what no mechanism can leak",
   Mode::Original},
  {"no-exact-secret", "no exact secret is published", "labels of one number against all secrets",
   "exact secrets are published", Mode::Original},
  {"no-secret-column", "no {} column is the secret", "columns of features and kept columns",
   "a column is the secret under another name", Mode::Original},
  {"donor-rows", "published features are the true features of a person", "complete rows, by their hashes",
   "features were made up or mixed", Mode::Original},
  {"donor-groups", "every donor is of the same group", "complete rows, by their hashes",
   "features reveal of the secret what the groups do not", Mode::Original},
  {"donor-kept", "every donor is of the same group and has the same kept values", "kept columns",
   "features reveal of the secret what the groups do not", Mode::Original},
  {"own-rows-plausible", "not more people have their own features than the spec allows by chance",
   "where ids are kept: rows that nobody else of the group has; a good release fails once in 1e9",
   "people publish their own features", Mode::Original},
  {"distance-plausible", "features are as far from the people's own as the manifest says",
   "where ids are kept: mean distance against the stated one; a good release fails once in 1e9",
   "donors were chosen otherwise than the manifest says", Mode::Original},
  {"dependence-plausible", "donors tell of the secret no more than the manifest says",
   "where ids are kept: how often person and donor share their secret; a good release fails once in 1e9",
   "donors were chosen by their secret", Mode::Original},
  // --- against original and mechanism
  {"drawn-by-mechanism", "the release was drawn by this mechanism", "`draw` of the manifest against the mechanism's key",
   "another mechanism made the release", Mode::Mechanism},
  {"mechanism-true", "the mechanism does what it says",
   "I(Y; V, G), H(G), H(Y), lifts, own rows, distance, groups and limits, computed again from channels and people",
   "figures of the mechanism are false", Mode::Mechanism},
  {"mechanism-figures", "the manifest states the mechanism's leakage and distance",
   "leakage_added_bits and distance: the computed figures, rounded up to the next step, and no further",
   "the release leaks or changes more, or less, than it says", Mode::Mechanism},
  {"mechanism-groups", "groups, limits and method are the mechanism's",
   "labels, covers, people, limits, method, objective, distance, `seeded`, `accepted_leakage`",
   "the manifest describes another mechanism", Mode::Mechanism},
  {"published-again", "publishing again gives the same files",
   "the draws belong to the mechanism's key: bytes of each file, or of Parquet its rows in their order",
   "rows, ids, order or donors are not those that the mechanism draws", Mode::Mechanism},
});

inline constexpr auto kBlindSpots = std::to_array<BlindSpot>({
  {"whether labels, donors and kept cells are true, and limits hold for the true people", Mode::Original},
  {"whether the people, their number and the spec are the steward's", Mode::Original},
  {"whether leakage_added_bits, distance and method are those of the mechanism, but for gross errors", Mode::Mechanism},
  {"whether donors were drawn by the channel: only draws that the promise makes all but impossible are noticed",
   Mode::Mechanism},
  {"who has whose features: own rows, one donor for many, donors of the same exact secret", Mode::Mechanism, true,
   Concerns::ThoseWithoutIds},
  {"ids or an order of rows that were computed from secrets within a group", Mode::Mechanism, true,
   Concerns::ThoseWithoutIds},
  {"what an encoder of Parquet is free to choose, such as entries of a dictionary that no cell uses and bounds of a column "
   "(the mechanism shows it where bytes are compared, not where another version or Spark wrote the rows)",
   Mode::Mechanism, true, Concerns::ParquetOnly},
  {"what Spark's name for a job, in the names of part files, may reveal: it is random, and the same for all parts of a table",
   Mode::Mechanism, false, Concerns::ParquetOnly},
  {"earlier releases of the same people: what the manifest says of them is taken on trust", Mode::Mechanism, false},
  {"what was given away outside these files, and how the mechanism and its key are kept", Mode::Mechanism,
   false},
  {"names, times, owners and rights of the files: a copy may have others", Mode::Mechanism, false},
});
// clang-format on

/// Whether the spot is out of a mode's sight.
constexpr bool is_blind(const BlindSpot& spot, Mode mode) { return mode < spot.seen_by || !spot.ever_seen; }

/// A row of the table; a key that it does not have does not compile.
consteval const CheckRule& rule(std::string_view key) {
  std::size_t place = 0;
  while (place < kChecks.size() && kChecks[place].key != key) ++place;
  if (place == kChecks.size()) throw "no such check";
  return kChecks[place];
}

}  // namespace hyobscure::verify
