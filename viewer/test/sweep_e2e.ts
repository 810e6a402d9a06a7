// The page of a sweep in a real browser: 200 runs and a million, clicked, filtered, turned dark, and with hostile names.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { keepReport, launch, open } from "./browser";
import { evil } from "./fixtures";
import { prismSweep, sweepDocument, towerSweep, type Row, type SweepFixture } from "./sweep_fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const selected = (page: Page): Promise<number | null> => page.evaluate("window.taut.selected()");
const point = (page: Page, run: number): Promise<{ x: number; y: number } | null> => page.evaluate(`window.taut.point(${run})`);
// Some pictures later: what came into sight or changed is drawn by then.
const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame);
  });
const plot = (page: Page, key: string) => page.locator(`[data-plot="${key}"]`);
const words = async (page: Page, key: string): Promise<string> => (await plot(page, key).locator(".chart-words").textContent())!;
const pick = (page: Page, key: string, word: string) => plot(page, key).getByRole("combobox", { name: new RegExp(`: ${word}$`) });

// How many pixels of a plot are painted in colour, neither text nor grid.
async function colored(page: Page, key: string): Promise<number> {
  await plot(page, key).scrollIntoViewIfNeeded();
  await drawn(page);
  return plot(page, key).locator("canvas").first().evaluate((canvas: HTMLCanvasElement) => {
    // From a copy: reading the canvas itself makes the browser complain.
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d", { willReadFrequently: true })!;
    pen.drawImage(canvas, 0, 0);
    const { data } = pen.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 40 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) count++;
    }
    return count;
  });
}

// The table of the selected run, by names.
async function shown(page: Page): Promise<Record<string, string>> {
  const rows = await page.locator(".run-body .values tr").allTextContents();
  const names = await page.locator(".run-body .values th").allTextContents();
  return Object.fromEntries(names.map((name, i) => [name, rows[i].slice(name.length)]));
}

test("200 runs: all plots are drawn, and a click shows the values of a run", async () => {
  const { page, complaints } = await open(browser, keepReport("prism", sweepDocument(prismSweep())));
  assert.match((await page.locator(".counts").textContent())!, /200 runs191 done8 failed1 refused2 parameters2 records/);
  assert.match((await page.locator(".warnings").textContent())!, /9 of 200 runs were lost/);
  // Two parameters of few values: the heat map comes first.
  assert.equal(await page.locator(".chart").first().getAttribute("data-plot"), "heat");
  const rows = [...prismSweep().rows];
  await plot(page, "scatter").scrollIntoViewIfNeeded();
  await drawn(page);
  for (const run of [57, 104]) {
    const place = (await point(page, run))!;
    await page.mouse.click(place.x, place.y);
    assert.equal(await selected(page), run);
    const values = await shown(page);
    assert.equal(Number(values.tilt.replace("−", "-")), Number(rows[run].values[0].toPrecision(7)));
    assert.equal(Number(values["largest tension"]), Number(rows[run].values[2].toPrecision(7)));
    assert.equal(await page.locator(".run-link").getAttribute("href"), `runs/${String(run).padStart(6, "0")}/report.html`);
    assert.match((await page.locator(".run-head").textContent())!, new RegExp(`Run ${run}.*done`));
  }
  for (const key of ["heat", "scatter", "line", "histogram", "parallel"]) assert.ok((await colored(page, key)) > 300, `${key} is empty`);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
});

test("lost runs stand at the edge, with their reasons and how often", async () => {
  const { page, complaints } = await open(browser, keepReport("prism", sweepDocument(prismSweep())));
  const entries = await page.locator(".failure-entry").allTextContents();
  assert.equal(entries.length, 2);
  assert.match(entries[0], /^8the step fell below 1e-12 s at t = 0.10 s \(and with other numbers\)✕ failed/);
  assert.match(entries[1], /^1cables.*not in balance✕ refused/);
  await page.locator(".failure-entry").nth(1).click();
  assert.equal(await selected(page), 3);
  assert.match((await page.locator(".run-body").textContent())!, /refused.*the model is not in balance/);
  // A cross in the scatter plot, below every point.
  await plot(page, "scatter").scrollIntoViewIfNeeded();
  await drawn(page);
  const rows = [...prismSweep().rows];
  const lost = (await point(page, 3))!;
  for (const row of rows.filter(({ status }) => status === 0)) assert.ok((await point(page, row.run))!.y < lost.y - 4);
  assert.deepEqual(complaints, []);
});

test("other columns, logarithms, zoom, and a line for each value", async () => {
  const { page, complaints } = await open(browser, keepReport("prism", sweepDocument(prismSweep())));
  await plot(page, "scatter").scrollIntoViewIfNeeded();
  await pick(page, "scatter", "x").selectOption("cables.*.stiffness");
  await drawn(page);
  // Stiffnesses in equal ratios stand at equal distances: the axis is logarithmic by itself.
  const [a, b, c] = await Promise.all([0, 1, 2].map((run) => point(page, run)));
  assert.ok(Math.abs(b!.x - a!.x - (c!.x - b!.x)) < 1);
  await plot(page, "scatter").getByLabel("log x").uncheck();
  await drawn(page);
  const [d, e, f] = await Promise.all([0, 1, 2].map((run) => point(page, run)));
  assert.ok(f!.x - e!.x > 1.3 * (e!.x - d!.x));
  await pick(page, "scatter", "y").selectOption("slack cables");
  await pick(page, "scatter", "colour").selectOption("tilt");
  const area = (await plot(page, "scatter").locator(".plot-area").boundingBox())!;
  await page.mouse.move(area.x + 80, area.y + 40);
  await page.mouse.down();
  await page.mouse.move(area.x + 200, area.y + 120, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
  assert.equal(await point(page, 199), null, "the last run is still in sight after zooming");
  await page.mouse.dblclick(area.x + 100, area.y + 60);
  await drawn(page);
  assert.notEqual(await point(page, 0), null);
  // The line against tilt: words for a bin.
  await plot(page, "line").scrollIntoViewIfNeeded();
  await plot(page, "line").locator(".plot-area").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await words(page, "line"), /^tilt −30 · mean .* · 7 runs$/); // 10 less those that were lost
  await plot(page, "histogram").locator(".plot-area").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await words(page, "histogram"), /largest tension .* runs$/);
  await plot(page, "heat").locator(".plot-area").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  assert.match(await words(page, "heat"), /^tilt .* cables\.\*\.stiffness .* mean largest tension .* 1 runs$/);
  assert.deepEqual(complaints, []);
});

test("a brush on an axis filters all plots, and so do the fields", async () => {
  const { page, complaints } = await open(browser, keepReport("prism", sweepDocument(prismSweep())));
  await plot(page, "parallel").scrollIntoViewIfNeeded();
  await drawn(page);
  const area = (await plot(page, "parallel").locator(".plot-area").boundingBox())!;
  // The first axis stands 48 pixels from the left; its upper half is tilts above 0.
  const [top, bottom] = [area.y + 34, area.y + area.height - 22];
  await page.mouse.move(area.x + 48, top - 4);
  await page.mouse.down();
  await page.mouse.move(area.x + 48, (top + bottom) / 2, { steps: 5 });
  await page.mouse.up();
  assert.match((await page.locator(".filter-state").textContent())!, /^100 of 200 runs$/);
  assert.equal(await page.locator(".chip").count(), 1);
  const untouched = await point(page, 199);
  assert.equal(await point(page, 0), null);
  assert.notEqual(untouched, null);
  await page.getByLabel("Column to filter").selectOption("slack cables");
  await page.getByLabel("from", { exact: true }).fill("2");
  await page.getByLabel("to", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  assert.equal(await page.locator(".chip").count(), 1, "a field that is no number must not filter");
  await page.getByLabel("to", { exact: true }).fill("");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  const expected = [...prismSweep().rows].filter(({ values }) => values[0] > 0 && values[3] >= 2).length;
  assert.match((await page.locator(".filter-state").textContent())!, new RegExp(`^${expected} of 200 runs$`));
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await page.locator(".filter-state").textContent(), "");
  // A line between two axes is a run.
  await page.mouse.click(area.x + 48 + 40, top + 30);
  assert.notEqual(await selected(page), null);
  assert.deepEqual(complaints, []);
});

test("a million runs open, whole, and can be clicked", async (context) => {
  const fixture = towerSweep(1_000_000);
  const file = keepReport("tower", sweepDocument(fixture));
  const size = statSync(file).size;
  const began = Date.now();
  const { page, complaints } = await open(browser, file);
  assert.ok((await colored(page, "scatter")) > 3000);
  const seconds = (Date.now() - began) / 1000;
  context.diagnostic(`${(size / 1e6).toFixed(1)} MB, drawn after ${seconds.toFixed(1)} s`);
  assert.ok(size < 5e6);
  assert.match((await page.locator(".counts").textContent())!, /1\u202f000\u202f000 runs/);
  assert.ok((await page.locator("#root *").count()) < 1500, "elements must not grow with the rows");
  assert.match(await words(page, "scatter"), /All 1\u202f000\u202f000 runs/);
  const kept: Row[] = [];
  for (const row of fixture.rows) if (row.run % 50 === 0 && kept.push(row) === 2000) break;
  const run = kept[1234].run;
  const place = (await point(page, run))!;
  await page.mouse.click(place.x, place.y);
  const found = (await selected(page))!;
  assert.equal(found % 50, 0);
  const { values } = kept.find((row) => row.run === found) ?? { values: null };
  if (values) assert.equal(Number((await shown(page)).levels), values[2]);
  for (const key of ["line", "heat", "histogram", "parallel"]) assert.ok((await colored(page, key)) > 1000, `${key} is empty`);
  // The first of the lost runs is there although few were drawn.
  await page.locator(".failure-entry").first().click();
  assert.match((await page.locator(".run-body").textContent())!, /failed.*buckled at t/);
  // With a filter the plots show the rows that are there.
  await page.getByLabel("Column to filter").selectOption("levels");
  await page.getByLabel("to", { exact: true }).fill("4");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  assert.match((await page.locator(".filter-state").textContent())!, /drawn at random/);
  assert.ok((await colored(page, "scatter")) > 1000);
  assert.match(await words(page, "scatter"), /drawn at random/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
});

test("hostile names appear as text and run nothing", async () => {
  const names = evil.slice(0, 6);
  const rows = Array.from({ length: 40 }, (_, run): Row => ({
    run, values: names.map((_, c) => Math.sin(run + c)), status: run % 5 === 0 ? 1 : 0, reason: run % 5 === 0 ? names[run % names.length] : "",
  }));
  const fixture: SweepFixture = { title: names[0], names: names.map((name, c) => [name, c < 3]), rows, notes: names, links: true };
  const { page, complaints } = await open(browser, keepReport("hostile sweep", { ...sweepDocument(fixture), subtitle: names[1] }));
  for (const key of ["scatter", "line", "heat", "histogram", "parallel"]) await colored(page, key);
  const place = (await point(page, 1))!;
  await plot(page, "scatter").scrollIntoViewIfNeeded();
  await page.mouse.click(place.x, place.y);
  await page.locator(".failure-entry").first().click();
  assert.equal(await page.evaluate("window.hacked"), undefined);
  assert.equal(await page.locator("#root img, #root script, #root b").count(), 0);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
});

test("tables with next to nothing in them still open", async () => {
  const cases: SweepFixture[] = [
    { title: "no rows yet", names: [["a", true], ["b", false]], rows: [], planned: 10 },
    { title: "no columns", names: [], rows: [{ run: 1, values: [], status: 0, reason: "" }] },
    { title: "one run", names: [["a", true], ["b", false]], rows: [{ run: 1, values: [2, 3], status: 0, reason: "" }] },
    { title: "all failed", names: [["a", true], ["b", true], ["c", false]], rows: [1, 2, 3].map((run) => ({ run, values: [run, -run, NaN], status: 1, reason: "no" })) },
    { title: "one column", names: [["c", false]], rows: [1, 2, 3].map((run) => ({ run, values: [run * run], status: 0, reason: "" })) },
    { title: "without end", names: [["a", true], ["c", false]], rows: [1, 2, 3].map((run) => ({ run, values: [run * 1e308, run === 2 ? Infinity : 5], status: 0, reason: "" })) },
  ];
  for (const fixture of cases) {
    const { page, complaints } = await open(browser, keepReport(fixture.title, sweepDocument(fixture)));
    await drawn(page);
    for (const area of await page.locator(".plot-area").all()) {
      await area.hover();
      for (const key of ["ArrowRight", "ArrowUp", "+", "-", "Escape"]) await area.press(key);
    }
    assert.deepEqual(complaints, [], fixture.title);
    assert.deepEqual(await page.evaluate("window.taut.errors"), [], fixture.title);
    await page.context().close();
  }
});

test("everything is reached with Tab, the focus is seen, and the theme turns", async () => {
  const { page, complaints } = await open(browser, keepReport("prism", sweepDocument(prismSweep())), { colorScheme: "light" });
  const seen = new Set<string>();
  for (let i = 0; i < 45; i++) {
    await page.keyboard.press("Tab");
    const [name, outline] = (await page.evaluate(() => {
      const focus = document.activeElement as HTMLElement;
      const label = focus.getAttribute("aria-label") ?? focus.closest("label")?.textContent ?? focus.textContent ?? "";
      return [focus === document.body ? "" : label.trim().slice(0, 24), getComputedStyle(focus).outlineStyle];
    })) as [string, string];
    if (name === "") continue; // past the end of the page
    seen.add(name);
    assert.notEqual(outline, "none", `no outline on ${name}`);
  }
  for (const name of ["Heat map: mean of", "Scatter: x", "Heat map. Arrow keys", "Scatter. Arrow keys", "Column to filter", "Number of a run", "Next run"]) {
    assert.ok([...seen].some((each) => each.startsWith(name)), `${name} was not reached: ${[...seen].join(", ")}`);
  }
  // Plots are drawn when they come into sight, and answer from then on.
  await plot(page, "scatter").locator(".plot-area").focus();
  await page.waitForFunction("window.taut.point(0) !== null || window.taut.point(1) !== null");
  await page.keyboard.press("ArrowRight");
  const first = await selected(page);
  assert.notEqual(first, null);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await selected(page), first);
  await page.getByLabel("Number of a run").fill("42");
  await page.keyboard.press("Enter");
  assert.equal(await selected(page), 42);
  await page.getByRole("button", { name: "Next run" }).click();
  assert.equal(await selected(page), 43);
  await page.keyboard.press("Escape");
  assert.equal(await selected(page), null);
  const light = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate("getComputedStyle(document.body).backgroundColor"), light);
  assert.ok((await colored(page, "heat")) > 300);
  assert.deepEqual(complaints, []);
});

test("on a phone nothing is wider than the screen", async () => {
  const long = prismSweep();
  long.names[0] = ["nodes.a_very_long_name_of_a_node_that_nobody_would_write.at", true];
  const { page, complaints } = await open(browser, keepReport("narrow", sweepDocument(long)), { viewport: { width: 390, height: 800 } });
  await drawn(page);
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok((wide as number) <= 390, `the page is ${wide} pixels wide`);
  await page.locator(".failure-entry").first().click();
  assert.ok(((await page.evaluate("document.documentElement.scrollWidth")) as number) <= 390);
  assert.deepEqual(complaints, []);
});
