import type { Figure } from "./chart";

/** A part of the report. Facts that are absent give no section. */
export interface Section {
  id: string;
  title: string;
  body: (Node | string)[];
  figures?: Figure[];
}
