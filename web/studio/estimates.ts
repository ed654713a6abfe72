// Between computed points of the trade-off: straight lines, and therefore estimates until the point itself is computed.
import { isNumber, type Measured } from "../report/facts";

/** The value at x on the line through points (x ascending); undefined outside of them, or where one is not a number. */
export function between(points: { x: Measured; y: Measured }[], x: number): number | undefined {
  const known = points
    .filter((point): point is { x: number; y: number } => isNumber(point.x) && isNumber(point.y))
    .sort((a, b) => a.x - b.x);
  const above = known.findIndex((point) => point.x >= x);
  if (above < 0) return undefined;
  if (known[above].x === x) return known[above].y;
  if (above === 0) return undefined;
  const [low, high] = [known[above - 1], known[above]];
  return low.y + ((x - low.x) / (high.x - low.x)) * (high.y - low.y);
}

/** Bits as odds: how the best guess of an exact value improves on average, at most. */
export function inWords(features: number, unprotected: Measured): string {
  if (!isNumber(unprotected) || unprotected <= 0) return "";
  const part = features / unprotected;
  if (part < 0.01) return "practically nothing of what the true features would reveal";
  if (part < 0.1) return "a small part of what the true features would reveal";
  if (part < 0.5) return "a good part of what the true features would reveal";
  return "most of what the true features would reveal: publish refuses that unless you accept it";
}
