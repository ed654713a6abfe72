// Light or dark: as the system has it until the reader chooses. All colours stand in page.css; charts read them there.

const NAMES = [
  "text",
  "muted",
  "line",
  "surface",
  "band",
  "accent",
  "accent-soft",
  "second",
  "third",
  "fourth",
  "heat-low",
  "heat-middle",
  "heat-high",
] as const;
export const SERIES = 10;

export type Colours = Record<(typeof NAMES)[number], string> & { series: string[] };

const listeners: (() => void)[] = [];

/** Called after the colours changed. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

export function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function currentTheme(): string {
  return document.documentElement.dataset.theme ?? "auto";
}

export function watchSystemTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(currentTheme()));
}

/** The colours in force. A probe resolves light-dark(), which a custom property itself keeps as text. */
export function colours(): Colours {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const resolve = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(NAMES.map((name) => [name, resolve(name)])) as Record<(typeof NAMES)[number], string>;
  const series = Array.from({ length: SERIES }, (_, i) => resolve(`series-${i}`));
  probe.remove();
  return { ...found, series };
}

function channels(colour: string): number[] {
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

export function blend(from: string, to: string, part: number): string {
  const end = channels(to);
  return `rgb(${channels(from)
    .map((x, i) => Math.round(x + part * (end[i] - x)))
    .join(", ")})`;
}

/** Relative luminance as WCAG 2 defines it. */
function luminance(colour: string): number {
  const linear = channels(colour).map((x) => (x <= 10.31 ? x / 3294.6 : ((x / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour of text that reads better on this ground. */
export function readable(ground: string, palette: Colours): string {
  return contrast(palette.text, ground) >= contrast(palette.surface, ground) ? palette.text : palette.surface;
}

const SVG = "http://www.w3.org/2000/svg";

/** Outlines in a box of 10 x 10: methods differ by shape and dash as well as by colour. */
const SHAPES = [
  "M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z",
  "M0.5 0.5H9.5V9.5H0.5Z",
  "M5 0L10 9.5H0Z",
  "M5 -0.5L10.5 5L5 10.5L-0.5 5Z",
  "M0 0.5H10L5 10Z",
  "M3.4 0H6.6V3.4H10V6.6H6.6V10H3.4V6.6H0V3.4H3.4Z",
  "M2.5 0.5H7.5L10 5L7.5 9.5H2.5L0 5Z",
  "M0 0L5 2.5L10 0L7.5 5L10 10L5 7.5L0 10L2.5 5Z",
  "M0 2.5H10V7.5H0Z",
  "M2.5 0H7.5V10H2.5Z",
];
const DASHES: (number[] | "solid")[] = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];

export interface Mark {
  colour: (palette: Colours) => string;
  shape: string;
  dash: number[] | "solid";
}

export function mark(index: number): Mark {
  return {
    colour: (palette) => palette.series[index % SERIES],
    shape: SHAPES[index % SHAPES.length],
    dash: DASHES[Math.floor(index / 3) % DASHES.length],
  };
}

export function symbolOf(shape: string): string {
  return `path://${shape}`;
}

/** The mark as a small picture for legends; takes the colour of the text around it. */
export function swatch(one: Mark, withLine: boolean): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ viewBox: "-1 -1 32 12", width: "32", height: "12", "aria-hidden": "true" }))
    svg.setAttribute(name, value);
  if (withLine) {
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", "M-1 5H31");
    line.setAttribute("stroke", "currentColor");
    line.setAttribute("stroke-width", "2");
    if (one.dash !== "solid") line.setAttribute("stroke-dasharray", one.dash.join(" "));
    svg.append(line);
  }
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", one.shape);
  shape.setAttribute("transform", "translate(10 0)");
  shape.setAttribute("fill", "currentColor");
  svg.append(shape);
  return svg;
}
