// How errors of attackers are measured: a number in its unit; or wrong guesses in percent, and kilometres where the secret is a place.
import { isNumber, list, type Attack, type AttackErrors, type Audit, type Facts, type InformedErrors, type Interval } from "./facts";

export interface ErrorMeasure {
  /** "mean absolute error", "share of wrong guesses" */
  name: string;
  unit?: string;
  /** Of a difference of two errors. */
  gainUnit?: string;
  /** Opens a sentence where there are several measures. */
  intro: string;
  /** Stated in words as well, not in figures and tables alone. */
  main: boolean;
  of: (attack: Attack) => AttackErrors;
}

const percent = (x: number) => 100 * x;

function scaled(x: Interval | undefined): Interval | undefined {
  if (!x) return x;
  const one = (value: number | null | undefined) => (isNumber(value) ? percent(value) : value);
  return { ...x, mean: one(x.mean), low: one(x.low), high: one(x.high) };
}

function inPercent(errors: AttackErrors | undefined): AttackErrors {
  const { published, unobscured, group_only, nothing, advantage, unobscured_advantage } = errors ?? {};
  return {
    published: scaled(published),
    unobscured: scaled(unobscured),
    group_only: scaled(group_only),
    nothing: scaled(nothing),
    advantage: scaled(advantage),
    unobscured_advantage: scaled(unobscured_advantage),
  };
}

function isShare(audit: Audit): boolean {
  return audit.error_kind === "share";
}

/** The first is that of `audit.error`. */
export function measuresOf(audit: Audit | null | undefined): ErrorMeasure[] {
  if (!audit) return [];
  const name = audit.error || "error";
  if (!isShare(audit))
    return [{ name, unit: audit.secret_unit, gainUnit: audit.secret_unit, intro: "", main: true, of: (attack) => attack }];
  const attacks = list(audit.attacks);
  const found: ErrorMeasure[] = [{ name, unit: "%", gainUnit: "percentage points", intro: "By wrong guesses", main: true, of: inPercent }];
  if (attacks.some((attack) => attack.top5))
    found.push({
      name: "share not among five guesses",
      unit: "%",
      gainUnit: "percentage points",
      intro: "By five guesses",
      main: false,
      of: (attack) => inPercent(attack.top5),
    });
  if (attacks.some((attack) => attack.km))
    found.push({
      name: "distance from the truth",
      unit: "km",
      gainUnit: "km",
      intro: "By distance",
      main: true,
      of: (attack) => attack.km ?? {},
    });
  return found;
}

/** "share of wrong guesses (%)" */
export function errorName(measure: ErrorMeasure): string {
  return measure.unit ? `${measure.name} (${measure.unit})` : measure.name;
}

/** The informed attacker in the same measures, as far as they were taken. */
export function informedAs(facts: Facts): { measure: ErrorMeasure; informed: InformedErrors }[] {
  const audit = facts.audit;
  if (!audit?.informed) return [];
  const [first] = measuresOf(audit);
  const { km, ...own } = audit.informed;
  const found = [{ measure: first, informed: isShare(audit) ? informedInPercent(own) : own }];
  if (isShare(audit) && km)
    found.push({ measure: { ...first, name: "distance from the truth", unit: "km", gainUnit: "km", intro: "By distance" }, informed: km });
  return found;
}

function informedInPercent(informed: InformedErrors): InformedErrors {
  const one = (value: number | null | undefined) => (isNumber(value) ? percent(value) : value);
  return {
    ...informed,
    error: one(informed.error),
    group_only: one(informed.group_only),
    repeated: list(informed.repeated).map((point) => ({ ...point, error: scaled(point.error) })),
  };
}
