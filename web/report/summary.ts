// The summary in plain words. Pure text from facts: a sentence whose facts are absent is left out.
import { words } from "./dom";
import { isNumber, list, whyOf, type Facts, type Group, type InformedErrors } from "./facts";
import { informedAs, measuresOf, type ErrorMeasure } from "./measures";
import { bits, capital, counted, inBits, interval, means, measure as figure, notMeasured, share, shareAtMost, withUnit } from "./numbers";
import { attackName, judge, unobscuredGain } from "./verdict";

/** The kind of a secret that stands alone. */
function singleKind(facts: Facts): string | undefined {
  return axisNames(facts).length > 1 ? undefined : facts.data?.secret_kind;
}

/** What a group of values is called: an age range, an area. */
export function groupWord(facts: Facts): { one: string; many: string } {
  const secret = secretName(facts);
  switch (singleKind(facts)) {
    case "ordered":
      return { one: `${secret} range`, many: `${secret} ranges` };
    case "spatial":
      return { one: "area", many: "areas" };
    default:
      return { one: "group", many: "groups" };
  }
}

function withArticle(word: string): string {
  return `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`;
}

/** The secrets, where they are named. */
export function axisNames(facts: Facts): string[] {
  return list(facts.data?.axes).filter((name) => typeof name === "string" && name);
}

/** "age", "age and gender", "age, gender and town". */
export function secretName(facts: Facts): string {
  const axes = axisNames(facts);
  if (axes.length > 1) return `${axes.slice(0, -1).join(", ")} and ${axes.at(-1)}`;
  return facts.data?.secret || "secret value";
}

/** Behind the words on a figure of exact values. */
export function joinedNote(facts: Facts): string {
  return facts.data?.joined ? " Some exact values were joined before the search; the people of these are shown in even shares." : "";
}

/** A group as figures number it: "2 \u00b7 north-east: 41 cells". */
export function numbered(groups: Group[], index: number): string {
  return `${index + 1} \u00b7 ${words(groups[index]?.label, "unnamed")}`;
}

function peopleSentence(facts: Facts): string | undefined {
  const people = facts.data?.people;
  const groups = list(facts.groups).length;
  const word = groupWord(facts);
  if (!isNumber(people)) return undefined;
  if (!groups) return `The data hold ${counted(people, "person", "people")}.`;
  const kind = singleKind(facts);
  const inPlace = kind === "ordered" ? withArticle(word.one) : kind === "spatial" ? "an area" : "a group of values";
  return `${counted(people, "person", "people")}, ${counted(groups, word.one, word.many)}. Each person appears with ${inPlace} in place of the exact ${secretName(facts)}, and with the features of a donor drawn at random from the same ${word.one}${ownRows(facts)}.`;
}

/** Whether a donor can be oneself, and how often. */
function ownRows(facts: Facts): string {
  const own = facts.release?.own_rows;
  if (!isNumber(own)) return ", who may be the person themself";
  if (own === 0) return ", never their own";
  return `. ${share(own, 1)} of the people are expected to draw their own features: the leakage counts it, but anyone who knows part of such a row recognises the person`;
}

function leakageSentence(facts: Facts): string | undefined {
  const leakage = facts.leakage;
  if (!leakage) return undefined;
  const secret = secretName(facts);
  const { total, groups, features, secret_entropy: entropy } = leakage;
  if (!isNumber(total)) return `What the release leaks about the exact ${secret}: ${notMeasured(whyOf(leakage, "total"))}.`;
  const parts =
    isNumber(groups) && isNumber(features) ? `: ${bits(groups)} by the ${groupWord(facts).many}, ${bits(features)} by the features` : "";
  return isNumber(entropy) && entropy > 0
    ? `Of the ${inBits(entropy)} that an exact ${secret} holds, the release leaks ${bits(total)} (${share(total, entropy)})${parts}.`
    : `The release leaks ${inBits(total)} about the exact ${secret}${parts}.`;
}

function chanceSentence(facts: Facts): string | undefined {
  const features = facts.leakage?.features;
  const chance = facts.leakage?.null;
  const deviation = facts.leakage?.null_deviation;
  if (!isNumber(features) || !isNumber(chance)) return undefined;
  if (features < 1e-9) return `The features add nothing to the leakage of the ${groupWord(facts).many}.`;
  const shuffled = `if the exact values were shuffled at random within the ${groupWord(facts).many}, the features would still seem to leak ${inBits(chance)}`;
  // Two standard deviations: one shuffled table in forty lies above.
  const above = features > chance + 2 * (isNumber(deviation) ? deviation : 0);
  return above
    ? `What the features leak is more than chance explains: ${shuffled}.`
    : `What the features leak is no more than chance explains: ${shuffled}.`;
}

/** How often the exact value can be named by anybody, as Fano's inequality bounds it. */
export function fanoSentence(facts: Facts): string | undefined {
  const bound = facts.leakage?.fano_error_bound;
  const secret = secretName(facts);
  if (!isNumber(bound)) return undefined;
  if (bound <= 0)
    return `The general bound (Fano's inequality) proves nothing about how often an exact ${secret} can be guessed from this release.`;
  return `From this release alone no attacker, however clever, can name the exact ${secret} in more than ${shareAtMost(1 - bound)} of cases on average (Fano's inequality).`;
}

function attackSentences(facts: Facts): string[] {
  const measures = measuresOf(facts.audit).filter((measure) => measure.main);
  return measures.flatMap((measure) => {
    const said = sentencesBy(facts, measure);
    return measures.length > 1 ? said.map((text) => `${measure.intro}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`) : said;
  });
}

function sentencesBy(facts: Facts, measure: ErrorMeasure): string[] {
  const attacks = list(facts.audit?.attacks).map((attack) => ({
    ...measure.of(attack),
    attacker: attack.attacker,
    scenario: attack.scenario,
  }));
  if (!attacks.length) return [];
  const unit = measure.gainUnit;
  const judged = attacks.map((attack) => ({ attack, ...judge(attack, unit) }));
  const of = (verdict: string) => judged.filter((one) => one.verdict === verdict);
  const all = counted(attacks.length, "trained attack", "trained attacks");
  const guess = `the guess from the ${groupWord(facts).one} alone`;

  const gains = of("gains").sort((a, b) => (b.attack.advantage?.mean ?? 0) - (a.attack.advantage?.mean ?? 0));
  const harmless = [...of("no gain"), ...of("worse than guessing")];
  const blind = of("shows nothing here");
  const missing = of("not measured");
  const said: string[] = [];
  if (gains.length) {
    const strongest = gains[0].attack;
    const before = unobscuredGain(strongest);
    const contrast = isNumber(before) && before > 0 ? `; on unobscured features it gains ${withUnit(figure(before), unit)}` : "";
    said.push(
      `${gains.length} of ${all} still ${gains.length === 1 ? "gains" : "gain"} over ${guess}. The strongest, ${attackName(strongest)}, gains ${interval(strongest.advantage, unit)}${contrast}.`,
    );
  }
  if (harmless.length) {
    const gain = Math.max(...harmless.map((one) => unobscuredGain(one.attack) ?? 0));
    const contrast = gain > 0 ? ` On unobscured features they gain up to ${withUnit(figure(gain), unit)}.` : "";
    said.push(`For ${harmless.length} of ${all} no gain over ${guess} could be measured.${contrast}`);
  }
  if (blind.length) {
    said.push(
      `${blind.length} of ${all} ${blind.length === 1 ? "does" : "do"} not clearly beat ${guess} even on unobscured features: on this data ${blind.length === 1 ? "it shows" : "they show"} nothing, neither danger nor protection.`,
    );
  }
  if (missing.length) said.push(`${missing.length} of ${all} ${missing.length === 1 ? "was" : "were"} not measured.`);
  return said;
}

/** What the informed attacker gains: closer where errors are distances, right more often where they are shares. */
function informedResult(facts: Facts, measure: ErrorMeasure, informed: InformedErrors & { error: number; group_only: number }): string {
  const guess = `the guess from the ${groupWord(facts).one} alone`;
  const gain = informed.group_only - informed.error;
  if (measure.unit === "%") {
    const result = gain > 0 ? `is right more often than ${guess}` : `is right no more often than ${guess}`;
    return `${result} (wrong in ${withUnit(figure(informed.error), "%")} of cases against ${withUnit(figure(informed.group_only), "%")})`;
  }
  const result = gain > 0 ? `comes ${withUnit(figure(gain), measure.unit)} closer than ${guess}` : `comes no closer than ${guess}`;
  return `${result} (error ${withUnit(figure(informed.error), measure.unit)} against ${withUnit(figure(informed.group_only), measure.unit)})`;
}

function informedSentence(facts: Facts): string | undefined {
  const results = informedAs(facts).flatMap(({ measure, informed }) => {
    const { error, group_only } = informed;
    return isNumber(error) && isNumber(group_only) ? [informedResult(facts, measure, { ...informed, error, group_only })] : [];
  });
  if (!results.length) return undefined;
  return `The informed attacker, which knows all rows, all secrets and how the draws are made, but not which row is the target's own, ${results.join(", and ")}.`;
}

function utilitySentences(facts: Facts): string[] {
  return list(facts.audit?.utilities).flatMap((utility) => {
    const now = utility.published?.mean;
    const before = utility.unobscured?.mean;
    if (!isNumber(now) || !isNumber(before)) return [];
    const name = `${utility.name || "a task"}${utility.measure ? ` (${utility.measure})` : ""}`;
    const change = before !== 0 ? (now - before) / Math.abs(before) : 0;
    const direction = change > 0 ? "more" : "less";
    const size = Math.abs(change) < 0.0005 ? "" : `, ${share(Math.abs(change), 1)} ${direction}`;
    const better = utility.better ? `; ${utility.better} is better` : "";
    const [one, other] = means(utility.published, utility.unobscured);
    return [capital(`${name} is ${one} with the published data and ${other} with the original data${size}${better}.`)];
  });
}

function budgetSentence(facts: Facts): string | undefined {
  const { distance, budget } = facts;
  if (!isNumber(distance)) return undefined;
  const name = facts.data?.distance ? ` (${facts.data.distance})` : "";
  const limit = isNumber(budget) ? `; the budget allows ${figure(budget)}` : "";
  return `Published features lie on average ${figure(distance)} away from a person's own${name}${limit}.`;
}

export function summarise(facts: Facts): string[] {
  return [
    peopleSentence(facts),
    leakageSentence(facts),
    chanceSentence(facts),
    ...attackSentences(facts),
    informedSentence(facts),
    budgetSentence(facts),
    ...utilitySentences(facts),
  ].filter((text): text is string => !!text);
}
