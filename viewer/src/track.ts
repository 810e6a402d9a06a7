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
    const { tensions, lengths } = this.run;
    const count = this.structure?.cables.names.length ?? 0;
    for (let c = 0, at = 0; c < count; c++, at += 4) {
      out[at] = tensions ? this.mix(tensions, c) : 0;
      const length = lengths ? this.mix(lengths, c) : 0;
      const free = this.freeLength(c);
      out[at + 1] = length > 0 && free > length ? free / length : 1;
    }
  }

  // Positions and quaternions of the bodies, 7 values each; those of the start where the run has none.
  bodies(out: Float64Array): void {
    const values = this.run.bodies;
    const count = this.structure?.bodies.length ?? 0;
    for (let n = 0, at = 0; n < count; n++, at += 7) {
      if (!values) {
        for (let k = 0; k < 7; k++) out[at + k] = this.structure!.bodies[n].pose[k];
        continue;
      }
      const i = this.row * values.rowLength + at;
      const j = this.part > 0 ? i + values.rowLength : i;
      const { data } = values;
      // A quaternion and its negative are the same turn: the nearer one.
      let same = 0;
      for (let k = 3; k < 7; k++) same += data[i + k] * data[j + k];
      for (let k = 0; k < 7; k++) {
        const far = k > 2 && same < 0 ? -data[j + k] : data[j + k];
        out[at + k] = (1 - this.part) * data[i + k] + this.part * far;
      }
      const size = Math.hypot(out[at + 3], out[at + 4], out[at + 5], out[at + 6]) || 1;
      for (let k = 3; k < 7; k++) out[at + k] /= size;
      for (let k = 0; k < 3 && this.run.origin; k++) out[at + k] += this.mix(this.run.origin, k);
    }
  }

  // The rest length of a cable now; of one on a pulley, what is not wound.
  freeLength(c: number): number {
    return this.run.restLengths ? this.mix(this.run.restLengths, c) : (this.structure?.cables.restLengths[c] ?? 0);
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
export function modeRun(
  structure: Structure,
  shape: Numbers,
  amplitude: number,
  label: string,
  still: Run | null,
  turns: Numbers | null = null,
): Run {
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
  const held = (values: Numbers | null) =>
    values &&
    new Numbers([rows, values.rowLength], () => {
      const out = new Float32Array(rows * values.rowLength);
      for (let i = 0; i < out.length; i++) out[i] = values.get(0, i % values.rowLength);
      return out;
    });
  const bodies =
    turns &&
    new Numbers([rows, structure.bodies.length, 7], () =>
      Float64Array.from({ length: rows }, (_, r) => factor * Math.sin((2 * Math.PI * r) / (rows - 1))).reduce(
        (out, swing, r) => {
          structure.bodies.forEach(({ pose }, i) => out.set(displaced(pose, turns, 6 * i, swing), 7 * (r * structure.bodies.length + i)));
          return out;
        },
        new Float32Array(rows * structure.bodies.length * 7),
      ),
    );
  return {
    ...emptyRun(label, Numbers.of(Array.from({ length: rows }, (_, r) => (modePeriod * r) / (rows - 1)))),
    nodes,
    tensions: held(still?.tensions ?? null),
    restLengths: held(still?.restLengths ?? null),
    bodies,
  };
}

// A pose moved by `swing` times the displacement and the rotation vector that begin at `at`.
function displaced(pose: readonly number[], rates: Numbers, at: number, swing: number): number[] {
  const [x, y, z] = [3, 4, 5].map((k) => swing * rates.data[at + k]);
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, c, d] = [Math.cos(angle / 2), s * x, s * y, s * z];
  const [w, i, j, k] = pose.slice(3);
  return [
    ...[0, 1, 2].map((n) => pose[n] + swing * rates.data[at + n]),
    a * w - b * i - c * j - d * k,
    a * i + b * w + c * k - d * j,
    a * j - b * k + c * w + d * i,
    a * k + b * j - c * i + d * w,
  ];
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
