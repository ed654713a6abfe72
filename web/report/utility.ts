// What the published data are still good for.
import { Figure } from "./chart";
import { el } from "./dom";
import { dots, dotsHeight, someLieOff, type Kind } from "./dots";
import { isNumber, list, type Audit, type Facts, type Utility } from "./facts";
import { capital, interval } from "./numbers";
import { intervalNote } from "./attacks";
import type { Section } from "./section";
import { mark } from "./theme";

const KINDS: (Kind & { key: "published" | "unobscured" | "baseline" })[] = [
  { key: "published", name: "with the published data", mark: mark(0) },
  { key: "unobscured", name: "with the original data", mark: mark(1), reference: true },
  { key: "baseline", name: "without the features (baseline)", mark: { ...mark(4), colour: (palette) => palette.muted }, mayLieOff: true },
];

function utilityFigure(audit: Audit, utility: Utility): Figure | null {
  const used = KINDS.filter((kind) => isNumber(utility[kind.key]?.mean));
  if (!used.length) return null;
  const name = utility.name || "a task";
  const measured = utility.measure || "measure";
  const rows = [{ label: "", values: used.map((kind) => utility[kind.key]) }];
  const better =
    utility.better === "lower" ? "further left is better" : utility.better === "higher" ? "further right is better" : "compare the dots";
  return new Figure({
    title: `${capital(name)} (${measured}${utility.better ? `, ${utility.better} is better` : ""})`,
    howToRead: `${better}; the closer the published data lie to the original data, the less use was lost. ${intervalNote(audit)}${someLieOff(rows, used) ? " An arrow at the edge stands for a value further off." : ""}`,
    description: `${name}, ${measured}: ${used.map((kind) => `${kind.name} ${interval(utility[kind.key])}`).join("; ")}.`,
    height: () => dotsHeight(rows, used),
    option: (view) => dots(view, rows, used),
    legend: used.map((kind) => ({ name: kind.name, mark: kind.mark })),
    table: {
      caption: `${name}, ${measured}: mean (interval)`,
      columns: [{ name: "data" }, { name: measured, number: true }],
      rows: KINDS.filter((kind) => kind.key in utility).map((kind) => [kind.name, interval(utility[kind.key])]),
    },
    xName: measured,
  });
}

export function utilitySection(facts: Facts): Section | null {
  const audit = facts.audit;
  const utilities = list(audit?.utilities);
  if (!audit || !utilities.length) return null;
  const figures: Figure[] = [];
  const body: Node[] = [];
  for (const utility of utilities) {
    const figure = utilityFigure(audit, utility);
    if (figure) {
      figures.push(figure);
      body.push(figure.element);
    } else {
      body.push(el("p", {}, `${utility.name || "A task"}: ${interval(utility.published)}.`));
    }
  }
  return {
    id: "utility",
    title: "What the data are still good for",
    body: [el("div", { class: figures.length > 1 ? "side-by-side" : "" }, ...body)],
    figures,
  };
}
