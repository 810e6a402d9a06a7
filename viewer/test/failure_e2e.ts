// What must not break the page: hostile names, damaged data, a browser without WebGL.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { dataElements, encode, pageWith } from "./encode";
import { keep, keepReport, launch, open, shell, time } from "./browser";
import { evil, hostile, model, rolling } from "./fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("hostile names appear as text and run nothing", async () => {
  const { page, complaints } = await open(browser, keepReport("hostile", hostile()));
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction("window.taut.time() > 0.1");
  for (const tab of ["Selection", "Summary", "Plots"]) await page.getByRole("tab", { name: tab }).click();
  await page.getByRole("tab", { name: "Selection" }).click();
  for (const name of evil) {
    await page.getByLabel("Find a node, bar, cable, body or joint").fill(name);
    await page.keyboard.press("Enter");
  }
  assert.equal(await page.evaluate("window.hacked"), undefined);
  assert.equal(await page.locator("#root img, #root script, #root b").count(), 0);
  // The long one is cut, and whole in the hint.
  const long = await page.evaluate(() =>
    [...document.querySelectorAll("*")].every((each) => each.childElementCount > 0 || (each.textContent ?? "").length < 700 || each.tagName === "SCRIPT" || each.tagName === "STYLE"),
  );
  assert.ok(long, "a text of more than 700 letters is shown in full");
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate("window.taut.errors"), []);
});

const good = encode(rolling(1));
const broken: [string, string, RegExp][] = [
  ["no data", pageWith(shell(), ""), /holds no data/],
  ["the mark left in place", shell(), /holds no data/],
  ["cut within the description", pageWith(shell(), `<script type="application/json" id="taut-document">${good.json.slice(0, 900)}`), /damaged or was cut short/],
  ["cut within the numbers", pageWith(shell(), dataElements({ ...good, base64: good.base64.slice(0, good.base64.length >> 1) })), /damaged or were cut short/],
  ["numbers missing", pageWith(shell(), dataElements({ ...good, base64: "" })), /data end after 0 bytes/],
  ["a sign that is no base64", pageWith(shell(), dataElements({ ...good, base64: `${good.base64.slice(0, 50)}*${good.base64.slice(50)}` })), /does not belong/],
  ["a newer format", pageWith(shell(), dataElements({ ...good, json: good.json.replace('"format":1', '"format":7') })), /format 7.*up to 1/],
  ["a foreign document", pageWith(shell(), dataElements(encode({ hello: "world" }))), /do not say which format/],
  ["not an object", pageWith(shell(), dataElements(encode([1, 2]))), /expected an object/],
  ["an index out of range", pageWith(shell(), dataElements(encode({ ...model(), structure: { ...(model().structure as object), bars: { a: [99], b: [0], radius: [1] } } }))), /99 is not an index below 6/],
];
for (const [what, html, words] of broken) {
  test(`says so in words: ${what}`, async () => {
    const { page, complaints } = await open(browser, keep(`broken ${what}`, html));
    const message = await page.getByRole("alert").textContent();
    assert.match(message!, words);
    assert.equal(((await page.evaluate("window.taut.errors")) as string[]).length, 1);
    assert.deepEqual(complaints, []);
  });
}

test("without WebGL the plots and tables still work", async () => {
  const plain = await launch(["--disable-gpu", "--disable-3d-apis"]);
  try {
    const { page, complaints } = await open(plain, keepReport("rolling", rolling()));
    assert.match((await page.locator(".scene").textContent())!, /cannot draw in 3-D/);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForFunction("window.taut.time() > 0.2");
    assert.ok((await time(page)) > 0);
    const painted = await page.locator('[data-plot="tensions"] canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value) => value !== 0);
    });
    assert.ok(painted);
    await page.getByRole("tab", { name: "Summary" }).click();
    assert.match((await page.locator(".data").first().textContent())!, /steps4012/);
    assert.deepEqual(complaints, []);
  } finally {
    await plain.close();
  }
});

test("a page without scripts says so", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${keepReport("rolling", rolling())}`);
  assert.match((await page.locator("body").textContent())!, /runs no scripts/);
});
