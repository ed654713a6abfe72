// Two secrets against each other: which pairs of exact values are published under one name.
import type { EChartsCoreOption } from "echarts/core";
import { common, Figure, tooltip, type View } from "./chart";
import { words } from "./dom";
import { isNumber, list, type Facts, type PlaneAxis, type PlaneFacts, type PlanePoint } from "./facts";
import { count, counted } from "./numbers";
import { hues, joined, squareMark, squareSeries, type Square } from "./squares";
import { joinedNote, numbered } from "./summary";

interface Plane {
  x: PlaneAxis;
  y: PlaneAxis;
  points: (PlanePoint & { x: number; y: number; people: number })[];
}

const isNumeric = (axis: PlaneAxis) => list(axis.values).every(isNumber);
const valueName = (axis: PlaneAxis, index: number) => words(axis.values?.[index], "unnamed");

/** Numbers lie, names stand: a name needs room to its side. */
function planeOf(facts: PlaneFacts | null | undefined): Plane | null {
  if (!facts?.x || !facts.y) return null;
  const { x, y } = facts;
  const within = (axis: PlaneAxis, index: unknown) =>
    Number.isInteger(index) && (index as number) >= 0 && (index as number) < list(axis.values).length;
  const points = list(facts.points).filter(
    (point): point is Plane["points"][number] => within(x, point.x) && within(y, point.y) && isNumber(point.people),
  );
  if (!points.length) return null;
  if (isNumeric(x) || !isNumeric(y)) return { x, y, points };
  return { x: y, y: x, points: points.map((point) => ({ ...point, x: point.y, y: point.x })) };
}

const LETTER = 7;
const FOOT = 24;
const TOP = 6;

function room(plane: Plane, width: number): number {
  const longest = Math.max(...list(plane.y.values).map((value) => words(value, "unnamed").length));
  return Math.min(0.4 * width, longest * LETTER + 12);
}

function rowHeight(plane: Plane, width: number): number {
  const wide = (width - room(plane, width) - 12) / list(plane.x.values).length;
  return Math.min(Math.max(wide, 22), 40, 640 / list(plane.y.values).length);
}

function option(view: View, facts: Facts, plane: Plane, squares: Square[], hueOf: number[]): EChartsCoreOption {
  const { colours } = view;
  const left = room(plane, view.width);
  const up = isNumeric(plane.y);
  const names = (axis: PlaneAxis, width: number) => ({
    type: "category",
    data: list(axis.values).map((_, i) => valueName(axis, i)),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colours.muted } },
    axisLabel: { color: colours.muted, fontSize: 12, hideOverlap: true, width, overflow: "truncate" },
  });
  return {
    ...common(view),
    grid: { left, right: 12, top: TOP, bottom: FOOT, outerBoundsMode: "none" },
    tooltip: tooltip(view, ({ dataIndex }) => {
      const { column, row, people, group } = squares[dataIndex];
      return [
        `${words(plane.x.name, "first")} ${valueName(plane.x, column)}, ${words(plane.y.name, "second")} ${valueName(plane.y, row)}`,
        counted(people, "person", "people"),
        ...(group < 0 ? [] : [`published as ${numbered(list(facts.groups), group)}`]),
      ];
    }),
    xAxis: names(plane.x, 90),
    yAxis: { ...names(plane.y, left - 10), inverse: !up },
    series: squareSeries({ view, squares, hues: hueOf, up }),
  };
}

const LONGEST_LEGEND = 40;

export function planeFigure(facts: Facts): Figure | null {
  const plane = planeOf(facts.plane);
  if (!plane) return null;
  const groups = list(facts.groups);
  const squares = joined(
    plane.points.map((point) => ({
      column: point.x,
      row: point.y,
      people: point.people,
      group: groups.findIndex((group) => group.label === point.group),
    })),
  );
  const hueOf = hues(squares, groups.length);
  const [x, y] = [words(plane.x.name, "first secret"), words(plane.y.name, "second secret")];
  const named = groups.length <= LONGEST_LEGEND;
  return new Figure({
    title: `People by exact ${x} and ${y}, and the group that is published`,
    howToRead: `each square is one ${x} with one ${y}, the stronger its colour the more people have both. Outlined squares of one number are published under one name, so a reader of the release cannot distinguish them by it; where nothing is drawn there are no people.${named ? "" : " The table names the numbers of the groups."}${joinedNote(facts)}`,
    description: `Plane of ${counted(squares.length, "pair", "pairs")} of ${x} and ${y} in ${counted(groups.length, "group", "groups")}. The table below has its numbers.`,
    height: (width) => Math.ceil(rowHeight(plane, width) * list(plane.y.values).length + TOP + FOOT),
    option: (view) => option(view, facts, plane, squares, hueOf),
    legend: named ? groups.map((_, i) => ({ name: numbered(groups, i), mark: squareMark(hueOf[i]) })) : undefined,
    table: {
      caption: `People by exact ${x} and ${y}. Finer than the release: not for publication.`,
      columns: [{ name: `exact ${x}` }, { name: `exact ${y}` }, { name: "people", number: true }, { name: "published as" }],
      rows: plane.points.map((point) => [
        valueName(plane.x, point.x),
        valueName(plane.y, point.y),
        count(point.people),
        words(point.group, "no group"),
      ]),
    },
    yName: y,
    yDown: !isNumeric(plane.y),
    xName: x,
  });
}
