// What an attack shows, in words that claim no more than was measured.
import { isNumber, type Attack, type AttackErrors, type Interval } from "./facts";
import { interval, NOT_MEASURED, notMeasured, withUnit, measure } from "./numbers";

export type Verdict = "gains" | "no gain" | "worse than guessing" | "shows nothing here" | "not measured";

export interface Judgement {
  verdict: Verdict;
  words: string;
}

const low = (x: Interval) => (isNumber(x.low) ? x.low : (x.mean as number));
const high = (x: Interval) => (isNumber(x.high) ? x.high : (x.mean as number));

/** Whether the attack learns anything from unobscured features; undefined where that was not measured. */
export function hasSignal(attack: AttackErrors): boolean | undefined {
  const paired = attack.unobscured_advantage;
  if (isNumber(paired?.mean)) return low(paired) > 0;
  const { unobscured, group_only } = attack;
  if (!isNumber(unobscured?.mean) || !isNumber(group_only?.mean)) return undefined;
  return high(unobscured) < low(group_only);
}

export function unobscuredGain(attack: AttackErrors): number | undefined {
  if (isNumber(attack.unobscured_advantage?.mean)) return attack.unobscured_advantage.mean;
  const { unobscured, group_only } = attack;
  return isNumber(unobscured?.mean) && isNumber(group_only?.mean) ? group_only.mean - unobscured.mean : undefined;
}

export function judge(attack: AttackErrors, unit?: string): Judgement {
  const advantage = attack.advantage;
  if (!isNumber(advantage?.mean)) return { verdict: NOT_MEASURED, words: notMeasured(advantage?.why) };
  const signal = hasSignal(attack);
  if (low(advantage) > 0) {
    return { verdict: "gains", words: `gains ${interval(advantage, unit)} over the guess from the group alone` };
  }
  if (signal === false) {
    return {
      verdict: "shows nothing here",
      words:
        "this attack does not clearly beat the guess from the group alone even on unobscured features, so it shows nothing on this data",
    };
  }
  const before = unobscuredGain(attack);
  const contrast = signal && isNumber(before) ? `; on unobscured features it gains ${withUnit(measure(before), unit)}` : "";
  if (high(advantage) < 0) {
    return { verdict: "worse than guessing", words: `does worse than the guess from the group alone${contrast}` };
  }
  const power = isNumber(attack.power)
    ? ` (one of ${withUnit(measure(attack.power), unit)} would have been found nine times out of ten)`
    : "";
  return { verdict: "no gain", words: `no gain could be measured${power}${contrast}` };
}

export function attackName(attack: Pick<Attack, "attacker" | "scenario">): string {
  const name = attack.attacker || "unnamed attacker";
  return attack.scenario ? `${name}, scenario ${attack.scenario}` : name;
}
