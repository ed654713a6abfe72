// The groups: over the histogram of a number, on a map, by name, or over the plane of two secrets.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type View } from "./chart";
import { el, table, words, type TableData } from "./dom";
import { isNumber, list, type Cell, type Facts, type Group } from "./facts";
import { mapFigure } from "./map";
import { namesFigure, type NameBar } from "./names";
import { count, counted } from "./numbers";
import { planeFigure } from "./plane";
import { limitText } from "./published";
import type { Section } from "./section";
import { axisNames, groupWord, numbered, secretName } from "./summary";
import { mark } from "./theme";

// A band narrower than its label's letters goes without it; the table has all of them.
const LETTER_WIDTH = 7.5;

/** The group that the cell names, else the last one that begins at or below its value and does not end before it. */
function groupOf(cell: Cell, groups: Group[]): number {
  if (cell.group) return groups.findIndex((group) => group.label === cell.group);
  const value = cell.value;
  if (!isNumber(value)) return -1;
  return groups.findLastIndex((group) => isNumber(group.low) && isNumber(group.high) && group.low <= value && value <= group.high);
}

function drawnCells(facts: Facts): Cell[] {
  return list(facts.histogram).filter((cell) => isNumber(cell.people));
}

/** Names, not numbers. */
function isNamed(cells: Cell[]): boolean {
  return cells.some((cell) => !isNumber(cell.value));
}

function bars(cells: Cell[], groups: Group[]): NameBar[] {
  const found = cells.map((cell) => ({ value: words(cell.value, "unnamed"), people: cell.people as number, group: groupOf(cell, groups) }));
  return isNamed(cells) ? found.sort((a, b) => a.group - b.group) : found.sort((a, b) => Number(a.value) - Number(b.value));
}

/** Runs of bars of one group: [first, last] by group. */
function runs(all: NameBar[]): { group: number; first: number; last: number }[] {
  const found: { group: number; first: number; last: number }[] = [];
  all.forEach((bar, i) => {
    const last = found.at(-1);
    if (last && last.group === bar.group) last.last = i;
    else found.push({ group: bar.group, first: i, last: i });
  });
  return found.filter((run) => run.group >= 0);
}

// More bands than these, or longer names, have a number, and a legend says which group it is.
const MOST_NAMED = 6;
const LONGEST_NAME = 12;
const DIGIT_WIDTH = 7;
const LINE = 9;

function goByNumber(groups: Group[]): boolean {
  return groups.length > MOST_NAMED || groups.some((group) => words(group.label, "unnamed").length > LONGEST_NAME);
}

const EVEN = mark(0);
const ODD = mark(1);

function histogramOption(view: View, all: NameBar[], groups: Group[]): EChartsCoreOption {
  const { colours } = view;
  const perBar = (view.width - 60) / all.length;
  const colour = (bar: NameBar) => (bar.group < 0 ? colours.muted : (bar.group % 2 ? ODD : EVEN).colour(colours));
  const numbers = goByNumber(groups);
  const label = (group: number, first: number, last: number) => {
    const text = numbers ? String(group + 1) : words(groups[group].label, "unnamed");
    const room = (last - first + 1) * perBar;
    if (text.length * (numbers ? DIGIT_WIDTH : LETTER_WIDTH) <= room) return { text, rotate: 0 };
    return numbers && room >= LINE ? { text, rotate: 90 } : { text: "", rotate: 0 };
  };
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => {
      const bar = all[dataIndex];
      return [
        bar.value,
        counted(bar.people, "person", "people"),
        ...(bar.group >= 0 ? [`published as ${words(groups[bar.group].label, "unnamed")}`] : []),
      ];
    }),
    grid: { ...(common(view).grid as object), top: 34 },
    xAxis: axis(view, {
      type: "category",
      data: all.map((bar) => bar.value),
      axisTick: { show: false },
      axisLabel: { color: colours.muted, hideOverlap: true, width: 90, overflow: "truncate" },
    }),
    yAxis: axis(view, { type: "value", minInterval: 1 }),
    series: [
      {
        type: "bar",
        barMaxWidth: 80,
        barCategoryGap: all.length > 80 ? "0%" : "12%",
        data: all.map((bar) => ({ value: bar.people, itemStyle: { color: colour(bar) } })),
        markArea: {
          silent: true,
          data: runs(all).map(({ group, first, last }) => {
            const { text, rotate } = label(group, first, last);
            return [
              {
                xAxis: first,
                name: text,
                itemStyle: { color: group % 2 ? "transparent" : colours.band },
                label: { position: "top", rotate, color: colours.text, fontWeight: 600, fontSize: numbers ? 11 : 13 },
              },
              { xAxis: last },
            ];
          }),
        },
      },
    ],
  };
}

const BAR_ROW = 22;
const BAR_FOOT = 26;

/** Names to the left, so that they can be read on narrow screens as well. */
function groupBarsOption(view: View, groups: Group[]): EChartsCoreOption {
  const { colours } = view;
  const names = groups.map((group) => words(group.label, "unnamed"));
  const room = Math.min(0.5 * view.width, Math.max(...names.map((name) => name.length)) * LETTER_WIDTH + 14);
  return {
    ...common(view),
    tooltip: tooltip(view, ({ dataIndex }) => [words(groups[dataIndex].label, "unnamed"), `${count(groups[dataIndex].people)} people`]),
    grid: { left: room, right: 18, top: 2, bottom: BAR_FOOT, outerBoundsMode: "none" },
    xAxis: axis(view, { type: "value", minInterval: 1 }),
    yAxis: {
      type: "category",
      inverse: true,
      data: names,
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: colours.muted, fontSize: 12, interval: 0, width: room - 12, overflow: "truncate" },
    },
    series: [
      {
        type: "bar",
        barWidth: 13,
        itemStyle: { color: EVEN.colour(colours) },
        data: groups.map((group) => (isNumber(group.people) ? group.people : 0)),
      },
    ],
  };
}

function histogramTable(facts: Facts, all: NameBar[], groups: Group[]): TableData {
  const grouped = all.some((bar) => bar.group >= 0);
  return {
    caption: `People by exact ${secretName(facts)}. Finer than the release: not for publication.`,
    columns: [{ name: `exact ${secretName(facts)}` }, { name: "people", number: true }, ...(grouped ? [{ name: "published as" }] : [])],
    rows: all.map((bar) => [
      bar.value,
      count(bar.people),
      ...(grouped ? [bar.group < 0 ? "no group" : words(groups[bar.group].label, "unnamed")] : []),
    ]),
  };
}

/** Kept columns: people with the same group and the same kept cells are a pool, which is what an attacker sees. */
function poolsText(facts: Facts): string {
  const { for: whom, smallest_pool } = facts.constraints ?? {};
  if (!isNumber(smallest_pool)) return "";
  const smallest = ` The smallest pool (same group and same kept cells) has ${counted(smallest_pool, "person", "people")}.`;
  return (whom === "pools" ? " The lower limits hold for pools too." : " These are limits of groups, not of pools.") + smallest;
}

/** `withNumbers`: a figure shows the groups by number. */
function groupsTable(facts: Facts, groups: Group[], withNumbers: boolean): TableData {
  const axes = axisNames(facts).length > 1 ? axisNames(facts) : [];
  const limits = [
    ["people", limitText(facts.constraints?.people)],
    ["distinct values", limitText(facts.constraints?.values)],
  ].filter(([, text]) => text);
  const asked = limits.length ? ` Asked for in every group: ${limits.map(([name, text]) => `${text} ${name}`).join(", ")}.` : "";
  return {
    caption: `The published ${groupWord(facts).many}.${asked}${poolsText(facts)}`,
    cards: axes.length > 0,
    columns: [
      { name: "group" },
      ...axes.map((name) => ({ name })),
      { name: "people", number: true },
      { name: "distinct values", number: true },
    ],
    rows: groups.map((group, i) => [
      withNumbers ? numbered(groups, i) : words(group.label, "unnamed"),
      ...axes.map((_, a) => words(group.covers?.[a]?.label, "not said")),
      count(group.people),
      count(group.values),
    ]),
  };
}

const LONGEST_LEGEND = 40;

function histogramFigure(facts: Facts, groups: Group[]): Figure | null {
  const cells = drawnCells(facts);
  if (!cells.length) return null;
  const all = bars(cells, groups);
  if (isNamed(cells)) return namesFigure(facts, all, groups, histogramTable(facts, all, groups));
  const secret = secretName(facts);
  const grouped = all.some((bar) => bar.group >= 0);
  return new Figure({
    title: grouped ? `People by exact ${secret}, and the group that is published` : `People by exact ${secret}`,
    howToRead: grouped
      ? `each bar is the number of people with one exact ${secret}; bars of one colour on one band are published under one name, so a reader of the release cannot distinguish them by it.${grouped && goByNumber(groups) ? ` The numbers above the bands are those of the ${groupWord(facts).many} below the title.` : ""}`
      : `each bar is the number of people with one exact ${secret}; the release shows groups of these values instead.`,
    description: `Bar chart of ${counted(all.length, "exact value", "exact values")} of ${secret} in ${counted(groups.length, "group", "groups")}. The table below has its numbers.`,
    height: () => 300,
    option: (view) => histogramOption(view, all, groups),
    legend:
      grouped && goByNumber(groups) && groups.length <= LONGEST_LEGEND
        ? groups.map((_, i) => ({ name: numbered(groups, i), mark: { ...(i % 2 ? ODD : EVEN), shape: EVEN.shape } }))
        : undefined,
    table: histogramTable(facts, all, groups),
    yName: "people",
    xName: secret,
  });
}

function groupBarsFigure(groups: Group[], data: TableData): Figure | null {
  if (!groups.some((group) => isNumber(group.people))) return null;
  return new Figure({
    title: "People by group",
    howToRead: "each bar is the number of people published under one group; the smaller the group, the fewer people a person hides among.",
    description: `Bar chart of the people in ${counted(groups.length, "group", "groups")}. The table below has its numbers.`,
    height: () => groups.length * BAR_ROW + BAR_FOOT + 2,
    option: (view) => groupBarsOption(view, groups),
    table: data,
    xName: "people",
  });
}

export function groupsSection(facts: Facts): Section | null {
  const groups = list(facts.groups);
  const squares = mapFigure(facts) ?? planeFigure(facts);
  const inBands = !squares && drawnCells(facts).length > 0 && !isNamed(drawnCells(facts)) && goByNumber(groups);
  const data = groupsTable(facts, groups, !!squares || inBands);
  const figure = squares ?? histogramFigure(facts, groups) ?? groupBarsFigure(groups, data);
  const body: Node[] = [];
  if (figure) body.push(figure.element);
  if (groups.length > 0 && groups.length <= 12) body.push(table(data));
  else if (groups.length > 12)
    body.push(el("details", { class: "on-paper" }, el("summary", {}, `All ${groups.length} groups`), table(data)));
  return body.length ? { id: "groups", title: "The groups", body, figures: figure ? [figure] : [] } : null;
}
