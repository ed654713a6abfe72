// Elements from text. Text of users only ever becomes a text node, never markup.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

export interface Column {
  name: string;
  /** Numbers stand to the right. */
  number?: boolean;
}

export interface TableData {
  caption: string;
  columns: Column[];
  rows: Child[][];
  /** Cells of sentences: on narrow screens a row becomes a card instead of five letters a line. */
  cards?: boolean;
}

const ONE_PIECE = 8; // rows that are not torn apart on paper

/** The first column heads its row. A wide table scrolls in its own box, which the keyboard can reach. */
export function table(data: TableData): HTMLElement {
  const cell = (tag: "td" | "th", column: Column, child: Child, scope?: string) =>
    el(
      tag,
      { class: column.number ? "number" : undefined, scope, "data-column": scope ? undefined : column.name },
      child === "" ? "\u2013" : child,
    );
  const head = el("tr", {}, ...data.columns.map((column) => cell("th", column, column.name, "col")));
  const body = data.rows.map((row) =>
    el("tr", {}, ...row.map((child, i) => (i === 0 ? cell("th", data.columns[i], child, "row") : cell("td", data.columns[i], child)))),
  );
  return el(
    "div",
    {
      class: `table${data.cards ? " cards" : ""}${data.rows.length <= ONE_PIECE ? " one-piece" : ""}`,
      tabindex: 0,
      role: "region",
      "aria-label": data.caption,
    },
    el("table", {}, el("caption", {}, data.caption), el("thead", {}, head), el("tbody", {}, ...body)),
  );
}

export function bulletList(items: string[]): HTMLElement {
  return el("ul", {}, ...items.map((item) => el("li", {}, item)));
}

/** Text that may be missing or empty. */
export function words(text: unknown, otherwise: string): string {
  if (typeof text === "string" && text.trim()) return text;
  if (typeof text === "number" && Number.isFinite(text)) return String(text);
  return otherwise;
}
