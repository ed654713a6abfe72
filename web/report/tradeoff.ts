// The trade-off of all methods: attack error against utility, and leakage against budget.
import { Figure } from "./chart";
import { curveLegend, curveLines, curves, type CurveLine } from "./curves";
import { el } from "./dom";
import { isNumber, list, type Facts, type FrontierPoint, type Measured, type TradeoffPoint } from "./facts";
import { bits, counted, inBits, interval, measure } from "./numbers";
import type { Section } from "./section";

const height = (width: number) => Math.round(Math.min(440, Math.max(300, width * 0.55)));

function names(lines: CurveLine[]): string {
  return lines.map((line) => line.name).join(", ");
}

function line(name: string, value: Measured, text: (x: Measured) => string): string[] {
  return isNumber(value) ? [`${name}: ${text(value)}`] : [];
}

export function tradeoffSection(facts: Facts): Section | null {
  const axes = { attack: facts.tradeoff_axes?.attack || "attack error", utility: facts.tradeoff_axes?.utility || "utility" };
  const lines = curveLines<TradeoffPoint>(facts, list(facts.tradeoff), (point, name) => ({
    x: point.utility ?? {},
    y: point.attack ?? {},
    details: [
      name,
      `${axes.attack}: ${interval(point.attack)}`,
      `${axes.utility}: ${interval(point.utility)}`,
      ...line("budget", point.budget, measure),
      ...line("leakage", point.leakage, inBits),
    ],
  }));
  if (!lines.length) return null;
  const better = facts.tradeoff_axes?.utility_better;
  const corner =
    better === "lower" ? "upper left corner" : better === "higher" ? "upper right corner" : "top, on the good side of the horizontal axis";
  const figure = new Figure({
    title: "Privacy against use, for every method",
    howToRead: `each point is one strength of one method: higher means attackers are further off. The best methods lie towards the ${corner}. Thin crosses are intervals: curves whose crosses overlap cannot be distinguished.`,
    description: `Curves of ${axes.attack} against ${axes.utility} for ${counted(lines.length, "method", "methods")}: ${names(lines)}. The table below has the numbers.`,
    height,
    option: (view) => curves(view, lines),
    legend: curveLegend(lines),
    switchable: lines.length > 1,
    table: {
      caption: `${axes.attack} and ${axes.utility} by method and budget`,
      columns: [
        { name: "method" },
        { name: "budget", number: true },
        { name: "distance", number: true },
        { name: "leakage (bits)", number: true },
        { name: axes.attack, number: true },
        { name: axes.utility, number: true },
      ],
      rows: list(facts.tradeoff).flatMap((curve) =>
        list(curve.points).map((point) => [
          curve.method || "unnamed method",
          measure(point.budget),
          measure(point.distance),
          bits(point.leakage),
          interval(point.attack),
          interval(point.utility),
        ]),
      ),
    },
    yName: `${axes.attack}: higher is more private`,
    xName: `${axes.utility}${better ? `: ${better} is better` : ""}`,
  });
  return { id: "tradeoff", title: "The trade-off", body: [figure.element], figures: [figure] };
}

type FrontierKey = "features" | "leakage";
const WHAT: Record<FrontierKey, string> = { features: "leaked by the features", leakage: "leaked in all" };

export function frontierSection(facts: Facts): Section | null {
  const all = list(facts.frontier);
  const linesOf = (key: FrontierKey) =>
    curveLines<FrontierPoint>(facts, all, (point, name) => ({
      x: { mean: point.budget },
      y: { mean: point[key] },
      details: [
        name,
        ...line("budget", point.budget, measure),
        ...line("distance", point.distance, measure),
        ...line("leaked in all", point.leakage, inBits),
        ...line("leaked by the features", point.features, inBits),
        ...line("proven within", point.gap, inBits),
      ],
    }));
  const keys = (["features", "leakage"] as const).filter((key) => linesOf(key).length);
  if (!keys.length) return null;

  const spec = (key: FrontierKey) => ({
    description: `Bits ${WHAT[key]} against the budget for ${names(linesOf(key))}. The table below has the numbers.`,
    option: (view: Parameters<typeof curves>[0]) => curves(view, linesOf(key)),
  });
  const choice = el("select", {}, ...keys.map((key) => el("option", { value: key }, WHAT[key])));
  const figure = new Figure({
    ...spec(keys[0]),
    title: "Leakage against budget, for every method",
    howToRead:
      "the further right, the more the published features may differ from the true ones; the lower a curve, the less leaks at the same price. Compare methods at the same place on the horizontal axis.",
    height,
    legend: curveLegend(linesOf(keys[0])),
    switchable: all.length > 1,
    controls: keys.length > 1 ? el("label", { class: "control" }, "Show the bits ", choice) : undefined,
    table: {
      caption: "Leakage by method and budget. The gap is how far from the best possible it can be at most.",
      columns: [
        { name: "method" },
        { name: "budget", number: true },
        { name: "distance", number: true },
        { name: "bits in all", number: true },
        { name: "bits by the features", number: true },
        { name: "gap (bits)", number: true },
      ],
      rows: all.flatMap((curve) =>
        list(curve.points).map((point) => [
          curve.method || "unnamed method",
          measure(point.budget),
          measure(point.distance),
          bits(point.leakage),
          bits(point.features),
          bits(point.gap),
        ]),
      ),
    },
    yName: "bits about the exact value: lower is more private",
    xName: `budget: mean distance that is allowed${facts.data?.distance ? ` (${facts.data.distance})` : ""}`,
  });
  choice.addEventListener("change", () => figure.change(spec(choice.value as FrontierKey)));
  return { id: "frontier", title: "Leakage and budget", body: [figure.element], figures: [figure] };
}
