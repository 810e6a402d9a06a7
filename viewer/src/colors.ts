// Colours: a scale that people with any colour vision can read, and the set for lines in plots.

// Viridis (Smith and van der Walt, CC0) at 17 points, linear between them.
const viridis = [
  0x440154, 0x481567, 0x482677, 0x453781, 0x3f4788, 0x39558c, 0x32648e, 0x2d718e, 0x287d8e, 0x238a8d, 0x1f968b,
  0x29af7f, 0x55c667, 0x73d055, 0x95d840, 0xb8de29, 0xdce319,
];

export type Rgb = [number, number, number]; // 0 to 1

export function viridisAt(x: number): Rgb {
  const at = Math.min(1, Math.max(0, x)) * (viridis.length - 1);
  const i = Math.min(viridis.length - 2, Math.floor(at));
  const low = rgb(viridis[i]);
  const high = rgb(viridis[i + 1]);
  return [0, 1, 2].map((k) => low[k] + (at - i) * (high[k] - low[k])) as Rgb;
}

// 0 to 1 from least to most. Much force stands out from the ground: dark on light, bright on dark.
export function forceColor(x: number, dark: boolean): Rgb {
  return dark ? viridisAt(0.3 + 0.7 * x) : viridisAt(0.86 * (1 - x));
}

export function rgb(hex: number): Rgb {
  return [((hex >> 16) & 255) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
}

export function css(color: Rgb): string {
  return `rgb(${color.map((c) => Math.round(255 * c)).join(" ")})`;
}

// Lines in plots: after Okabe and Ito, deepened or lifted for the ground they stand on.
const lightLines = ["#0067b1", "#c24f00", "#00805e", "#a83f7d", "#8a6d00", "#2a93c9", "#5b5fc7", "#6b6b6b"];
const darkLines = ["#5db3f0", "#ff9b55", "#3ecf9f", "#ee8fc4", "#e8c53a", "#9ad8ff", "#a9abff", "#b5b5b5"];

export function lineColor(index: number, dark: boolean): string {
  const set = dark ? darkLines : lightLines;
  return set[index % set.length];
}

export interface Palette {
  background: number;
  ground: number;
  gridLine: number;
  shadow: number;
  bar: number;
  node: number;
  slack: number;
  plain: number; // cables whose tension is unknown
  mark: number; // selected
  plate: number;
  body: number;
  pulley: number;
  joint: number;
  support: number;
  load: number;
  reaction: number;
  contact: number;
  path: number;
  axes: number[]; // x, y, z of a frame, as the lines of a plot
  runs: number[]; // laid over the first
  label: string;
  halo: string;
}

export const lightPalette: Palette = {
  background: 0xf1f4f7,
  ground: 0xe3e8ed,
  gridLine: 0xc9d1d9,
  shadow: 0xb4bec8,
  bar: 0x465261,
  node: 0x2b333d,
  slack: 0x98a2ad,
  plain: 0x3b7d9e,
  mark: 0xd5003c,
  plate: 0xa9bdd0,
  body: 0x8fa3b5,
  pulley: 0xc9a063,
  joint: 0x5f6b78,
  support: 0x5f6b78,
  load: 0xc2185b,
  reaction: 0x1a4fb4,
  contact: 0x0288d1,
  path: 0x7b8794,
  axes: [0x0067b1, 0xc24f00, 0x00805e],
  runs: [0xe07000, 0x9c27b0, 0x6d4c41, 0xb71c1c],
  label: "#1c2430",
  halo: "rgb(255 255 255 / 0.85)",
};

export const darkPalette: Palette = {
  background: 0x11161d,
  ground: 0x1b222c,
  gridLine: 0x2c3643,
  shadow: 0x0a0e13,
  bar: 0xb4bfcc,
  node: 0xdde4ec,
  slack: 0x6d7885,
  plain: 0x5fb0d3,
  mark: 0xff5c7a,
  plate: 0x4a5f74,
  body: 0x6d8296,
  pulley: 0xb98f4f,
  joint: 0x93a0ae,
  support: 0x93a0ae,
  load: 0xff6f9c,
  reaction: 0x8fa8ff,
  contact: 0x4fc3f7,
  path: 0x7c8a99,
  axes: [0x5db3f0, 0xff9b55, 0x3ecf9f],
  runs: [0xff9d4d, 0xd6a2f0, 0xc7a17a, 0xff8a80],
  label: "#e6ebf2",
  halo: "rgb(10 14 19 / 0.85)",
};
