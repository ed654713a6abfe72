// What the release leaks about the secret, in bits.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type View } from "./chart";
import { el, table, type TableData } from "./dom";
import { isNumber, mentioned, whyOf, type Facts, type Leakage, type Measured } from "./facts";
import { bits, inBits, measure, share, shareAtMost } from "./numbers";
import type { Section } from "./section";
import { fanoSentence, groupWord, secretName } from "./summary";
import { blend, mark } from "./theme";

const GROUPS = mark(0);
const FEATURES = mark(1);
const WHOLE = { ...mark(8), colour: (palette: { muted: string }) => palette.muted };

interface Stack {
  name: string;
  groups: number;
  features: number;
  whole: number;
}

function stacks(leakage: Leakage, secret: string): Stack[] {
  const { groups, features, unprotected, null: chance, secret_entropy: entropy } = leakage;
  const found: Stack[] = [];
  if (isNumber(entropy)) found.push({ name: `all that an exact ${secret} holds`, groups: 0, features: 0, whole: entropy });
  if (isNumber(groups)) {
    if (isNumber(unprotected)) found.push({ name: "same groups, true features", groups, features: unprotected, whole: 0 });
    if (isNumber(features)) found.push({ name: "this release", groups, features, whole: 0 });
    if (isNumber(chance)) found.push({ name: "chance alone (values shuffled)", groups, features: chance, whole: 0 });
  }
  return found;
}

/** Rows with their names above, as in dots.ts: bars keep the whole width on narrow screens. */
function namesAbove(view: View, names: string[]): object {
  return {
    type: "category",
    inverse: true,
    data: names,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: view.colours.muted } },
    axisLabel: {
      inside: true,
      verticalAlign: "bottom",
      padding: [0, 0, 13, 0],
      margin: 4,
      color: view.colours.text,
      fontSize: view.width < 400 ? 12 : 13,
      fontWeight: 600,
      width: view.width - 28,
      overflow: "truncate",
    },
    z: 5,
  };
}

function stackOption(view: View, rows: Stack[], groupsName: string): EChartsCoreOption {
  const { colours } = view;
  const part = (name: string, key: "groups" | "features" | "whole", colour: string) => ({
    type: "bar",
    name,
    stack: "bits",
    barWidth: 18,
    itemStyle: { color: colour, borderColor: colours.surface, borderWidth: 1 },
    data: rows.map((row) => row[key] || null),
  });
  const totals = rows.map((row) => row.groups + row.features + row.whole);
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => {
      const row = rows[dataIndex];
      return row.whole
        ? [row.name, inBits(row.whole)]
        : [row.name, `by the ${groupsName}: ${inBits(row.groups)}`, `by the features: ${inBits(row.features)}`];
    }),
    xAxis: axis(view, { type: "value", max: Math.max(...totals) * 1.12 || 1, axisLabel: { color: colours.muted, showMaxLabel: false } }),
    yAxis: namesAbove(
      view,
      rows.map((row) => row.name),
    ),
    series: [
      part("all", "whole", WHOLE.colour(colours)),
      part("groups", "groups", GROUPS.colour(colours)),
      part("features", "features", FEATURES.colour(colours)),
      {
        type: "bar",
        stack: "bits",
        silent: true,
        barWidth: 18,
        itemStyle: { color: "transparent" },
        data: totals.map((total) => ({
          value: 1e-12,
          label: { show: true, position: "right", color: colours.text, formatter: bits(total) },
        })),
      },
    ],
  };
}

const ROW = 54;

function stackFigure(facts: Facts, leakage: Leakage): Figure | null {
  const secret = secretName(facts);
  const rows = stacks(leakage, secret);
  if (rows.length < 2 || rows.every((row) => row.groups + row.features + row.whole <= 0)) return null;
  const word = groupWord(facts);
  return new Figure({
    title: `What the release leaks about the exact ${secret}`,
    howToRead: `the grey bar is everything there is to know; the shorter the bar of this release, the less it leaks. The first part (blue) is the price of publishing the ${word.many} at all, the second part (orange) is what the features add.`,
    description: `Stacked bars in bits: ${rows.map((row) => `${row.name} ${bits(row.groups + row.features + row.whole)}`).join(", ")}.`,
    height: () => rows.length * ROW + 34,
    option: (view) => stackOption(view, rows, word.many),
    legend: [
      { name: `leaked by the ${word.many}`, mark: { ...GROUPS, shape: BLOCK } },
      { name: "leaked by the features", mark: { ...FEATURES, shape: BLOCK } },
      { name: "all there is to know", mark: { ...WHOLE, shape: BLOCK, colour: (palette) => palette.muted } },
    ],
    table: {
      caption: "Leakage in bits",
      columns: [
        { name: "what" },
        { name: `by the ${word.many}`, number: true },
        { name: "by the features", number: true },
        { name: "total", number: true },
      ],
      rows: rows.map((row) => [
        row.name,
        row.whole ? "" : bits(row.groups),
        row.whole ? "" : bits(row.features),
        bits(row.groups + row.features + row.whole),
      ]),
    },
    xName: "bits",
  });
}

const BLOCK = "M-8 0H18V10H-8Z";

interface Small {
  name: string;
  value: number;
  deviation: number;
}

function smallRows(leakage: Leakage): Small[] {
  const row = (name: string, value: Measured, deviation: Measured = 0) =>
    isNumber(value) ? [{ name, value, deviation: isNumber(deviation) ? deviation : 0 }] : [];
  return [
    ...row("to the informed attacker", leakage.features),
    ...row("to a model trained on other people", leakage.learned),
    ...row("by the cluster of the row alone", leakage.clusters),
    ...row("chance alone (values shuffled)", leakage.null, leakage.null_deviation),
  ];
}

interface CustomApi {
  coord(data: [number, number]): [number, number];
}

const LABEL_ROOM = 125; // pixels that "0.016 ± 0.0031" takes behind a bar

function smallOption(view: View, rows: Small[]): EChartsCoreOption {
  const { colours } = view;
  const colour = (row: Small) => (row.name.startsWith("chance") ? blend(colours.muted, colours.surface, 0.4) : FEATURES.colour(colours));
  const largest = Math.max(...rows.map((row) => row.value + row.deviation));
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => [rows[dataIndex].name, inBits(rows[dataIndex].value)]),
    xAxis: axis(view, {
      type: "value",
      min: 0,
      max: largest > 0 ? (largest * view.width) / (view.width - LABEL_ROOM) : 1,
      axisLabel: { color: colours.muted, showMaxLabel: false, hideOverlap: true },
    }),
    yAxis: namesAbove(
      view,
      rows.map((row) => row.name),
    ),
    series: [
      {
        type: "bar",
        barWidth: 18,
        data: rows.map((row) => ({
          value: row.value,
          itemStyle: { color: colour(row) },
          label: { show: !row.deviation, position: "right", color: colours.text, formatter: bits(row.value) },
        })),
      },
      {
        type: "custom",
        silent: true,
        z: 3,
        data: rows.map((row, i) => [row.value + row.deviation, i]),
        renderItem: ({ dataIndex }: { dataIndex: number }, api: CustomApi) => {
          const { value, deviation } = rows[dataIndex];
          if (!deviation) return undefined;
          const [x1, y] = api.coord([Math.max(0, value - deviation), dataIndex]);
          const [x2] = api.coord([value + deviation, dataIndex]);
          return {
            type: "group",
            children: [
              { type: "line", shape: { x1, x2, y1: y, y2: y }, style: { stroke: colours.text, lineWidth: 2 } },
              ...[x1, x2].map((x) => ({
                type: "line",
                shape: { x1: x, x2: x, y1: y - 5, y2: y + 5 },
                style: { stroke: colours.text, lineWidth: 2 },
              })),
              {
                type: "text",
                style: {
                  text: `${bits(value)} \u00b1 ${bits(deviation)}`,
                  x: x2 + 6,
                  y,
                  verticalAlign: "middle",
                  fill: colours.text,
                  font: "12px system-ui, sans-serif",
                },
              },
            ],
          };
        },
      },
    ],
  };
}

function smallFigure(leakage: Leakage): Figure | null {
  const rows = smallRows(leakage);
  if (!isNumber(leakage.features) || rows.length < 2 || rows.every((row) => row.value <= 0)) return null;
  return new Figure({
    title: "The part of the features, enlarged",
    howToRead:
      "the same scale for all bars, in bits. Any table of few people seems to leak something by chance; a bar no longer than that of shuffled values (the whisker is one standard deviation) is no evidence of a leak.",
    description: `Bars in bits: ${rows.map((row) => `${row.name} ${bits(row.value)}`).join(", ")}.`,
    height: () => rows.length * ROW + 34,
    option: (view) => smallOption(view, rows),
    table: {
      caption: "What the features leak within the groups, in bits",
      columns: [{ name: "to whom" }, { name: "bits", number: true }],
      rows: rows.map((row) => [row.name, row.deviation ? `${bits(row.value)} \u00b1 ${bits(row.deviation)}` : bits(row.value)]),
    },
    xName: "bits",
  });
}

function figuresTable(facts: Facts, leakage: Leakage): TableData {
  const secret = secretName(facts);
  const rows: [string, string][] = [];
  const add = (object: object, key: string, name: string, text: (x: Measured, why?: string) => string) => {
    if (mentioned(object, key)) rows.push([name, text((object as Record<string, Measured>)[key], whyOf(object, key))]);
  };
  const ofAll = (x: Measured, why?: string) =>
    isNumber(x) && isNumber(leakage.secret_entropy) && leakage.secret_entropy > 0
      ? `${inBits(x)} (${share(x, leakage.secret_entropy)})`
      : inBits(x, why);
  add(leakage, "secret_entropy", `what an exact ${secret} holds, H(Y)`, inBits);
  add(leakage, "total", "what the release leaks in all, I(Y; donor, group)", ofAll);
  add(leakage, "groups", "of it by the groups, H(G)", ofAll);
  add(leakage, "features", "of it by the features, to the informed attacker", ofAll);
  add(leakage, "learned", "by the features, to a model trained on other people", inBits);
  add(leakage, "clusters", "by the cluster of the published row", inBits);
  add(leakage, "null", "by the features, if values were shuffled within groups", inBits);
  add(leakage, "unprotected", "by true features within the same groups", inBits);
  add(leakage, "fano_error_bound", `largest share of exact values that can be named from the release (Fano)`, (x, why) =>
    isNumber(x) ? (x > 0 ? shareAtMost(1 - x) : "no limit is proven") : measure(x, why),
  );
  add(leakage, "epsilon", "epsilon of differential privacy", measure);
  const minimised = facts.release?.threat === "both" ? "the weighted sum of both attackers' leakage" : "the features' part";
  add(facts, "gap_bits", `${minimised} is proven this close to the best possible for these groups`, inBits);
  add(facts, "joint_gap_bits", "proven this close to the best possible over all groupings", inBits);
  return { caption: "All figures", columns: [{ name: "figure" }, { name: "value", number: true }], rows };
}

export function leakageSection(facts: Facts): Section | null {
  const leakage = facts.leakage;
  if (!leakage || typeof leakage !== "object") return null;
  const numbers = figuresTable(facts, leakage);
  if (!numbers.rows.length) return null;
  const figures = [stackFigure(facts, leakage), smallFigure(leakage)].filter((figure): figure is Figure => !!figure);
  const intro = el(
    "p",
    {},
    `One bit is the answer to one yes-or-no question. Leakage counts how many such answers about the exact ${secretName(facts)} the release reveals, on average over the people.`,
  );
  const bound = fanoSentence(facts);
  return {
    id: "leakage",
    title: "How much the release leaks",
    body: [intro, ...figures.map((figure) => figure.element), table(numbers), ...(bound ? [el("p", {}, bound)] : [])],
    figures,
  };
}
