// The computed curve of leakage against distance; the point that is wanted is dragged along it.
import { useRef, useState } from "preact/hooks";
import { isNumber, type Measured } from "../report/facts";
import { groupsSection } from "../report/groups";
import { leakageSection } from "../report/leakage";
import { liftSection } from "../report/lift";
import { inBits, measure, share } from "../report/numbers";
import { between, inWords } from "./estimates";
import { Elsewhere, Help, JobState, Note, ReportParts, Run, Select, useStepTitle, useWidth } from "./parts";
import type { BudgetChoice, FrontierPoint } from "./results";
import { store, useStore } from "./store";
import { numberOf, textOf } from "./values";

const HEIGHT = 300;
const PAD = { left: 58, right: 16, top: 14, bottom: 40 };

function scale(low: number, high: number, from: number, to: number) {
  const span = high - low || 1;
  return {
    at: (x: number) => from + ((x - low) / span) * (to - from),
    back: (pixel: number) => low + ((pixel - from) / (to - from)) * span,
  };
}

interface CurveProps {
  points: FrontierPoint[];
  at: number;
  exact?: { budget: number; features: number };
  onMove: (budget: number) => void;
  onRest: (budget: number) => void;
}

function Curve({ points, at, exact, onMove, onRest }: CurveProps) {
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(svg);
  const moving = useRef(false);
  const budgets = points.map((point) => point.budget);
  const bits = points.map((point) => point.leakage_features_bits).filter(isNumber);
  const [low, high] = [Math.min(...budgets), Math.max(...budgets)];
  const x = scale(low, high, PAD.left, width - PAD.right);
  const y = scale(0, Math.max(...bits, 1e-9) * 1.05, HEIGHT - PAD.bottom, PAD.top);
  const line = points.map((point) => `${x.at(point.budget).toFixed(1)},${y.at(point.leakage_features_bits ?? 0).toFixed(1)}`).join(" ");
  const here = between(
    points.map((point) => ({ x: point.budget, y: point.leakage_features_bits })),
    at,
  );
  const clamp = (budget: number) => Math.min(high, Math.max(low, budget));
  const atPointer = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    return box ? clamp(x.back(((event.clientX - box.left) / box.width) * width)) : at;
  };
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <figure class="curve">
      <div class="axis-name">&uarr; bits that features add: lower is more private</div>
      <svg
        ref={svg}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        height={HEIGHT}
        role="group"
        aria-label="Bits that the features leak, by allowed distance"
        onPointerDown={(event) => {
          moving.current = true;
          svg.current?.setPointerCapture(event.pointerId);
          onMove(atPointer(event));
        }}
        onPointerMove={(event) => moving.current && onMove(atPointer(event))}
        onPointerUp={(event) => {
          moving.current = false;
          onRest(atPointer(event));
        }}
      >
        {ticks.map((part) => {
          const level = y.back(HEIGHT - PAD.bottom + part * (PAD.top - (HEIGHT - PAD.bottom)));
          const budget = low + part * (high - low);
          return (
            <g key={part} class="tick">
              <line x1={PAD.left} x2={width - PAD.right} y1={y.at(level)} y2={y.at(level)} />
              <text x={PAD.left - 8} y={y.at(level) + 4} text-anchor="end">
                {measure(Number(level.toPrecision(2)))}
              </text>
              <text x={x.at(budget)} y={HEIGHT - PAD.bottom + 20} text-anchor={part === 0 ? "start" : part === 1 ? "end" : "middle"}>
                {measure(Number(budget.toPrecision(3)))}
              </text>
            </g>
          );
        })}
        <polyline class="line" points={line} />
        {points.map((point) => (
          <circle key={point.budget} class="computed" cx={x.at(point.budget)} cy={y.at(point.leakage_features_bits ?? 0)} r={4} />
        ))}
        {exact && exact.budget >= low && exact.budget <= high && (
          <rect class="exact" x={x.at(exact.budget) - 6} y={y.at(exact.features) - 6} width={12} height={12} />
        )}
        <g
          class="handle"
          role="slider"
          tabindex={0}
          aria-label="Allowed distance between published and true features"
          aria-valuemin={low}
          aria-valuemax={high}
          aria-valuenow={Number(at.toPrecision(4))}
          aria-valuetext={`distance ${measure(at)}${here === undefined ? "" : `, features add about ${inBits(here)}`}`}
          onKeyDown={(event) => {
            const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5 }[event.key];
            if (!by) return;
            event.preventDefault();
            const next = clamp(at + (by * (high - low)) / 50);
            onMove(next);
            onRest(next);
          }}
        >
          <line x1={x.at(at)} x2={x.at(at)} y1={PAD.top} y2={HEIGHT - PAD.bottom} />
          <circle cx={x.at(at)} cy={y.at(here ?? 0)} r={10} />
        </g>
      </svg>
      <div class="axis-name x">allowed distance &rarr;</div>
      <div class="ends" aria-hidden="true">
        <span>near the true features: useful</span>
        <span>far from them: private</span>
      </div>
      <figcaption>
        <b>How to read it: </b>every dot was computed; between dots the line is an estimate. Drag the large point, or focus it and press the
        arrow keys. {exact ? "The square is the point that was computed exactly." : ""}
      </figcaption>
    </figure>
  );
}

/** What three computed budgets of the inspection say at this one. */
function choiceAt(budgets: BudgetChoice[], budget: number, key: keyof BudgetChoice): number | undefined {
  return between(
    budgets.map((one) => ({ x: one.budget, y: one[key] as Measured })),
    budget,
  );
}

function Tile({ title, figure, text, estimate }: { title: string; figure: string; text: string; estimate: boolean }) {
  return (
    <div class="tile">
      <h3>{title}</h3>
      <div class="figure">
        {estimate && <abbr title="an estimate, until it is computed exactly">about </abbr>}
        {figure}
      </div>
      <p>{text}</p>
    </div>
  );
}

function Point({ at, points }: { at: number; points: FrontierPoint[] }) {
  const { spec } = useStore();
  const fit = store.result("fit");
  const inspection = store.result("inspect");
  const budgets = store.inspectedAsShown() ? (inspection?.recommendation?.budgets ?? []) : [];
  const exact = fit && isNumber(fit.budget) && Math.abs(fit.budget - at) < 1e-9 ? fit : undefined;
  const curve = (key: keyof FrontierPoint) =>
    between(
      points.map((point) => ({ x: point.budget, y: point[key] as Measured })),
      at,
    );
  const features = exact ? exact.leakage_features_bits : curve("leakage_features_bits");
  const nearer = choiceAt(budgets, at, "nearer_than_random");
  const worst = exact ? exact.own_lift_largest : choiceAt(budgets, at, "own_lift_largest");
  const own = exact ? exact.own_rows : choiceAt(budgets, at, "own_rows");
  const unprotected = exact ? exact.leakage_unprotected_bits : budgets[0]?.leakage_unprotected_bits;
  const nearestPoint = points.reduce<FrontierPoint | undefined>(
    (best, point) => (best && Math.abs(best.budget - at) <= Math.abs(point.budget - at) ? best : point),
    undefined,
  );
  const groups = exact ? exact.groups.map((one) => one.label) : (nearestPoint?.groups ?? []);
  const no = "not known here";
  return (
    <>
      <p class="headline">
        {exact ? "Computed exactly." : "Estimates from the computed curve."} Groups: {groups.join(", ")}.
      </p>
      <div class="tiles">
        <Tile
          title="Features add"
          figure={isNumber(features) ? inBits(features) : no}
          text={`${isNumber(features) ? inWords(features, unprotected) : ""}${isNumber(unprotected) ? ` (${inBits(unprotected)})` : ""}`}
          estimate={!exact && isNumber(features)}
        />
        <Tile
          title="Use"
          figure={isNumber(nearer) ? share(nearer, 1) : no}
          text={`nearer to the true row than a random person of the group. Mean distance at most ${measure(at)}.`}
          estimate={isNumber(nearer)}
        />
        <Tile
          title="Worst person"
          figure={isNumber(worst) ? `${measure(worst)} times` : no}
          text={`the most that one row can raise somebody's own ${textOf(spec?.values, "people.secret")} above its share in the group`}
          estimate={!exact && isNumber(worst)}
        />
        <Tile
          title="Own rows"
          figure={isNumber(own) ? share(own, 1) : no}
          text="of the people are expected to be published with their own row, and can be singled out by anyone who knows part of it"
          estimate={!exact && isNumber(own)}
        />
      </div>
    </>
  );
}

const MEASURES = ["distance", "rating RMSE", "mAP", "task"];

function UtilityFirst() {
  const { spec } = useStore();
  const wanted = /^at most ([\d.]+) % of (.+)$/.exec(textOf(spec?.values, "channel.budget"));
  const [percent, setPercent] = useState(wanted ? Number(wanted[1]) : 2);
  const [what, setWhat] = useState(wanted?.[2] ?? "rating RMSE");
  const measures = spec?.values["events.file"] || spec?.values["events.query"] ? MEASURES : ["distance", "task"];
  return (
    <details class="panel" open={!!wanted}>
      <summary>Use first: say what the release must still be good for</summary>
      <p>The program then searches the largest protection that keeps it.</p>
      <div class="fields">
        <span class="field">
          <label for="lose">Lose at most (%)</label>
          <input
            id="lose"
            type="number"
            min={0}
            max={100}
            step="any"
            value={percent}
            onInput={(event) => setPercent(event.currentTarget.valueAsNumber)}
          />
        </span>
        <Select label="of" value={measures.includes(what) ? what : measures[0]} options={measures} onChange={setWhat} />
        <span class="buttons">
          <button
            type="button"
            class="quiet"
            onClick={() =>
              void store.change({
                "channel.budget": `at most ${percent} % of ${measures.includes(what) ? what : measures[0]}`,
                "channel.budget_share": null,
              })
            }
          >
            Ask for this
          </button>
        </span>
      </div>
    </details>
  );
}

export function TradeoffStep() {
  const { spec, jobs } = useStore();
  useStepTitle("Trade-off");
  const [at, setAt] = useState<number | undefined>();
  const resting = useRef<ReturnType<typeof setTimeout>>();
  const fit = store.result("fit");
  const inspection = store.result("inspect");
  if (!spec) return <Note>Choose your data first: step Data.</Note>;
  const frontier = store.result("frontier");
  const points = frontier?.points ?? [];
  const range = points.map((point) => point.budget);
  const chosen = numberOf(spec.values, "channel.budget");
  const start =
    chosen ??
    (isNumber(fit?.budget) ? fit.budget : undefined) ??
    inspection?.recommendation?.budgets.find((one) => one.name === "balanced")?.budget;
  const here = at ?? (isNumber(start) ? start : range[Math.floor(range.length / 2)]);
  const version = spec.version ?? "N";
  const quick = points.length > 0 && points.every((point) => isNumber(point.seconds) && point.seconds < 1);
  const rest = (budget: number) => {
    clearTimeout(resting.current); // arrow keys come in rows
    resting.current = setTimeout(() => take(budget), 400);
  };
  const take = (budget: number) => {
    setAt(undefined);
    void store.change({ "channel.budget": String(Number(budget.toPrecision(6))), "channel.budget_share": null }).then((done) => {
      if (done && quick && !store.running() && !store.result("fit")) void store.run("fit");
    });
  };
  return (
    <>
      <section class="card">
        <h3>How much use for how much privacy</h3>
        <p>
          Published features are those of another person of the group. The farther they may be from the true ones, the less they reveal. The
          curve shows the least that the features can add to the leakage, for every distance.
        </p>
        {points.length > 1 && isNumber(here) ? (
          <>
            <Curve
              points={points}
              at={Math.min(Math.max(here, range[0]), range.at(-1) ?? here)}
              exact={
                isNumber(fit?.budget) && isNumber(fit?.leakage_features_bits)
                  ? { budget: fit.budget, features: fit.leakage_features_bits }
                  : undefined
              }
              onMove={setAt}
              onRest={rest}
            />
            <Point at={here} points={points} />
            {frontier?.note && <p class="muted">{frontier.note}</p>}
          </>
        ) : (
          <p>
            <Run kind="frontier" request={{ points: 9 }}>
              Compute the curve
            </Run>
            {isNumber(inspection?.estimate.fit_seconds) && (
              <span class="muted"> A point of it takes about {measure(Math.max(1, Math.round(inspection.estimate.fit_seconds)))} s.</span>
            )}
          </p>
        )}
        <JobState kind="frontier" />
        <UtilityFirst />
        <Help title="The formula">
          <p>
            Minimise I(Y; X&#8242; | G) subject to E[distance(X, X&#8242;)] at most the budget. Each dot has a proven gap to the best
            channel.
          </p>
        </Help>
      </section>
      <section class="card">
        <h3>Compute it exactly</h3>
        {!fit && (
          <p>
            The mechanism is what publishing applies. It is <b>private</b>: whoever has it can undo the release.
          </p>
        )}
        {!fit && <Run kind="fit">Compute the protection</Run>}
        <JobState kind="fit" />
        {fit && (
          <>
            {fit.shortfalls.map((text) => (
              <Note kind="warning" key={text}>
                {text}
              </Note>
            ))}
            <Note kind={fit.good ? "good" : "warning"}>
              {fit.good ? "Computed: " : "Computed, weaker than it should be: "}
              the features add {inBits(fit.leakage_features_bits)} to an informed attacker
              {isNumber(fit.leakage_learned_bits) ? ` and ${inBits(fit.leakage_learned_bits)} to a model trained on other people` : ""}, at
              a mean distance of {measure(fit.distance)}. Proven within {inBits(fit.gap_bits)} of the best for these groups.
            </Note>
            {fit.promise && <p>{fit.promise.text}</p>}
            {fit.seeded && <Note kind="warning">The draws come from a seed: this is a trial, and must not be published.</Note>}
            <ReportParts
              sections={[groupsSection(fit.facts), leakageSection(fit.facts), liftSection(fit.facts)]}
              key={`${version} ${jobs.size}`}
            />
          </>
        )}
      </section>
      <Elsewhere
        command={`hyobscure fit spec-${version}.toml -o mechanism-${version}.json --frontier 9`}
        python={`import hyobscure\n\nmodel = hyobscure.HyObscure.from_spec("spec-${version}.toml").fit()\nprint(model.frontier(9).to_frame())\nmodel.save("mechanism-${version}.json")`}
      />
    </>
  );
}
