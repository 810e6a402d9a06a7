// A run that can be asked for any instant: linear between its rows, written into buffers that are made once.
import { Numbers } from "./arrays";
import type { Run, Structure } from "./document";

export class Track {
  readonly t: Float64Array;
  readonly start: number;
  readonly end: number;
  row = 0; // the row at or before the instant
  part = 0; // how far towards the next row, 0 to 1

  constructor(
    readonly run: Run,
    readonly structure: Structure | null,
  ) {
    this.t = run.t.column(0);
    this.start = this.t[0];
    this.end = this.t[this.t.length - 1];
  }

  get rows(): number {
    return this.t.length;
  }

  // The last row at or before the time; a time that is a row's up to rounding belongs to that row.
  rowAt(time: number): number {
    const t = this.t;
    let low = 0;
    let high = t.length - 1;
    const wanted = time + 1e-9 * Math.max(1e-3, this.end - this.start);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  seek(time: number): void {
    this.row = this.rowAt(time);
    const span = this.row + 1 < this.rows ? this.t[this.row + 1] - this.t[this.row] : 0;
    const part = span > 0 ? (time - this.t[this.row]) / span : 0;
    this.part = Math.min(1, Math.max(0, part));
  }

  // Node positions into out, `stride` values a node.
  positions(out: Float32Array, stride: number): void {
    const count = this.structure?.nodes.names.length ?? 0;
    if (this.run.nodes) this.blend(this.run.nodes, 3, count, out, stride);
    else if (this.structure) copyRows(this.structure.nodes.positions, count, out, stride);
    const origin = this.run.origin;
    if (!origin || !this.run.nodes) return;
    for (let k = 0; k < 3; k++) {
      const shift = this.mix(origin, k);
      for (let i = 0, at = k; i < count; i++, at += stride) out[at] += shift;
    }
  }

  // Tension and slackness of each cable, 2 of 4 values: N, and rest length over length where that exceeds 1.
  cables(out: Float32Array): void {
    const { tensions, lengths, restLengths } = this.run;
    const count = this.structure?.cables.names.length ?? 0;
    const rest = this.structure?.cables.restLengths ?? [];
    for (let c = 0, at = 0; c < count; c++, at += 4) {
      out[at] = tensions ? this.mix(tensions, c) : 0;
      const length = lengths ? this.mix(lengths, c) : 0;
      const free = restLengths ? this.mix(restLengths, c) : (rest[c] ?? 0);
      out[at + 1] = length > 0 && free > length ? free / length : 1;
    }
  }

  // Positions and quaternions of the bodies, 7 values each.
  bodies(out: Float32Array): boolean {
    if (!this.run.bodies) return false;
    this.blend(this.run.bodies, 7, this.run.bodies.shape[1], out, 7);
    return true;
  }

  // Column c at this instant.
  mix(values: Numbers, c: number): number {
    const data = values.data;
    const i = this.row * values.rowLength + c;
    if (this.part === 0) return data[i];
    return data[i] + this.part * (data[i + values.rowLength] - data[i]);
  }

  private blend(values: Numbers, width: number, count: number, out: Float32Array, stride: number): void {
    const data = values.data;
    const length = values.rowLength;
    const near = 1 - this.part;
    const far = this.part;
    let i = this.row * length;
    let j = this.part > 0 ? i + length : i;
    for (let n = 0; n < count; n++) {
      for (let k = 0; k < width; k++, i++, j++) out[n * stride + k] = near * data[i] + far * data[j];
    }
  }
}

function copyRows(values: Numbers, count: number, out: Float32Array, stride: number): void {
  for (let n = 0; n < count; n++) {
    for (let k = 0; k < 3; k++) out[n * stride + k] = values.data[3 * n + k];
  }
}

export const modePeriod = 2; // s on the screen for one swing, whatever the frequency

// A mode shape as a run: one swing about the start shape; `amplitude` is the largest displacement, m.
export function modeRun(structure: Structure, shape: Numbers, amplitude: number, label: string, still: Run | null): Run {
  const rows = 61;
  const count = structure.nodes.names.length;
  const base = new Float64Array(3 * count);
  const moved = new Float64Array(3 * count);
  let largest = 0;
  for (let n = 0; n < count; n++) {
    let square = 0;
    for (let k = 3 * n; k < 3 * n + 3; k++) {
      base[k] = structure.nodes.positions.data[k];
      moved[k] = shape.data[k];
      square += moved[k] ** 2;
    }
    largest = Math.max(largest, Math.sqrt(square));
  }
  const factor = largest > 0 ? amplitude / largest : 0;
  const nodes = new Numbers([rows, count, 3], () => {
    const out = new Float32Array(rows * count * 3);
    for (let r = 0; r < rows; r++) {
      const swing = factor * Math.sin((2 * Math.PI * r) / (rows - 1));
      for (let k = 0; k < 3 * count; k++) out[r * 3 * count + k] = base[k] + swing * moved[k];
    }
    return out;
  });
  // Cables keep the colours of the start shape.
  const tensions = still?.tensions ?? null;
  const held =
    tensions &&
    new Numbers([rows, tensions.rowLength], () => {
      const out = new Float32Array(rows * tensions.rowLength);
      for (let i = 0; i < out.length; i++) out[i] = tensions.get(0, i % tensions.rowLength);
      return out;
    });
  return {
    ...emptyRun(label, Numbers.of(Array.from({ length: rows }, (_, r) => (modePeriod * r) / (rows - 1)))),
    nodes,
    tensions: held,
  };
}

export function emptyRun(label: string, t: Numbers): Run {
  return {
    label,
    t,
    nodes: null,
    origin: null,
    tensions: null,
    lengths: null,
    restLengths: null,
    barForces: null,
    energy: null,
    constraintError: null,
    contactForces: null,
    supportNodes: [],
    supportForces: null,
    bodies: null,
    frames: null,
    inputs: null,
    targets: null,
    errors: null,
    slackEvents: [],
  };
}
