// One browser for all tests of a file, and reports as the C++ library writes them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CHROMIUM = process.env.HYOBSCURE_CHROMIUM || "/usr/bin/chromium";
const WRITE_REPORT = process.env.HYOBSCURE_WRITE_REPORT;

/** Why the tests cannot run here; undefined where they can. */
export function missing() {
  if (!existsSync(CHROMIUM)) return "there is no Chromium: install chromium, or set HYOBSCURE_CHROMIUM";
  if (!WRITE_REPORT) return "HYOBSCURE_WRITE_REPORT must name the program write_report of the build; ctest sets it";
  return undefined;
}

export class Reports {
  #folder = mkdtempSync(join(tmpdir(), "hyobscure-report-"));
  #browser;
  #count = 0;

  async start() {
    const { chromium } = await import("playwright-core");
    this.#browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  }

  async stop() {
    await this.#browser?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  write(facts) {
    const made = spawnSync(WRITE_REPORT, { input: JSON.stringify(facts), maxBuffer: 1 << 28 });
    if (made.status !== 0) throw new Error(`write_report failed: ${made.stderr}`);
    const file = join(this.#folder, `${this.#count++}.html`);
    writeFileSync(file, made.stdout);
    return pathToFileURL(file).href;
  }

  /** An open report, and what went wrong in it or left for a network. */
  async open(url, { width = 1400, colorScheme = "light", scripts = true } = {}) {
    const page = await this.#browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: scripts });
    const faults = [];
    page.on("console", (message) => message.type() !== "log" && faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.stack}`));
    page.on("request", (request) => request.url() !== url && faults.push(`request: ${request.url()}`));
    await page.goto(url);
    if (scripts) await settled(page);
    return { page, faults };
  }
}

/** Charts draw when their place is known: two frames after the page is laid out. */
export async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}
