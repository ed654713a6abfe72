// The channel of a pool as a heat map.
import type { EChartsCoreOption } from "echarts/core";
import { common, Figure, FONT, tooltip, type View } from "./chart";
import { el, words, type TableData } from "./dom";
import { isNumber, list, type Facts, type Pool } from "./facts";
import { counted, measure, share } from "./numbers";
import type { Section } from "./section";
import { blend, readable, type Colours } from "./theme";

interface Cell {
  row: number;
  column: number;
  share: number;
}

function clusterName(pool: Pool, index: number): string {
  return words(pool.clusters?.[index], String(index));
}

function cells(pool: Pool): Cell[] {
  return list(pool.matrix).flatMap((row, i) =>
    (Array.isArray(row) ? row : []).flatMap((x, j) => (isNumber(x) ? [{ row: i, column: j, share: x }] : [])),
  );
}

function sides(pool: Pool): { rows: number; columns: number } {
  const matrix = list(pool.matrix);
  return { rows: matrix.length, columns: Math.max(0, ...matrix.map((row) => (Array.isArray(row) ? row.length : 0))) };
}

const FRAME = 66; // height of scale and axis, in pixels

/** Cells nearly square, but neither flat nor taller than a screen. */
function heightOf(pool: Pool, width: number): number {
  const { rows, columns } = sides(pool);
  const side = Math.min(42, (width - 90) / Math.max(1, columns));
  return Math.round(Math.max(160, Math.min(700, rows * Math.max(8, side) + FRAME)));
}

// Room for "100" in a cell, in pixels.
const LABELLED_CELL = 30;

/** The colour of a share, as the scale below the chart has it. */
function heat(colours: Colours, x: number): string {
  const [low, middle, high] = [colours["heat-low"], colours["heat-middle"], colours["heat-high"]];
  return x < 0.5 ? blend(low, middle, 2 * x) : blend(middle, high, 2 * x - 1);
}

const SCALES = [0.05, 0.1, 0.2, 0.5, 1];

/** The end of the scale: the same for all pools, so that they can be compared. */
function scaleOf(pools: Pool[]): number {
  const largest = pools.flatMap(cells).reduce((most, cell) => Math.max(most, cell.share), 0);
  return SCALES.find((end) => largest <= end) ?? 1;
}

function option(view: View, pool: Pool, scale: number): EChartsCoreOption {
  const { colours } = view;
  const all = cells(pool);
  const { rows, columns } = sides(pool);
  const side = (view.width - 90) / columns;
  const rowHeight = (heightOf(pool, view.width) - FRAME) / rows;
  const names = (length: number) => Array.from({ length }, (_, i) => clusterName(pool, i));
  const categories = (length: number, more: object) => ({
    type: "category",
    data: names(length),
    axisTick: { show: false },
    axisLine: { show: false },
    splitArea: { show: false },
    axisLabel: { color: colours.muted, hideOverlap: true, width: 70, overflow: "truncate" },
    ...more,
  });
  return {
    ...common(view),
    grid: { ...(common(view).grid as object), top: 36 },
    tooltip: tooltip(view, ({ dataIndex }) => {
      const cell = all[dataIndex];
      return [
        `own cluster ${clusterName(pool, cell.row)}`,
        `published as cluster ${clusterName(pool, cell.column)}: ${share(cell.share, 1)}`,
      ];
    }),
    xAxis: categories(columns, {}),
    yAxis: categories(rows, {
      inverse: true,
      axisLabel: { color: colours.muted, width: 70, overflow: "truncate", interval: Math.ceil(16 / rowHeight) - 1 },
    }),
    visualMap: {
      type: "continuous",
      min: 0,
      max: scale,
      orient: "horizontal",
      left: "center",
      top: 0,
      itemWidth: 14,
      itemHeight: Math.min(220, view.width / 2),
      text: [share(scale, 1), "0\u00a0%"],
      textStyle: { color: colours.text, fontFamily: FONT },
      inRange: { color: [colours["heat-low"], colours["heat-middle"], colours["heat-high"]] },
    },
    series: [
      {
        type: "heatmap",
        itemStyle: { borderColor: colours.surface, borderWidth: columns > 25 ? 0 : 1 },
        data: all.map((cell) => ({
          value: [cell.column, cell.row, cell.share],
          label: {
            show: side >= LABELLED_CELL && columns <= 20,
            formatter: cell.share >= 0.005 ? String(Math.round(100 * cell.share)) : "",
            color: readable(heat(colours, Math.min(1, cell.share / scale)), colours),
            fontSize: 12,
          },
        })),
      },
    ],
  };
}

function matrixTable(pool: Pool, title: string): TableData {
  const { columns } = sides(pool);
  return {
    caption: title,
    columns: [
      { name: "own cluster" },
      ...Array.from({ length: columns }, (_, j) => ({ name: `published as ${clusterName(pool, j)}`, number: true })),
    ],
    rows: list(pool.matrix).map((row, i) => [clusterName(pool, i), ...Array.from({ length: columns }, (_, j) => measure(row[j]))]),
  };
}

function poolName(pool: Pool, index: number): string {
  const name = words(pool.label, `pool ${index + 1}`);
  return isNumber(pool.people) ? `${name} (${counted(pool.people, "person", "people")})` : name;
}

export function channelSection(facts: Facts): Section | null {
  const pools = list(facts.channel?.pools).filter((pool) => cells(pool).length);
  if (!pools.length) return null;
  const what = words(facts.channel?.what, "P(cluster of the published row | own cluster)");
  const scale = scaleOf(pools);
  const spec = (index: number) => ({
    description: `Heat map of ${what} for ${poolName(pools[index], index)}. The table below has the numbers.`,
    option: (view: View) => option(view, pools[index], scale),
    height: (width: number) => heightOf(pools[index], width),
    table: matrixTable(pools[index], `${what}, ${poolName(pools[index], index)}`),
  });
  const choice = el("select", {}, ...pools.map((pool, i) => el("option", { value: i }, poolName(pool, i))));
  const figure = new Figure({
    ...spec(0),
    title: "Whose features are published",
    howToRead:
      "a row is the cluster that people belong to by their own features, a column the cluster of the row published under their name; numbers are per cent. High numbers along the diagonal mean features stay much as they are; an even row means they say nothing of the person.",
    controls: el("label", { class: "control" }, "People of ", choice),
    xName: "cluster of the published row",
    yName: "own cluster",
    yDown: true,
  });
  choice.addEventListener("change", () => figure.change(spec(Number(choice.value))));
  return { id: "channel", title: "How features are exchanged", body: [el("p", {}, `Shown: ${what}.`), figure.element], figures: [figure] };
}
