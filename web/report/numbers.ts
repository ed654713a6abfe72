// Numbers as people read them. What is not a finite number reads "not measured".
import { isNumber, type Interval, type Measured } from "./facts";

export const NOT_MEASURED = "not measured";

export function notMeasured(why?: string): string {
  return why ? `${NOT_MEASURED} (${why})` : NOT_MEASURED;
}

function grouped(x: number, decimals: number): string {
  const text = x.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return text.replace("-", "\u2212");
}

export function count(x: Measured, why?: string): string {
  return isNumber(x) ? grouped(x, Number.isInteger(x) ? 0 : 1) : notMeasured(why);
}

/** "1 person", "802 people". */
export function counted(x: number, one: string, many: string): string {
  return `${count(x)} ${x === 1 ? one : many}`;
}

function stripped(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Decimals that show three digits of a number of this size; at most 6. */
function decimalsFor(size: number): number {
  if (size === 0) return 0;
  const digits = Math.floor(Math.log10(Math.abs(size)));
  return Math.min(6, Math.max(0, 2 - digits));
}

export function measure(x: Measured, why?: string): string {
  if (!isNumber(x)) return notMeasured(why);
  if (x !== 0 && Math.abs(x) < 1e-6) return "less than 0.000001";
  return stripped(grouped(x, decimalsFor(x)));
}

/** Bits without their unit: two decimals, or two digits where that would be 0.0. */
export function bits(x: Measured, why?: string): string {
  if (!isNumber(x)) return notMeasured(why);
  const size = Math.abs(x);
  if (size < 1e-9) return "0";
  if (size < 1e-6) return "less than 0.000001";
  if (size >= 0.1) return grouped(x, 2);
  return stripped(grouped(x, Math.min(6, 1 - Math.floor(Math.log10(size)))));
}

export function inBits(x: Measured, why?: string): string {
  return isNumber(x) ? `${bits(x)} ${bits(x) === "1.00" ? "bit" : "bits"}` : notMeasured(why);
}

export function share(part: Measured, whole: Measured): string {
  if (!isNumber(part) || !isNumber(whole) || whole <= 0) return NOT_MEASURED;
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return "less than 0.1\u00a0%";
  return `${grouped(percent, percent < 10 ? 1 : 0)}\u00a0%`;
}

/** A probability that bounds from above: rounded up, so that the bound stays one. */
export function shareAtMost(p: number): string {
  return `${grouped(Math.min(100, Math.ceil(100 * p - 1e-9)), 0)}\u00a0%`;
}

export function bytes(x: Measured): string {
  if (!isNumber(x)) return NOT_MEASURED;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = x;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${grouped(size, unit === 0 || size >= 100 ? 0 : 1)} ${units[unit]}`;
}

export function withUnit(text: string, unit?: string): string {
  if (!unit) return text;
  return unit === "%" ? `${text}\u00a0%` : `${text} ${unit}`;
}

/** Decimals that an interval can carry: one digit of its half width, two where that digit is 1. */
function decimalsOf(x: Interval): number {
  const half = isNumber(x.low) && isNumber(x.high) ? (x.high - x.low) / 2 : 0;
  if (half <= 0) return decimalsFor(x.mean as number);
  const digits = Math.floor(Math.log10(half));
  return Math.min(6, Math.max(0, half / 10 ** digits < 2 ? 1 - digits : -digits));
}

export function mean(x: Interval | null | undefined): string {
  return isNumber(x?.mean) ? grouped(x.mean, decimalsOf(x)) : notMeasured(x?.why);
}

/** Two means in equal decimals, so many that their difference is seen. */
export function means(one: Interval | null | undefined, other: Interval | null | undefined): [string, string] {
  if (!isNumber(one?.mean) || !isNumber(other?.mean)) return [mean(one), mean(other)];
  const apart = Math.abs(one.mean - other.mean);
  const digits = apart > 0 ? Math.floor(Math.log10(apart)) : 0;
  const seen = apart / 10 ** digits < 2 ? 1 - digits : -digits;
  const decimals = Math.min(6, Math.max(decimalsOf(one), decimalsOf(other), apart / Math.abs(other.mean) < 0.0005 ? 0 : seen));
  return [grouped(one.mean, decimals), grouped(other.mean, decimals)];
}

/** "2.14 (2.10 to 2.18)" */
export function interval(x: Interval | null | undefined, unit?: string): string {
  if (!isNumber(x?.mean)) return notMeasured(x?.why);
  const text = withUnit(mean(x), unit);
  if (!isNumber(x.low) || !isNumber(x.high)) return text;
  return `${text} (${grouped(x.low, decimalsOf(x))} to ${grouped(x.high, decimalsOf(x))})`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** For the ends of axes and labels of ticks. */
export function tick(x: number): string {
  return x.toLocaleString("en-US", { maximumSignificantDigits: 4 }).replace("-", "\u2212");
}
