// How large the structure is, how far it moves, and which way is up.
import type { Structure } from "../document";
import type { Track } from "../track";
import { placed } from "./winding";

export interface Extent {
  size: number; // diagonal of the box around the first row, m
  low: [number, number, number]; // of the box around the whole motion
  high: [number, number, number];
  travel: number; // diagonal of the box around the centres, m
  symbol: number; // m: what symbols are scaled by, not larger than a few bars
}

// A sample of rows is enough: at most 200, and fewer of large structures.
export function measure(structure: Structure, tracks: readonly Track[]): Extent {
  const count = structure.nodes.names.length;
  const places = new Float32Array(3 * Math.max(1, count));
  const poses = new Float64Array(7 * structure.bodies.length);
  const first = box();
  const all = box();
  const centers = box();
  const look = (into: ReturnType<typeof box>[]) => {
    const center = [0, 0, 0];
    for (let i = 0; i < 3 * count; i++) {
      for (const each of into) each.add(i % 3, places[i]);
      center[i % 3] += places[i] / count;
    }
    for (let k = 0; k < 3 && count > 0; k++) centers.add(k, center[k]);
    for (const [place, reach] of reaches(structure, poses)) {
      for (let k = 0; k < 3; k++) for (const side of [-reach, reach]) for (const each of into) each.add(k, place[k] + side);
    }
  };
  tracks.forEach((track, index) => {
    const step = Math.max(1, Math.floor(track.rows / Math.min(200, Math.max(20, 1e5 / (count + 1)))));
    for (let row = 0; row < track.rows; row += step) {
      track.seek(track.t[row]);
      track.positions(places, 3);
      track.bodies(poses);
      look(index === 0 && row === 0 ? [first, all] : [all]);
    }
  });
  const size = first.diagonal() || 1;
  const bars = structure.bars.a.map((a, i) => {
    const [p, q] = [3 * a, 3 * structure.bars.b[i]];
    const x = structure.nodes.positions.data;
    return Math.hypot(x[p] - x[q], x[p + 1] - x[q + 1], x[p + 2] - x[q + 2]);
  });
  const usual = bars.sort((a, b) => a - b)[bars.length >> 1] || size;
  const symbol = Math.min(size, 3 * usual);
  return { size, symbol, low: all.low(), high: all.high(), travel: centers.diagonal() };
}

// Balls around bodies and drums.
function reaches(structure: Structure, poses: Float64Array): [number[], number][] {
  const balls: [number[], number][] = [];
  structure.bodies.forEach(({ shape }, i) => {
    if (!shape) return;
    const [a, b, c] = shape.size;
    const reach = { box: Math.hypot(a, b, c) / 2, sphere: a, cylinder: Math.hypot(a, b / 2), tube: Math.hypot(a, c / 2) }[shape.kind];
    balls.push([placed({ body: i, at: shape.at, radius: 0 }, poses), reach]);
  });
  for (const pulley of structure.pulleys) {
    for (const wheel of pulley.second ? [pulley, pulley.second] : [pulley]) balls.push([placed(wheel, poses), wheel.radius]);
  }
  return balls;
}

function box() {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const some = () => low[0] <= high[0];
  return {
    add(axis: number, value: number): void {
      if (!Number.isFinite(value)) return;
      low[axis] = Math.min(low[axis], value);
      high[axis] = Math.max(high[axis], value);
    },
    diagonal: () => (some() ? Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) : 0),
    low: () => [0, 1, 2].map((k) => (some() ? low[k] : 0)) as [number, number, number],
    high: () => [0, 1, 2].map((k) => (some() ? high[k] : 0)) as [number, number, number],
  };
}

// Against gravity; z without it.
export function upward(structure: Structure): [number, number, number] {
  const [x, y, z] = structure.gravity;
  const size = Math.hypot(x, y, z);
  if (size > 0) return [-x / size, -y / size, -z / size];
  // A flat structure in the x-y plane stands up along y.
  return flat(structure) ? [0, 1, 0] : [0, 0, 1];
}

// All nodes in a plane z = constant.
export function flat(structure: Structure): boolean {
  const data = structure.nodes.positions.data;
  let low = Infinity;
  let high = -Infinity;
  let wide = 0;
  for (let i = 0; i < data.length; i += 3) {
    low = Math.min(low, data[i + 2]);
    high = Math.max(high, data[i + 2]);
    wide = Math.max(wide, Math.hypot(data[i] - data[0], data[i + 1] - data[1]));
  }
  return data.length > 3 && high - low < 1e-6 * wide;
}
