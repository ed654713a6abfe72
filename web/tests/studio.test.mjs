// The studio in a real browser: from nothing to a release, and what goes wrong on the way.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const CHROMIUM = process.env.HYOBSCURE_CHROMIUM || "/usr/bin/chromium";
const PROGRAM = process.env.HYOBSCURE_BINARY;
const missing = !existsSync(CHROMIUM)
  ? "there is no Chromium: install chromium, or set HYOBSCURE_CHROMIUM"
  : PROGRAM
    ? undefined
    : "HYOBSCURE_BINARY must name the program; ctest sets it";
if (missing) console.log(`web_studio skipped: ${missing}`);
const options = { skip: missing };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WORK = { timeout: 180_000 }; // of jobs, on a busy machine

let browser;
const folders = [];

before(async () => {
  if (missing) return;
  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
});
after(async () => {
  await browser?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "hyobscure-studio-"));
  folders.push(folder);
  return folder;
}

/** A running program, and pages of it. What a page complains of, or asks of anybody else, is a fault. */
class Studio {
  faults = [];

  static async start(folder, ...flags) {
    const studio = new Studio();
    studio.folder = folder;
    studio.process = spawn(PROGRAM, ["studio", folder, "--no-browser", "--json", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    studio.link = await new Promise((done) => {
      let text = "";
      studio.process.stdout.on("data", (data) => {
        text += data;
        if (text.includes("\n")) done(JSON.parse(text).link);
      });
    });
    studio.context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    return studio;
  }

  async open(link = this.link) {
    const page = await this.context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("console", (message) => message.type() !== "log" && this.faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => this.faults.push(`error: ${error.stack}`));
    page.on("request", (request) => {
      if (new URL(request.url()).host !== new URL(this.link).host && !/^(blob|data):/.test(request.url()))
        this.faults.push(`request: ${request.url()}`);
    });
    await page.goto(link);
    return page;
  }

  async end(signal = "SIGINT") {
    await this.context?.close();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const gone = new Promise((done) => this.process.once("exit", done));
    this.process.kill(signal);
    return gone;
  }
}

/** With its program ended, whatever the test found. */
async function withStudio(folder, use, ...flags) {
  const studio = await Studio.start(folder, ...flags);
  try {
    await use(studio);
  } finally {
    await studio.end();
  }
}

/** People who rated films, so few that everything is quick. */
function madeUp(folder, people = 200) {
  const flags = ["--people", String(people), "--items", "60", "--entries", "15"];
  const made = spawnSync(PROGRAM, ["synth", ...flags, "--dependence", "0.8", "-o", join(folder, "data")]);
  assert.equal(made.status, 0, String(made.stderr));
}

async function look(page) {
  await page.click("text=Look at this data");
  await page.waitForSelector("text=What is in it", WORK);
}

/** What axe calls serious or worse. */
async function seriousFindings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
}

async function isWiderThanTheScreen(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Each step must be readable in both themes and on a phone. */
async function checkLooks(page, step) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFindings(page), [], `${step}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 800 });
  assert.equal(await isWiderThanTheScreen(page), false, `${step} on a phone`);
  await page.setViewportSize({ width: 1280, height: 900 });
  const text = await page.innerText("body");
  for (const word of ["NaN", "undefined", "null bits", "[object"]) assert.ok(!text.includes(word), `${step} shows ${word}`);
}

test("from an empty folder to a release and its evidence, with the page alone", options, async () => {
  const folder = newFolder();
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await page.waitForSelector("text=There is no table in");
    assert.equal(new URL(page.url()).hash, "", "the token does not stay in the address bar");
    await page.fill("#made-up-people", "200");
    await page.click("text=Make them up");
    await page.click("text=Take these people", WORK);
    await page.waitForSelector("text=What is in it", WORK);
    await checkLooks(page, "Data");
    await page.click("text=Next: Protection");
    await page.waitForSelector("text=can be formed");
    await checkLooks(page, "Protection");
    await page.click("text=Next: Trade-off");
    await page.click("text=Compute the curve");
    const handle = page.locator(".curve .handle");
    await handle.waitFor(WORK);
    await handle.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /budget = /.test(document.querySelector("#spec-text")?.value ?? ""));
    await page.click("button:has-text('Undo')");
    await page.waitForFunction(() => /budget_share = /.test(document.querySelector("#spec-text")?.value ?? ""));
    await page.click("text=Compute the protection");
    await page.waitForSelector("text=Proven within", WORK);
    await checkLooks(page, "Trade-off");
    await page.click("text=Next: Attack");
    await page.click("main button.main:has-text('Attack')");
    await page.waitForSelector(".light .lamp", WORK);
    assert.equal(await page.locator("main .light").count(), 3);
    await checkLooks(page, "Attack");
    await page.click("text=Next: Publish");
    const accept = page.locator("text=I accept this leakage");
    if (await accept.count()) await accept.click();
    await page.click("text=Publish to release-1");
    await page.waitForSelector("text=Verified: all", WORK);
    await checkLooks(page, "Publish");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("tr:has-text('release-1/people.csv') >> text=Download"),
    ]);
    assert.equal(readFileSync(await download.path(), "utf8"), readFileSync(join(folder, "release-1", "people.csv"), "utf8"));
    await page.click("text=Read it here");
    await page.waitForSelector("#report-verdict");
    await checkLooks(page, "Evidence");
    assert.deepEqual(studio.faults, []);
  });
  const written = readdirSync(folder).filter((name) => !name.startsWith(".") && !/-2\./.test(name)); // 2: of a moved point
  assert.deepEqual(written, ["hyobscure-ledger.json", "made-up-ratings", "mechanism-1.json", "release-1", "report-1.html", "spec-1.toml"]);
});

test("limits that cannot be met are said at once, and the nearest that can are one click away", options, async () => {
  const folder = newFolder();
  madeUp(folder);
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await look(page);
    await page.click("text=Next: Protection");
    await page.waitForSelector("text=can be formed");
    const k = page.getByLabel("Fewest people of a group (k)");
    await k.focus();
    await page.keyboard.press("End"); // half of the people in each of four groups
    await page.waitForSelector(".problem >> text=Take the nearest");
    await page.click("text=Take the nearest");
    await page.waitForSelector("text=can be formed");
    // A border, by the keyboard: every group has just k people, so it cannot move, and stays where it was put.
    const border = page.locator(".group-bars [role=slider]").first();
    const before = await border.getAttribute("aria-valuetext");
    await border.focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForSelector("text=The groups are yours");
    await page.waitForSelector(".problem");
    assert.notEqual(await border.getAttribute("aria-valuetext"), before);
    await page.click("button:has-text('Undo')");
    await page.waitForSelector("text=The groups are yours", { state: "detached" });
    await page.waitForSelector("text=can be formed");
    await page.click("button:has-text('Redo')");
    await page.waitForSelector("text=The groups are yours");
    await page.waitForSelector(".problem");
    await page.click("text=Take the recommended");
    await page.waitForSelector("text=can be formed");
    assert.deepEqual(studio.faults, []);
  });
});

test("a file that is no table is told with its remedy, and so is a missing secret", options, async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "people.csv"), 'id,"age\n1,2\n\0\xff');
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await page.click("text=Look at this data");
    const problem = page.locator(".problem");
    await problem.waitFor();
    assert.match(await problem.innerText(), /people\.csv/);
    assert.ok((await problem.locator("p").nth(1).innerText()).length > 10, "no remedy");
    assert.deepEqual(studio.faults, []);
  });
});

test("a CSV of a wide table: columns that identify are left out, and one can be kept", options, async () => {
  const folder = newFolder();
  const rows = Array.from(
    { length: 240 },
    (_, i) => `${i},p${i}@example.org,${18 + ((i * 7) % 40)},${i % 2 ? "f" : "m"},${(i * 31) % 97},${(i * 17) % 89}`,
  );
  writeFileSync(join(folder, "patients.csv"), `id,email,age,gender,a,b\n${rows.join("\n")}\n`);
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await look(page);
    const email = page.locator("tr:has-text('email')").last();
    assert.match(await email.innerText(), /not published/);
    await page.getByLabel("What becomes of gender").selectOption("kept");
    await page.waitForFunction(() => /keep = \["gender"\]/.test(document.querySelector("#spec-text")?.value ?? ""));
    await page.waitForSelector("#version option[value='2']", { state: "attached", ...WORK });
    await page.waitForSelector("text=What is in it", WORK);
    assert.match(readFileSync(join(folder, "spec-2.toml"), "utf8"), /keep = \["gender"\]/);
    assert.deepEqual(studio.faults, []);
  });
});

test("100 columns stay usable: searched, and published or not with one click", options, async () => {
  const folder = newFolder();
  const names = Array.from({ length: 100 }, (_, i) => `lab${i}`);
  const rows = Array.from({ length: 120 }, (_, i) => `${i},${18 + (i % 40)},${names.map((_, c) => (i * (c + 3)) % 11).join(",")}`);
  writeFileSync(join(folder, "people.csv"), `id,age,${names.join(",")}\n${rows.join("\n")}\n`);
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await look(page);
    await page.waitForSelector("#search-columns");
    assert.ok((await page.locator("main tbody tr").count()) < 200, "not all rows are laid out");
    await page.fill("#search-columns", "lab9");
    assert.equal(await page.getByLabel(/What becomes of lab9/).count(), 11);
    await page.click("text=Publish none");
    await page.waitForFunction(() => !/"lab9"/.test(document.querySelector("#spec-text")?.value ?? '"lab9"'));
    assert.deepEqual(studio.faults, []);
  });
});

test("cancelling, reloading, a second tab, and a program that is killed during a fit", options, async () => {
  const folder = newFolder();
  madeUp(folder, 10_000); // a fit takes several seconds, even on a machine with nothing else to do
  const first = await Studio.start(folder);
  const page = await first.open();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(first.link);
  await stranger.waitForSelector("text=This tab has no key"); // the link was used
  await stranger.context().close();
  await look(page);
  await page.click("nav >> text=Trade-off");
  await page.click("text=Compute the protection");
  await page.waitForSelector("[role=status]:has-text('At work')");
  await page.click("text=Cancel");
  await page.waitForSelector("text=cancelled. Nothing was written", WORK);
  await page.click("text=Compute the protection");
  await page.waitForSelector(".progress");
  await page.reload(); // the tab keeps its bearer, and the job goes on
  await page.waitForSelector("[role=status]:has-text('At work')");
  const [other] = await Promise.all([first.context.waitForEvent("page"), page.click("text=New tab")]);
  await other.waitForSelector("[role=status]:has-text('At work: Computing the protection')");
  assert.deepEqual(first.faults, []);
  const gone = new Promise((done) => first.process.once("exit", done));
  first.process.kill("SIGKILL");
  await gone;
  await page.waitForSelector("text=the studio does not answer");
  await first.context.close();
  assert.ok(!existsSync(join(folder, "mechanism-1.json")));
  await withStudio(folder, async (studio) => {
    const again = await studio.open();
    await again.click("nav >> text=Trade-off");
    await again.waitForSelector("text=the studio was ended while this ran");
    assert.deepEqual(studio.faults, []);
  });
});

test("a spec, a command and the Python of each step can be copied, and a spec can be written by hand", options, async () => {
  const folder = newFolder();
  madeUp(folder);
  await withStudio(folder, async (studio) => {
    const page = await studio.open();
    await look(page);
    for (const step of ["Data", "Protection", "Trade-off", "Attack", "Publish"]) {
      await page.click(`nav >> text=${step}`);
      await page.click("text=The same without this page");
      for (const what of ["spec", "command", "Python"]) {
        await page.click(`text=Copy ${what}`);
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(copied, what === "spec" ? /\[people\]/ : what === "command" ? /^hyobscure / : /^import hyobscure/, `${step}, ${what}`);
      }
    }
    await page.fill("#spec-text", '[people]\nfile = "../people.csv"\n');
    await page.click("text=Take this spec");
    await page.waitForSelector(".problem");
    assert.deepEqual(
      studio.faults.filter((fault) => !fault.includes("422")),
      [],
    );
  });
});
