// node open_report.mjs report.html: opens a report as the program wrote it, light and dark, wide and narrow; says what is wrong.
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const page_url = pathToFileURL(process.argv[2]).href;
const browser = await chromium.launch({
  executablePath: process.env.HYOBSCURE_CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const wrong = [];
let charts = 0;
for (const colorScheme of ["light", "dark"])
  for (const width of [1400, 360]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const where = `${colorScheme}, ${width} px: `;
    page.on("console", (message) => message.type() === "error" && wrong.push(where + message.text()));
    page.on("pageerror", (error) => wrong.push(where + error));
    page.on(
      "request",
      (request) => request.url() !== page_url && !request.url().startsWith("data:") && wrong.push(where + "asks for " + request.url()),
    );
    await page.goto(page_url);
    await page.waitForSelector(".chart svg path", { state: "attached" });
    const text = await page.innerText("body");
    for (const word of ["NaN", "undefined", "null bits", "[object"]) if (text.includes(word)) wrong.push(where + "shows " + word);
    charts = await page.locator(".chart svg").count();
    if (await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth))
      wrong.push(where + "is wider than the screen");
    await page.close();
  }
await browser.close();
console.log(JSON.stringify({ charts, wrong }));
process.exit(wrong.length === 0 ? 0 : 1);
