// Dots with their intervals, in rows: what was measured beside its controls. The label of a row stands above it, so that long
// names need no room at the side.
import type { EChartsCoreOption } from "echarts/core";
import { isNumber, type Interval } from "./facts";
import { axis, common, tooltip, type View } from "./chart";
import { interval, mean as meanText, tick } from "./numbers";
import type { Mark } from "./theme";

export interface Kind {
  name: string;
  mark: Mark;
  /** Its place spans the row as a dashed line: what the others are compared with. */
  reference?: boolean;
  /** May lie far off; then an arrow at the edge stands for it and the others keep their room. */
  mayLieOff?: boolean;
}

export interface DotRow {
  label: string;
  /** One an entry of `kinds`. */
  values: (Interval | undefined)[];
}

const LANE = 19;
const FOOT = 40;

/** Height of the labels: nothing where no row has one. */
function labelHeight(rows: DotRow[]): number {
  return rows.some((row) => row.label) ? 26 : 6;
}

function bandHeight(rows: DotRow[], kinds: Kind[]): number {
  return labelHeight(rows) + LANE * kinds.length + 8;
}

export function dotsHeight(rows: DotRow[], kinds: Kind[]): number {
  return rows.length * bandHeight(rows, kinds) + FOOT;
}

/** Whether an arrow at the edge stands for a value. */
export function someLieOff(rows: DotRow[], kinds: Kind[]): boolean {
  const [low, high] = dotsRange(rows, kinds);
  return rows.some((row) => row.values.some((value) => isNumber(value?.mean) && (value.mean < low || value.mean > high)));
}

function ends(value: Interval | undefined): number[] {
  return [value?.mean, value?.low, value?.high].filter(isNumber);
}

/** Room for all that belongs together; for what may lie off only if that does not squeeze the rest to less than a third. */
export function dotsRange(rows: DotRow[], kinds: Kind[]): [number, number] {
  const of = (off: boolean) => rows.flatMap((row) => row.values.filter((_, i) => !!kinds[i].mayLieOff === off).flatMap(ends));
  const near = of(false).length ? of(false) : of(true);
  let [low, high] = [Math.min(...near), Math.max(...near)];
  const span = high - low;
  for (const x of of(true)) {
    if (Math.max(high, x) - Math.min(low, x) <= 3 * span) [low, high] = [Math.min(low, x), Math.max(high, x)];
  }
  const room = high > low ? 0.08 * (high - low) : 0.1 * Math.abs(high) || 1;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + 2 * room];
}

/** What the dashed lines of a row stand at. */
function references(row: number, kinds: Kind[], rows: DotRow[]): number[] {
  return kinds.flatMap((kind, i) => (kind.reference ? [rows[row].values[i]?.mean] : [])).filter(isNumber);
}

export function dots(view: View, rows: DotRow[], kinds: Kind[], unit?: string): EChartsCoreOption {
  const [low, high] = dotsRange(rows, kinds);
  const palette = view.colours;
  const band = bandHeight(rows, kinds);
  const label = labelHeight(rows);
  const series = kinds.map((kind, lane) => ({
    type: "custom",
    name: kind.name,
    data: rows.map((row, i) => [row.values[lane]?.mean ?? null, i]),
    renderItem: (_: unknown, api: CustomApi) => {
      const row = api.value(1);
      const value = rows[row].values[lane];
      if (!isNumber(value?.mean)) return undefined;
      const top = api.coord([low, row])[1] - band / 2;
      return drawDot({ api, value, kind, y: top + label + LANE * (lane + 0.5), low, high, references: references(row, kinds, rows), view });
    },
  }));
  const behind = {
    type: "custom",
    silent: true,
    z: 1,
    data: rows.map((_, i) => [low, i]),
    renderItem: (_: unknown, api: CustomApi) => {
      const row = api.value(1);
      const [x, middle] = api.coord([low, row]);
      const right = api.coord([high, row])[0];
      const y = middle - band / 2;
      return {
        type: "group",
        children: [
          ...references(row, kinds, rows)
            .filter((at) => at >= low && at <= high)
            .map((at) => {
              const line = api.coord([at, row])[0];
              return {
                type: "line",
                shape: { x1: line, x2: line, y1: y + label, y2: y + label + LANE * kinds.length },
                style: { stroke: palette.text, lineWidth: 1.5, lineDash: [4, 3] },
              };
            }),
          ...(row > 0 ? [{ type: "line", shape: { x1: x, x2: right, y1: y, y2: y }, style: { stroke: palette.line } }] : []),
          {
            type: "text",
            style: {
              text: rows[row].label,
              x: x + 6,
              y: y + 8,
              fill: palette.text,
              font: `600 13px ${FONT_STACK}`,
              width: right - x - 12,
              overflow: "truncate",
              ellipsis: "…",
            },
          },
        ],
      };
    },
  };
  return {
    ...common(view),
    tooltip: tooltip(view, ({ seriesIndex, dataIndex }) =>
      seriesIndex < kinds.length
        ? [
            ...(rows[dataIndex].label ? [rows[dataIndex].label] : []),
            `${kinds[seriesIndex].name}: ${interval(rows[dataIndex].values[seriesIndex], unit)}`,
          ]
        : [],
    ),
    xAxis: axis(view, {
      type: "value",
      min: low,
      max: high,
      axisLabel: { color: palette.muted, formatter: tick, showMinLabel: false, showMaxLabel: false, hideOverlap: true },
    }),
    yAxis: {
      type: "category",
      inverse: true,
      data: rows.map((_, i) => String(i)),
      axisLabel: { show: false },
      axisTick: { show: false },
      axisLine: { lineStyle: { color: palette.muted } },
    },
    series: [...series, behind],
  };
}

const FONT_STACK = "system-ui, sans-serif";
const DIGIT = 7; // width of a digit at 12 pixels, generously

interface CustomApi {
  value(dimension: number): number;
  coord(data: [number, number]): [number, number];
}

interface Dot {
  api: CustomApi;
  value: Interval;
  kind: Kind;
  y: number;
  low: number;
  high: number;
  references: number[];
  view: View;
}

function drawDot(dot: Dot): object {
  const mean = dot.value.mean as number;
  if (mean > dot.high || mean < dot.low) return drawOff(dot, mean > dot.high);
  const { api, value, kind, y, view } = dot;
  const colour = kind.mark.colour(view.colours);
  const x = (at: number) => api.coord([Math.min(dot.high, Math.max(dot.low, at)), 0])[0];
  const children: object[] = [];
  let right = x(mean);
  if (isNumber(value.low) && isNumber(value.high)) {
    right = Math.max(right, x(value.high));
    children.push({
      type: "line",
      shape: { x1: x(value.low), x2: x(value.high), y1: y, y2: y },
      style: { stroke: colour, lineWidth: 2.5 },
    });
    for (const end of [value.low, value.high]) {
      children.push({ type: "line", shape: { x1: x(end), x2: x(end), y1: y - 4, y2: y + 4 }, style: { stroke: colour, lineWidth: 2 } });
    }
  }
  children.push(symbol(kind.mark.shape, x(mean), y, { fill: colour, stroke: view.colours.surface, lineWidth: 1 }));
  const text = meanText(value);
  const behind = Math.max(right, x(mean) + 6) + 6;
  // Before the whisker where a dashed line would run through it behind.
  const crossed = dot.references.some((at) => x(at) > behind - 3 && x(at) < behind + text.length * DIGIT);
  const left = Math.min(x(mean) - 6, isNumber(value.low) ? x(value.low) : x(mean)) - 6;
  children.push(crossed ? valueText(text, left, y, "right", view) : valueText(text, behind, y, "left", view));
  return { type: "group", children };
}

/** Beyond the edge: its symbol, how much it is and an arrow that says where. */
function drawOff(dot: Dot, right: boolean): object {
  const colour = dot.kind.mark.colour(dot.view.colours);
  const [x, toMiddle, align] = right ? [dot.api.coord([dot.high, 0])[0] - 3, -1, "right"] : [dot.api.coord([dot.low, 0])[0] + 5, 1, "left"];
  const text = right ? `${meanText(dot.value)} \u25b8` : `\u25c2 ${meanText(dot.value)}`;
  return {
    type: "group",
    children: [
      symbol(dot.kind.mark.shape, x + toMiddle * (text.length * DIGIT + 10), dot.y, { fill: colour }),
      valueText(text, x, dot.y, align as string, dot.view),
    ],
  };
}

// Placed by x and y of the element: a redraw moves it, but would not fit the outline into another box.
function symbol(shape: string, x: number, y: number, style: object): object {
  return { type: "path", x, y, shape: { pathData: shape, x: -5.5, y: -5.5, width: 11, height: 11 }, style };
}

function valueText(text: string, x: number, y: number, align: string, view: View): object {
  return {
    type: "text",
    style: {
      text,
      x,
      y,
      fill: view.colours.muted,
      align,
      verticalAlign: "middle",
      font: `12px ${FONT_STACK}`,
      stroke: view.colours.surface,
      lineWidth: 3,
    },
  };
}
