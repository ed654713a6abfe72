// Reads the facts in the page and lays the report out; the studio shows the same parts. Nothing is fetched, nothing is sent.
import { attacksSection } from "./attacks";
import { channelSection } from "./channel";
import { keepDrawn } from "./chart";
import { convergenceSection } from "./convergence";
import { bulletList, el, words } from "./dom";
import { evidenceSection } from "./evidence";
import { list, type Facts, type Verdict } from "./facts";
import { groupsSection } from "./groups";
import { leakageSection } from "./leakage";
import { liftSection } from "./lift";
import { NOT_MEASURED } from "./numbers";
import { publishedSection } from "./published";
import type { Section } from "./section";
import { limitsSection, settingsSection } from "./settings";
import { summarise } from "./summary";
import { setTheme, watchSystemTheme } from "./theme";
import { frontierSection, tradeoffSection } from "./tradeoff";
import { utilitySection } from "./utility";

const SECTIONS = [
  evidenceSection,
  publishedSection,
  groupsSection,
  leakageSection,
  liftSection,
  attacksSection,
  utilitySection,
  tradeoffSection,
  frontierSection,
  channelSection,
  convergenceSection,
  settingsSection,
  limitsSection,
];

function readFacts(): Facts {
  const parsed: unknown = JSON.parse(document.getElementById("facts")?.textContent || "{}");
  return parsed && typeof parsed === "object" && !Array.isArray(parsed) ? (parsed as Facts) : {};
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

const LIGHTS = [
  { key: "failed", mark: "\u2717", title: "Against publishing" },
  { key: "open", mark: "!", title: "Open, for you to judge" },
  { key: "passes", mark: "\u2713", title: "Passes" },
  { key: "not_measured", mark: "?", title: "Not measured" },
  { key: "not_stated", mark: "?", title: "Not stated by the publisher" },
] as const;

function tiles(verdict: Verdict): HTMLElement[] {
  const all = list(verdict.figures).map((one) =>
    el(
      "div",
      { class: "tile" },
      el("h3", {}, words(one.title, "unnamed figure")),
      el("div", { class: "figure" }, words(one.figure, NOT_MEASURED)),
      el("p", {}, words(one.text, "")),
    ),
  );
  return all.length ? [el("div", { class: "tiles" }, ...all)] : [];
}

function lights(verdict: Verdict): HTMLElement[] {
  return LIGHTS.flatMap(({ key, mark, title }) => {
    const sentences = list(verdict[key]);
    if (!sentences.length) return [];
    const lamp = el("span", { class: "lamp", "aria-hidden": "true" }, mark);
    return [el("div", { class: `light ${key}` }, el("h3", {}, lamp, ` ${title}`), bulletList(sentences))];
  });
}

/** The first screen: what passes, what is open, what was not measured, and the figures that matter. */
function verdictSection(facts: Facts): Section | null {
  const verdict = facts.verdict;
  if (!verdict) return null;
  const headline = words(verdict.headline, "");
  const body: Node[] = headline ? [el("p", { class: "headline" }, headline)] : [];
  body.push(...tiles(verdict), ...lights(verdict));
  if (!facts.comparison)
    body.push(
      el("p", { class: "detail" }, "This page is evidence, not a verdict. Whether the files may be published is for you to decide."),
    );
  return { id: "verdict", title: facts.comparison ? "The comparison at a glance" : "May this be published?", body };
}

function summarySection(facts: Facts): Section | null {
  const sentences = summarise(facts);
  return sentences.length ? { id: "summary", title: "In words", body: [bulletList(sentences)] } : null;
}

function header(facts: Facts): void {
  const title = words(facts.title, "Report on a protected release");
  document.title = title;
  byId("title").textContent = title;
  byId("made").textContent = [words(facts.program, ""), facts.made ? `made ${facts.made}` : ""].filter(Boolean).join(", ");
}

/** The parts of the report that these facts give, in their order. */
export function sectionsOf(facts: Facts): Section[] {
  return [verdictSection, summarySection, ...SECTIONS].map((make) => make(facts)).filter((section): section is Section => !!section);
}

export function lay(section: Section): HTMLElement {
  return el(
    "section",
    { id: section.id, "aria-labelledby": `${section.id}-title` },
    el("h2", { id: `${section.id}-title` }, section.title),
    ...section.body,
  );
}

function watchChoiceOfTheme(): void {
  const choice = byId("theme") as HTMLSelectElement;
  choice.addEventListener("change", () => setTheme(choice.value));
  watchSystemTheme();
}

/** On narrow screens the contents are folded: the first screen is the evidence. */
function foldContents(): void {
  const wide = matchMedia("(min-width: 68rem)");
  const fold = byId("fold") as HTMLDetailsElement;
  const adapt = () => (fold.open = wide.matches);
  wide.addEventListener("change", adapt);
  adapt();
}

export function main(): void {
  const facts = readFacts();
  header(facts);
  const sections = sectionsOf(facts);
  if (sections.length) {
    byId("contents").append(...sections.map((section) => el("li", {}, el("a", { href: `#${section.id}` }, section.title))));
    byId("report").append(...sections.map(lay));
  } else {
    byId("report").append(el("p", {}, "This file holds no facts to report."));
  }
  watchChoiceOfTheme();
  foldContents();
  keepDrawn(sections.flatMap((section) => section.figures ?? []));
}
