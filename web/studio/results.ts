// Results of jobs: the objects that the command line prints with --json (docs/formats.md).
import type { Facts, Measured } from "../report/facts";

export interface StartResult {
  toml: string;
  people: number;
  reasons: Record<string, string>;
  other_secrets: string[];
  left_out: { column: string; because: string }[];
}

export interface InspectedColumn {
  name: string;
  role: string;
  type: string;
  empty_share: Measured;
  distinct: Measured;
  unique_share: Measured;
  smallest: Measured;
  largest: Measured;
  leakage_bits: Measured;
  leakage_null_bits: Measured;
  identifies: string | null;
  refused: boolean;
}

export interface BudgetChoice {
  name: string;
  budget_share: Measured;
  budget: Measured;
  leakage_features_bits: Measured;
  leakage_unprotected_bits: Measured;
  nearer_than_random: Measured;
  own_lift_largest: Measured;
  own_rows: Measured;
  refused_by_publish: boolean;
}

export interface Recommendation {
  groups: number;
  people: [number, number];
  values: [number, number];
  limits_of_the_spec: boolean;
  method: string;
  budget: string;
  budgets: BudgetChoice[];
  fitted_people: number;
  remark: string;
}

export interface Inspection {
  people: number;
  items: number;
  entries: number;
  values: number;
  secret_entropy_bits: Measured;
  unprotected: { leakage_bits: Measured; leakage_null_bits: Measured };
  columns: InspectedColumn[];
  implausible_secrets: { secret: string; people: number; because: string }[];
  singled_out: { known: number; share: number; low: number; high: number }[];
  options: { groups: number; largest_k: number; smallest_alpha: number; largest_l: number; smallest_beta: number }[];
  groups?: { label: string; people: number; values: number }[];
  no_groups_because?: string;
  smallest_budget?: Measured;
  largest_budget?: Measured;
  uniform_distance?: Measured;
  recommendation?: Recommendation;
  estimate: Record<string, Measured>;
}

export interface FrontierPoint {
  budget: number;
  distance: Measured;
  leakage_bits: Measured;
  leakage_groups_bits: Measured;
  leakage_features_bits: Measured;
  leakage_learned_bits: Measured;
  gap_bits: Measured;
  groups: string[];
  seconds: Measured;
}

export interface FrontierResult {
  method: string;
  complete: boolean;
  note: string;
  points: FrontierPoint[];
}

export interface FitResult {
  method: string;
  good: boolean;
  people: number;
  groups: { label: string; people: number; values: number }[];
  shortfalls: string[];
  note: string;
  seeded: boolean;
  converged: boolean;
  leakage_bits: Measured;
  leakage_groups_bits: Measured;
  leakage_features_bits: Measured;
  leakage_learned_bits: Measured;
  leakage_unprotected_bits: Measured;
  secret_entropy_bits: Measured;
  fano_error_bound: Measured;
  distance: Measured;
  budget: Measured;
  gap_bits: Measured;
  own_rows: Measured;
  own_lift_largest: Measured;
  own_lift_expected: Measured;
  max_lift: Measured;
  promise?: { text: string; loss_percent?: { mean: Measured } };
  facts: Facts;
  seconds: number;
}

export interface Check {
  key: string;
  name: string;
  passed: boolean;
  warning: boolean;
  detail: string;
}

export interface PublishResult {
  release: string;
  report: string;
  names: string[];
  people: number;
  events: number;
  people_unchanged: number;
  published_leakage_bits: Measured;
  seeded: boolean;
  earlier_draws: number;
  leakage_together_bits: Measured;
  verification: { passed: boolean; mode: string; checks: Check[]; not_seen: string[] };
}
