// node build.mjs FOLDER: writes the report's page without facts, as FOLDER/page.html to look at and as
// FOLDER/html_page.cpp to compile into the library. Nothing is fetched.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const FACTS_PLACE = '{"facts":"go here"}'; // kHtmlFactsPlace of report/html_page.h
const TEXT_PLACE = '{"text":"goes here"}'; // kHtmlTextPlace
const RAW_END = ")hyobscure_page";

const here = dirname(fileURLToPath(import.meta.url));
const source = (name) => readFileSync(join(here, "report", name), "utf8");

async function bundled(entry, options = {}) {
  const result = await build({
    entryPoints: [join(here, "report", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "utf8",
    legalComments: "none", // the notice of ECharts stands in page.html, where readers can find it
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

// A function as the replacement: "$&" in a script is text, not a reference.
function put(page, place, text) {
  if (page.split(place).length !== 2) throw new Error(`page.html must hold ${place} exactly once`);
  return page.replace(place, () => text);
}

// Licences that ask to go with every copy, as their packages carry them.
function notices() {
  const files = ["echarts/NOTICE", "echarts/LICENSE", "echarts/licenses/LICENSE-d3", "zrender/LICENSE", "tslib/LICENSE.txt"];
  const text = files.map((file) => `${file}\n\n${readFileSync(join(here, "node_modules", file), "utf8").trim()}`);
  return text.join("\n\n\n").replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

function asCpp(page) {
  if (page.includes(RAW_END)) throw new Error(`the page holds ${RAW_END}, which ends the raw string`);
  return `#include "hyobscure/report/html_page.h"

namespace hyobscure::report {

const std::string_view kHtmlPage = R"hyobscure_page(${page})hyobscure_page";

}  // namespace hyobscure::report
`;
}

async function makePage() {
  const script = await bundled("main.ts", { format: "iife", define: { "process.env.NODE_ENV": '"production"' } });
  if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its own element");
  const hash = createHash("sha256").update(script).digest("base64");
  let page = source("page.html");
  page = put(page, "/* style */", await bundled("page.css"));
  page = put(page, "script-hash", `sha256-${hash}`);
  page = put(page, "/* notices */", notices());
  page = put(page, "/* script */", script);
  for (const place of [FACTS_PLACE, TEXT_PLACE])
    if (page.split(place).length !== 2) throw new Error(`page.html must hold ${place} exactly once`);
  return page;
}

const folder = process.argv[2];
if (!folder) throw new Error("usage: node build.mjs FOLDER");
const page = await makePage();
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "page.html"), page);
writeFileSync(join(folder, "html_page.cpp"), asCpp(page));
