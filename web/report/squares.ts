// Squares of a grid coloured by their group, with outlines between groups and their numbers: areas on a map, or two secrets
// against each other. All is computed from the squares themselves.
import type { View } from "./chart";
import { blend, mark, type Colours, type Mark } from "./theme";

export interface Square {
  column: number;
  row: number;
  people: number;
  /** Index into the groups; -1: none. */
  group: number;
}

// Hues that stand apart from outlines and text: neither the grey nor the black of the series.
const HUES = [0, 1, 2, 3, 4, 5, 7, 8];
const PALEST = 0.34;
const STRONGEST = 0.92;

const key = (column: number, row: number) => `${column},${row}`;

function byPlace(squares: Square[]): Map<string, Square> {
  return new Map(squares.map((square) => [key(square.column, square.row), square]));
}

/** One square a place: people of several groups in it are added up, and the largest of these groups gives the colour. */
export function joined(squares: Square[]): Square[] {
  const found = new Map<string, { square: Square; most: number }>();
  for (const one of squares) {
    const before = found.get(key(one.column, one.row));
    if (!before) found.set(key(one.column, one.row), { square: { ...one }, most: one.people });
    else {
      before.square.people += one.people;
      if (one.people > before.most) [before.square.group, before.most] = [one.group, one.people];
    }
  }
  return [...found.values()].map(({ square }) => square);
}

/** A hue for every group, another than its neighbours have as far as the hues suffice. */
export function hues(squares: Square[], groups: number): number[] {
  const at = byPlace(squares);
  const neighbours = Array.from({ length: groups }, () => new Set<number>());
  for (const { column, row, group } of squares) {
    for (const [x, y] of [
      [1, 0],
      [0, 1],
      [1, 1],
      [1, -1],
    ]) {
      const other = at.get(key(column + x, row + y))?.group ?? -1;
      if (group < 0 || other < 0 || group === other) continue;
      neighbours[group].add(other);
      neighbours[other].add(group);
    }
  }
  const chosen: number[] = [];
  const used = HUES.map(() => 0);
  for (let group = 0; group < groups; group += 1) {
    const clashes = (hue: number) => [...neighbours[group]].filter((other) => chosen[other] === hue).length;
    const best = HUES.map((_, hue) => hue).sort((a, b) => clashes(a) - clashes(b) || used[a] - used[b] || a - b)[0];
    chosen.push(best);
    used[best] += 1;
  }
  return chosen;
}

/** The mark of a group in legends. */
export function squareMark(hue: number): Mark {
  return { colour: (palette: Colours) => palette.series[HUES[hue]], shape: mark(1).shape, dash: "solid" };
}

/** Sides between different groups, joined to long lines: [column, row, column, row] of their ends. */
export function outlines(squares: Square[]): [number, number, number, number][] {
  const at = byPlace(squares);
  const group = (column: number, row: number) => at.get(key(column, row))?.group;
  const lying = new Map<number, Set<number>>(); // by row: columns of the squares above the side
  const standing = new Map<number, Set<number>>();
  const add = (sides: Map<number, Set<number>>, line: number, place: number) => sides.set(line, (sides.get(line) ?? new Set()).add(place));
  for (const { column, row, group: own } of squares) {
    if (group(column, row - 1) !== own) add(lying, row, column);
    if (group(column, row + 1) !== own) add(lying, row + 1, column);
    if (group(column - 1, row) !== own) add(standing, column, row);
    if (group(column + 1, row) !== own) add(standing, column + 1, row);
  }
  return [
    ...[...lying].flatMap(([row, columns]) => runs(columns).map(([from, to]): [number, number, number, number] => [from, row, to, row])),
    ...[...standing].flatMap(([column, rows]) =>
      runs(rows).map(([from, to]): [number, number, number, number] => [column, from, column, to]),
    ),
  ];
}

function runs(places: Set<number>): [number, number][] {
  const found: [number, number][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === place) last[1] = place + 1;
    else found.push([place, place + 1]);
  }
  return found;
}

/** The pieces of the groups: squares that hang together by their sides. */
function pieces(squares: Square[]): Square[][] {
  const left = byPlace(squares.filter((square) => square.group >= 0));
  const found: Square[][] = [];
  for (const start of squares) {
    if (!left.delete(key(start.column, start.row))) continue;
    const piece = [start];
    for (let i = 0; i < piece.length; i += 1) {
      for (const [x, y] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ]) {
        const place = key(piece[i].column + x, piece[i].row + y);
        const other = left.get(place);
        if (other?.group !== start.group) continue;
        left.delete(place);
        piece.push(other);
      }
    }
    found.push(piece);
  }
  return found.sort((a, b) => b.length - a.length);
}

/** The square of a piece that is nearest to its middle: there stands the number of the group. */
function middleOf(piece: Square[]): Square {
  const middle = (of: (square: Square) => number) => piece.reduce((sum, square) => sum + of(square), 0) / piece.length;
  const [x, y] = [middle((square) => square.column), middle((square) => square.row)];
  const off = (square: Square) => (square.column - x) ** 2 + (square.row - y) ** 2;
  return piece.reduce((best, square) => (off(square) < off(best) ? square : best));
}

export interface Drawing {
  coord(data: [number, number]): [number, number];
  size(data: [number, number]): number | number[];
}

/** Pixels of the corners of squares. */
export interface Frame {
  x: (column: number) => number;
  y: (row: number) => number;
  width: number;
  height: number;
}

/** `up`: rows count upwards. Axes have the middle of square n at n. */
export function frameOf(api: Drawing, at: Square, up: boolean): Frame {
  const size = api.size([1, 1]);
  const [width, height] = Array.isArray(size) ? size : [size, size];
  const [x, y] = api.coord([at.column, at.row]);
  const down = up ? -height : height;
  return { x: (column) => x + (column - at.column - 0.5) * width, y: (row) => y + (row - at.row - 0.5) * down, width, height };
}

const SMALLEST = 2; // pixels: a far island stays visible

export interface SquareOptions {
  view: View;
  squares: Square[];
  hues: number[];
  up: boolean;
  /** Further shapes over the squares. */
  more?: (frame: Frame) => object[];
}

export function squareSeries({ view, squares, hues: hueOf, up, more }: SquareOptions): object[] {
  const { colours } = view;
  const most = squares.reduce((largest, square) => Math.max(largest, square.people), 1);
  const fill = ({ group, people }: Square) => {
    const colour = group < 0 ? colours.muted : colours.series[HUES[hueOf[group]]];
    return blend(colours.surface, colour, PALEST + (STRONGEST - PALEST) * Math.sqrt(people / most));
  };
  const places = squares.map((square) => [square.column, square.row]);
  return [
    {
      type: "custom",
      data: places,
      renderItem: ({ dataIndex }: { dataIndex: number }, api: Drawing) => {
        const square = squares[dataIndex];
        const frame = frameOf(api, square, up);
        // Whole pixels, so that no seams show between squares of one group.
        const [x1, x2] = [frame.x(square.column), frame.x(square.column + 1)].map(Math.round);
        const [y1, y2] = [frame.y(square.row), frame.y(square.row + 1)].map(Math.round).sort((a, b) => a - b);
        return {
          type: "rect",
          shape: { x: x1, y: y1, width: Math.max(SMALLEST, x2 - x1), height: Math.max(SMALLEST, y2 - y1) },
          style: { fill: fill(square) },
        };
      },
    },
    {
      type: "custom",
      silent: true,
      z: 3,
      data: [places[0]],
      renderItem: (_: unknown, api: Drawing) => {
        const frame = frameOf(api, squares[0], up);
        const path = outlines(squares)
          .map(
            ([x1, y1, x2, y2]) =>
              `M${Math.round(frame.x(x1))} ${Math.round(frame.y(y1))}L${Math.round(frame.x(x2))} ${Math.round(frame.y(y2))}`,
          )
          .join("");
        return {
          type: "group",
          children: [
            {
              type: "path",
              shape: { pathData: path },
              style: { fill: "none", stroke: colours.text, lineWidth: frame.width < 6 ? 0.8 : 1.6, lineCap: "square" },
            },
            ...numbers(squares, frame, view),
            ...(more?.(frame) ?? []),
          ],
        };
      },
    },
  ];
}

const DIGIT = 8;
const LINE = 15;

/** The number of its group on its largest piece and on others that have room for it; one that would cover another is left out. */
function numbers(squares: Square[], frame: Frame, view: View): object[] {
  const taken: { x: number; y: number; half: number }[] = [];
  const seen = new Set<number>();
  return pieces(squares).flatMap((piece) => {
    const first = seen.size < seen.add(piece[0].group).size;
    if (!first && piece.length * frame.width * frame.height < 2 * LINE * LINE) return [];
    const square = middleOf(piece);
    const text = String(square.group + 1);
    const [x, y, half] = [frame.x(square.column + 0.5), frame.y(square.row + 0.5), (text.length * DIGIT) / 2];
    if (taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < LINE)) return [];
    taken.push({ x, y, half });
    return [
      {
        type: "text",
        style: {
          text,
          x,
          y,
          align: "center",
          verticalAlign: "middle",
          font: "700 13px system-ui, sans-serif",
          fill: view.colours.text,
          stroke: view.colours.surface,
          lineWidth: 3.5,
        },
      },
    ];
  });
}
