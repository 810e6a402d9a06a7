// The page in a real browser: playing, scrubbing, selecting, plots, themes, keys.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { keepReport, launch, open, project, scenePixels, seek, settle, time } from "./browser";
import { compared, figures, machine, model, modes, rolling, terrain } from "./fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("the page without data stays below 1 MB", () => {
  assert.ok(statSync(process.env.TAUT_PAGE!).size < 1e6);
});

test("opens paused at the start; Play, Pause, the space bar and frames work", async () => {
  const { page, complaints } = await open(browser, keepReport("rolling", rolling()));
  assert.equal(await time(page), 0);
  assert.equal(await page.evaluate("window.taut.playing()"), false);
  const before = await scenePixels(page);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction("window.taut.time() > 0.3");
  assert.equal(await page.getByRole("button", { name: "Play", exact: true }).count(), 0);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const stopped = await time(page);
  await settle(page);
  assert.equal(await time(page), stopped);
  const later = await scenePixels(page);
  let changed = 0;
  for (let y = 0; y < later.height; y += 2) {
    for (let x = 0; x < later.width; x += 2) if (before.at(x, y).some((c, k) => Math.abs(c - later.at(x, y)[k]) > 30)) changed++;
  }
  assert.ok(changed > 300, `only ${changed} pixels changed`);

  await page.keyboard.press("Space");
  assert.equal(await page.evaluate("window.taut.playing()"), true);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate("window.taut.playing()"), false);
  await seek(page, 1.5);
  assert.equal(await page.evaluate("window.taut.frame()"), 150);
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate("window.taut.frame()"), 151);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await page.evaluate("window.taut.frame()"), 141);
  await page.getByRole("button", { name: "Previous frame" }).click();
  assert.equal(await page.evaluate("window.taut.frame()"), 140);
  await page.keyboard.press("Home");
  assert.equal(await time(page), 0);
  await page.keyboard.press("End");
  assert.equal(await time(page), 4);
  assert.deepEqual(complaints, []);
});

test("bars are drawn where their nodes project", async () => {
  const { page, complaints } = await open(browser, keepReport("rolling", rolling()), { colorScheme: "light" });
  for (const at of [0, 1.7]) {
    await seek(page, at);
    const pixels = await scenePixels(page);
    for (const [a, b] of [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]) {
      const [p, q] = [(await project(page, `n${a}`))!, (await project(page, `n${b}`))!];
      // Points along the bar: steel, darker than ground and shadow, unless a cable or an arrow crosses in front.
      let dark = 0;
      const points = 21;
      for (let i = 1; i < points; i++) {
        const x = p.x + ((q.x - p.x) * i) / points - pixels.left;
        const y = p.y + ((q.y - p.y) * i) / points - pixels.top;
        if (Math.max(...pixels.at(x, y)) < 165) dark++;
      }
      assert.ok(dark >= 16, `bar n${a}-n${b} at ${at} s: ${dark} of 20 points are dark`);
    }
    // And nothing where nothing is.
    assert.ok(Math.min(...pixels.at(20, 100)) > 200);
  }
  assert.equal(await project(page, "no such node"), null);
  assert.deepEqual(complaints, []);
});

test("a click on a cable shows its name and values; a node by search; Escape clears", async () => {
  const { page, complaints } = await open(browser, keepReport("rolling", rolling()));
  const { cables } = (rolling().structure as { cables: { names: string[] } });
  // A cable whose middle is not crossed by something nearer is found by trying a few.
  let hit = "";
  for (const name of cables.names) {
    const [a, b] = name.split("-");
    const [p, q] = [(await project(page, a))!, (await project(page, b))!];
    await page.mouse.click(0.5 * (p.x + q.x), 0.5 * (p.y + q.y));
    hit = (await page.locator(".picked h3").textContent().catch(() => "")) ?? "";
    if (hit === name) break;
  }
  assert.ok(cables.names.includes(hit), `clicked, got ${hit}`);
  assert.equal(await page.locator(".picked-kind").textContent(), "Cable");
  const tension = await page.locator(".values tr", { hasText: "tension" }).locator("td").textContent();
  assert.match(tension!, /^[\d.]+ (m|k)?N$/);
  await page.getByLabel("Find a node, bar, cable, body or joint").fill("n7");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".picked h3").textContent(), "n7");
  await page.locator(".scene-canvas").focus();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".picked").count(), 0);
  assert.deepEqual(complaints, []);
});

test("plots: legend toggles, drag zooms, double click resets, click moves the time", async () => {
  const { page, complaints } = await open(browser, keepReport("rolling", rolling()));
  const card = page.locator('[data-plot="tensions"]');
  const area = card.locator(".plot-area");
  const picture = () => area.locator("canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await settle(page);
  const first = await picture();
  const entry = card.locator(".legend button").nth(1);
  await entry.click();
  assert.equal(await entry.getAttribute("aria-pressed"), "false");
  assert.notEqual(await picture(), first);
  await entry.click();
  assert.equal(await picture(), first);

  const box = (await area.boundingBox())!;
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await picture(), first);
  assert.equal(await time(page), 0);
  await area.dblclick({ position: { x: 0.5 * box.width, y: 60 } });
  assert.equal(await picture(), first);
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 60);
  await page.mouse.wheel(0, -200);
  await settle(page);
  assert.notEqual(await picture(), first);
  await page.keyboard.press("Escape");
  assert.equal(await picture(), first);
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 60);
  assert.ok(Math.abs((await time(page)) - 2) < 0.3);
  await card.locator("select").selectOption({ label: "range only" });
  await settle(page);
  assert.equal(await card.locator(".legend button").count(), 1);
  assert.deepEqual(complaints, []);
});

test("runs laid over each other, published points, logarithmic plots", async () => {
  const { page, complaints } = await open(browser, keepReport("compared", compared()));
  const before = await scenePixels(page);
  await page.getByLabel("Lay quaternion over the run shown").check();
  await settle(page);
  const after = await scenePixels(page);
  let orange = 0;
  for (let y = 0; y < after.height; y++) {
    for (let x = 0; x < after.width; x++) {
      const [r, g, b] = after.at(x, y);
      if (r > 150 && r > g + 60 && b < 80) orange++;
      const [r0, g0, b0] = before.at(x, y);
      if (r0 > 150 && r0 > g0 + 60 && b0 < 80) orange--;
    }
  }
  assert.ok(orange > 400, `${orange} pixels have the colour of the second run`);
  const legend = page.locator('[data-plot="energy"] .legend');
  await page.locator('[data-plot="energy"]').scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('[data-plot="energy"] .legend')!.textContent!.includes("quaternion"));
  assert.match((await legend.textContent())!, /kinetic · quaternion/);
  const own = page.locator('[data-plot="document 0"]');
  await own.locator("summary").click();
  await own.scrollIntoViewIfNeeded();
  await settle(page);
  assert.equal(await own.locator(".swatch.open").count(), 1);
  assert.deepEqual(complaints, []);
});

test("a still model shows names, supports and its table; nothing to play", async () => {
  const { page, complaints } = await open(browser, keepReport("model", model()));
  assert.equal(await page.getByRole("button", { name: "Play", exact: true }).isVisible(), false);
  assert.equal(await page.locator(".labels").isVisible(), true);
  assert.match((await page.locator(".data").first().textContent())!, /degrees of freedom15/);
  assert.deepEqual(complaints, []);
});

test("mode shapes swing; amplitude and choice", async () => {
  const { page, complaints } = await open(browser, keepReport("modes", modes()));
  await seek(page, 0);
  const start = (await project(page, "b1"))!;
  await seek(page, 0.5);
  const swung = (await project(page, "b1"))!;
  assert.ok(Math.hypot(swung.x - start.x, swung.y - start.y) > 15);
  await page.getByLabel("Amplitude").evaluate((slider: HTMLInputElement) => {
    slider.value = "0";
    slider.dispatchEvent(new Event("input"));
  });
  await settle(page);
  const still = (await project(page, "b1"))!;
  assert.ok(Math.hypot(still.x - start.x, still.y - start.y) < 0.01);
  await page.getByRole("button", { name: /stretch/ }).click();
  assert.equal(await page.evaluate("window.taut.playing()"), true);
  assert.equal(await page.getByRole("button", { name: /stretch/ }).getAttribute("aria-pressed"), "true");
  assert.deepEqual(complaints, []);
});

test("hills, bodies, pulleys and plates draw without complaint; themes and views", async () => {
  const { page, complaints } = await open(browser, keepReport("terrain", terrain()), { colorScheme: "dark" });
  assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
  const dark = await scenePixels(page);
  assert.ok(Math.max(...dark.at(10, 10)) < 60);
  await page.getByRole("button", { name: "Light or dark theme" }).click();
  await settle(page);
  const light = await scenePixels(page);
  assert.ok(Math.min(...light.at(10, 10)) > 200);
  for (const name of ["Front", "Side", "Top", "Iso", "Fit"]) await page.getByRole("button", { name, exact: true }).click();
  await seek(page, 1);
  assert.deepEqual(complaints, []);
});

test("frames are drawn and can be hidden; their plots show the one that is chosen", async () => {
  const { page, complaints } = await open(browser, keepReport("terrain", terrain()), { colorScheme: "light" });
  // Orange: the y axes, which nothing else in this picture has.
  const orange = async () => {
    await settle(page);
    const pixels = await scenePixels(page);
    let count = 0;
    for (let y = 0; y < pixels.height; y++) {
      for (let x = 0; x < pixels.width; x++) {
        const [r, g, b] = pixels.at(x, y);
        if (r > 110 && r > 1.8 * g && g > 1.5 * b) count++;
      }
    }
    return count;
  };
  assert.ok((await orange()) > 30);
  assert.match((await page.locator(".key").textContent())!, /x, y, z of a frame/);
  await page.getByText("Show", { exact: true }).click();
  await page.getByLabel("Frames", { exact: true }).uncheck();
  assert.equal(await orange(), 0);
  assert.doesNotMatch((await page.locator(".key").textContent())!, /of a frame/);

  const choice = page.getByLabel("Shown in Angles of frame");
  assert.deepEqual(await choice.locator("option").allTextContents(), ["base", "spinner in base"]);
  const card = page.locator("details.card", { has: choice });
  assert.match((await card.textContent())!, /yaw\s*5\.73/);
  await choice.selectOption({ index: 1 });
  await seek(page, 1);
  assert.match((await card.textContent())!, /yaw\s*573/); // 100 rows of 0.1 rad: more than a turn
  assert.deepEqual(complaints, []);
});

test("on a phone nothing is wider than the screen", async () => {
  const { page, complaints } = await open(browser, keepReport("rolling", rolling()), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok((wide as number) <= 390, `the page is ${wide} px wide`);
  const play = (await page.getByRole("button", { name: "Play", exact: true }).boundingBox())!;
  assert.ok(play.width >= 40 && play.y + play.height < 844);
  assert.deepEqual(complaints, []);
});

test("plots and tables without a structure fill the page", async () => {
  const { page, complaints } = await open(browser, keepReport("figures", figures()));
  assert.equal(await page.locator(".scene").count(), 0);
  assert.equal(await page.locator(".plot-area").count(), 2);
  assert.equal(await page.locator(".swatch.open").count(), 1);
  await page.getByRole("tab", { name: "Summary" }).click();
  assert.match((await page.locator(".data").textContent())!, /1\.2040 s/);
  assert.deepEqual(complaints, []);
});

test("everything is reached with Tab, and the focus is seen", async () => {
  const { page } = await open(browser, keepReport("rolling", rolling()));
  const seen = new Set<string>();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    const [name, outline] = (await page.evaluate(() => {
      const focus = document.activeElement as HTMLElement;
      const words = focus.getAttribute("aria-label") ?? focus.textContent ?? "";
      return [words.trim().slice(0, 30), getComputedStyle(focus).outlineStyle];
    })) as [string, string];
    seen.add(name);
    assert.notEqual(outline, "none", `no outline on ${name}`);
  }
  for (const name of ["Play", "Time", "Iso", "Follow", "Speed", "Loop", "Plots"]) assert.ok(seen.has(name), `${name} was not reached`);
});

test("bodies, drums and joints: drawn where they are, moved, selected by a click and by name", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, complaints } = await open(browser, keepReport("machine", machine()), { colorScheme });
    // Each body is drawn where its frame is.
    const pixels = await scenePixels(page);
    const empty = pixels.at(3, pixels.height >> 1);
    for (const name of ["block", "winch", "wheel", "pinion", "pipe"]) {
      const place = (await project(page, name))!;
      const color = pixels.at(place.x - pixels.left, place.y - pixels.top);
      assert.ok(color.some((c, k) => Math.abs(c - empty[k]) > 30), `${name}: ${color.join(" ")}`);
    }
    // Every drawn end of a cable is on its drum or at its node.
    for (const time of [0, 0.93]) {
      await seek(page, time);
      const rope = (await page.evaluate('window.taut.course("rope")')) as number[][];
      assert.equal(rope.length, 50);
      const belt = (await page.evaluate('window.taut.course("belt")')) as number[][];
      assert.equal(belt.length, 98);
      for (const point of belt.slice(0, 49)) assert.ok(Math.abs(Math.hypot(point[0] - 1.2, point[2] - 0.5) - 0.2) < 1e-6);
    }
    await seek(page, 0);
    const pipe = (await project(page, "pipe"))!;
    await page.mouse.click(pipe.x, pipe.y);
    assert.match((await page.locator(".picked").textContent({ timeout: 2000 }))!, /Body\s*pipe/);
    assert.match((await page.locator(".values").textContent())!, /tube, 0\.1 × 0\.07 × 0\.4 m/);
    for (const [name, kind] of [["winch", "Body"], ["pivot", "Joint"], ["belt", "Cable"]]) {
      const field = page.getByLabel("Find a node, bar, cable, body or joint");
      await field.fill(name);
      await field.press("Enter");
      assert.match((await page.locator(".picked").textContent())!, new RegExp(`${kind}\\s*${name}`));
    }
    assert.deepEqual(complaints, []);
    await page.close();
  }
});
