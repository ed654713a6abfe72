// What was published, and that the constraints hold.
import { bulletList, el, table, words } from "./dom";
import { isNumber, list, mentioned, whyOf, type Check, type Facts } from "./facts";
import { bytes, count, measure, NOT_MEASURED } from "./numbers";
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
      "Earlier releases of the same people",
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

function checkLine(check: Check): HTMLElement {
  const [mark, word, style] =
    check.passed === true
      ? ["\u2713", "holds", "holds"]
      : check.passed === false
        ? ["\u2717", "FAILED", "failed"]
        : ["?", NOT_MEASURED, "unknown"];
  return el(
    "li",
    { class: style },
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

function leftOut(facts: Facts): HTMLElement[] {
  const reasons = list(facts.data?.left_out);
  if (!reasons.length) return [];
  const items = reasons.map((one) => `${count(one.people)}: ${words(one.why, "no reason given")}`);
  return [el("h3", {}, "People left out of the release"), bulletList(items)];
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
  if (checks.length) body.push(el("h3", {}, "Do the constraints hold?"), el("ul", { class: "checks" }, ...checks.map(checkLine)));
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
