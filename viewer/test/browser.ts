// Chromium for the tests: a page that notes whatever must not happen.
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { reportPage } from "./encode";
import { inflateSync } from "node:zlib";

const flags = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
export const softwareGl = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export function launch(gl: string[] = softwareGl): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: [...flags, ...gl] });
}

export const shell = (): string => readFileSync(process.env.TAUT_PAGE!, "utf8");

// Writes a page into the scratch folder.
export function keep(name: string, html: string): string {
  const folder = join(process.env.TAUT_SCRATCH!, "pages");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  return file;
}

export const keepReport = (name: string, document: unknown): string => keep(name, reportPage(shell(), document));

export interface Opened {
  page: Page;
  complaints: string[]; // console messages, errors, requests other than the file itself
}

export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const address = pathToFileURL(file).href;
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:")) complaints.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(address);
  await page.evaluate("window.taut.ready");
  return { page, complaints };
}

export const time = (page: Page): Promise<number> => page.evaluate("window.taut.time()");
export const project = (page: Page, node: string): Promise<{ x: number; y: number } | null> =>
  page.evaluate(`window.taut.project(${JSON.stringify(node)})`);

export async function seek(page: Page, to: number): Promise<void> {
  await page.getByLabel("Time", { exact: true }).evaluate((slider: HTMLInputElement, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input"));
  }, to);
  await settle(page);
}

// Until the last picture is drawn. What was just asked for begins within two frames.
export async function settle(page: Page): Promise<void> {
  const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(frames);
  await page.waitForFunction("window.taut.settled()");
  await page.evaluate(frames);
}

export interface Pixels {
  width: number;
  height: number;
  at(x: number, y: number): [number, number, number];
}

// A picture of the scene in pixels of the page, overlays hidden. Reads PNG with 8 bits a channel, as Chromium writes it.
export async function scenePixels(page: Page): Promise<Pixels & { left: number; top: number }> {
  const style = await page.addStyleTag({ content: ".toolbar,.key,.labels,.axes{visibility:hidden}" }).catch(() => null);
  const box = (await page.locator(".scene").boundingBox())!;
  const pixels = decodePng(await page.locator(".scene").screenshot());
  await style?.evaluate((element) => (element as Element).remove());
  return { ...pixels, left: box.x, top: box.y };
}

export function decodePng(bytes: Buffer): Pixels {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[bytes[25]] ?? 0;
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * channels;
  const out = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (row + 1)];
    for (let i = 0; i < row; i++) {
      const left = i >= channels ? out[y * row + i - channels] : 0;
      const up = y > 0 ? out[(y - 1) * row + i] : 0;
      const corner = i >= channels && y > 0 ? out[(y - 1) * row + i - channels] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      out[y * row + i] = raw[y * (row + 1) + 1 + i] + [0, left, up, (left + up) >> 1, paeth][kind];
    }
  }
  return {
    width,
    height,
    at: (x, y) => [0, 1, 2].map((k) => out[Math.round(y) * row + Math.round(x) * channels + k]) as [number, number, number],
  };
}
