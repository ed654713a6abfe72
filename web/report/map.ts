// The areas of a spatial secret on a map of its cells. No tiles, no network: the outlines are those of the cells.
import type { EChartsCoreOption } from "echarts/core";
import { common, Figure, tooltip, type View } from "./chart";
import { words } from "./dom";
import { isNumber, list, type Facts, type Group, type MapCell, type MapFacts } from "./facts";
import { count, counted, measure } from "./numbers";
import { hues, joined, squareMark, squareSeries, type Frame, type Square } from "./squares";
import { groupWord, joinedNote, numbered, secretName } from "./summary";

interface Extent {
  left: number;
  bottom: number;
  columns: number;
  rows: number;
}

type PlacedCell = MapCell & { row: number; column: number };

function placed(map: MapFacts | null | undefined): PlacedCell[] {
  return list(map?.cells).filter(
    (cell): cell is PlacedCell => Number.isInteger(cell.row) && Number.isInteger(cell.column) && isNumber(cell.people),
  );
}

function extentOf(cells: { row: number; column: number }[]): Extent {
  const ends = (of: (cell: { row: number; column: number }) => number) =>
    cells.map(of).reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);
  const [left, right] = ends((cell) => cell.column);
  const [bottom, top] = ends((cell) => cell.row);
  return { left, bottom, columns: right - left + 1, rows: top - bottom + 1 };
}

const HIGHEST = 620;
const LARGEST_CELL = 44;
const EDGE = 6;
const FOOT = 40; // the scale
const CORNER = 18; // coordinates of a corner, above the cells and below the scale

function cellSize({ columns, rows }: Extent, width: number): number {
  return Math.min((width - 2 * EDGE) / columns, HIGHEST / rows, LARGEST_CELL);
}

/** "52.31\u00b0 N, 4.76\u00b0 E", as finely as cells lie apart. */
function coordinates(map: MapFacts, row: number, column: number): string | undefined {
  const { south, west, height, width } = map.degrees ?? {};
  if (!isNumber(south) || !isNumber(west) || !isNumber(height) || !isNumber(width)) return undefined;
  const decimals = Math.min(5, Math.max(0, Math.ceil(-Math.log10(Math.min(height, width))) + 1));
  const degrees = (x: number, above: string, below: string) => `${Math.abs(x).toFixed(decimals)}\u00b0 ${x < 0 ? below : above}`;
  return `${degrees(south + row * height, "N", "S")}, ${degrees(west + column * width, "E", "W")}`;
}

/** Of the south-western and the north-eastern end. */
function corners(map: MapFacts, { left, bottom, columns, rows }: Extent): { southWest: string; northEast: string } | undefined {
  const [southWest, northEast] = [coordinates(map, bottom, left), coordinates(map, bottom + rows, left + columns)];
  return southWest && northEast ? { southWest, northEast } : undefined;
}

/** The largest of 1, 2, 5, 10 ... that is not above. */
function roundLength(most: number): number {
  const ten = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].find((step) => step * ten <= most)! * ten;
}

function scaleBar(map: MapFacts, extent: Extent, view: View, frame: Frame): object[] {
  const { colours } = view;
  const y = frame.y(extent.bottom) + 18;
  const font = "12px system-ui, sans-serif";
  const right = frame.x(extent.left + extent.columns);
  const shapes: object[] = [];
  const ends = corners(map, extent);
  if (ends) {
    const style = { fill: colours.muted, font, verticalAlign: "middle" };
    const top = frame.y(extent.bottom + extent.rows) - CORNER / 2;
    const edge = Math.min(view.width - EDGE, Math.max(right, EDGE + 150));
    shapes.push(
      { type: "text", style: { ...style, text: `\u2199 ${ends.southWest}`, x: Math.min(frame.x(extent.left), edge - 150), y: y + CORNER } },
      { type: "text", style: { ...style, text: `${ends.northEast} \u2197`, x: edge, y: top, align: "right" } },
    );
  }
  if (isNumber(map.cell_km) && map.cell_km > 0) {
    // As long as a quarter of the drawing, but never so short that it cannot be read.
    const km = roundLength((Math.max(view.width / 4, 60) / frame.width) * map.cell_km);
    const x1 = Math.min(frame.x(extent.left), view.width - EDGE - (km / map.cell_km) * frame.width - 60);
    const x2 = x1 + (km / map.cell_km) * frame.width;
    const style = { stroke: colours.text, lineWidth: 2 };
    shapes.push(
      ...[
        [x1, y, x2, y],
        [x1, y - 5, x1, y + 5],
        [x2, y - 5, x2, y + 5],
      ].map(([a, b, c, d]) => ({ type: "line", shape: { x1: a, y1: b, x2: c, y2: d }, style })),
      { type: "text", style: { text: `${measure(km)} km`, x: x2 + 8, y, verticalAlign: "middle", fill: colours.text, font } },
    );
  }
  if (map.on_earth)
    shapes.push({
      type: "text",
      style: {
        text: "\u2191 north",
        x: Math.max(right, view.width / 2 + 60),
        y,
        align: "right",
        verticalAlign: "middle",
        fill: colours.muted,
        font,
      },
    });
  return shapes;
}

function option(view: View, facts: Facts, map: MapFacts, cells: PlacedCell[], squares: Square[], hueOf: number[]): EChartsCoreOption {
  const extent = extentOf(squares);
  const size = cellSize(extent, view.width);
  const groups = list(facts.groups);
  const [width, height] = [size * extent.columns, size * extent.rows];
  const hidden = (from: number, length: number) => ({ type: "value", show: false, min: from - 0.5, max: from + length - 0.5 });
  return {
    ...common(view),
    grid: { left: (view.width - width) / 2, top: EDGE + (map.degrees ? CORNER : 0), width, height, outerBoundsMode: "none" },
    tooltip: tooltip(view, ({ dataIndex }) => details(facts, map, squares[dataIndex], cells, groups)),
    xAxis: hidden(extent.left, extent.columns),
    yAxis: hidden(extent.bottom, extent.rows),
    series: squareSeries({ view, squares, hues: hueOf, up: true, more: (frame) => scaleBar(map, extent, view, frame) }),
  };
}

function details(facts: Facts, map: MapFacts, square: Square, cells: PlacedCell[], groups: Group[]): string[] {
  const here = cells.filter((cell) => cell.row === square.row && cell.column === square.column);
  const middle = coordinates(map, square.row + 0.5, square.column + 0.5);
  const place = `row ${square.row}, column ${square.column}${middle ? ` (${middle})` : ""}`;
  const people = (cell: MapCell) => counted(cell.people as number, "person", "people");
  if (here.length === 1)
    return [square.group < 0 ? `no ${groupWord(facts).one}` : numbered(groups, square.group), `${people(here[0])} in this cell`, place];
  return [
    `${counted(square.people, "person", "people")} in this cell`,
    ...here.map((cell) => `${words(cell.group, "unnamed")}: ${people(cell)}`),
    place,
  ];
}

const LONGEST_LEGEND = 40;

export function mapFigure(facts: Facts): Figure | null {
  const map = facts.map;
  const cells = placed(map);
  if (!map || !cells.length) return null;
  const groups = list(facts.groups);
  const squares = joined(
    cells.map((cell) => ({ ...cell, people: cell.people as number, group: groups.findIndex((group) => group.label === cell.group) })),
  );
  const hueOf = hues(squares, groups.length);
  const word = groupWord(facts);
  const shared = squares.length < cells.length;
  const named = groups.length <= LONGEST_LEGEND;
  const size = isNumber(map.cell_km) ? `, ${map.on_earth ? "" : "taken as "}${measure(map.cell_km)} km wide` : "";
  return new Figure({
    title: `The ${word.many} on a map`,
    howToRead: `each square is a cell${size}, the stronger its colour the more people have it as their exact ${secretName(facts)}. Outlined squares of one number are published under one name, so a reader of the release cannot distinguish them by it. Each of the ${word.many} is connected among inhabited cells: where nobody lives nothing is drawn, and what lies across it may belong together.${shared ? ` A cell whose people are in several ${word.many} has the colour of the largest.` : ""}${named ? "" : ` The table names the numbers of the ${word.many}.`}${joinedNote(facts)}`,
    description: `Map of ${counted(squares.length, "cell", "cells")} in ${counted(groups.length, word.one, word.many)}. The table below has its numbers.`,
    height: (width) => {
      const extent = extentOf(squares);
      return Math.ceil(cellSize(extent, width) * extent.rows + EDGE + FOOT + (map.degrees ? 2 * CORNER : 0));
    },
    option: (view) => option(view, facts, map, cells, squares, hueOf),
    legend: named ? groups.map((_, i) => ({ name: numbered(groups, i), mark: squareMark(hueOf[i]) })) : undefined,
    table: {
      caption: "People by cell; rows count northwards, columns eastwards. Finer than the release: not for publication.",
      columns: [
        { name: "cell" },
        ...(map.degrees ? [{ name: "its middle" }] : []),
        { name: "people", number: true },
        { name: "published as" },
      ],
      rows: cells.map((cell) => [
        `row ${cell.row}, column ${cell.column}`,
        ...(map.degrees ? [coordinates(map, cell.row + 0.5, cell.column + 0.5) ?? ""] : []),
        count(cell.people),
        words(cell.group, "no group"),
      ]),
    },
  });
}
