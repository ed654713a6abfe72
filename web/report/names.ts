// A secret that is a name: bars of people by name, under the group that is published.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, FONT, tooltip, type View } from "./chart";
import { words, type TableData } from "./dom";
import { groupedBy, type Facts, type Group } from "./facts";
import { count, counted } from "./numbers";
import { groupWord, joinedNote, secretName } from "./summary";
import { mark } from "./theme";

export interface NameBar {
  value: string;
  people: number;
  group: number; // index into the groups; -1: none
}

/** A bar, or the heading over the bars of a group. */
interface Row {
  name: string;
  people?: number;
  group: number;
  names?: number;
}

// More names than these are shown by group; the table has all of them.
const MOST_NAMES = 60;
const ROW = 22;
const FOOT = 26;
const LETTER = 7;

function byGroup(all: NameBar[]): Map<number, NameBar[]> {
  const sorted = [...all].sort((a, b) => a.group - b.group || b.people - a.people);
  return groupedBy(sorted, (bar) => bar.group);
}

const sum = (bars: NameBar[]) => bars.reduce((total, bar) => total + bar.people, 0);

function rowsOfNames(all: NameBar[], groups: Group[]): Row[] {
  return [...byGroup(all)].flatMap(([group, bars]) => [
    { name: group < 0 ? "no group" : `${words(groups[group].label, "unnamed")} (${counted(sum(bars), "person", "people")})`, group },
    ...bars.map((bar) => ({ name: bar.value, people: bar.people, group })),
  ]);
}

function rowsOfGroups(all: NameBar[], groups: Group[]): Row[] {
  return [...byGroup(all)]
    .map(([group, bars]) => ({
      name: group < 0 ? "no group" : words(groups[group].label, "unnamed"),
      people: sum(bars),
      group,
      names: bars.length,
    }))
    .sort((a, b) => b.people - a.people)
    .slice(0, MOST_NAMES);
}

function labelRoom(rows: Row[], width: number): number {
  const longest = Math.max(0, ...rows.filter((row) => row.people !== undefined).map((row) => row.name.length));
  return Math.min(0.4 * width, longest * LETTER + 14);
}

function details(row: Row, groups: Group[]): string[] {
  const people = counted(row.people ?? 0, "person", "people");
  if (row.names !== undefined) return [row.name, people, counted(row.names, "exact value", "exact values")];
  return [row.name, people, ...(row.group < 0 ? [] : [`published as ${words(groups[row.group].label, "unnamed")}`])];
}

interface CustomApi {
  coord(data: [number, number]): [number, number];
}

/** Headings begin where the labels begin, in the same rows as bars. */
function headings(view: View, rows: Row[]): object {
  const places = rows.flatMap((row, i) => (row.people === undefined ? [i] : []));
  return {
    type: "custom",
    silent: true,
    data: places.map((place) => [0, place]),
    renderItem: ({ dataIndex }: { dataIndex: number }, api: CustomApi) => {
      const place = places[dataIndex];
      return {
        type: "text",
        style: {
          text: rows[place].name,
          x: 4,
          y: api.coord([0, place])[1] + 2,
          verticalAlign: "middle",
          fill: view.colours.text,
          font: `600 13px ${FONT}`,
          stroke: view.colours.surface,
          lineWidth: 4,
          width: view.width - 12,
          overflow: "truncate",
          ellipsis: "…",
        },
      };
    },
  };
}

function option(view: View, rows: Row[], groups: Group[]): EChartsCoreOption {
  const { colours } = view;
  const room = labelRoom(rows, view.width);
  const colour = (row: Row) => (row.group < 0 ? colours.muted : mark(row.names === undefined ? row.group % 2 : 0).colour(colours));
  return {
    ...common(view),
    grid: { left: room, right: 52, top: 2, bottom: FOOT, outerBoundsMode: "none" },
    tooltip: tooltip(view, ({ seriesIndex, dataIndex }) => (seriesIndex === 0 ? details(rows[dataIndex], groups) : [])),
    xAxis: axis(view, { type: "value", minInterval: 1, splitNumber: view.width < 500 ? 3 : 6 }),
    yAxis: {
      type: "category",
      inverse: true,
      data: rows.map((row) => (row.people === undefined ? "" : row.name)),
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: colours.muted, fontSize: 12, interval: 0, width: room - 12, overflow: "truncate" },
    },
    series: [
      {
        type: "bar",
        barWidth: 13,
        data: rows.map((row) => ({
          value: row.people ?? null,
          itemStyle: { color: colour(row) },
          label: { show: true, position: "right", color: colours.muted, fontSize: 12, formatter: () => count(row.people ?? 0) },
        })),
      },
      headings(view, rows),
    ],
  };
}

export function namesFigure(facts: Facts, all: NameBar[], groups: Group[], table: TableData): Figure {
  const secret = secretName(facts);
  const word = groupWord(facts);
  const aggregated = all.length > MOST_NAMES;
  const rows = aggregated ? rowsOfGroups(all, groups) : rowsOfNames(all, groups);
  const left = aggregated ? byGroup(all).size - rows.length : 0;
  return new Figure({
    title: aggregated ? `People by ${word.one} of the ${secret}` : `People by exact ${secret}, and the group that is published`,
    howToRead: aggregated
      ? `each bar is the number of people published under one name; ${counted(all.length, "exact value", "exact values")} are too many to draw, the table has them.${left > 0 ? ` ${counted(left, "smaller group is", "smaller groups are")} in the table only.` : ""}`
      : `each bar is the number of people with one exact ${secret}; bars under one heading are published under that name, so a reader of the release cannot distinguish them by it.${joinedNote(facts)}`,
    description: `Bar chart of ${counted(all.length, "exact value", "exact values")} of ${secret} in ${counted(groups.length, "group", "groups")}. The table below has its numbers.`,
    height: () => rows.length * ROW + FOOT + 2,
    option: (view) => option(view, rows, groups),
    table,
    xName: "people",
  });
}
