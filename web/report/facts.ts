// The facts of a run as docs/formats.md ("Report facts") describes them. Everything may be absent; a number may be null, and
// then the key with "_why" behind it may say why.

export type Measured = number | null | undefined;

/** A mean with its confidence interval. */
export interface Interval {
  mean?: Measured;
  low?: Measured;
  high?: Measured;
  why?: string;
}

export interface DataFacts {
  people?: Measured;
  left_out?: { why?: string; people?: Measured }[];
  /** Of long data: events read, and those that are not in the release. */
  events?: Measured;
  events_left_out?: { why?: string; events?: Measured }[];
  values?: Measured;
  features?: Measured;
  entries?: Measured;
  secret?: string;
  /** "ordered", "spatial", "categorical"; of several secrets "ordered, categorical". */
  secret_kind?: string;
  /** Exact values were joined before the search: their people are shared out evenly. */
  joined?: boolean;
  /** Names of the secrets where there are several. */
  axes?: string[];
  kept?: string[];
  distance?: string;
}

export interface ReleaseFacts {
  method?: string;
  method_help?: string;
  threat?: string;
  balanced?: boolean;
  seeded?: boolean;
  ids?: string;
  /** Expected share of people who publish their own row. */
  own_rows?: Measured;
  accepted_leakage?: boolean;
  /** Why the mechanism is weaker than it should be. */
  shortfalls?: string[];
  earlier_draws?: Measured;
  files?: { name?: string; rows?: Measured; bytes?: Measured; sha256?: string }[];
}

export interface Check {
  what?: string;
  passed?: boolean | null;
  /** Where it does not hold: the reader should know, but the release is what it says it is. */
  warning?: boolean;
  detail?: string;
}

/** A question of the evidence with its answer (report/evidence.h). */
export interface Question {
  key?: string;
  source?: string;
  clause?: string;
  topic?: string;
  question?: string;
  /** "answered", "stated", "open", "not measured", "not stated". */
  state?: string;
  answer?: string;
  figure?: string;
  /** The id of the section that the figure comes from. */
  see?: string;
}

export interface Evidence {
  headline?: string;
  questions?: Question[];
  techniques?: { name?: string; used?: boolean; how?: string }[];
}

/** The first screen, which the library derives from the other facts (report/verdict.h). */
export interface Verdict {
  headline?: string;
  failed?: string[];
  open?: string[];
  passes?: string[];
  not_measured?: string[];
  not_stated?: string[];
  figures?: { title?: string; figure?: string; text?: string }[];
}

export interface Group {
  label?: string;
  low?: Measured;
  high?: Measured;
  people?: Measured;
  values?: Measured;
  /** What it covers of each of several secrets. */
  covers?: { label?: string }[];
}

/** A cell of the map; rows count northwards, columns eastwards. */
export interface MapCell {
  row?: Measured;
  column?: Measured;
  group?: string;
  people?: Measured;
}

export interface MapFacts {
  cell_km?: Measured;
  /** False: the data has cells and no coordinates. */
  on_earth?: boolean;
  /** Where row 0 and column 0 begin, and the size of a cell. */
  degrees?: { south?: Measured; west?: Measured; height?: Measured; width?: Measured };
  cells?: MapCell[];
}

export interface PlaneAxis {
  name?: string;
  values?: (number | string)[];
}

/** People with value x of the one secret and y of the other, as indices. */
export interface PlanePoint {
  x?: Measured;
  y?: Measured;
  group?: string;
  people?: Measured;
}

export interface PlaneFacts {
  x?: PlaneAxis;
  y?: PlaneAxis;
  points?: PlanePoint[];
}

export interface Cell {
  value?: number | string | null;
  people?: Measured;
  /** Label of its group, where groups have no ends to find it by. */
  group?: string;
}

export interface Leakage {
  total?: Measured;
  groups?: Measured;
  features?: Measured;
  clusters?: Measured;
  learned?: Measured;
  null?: Measured;
  null_deviation?: Measured;
  unprotected?: Measured;
  secret_entropy?: Measured;
  fano_error_bound?: Measured;
  epsilon?: Measured;
}

/** What one row makes of the share of a value in its group, as a factor. */
export interface LiftOfValue {
  value?: number | string | null;
  group?: string;
  people?: Measured;
  lowest?: Measured;
  highest?: Measured;
}

export interface Lift {
  highest?: Measured;
  lowest?: Measured;
  of_population?: Measured;
  own_largest?: Measured;
  own_largest_median?: Measured;
  own_expected?: Measured;
  own_expected_median?: Measured;
  own_of_population?: Measured;
  values?: LiftOfValue[];
}

export interface Round {
  round?: Measured;
  objective?: Measured;
  leakage?: Measured;
  distance?: Measured;
  moves?: Measured;
}

export interface Pool {
  label?: string;
  people?: Measured;
  clusters?: (number | string)[];
  matrix?: Measured[][];
}

export interface FrontierPoint {
  budget?: Measured;
  distance?: Measured;
  leakage?: Measured;
  features?: Measured;
  gap?: Measured;
}

/** Errors of one measure. */
export interface AttackErrors {
  published?: Interval;
  unobscured?: Interval;
  group_only?: Interval;
  nothing?: Interval;
  /** Error of the group-only guess minus error of the attack: above 0 the attacker gains. */
  advantage?: Interval;
  /** The same on unobscured features, where it was measured pair by pair. */
  unobscured_advantage?: Interval;
  /** The smallest advantage that would have been found nine times out of ten. */
  power?: number | null;
}

export interface Attack extends AttackErrors {
  attacker?: string;
  scenario?: string;
  what?: string;
  /** Secrets that are no number: share of people whose value is not among the first five guesses. */
  top5?: AttackErrors;
  /** Places: distance between guess and truth. */
  km?: AttackErrors;
}

export interface InformedErrors {
  error?: Measured;
  group_only?: Measured;
  repeated?: { releases?: Measured; people?: Measured; error?: Interval }[];
}

export interface Utility {
  name?: string;
  measure?: string;
  better?: string;
  published?: Interval;
  unobscured?: Interval;
  baseline?: Interval;
}

export interface Audit {
  secret_unit?: string;
  error?: string;
  /** "share": errors are shares of people, 0 to 1. */
  error_kind?: string;
  interval?: string;
  repetitions?: Measured;
  attacks?: Attack[];
  informed?: InformedErrors & { km?: InformedErrors };
  utilities?: Utility[];
  notes?: string[];
}

export interface TradeoffPoint {
  budget?: Measured;
  distance?: Measured;
  leakage?: Measured;
  attack?: Interval;
  utility?: Interval;
}

export interface Curve<Point> {
  method?: string;
  points?: Point[];
}

export interface Facts {
  format?: number;
  program?: string;
  made?: string;
  title?: string;
  verdict?: Verdict;
  evidence?: Evidence;
  /** The page is about methods side by side, not about a release. */
  comparison?: { headline?: string };
  data?: DataFacts;
  release?: ReleaseFacts;
  checks?: Check[];
  constraints?: { people?: Measured[]; values?: Measured[]; groups?: Measured; for?: string; smallest_pool?: Measured };
  groups?: Group[];
  histogram?: Cell[];
  map?: MapFacts;
  plane?: PlaneFacts;
  leakage?: Leakage;
  lift?: Lift;
  budget?: Measured;
  distance?: Measured;
  gap_bits?: Measured;
  joint_gap_bits?: Measured;
  history?: Round[];
  channel?: { what?: string; pools?: Pool[] };
  frontier?: Curve<FrontierPoint>[];
  audit?: Audit;
  tradeoff?: Curve<TradeoffPoint>[];
  tradeoff_axes?: { attack?: string; utility?: string; utility_better?: string };
  settings?: { key?: string; value?: unknown; given?: boolean }[];
  limits?: string[];
}

export function isNumber(x: unknown): x is number {
  return typeof x === "number" && Number.isFinite(x);
}

export function list<T>(items: readonly (T | null | undefined)[] | null | undefined): T[] {
  return Array.isArray(items) ? (items.filter((item) => item !== null && item !== undefined) as T[]) : [];
}

/** Items by what `key` says of them, in the order in which these come. */
export function groupedBy<T, Key>(items: readonly T[], key: (item: T) => Key): Map<Key, T[]> {
  const found = new Map<Key, T[]>();
  for (const item of items) {
    const own = found.get(key(item));
    if (own) own.push(item);
    else found.set(key(item), [item]);
  }
  return found;
}

/** The key was written, be it as null: the figure belongs to this run. */
export function mentioned(object: object | null | undefined, key: string): boolean {
  return !!object && key in object;
}

/** Why the number under `key` is null, if that was said. */
export function whyOf(object: object | null | undefined, key: string): string | undefined {
  const why = (object as Record<string, unknown> | null | undefined)?.[`${key}_why`];
  return typeof why === "string" && why ? why : undefined;
}
