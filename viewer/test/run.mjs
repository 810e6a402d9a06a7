// `node test/run.mjs unit` and `node test/run.mjs e2e [NAME]`: bundles the tests of that kind and runs them with node's own runner.
// e2e needs TAUT_PAGE (the bundled page; built here when unset), and uses TAUT_PROGRAM where it is set. Exit 77: skipped.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage, buildTests } from "../build.mjs";

const viewer = dirname(dirname(fileURLToPath(import.meta.url)));
const [kind, only = ""] = process.argv.slice(2);
if (kind !== "unit" && kind !== "e2e") {
  console.error("usage: node test/run.mjs unit | e2e [NAME]");
  process.exit(2);
}
const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
if (kind === "e2e" && (!chromium || !existsSync(chromium))) {
  console.log("skipped: there is no Chromium here (on Debian: apt-get install chromium; or set CHROMIUM)");
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "taut-viewer-"));
let status = 1;
try {
  await buildTests(folder, kind);
  const page = process.env.TAUT_PAGE ?? join(folder, "page.html");
  if (kind === "e2e" && !process.env.TAUT_PAGE) await buildPage(page);
  // Speed is measured when it is asked for (e2e speed), on a quiet machine; a busy one must not fail the tests.
  const wanted = (name) => (only ? name.includes(only) : !name.includes("speed"));
  const files = readdirSync(folder).filter((name) => name.endsWith(".cjs") && wanted(name)).map((name) => join(folder, name));
  const env = { ...process.env, NODE_PATH: join(viewer, "node_modules"), TAUT_PAGE: page, TAUT_SCRATCH: folder, CHROMIUM: chromium };
  // One after another: the machine has few processors and the browser wants them all.
  for (const file of files) {
    const done = spawnSync(process.execPath, ["--test", file], { env, stdio: "inherit" });
    status = files.indexOf(file) === 0 ? done.status ?? 1 : status || (done.status ?? 1);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
