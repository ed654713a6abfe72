// What was published, and that the constraints hold.
import { bulletList, el, table, words } from "./dom";
import { isNumber, list, mentioned, whyOf, type Check, type Facts } from "./facts";
import { bytes, count, counted, measure, NOT_MEASURED, share } from "./numbers";
import { axisNames, secretName } from "./summary";
import type { Section } from "./section";

const IDS: Record<string, string> = {
  keep: "pseudonymous: published under the original ids",
  drop: "left out",
  replace: "replaced by random ones",
};

function yesNo(x: boolean): string {
  return x ? "yes" : "no";
}

const KINDS: Record<string, string> = {
  ordered: "ordered",
  spatial: "a place",
  categorical: "a name",
};

/** "age (ordered), home (a place)" */
function secretText(facts: Facts): string | undefined {
  const { secret, secret_kind: kinds } = facts.data ?? {};
  const words = (kinds ?? "")
    .split(", ")
    .filter(Boolean)
    .map((kind) => KINDS[kind] ?? kind);
  const axes = axisNames(facts);
  if (axes.length > 1) return axes.map((name, i) => (words.length === axes.length ? `${name} (${words[i]})` : name)).join(", ");
  return secret ? `${secret}${words.length ? ` (${words.join(", ")})` : ""}` : undefined;
}

/** Name and value, where the facts hold one. */
function definitions(facts: Facts): [string, string][] {
  const { data, release } = facts;
  const found: [string, string | undefined][] = [
    ["People", mentioned(data, "people") ? count(data?.people, whyOf(data, "people")) : undefined],
    [axisNames(facts).length > 1 ? "Secrets, taken together" : "Secret", secretText(facts)],
    [`Distinct values of the ${secretName(facts)}`, mentioned(data, "values") ? count(data?.values) : undefined],
    ["Features", mentioned(data, "features") ? count(data?.features) : undefined],
    ["Entries in the features", mentioned(data, "entries") ? count(data?.entries) : undefined],
    ["Events read", isNumber(data?.events) ? count(data.events) : undefined],
    ["People who publish their own row, expected", isNumber(release?.own_rows) ? share(release.own_rows, 1) : undefined],
    [
      "Smallest pool (same group and same kept cells)",
      isNumber(facts.constraints?.smallest_pool) ? counted(facts.constraints.smallest_pool, "person", "people") : undefined,
    ],
    ["Columns published unchanged", data?.kept ? list(data.kept).join(", ") || "none" : undefined],
    ["Method", release?.method ? `${release.method}${release.method_help ? `: ${release.method_help}` : ""}` : undefined],
    ["Attackers it is built against", release?.threat ? (THREATS[release.threat] ?? release.threat) : undefined],
    ["Balanced (every row is published once on average)", typeof release?.balanced === "boolean" ? yesNo(release.balanced) : undefined],
    ["Names of people (ids)", release?.ids ? (IDS[release.ids] ?? release.ids) : undefined],
    [
      "Random draws",
      typeof release?.seeded === "boolean"
        ? release.seeded
          ? "from a seed: a trial, not for publication"
          : "from the operating system's randomness"
        : undefined,
    ],
    [
      "Earlier releases of the same people that the ledger knows",
      mentioned(release, "earlier_draws") ? (release?.earlier_draws === 0 ? "none" : count(release?.earlier_draws)) : undefined,
    ],
    ["Distance between features", data?.distance],
    [
      "Mean distance of published from true features",
      mentioned(facts, "distance") ? measure(facts.distance, whyOf(facts, "distance")) : undefined,
    ],
    ["Budget for that distance", mentioned(facts, "budget") ? measure(facts.budget, whyOf(facts, "budget")) : undefined],
  ];
  return found.filter((pair): pair is [string, string] => !!pair[1]);
}

const THREATS: Record<string, string> = {
  informed: "informed: knows all rows, secrets and the channel, not which row is the target's",
  learned: "learned: a model trained on other people",
  both: "both the informed attacker (knows all rows, secrets and the channel, not which row is the target's) and the learned one (a model trained on other people)",
};

type State = "failed" | "note" | "unknown" | "holds";
const STATES: Record<State, { mark: string; word: string }> = {
  failed: { mark: "\u2717", word: "FAILED" },
  note: { mark: "!", word: "does not hold, for you to judge" },
  unknown: { mark: "?", word: NOT_MEASURED },
  holds: { mark: "\u2713", word: "holds" },
};

function stateOf(check: Check): State {
  if (check.passed === true) return "holds";
  if (check.passed === false) return check.warning ? "note" : "failed";
  return "unknown";
}

function checkLine(check: Check): HTMLElement {
  const { mark, word } = STATES[stateOf(check)];
  return el(
    "li",
    { class: stateOf(check) },
    el("span", { class: "mark", "aria-hidden": "true" }, mark),
    el(
      "span",
      {},
      el("b", {}, `${word}: `),
      words(check.what, "unnamed check"),
      check.detail && el("span", { class: "detail" }, ` (${check.detail})`),
    ),
  );
}

/** What did not pass, in full; the others behind their number. */
function checksBody(checks: Check[]): Node[] {
  if (!checks.length) return [];
  const lines = (states: State[]) => states.flatMap((state) => checks.filter((check) => stateOf(check) === state).map(checkLine));
  const others = lines(["failed", "note", "unknown"]);
  const passed = lines(["holds"]);
  const body: Node[] = [el("h3", {}, "Do the constraints hold?")];
  if (others.length) body.push(el("ul", { class: "checks" }, ...others));
  if (passed.length) {
    const said = `${count(passed.length)} of ${counted(checks.length, "check", "checks")} hold`;
    body.push(el("details", { class: "on-paper" }, el("summary", {}, said), el("ul", { class: "checks" }, ...passed)));
  }
  return body;
}

function leftOut(facts: Facts): HTMLElement[] {
  const people = list(facts.data?.left_out).map((one) => `${count(one.people)}: ${words(one.why, "no reason given")}`);
  const events = list(facts.data?.events_left_out).map((one) => `${count(one.events)}: ${words(one.why, "no reason given")}`);
  return [
    ...(people.length ? [el("h3", {}, "People left out of the release"), bulletList(people)] : []),
    ...(events.length ? [el("h3", {}, "Events left out of the release"), bulletList(events)] : []),
  ];
}

function files(facts: Facts): HTMLElement[] {
  const all = list(facts.release?.files);
  if (!all.length) return [];
  return [
    el("h3", {}, "Files"),
    table({
      caption: "Published files. The fingerprint (SHA-256) shows whether a copy is still the same.",
      cards: true,
      columns: [{ name: "file" }, { name: "rows", number: true }, { name: "size", number: true }, { name: "SHA-256" }],
      rows: all.map((file) => [
        words(file.name, "unnamed"),
        count(file.rows),
        bytes(file.bytes),
        el("code", {}, words(file.sha256, NOT_MEASURED)),
      ]),
    }),
  ];
}

export function publishedSection(facts: Facts): Section | null {
  const pairs = definitions(facts);
  const checks = list(facts.checks);
  const body: Node[] = [];
  body.push(...checksBody(checks));
  if (pairs.length)
    body.push(
      el("h3", {}, "At a glance"),
      el("dl", {}, ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    );
  body.push(...leftOut(facts), ...files(facts));
  return body.length
    ? { id: "published", title: checks.length ? "What was published, and whether the constraints hold" : "What was published", body }
    : null;
}

export function limitText(limit: unknown): string {
  const [low, high] = Array.isArray(limit) ? limit : [];
  if (isNumber(low) && isNumber(high)) return `${count(low)} to ${count(high)}`;
  if (isNumber(low)) return `at least ${count(low)}`;
  if (isNumber(high)) return `at most ${count(high)}`;
  return "";
}
