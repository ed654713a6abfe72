// node build.mjs FOLDER [report|studio]: writes the report's page without facts, as FOLDER/page.html to look at and as
// FOLDER/html_page.cpp to compile into the library; and the studio's page, as FOLDER/studio_page.cpp. Nothing is fetched.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const FACTS_PLACE = '{"facts":"go here"}'; // kHtmlFactsPlace of report/html_page.h
const TEXT_PLACE = '{"text":"goes here"}'; // kHtmlTextPlace
const RAW_END = ")hyobscure_page";

const here = dirname(fileURLToPath(import.meta.url));
const source = (name) => readFileSync(join(here, name), "utf8");

/** `entry` is a file of web/, such as "report/entry.ts". */
async function bundled(entry, options = {}) {
  const result = await build({
    entryPoints: [join(here, entry)],
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
function notices(more = []) {
  const files = ["echarts/NOTICE", "echarts/LICENSE", "echarts/licenses/LICENSE-d3", "zrender/LICENSE", "tslib/LICENSE.txt", ...more];
  const text = files.map((file) => `${file}\n\n${readFileSync(join(here, "node_modules", file), "utf8").trim()}`);
  return text.join("\n\n\n").replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

function asCpp(page) {
  return `#include "hyobscure/report/html_page.h"

namespace hyobscure::report {

const std::string_view kHtmlPage = ${literal(page)};

}  // namespace hyobscure::report
`;
}

async function makePage() {
  const script = await bundled("report/entry.ts", { format: "iife", define: { "process.env.NODE_ENV": '"production"' } });
  if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its own element");
  const hash = createHash("sha256").update(script).digest("base64");
  let page = source("report/page.html");
  page = put(page, "/* style */", await bundled("report/page.css"));
  page = put(page, "script-hash", `sha256-${hash}`);
  page = put(page, "/* notices */", notices());
  page = put(page, "/* script */", script);
  for (const place of [FACTS_PLACE, TEXT_PLACE])
    if (page.split(place).length !== 2) throw new Error(`page.html must hold ${place} exactly once`);
  return page;
}

// Text as a raw string of C++.
function literal(text) {
  if (text.includes(RAW_END)) throw new Error(`the page holds ${RAW_END}, which ends the raw string`);
  return `R"hyobscure_page(${text})hyobscure_page"`;
}

async function makeStudio() {
  const script = await bundled("studio/main.tsx", {
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const page = put(source("studio/page.html"), "/* notices */", notices(["preact/LICENSE"]));
  return `#include "hyobscure/studio/page_files.h"

namespace hyobscure::studio {

const std::string_view kPageHtml = ${literal(page)};
const std::string_view kPageScript = ${literal(script)};
const std::string_view kPageStyle = ${literal(await bundled("studio/studio.css"))};

}  // namespace hyobscure::studio
`;
}

const folder = process.argv[2];
const which = process.argv[3] ?? "all";
if (!folder || !["all", "report", "studio"].includes(which)) throw new Error("usage: node build.mjs FOLDER [report|studio]");
mkdirSync(folder, { recursive: true });
if (which !== "studio") {
  const page = await makePage();
  writeFileSync(join(folder, "page.html"), page);
  writeFileSync(join(folder, "html_page.cpp"), asCpp(page));
}
if (which !== "report") writeFileSync(join(folder, "studio_page.cpp"), await makeStudio());
