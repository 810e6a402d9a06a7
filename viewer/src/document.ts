// The document of docs/report-format.md, as the viewer uses it after load.ts has checked it and found the arrays.
import type { Numbers } from "./arrays";
import type { Sweep } from "./sweep/data";

export const knownFormat = 1;

export interface Nodes {
  names: string[];
  positions: Numbers; // [N, 3], m
  fixed: number[]; // bits 1, 2, 4 for x, y, z
}

export interface Bars {
  names: string[];
  a: number[];
  b: number[];
  radius: number[]; // m
}

export interface Cables {
  names: string[];
  paths: number[][];
  restLengths: number[]; // m; empty where unknown
}

export interface Load {
  node: number;
  force: number[]; // N
  from: number; // s
  to: number; // s, Infinity for ever
}

export interface Plate {
  name: string;
  nodes: number[];
}

export interface Body {
  name: string;
  shape: "box" | "cylinder" | "sphere" | "tube";
  size: number[];
  at: number[];
  rotation: number[]; // w, x, y, z
  color: string;
}

export interface Pulley {
  name: string;
  body: number; // -1: fixed in space
  at: number[];
  axis: number[];
  radius: number;
  width: number;
}

export interface Frame {
  name: string;
  nodes: number[]; // three: x towards the first, z along (a - r) × (b - r)
  relativeTo: number; // index of a frame; -1: the world
}

export interface Grid {
  x0: number;
  y0: number;
  dx: number;
  dy: number;
  nx: number;
  ny: number;
  heights: Numbers; // [ny, nx], m
}

export interface Ground {
  height: number;
  normal: number[];
  grid: Grid | null;
}

export interface Structure {
  nodes: Nodes;
  bars: Bars;
  cables: Cables;
  loads: Load[];
  plates: Plate[];
  bodies: Body[];
  pulleys: Pulley[];
  frames: Frame[];
  gravity: number[];
  ground: Ground | null;
}

export interface Channels {
  names: string[];
  unit: string;
  values: Numbers; // [T, K]
}

export interface SlackEvent {
  time: number;
  cable: number;
  kind: "slack" | "taut";
}

export interface Run {
  label: string;
  t: Numbers;
  nodes: Numbers | null;
  origin: Numbers | null;
  tensions: Numbers | null;
  lengths: Numbers | null;
  restLengths: Numbers | null;
  barForces: Numbers | null;
  energy: Numbers | null;
  constraintError: Numbers | null;
  contactForces: Numbers | null;
  supportNodes: number[];
  supportForces: Numbers | null;
  bodies: Numbers | null;
  frames: Numbers | null; // [T, frames, 6]: x, y, z, m, yaw, pitch, roll, rad
  inputs: Channels | null;
  targets: Channels | null;
  errors: Channels | null;
  slackEvents: SlackEvent[];
}

export interface Mode {
  label: string;
  frequencyHz: number;
  dampingRatio: number; // NaN where unknown
  shape: Numbers; // [N, 3]
}

export interface PlotSeries {
  name: string;
  x: Numbers;
  y: Numbers;
  style: "line" | "dashed" | "points";
  published: boolean;
}

export interface PlotData {
  title: string;
  xLabel: string;
  yLabel: string;
  xLog: boolean;
  yLog: boolean;
  time: boolean;
  series: PlotSeries[];
}

export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Report {
  generator: string;
  title: string;
  subtitle: string;
  kind: string;
  structure: Structure | null;
  runs: Run[];
  modes: Mode[];
  plots: PlotData[];
  tables: Table[];
  warnings: string[];
  notes: string[];
  sweep: Sweep | null; // a table of runs in place of all else
}

export const energyNames = ["kinetic", "elastic", "gravity", "contact", "dissipated", "work", "balance"];
