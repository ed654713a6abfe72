// How the search went.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type View } from "./chart";
import { el, table, type TableData } from "./dom";
import { isNumber, list, type Facts, type Round } from "./facts";
import { bits, count, measure, tick } from "./numbers";
import type { Section } from "./section";
import { mark, symbolOf, type Mark } from "./theme";

interface Line {
  name: string;
  mark: Mark;
  key: "objective" | "leakage" | "distance";
}

const BITS: Line[] = [
  { name: "what is minimised", mark: mark(0), key: "objective" },
  { name: "leakage in all", mark: { ...mark(1), dash: [7, 4] }, key: "leakage" },
];
const DISTANCE: Line[] = [{ name: "mean distance", mark: mark(2), key: "distance" }];

function option(view: View, rounds: Round[], lines: Line[]): EChartsCoreOption {
  return {
    ...common(view),
    tooltip: tooltip(view, ({ seriesIndex, dataIndex }) => [
      `round ${count(rounds[dataIndex].round ?? dataIndex)}`,
      `${lines[seriesIndex].name}: ${measure(rounds[dataIndex][lines[seriesIndex].key])}`,
    ]),
    xAxis: axis(view, { type: "value", minInterval: 1, min: "dataMin", max: "dataMax" }),
    yAxis: axis(view, { type: "value", scale: true, axisLabel: { color: view.colours.muted, formatter: tick } }),
    series: lines.map((line) => ({
      type: "line",
      name: line.name,
      data: rounds.map((round, i) => [round.round ?? i, isNumber(round[line.key]) ? round[line.key] : null]),
      symbol: symbolOf(line.mark.shape),
      symbolSize: rounds.length > 40 ? 4 : 8,
      lineStyle: { color: line.mark.colour(view.colours), width: 2, type: line.mark.dash },
      itemStyle: { color: line.mark.colour(view.colours) },
    })),
  };
}

function roundsTable(rounds: Round[]): TableData {
  return {
    caption: "Rounds of the search",
    columns: [
      { name: "round" },
      { name: "minimised (bits)", number: true },
      { name: "leakage (bits)", number: true },
      { name: "distance", number: true },
      { name: "moves", number: true },
    ],
    rows: rounds.map((round, i) => [
      count(round.round ?? i),
      bits(round.objective),
      bits(round.leakage),
      measure(round.distance),
      count(round.moves),
    ]),
  };
}

export function convergenceSection(facts: Facts): Section | null {
  const rounds = list(facts.history).filter((round) => isNumber(round.objective) || isNumber(round.leakage) || isNumber(round.distance));
  if (!rounds.length) return null;
  const data = roundsTable(rounds);
  if (rounds.length < 2) {
    return { id: "convergence", title: "The search", body: [el("p", {}, "The method found its answer in one round."), table(data)] };
  }
  const has = (line: Line) => rounds.some((round) => isNumber(round[line.key]));
  const figureOf = (title: string, howToRead: string, lines: Line[], yName: string) => {
    const shown = lines.filter(has);
    if (!shown.length) return null;
    return new Figure({
      title,
      howToRead,
      description: `${title} over ${rounds.length} rounds. The table below has the numbers.`,
      height: () => 240,
      option: (view) => option(view, rounds, shown),
      legend: shown.length > 1 ? shown.map(({ name, mark: one }) => ({ name, mark: one, line: true })) : undefined,
      table: data,
      yName,
      xName: "round",
    });
  };
  const figures = [
    figureOf(
      "Leakage by round",
      "the curve falls while the search improves and turns flat when nothing better is found; a curve still falling at its end was stopped early.",
      BITS,
      "bits",
    ),
    figureOf(
      "Distance by round",
      "how far published features are from the true ones after each round; it may use up the budget, never more.",
      DISTANCE,
      "mean distance",
    ),
  ].filter((figure): figure is Figure => !!figure);
  return {
    id: "convergence",
    title: "The search",
    body: [el("div", { class: figures.length > 1 ? "side-by-side" : "" }, ...figures.map((figure) => figure.element))],
    figures,
  };
}
