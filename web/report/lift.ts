// The worst case: how far one published row can raise or lower the share of a value within its group.
import type { EChartsCoreOption } from "echarts/core";
import { axis, common, Figure, tooltip, type View } from "./chart";
import { el, table, words, type TableData } from "./dom";
import { isNumber, list, mentioned, whyOf, type Facts, type Lift, type LiftOfValue, type Measured } from "./facts";
import { count, counted, measure, notMeasured } from "./numbers";
import type { Section } from "./section";
import { secretName } from "./summary";
import { mark } from "./theme";

// More strips than these are no drawing any more; the table has the highest.
const MOST_DRAWN = 200;
const MOST_LISTED = 200;

interface Strip {
  name: string;
  group: string;
  people: Measured;
  lowest: number;
  highest: number;
}

const EVEN = mark(0);
const ODD = mark(1);

function strips(lift: Lift): Strip[] {
  return list(lift.values).flatMap((value: LiftOfValue) =>
    isNumber(value?.lowest) && isNumber(value.highest)
      ? [
          {
            name: words(value.value, "unnamed"),
            group: words(value.group, "unnamed"),
            people: value.people,
            lowest: value.lowest,
            highest: value.highest,
          },
        ]
      : [],
  );
}

/** Runs of strips of one group, in the order in which they are drawn. */
function byGroup(all: Strip[]): Strip[] {
  const order = [...new Set(all.map((strip) => strip.group))];
  return [...all].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function times(x: Measured, why?: string): string {
  return isNumber(x) ? `${measure(x)} times` : notMeasured(why);
}

function stripOption(view: View, all: Strip[]): EChartsCoreOption {
  const { colours } = view;
  const groups = [...new Set(all.map((strip) => strip.group))];
  const colour = (strip: Strip) => (groups.indexOf(strip.group) % 2 ? ODD : EVEN).colour(colours);
  const bands = groups.map((group, g) => {
    const first = all.findIndex((strip) => strip.group === group);
    const last = all.findLastIndex((strip) => strip.group === group);
    const room = ((view.width - 60) / all.length) * (last - first + 1);
    return [
      {
        xAxis: first,
        name: group.length * 7.5 <= room ? group : "",
        itemStyle: { color: g % 2 ? "transparent" : colours.band },
        label: { position: "top", color: colours.text, fontWeight: 600, fontSize: 13 },
      },
      { xAxis: last },
    ];
  });
  return {
    ...common(view),
    grid: { ...(common(view).grid as object), top: 34 },
    tooltip: tooltip(view, ({ dataIndex }) => {
      const strip = all[dataIndex];
      return [strip.name, `published as ${strip.group}`, `between ${times(strip.lowest)} and ${times(strip.highest)} its share`];
    }),
    xAxis: axis(view, {
      type: "category",
      data: all.map((strip) => strip.name),
      axisTick: { show: false },
      axisLabel: { color: colours.muted, hideOverlap: true, width: 90, overflow: "truncate" },
    }),
    yAxis: axis(view, { type: "value", min: 0 }),
    series: [
      { type: "bar", stack: "lift", silent: true, itemStyle: { color: "transparent" }, data: all.map((strip) => strip.lowest) },
      {
        type: "bar",
        stack: "lift",
        barMaxWidth: 40,
        barMinHeight: 2,
        data: all.map((strip) => ({ value: strip.highest - strip.lowest, itemStyle: { color: colour(strip) } })),
        markArea: { silent: true, data: bands },
        markLine: {
          silent: true,
          symbol: "none",
          label: { show: false },
          lineStyle: { color: colours.text, type: "dashed" },
          data: [{ yAxis: 1 }],
        },
      },
    ],
  };
}

function stripTable(secret: string, all: Strip[]): TableData {
  const listed = all.length > MOST_LISTED ? [...all].sort((a, b) => b.highest - a.highest).slice(0, MOST_LISTED) : all;
  const which = all.length > MOST_LISTED ? `, the ${MOST_LISTED} values with the largest rise of ${count(all.length)}` : "";
  return {
    caption: `What one row makes of the share of a value in its group${which}. Finer than the release: not for publication.`,
    columns: [
      { name: `exact ${secret}` },
      { name: "published as" },
      { name: "people", number: true },
      { name: "lowest, times", number: true },
      { name: "highest, times", number: true },
    ],
    rows: listed.map((strip) => [strip.name, strip.group, count(strip.people), measure(strip.lowest), measure(strip.highest)]),
  };
}

function stripFigure(facts: Facts, all: Strip[]): Figure | null {
  if (!all.length || all.length > MOST_DRAWN) return null;
  const secret = secretName(facts);
  const highest = Math.max(...all.map((strip) => strip.highest));
  return new Figure({
    title: `How far one row can move each exact ${secret}`,
    howToRead: `each strip goes from the lowest to the highest that any published row makes of the share of one ${secret} in its group; the dashed line is the share itself. A strip that reaches 2 means: under some row this ${secret} is twice as likely as in the group. A strip that reaches 0: some row rules it out.`,
    description: `Strips of ${counted(all.length, "exact value", "exact values")} of ${secret}, the highest at ${times(highest)} its share. The table below has its numbers.`,
    height: () => 280,
    option: (view) => stripOption(view, all),
    table: stripTable(secret, all),
    yName: "times its share in the group",
    xName: secret,
  });
}

function figuresTable(lift: Lift): TableData {
  const rows: string[][] = [];
  const add = (key: keyof Lift, name: string) => {
    if (mentioned(lift, key)) rows.push([name, times(lift[key] as Measured, whyOf(lift, key))]);
  };
  add("highest", "largest rise of any value in its group, by any row");
  add("lowest", "largest fall (0: some row rules some value out)");
  add("of_population", "largest rise against the share among all people, the group included");
  add("own_largest", "rise of a person's own value by the worst row that may stand under the name: largest");
  add("own_largest_median", "the same for the median person");
  add("own_expected", "rise of a person's own value, expected over the draw: largest");
  add("own_expected_median", "the same for the median person");
  add("own_of_population", "the largest of these against the share among all people, the group included");
  return { caption: "All figures", columns: [{ name: "figure" }, { name: "value", number: true }], rows };
}

export function liftSection(facts: Facts): Section | null {
  const lift = facts.lift;
  if (!lift || typeof lift !== "object") return null;
  const numbers = figuresTable(lift);
  const all = byGroup(strips(lift));
  if (!numbers.rows.length && !all.length) return null;
  const figure = stripFigure(facts, all);
  const intro = el(
    "p",
    {},
    "Leakage is an average. These figures are about the worst row and the worst person: by which factor an informed attacker who sees one row, with its group, changes the probability of one value. 1 teaches nothing.",
  );
  const body: Node[] = [intro];
  if (figure) body.push(figure.element);
  if (numbers.rows.length) body.push(table(numbers));
  return { id: "lift", title: "The worst case", body, figures: figure ? [figure] : [] };
}
