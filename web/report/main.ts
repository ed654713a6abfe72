// Reads the facts in the page and lays the report out. Nothing is fetched, nothing is sent.
import { attacksSection } from "./attacks";
import { channelSection } from "./channel";
import { keepDrawn } from "./chart";
import { convergenceSection } from "./convergence";
import { bulletList, el, words } from "./dom";
import { isNumber, list, type Facts } from "./facts";
import { groupsSection } from "./groups";
import { leakageSection } from "./leakage";
import { liftSection } from "./lift";
import { bits, count, inBits, share, shareAtMost } from "./numbers";
import { publishedSection } from "./published";
import type { Section } from "./section";
import { limitsSection, settingsSection } from "./settings";
import { countChecks, groupWord, secretName, summarise } from "./summary";
import { setTheme, watchSystemTheme } from "./theme";
import { frontierSection, tradeoffSection } from "./tradeoff";
import { utilitySection } from "./utility";

const SECTIONS = [
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

const PRIVATE =
  "This report is not part of the release. It holds counts finer than those published (people by exact value, who exchanges features with whom): keep it with the mechanism file, and do not give it to the people who get the release.";

function readFacts(): Facts {
  const parsed: unknown = JSON.parse(document.getElementById("facts")?.textContent || "{}");
  return parsed && typeof parsed === "object" && !Array.isArray(parsed) ? (parsed as Facts) : {};
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

function tile(figure: string, text: string): HTMLElement {
  return el("div", { class: "tile" }, el("div", { class: "figure" }, figure), el("div", {}, text));
}

function tiles(facts: Facts): HTMLElement[] {
  const found: HTMLElement[] = [];
  const groups = list(facts.groups).length;
  const { total, features, secret_entropy: entropy, fano_error_bound: fano } = facts.leakage ?? {};
  const { all, failed, open } = countChecks(facts);
  if (isNumber(facts.data?.people)) found.push(tile(count(facts.data.people), "people"));
  if (groups) found.push(tile(count(groups), groups === 1 ? groupWord(facts).one : groupWord(facts).many));
  if (isNumber(total))
    found.push(
      tile(bits(total), isNumber(entropy) && entropy > 0 ? `bits leaked, of ${inBits(entropy)} (${share(total, entropy)})` : "bits leaked"),
    );
  if (isNumber(features)) found.push(tile(bits(features), "of these by the features"));
  if (isNumber(fano) && fano > 0)
    found.push(tile(`\u2264 ${shareAtMost(1 - fano)}`, `exact ${secretName(facts)} named right, by any attacker`));
  if (all) found.push(tile(`${all - failed - open} of ${all}`, failed || open ? "checks hold: see below" : "checks hold"));
  return found;
}

function summarySection(facts: Facts): Section | null {
  const { warnings, sentences } = summarise(facts);
  const body: Node[] = warnings.map((text) => el("p", { class: "warning", role: "note" }, el("b", {}, "\u26a0 Attention: "), text));
  const figures = tiles(facts);
  if (figures.length) body.push(el("div", { class: "tiles" }, ...figures));
  if (sentences.length) body.push(bulletList(sentences));
  return body.length ? { id: "summary", title: "Summary", body } : null;
}

function header(facts: Facts): void {
  const title = words(facts.title, "Report on a protected release");
  document.title = title;
  byId("title").textContent = title;
  byId("made").textContent = [words(facts.program, ""), facts.made ? `made ${facts.made}` : ""].filter(Boolean).join(", ");
  byId("private").textContent = PRIVATE;
}

function lay(section: Section): HTMLElement {
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

function main(): void {
  const facts = readFacts();
  header(facts);
  const sections = [summarySection, ...SECTIONS].map((make) => make(facts)).filter((section): section is Section => !!section);
  if (sections.length) {
    byId("contents").append(...sections.map((section) => el("li", {}, el("a", { href: `#${section.id}` }, section.title))));
    byId("report").append(...sections.map(lay));
  } else {
    byId("report").append(el("p", {}, "This file holds no facts to report."));
  }
  watchChoiceOfTheme();
  keepDrawn(sections.flatMap((section) => section.figures ?? []));
}

main();
