// Reports of the program itself (TAUT_PROGRAM): opened from file://, played, scrubbed, clicked.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, open, project, scenePixels, seek, settle, time, type Pixels } from "./browser";

const program = process.env.TAUT_PROGRAM;
const skip = program ? false : "TAUT_PROGRAM is not set";
let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

// The report of a run of a built-in example, with whatever is to be appended to its model file.
function report(example: string, settings: string[], more: string): string {
  const folder = join(process.env.TAUT_SCRATCH!, `program-${example}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "model.toml");
  const text = execFileSync(program!, ["examples", example, ...settings.flatMap((each) => ["--set", each])], { encoding: "utf8" });
  writeFileSync(file, text + more);
  execFileSync(program!, ["run", file, "-o", join(folder, "run"), "--duration", "1"], { stdio: "pipe" });
  return join(folder, "run", "report.html");
}

// How many of the points along the line between two nodes are not background.
function covered(pixels: Pixels & { left: number; top: number }, p: { x: number; y: number }, q: { x: number; y: number }): number {
  const empty = pixels.at(3, pixels.height >> 1);
  let count = 0;
  for (let i = 1; i <= 20; i++) {
    const color = pixels.at(p.x + ((q.x - p.x) * i) / 21 - pixels.left, p.y + ((q.y - p.y) * i) / 21 - pixels.top);
    if (color.some((c, k) => Math.abs(c - empty[k]) > 50)) count++;
  }
  return count;
}

async function exercise(page: Page, bars: [string, string][], cable: string): Promise<void> {
  // Bars where their nodes project, at the start and later.
  for (const at of [0, 0.6]) {
    await seek(page, at);
    const pixels = await scenePixels(page);
    for (const [a, b] of bars) {
      const count = covered(pixels, (await project(page, a))!, (await project(page, b))!);
      assert.ok(count >= 18, `bar ${a}-${b} at ${at} s: ${count} of 20 points are drawn`);
    }
  }
  await seek(page, 0);
  const before = await scenePixels(page);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction(() => (window as unknown as { taut: { time(): number } }).taut.time() > 0.25);
  await page.keyboard.press("Space");
  await settle(page);
  const later = await scenePixels(page);
  let changed = 0;
  for (let y = 0; y < later.height; y++) {
    for (let x = 0; x < later.width; x++) if (before.at(x, y).some((c, k) => Math.abs(c - later.at(x, y)[k]) > 25)) changed++;
  }
  assert.ok(changed > 200, `${changed} pixels moved`);
  assert.ok((await time(page)) > 0.2);

  // The cable, by a click on some place of it that nothing nearer covers.
  const [a, b] = cable.split("-");
  let name: string | null = null;
  for (const part of [0.5, 0.35, 0.65, 0.25, 0.75]) {
    const [p, q] = [(await project(page, a))!, (await project(page, b))!];
    await page.mouse.click(p.x + part * (q.x - p.x), p.y + part * (q.y - p.y));
    name = await page.locator(".picked h3").textContent({ timeout: 2000 }).catch(() => null);
    if (name === cable) break;
  }
  assert.equal(name, cable);
  await page.getByRole("tab", { name: "Plots" }).click();
  const entry = page.locator('[data-plot="tensions"] .legend button').first();
  await entry.click();
  assert.equal(await entry.getAttribute("aria-pressed"), "false");
  await page.getByRole("tab", { name: "Summary" }).click();
  assert.ok((await page.locator(".data tr").count()) > 3);
}

const cases: [string, string[], string, [string, string][], string][] = [
  ["six_bar", ["spin_x=2", "damping=1"], "", [["n1", "n2"], ["n5", "n6"], ["n10", "n11"]], "n1-n5"],
  ["prism", ["fixed=1"], '\n[[loads]]\nnode = "b1"\nforce = [20, 0, -5]\nfrom = 0.0\nto = 0.5\n', [["a1", "b1"]], "b1-b2"],
  ["tower", ["fixed=1", "damping=2"], '\n[[loads]]\nnode = "b3_1"\nforce = [30, 0, 0]\n', [["a1_1", "b1_1"], ["a3_1", "b3_1"]], "b3_1-b3_2"],
];
for (const [example, settings, more, bars, cable] of cases) {
  test(`the report of ${example}`, { skip }, async () => {
    const file = report(example, settings, more);
    const { page, complaints } = await open(browser, file);
    const found = await page.evaluate("window.taut.errors");
    assert.deepEqual(found, []);
    assert.equal(await time(page), 0);
    await exercise(page, bars, cable);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

// Every mode in the list with its frequency; the first that is not zero swings at once, any other when it is chosen.
test("the page of the modes of six_bar", { skip }, async () => {
  const folder = join(process.env.TAUT_SCRATCH!, "program-modes");
  mkdirSync(folder, { recursive: true });
  execFileSync(program!, ["examples", "six_bar", "--set", "damping=3", "-o", join(folder, "model.toml")], { stdio: "pipe" });
  execFileSync(program!, ["modes", join(folder, "model.toml"), "-o", join(folder, "modes")], { stdio: "pipe" });
  const told = JSON.parse(readFileSync(join(folder, "modes", "modes.json"), "utf8"));
  const { page, complaints } = await open(browser, join(folder, "modes", "report.html"));
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
  const entries = page.locator(".modes .mode");
  assert.equal(await entries.count(), told.frequencies_hz.length);
  const frequency = async (index: number) => parseFloat((await entries.nth(index).locator(".mode-frequency").textContent())!);
  for (const index of [6, 29]) {
    assert.ok(Math.abs((await frequency(index)) / told.frequencies_hz[index] - 1) < 5e-3, `mode ${index + 1}`);
  }
  assert.equal(await entries.nth(6).getAttribute("aria-pressed"), "true");

  // By how many pixels a node moves in a quarter of the swing.
  const swing = async () => {
    const places = [];
    for (const at of [0, 0.5]) {
      await seek(page, at);
      places.push((await project(page, "n1"))!);
    }
    return Math.hypot(places[1].x - places[0].x, places[1].y - places[0].y);
  };
  assert.ok((await swing()) > 5);
  await entries.nth(29).click();
  assert.equal(await entries.nth(29).getAttribute("aria-pressed"), "true");
  assert.equal(await page.evaluate("window.taut.playing()"), true);
  await page.keyboard.press("Space");
  assert.ok((await swing()) > 5);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

// A sweep with its runs kept: the point of a run shows its row of the table and leads to its own report.
test("the page of a sweep of prisms", { skip }, async () => {
  const folder = join(process.env.TAUT_SCRATCH!, "program-sweep");
  mkdirSync(folder, { recursive: true });
  execFileSync(program!, ["examples", "prism", "--set", "fixed=1", "-o", join(folder, "prism.toml")], { stdio: "pipe" });
  writeFileSync(
    join(folder, "sweep.toml"),
    `model = "prism.toml"
set = ["simulation.duration=0.2", "environment.gravity=[0, 0, -9.81]"]
[[parameters]]
name = "k"
key = "cables.*.stiffness"
values = [-1, 500, 1000, 2000]
[[record]]
name = "lowest"
value = "min(nodes.b1.z)"
`,
  );
  execFileSync(program!, ["sweep", join(folder, "sweep.toml"), "-o", join(folder, "sweep"), "--keep-runs"], { stdio: "pipe" });
  const table = readFileSync(join(folder, "sweep", "table.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  const { page, complaints } = await open(browser, join(folder, "sweep", "report.html"));
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
  assert.match((await page.locator(".counts").textContent())!, /4 runs3 done1 refused1 parameter1 record/);
  await page.locator('[data-plot="scatter"]').scrollIntoViewIfNeeded();
  await page.waitForFunction(() => (window as unknown as { taut: { point(run: number): unknown } }).taut.point(2) !== null);
  const place = (await page.evaluate("window.taut.point(2)")) as { x: number; y: number };
  await page.mouse.click(place.x, place.y);
  assert.equal(await page.evaluate("window.taut.selected()"), 2);
  const values = (await page.locator(".run-body .values").allTextContents()).join(" ");
  assert.ok(values.includes("1000"), values);
  assert.ok(values.includes(String(Number(Number(table[3][2]).toPrecision(7)))), values);
  assert.deepEqual(complaints, []);
  await page.locator(".run-link").click();
  await page.waitForFunction(() => "time" in ((window as unknown as { taut?: object }).taut ?? {}));
  assert.ok(page.url().endsWith("/runs/000002/report.html"), page.url());
  await page.context().close();
});

// The page finds the course of cables by itself, from where the bodies are; the run has it from its joint coordinates.
for (const example of ["single_strut", "tensegrity_manipulator"]) {
  test(`the cables of ${example} leave their drums where the run says, and end at their nodes`, { skip }, async () => {
    const folder = join(process.env.TAUT_SCRATCH!, `program-${example}`);
    mkdirSync(folder, { recursive: true });
    const [model, out] = [join(folder, "model.toml"), join(folder, "run")];
    execFileSync(program!, ["examples", example, "-o", model], { stdio: "pipe" });
    execFileSync(program!, ["run", model, "-o", out, "--csv", "--duration", "0.2", "--output-step", "0.05"], { stdio: "pipe" });
    const read = (name: string) => {
      const [heading, ...rows] = readFileSync(join(out, name), "utf8").trim().split("\n").map((line) => line.split(","));
      return rows.map((row) => Object.fromEntries(row.map((value, i) => [heading[i], Number(value)])) as Record<string, number>);
    };
    const [joints, nodes] = [read("joints.csv"), read("nodes.csv")];
    const pulleys = Object.keys(joints[0]).filter((name) => name.endsWith(".tension")).map((name) => name.slice(0, -8));
    const tips = ["tip", "tip1", "tip2", "tip3"].filter((name) => `${name}.x` in nodes[0]);
    const { page, complaints } = await open(browser, join(out, "report.html"));
    const apart = (a: number[], b: number[]) => Math.hypot(...a.map((x, i) => x - b[i]));
    for (const [row, values] of joints.entries()) {
      await seek(page, values.t);
      for (const name of pulleys) {
        const course = (await page.evaluate(`window.taut.course("${name}")`)) as number[][];
        const [leaves, end] = course.slice(-2);
        const wanted = ["x", "y", "z"].map((axis) => values[`${name}.${axis}`]);
        assert.ok(apart(leaves, wanted) < 1e-6, `${name} at ${values.t} s: ${leaves} for ${wanted}`);
        const nearest = Math.min(...tips.map((tip) => apart(end, ["x", "y", "z"].map((axis) => nodes[row][`${tip}.${axis}`]))));
        assert.ok(nearest < 1e-6, `${name} ends ${nearest} m from a tip`);
      }
    }
    assert.ok(pulleys.length >= 3);
    assert.deepEqual(await page.evaluate("window.taut.errors"), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}
