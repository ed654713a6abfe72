// A figure: title, legend, drawing, one sentence that says how to read it, and its numbers as a table.
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import { init, use, type EChartsCoreOption, type EChartsType } from "echarts/core";
import { SVGRenderer } from "echarts/renderers"; // prints sharp, and its text can be searched
import { el, table, type TableData } from "./dom";
import { counted, tick } from "./numbers";
import { colours, currentTheme, onThemeChange, setTheme, swatch, type Colours, type Mark } from "./theme";

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
  SVGRenderer,
]);

export interface View {
  width: number;
  colours: Colours;
  /** Names of the legend that the reader switched off. */
  hidden: ReadonlySet<string>;
}

export interface LegendEntry {
  name: string;
  mark: Mark;
  line?: boolean;
}

export interface FigureSpec {
  title: string;
  howToRead: string;
  /** What the drawing shows, for people who do not see it. */
  description: string;
  height: (width: number) => number;
  option: (view: View) => EChartsCoreOption;
  table: TableData;
  legend?: LegendEntry[];
  /** Whether entries of the legend switch their series off and on. */
  switchable?: boolean;
  yName?: string;
  /** The vertical axis counts downwards. */
  yDown?: boolean;
  xName?: string;
  controls?: HTMLElement;
}

export const FONT = 'system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif';
// The text width of A4 within the margins of page.css (15 mm), in CSS pixels.
const PRINT_WIDTH = 680;

// Larger tables would be cut on paper, or fill pages.
const MOST_ROWS_ON_PAPER = 40;
const MOST_COLUMNS_ON_PAPER = 7;

/** The table of a chart, folded; on paper it is open where it fits. */
function numbersOf(data: TableData, open: boolean): HTMLElement[] {
  const fits = data.rows.length <= MOST_ROWS_ON_PAPER && data.columns.length <= MOST_COLUMNS_ON_PAPER;
  const folded = el("details", { class: fits && "on-paper", open }, el("summary", {}, "The numbers of this chart as a table"), table(data));
  if (fits) return [folded];
  const size = `${counted(data.rows.length, "row", "rows")} and ${counted(data.columns.length, "column", "columns")}`;
  return [folded, el("p", { class: "only-on-paper" }, `The numbers of this chart, ${size}, are in the HTML file.`)];
}

export class Figure {
  readonly element: HTMLElement;
  private readonly box: HTMLElement;
  private readonly numbers: HTMLElement;
  private readonly legend = el("div", { class: "legend" });
  private readonly hidden = new Set<string>();
  private chart: EChartsType | undefined;

  constructor(private spec: FigureSpec) {
    this.box = el("div", { class: "chart", role: "img", "aria-label": spec.description });
    this.numbers = el("div", { class: "numbers" }, ...numbersOf(spec.table, false));
    this.fillLegend();
    this.element = el(
      "figure",
      {},
      el("h3", {}, spec.title),
      spec.controls,
      spec.legend && this.legend,
      spec.yName && el("div", { class: "axis-name" }, `${spec.yDown ? "\u2193" : "\u2191"} ${spec.yName}`),
      this.box,
      spec.xName && el("div", { class: "axis-name x" }, `${spec.xName} \u2192`),
      el("figcaption", {}, el("b", {}, "How to read it: "), spec.howToRead),
      this.numbers,
    );
  }

  /** Shows something else in the same frame. */
  change(spec: Partial<FigureSpec>): void {
    this.spec = { ...this.spec, ...spec };
    this.box.setAttribute("aria-label", this.spec.description);
    this.numbers.replaceChildren(...numbersOf(this.spec.table, !!this.numbers.querySelector("details[open]")));
    this.draw();
  }

  draw(width = this.box.clientWidth): void {
    if (width <= 0) return;
    const size = { width, height: this.spec.height(width) };
    this.box.style.height = `${size.height}px`;
    if (this.chart) this.chart.resize(size);
    else this.chart = init(this.box, null, { renderer: "svg", ...size });
    const palette = colours();
    this.paintLegend(palette);
    this.chart.setOption(this.spec.option({ width, colours: palette, hidden: this.hidden }), { notMerge: true });
    this.box.querySelector("svg")?.setAttribute("aria-hidden", "true");
  }

  /** Draws now, and again whenever the place for it changes. */
  start(): void {
    let drawn = 0;
    new ResizeObserver(() => {
      const width = this.box.clientWidth;
      if (width === drawn) return;
      drawn = width;
      this.draw();
    }).observe(this.box);
  }

  private fillLegend(): void {
    for (const entry of this.spec.legend ?? []) {
      const picture = swatch(entry.mark, !!entry.line);
      if (this.spec.switchable) {
        const button = el("button", { type: "button", "aria-pressed": "true", title: "show or hide" }, picture, el("span", {}, entry.name));
        button.addEventListener("click", () => this.flip(entry.name, button));
        this.legend.append(button);
      } else {
        this.legend.append(el("span", { class: "entry" }, picture, el("span", {}, entry.name)));
      }
    }
  }

  private flip(name: string, button: HTMLElement): void {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
    this.draw();
  }

  private paintLegend(palette: Colours): void {
    this.legend.querySelectorAll("svg").forEach((picture, i) => {
      picture.style.color = this.spec.legend?.[i].mark.colour(palette) ?? "";
    });
  }
}

/** Keeps drawings right when the window, the theme or the medium changes. Paper is always light, and what it needs is open. */
export function keepDrawn(figures: Figure[]): void {
  const drawAll = (width?: number) => figures.forEach((figure) => figure.draw(width));
  figures.forEach((figure) => figure.start());
  onThemeChange(() => drawAll());
  let before = "auto";
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    before = currentTheme();
    document.documentElement.dataset.theme = "light";
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.on-paper:not([open])")];
    for (const details of opened) details.open = true;
    drawAll(PRINT_WIDTH);
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    setTheme(before);
  });
}

/** Axes, text and tooltips, the same in all charts. */
export function common(view: View): EChartsCoreOption {
  return {
    animation: false,
    textStyle: { fontFamily: FONT, color: view.colours.text },
    grid: { left: 4, right: 18, top: 10, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
  };
}

export function axis(view: View, more: object = {}): object {
  const { line, muted } = view.colours;
  return {
    axisLine: { show: true, lineStyle: { color: muted } },
    axisTick: { lineStyle: { color: muted } },
    axisLabel: { color: muted, fontSize: 12, formatter: (x: unknown) => (typeof x === "number" ? tick(x) : String(x)), hideOverlap: true },
    splitLine: { lineStyle: { color: line } },
    ...more,
  };
}

/** A tooltip of plain lines, the first in bold. Built as text nodes: labels are text of users. */
export function tooltip(view: View, lines: (params: TooltipPoint) => string[]): object {
  return {
    trigger: "item",
    confine: true,
    backgroundColor: view.colours.surface,
    borderColor: view.colours.muted,
    textStyle: { color: view.colours.text, fontFamily: FONT, fontSize: 13 },
    extraCssText: "max-width: 18rem; white-space: normal; overflow-wrap: anywhere;",
    formatter: (params: TooltipPoint) => {
      const shown = lines(params);
      return shown.length ? el("div", {}, el("b", {}, shown[0]), ...shown.slice(1).map((text) => el("div", {}, text))) : "";
    },
  };
}

export interface TooltipPoint {
  seriesIndex: number;
  seriesName?: string;
  dataIndex: number;
}
