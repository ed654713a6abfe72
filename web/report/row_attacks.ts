// Attackers who look for a person's row: by a few known entries, or by the whole true row. Tables beside their controls.
import { el, table } from "./dom";
import { isNumber, list, type Audit, type Facts, type Interval, type KnownEntries } from "./facts";
import { count, inBits, interval, NOT_MEASURED, share } from "./numbers";

/** "34 % (30 % to 38 %)" */
function shareText(x: Interval | null | undefined): string {
  if (!isNumber(x?.mean)) return NOT_MEASURED;
  const one = (part: number) => share(part, 1);
  return isNumber(x.low) && isNumber(x.high) ? `${one(x.mean)} (${one(x.low)} to ${one(x.high)})` : one(x.mean);
}

function knownEntries(all: KnownEntries[]): HTMLElement[] {
  if (!all.length) return [];
  return [
    el("h3", {}, "Somebody who knows a few entries of a person"),
    el(
      "p",
      {},
      "It takes the published row that fits its entries best. Control: a random row of the group says how much of that row would be true of the person by chance.",
    ),
    table({
      caption: "Shares of people, and of the other entries of the row that was found (95 % interval)",
      cards: true,
      columns: [
        { name: "known entries" },
        { name: "own true row found", number: true },
        { name: "other entries true", number: true },
        { name: "of a random row", number: true },
        { name: "one row has all, the person absent", number: true },
      ],
      rows: all.map((one) => [
        count(one.known),
        shareText(one.own_row),
        shareText(one.rest_true),
        shareText(one.rest_true_random),
        shareText(one.one_fits_absent),
      ]),
    }),
  ];
}

function matching(audit: Audit): HTMLElement[] {
  const found = audit.matching;
  if (!found || !isNumber(found.auc?.mean)) return [];
  return [
    el("h3", {}, "Somebody who has a person's whole true row"),
    table({
      caption: `It ranks ${count(found.rows)} published rows by their distance from the true row, and looks for the one under the person's id`,
      cards: true,
      columns: [{ name: "figure" }, { name: "on the release", number: true }, { name: "ids shuffled in the group", number: true }],
      rows: [
        ["probability that it is nearer than another row (0.5: chance)", interval(found.auc), interval(found.shuffled_auc)],
        ["it is the nearest of all", shareText(found.nearest), shareText(found.shuffled_nearest)],
        ["it is the person's own row", shareText(found.own_row), shareText(found.shuffled_own_row)],
      ],
    }),
  ];
}

function beyondTheSample(audit: Audit): HTMLElement[] {
  const leakage = audit.beyond_the_sample?.leakage;
  if (!isNumber(leakage?.low) || !isNumber(leakage?.high)) return [];
  return [
    el("h3", {}, "Beyond these people"),
    el(
      "p",
      {},
      `The leakage is ${inBits(leakage.bits)} for the people counted, and between ${inBits(leakage.low)} and ${inBits(leakage.high)} for people drawn again from them. ${audit.beyond_the_sample?.covers ?? ""}`,
    ),
  ];
}

export function rowAttacks(facts: Facts): HTMLElement[] {
  const audit = facts.audit;
  if (!audit) return [];
  return [...knownEntries(list(audit.known_entries?.of)), ...matching(audit), ...beyondTheSample(audit)];
}
