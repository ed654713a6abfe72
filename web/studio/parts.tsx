// What several steps are made of.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keepDrawn } from "../report/chart";
import type { Section } from "../report/section";
import { cancelJob, type Job, type StudioError } from "./api";
import { JOB_WORDS, store, useStore, type Kind } from "./store";

/** Where, what and how to put it right. */
export function Problem({ error, children }: { error: StudioError; children?: ComponentChildren }) {
  return (
    <div class="problem" role="alert">
      <p>
        <b>{error.source ? `${error.source}: ` : ""}</b>
        {error.problem}.
      </p>
      <p>{error.remedy}</p>
      {children}
    </div>
  );
}

export function Note({ children, kind = "note" }: { children: ComponentChildren; kind?: "note" | "good" | "warning" }) {
  return <div class={`remark ${kind}`}>{children}</div>;
}

/** Words at both ends, the value in the middle. */
export function Slider(props: {
  label: string;
  value: number;
  low: number;
  high: number;
  step?: number;
  left: string;
  right: string;
  text: string;
  help?: ComponentChildren;
  disabled?: boolean;
  onInput: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="slider">
      <label for={id}>
        {props.label} <output for={id}>{props.text}</output>
      </label>
      <input
        id={id}
        type="range"
        min={props.low}
        max={props.high}
        step={props.step ?? 1}
        value={props.value}
        disabled={props.disabled || props.high <= props.low}
        aria-valuetext={props.text}
        onInput={(event) => props.onInput(Number(event.currentTarget.value))}
      />
      <div class="ends" aria-hidden="true">
        <span>{props.left}</span>
        <span>{props.right}</span>
      </div>
      {props.help}
    </div>
  );
}

export function Help({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details class="help">
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  );
}

export function Select(props: {
  label: string;
  value: string;
  options: (string | { value: string; text: string })[];
  onChange: (value: string) => void;
  hideLabel?: boolean;
}) {
  const id = useId();
  return (
    <span class="field">
      <label for={id} class={props.hideLabel ? "unseen" : undefined}>
        {props.label}
      </label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((one) => {
          const { value, text } = typeof one === "string" ? { value: one, text: one } : one;
          return (
            <option key={value} value={value} selected={value === props.value}>
              {text}
            </option>
          );
        })}
      </select>
    </span>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="quiet"
      onClick={async () => {
        await navigator.clipboard.writeText(text).catch(() => undefined);
        setCopied(true);
        store.set({ told: `${what} copied` });
        setTimeout(() => setCopied(false), 2000);
      }}
    >
      {copied ? "Copied" : `Copy ${what}`}
    </button>
  );
}

function seconds(x: number): string {
  if (x < 1) return "under a second";
  if (x < 90) return `${Math.round(x)} s`;
  if (x < 5400) return `${Math.round(x / 60)} min`;
  return `${(x / 3600).toFixed(1)} h`;
}

/** What of it is done, as far as anybody can say. */
function share(job: Job): number | null {
  if (job.whole_total) return Math.min(1, (job.whole_done ?? 0) / job.whole_total);
  return job.total ? Math.min(1, (job.done ?? 0) / job.total) : null;
}

/** Work that waits, runs or did not end well. */
export function JobState({ kind }: { kind: Kind }) {
  useStore();
  const job = store.job(kind);
  if (!job || job.state === "done") return null;
  const what = JOB_WORDS[kind];
  if (job.state === "failed" && job.error) return <Problem error={job.error} />;
  if (job.state === "cancelled") return <Note>{what}: cancelled. Nothing was written; start it again when you like.</Note>;
  if (job.state === "ended")
    return <Note kind="warning">{what}: the studio was ended while this ran. Nothing half-done was left; start it again.</Note>;
  const done = share(job);
  return (
    <div class="progress" role="status">
      <p>
        <b>{job.state === "queued" ? `${what}: waits for the work before it` : what}</b>
        {job.stage ? ` \u2013 ${job.stage}` : ""}
        {job.seconds ? `, ${seconds(job.seconds)} so far` : ""}
      </p>
      <progress value={done ?? undefined} max={1} aria-label={what} />
      <button type="button" class="quiet" onClick={() => void store.attempt(async () => void (await cancelJob(job.id)))}>
        Cancel
      </button>
    </div>
  );
}

export function Run(props: {
  kind: Kind;
  children: ComponentChildren;
  request?: Record<string, unknown>;
  disabled?: boolean;
  quiet?: boolean;
}) {
  useStore();
  const job = store.job(props.kind);
  const busy = job?.state === "queued" || job?.state === "running";
  return (
    <button
      type="button"
      class={props.quiet ? "quiet" : "main"}
      disabled={props.disabled || busy}
      onClick={() => void store.run(props.kind, props.request)}
    >
      {props.children}
    </button>
  );
}

/** Parts of the report as they are. */
export function ReportParts({ sections, heading = "h3" }: { sections: (Section | null)[]; heading?: "h2" | "h3" }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = sections.filter((section): section is Section => !!section);
  useLayoutEffect(() => {
    const parts = shown.map((section) => {
      const part = document.createElement("section");
      part.id = `report-${section.id}`;
      const title = document.createElement(heading);
      title.textContent = section.title;
      part.append(title, ...section.body);
      return part;
    });
    place.current?.replaceChildren(...parts);
    keepDrawn(shown.flatMap((section) => section.figures ?? []));
  }, [sections]);
  return <div class="report-parts" ref={place} />;
}

/** The same step on the command line and in Python, to copy. */
export function Elsewhere({ command, python }: { command: string; python: string }) {
  const { spec } = useStore();
  return (
    <details class="elsewhere">
      <summary>The same without this page: spec, command line, Python</summary>
      {spec && (
        <>
          <h4>
            {spec.version ? `spec-${spec.version}.toml` : "The spec (saved as a version when something is computed from it)"}{" "}
            <CopyButton text={spec.toml} what="spec" />
          </h4>
          <SpecEditor key={spec.toml} toml={spec.toml} />
        </>
      )}
      <h4>
        Command line <CopyButton text={command} what="command" />
      </h4>
      <pre tabIndex={0}>{command}</pre>
      <h4>
        Python <CopyButton text={python} what="Python" />
      </h4>
      <pre tabIndex={0}>{python}</pre>
    </details>
  );
}

function SpecEditor({ toml }: { toml: string }) {
  const [text, setText] = useState(toml);
  return (
    <>
      <label class="unseen" for="spec-text">
        The spec
      </label>
      <textarea
        id="spec-text"
        rows={Math.min(30, text.split("\n").length + 1)}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {text !== toml && (
        <p>
          <button type="button" class="main" onClick={() => void store.replace(text)}>
            Take this spec
          </button>{" "}
          <button type="button" class="quiet" onClick={() => setText(toml)}>
            Drop the changes
          </button>
        </p>
      )}
    </>
  );
}

/** A table that stays usable with 100,000 rows: those that match, the first of them. */
export function useSearch<Row>(rows: Row[], name: (row: Row) => string, most = 100) {
  const [wanted, setWanted] = useState("");
  const found = wanted ? rows.filter((row) => name(row).toLowerCase().includes(wanted.toLowerCase())) : rows;
  return { wanted, setWanted, found, shown: found.slice(0, most) };
}

/** The title of the step takes the focus when the step is shown. */
export function useStepTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} \u2013 HyObscure studio`;
  }, [title]);
}

/** How wide the place of a drawing is, so that its letters keep their size on a phone. */
export function useWidth(place: { current: Element | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    if (!place.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry.contentRect.width))));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return width;
}
