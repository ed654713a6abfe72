// Settings, and what the protection does not cover.
import { bulletList, el, table, type Child } from "./dom";
import { list, type Facts } from "./facts";
import { counted } from "./numbers";
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
  const rows = (given: boolean) =>
    settings.filter((one) => !!one.given === given).map((one) => [el("code", {}, String(one.key)), valueText(one.value)]);
  const tableOf = (caption: string, body: Child[][]) =>
    table({ caption, cards: true, columns: [{ name: "setting" }, { name: "value" }], rows: body });
  const [given, defaults] = [rows(true), rows(false)];
  const body: Node[] = given.length
    ? [tableOf("Given in the spec or as flags", given)]
    : [el("p", {}, "All settings have their defaults.")];
  if (defaults.length)
    body.push(
      el(
        "details",
        { class: "on-paper" },
        el("summary", {}, `${counted(defaults.length, "setting has its", "settings have their")} default`),
        tableOf("Defaults", defaults),
      ),
    );
  return { id: "settings", title: "Settings", body };
}

export function limitsSection(facts: Facts): Section | null {
  const limits = list(facts.limits).filter((text) => typeof text === "string" && text);
  return limits.length ? { id: "limits", title: "Limits of the protection", body: [bulletList(limits)] } : null;
}
