// node screenshot.mjs REPORT PICTURE [--size 1280x720] [--time SECONDS] [--theme light|dark] [--tab NAME]
//   [--click NODE] [--press KEYS] [--only scene]
// Opens a report without a window and writes a PNG of it. KEYS: key names separated by commas, pressed one by one.
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const options = { size: "1280x720", theme: "light" };
const files = [];
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i].startsWith("--")) options[process.argv[i].slice(2)] = process.argv[++i];
  else files.push(process.argv[i]);
}
if (files.length !== 2) {
  console.error("usage: node screenshot.mjs REPORT PICTURE [--size 1280x720] [--time S] [--theme light|dark] [--tab NAME] ...");
  process.exit(2);
}
const [width, height] = options.size.split("x").map(Number);
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: options.theme });
  const page = await context.newPage();
  page.on("console", (message) => console.error(message.text()));
  await page.goto(pathToFileURL(files[0]).href);
  await page.evaluate(() => window.taut.ready);
  if (options.time !== undefined) {
    await page.getByLabel("Time", { exact: true }).evaluate((slider, time) => {
      slider.value = time;
      slider.dispatchEvent(new Event("input"));
    }, options.time);
  }
  for (const key of (options.press ?? "").split(",").filter(Boolean)) await page.keyboard.press(key);
  if (options.click) {
    const place = await page.evaluate((node) => window.taut.project(node), options.click);
    await page.mouse.click(place.x, place.y);
  }
  if (options.tab) await page.getByRole("tab", { name: options.tab }).click();
  await page.waitForTimeout(900);
  const target = options.only === "scene" ? page.locator(".scene") : page;
  await target.screenshot({ path: files[1] });
  const errors = await page.evaluate(() => window.taut.errors);
  for (const error of errors) console.error(error);
} finally {
  await browser.close();
}
