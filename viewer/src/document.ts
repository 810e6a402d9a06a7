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

// A shape in the frame of a body; sizes as in docs/report-format.md.
export interface Shape {
  kind: "box" | "cylinder" | "sphere" | "tube";
  size: number[];
  at: number[];
  rotation: number[]; // w, x, y, z
}

export interface Body {
  name: string;
  shape: Shape | null; // null: only what rides on it is drawn
  pose: number[]; // at the start: position, quaternion w, x, y, z
  clear: boolean; // what is inside shows through
  color: string;
}

// The pin of a joint, or an arm of a body.
export interface Solid {
  name: string;
  kind: string; // of the joint, or "arm"
  body: number; // -1: fixed in space
  shape: Shape;
}

export interface Wheel {
  body: number; // -1: fixed in space
  at: number[];
  radius: number;
}

export interface Pulley extends Wheel {
  name: string;
  axis: number[]; // along × outward where the cable leaves
  width: number;
  cable: number; // which winds on it; -1: none
  second: Wheel | null; // where the cable ends, if not at a node
  crossed: boolean;
  length: number; // of the whole cable; 0: more than is ever unwound
  points: number; // where its cable's points begin, after the nodes (scene/winding.ts)
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
  solids: Solid[];
  pulleys: Pulley[];
  points: number; // nodes, and the points of cables on pulleys
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
  bodies: Numbers | null; // [bodies, 6]: displacement, rotation vector
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
