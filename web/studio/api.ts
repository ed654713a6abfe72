// Talks to the program that serves this page, and to nobody else. The bearer lives with the tab: a reload keeps it, another tab
// needs a link of its own.
import type { Facts } from "../report/facts";

export interface StudioError {
  problem: string;
  remedy: string;
  source?: string;
  message?: string;
  ours?: boolean;
}

/** The server answered that it will not, and why; or there is no server any more. */
export class Refused extends Error {
  constructor(
    readonly error: StudioError,
    readonly status: number,
  ) {
    super(error.problem);
  }
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled" | "ended";

export interface Job {
  id: number;
  kind: string;
  request: Record<string, unknown> & { version?: number; keys?: Keys };
  state: JobState;
  stage: string;
  done: number | null;
  total: number | null;
  whole_done: number | null;
  whole_total: number | null;
  seconds: number | null;
  error: StudioError | null;
  result?: unknown;
}

export interface Version {
  version: number;
  fitted: boolean;
  published: boolean;
}

export interface ServerState {
  version: string;
  folder: string;
  tables: { name: string; bytes: number }[];
  /** Specs that somebody has written into the folder. */
  specs: string[];
  versions: Version[];
  jobs: Job[];
}

export interface Setting {
  key: string;
  type: string;
  fallback: string;
  help: string;
  choices: string[];
}

/** Names of what specs have in common: how people are read; all that a trade-off curve depends on. */
export interface Keys {
  data: string;
  curve: string;
}

export interface SpecAnswer {
  keys: Keys;
  toml: string;
  /** What the spec gives, as TOML writes it. */
  values: Record<string, string>;
  /** It runs SQL of its own. */
  queries: boolean;
  /** The version with this text; null: nothing was computed from it yet. */
  version: number | null;
}

export interface Limits extends Facts {
  known: boolean;
  people?: number;
  extremes?: { largest_k: number | null; smallest_alpha: number | null; largest_l: number | null; smallest_beta: number | null };
  error?: StudioError;
}

const KEPT = "hyobscure-bearer";

/** In a private window without storage the tab forgets it on reload. */
function kept(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function keep(bearer: string): void {
  try {
    sessionStorage.setItem(KEPT, bearer);
  } catch {
    // Only until the tab is loaded again.
  }
}

let bearer = "";

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch {
    throw new Refused({ problem: "the studio does not answer", remedy: "Is it still running? Start it again in its terminal." }, 0);
  }
  if (response.ok) return response;
  const told = (await response.json().catch(() => null)) as { error?: StudioError } | null;
  throw new Refused(told?.error ?? { problem: `the studio answered ${response.status}`, remedy: "Load the page again." }, response.status);
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await send(method, path, body)).json() as Promise<T>;
}

/** Turns the token of the link into a bearer. False: the tab has neither. */
export async function openSession(): Promise<boolean> {
  const link = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(link)) {
    history.replaceState(null, "", location.pathname); // no token stays in the address bar
    bearer = (await json<{ bearer: string }>("POST", "/api/session", { link })).bearer;
    keep(bearer);
    return true;
  }
  bearer = kept() ?? "";
  return bearer !== "";
}

export const state = () => json<ServerState>("GET", "/api/state");
export const settings = () => json<Setting[]>("GET", "/api/settings");
export const specOf = (toml: string, set: Record<string, string | null> = {}) => json<SpecAnswer>("POST", "/api/spec", { toml, set });
export const specOfVersion = (version: number) => json<SpecAnswer>("POST", "/api/spec", { version });
export const specOfFile = (file: string) => json<SpecAnswer>("POST", "/api/spec", { file });
export const limitsOf = (toml: string) => json<Limits>("POST", "/api/limits", { toml });
export const startJob = (kind: string, request: object) => json<Job>("POST", "/api/jobs", { ...request, kind });
export const jobWithResult = (id: number) => json<Job>("GET", `/api/jobs/${id}`);
export const cancelJob = (id: number) => json<Job>("POST", `/api/jobs/${id}/cancel`, {});
export const newLink = async () => `${location.origin}/#${(await json<{ link: string }>("POST", "/api/link", {})).link}`;

export async function fileText(name: string): Promise<string> {
  return (await send("GET", `/api/file?name=${encodeURIComponent(name)}`)).text();
}

/** A file to the browser's downloads. */
export async function download(name: string): Promise<void> {
  const blob = await (await send("GET", `/api/file?name=${encodeURIComponent(name)}`)).blob();
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name.replace("/", "-");
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** Calls `changed` with every job that changes, until the connection ends. */
export async function follow(changed: (job: Job) => void, opened: () => void): Promise<void> {
  const response = await send("GET", "/api/events");
  opened();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const piece = await reader?.read().catch(() => undefined);
    if (!piece || piece.done) return;
    text += piece.value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) changed(JSON.parse(event.slice(6)) as Job);
  }
}
