// Attack error against its controls; the informed attacker; repeated releases.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type View } from "./chart";
import { bulletList, el, table, words } from "./dom";
import { dots, dotsHeight, someLieOff, type DotRow, type Kind } from "./dots";
import { isNumber, list, mentioned, whyOf, type Attack, type Audit, type Facts } from "./facts";
import { count, counted, interval, measure, withUnit } from "./numbers";
import type { Section } from "./section";
import { groupWord, secretName } from "./summary";
import { mark, symbolOf } from "./theme";
import { attackName, judge } from "./verdict";

const KEYS = ["published", "unobscured", "group_only", "nothing"] as const;

function kinds(facts: Facts): Kind[] {
  return [
    { name: "on the published data", mark: mark(0) },
    { name: "on unobscured features", mark: mark(1) },
    { name: `guess from the ${groupWord(facts).one} alone`, mark: { ...mark(3), colour: (palette) => palette.text }, reference: true },
    { name: "guess that knows nothing", mark: { ...mark(4), colour: (palette) => palette.muted }, mayLieOff: true },
  ];
}

export function errorName(audit: Audit): string {
  const name = audit.error || "error";
  return audit.secret_unit ? `${name} (${audit.secret_unit})` : name;
}

/** "95 % over 10 repetitions", as far as it is known. */
export function intervalNote(audit: Audit): string {
  if (audit.interval) return `Whiskers: ${audit.interval}.`;
  return isNumber(audit.repetitions) ? `Whiskers: confidence intervals over ${counted(audit.repetitions, "repetition", "repetitions")}.` : "Whiskers: confidence intervals.";
}

function attackFigure(facts: Facts, audit: Audit, attacks: Attack[]): Figure | null {
  const all = kinds(facts);
  const rows: DotRow[] = attacks.map((attack) => ({ label: attackName(attack), values: KEYS.map((key) => attack[key]) })).filter((row) => row.values.some((value) => isNumber(value?.mean)));
  if (!rows.length) return null;
  const present = all.map((_, i) => rows.some((row) => isNumber(row.values[i]?.mean)));
  const used = all.filter((_, i) => present[i]);
  const shown = rows.map((row) => ({ ...row, values: row.values.filter((_, i) => present[i]) }));
  return new Figure({
    title: "How far off the attackers are",
    howToRead: `further left means a better attacker. A dot left of the dashed line (the guess from the ${groupWord(facts).one} alone) has learned something from the features; if its whisker crosses the line, that may be chance. ${intervalNote(audit)}${someLieOff(shown, used) ? " An arrow at the edge stands for a value further off." : ""}`,
    description: `Dots with intervals for ${counted(rows.length, "attack", "attacks")}: error on the published data beside its controls. The table that follows has the numbers and what they mean.`,
    height: () => dotsHeight(shown, used),
    option: (view) => dots(view, shown, used, audit.secret_unit),
    legend: used.map((kind) => ({ name: kind.name, mark: kind.mark })),
    table: {
      caption: `${errorName(audit)}: mean (interval)`,
      columns: [{ name: "attack" }, ...used.map((kind) => ({ name: kind.name, number: true }))],
      rows: shown.map((row) => [row.label, ...row.values.map((value) => interval(value))]),
    },
    xName: errorName(audit),
  });
}

function verdictTable(facts: Facts, audit: Audit, attacks: Attack[]): HTMLElement {
  const unit = audit.secret_unit;
  return table({
    caption: `What each attack shows. Gain: how much closer it comes to the exact ${secretName(facts)} than a guess from the ${groupWord(facts).one} alone.`,
    cards: true,
    columns: [{ name: "attack" }, { name: "gain" }, { name: "what it shows" }, { name: "how it works" }],
    rows: attacks.map((attack) => [attackName(attack), interval(attack.advantage, unit), judge(attack, unit).words, words(attack.what, "")]),
  });
}

function repeatedOption(view: View, points: { releases: number; error: { mean: number; low?: number | null; high?: number | null } }[], groupOnly: number | undefined, unit?: string): EChartsCoreOption {
  const { colours } = view;
  const colour = mark(0).colour(colours);
  const seen = points.flatMap((point) => [point.error.mean, point.error.low, point.error.high]).filter(isNumber);
  const high = Math.max(...seen, groupOnly ?? 0);
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => [counted(points[dataIndex].releases, "release", "releases"), `error ${interval(points[dataIndex].error, unit)}`]),
    grid: { ...(common(view).grid as object), top: 24 },
    xAxis: axis(view, { type: "category", data: points.map((point) => String(point.releases)) }),
    yAxis: axis(view, { type: "value", min: 0, max: high > 0 ? undefined : 1 }),
    series: [
      {
        type: "line",
        data: points.map((point) => point.error.mean),
        symbol: symbolOf(mark(0).shape),
        symbolSize: 7,
        lineStyle: { color: colour, width: 2 },
        itemStyle: { color: colour },
        markLine: isNumber(groupOnly)
          ? { silent: true, symbol: "none", data: [{ yAxis: groupOnly }], lineStyle: { color: colours.text, type: [4, 3], width: 1.5 }, label: { position: "insideStartTop", color: colours.text, formatter: "guess from the group alone" } }
          : undefined,
      },
      {
        type: "custom",
        silent: true,
        data: points.flatMap((point, i) => [point.error.low, point.error.high].filter(isNumber).map((end) => [i, end])),
        renderItem: (_: unknown, api: { value(d: number): number; coord(data: [number, number]): [number, number] }) => {
          const index = api.value(0);
          const [x, y1] = api.coord([index, api.value(1)]);
          const [, y2] = api.coord([index, points[index].error.mean]);
          return { type: "group", children: [{ type: "line", shape: { x1: x, x2: x, y1, y2 }, style: { stroke: colour, lineWidth: 2 } }, { type: "line", shape: { x1: x - 5, x2: x + 5, y1, y2: y1 }, style: { stroke: colour, lineWidth: 2 } }] };
        },
      },
    ],
  };
}

function repeatedFigure(facts: Facts, audit: Audit): Figure | null {
  const informed = audit.informed;
  const points = list(informed?.repeated).flatMap((one) => (isNumber(one.releases) && isNumber(one.error?.mean) ? [{ releases: one.releases, error: { ...one.error, mean: one.error.mean } }] : []));
  if (!points.length) return null;
  const groupOnly = isNumber(informed?.group_only) ? informed.group_only : undefined;
  return new Figure({
    title: "What repeated releases would give away",
    howToRead: `each point is the error of an attacker who knows the whole table and holds this many independent releases of the same people; it falls as releases add up, which is why a second one is refused unless forced.`,
    description: `Error of the informed attacker by number of releases: ${points.map((point) => `${count(point.releases)}: ${measure(point.error.mean)}`).join(", ")}.`,
    height: () => 260,
    option: (view) => repeatedOption(view, points, groupOnly, audit.secret_unit),
    table: {
      caption: `${errorName(audit)} of the informed attacker`,
      columns: [{ name: "releases" }, { name: "error", number: true }],
      rows: points.map((point) => [count(point.releases), interval(point.error)]),
    },
    yName: errorName(audit),
    xName: `number of independent releases of the same ${isNumber(facts.data?.people) ? counted(facts.data.people, "person", "people") : "people"}`,
  });
}

function informedText(facts: Facts, audit: Audit): HTMLElement[] {
  const informed = audit.informed;
  if (!mentioned(informed, "error")) return [];
  const error = isNumber(informed?.error) ? withUnit(measure(informed.error), audit.secret_unit) : measure(null, whyOf(informed, "error"));
  const control = isNumber(informed?.group_only) ? ` The guess from the ${groupWord(facts).one} alone has ${withUnit(measure(informed.group_only), audit.secret_unit)}.` : "";
  return [
    el("h3", {}, "The informed attacker"),
    el("p", {}, `One who knows everybody's true rows and exact values except one person's, and how the draws are made, computes the best possible guess; nothing needs to be trained. Error of that guess: ${error}.${control}`),
  ];
}

export function attacksSection(facts: Facts): Section | null {
  const audit = facts.audit;
  if (!audit) return null;
  const attacks = list(audit.attacks);
  const figure = attackFigure(facts, audit, attacks);
  const repeated = repeatedFigure(facts, audit);
  const body: Node[] = [];
  if (attacks.length) {
    body.push(el("p", {}, `Programs were trained to find the exact ${secretName(facts)} from the published rows. A figure of this kind means something only beside its controls: the same attack on unobscured features, and guesses that look at no features at all.`));
    if (figure) body.push(figure.element);
    body.push(verdictTable(facts, audit, attacks));
  }
  body.push(...informedText(facts, audit));
  if (repeated) body.push(repeated.element);
  const notes = list(audit.notes).filter((note) => typeof note === "string" && note);
  if (notes.length && body.length) body.push(el("h3", {}, "Notes on the audit"), bulletList(notes));
  return body.length ? { id: "attacks", title: "What attackers achieve", body, figures: [figure, repeated].filter((one): one is Figure => !!one) } : null;
}
