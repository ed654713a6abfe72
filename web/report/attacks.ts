// Attack error against its controls; the informed attacker; repeated releases.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type FigureSpec, type View } from "./chart";
import { bulletList, el, table, words } from "./dom";
import { dots, dotsHeight, someLieOff, type DotRow, type Kind } from "./dots";
import { isNumber, list, mentioned, whyOf, type Attack, type Audit, type Facts, type InformedErrors } from "./facts";
import { errorName, informedAs, measuresOf, type ErrorMeasure } from "./measures";
import { count, counted, interval, measure as figureOf, withUnit } from "./numbers";
import { rowAttacks } from "./row_attacks";
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

/** "95 % over 10 repetitions", as far as it is known. */
export function intervalNote(audit: Audit): string {
  if (audit.interval) return `Whiskers: ${audit.interval}.`;
  return isNumber(audit.repetitions)
    ? `Whiskers: confidence intervals over ${counted(audit.repetitions, "repetition", "repetitions")}.`
    : "Whiskers: confidence intervals.";
}

/** The attacks by one measure, as a figure shows them; nothing where none was measured by it. */
function attackSpec(facts: Facts, audit: Audit, attacks: Attack[], measure: ErrorMeasure): FigureSpec | null {
  const all = kinds(facts);
  const rows: DotRow[] = attacks
    .map((attack) => ({ label: attackName(attack), values: KEYS.map((key) => measure.of(attack)[key]) }))
    .filter((row) => row.values.some((value) => isNumber(value?.mean)));
  if (!rows.length) return null;
  const present = all.map((_, i) => rows.some((row) => isNumber(row.values[i]?.mean)));
  const used = all.filter((_, i) => present[i]);
  const shown = rows.map((row) => ({ ...row, values: row.values.filter((_, i) => present[i]) }));
  return {
    title: measure.unit === "%" ? "How often the attackers are wrong" : "How far off the attackers are",
    howToRead: `further left means a better attacker. A dot left of the dashed line (the guess from the ${groupWord(facts).one} alone) has learned something from the features; if its whisker crosses the line, that may be chance. ${intervalNote(audit)}${someLieOff(shown, used) ? " An arrow at the edge stands for a value further off." : ""}`,
    description: `Dots with intervals for ${counted(rows.length, "attack", "attacks")}: ${measure.unit === "%" ? measure.name : "error"} on the published data beside its controls. The table that follows has the numbers and what they mean.`,
    height: () => dotsHeight(shown, used),
    option: (view) => dots(view, shown, used, measure.unit),
    legend: used.map((kind) => ({ name: kind.name, mark: kind.mark })),
    table: {
      caption: `${errorName(measure)}: mean (interval)`,
      columns: [{ name: "attack" }, ...used.map((kind) => ({ name: kind.name, number: true }))],
      rows: shown.map((row) => [row.label, ...row.values.map((value) => interval(value))]),
    },
    xName: errorName(measure),
  };
}

/** What was measured: the first guess, five guesses, kilometres. One figure each, for paper has no switches. */
function attackFigures(facts: Facts, audit: Audit, attacks: Attack[]): Figure[] {
  return measuresOf(audit).flatMap((measure) => {
    const spec = attackSpec(facts, audit, attacks, measure);
    if (!spec) return [];
    return [new Figure(measure.main ? spec : { ...spec, title: "How often five guesses miss" })];
  });
}

function gainWords(facts: Facts, measures: ErrorMeasure[]): string {
  const guess = `than a guess from the ${groupWord(facts).one} alone`;
  if (measures[0].unit !== "%") return `Gain: how much closer it comes to the exact ${secretName(facts)} ${guess}.`;
  return `Gain: how much more often it names the exact ${secretName(facts)}${measures.some((one) => one.unit === "km") ? ", and how much closer it comes," : ""} ${guess}.`;
}

function verdictTable(facts: Facts, audit: Audit, attacks: Attack[]): HTMLElement {
  const measures = measuresOf(audit).filter((measure) => measure.main);
  const several = measures.length > 1;
  const verdicts = (attack: Attack) =>
    measures
      .map((measure) => `${several ? `${measure.intro.toLowerCase()}: ` : ""}${judge(measure.of(attack), measure.gainUnit).words}`)
      .join("; ");
  return table({
    caption: `What each attack shows. ${gainWords(facts, measures)}`,
    cards: true,
    columns: [
      { name: "attack" },
      ...measures.map((measure) => ({ name: several ? `gain ${measure.intro.toLowerCase()}` : "gain" })),
      { name: "what it shows" },
      { name: "how it works" },
    ],
    rows: attacks.map((attack) => [
      attackName(attack),
      ...measures.map((measure) => interval(measure.of(attack).advantage, measure.gainUnit)),
      verdicts(attack),
      words(attack.what, ""),
    ]),
  });
}

function repeatedOption(
  view: View,
  points: { releases: number; error: { mean: number; low?: number | null; high?: number | null } }[],
  groupOnly: number | undefined,
  unit?: string,
): EChartsCoreOption {
  const { colours } = view;
  const colour = mark(0).colour(colours);
  const seen = points.flatMap((point) => [point.error.mean, point.error.low, point.error.high]).filter(isNumber);
  const high = Math.max(...seen, groupOnly ?? 0);
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => [
      counted(points[dataIndex].releases, "release", "releases"),
      `error ${interval(points[dataIndex].error, unit)}`,
    ]),
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
          ? {
              silent: true,
              symbol: "none",
              data: [{ yAxis: groupOnly }],
              lineStyle: { color: colours.text, type: [4, 3], width: 1.5 },
              label: { position: "insideStartTop", color: colours.text, formatter: "guess from the group alone" },
            }
          : undefined,
      },
      {
        type: "custom",
        silent: true,
        // The control is no whisker, but the axis leaves room for it as well.
        data: [
          ...points.flatMap((point, i) => [point.error.low, point.error.high].filter(isNumber).map((end) => [i, end])),
          ...(isNumber(groupOnly) ? [[-1, groupOnly]] : []),
        ],
        renderItem: (_: unknown, api: { value(d: number): number; coord(data: [number, number]): [number, number] }) => {
          const index = api.value(0);
          if (index < 0) return undefined;
          const [x, y1] = api.coord([index, api.value(1)]);
          const [, y2] = api.coord([index, points[index].error.mean]);
          return {
            type: "group",
            children: [
              { type: "line", shape: { x1: x, x2: x, y1, y2 }, style: { stroke: colour, lineWidth: 2 } },
              { type: "line", shape: { x1: x - 5, x2: x + 5, y1, y2: y1 }, style: { stroke: colour, lineWidth: 2 } },
            ],
          };
        },
      },
    ],
  };
}

function repeatedFigure(facts: Facts, measure: ErrorMeasure, informed: InformedErrors): Figure | null {
  const exact = isNumber(informed.error) ? informed.error : undefined;
  const people = list(informed.repeated)[0]?.people;
  const points = list(informed.repeated).flatMap((one) =>
    isNumber(one.releases) && isNumber(one.error?.mean)
      ? // Of one release the error is known exactly; drawn people would show it a little otherwise.
        [{ releases: one.releases, error: one.releases === 1 && exact ? { mean: exact } : { ...one.error, mean: one.error.mean } }]
      : [],
  );
  if (!points.length) return null;
  const groupOnly = isNumber(informed.group_only) ? informed.group_only : undefined;
  return new Figure({
    title: measure.intro ? `What repeated releases would leak, ${measure.intro.toLowerCase()}` : "What repeated releases would leak",
    howToRead: `each point is the error of an informed attacker (it knows all rows, secrets and the channel, not which row is the target's) that holds this many independent releases of the same people; it falls as releases add up, which is why a second one is refused unless forced.${exact ? ` The error after one release is exact; after more it was measured${isNumber(people) ? ` on ${counted(people, "person", "people")}` : ""}, whose releases were drawn once.` : ""}`,
    description: `Error of the informed attacker by number of releases: ${points.map((point) => `${count(point.releases)}: ${figureOf(point.error.mean)}`).join(", ")}.`,
    height: () => 260,
    option: (view) => repeatedOption(view, points, groupOnly, measure.unit),
    table: {
      caption: `${errorName(measure)} of the informed attacker`,
      columns: [{ name: "releases" }, { name: "error", number: true }],
      rows: points.map((point) => [count(point.releases), interval(point.error)]),
    },
    yName: errorName(measure),
    xName: `number of independent releases of the same ${isNumber(facts.data?.people) ? counted(facts.data.people, "person", "people") : "people"}`,
  });
}

/** "Error of that guess: 4.11 years. The guess from the group alone has 4.28 years." */
function informedError(facts: Facts, { unit }: ErrorMeasure, informed: InformedErrors): string {
  const error = isNumber(informed.error) ? withUnit(figureOf(informed.error), unit) : figureOf(null, whyOf(informed, "error"));
  const control = isNumber(informed.group_only)
    ? ` The guess from the ${groupWord(facts).one} alone has ${withUnit(figureOf(informed.group_only), unit)}.`
    : "";
  const what =
    unit === "%" ? "Share of wrong guesses" : unit === "km" ? "Mean distance of its nearest guess from the truth" : "Error of that guess";
  return `${what}: ${error}.${control}`;
}

function informedText(facts: Facts, audit: Audit): HTMLElement[] {
  if (!mentioned(audit.informed, "error")) return [];
  const errors = informedAs(facts).map(({ measure, informed }) => informedError(facts, measure, informed));
  return [
    el("h3", {}, "The informed attacker"),
    el(
      "p",
      {},
      `It knows all true rows, all exact values and how the draws are made, but not which of the rows is the target's own. It computes the best guess from the published row; nothing needs to be trained. No attacker who sees only this release can do better on average. ${errors.join(" ")}`,
    ),
  ];
}

export function attacksSection(facts: Facts): Section | null {
  const audit = facts.audit;
  if (!audit) return null;
  const attacks = list(audit.attacks);
  const figures = attackFigures(facts, audit, attacks);
  const repeated = informedAs(facts).flatMap(({ measure, informed }) => repeatedFigure(facts, measure, informed) ?? []);
  const body: Node[] = [];
  if (attacks.length) {
    body.push(
      el(
        "p",
        {},
        `Programs were trained to find the exact ${secretName(facts)} from the published rows. A figure of this kind means something only beside its controls: the same attack on unobscured features, and guesses that look at no features at all.`,
      ),
    );
    body.push(...figures.map((figure) => figure.element), verdictTable(facts, audit, attacks));
  }
  body.push(...informedText(facts, audit), ...repeated.map((figure) => figure.element), ...rowAttacks(facts));
  const notes = list(audit.notes).filter((note) => typeof note === "string" && note);
  if (notes.length && body.length) body.push(el("h3", {}, "Notes on the audit"), bulletList(notes));
  return body.length ? { id: "attacks", title: "What attackers achieve", body, figures: [...figures, ...repeated] } : null;
}
