// The summary in plain words. Pure text from facts: a sentence whose facts are absent is left out.
import { isNumber, list, whyOf, type Facts } from "./facts";
import { bits, capital, count, counted, inBits, interval, mean, measure, notMeasured, share, shareAtMost, withUnit } from "./numbers";
import { attackName, judge, unobscuredGain } from "./verdict";

export interface Summary {
  warnings: string[];
  sentences: string[];
}

/** What a group of values is called: an age range, an area. */
export function groupWord(facts: Facts): { one: string; many: string } {
  const secret = secretName(facts);
  switch (facts.data?.secret_kind) {
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

export function secretName(facts: Facts): string {
  return facts.data?.secret || "secret value";
}

export interface CheckCounts {
  all: number;
  failed: number;
  /** Neither passed nor failed: could not be made. */
  open: number;
}

export function countChecks(facts: Facts): CheckCounts {
  const checks = list(facts.checks);
  const failed = checks.filter((check) => check.passed === false).length;
  const passed = checks.filter((check) => check.passed === true).length;
  return { all: checks.length, failed, open: checks.length - failed - passed };
}

function warnings(facts: Facts): string[] {
  const found: string[] = [];
  const { all, failed, open } = countChecks(facts);
  if (failed) found.push(`${failed} of ${counted(all, "check", "checks")} failed. Do not publish these files before you know why.`);
  if (open) found.push(`${open} of ${counted(all, "check", "checks")} could not be made.`);
  if (facts.release?.seeded) {
    found.push("The random draws come from a seed: whoever has the seed can undo the protection. These files are for trials and must not be published.");
  }
  const earlier = facts.release?.earlier_draws;
  if (isNumber(earlier) && earlier > 0) {
    found.push(
      `The same people were drawn ${earlier === 1 ? "once" : `${count(earlier)} times`} before. Releases add up: who holds several of them knows more than the figures below say, which hold for this release alone.`,
    );
  }
  return found;
}

function peopleSentence(facts: Facts): string | undefined {
  const people = facts.data?.people;
  const groups = list(facts.groups).length;
  const word = groupWord(facts);
  if (!isNumber(people)) return undefined;
  if (!groups) return `The data hold ${counted(people, "person", "people")}.`;
  const inPlace = facts.data?.secret_kind === "ordered" ? withArticle(word.one) : facts.data?.secret_kind === "spatial" ? "an area" : "a group of values";
  return `${counted(people, "person", "people")}, ${counted(groups, word.one, word.many)}. Each person appears with ${inPlace} in place of the exact ${secretName(facts)}, and with the features of a donor drawn at random in place of their own.`;
}

function leakageSentence(facts: Facts): string | undefined {
  const leakage = facts.leakage;
  if (!leakage) return undefined;
  const secret = secretName(facts);
  const { total, groups, features, secret_entropy: entropy } = leakage;
  if (!isNumber(total)) return `What the release tells about the exact ${secret}: ${notMeasured(whyOf(leakage, "total"))}.`;
  const parts =
    isNumber(groups) && isNumber(features)
      ? `: ${bits(groups)} by the ${groupWord(facts).many}, ${bits(features)} by the features`
      : "";
  return isNumber(entropy) && entropy > 0
    ? `Of the ${inBits(entropy)} that an exact ${secret} holds, the release tells ${bits(total)} (${share(total, entropy)})${parts}.`
    : `The release tells ${inBits(total)} about the exact ${secret}${parts}.`;
}

function chanceSentence(facts: Facts): string | undefined {
  const features = facts.leakage?.features;
  const chance = facts.leakage?.null;
  const deviation = facts.leakage?.null_deviation;
  if (!isNumber(features) || !isNumber(chance)) return undefined;
  if (features < 1e-9) return `The features add nothing to what the ${groupWord(facts).many} tell.`;
  const shuffled = `if the exact values were shuffled at random within the ${groupWord(facts).many}, the features would still seem to tell ${inBits(chance)}`;
  // Two standard deviations: one shuffled table in forty lies above.
  const above = features > chance + 2 * (isNumber(deviation) ? deviation : 0);
  return above
    ? `What the features tell is more than chance explains: ${shuffled}.`
    : `What the features tell is no more than chance explains: ${shuffled}.`;
}

function fanoSentence(facts: Facts): string | undefined {
  const bound = facts.leakage?.fano_error_bound;
  const secret = secretName(facts);
  if (!isNumber(bound)) return undefined;
  if (bound <= 0) return `The general bound (Fano's inequality) proves nothing about how often an exact ${secret} can be guessed from this release.`;
  return `From this release alone no attacker, however clever, can name the exact ${secret} in more than ${shareAtMost(1 - bound)} of cases on average (Fano's inequality).`;
}

function attackSentences(facts: Facts): string[] {
  const attacks = list(facts.audit?.attacks);
  if (!attacks.length) return [];
  const unit = facts.audit?.secret_unit;
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
    const contrast = isNumber(before) && before > 0 ? `; on unobscured features it gains ${withUnit(measure(before), unit)}` : "";
    said.push(
      `${gains.length} of ${all} still ${gains.length === 1 ? "gains" : "gain"} over ${guess}. The strongest, ${attackName(strongest)}, gains ${interval(strongest.advantage, unit)}${contrast}.`,
    );
  }
  if (harmless.length) {
    const gain = Math.max(...harmless.map((one) => unobscuredGain(one.attack) ?? 0));
    const contrast = gain > 0 ? ` On unobscured features they gain up to ${withUnit(measure(gain), unit)}.` : "";
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

function informedSentence(facts: Facts): string | undefined {
  const informed = facts.audit?.informed;
  if (!isNumber(informed?.error) || !isNumber(informed.group_only)) return undefined;
  const unit = facts.audit?.secret_unit;
  const gain = informed.group_only - informed.error;
  const result =
    gain > 0
      ? `comes ${withUnit(measure(gain), unit)} closer than the guess from the ${groupWord(facts).one} alone`
      : `comes no closer than the guess from the ${groupWord(facts).one} alone`;
  return `The worst case, an attacker who knows the whole table but this one ${secretName(facts)} and also how the draws are made, ${result} (error ${withUnit(measure(informed.error), unit)} against ${withUnit(measure(informed.group_only), unit)}).`;
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
    return [capital(`${name} is ${mean(utility.published)} with the published data and ${mean(utility.unobscured)} with the original data${size}${better}.`)];
  });
}

function budgetSentence(facts: Facts): string | undefined {
  const { distance, budget } = facts;
  if (!isNumber(distance)) return undefined;
  const name = facts.data?.distance ? ` (${facts.data.distance})` : "";
  const limit = isNumber(budget) ? `; the budget allows ${measure(budget)}` : "";
  return `Published features lie on average ${measure(distance)} away from a person's own${name}${limit}.`;
}

export function summarise(facts: Facts): Summary {
  const sentences = [
    peopleSentence(facts),
    leakageSentence(facts),
    chanceSentence(facts),
    fanoSentence(facts),
    ...attackSentences(facts),
    informedSentence(facts),
    budgetSentence(facts),
    ...utilitySentences(facts),
  ];
  return { warnings: warnings(facts), sentences: sentences.filter((text): text is string => !!text) };
}
