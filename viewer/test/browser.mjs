// Chromium without a window or network, for tests and pictures.
import { chromium } from "playwright-core";

export const flags = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

export function launch(args = flags) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}
