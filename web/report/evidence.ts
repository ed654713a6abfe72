// The questions that officers are asked about a release, with what this report answers. The library wrote the sentences
// (report/evidence.h); here they are only laid out, gaps first.
import { bulletList, el, table, words } from "./dom";
import { list, type Facts, type Question } from "./facts";
import { NOT_MEASURED } from "./numbers";
import type { Section } from "./section";

const NOT_STATED = "not stated";

/** How a state looks beside its words. */
const LAMPS: Record<string, { mark: string; kind: string }> = {
  answered: { mark: "\u2713", kind: "passes" },
  stated: { mark: "\u201c", kind: "stated" },
  open: { mark: "!", kind: "open" },
  [NOT_MEASURED]: { mark: "?", kind: "not_measured" },
  [NOT_STATED]: { mark: "?", kind: "not_measured" },
};

const SAID: Record<string, string> = { stated: "stated by the publisher", open: "for you to judge" };

const isGap = (question: Question) => question.state === NOT_MEASURED || question.state === NOT_STATED;
const asked = (question: Question) => words(question.question, "unnamed question");

function gapList(title: string, sentences: string[]): HTMLElement[] {
  return sentences.length ? [el("h3", {}, title), bulletList(sentences)] : [];
}

function gaps(questions: Question[]): HTMLElement[] {
  const of = (state: string) => questions.filter((question) => question.state === state);
  return [
    ...gapList(
      "Not measured",
      of(NOT_MEASURED).map((question) => `${asked(question)} ${words(question.answer, "")}`),
    ),
    ...gapList(
      "Not stated by the publisher",
      of(NOT_STATED).map((question) => `${asked(question)} (context.${words(question.key, "")})`),
    ),
  ];
}

function answerCell(question: Question): HTMLElement {
  const state = words(question.state, NOT_MEASURED);
  const { mark, kind } = LAMPS[state] ?? LAMPS[NOT_MEASURED];
  const see = question.see && el("a", { class: "see", href: `#${question.see}` }, "see");
  return el(
    "div",
    { class: `light ${kind}` },
    el("span", { class: "lamp", "aria-hidden": "true" }, mark),
    el("b", {}, ` ${SAID[state] ?? state}: `),
    words(question.answer, NOT_MEASURED),
    see && " ",
    see,
  );
}

function questionCell(question: Question): HTMLElement {
  const place = [question.clause, question.topic].filter((text) => words(text, "")).join(" ");
  return el("div", {}, asked(question), el("div", { class: "detail" }, place));
}

function tablesBySource(questions: Question[]): HTMLElement[] {
  const sources = [...new Set(questions.map((question) => words(question.source, "other questions")))];
  return sources.map((source) =>
    table({
      caption: source,
      cards: true,
      columns: [{ name: "question" }, { name: "answer" }, { name: "figure" }],
      rows: questions
        .filter((question) => words(question.source, "other questions") === source)
        .map((question) => [questionCell(question), answerCell(question), words(question.figure, isGap(question) ? "none" : "")]),
    }),
  );
}

function techniques(facts: Facts): HTMLElement[] {
  const all = list(facts.evidence?.techniques);
  if (!all.length) return [];
  return [
    el("h3", {}, "Techniques, named as in ISO/IEC 20889:2018"),
    el(
      "div",
      { class: "techniques" },
      table({
        caption: "What was done to the data, and what was not",
        cards: true,
        columns: [{ name: "technique" }, { name: "used" }, { name: "how" }],
        rows: all.map((one) => [words(one.name, "unnamed"), one.used ? "used" : "not used", words(one.how, "")]),
      }),
    ),
  ];
}

export function evidenceSection(facts: Facts): Section | null {
  const questions = list(facts.evidence?.questions);
  if (!questions.length) return null;
  const intro =
    "Evidence, not a verdict: no answer says that a law or a standard is met. The questions are those of the documents named, in our words; the context is printed as the publisher stated it.";
  const body: Node[] = [
    el("p", { class: "headline" }, words(facts.evidence?.headline, "")),
    el("p", {}, intro),
    ...gaps(questions),
    el("h3", {}, "All questions"),
    ...tablesBySource(questions),
    ...techniques(facts),
  ];
  return { id: "evidence", title: "Evidence", body };
}
