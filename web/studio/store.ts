// What the page knows, in one place. Components read it, and call its actions; every answer of the server goes through here.
import { useEffect, useState } from "preact/hooks";
import type { Facts } from "../report/facts";
import * as api from "./api";
import type { FitResult, FrontierResult, Inspection, PublishResult, StartResult } from "./results";

export type Step = "data" | "protection" | "tradeoff" | "attack" | "publish" | "evidence";
export const STEPS: { id: Step; title: string }[] = [
  { id: "data", title: "Data" },
  { id: "protection", title: "Protection" },
  { id: "tradeoff", title: "Trade-off" },
  { id: "attack", title: "Attack" },
  { id: "publish", title: "Publish" },
];

export interface State {
  connection: "opening" | "open" | "lost" | "stranger";
  why?: api.StudioError;
  step: Step;
  server?: api.ServerState;
  settings: api.Setting[];
  jobs: Map<number, api.Job>;
  /** Results of jobs that are done, as far as the page has asked for them. */
  results: Map<number, unknown>;
  spec?: api.SpecAnswer;
  /** Texts of specs before and after this one, for undo and redo. */
  before: string[];
  after: string[];
  limits?: api.Limits;
  /** The latest that could be met: still drawn while others are tried. */
  metLimits?: api.Limits;
  /** What the last action was refused for. */
  error?: api.StudioError;
  /** The user has read the SQL of this text of the spec. */
  allowed?: string;
  /** Said aloud by screen readers. */
  told: string;
}

interface ResultOf {
  start: StartResult;
  inspect: Inspection;
  fit: FitResult;
  frontier: FrontierResult;
  audit: { facts: Facts; seconds: number };
  publish: PublishResult;
  synth: { files: string[]; toml: string };
  verify: unknown;
}
export type Kind = keyof ResultOf;

const isOver = (job: api.Job) => job.state !== "queued" && job.state !== "running";

class Store {
  state: State = {
    connection: "opening",
    step: "data",
    settings: [],
    jobs: new Map(),
    results: new Map(),
    before: [],
    after: [],
    told: "",
  };
  private readonly listeners = new Set<() => void>();
  private asking = new Set<number>();

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  // --- what there is

  /** The latest job of this kind that holds for the spec that is shown. */
  job(kind: Kind): api.Job | undefined {
    return [...this.state.jobs.values()].filter((job) => job.kind === kind && this.belongs(job)).at(-1);
  }

  /** An inspection holds for all specs that read the same people, a curve for all budgets, the rest for its version. */
  private belongs(job: api.Job): boolean {
    const { spec } = this.state;
    if (job.request.version === undefined) return true;
    if (job.kind === "inspect") return job.request.keys?.data === spec?.keys.data;
    if (job.kind === "frontier") return job.request.keys?.curve === spec?.keys.curve;
    return job.request.version === spec?.version;
  }

  running(): api.Job | undefined {
    return [...this.state.jobs.values()].find((job) => !isOver(job));
  }

  /** What the latest job of this kind that is done has found; asks the server for it the first time. */
  result<K extends Kind>(kind: K): ResultOf[K] | undefined {
    const job = [...this.state.jobs.values()].filter((one) => one.kind === kind && one.state === "done" && this.belongs(one)).at(-1);
    if (!job) return undefined;
    const known = this.state.results.get(job.id);
    if (known === undefined && !this.asking.has(job.id)) {
      this.asking.add(job.id);
      void this.attempt(async () => {
        const { result } = await api.jobWithResult(job.id);
        this.set({ results: new Map(this.state.results).set(job.id, result ?? null) });
      });
    }
    return (known ?? undefined) as ResultOf[K] | undefined;
  }

  /** Whether the inspection was made with the groups and limits of the spec that is shown. */
  inspectedAsShown(): boolean {
    return this.job("inspect")?.request.keys?.curve === this.state.spec?.keys.curve;
  }

  // --- actions

  /** Runs it; what the server refuses is shown where the user looks. */
  async attempt(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (!(error instanceof api.Refused)) throw error;
      if (error.status === 0) this.set({ connection: "lost", why: error.error });
      else if (error.status === 401) this.set({ connection: "stranger", why: error.error });
      else this.set({ error: error.error, told: `${error.error.problem}. ${error.error.remedy}` });
      return false;
    }
  }

  async open(): Promise<void> {
    try {
      if (!(await api.openSession())) return this.set({ connection: "stranger" });
      await this.connect();
    } catch (error) {
      if (!(error instanceof api.Refused)) throw error;
      this.set({ connection: error.status === 0 ? "lost" : "stranger", why: error.error });
    }
  }

  private async connect(): Promise<void> {
    const server = await api.state();
    const settings = await api.settings();
    const jobs = new Map(server.jobs.map((job) => [job.id, job]));
    this.set({ connection: "open", why: undefined, server, settings, jobs });
    const last = server.versions.at(-1);
    if (last && !this.state.spec) await this.attempt(async () => this.show(await api.specOfVersion(last.version)));
    void this.listen();
  }

  /** Follows the jobs; when the connection ends, tries again until the program is gone for good. */
  private async listen(): Promise<void> {
    for (let failed = 0; failed < 40;) {
      try {
        await api.follow(
          (job) => this.changed(job),
          () => {
            failed = 0;
            if (this.state.connection === "lost") void this.refresh();
          },
        );
      } catch (error) {
        if (error instanceof api.Refused && error.status === 401) return this.set({ connection: "stranger", why: error.error });
      }
      failed += 1;
      this.set({ connection: failed > 1 ? "lost" : this.state.connection });
      await new Promise((done) => setTimeout(done, failed > 1 ? 1000 : 100));
    }
  }

  async refresh(): Promise<void> {
    await this.attempt(async () => {
      const server = await api.state();
      this.set({ connection: "open", why: undefined, server, jobs: new Map(server.jobs.map((job) => [job.id, job])) });
    });
  }

  private changed(job: api.Job): void {
    const before = this.state.jobs.get(job.id);
    this.set({ jobs: new Map(this.state.jobs).set(job.id, job) });
    if (before && isOver(before)) return;
    if (!isOver(job)) return;
    this.set({ told: `${JOB_WORDS[job.kind as Kind]}: ${job.state}` });
    void this.refresh();
    void this.follows(job);
  }

  /** What a step begins with: data that was looked at is inspected, and the groups of its limits are shown. */
  private async follows(job: api.Job): Promise<void> {
    if (job.state !== "done") return;
    if (job.kind === "start") {
      const { result } = await api.jobWithResult(job.id);
      await this.attempt(async () => {
        this.show(await api.specOf((result as StartResult).toml));
        this.set({ before: [], after: [] });
        await this.run("inspect");
      });
    }
    if (job.kind === "inspect") await this.askLimits();
  }

  private show(spec: api.SpecAnswer): void {
    this.set({ spec, error: undefined });
    void this.askLimits();
  }

  private limitsAsked = 0;
  private async askLimits(): Promise<void> {
    const { spec } = this.state;
    if (!spec) return;
    const asked = ++this.limitsAsked;
    await new Promise((done) => setTimeout(done, 120)); // a slider moves on
    if (asked !== this.limitsAsked) return;
    try {
      const limits = await api.limitsOf(spec.toml);
      if (asked === this.limitsAsked) this.set(limits.known && !limits.error ? { limits, metLimits: limits } : { limits });
    } catch (error) {
      if (!(error instanceof api.Refused)) throw error;
      if (asked === this.limitsAsked) this.set({ limits: { known: false, error: error.error } });
    }
  }

  /** Sets keys of the spec, or takes them away (null). */
  async change(set: Record<string, string | null>): Promise<boolean> {
    const { spec } = this.state;
    if (!spec) return false;
    return this.attempt(async () => {
      const next = await api.specOf(spec.toml, set);
      if (next.toml === spec.toml) return;
      this.set({ before: [...this.state.before, spec.toml], after: [] });
      this.show(next);
    });
  }

  /** A spec as the user wrote it. */
  async replace(toml: string): Promise<boolean> {
    const { spec } = this.state;
    return this.attempt(async () => {
      const next = await api.specOf(toml);
      if (spec) this.set({ before: [...this.state.before, spec.toml], after: [] });
      this.show(next);
    });
  }

  /** A spec of the folder, or a text, and what is in its data. */
  async begin(spec: { file: string } | { toml: string }): Promise<void> {
    await this.attempt(async () => {
      const next = "file" in spec ? await api.specOfFile(spec.file) : await api.specOf(spec.toml);
      if (this.state.spec) this.set({ before: [...this.state.before, this.state.spec.toml], after: [] });
      this.show(next);
      if (!next.queries) await this.run("inspect");
    });
  }

  async goTo(version: number): Promise<void> {
    await this.attempt(async () => {
      const next = await api.specOfVersion(version);
      if (this.state.spec) this.set({ before: [...this.state.before, this.state.spec.toml], after: [] });
      this.show(next);
    });
  }

  async undo(): Promise<void> {
    const { before, after, spec } = this.state;
    const toml = before.at(-1);
    if (toml === undefined || !spec) return;
    await this.attempt(async () => {
      this.show(await api.specOf(toml));
      this.set({ before: before.slice(0, -1), after: [spec.toml, ...after] });
    });
  }

  async redo(): Promise<void> {
    const { before, after, spec } = this.state;
    const toml = after[0];
    if (toml === undefined || !spec) return;
    await this.attempt(async () => {
      this.show(await api.specOf(toml));
      this.set({ before: [...before, spec.toml], after: after.slice(1) });
    });
  }

  /** Starts a job; one of a spec saves it as a version. */
  async run(kind: Kind, request: Record<string, unknown> = {}): Promise<boolean> {
    const { spec } = this.state;
    const needsSpec = kind !== "synth" && kind !== "start" && kind !== "verify";
    return this.attempt(async () => {
      this.set({ error: undefined });
      const job = await api.startJob(kind, {
        ...request,
        ...(needsSpec && spec ? { toml: spec.toml, runs_queries: this.state.allowed === spec.toml } : {}),
      });
      if (!this.state.jobs.has(job.id)) this.set({ jobs: new Map(this.state.jobs).set(job.id, job) });
      if (needsSpec && spec) this.set({ spec: { ...spec, version: job.request.version ?? null } });
    });
  }

  async cancel(id: number): Promise<void> {
    await this.attempt(async () => {
      await api.cancelJob(id);
    });
  }

  async openTab(): Promise<void> {
    await this.attempt(async () => {
      const link = await api.newLink();
      window.open(link, "_blank", "noopener");
    });
  }

  go(step: Step): void {
    this.set({ step, error: undefined });
    scrollTo({ top: 0 });
    document.getElementById("step-title")?.focus();
  }
}

export const JOB_WORDS: Record<Kind, string> = {
  synth: "Making people up",
  start: "Looking at the files",
  inspect: "Inspecting the data",
  frontier: "Computing the curve",
  fit: "Computing the protection",
  audit: "Attacking",
  publish: "Publishing",
  verify: "Verifying",
};

export const store = new Store();

export function useStore(): State {
  const [, again] = useState(0);
  useEffect(() => store.subscribe(() => again((n) => n + 1)), []);
  return store.state;
}
