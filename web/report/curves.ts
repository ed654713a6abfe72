// One curve a method, the same colour, shape and dash for a method in every chart.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, tooltip, type LegendEntry, type View } from "./chart";
import { isNumber, list, type Facts, type Interval } from "./facts";
import { mark, symbolOf, type Mark } from "./theme";

export interface CurvePoint {
  x: Interval;
  y: Interval;
  /** Lines of the tooltip. */
  details: string[];
}

export interface CurveLine {
  name: string;
  mark: Mark;
  /** Drawn stronger: the method of this release. */
  own: boolean;
  points: CurvePoint[];
}

/** The method of the release first, then as the facts name them. */
export function methodNames(facts: Facts): string[] {
  const named = [
    facts.release?.method,
    ...list(facts.tradeoff).map((curve) => curve.method),
    ...list(facts.frontier).map((curve) => curve.method),
  ];
  return [...new Set(named.map((name) => name || "unnamed method"))].filter(
    (name) => name !== "unnamed method" || named.slice(1).some((one) => !one),
  );
}

export function curveLines<Point>(
  facts: Facts,
  curves: { method?: string; points?: Point[] }[],
  place: (point: Point, name: string) => CurvePoint,
): CurveLine[] {
  const names = methodNames(facts);
  return curves
    .map((curve) => {
      const name = curve.method || "unnamed method";
      const points = list(curve.points)
        .map((point) => place(point, name))
        .filter((point) => isNumber(point.x.mean) && isNumber(point.y.mean));
      return { name, mark: mark(Math.max(0, names.indexOf(name))), own: name === facts.release?.method, points };
    })
    .filter((line) => line.points.length > 0);
}

export function curveLegend(lines: CurveLine[]): LegendEntry[] {
  return lines.map(({ name, mark: one, own }) => ({ name: own ? `${name} (this release)` : name, mark: one, line: true }));
}

export function curves(view: View, lines: CurveLine[]): EChartsCoreOption {
  const legend = curveLegend(lines);
  const shown = lines.filter((_, i) => !view.hidden.has(legend[i].name));
  const drawn = shown.map((line) => ({
    type: "line",
    name: line.name,
    data: line.points.map((point) => [point.x.mean, point.y.mean]),
    symbol: symbolOf(line.mark.shape),
    symbolSize: line.own ? 11 : 8,
    showAllSymbol: true,
    z: line.own ? 4 : 3,
    lineStyle: { color: line.mark.colour(view.colours), width: line.own ? 3 : 1.5, type: line.mark.dash },
    itemStyle: { color: line.mark.colour(view.colours) },
    emphasis: { disabled: true },
  }));
  return {
    ...common(view),
    tooltip: tooltip(view, ({ seriesIndex, dataIndex }) => shown[seriesIndex]?.points[dataIndex]?.details ?? []),
    xAxis: axis(view, { type: "value", scale: true }),
    yAxis: axis(view, { type: "value", scale: true }),
    series: [...drawn, ...shown.map((line) => whiskers(line, view))],
  };
}

interface CustomApi {
  coord(data: Place): Place;
}

type Place = [number, number];

/** From the mean to every end of its intervals. */
function arms({ x, y }: CurvePoint): { from: Place; to: Place }[] {
  const from: Place = [x.mean as number, y.mean as number];
  return [
    ...[x.low, x.high].filter(isNumber).map((end) => ({ from, to: [end, from[1]] as Place })),
    ...[y.low, y.high].filter(isNumber).map((end) => ({ from, to: [from[0], end] as Place })),
  ];
}

/** Crosses of intervals, behind the points. Their ends are the data, so that the axes leave room for them. */
function whiskers(line: CurveLine, view: View): object {
  const all = line.points.flatMap(arms);
  return {
    type: "custom",
    silent: true,
    z: 2,
    data: all.map((arm) => arm.to),
    renderItem: ({ dataIndex }: { dataIndex: number }, api: CustomApi) => {
      const [x1, y1] = api.coord(all[dataIndex].from);
      const [x2, y2] = api.coord(all[dataIndex].to);
      return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: line.mark.colour(view.colours), lineWidth: 1, opacity: 0.6 } };
    },
  };
}
