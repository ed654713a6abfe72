// Values of a spec, between TOML text and the page.

/** A TOML value of a spec: a text, a number, a list of them, a yes or no. */
export function read(values: Record<string, string> | undefined, key: string): unknown {
  const text = values?.[key];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function textOf(values: Record<string, string> | undefined, key: string, otherwise = ""): string {
  const value = read(values, key);
  return typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : otherwise;
}

export function textsOf(values: Record<string, string> | undefined, key: string): string[] {
  const value = read(values, key);
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? [value] : [];
}

export function numberOf(values: Record<string, string> | undefined, key: string): number | undefined {
  const value = read(values, key);
  return typeof value === "number" ? value : undefined;
}

export function pairOf(values: Record<string, string> | undefined, key: string): [number, number] | undefined {
  const value = read(values, key);
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "number")
    ? (value as [number, number])
    : undefined;
}

/** As a list of texts in a spec. */
export const texts = (all: string[]): string => JSON.stringify(all);
export const pair = (low: number, high: number): string => `[${low}, ${high}]`;
