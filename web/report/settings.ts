// Settings, and what the protection does not cover.
import { bulletList, el, table } from "./dom";
import { list, type Facts } from "./facts";
import type { Section } from "./section";

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "" || (typeof value === "number" && !Number.isFinite(value))) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(valueText).join(", ") || "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function settingsSection(facts: Facts): Section | null {
  const settings = list(facts.settings).filter((one) => one.key);
  if (!settings.length) return null;
  const data = table({
    caption: "All settings of this run",
    cards: true,
    columns: [{ name: "setting" }, { name: "value" }, { name: "source" }],
    rows: settings.map((one) => [el("code", {}, String(one.key)), valueText(one.value), one.given ? "given" : "default"]),
  });
  return { id: "settings", title: "Settings", body: [data] };
}

export function limitsSection(facts: Facts): Section | null {
  const limits = list(facts.limits).filter((text) => typeof text === "string" && text);
  return limits.length ? { id: "limits", title: "Limits of the protection", body: [bulletList(limits)] } : null;
}
