// The report in a real browser: for any facts it draws, fits, stays silent and says nothing that was not measured.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { missing, Reports, settled } from "./browser.mjs";
import { categorical, city, crowded, full, manyNames, minimal, names, oneGroup, places, torn, twoSecrets } from "./facts.mjs";

const SAMPLES = { full, minimal, oneGroup, crowded: crowded(), categorical, names, manyNames, places, city, twoSecrets };
const CHARTS = {
  full: 13,
  minimal: 0,
  oneGroup: 3,
  crowded: 15,
  categorical: 2,
  names: 3,
  manyNames: 1,
  places: 8,
  city: 3,
  twoSecrets: 4,
};
const SHOTS = process.env.HYOBSCURE_SHOTS; // a folder: also writes screenshots to look at

const BROKEN = /\b(NaN|undefined|null|Infinity)\b|\[object/;

const why = missing();
if (why) console.log(`web_report skipped: ${why}`);

/** Shapes of data in a chart: what a frame with axes alone does not have. */
function drawnShapes() {
  return [...document.querySelectorAll(".chart")].map((box) => ({
    label: box.getAttribute("aria-label"),
    // Axis lines and grid lines have no fill; bars, cells, symbols and their like have one.
    shapes: [...box.querySelectorAll("svg path, svg rect, svg circle")].filter((shape) => {
      const fill = shape.getAttribute("fill");
      const { width, height } = shape.getBoundingClientRect();
      return fill && fill !== "none" && fill !== "transparent" && width > 0 && height > 0;
    }).length,
  }));
}

function visibleText() {
  document.querySelectorAll("details").forEach((details) => (details.open = !details.classList.contains("notices")));
  const labels = [...document.querySelectorAll("[aria-label]")].map((element) => element.getAttribute("aria-label"));
  const drawn = [...document.querySelectorAll("svg text")].map((element) => element.textContent);
  return [document.title, document.querySelector("header").innerText, document.querySelector("main").innerText, ...labels, ...drawn].join(
    "\n",
  );
}

function overflow() {
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}

describe("the report in Chromium", { skip: why }, () => {
  const reports = new Reports();
  const urls = {};
  before(async () => {
    await reports.start();
    for (const [name, facts] of Object.entries(SAMPLES)) urls[name] = reports.write(facts);
    if (SHOTS) mkdirSync(SHOTS, { recursive: true });
  });
  after(() => reports.stop());

  for (const name of Object.keys(SAMPLES)) {
    for (const width of [360, 1400]) {
      for (const colorScheme of ["light", "dark"]) {
        test(`${name} at ${width} pixels, ${colorScheme}: draws, fits, loads nothing`, async () => {
          const { page, faults } = await reports.open(urls[name], { width, colorScheme });
          if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
          assert.equal(await page.evaluate(overflow), 0, "the page is wider than the screen");
          const charts = await page.evaluate(drawnShapes);
          assert.equal(charts.length, CHARTS[name]);
          for (const chart of charts) {
            assert.ok(chart.label.length > 20, "a chart has a description");
            assert.ok(chart.shapes > 0, `nothing is drawn: ${chart.label}`);
          }
          const text = await page.evaluate(visibleText);
          assert.doesNotMatch(text, BROKEN);
          assert.equal(await page.evaluate(overflow), 0, "the page is wider than the screen with its tables open");
          assert.equal(await page.evaluate(() => window.hacked), undefined, "text of users was run");
          assert.equal(await page.locator("main img, main script, header img").count(), 0, "text of users became an element");
          assert.deepEqual(faults, []);
          await page.close();
        });
      }
    }
  }

  test("facts with any part missing or null still make a report without gaps", async () => {
    let charts = 0;
    const bases = [full, full, places, twoSecrets, names];
    for (let seed = 1; seed <= 20; seed += 1) {
      const { page, faults } = await reports.open(reports.write(torn(seed, bases[seed % bases.length])), { width: 900 });
      assert.deepEqual(faults, [], `seed ${seed}`);
      for (const chart of await page.evaluate(drawnShapes)) {
        charts += 1;
        assert.ok(chart.shapes > 0, `seed ${seed}: nothing is drawn: ${chart.label}`);
      }
      assert.doesNotMatch(await page.evaluate(visibleText), BROKEN, `seed ${seed}`);
      await page.close();
    }
    assert.ok(charts > 40, "the tears leave most charts");
  });

  /** Rectangles of the figure of the groups by the box that they fill, and its texts. */
  const squaresOf = (page) =>
    page.evaluate(() => {
      const svg = document.querySelector("#groups .chart svg");
      const box = svg.getBoundingClientRect();
      const filled = [...svg.querySelectorAll("path, rect")].filter(
        (shape) => /^rgb/.test(shape.getAttribute("fill") ?? "") && shape.getBoundingClientRect().width > 1,
      );
      const inside = filled.every((shape) => {
        const own = shape.getBoundingClientRect();
        return own.left >= box.left - 1 && own.right <= box.right + 1 && own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
      });
      const outline = [...svg.querySelectorAll("path")]
        .map((path) => path.getAttribute("d"))
        .reduce((longest, d) => (d.length > longest.length ? d : longest), "");
      return {
        filled: filled.length,
        colours: new Set(filled.map((shape) => shape.getAttribute("fill"))).size,
        inside,
        texts: [...svg.querySelectorAll("text")].map((text) => text.textContent),
        sides: outline.split("M").length - 1,
      };
    });

  test("areas are drawn on a map: a square for each cell, outlines, numbers, a scale, and what a cell holds", async () => {
    const { page, faults } = await reports.open(urls.places);
    const map = await squaresOf(page);
    assert.equal(map.filled, places.map.cells.length);
    assert.ok(map.inside, "a square lies beyond the figure");
    assert.ok(map.colours >= places.groups.length);
    assert.ok(map.sides > 20, "there are no outlines");
    places.groups.forEach((_, i) => assert.ok(map.texts.includes(String(i + 1)), `area ${i + 1} has no number`));
    assert.ok(map.texts.includes("5 km") && map.texts.some((text) => /north/.test(text)));
    assert.deepEqual(
      await page.locator("#groups .legend .entry").allTextContents(),
      places.groups.map((group, i) => `${i + 1} · ${group.label}`),
    );
    assert.equal(await page.locator("#groups figure tbody tr").count(), places.map.cells.length);
    const chart = page.locator("#groups .chart");
    const { width } = await chart.boundingBox();
    await chart.hover({ position: { x: width / 2, y: 150 } });
    await page.waitForFunction(() => /\d+ people in this cell/.test(document.querySelector("#groups .chart")?.innerText ?? ""));
    assert.match(await page.locator("#groups").innerText(), /area \d/);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("a map of cells without coordinates says so and has no north; two groups in a cell are both shown", async () => {
    const cells = [
      { row: 0, column: 0, people: 3, group: "b" },
      { row: 0, column: 0, people: 9, group: "a" },
      { row: 0, column: 1, people: 2, group: "a" },
    ];
    const facts = {
      data: { secret_kind: "ordered, spatial", axes: ["age", "home"], people: 14 },
      groups: [
        { label: "a", people: 11 },
        { label: "b", people: 3 },
      ],
      map: { cell_km: 2, on_earth: false, cells },
    };
    const { page, faults } = await reports.open(reports.write(facts));
    const map = await squaresOf(page);
    assert.equal(map.filled, 2);
    assert.ok(map.texts.includes("1") && !map.texts.includes("2") && !map.texts.some((text) => /north/.test(text)));
    const text = await page.locator("#groups").innerText();
    assert.match(text, /taken as 2 km wide/);
    assert.match(text, /the colour of the largest/);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("names are bars under the name of their group; hundreds are shown by group and stay in the table", async () => {
    const { page, faults } = await reports.open(urls.names);
    const drawn = await squaresOf(page);
    assert.ok(drawn.filled >= names.histogram.length);
    for (const label of ["breathing", "bones", "skin"])
      assert.ok(
        drawn.texts.some((text) => text.startsWith(`${label} (`)),
        label,
      );
    assert.deepEqual(faults, []);
    const { page: many } = await reports.open(urls.manyNames);
    const grouped = await squaresOf(many);
    assert.ok(grouped.filled < 40);
    assert.equal(await many.locator("#groups figure tbody tr").count(), manyNames.histogram.length);
    await page.close();
    await many.close();
  });

  test("two secrets are a plane of squares, and a table says what a group covers of each", async () => {
    const { page, faults } = await reports.open(urls.twoSecrets);
    const plane = await squaresOf(page);
    assert.equal(plane.filled, twoSecrets.plane.points.length);
    assert.ok(plane.inside);
    for (const text of ["female", "male", "other", "18", "1", "7"]) assert.ok(plane.texts.includes(text), text);
    assert.deepEqual(await page.locator("#groups > .table th[scope=col]").allTextContents(), [
      "group",
      "age",
      "gender",
      "people",
      "distinct values",
    ]);
    assert.deepEqual(await page.locator("#groups > .table tbody tr").nth(1).locator("td").allTextContents(), [
      "27-37",
      "female",
      "80",
      "10",
    ]);
    assert.deepEqual(faults, []);
    const turned = {
      ...twoSecrets,
      plane: {
        x: twoSecrets.plane.y,
        y: twoSecrets.plane.x,
        points: twoSecrets.plane.points.map((point) => ({ ...point, x: point.y, y: point.x })),
      },
    };
    const { page: other } = await reports.open(reports.write(turned));
    assert.deepEqual(await squaresOf(other), plane, "numbers lie and names stand, whichever comes first");
    await page.close();
    await other.close();
  });

  test("on paper maps and planes are drawn in its width", async () => {
    for (const name of ["places", "city", "twoSecrets"]) {
      const { page, faults } = await reports.open(urls[name], { colorScheme: "dark" });
      await page.evaluate(() =>
        addEventListener(
          "beforeprint",
          () => (window.printed = Number(document.querySelector("#groups .chart svg").getAttribute("width"))),
        ),
      );
      await page.pdf({ format: "A4", printBackground: true, path: SHOTS && `${SHOTS}/${name}.pdf` });
      assert.equal(await page.evaluate(() => window.printed), 680);
      assert.deepEqual(faults, []);
      await page.close();
    }
  });

  test("the first screen says what passes, what is open and what was not measured, with three figures", async () => {
    const { page, faults } = await reports.open(urls.full);
    const first = page.locator("main > section").first();
    assert.equal(await first.getAttribute("id"), "verdict");
    assert.equal(await first.locator(".tile .figure").count(), 3);
    assert.match(await first.locator(".headline").innerText(), /No check speaks against it\. 2 points are open, for you to judge\./);
    assert.match(await first.locator("h2").innerText(), /May this be published\?/);
    assert.match(await first.locator(".light.open").innerText(), /a true row of somebody[^]*1 of 4 trained attackers gains/);
    assert.match(await first.locator(".light.not_stated").innerText(), /12 of 13 questions that only the publisher can answer/);
    assert.match(await first.locator(".light.passes").innerText(), /All 5 checks of the release passed/);
    assert.match(await first.locator(".light.not_measured").innerText(), /informed attacker names the exact value/);
    assert.deepEqual(faults, []);
    const { page: bad } = await reports.open(urls.oneGroup);
    assert.match(await bad.locator("#verdict .headline").innerText(), /2 points are against publishing these files/);
    assert.match(await bad.locator(".light.failed").innerText(), /every group has 100 people \(smallest 1\)[^]*come from a seed/);
    await page.close();
    await bad.close();
  });

  test("the evidence names what has no answer first, and prints the context as the publisher stated it", async () => {
    const { page, faults } = await reports.open(urls.full);
    const evidence = page.locator("#evidence");
    const text = await evidence.innerText();
    assert.ok(text.indexOf("Not measured") < text.indexOf("All questions"));
    assert.match(text, /Who approved the release\? \(context\.approver\)/);
    assert.match(text, /stated by the publisher: Two <i>universities<\/i> with an agreement/);
    assert.deepEqual(await evidence.locator("caption").allTextContents(), [
      "ISO/IEC 27559:2022",
      "WP29 Opinion 05/2014",
      "ICO guidance on anonymisation",
      "What was done to the data, and what was not",
    ]);
    for (const link of await evidence.locator("a").all())
      assert.equal(await page.locator(await link.getAttribute("href")).count(), 1, "a place to look");
    assert.deepEqual(faults, []);
    await page.close();
    const { page: phone } = await reports.open(urls.full, { width: 390 });
    const { width } = await phone.locator("#evidence tbody th").first().boundingBox();
    assert.ok(width > 300, `a question has ${width} pixels`);
    await phone.close();
    const { page: methods } = await reports.open(reports.write({ comparison: { headline: "3 methods." }, frontier: full.frontier }));
    assert.equal(await methods.locator("#evidence").count(), 0);
    await methods.close();
  });

  test("attackers who look for a row stand beside their controls, with and without scripts", async () => {
    const shares = (mean) => ({ mean, low: mean - 0.02, high: mean + 0.02 });
    const facts = {
      release: full.release,
      audit: {
        known_entries: {
          of: [{ known: 8, own_row: shares(0.38), rest_true: shares(0.7), rest_true_random: shares(0.07), one_fits_absent: shares(0.05) }],
        },
        matching: { rows: 500, auc: shares(0.61), shuffled_auc: shares(0.52), nearest: shares(0.19), shuffled_nearest: shares(0.03) },
        beyond_the_sample: { covers: "It covers this.", leakage: { bits: 1.78, low: 1.7, high: 1.86 } },
      },
    };
    const url = reports.write(facts);
    const { page, faults } = await reports.open(url);
    const text = (await page.locator("#attacks").innerText()).replaceAll("\u00a0", " ");
    assert.match(text, /38 % \(36 % to 40 %\)\s+70 % \(68 % to 72 %\)\s+7\.0 % \(5\.0 % to 9\.0 %\)/);
    assert.match(text, /ranks 500 published rows[^]*0\.61[^]*0\.52[^]*not measured/);
    assert.match(text, /between 1\.70 bits and 1\.86 bits[^]*It covers this\./);
    assert.match(
      await page.locator("#verdict .light.open").innerText(),
      /38 % of the people: exactly their own true row is found .* 8 entries/,
    );
    assert.equal(await page.locator("#verdict .tile").count(), 4, "the share that is found is one of the figures that matter");
    assert.doesNotMatch(await page.evaluate(visibleText), BROKEN);
    assert.deepEqual(faults, []);
    await page.close();
    const { page: plain } = await reports.open(url, { scripts: false });
    assert.match(await plain.locator("body").innerText(), /0\.38 \(0\.36 to 0\.4\)[^]*Matching of a person's whole true row/);
    await plain.close();
  });

  test("failed checks stand first, those that hold are folded; settings that were given come before defaults", async () => {
    const checks = [
      { what: "holds well", passed: true },
      { what: "a note", passed: false, warning: true },
      { what: "is wrong", passed: false },
      { what: "was not made", passed: null },
    ];
    const { page, faults } = await reports.open(reports.write({ checks, settings: full.settings }));
    const lines = await page.locator("#published .checks li").allTextContents();
    assert.deepEqual(
      lines.map((line) => line.replace(/\s+/g, " ")),
      ["✗FAILED: is wrong", "!does not hold, for you to judge: a note", "?not measured: was not made", "✓holds: holds well"],
    );
    assert.equal(await page.locator("#published details").getAttribute("open"), null);
    assert.equal(await page.locator("#published details summary").innerText(), "1 of 4 checks hold");
    assert.equal(await page.locator("#settings > .table tbody tr").count(), 3);
    assert.equal(await page.locator("#settings details tbody tr").count(), 3);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("without scripts the page has the same facts as text, and nothing that waits for a script", async () => {
    for (const [name, facts] of Object.entries({ full, oneGroup, places, crowded: SAMPLES.crowded })) {
      for (const width of [390, 1280]) {
        const { page, faults } = await reports.open(urls[name], { width, scripts: false });
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-static.png`, fullPage: true });
        const text = await page.locator("body").innerText();
        for (const check of facts.checks ?? []) assert.ok(text.includes(check.what.trim()), `${name}: ${check.what}`);
        for (const group of facts.groups)
          assert.ok(text.replace(/\s+/g, " ").includes(group.label.replace(/\s+/g, " ").trim()), group.label);
        for (const attack of facts.audit?.attacks ?? []) assert.ok(text.includes(`${attack.attacker}, scenario ${attack.scenario}`));
        for (const limit of facts.limits ?? []) assert.ok(text.includes(limit.trim()), limit);
        assert.match(text, /May this be published\?/);
        assert.match(text, /not part of the release/);
        assert.doesNotMatch(text, BROKEN);
        for (const waiting of [".theme", "nav", ".skip"]) assert.equal(await page.locator(waiting).isVisible(), false, waiting);
        assert.deepEqual(faults, []);
        await page.close();
      }
    }
    const { page } = await reports.open(urls.full, { scripts: false });
    const text = await page.locator("body").innerText();
    assert.match(text, /groups\.count\s+4/);
    assert.doesNotMatch(text, /method\.balanced/, "a default");
    assert.match(text, /more than 60 % of the people/);
    await page.close();
  });

  test("on paper no table is cut, and what is not folded open says where it is", async () => {
    for (const name of ["full", "crowded", "names", "twoSecrets"]) {
      const { page } = await reports.open(urls[name], { width: 680 });
      await page.emulateMedia({ media: "print" });
      const found = await page.evaluate(() => {
        dispatchEvent(new Event("beforeprint"));
        const shown = (element) => element.getClientRects().length > 0;
        return {
          cut: [...document.querySelectorAll(".table")]
            .filter((box) => shown(box) && box.scrollWidth > box.clientWidth)
            .map((box) => box.getAttribute("aria-label")),
          hidden: [...document.querySelectorAll("main details")].filter((details) => !details.open || !shown(details)).length,
          notes: [...document.querySelectorAll(".only-on-paper")].filter(shown).length,
        };
      });
      assert.deepEqual(found.cut, [], name);
      assert.equal(found.hidden, found.notes, `${name}: something is folded and not said`);
      await page.close();
    }
  });

  test("a comparison is titled as one, with the recommended method and nothing of a release", async () => {
    const facts = {
      title: "Comparison of methods on 600 people",
      comparison: { headline: "3 methods at 3 budgets.", recommended: { method: "fine", why: "It leaks least at 3 of 3 budgets." } },
      frontier: full.frontier,
    };
    const { page, faults } = await reports.open(reports.write(facts));
    const first = page.locator("#verdict");
    assert.match(
      await first.innerText(),
      /The comparison at a glance[^]*3 methods at 3 budgets[^]*Recommended method[^]*fine[^]*leaks least/,
    );
    assert.equal(await first.locator(".light").count(), 0);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("a map on earth says where its corners and cells are", async () => {
    const degrees = { south: 52.3, west: -4.8, height: 0.009, width: 0.0147 };
    const facts = { ...places, map: { ...places.map, degrees } };
    const { page, faults } = await reports.open(reports.write(facts));
    const { texts } = await squaresOf(page);
    const rows = places.map.cells.map((cell) => cell.row);
    const columns = places.map.cells.map((cell) => cell.column);
    const south = (52.3 + 0.009 * Math.min(...rows)).toFixed(4);
    const east = Math.abs(-4.8 + 0.0147 * (Math.max(...columns) + 1)).toFixed(4);
    assert.ok(
      texts.some((text) => text.startsWith(`↙ ${south}° N`)),
      texts.join(),
    );
    assert.ok(
      texts.some((text) => text.includes(`${east}° W ↗`)),
      texts.join(),
    );
    await page.locator("#groups figure summary").click();
    assert.match(await page.locator("#groups figure tbody tr").first().innerText(), /52\.\d{4}° N, 4\.\d{4}° W/);
    assert.match(await page.locator("#groups").innerText(), /connected among inhabited cells/);
    assert.deepEqual(faults, []);
    await page.close();
    for (const width of [360, 390]) {
      const { page: narrow } = await reports.open(reports.write(facts), { width });
      const inside = await narrow.evaluate(() => {
        const box = document.querySelector("#groups .chart svg").getBoundingClientRect();
        return [...document.querySelectorAll("#groups .chart svg text")].every((text) => {
          const own = text.getBoundingClientRect();
          return own.left >= box.left - 1 && own.right <= box.right + 1 && own.bottom <= box.bottom + 1;
        });
      });
      assert.ok(inside, "coordinates reach beyond the drawing");
      await narrow.close();
    }
  });

  test("25 groups have a number over their band and their name in a legend, on a phone too", async () => {
    const bounds = Array.from({ length: 25 }, (_, i) => [18 + 2 * i, 19 + 2 * i]);
    const facts = {
      data: { secret: "age", secret_kind: "ordered", people: 1000 },
      groups: bounds.map(([low, high]) => ({ label: `${low}-${high}`, low, high, people: 40, values: 2 })),
      histogram: Array.from({ length: 50 }, (_, i) => ({ value: 18 + i, people: 20 })),
    };
    for (const width of [360, 1280]) {
      const { page, faults } = await reports.open(reports.write(facts), { width });
      const { texts } = await squaresOf(page);
      for (let number = 1; number <= 25; number += 1) assert.ok(texts.includes(String(number)), `${width}: ${number}`);
      assert.equal(await page.locator("#groups .legend .entry").count(), 25);
      assert.equal(await page.locator("#groups .legend .entry").nth(2).innerText(), "3 · 22-23");
      assert.deepEqual(faults, []);
      await page.close();
    }
  });

  test("of one release the exact error is drawn, not that of the people who were drawn for", async () => {
    const facts = structuredClone(full);
    facts.audit.informed = {
      error: 0.65,
      group_only: 0.7,
      repeated: [
        { releases: 1, people: 1000, error: { mean: 0.683, low: 0.67, high: 0.69 } },
        { releases: 2, people: 1000, error: { mean: 0.5, low: 0.48, high: 0.52 } },
      ],
    };
    const { page } = await reports.open(reports.write(facts));
    const text = await page.evaluate(visibleText);
    assert.doesNotMatch(text, /0\.683/);
    assert.match(text, /The error after one release is exact; after more it was measured on 1,000 people/);
    await page.close();
  });

  test("colours follow the system, and the reader's choice beats it", async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const { page } = await reports.open(urls.full, { colorScheme: "dark" });
    const dark = await ground(page);
    const bar = () =>
      page.evaluate(() =>
        document
          .querySelector("#groups .chart")
          .innerHTML.match(/rgb\(\d+, ?\d+, ?\d+\)/g)
          .join(),
      );
    const darkBars = await bar();
    await page.selectOption("#theme", "light");
    await settled(page);
    const light = await ground(page);
    assert.notEqual(dark, light);
    assert.notEqual(await bar(), darkBars, "charts change with the page");
    await page.emulateMedia({ colorScheme: "light" });
    await page.selectOption("#theme", "auto");
    assert.equal(await ground(page), light);
    await page.close();
  });

  test("a chart that was resized is the chart that is drawn at once", async () => {
    const drawing = (page) =>
      page.evaluate(() =>
        [...document.querySelectorAll(".chart svg")].map((svg) =>
          svg.outerHTML.replace(/zr\d+-|ec_\w+|id="[^"]*"|class="[^"]*"|#zr[^)"]*/g, ""),
        ),
      );
    const { page: resized } = await reports.open(urls.full, { width: 1400 });
    await resized.setViewportSize({ width: 620, height: 900 });
    await settled(resized);
    const { page: fresh } = await reports.open(urls.full, { width: 620 });
    const [one, other] = [await drawing(resized), await drawing(fresh)];
    one.forEach((svg, i) => assert.equal(svg, other[i], `chart ${i}`));
    await resized.close();
    await fresh.close();
  });

  test("on paper the report is light, its charts have the width of the paper, and the screen comes back", async () => {
    const { page, faults } = await reports.open(urls.full, { colorScheme: "dark" });
    await page.evaluate(() => {
      addEventListener("beforeprint", () => {
        const charts = [...document.querySelectorAll(".chart svg")];
        window.printed = {
          theme: document.documentElement.dataset.theme,
          widths: charts.map((svg) => Number(svg.getAttribute("width"))),
          shapes: charts.map((svg) => svg.querySelectorAll("path").length),
        };
      });
    });
    await page.evaluate(() =>
      addEventListener("beforeprint", () => {
        const width = document.documentElement.clientWidth;
        window.folded = document.querySelectorAll("details.on-paper:not([open])").length;
        window.cut = [...document.querySelectorAll("details.on-paper")].filter((details) => details.scrollWidth > width).length;
      }),
    );
    const pdf = await page.pdf({ format: "A4", printBackground: true, path: SHOTS && `${SHOTS}/full.pdf` });
    assert.deepEqual(await page.evaluate(() => [window.folded, window.cut]), [0, 0], "checks are open on paper");
    assert.equal(await page.locator("details.on-paper[open]").count(), 0, "and folded again behind it");
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    const printed = await page.evaluate(() => window.printed);
    assert.equal(printed.theme, "light");
    assert.equal(printed.widths.length, CHARTS.full);
    for (const width of printed.widths) assert.ok(width > 300 && width <= 680, `a chart is ${width} pixels wide`);
    for (const shapes of printed.shapes) assert.ok(shapes > 3);
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "auto");
    assert.equal(await page.evaluate(overflow), 0);
    assert.deepEqual(faults, []);
    const { page: empty } = await reports.open(urls.minimal);
    assert.ok(pdf.length > 2 * (await empty.pdf({ format: "A4" })).length, "the charts are in the PDF");
    await page.close();
    await empty.close();
  });

  test("another pool, another measure and a switched-off method change the drawing and its table", async () => {
    const { page, faults } = await reports.open(urls.full);
    const drawing = (id) => page.locator(`#${id} .chart svg`).evaluate((svg) => svg.outerHTML);
    let before = await drawing("channel");
    await page.selectOption("#channel select", "3");
    assert.notEqual(await drawing("channel"), before);
    assert.match(await page.locator("#channel caption").textContent(), /45-50 \(121 people\)/);
    before = await drawing("frontier");
    await page.selectOption("#frontier select", "leakage");
    assert.notEqual(await drawing("frontier"), before);
    before = await drawing("tradeoff");
    const button = page.locator("#tradeoff .legend button").first();
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.notEqual(await drawing("tradeoff"), before);
    await button.click();
    assert.equal(await drawing("tradeoff"), before);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("a tooltip shows text of users as text", async () => {
    const { page, faults } = await reports.open(urls.crowded);
    const chart = page.locator("#channel .chart");
    await chart.scrollIntoViewIfNeeded();
    await page.selectOption("#channel select", "1");
    await chart.hover({ position: { x: 120, y: 80 } });
    await page.waitForFunction(() => /own cluster/.test(document.querySelector("#channel .chart")?.innerText ?? ""));
    const group = page.locator("#groups .chart");
    await group.hover({ position: { x: 95, y: 270 } });
    await page.waitForFunction(() => /published as/.test(document.querySelector("#groups .chart")?.innerText ?? ""));
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(faults, []);
    await page.close();
  });

  test("headings go down by one, tables have captions, controls have names, places of the contents exist", async () => {
    const { page } = await reports.open(urls.full);
    const found = await page.evaluate(() => {
      const levels = [...document.querySelectorAll("h1, h2, h3")].map((heading) => Number(heading.tagName[1]));
      return {
        levels,
        tables: [...document.querySelectorAll("table")].map((table) => table.caption?.textContent ?? ""),
        selects: [...document.querySelectorAll("select")].map((select) => select.labels.length),
        figures: [...document.querySelectorAll("figure")].map(
          (figure) => !!figure.querySelector("figcaption") && !!figure.querySelector("table"),
        ),
        broken: [...document.querySelectorAll("a[href]")]
          .map((link) => link.getAttribute("href"))
          .filter((href) => !href.startsWith("#") || !document.querySelector(href)),
      };
    });
    assert.equal(found.levels.filter((level) => level === 1).length, 1);
    found.levels.reduce((above, level) => (assert.ok(level <= above + 1), level), 0);
    for (const caption of found.tables) assert.ok(caption.length > 5);
    for (const labels of found.selects) assert.equal(labels, 1);
    assert.ok(found.figures.length === CHARTS.full && found.figures.every(Boolean));
    assert.deepEqual(found.broken, []);
    await page.close();
  });

  test("text stands out from its ground in both themes", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await reports.open(urls.oneGroup, { colorScheme });
      const faint = await page.evaluate(() => {
        const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
        const luminance = (colour) => {
          const [r, g, b] = numbers(colour)
            .slice(0, 3)
            .map((x) => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (element) => {
          for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (numbers(colour)[3] !== 0) return colour;
          }
          return "rgb(255, 255, 255)";
        };
        return [...document.querySelectorAll("body *:not(svg *):not(script):not(style):not(noscript)")]
          .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && element.checkVisibility())
          .map((element) => {
            const [dark, light] = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => a - b);
            return { text: element.textContent.slice(0, 40), ratio: (light + 0.05) / (dark + 0.05) };
          })
          .filter(({ ratio }) => ratio < 4.5);
      });
      assert.deepEqual(faint, [], colorScheme);
      await page.close();
    }
  });
});
