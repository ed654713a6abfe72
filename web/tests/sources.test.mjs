// What must hold of the sources themselves.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

test("types fit", () => {
  const checked = spawnSync(process.execPath, [join(web, "node_modules", "typescript", "bin", "tsc"), "--noEmit", "-p", web], {
    encoding: "utf8",
  });
  assert.equal(checked.status, 0, checked.stdout);
});

test("the lock file names versions and fingerprints, and no host", () => {
  const lock = readFileSync(join(web, "package-lock.json"), "utf8");
  assert.doesNotMatch(lock, /"resolved"|https?:/);
  assert.match(lock, /"integrity"/);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  for (const version of Object.values({ ...dependencies, ...devDependencies })) assert.match(version, /^\d+\.\d+\.\d+$/);
});

test("text never becomes markup", () => {
  for (const folder of ["report", "studio"])
    for (const file of readdirSync(join(web, folder)).filter((name) => /\.tsx?$/.test(name)))
      assert.doesNotMatch(
        readFileSync(join(web, folder, file), "utf8"),
        /innerHTML|outerHTML|InnerHTML|insertAdjacentHTML|document\.write|\beval\(/,
        file,
      );
});
