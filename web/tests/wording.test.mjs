// The sentences of the report, without a browser: they must claim what was measured and no more.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { full, names, places, twoSecrets } from "./facts.mjs";

const report = join(dirname(fileURLToPath(import.meta.url)), "..", "report");
const bundle = await build({
  stdin: { contents: 'export * from "./summary"; export * from "./verdict"; export * from "./numbers";', resolveDir: report, loader: "ts" },
  bundle: true,
  write: false,
  format: "esm",
});
const { summarise, fanoSentence, judge, bits, measure, interval, mean, shareAtMost, share, bytes, inBits } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`
);

const around = (middle, half) => ({ mean: middle, low: middle - half, high: middle + half });
const SIGNAL = { unobscured: around(4.0, 0.05), group_only: around(4.28, 0.03) };
const BLIND = { unobscured: around(4.27, 0.05), group_only: around(4.28, 0.03) };
const said = (facts) => summarise(facts).join(" ").replaceAll("\u00a0", " ");

test("the summary of a whole run", () => {
  const text = said(full);
  assert.match(text, /^802 people, 4 age ranges\. Each person appears with an age range in place of the exact age/);
  assert.match(
    text,
    /Of the 4\.81 bits that an exact age holds, the release leaks 1\.76 \(37 %\): 1\.75 by the age ranges, 0\.014 by the features\./,
  );
  assert.match(text, /no more than chance explains/);
  assert.doesNotMatch(text, /Fano/, "the bound stands with the leakage");
  assert.match(fanoSentence(full).replaceAll("\u00a0", " "), /can name the exact age in more than 60 % of cases/);
  assert.match(text, /1 of 4 trained attacks still gains.*XGBoost, scenario I, gains 0\.10 years \(0\.07 to 0\.13\)/);
  assert.match(text, /For 2 of 4 trained attacks no gain .* could be measured/);
  assert.match(text, /1 of 4 trained attacks does not clearly beat .* even on unobscured features: on this data it shows nothing/);
  assert.match(
    text,
    /Rating prediction \(RMSE\) is 1\.031 with the published data and 1\.024 with the original data, 0\.7 % more; lower is better\./,
  );
});

test("places: wrong guesses in percent and distances in km, never the words of numbers", () => {
  const text = said(places);
  assert.match(text, /6 areas\. Each person appears with an area in place of the exact home/);
  assert.match(
    text,
    /By wrong guesses: 1 of 2 trained attacks still gains over the guess from the area alone\. The strongest, boosted trees, scenario II, gains 3\.0 percentage points \(1\.9 to 4\.1\)/,
  );
  assert.match(text, /By distance: 1 of 2 trained attacks still gains .* gains 0\.17 km \(0\.11 to 0\.23\)/);
  assert.match(
    text,
    /is right more often than the guess from the area alone \(wrong in 71 % of cases against 79 %\), and comes 0\.54 km closer .* \(error 1\.71 km against 2\.25 km\)/,
  );
  assert.doesNotMatch(text, /years|absolute error/);
});

test("names and several secrets read well", () => {
  assert.match(said(names), /4 groups\. Each person appears with a group of values in place of the exact diagnosis/);
  assert.match(said(names), /^(?!.*By wrong guesses).*1 of 2 trained attacks still gains .* 3\.0 percentage points/);
  assert.match(said(twoSecrets), /7 groups\. Each person appears with a group of values in place of the exact age and gender/);
  assert.match(said(twoSecrets), /an exact age and gender holds/);
});

test("an attack is judged by the interval of its advantage and by its controls", () => {
  const verdict = (advantage, controls) => judge({ advantage, ...controls }, "years").verdict;
  assert.equal(verdict(around(0.3, 0.1), SIGNAL), "gains");
  assert.equal(verdict(around(0.3, 0.1), BLIND), "gains", "a measured gain is reported whatever the controls say");
  assert.equal(verdict(around(0.05, 0.1), SIGNAL), "no gain");
  assert.equal(verdict({ mean: 0, low: 0, high: 0 }, SIGNAL), "no gain", "an interval that touches 0 is no gain");
  assert.equal(verdict(around(-0.3, 0.1), SIGNAL), "worse than guessing");
  assert.equal(verdict(around(0.05, 0.1), BLIND), "shows nothing here");
  assert.equal(verdict(around(0.05, 0.1), {}), "no gain", "without controls nothing is said about the data");
  assert.equal(verdict({ mean: null, why: "too few people" }, SIGNAL), "not measured");
  assert.match(
    judge({ advantage: around(0.05, 0.1), ...SIGNAL }, "years").words,
    /no gain could be measured; on unobscured features it gains 0\.28 years/,
  );
  assert.match(
    judge({ advantage: around(0.05, 0.1), ...SIGNAL, power: 0.12 }, "years").words,
    /no gain could be measured \(one of 0\.12 years would have been found nine times out of ten\); on unobscured/,
  );
  assert.match(judge({ advantage: { mean: null, why: "too few people" } }).words, /not measured \(too few people\)/);
});

test("a paired comparison with the guess decides before overlapping intervals do", () => {
  const wide = { unobscured: around(4.2, 0.3), group_only: around(4.28, 0.3), advantage: around(0, 0.01) };
  assert.equal(judge(wide).verdict, "shows nothing here");
  assert.equal(judge({ ...wide, unobscured_advantage: around(0.08, 0.02) }).verdict, "no gain");
});

test("figures that stand side by side have equal decimals, and show the difference that is spoken of", () => {
  const use = (published, unobscured) =>
    said({ audit: { utilities: [{ name: "use", published: { mean: published }, unobscured: { mean: unobscured } }] } });
  assert.match(use(2.01, 1.992), /is 2\.010 with the published data and 1\.992 with the original data, 0\.9 % more/);
  assert.match(use(100, 99), /is 100\.0 with the published data and 99\.0 with the original data, 1\.0 % more/);
  assert.match(use(3, 3), /is 3\.00 with the published data and 3\.00 with the original data\./);
});

test("more than chance explains is said so, and bounds that prove nothing too", () => {
  const leakage = { total: 2, groups: 1.7, features: 0.3, null: 0.1, null_deviation: 0.02, secret_entropy: 4, fano_error_bound: -0.1 };
  assert.match(said({ leakage }), /more than chance explains/);
  assert.match(fanoSentence({ leakage }), /proves nothing/);
  assert.match(said({ leakage: { ...leakage, features: 0.13 } }), /no more than chance explains/);
  assert.match(said({ leakage: { total: null, total_why: "one value only" } }), /not measured \(one value only\)/);
});

test("no facts, no sentences", () => {
  assert.deepEqual(summarise({}), []);
  assert.deepEqual(summarise({ leakage: null, audit: null, groups: null, data: null }), []);
});

test("numbers are short, and bounds are rounded to the safe side", () => {
  assert.equal(bits(1.7551), "1.76");
  assert.equal(bits(0.01412), "0.014");
  assert.equal(bits(1e-5), "0.00001");
  assert.equal(bits(1e-8), "less than 0.000001");
  assert.equal(bits(0), "0");
  assert.equal(inBits(NaN), "not measured");
  assert.equal(measure(0.28000000000000025), "0.28");
  assert.equal(measure(1234.5), "1,235");
  assert.equal(measure(100), "100");
  assert.equal(measure(-0.05), "\u22120.05");
  assert.equal(interval(around(4.27, 0.05), "years"), "4.27 years (4.22 to 4.32)");
  assert.equal(interval({ mean: 3 }), "3.00");
  assert.equal(mean(around(1.0311, 0.0041)), "1.031");
  assert.equal(shareAtMost(0.5901), "60\u00a0%");
  assert.equal(shareAtMost(0.59), "59\u00a0%");
  assert.equal(share(0.0001, 1), "less than 0.1\u00a0%");
  assert.equal(bytes(1832113), "1.8 MB");
});
