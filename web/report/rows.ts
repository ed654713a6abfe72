// Attacks that look for a person's row: known entries and matching, each beside its control.
import { el, table } from "./dom";
import { list, type Audit, type Interval } from "./facts";
import { count, interval } from "./numbers";

function knownEntries(audit: Audit): HTMLElement[] {
  const of = list(audit.known_entries?.of);
  if (!of.length) return [];
  return [
    table({
      caption: "The attacker knows some entries of a person's true row, and takes the published row that fits best: mean (interval)",
      cards: true,
      columns: [
        { name: "known entries" },
        { name: "the one best row is the person's own", number: true },
        { name: "one row fits people who are absent", number: true },
        { name: "rest of that row is true", number: true },
        { name: "rest of a random row of the group is true", number: true },
      ],
      rows: of.map((entries) => [
        count(entries.known),
        interval(entries.own_row),
        interval(entries.one_fits_absent),
        interval(entries.rest_true),
        interval(entries.rest_true_random),
      ]),
    }),
  ];
}

function matching(audit: Audit): HTMLElement[] {
  const found = audit.matching;
  if (!found) return [];
  const row = (name: string, release?: Interval, shuffled?: Interval) => [name, interval(release), interval(shuffled)];
  return [
    table({
      caption: "The attacker has a person's whole true row: mean (interval)",
      cards: true,
      columns: [{ name: "figure" }, { name: "release", number: true }, { name: "ids shuffled within the group", number: true }],
      rows: [
        row("odds that the row under the id is nearer than another row (AUC; 0.5 links nobody)", found.auc, found.shuffled_auc),
        row("the nearest row is the one under the id", found.nearest, found.shuffled_nearest),
        row("the row under the id is the person's own", found.own_row, found.shuffled_own_row),
      ],
    }),
  ];
}

/** Heading and tables; nothing where neither attack was measured. */
export function rowAttacks(audit: Audit): HTMLElement[] {
  const tables = [...knownEntries(audit), ...matching(audit)];
  return tables.length ? [el("h3", {}, "Whether a person's row is found"), ...tables] : [];
}
