// People by exact value in the groups that would be published; the borders between groups can be moved, by pointer or arrow keys.
import { useEffect, useRef, useState } from "preact/hooks";
import { isNumber, list, type Facts } from "../report/facts";
import { count, counted } from "../report/numbers";
import { useWidth } from "./parts";

const HEIGHT = 210;
const FOOT = 22;
const HEAD = 24;

interface Bar {
  value: number;
  people: number;
}

/** Places of the first bar of every group but the first. */
function bordersOf(facts: Facts, bars: Bar[]): number[] {
  const labels = list(facts.histogram).map((cell) => cell.group);
  return bars.flatMap((_, i) => (i > 0 && labels[i] !== labels[i - 1] ? [i] : []));
}

function barsOf(facts: Facts): Bar[] | undefined {
  const cells = list(facts.histogram);
  const bars = cells.flatMap((cell) => (isNumber(cell.value) && isNumber(cell.people) ? [{ value: cell.value, people: cell.people }] : []));
  return bars.length > 1 && bars.length === cells.length ? bars : undefined;
}

export function canMove(facts: Facts): boolean {
  return !!barsOf(facts) && list(facts.groups).length > 1;
}

/** Both ends of every group, as a spec names them. */
function groupsOf(bars: Bar[], borders: number[]): [number, number][] {
  const starts = [0, ...borders];
  return starts.map((start, g) => [bars[start].value, bars[(starts[g + 1] ?? bars.length) - 1].value]);
}

export function GroupBars({ facts, secret, onMove }: { facts: Facts; secret: string; onMove: (groups: [number, number][]) => void }) {
  const bars = barsOf(facts) ?? [];
  const [borders, setBorders] = useState(() => bordersOf(facts, bars));
  const moving = useRef<number | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(svg);
  useEffect(() => {
    if (moving.current === null) setBorders(bordersOf(facts, bars));
  }, [facts.histogram]);

  const most = Math.max(...bars.map((bar) => bar.people));
  const step = width / bars.length;
  const starts = [0, ...borders];
  const groupOf = (i: number) => starts.findLastIndex((start) => start <= i);
  const peopleOf = (g: number) => bars.slice(starts[g], starts[g + 1] ?? bars.length).reduce((sum, bar) => sum + bar.people, 0);
  const room = (b: number) => [(borders[b - 1] ?? 0) + 1, (borders[b + 1] ?? bars.length) - 1];

  const place = (b: number, at: number) => {
    const [low, high] = room(b);
    const next = borders.with(b, Math.min(high, Math.max(low, at)));
    setBorders(next);
    return next;
  };
  const settle = (next: number[]) => onMove(groupsOf(bars, next));
  const atPointer = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    return box ? Math.round(((event.clientX - box.left) / box.width) * bars.length) : 0;
  };

  return (
    <figure class="group-bars">
      <svg
        ref={svg}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        height={HEIGHT}
        role="group"
        aria-label={`People by exact ${secret}; the borders of groups can be moved`}
      >
        {starts.map((start, g) => {
          const end = starts[g + 1] ?? bars.length;
          const [low, high] = [bars[start].value, bars[end - 1].value];
          return (
            <g key={g}>
              <rect class={g % 2 ? "band odd" : "band"} x={start * step} y={0} width={(end - start) * step} height={HEIGHT - FOOT} />
              <text class="people" x={(start + end) * 0.5 * step} y={15}>
                {(end - start) * step > 44 ? count(peopleOf(g)) : ""}
              </text>
              <text class="range" x={(start + end) * 0.5 * step} y={HEIGHT - 6}>
                {(end - start) * step > 60 ? `${low}\u2013${high}` : ""}
              </text>
            </g>
          );
        })}
        {bars.map((bar, i) => {
          const height = (bar.people / most) * (HEIGHT - FOOT - HEAD);
          return (
            <rect
              key={i}
              class={groupOf(i) % 2 ? "bar odd" : "bar"}
              x={i * step + step * 0.08}
              y={HEIGHT - FOOT - height}
              width={step * 0.84}
              height={height}
            />
          );
        })}
        {borders.map((border, b) => (
          <g
            key={b}
            class="border"
            role="slider"
            tabindex={0}
            aria-label={`Border between group ${b + 1} and group ${b + 2}`}
            aria-valuemin={room(b)[0]}
            aria-valuemax={room(b)[1]}
            aria-valuenow={border}
            aria-valuetext={`${secret} ${bars[border].value} and above; ${counted(peopleOf(b), "person", "people")} before, ${counted(peopleOf(b + 1), "person", "people")} behind`}
            onPointerDown={(event) => {
              moving.current = b;
              event.currentTarget.setPointerCapture(event.pointerId);
              event.preventDefault();
            }}
            onPointerMove={(event) => {
              if (moving.current === b) place(b, atPointer(event));
            }}
            onPointerUp={() => {
              moving.current = null;
              settle(borders);
            }}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
              if (!by) return;
              event.preventDefault();
              settle(place(b, border + by));
            }}
          >
            <rect class="reach" x={border * step - 12} y={0} width={24} height={HEIGHT} />
            <line x1={border * step} x2={border * step} y1={0} y2={HEIGHT - FOOT} />
            <circle cx={border * step} cy={(HEIGHT - FOOT) / 2} r={8} />
          </g>
        ))}
      </svg>
      <figcaption>
        <b>How to read it: </b>each bar is the number of people with one exact {secret}; a band is one published group, with its people
        above. Drag a border, or focus it and press the arrow keys, to set the groups yourself.
      </figcaption>
    </figure>
  );
}
