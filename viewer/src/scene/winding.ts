// Cables on pulleys: from where they leave their drum, tangentially, to a node or to a second drum, and round the drums
// as far as they are wound. Follows from where the bodies are; reports hold no points of it.
import type { Pulley, Structure, Wheel } from "../document";

export const turnSteps = 48; // pieces of a full turn
const perDrum = turnSteps + 1;

type Vector = [number, number, number];

// Gives the cables of pulleys their points, after the nodes: where they leave, round the drum, and of two drums where
// they meet the second and round that. The path of such a cable is its straight piece.
export function addCourses(structure: Structure): void {
  for (const pulley of structure.pulleys) {
    if (pulley.cable < 0) continue;
    const path = structure.cables.paths[pulley.cable];
    if (pulley.second === null && path.length !== 1) {
      pulley.cable = -1; // nothing says where it ends
      continue;
    }
    pulley.points = structure.points;
    structure.points += pulley.second ? 2 * perDrum : perDrum;
    structure.cables.paths[pulley.cable] = [pulley.points, pulley.second ? pulley.points + perDrum : path[0]];
  }
}

// The pieces round the drums: first point, second point, cable.
export function woundEnds(structure: Structure): number[] {
  const ends: number[] = [];
  for (const { cable, points, second } of structure.pulleys) {
    if (cable < 0) continue;
    for (const first of second ? [points, points + perDrum] : [points]) {
      for (let k = 0; k < turnSteps; k++) ends.push(first + k, first + k + 1, cable);
    }
  }
  return ends;
}

// The points of a cable in order, from the end that is wound on its drum.
export function courseOf(structure: Structure, cable: number): number[] {
  const pulley = structure.pulleys.find((each) => each.cable === cable);
  const path = structure.cables.paths[cable] ?? [];
  if (!pulley || cable < 0) return path;
  const round = (first: number) => Array.from({ length: perDrum }, (_, k) => first + k);
  return [...round(pulley.points).reverse(), ...(pulley.second ? round(pulley.points + perDrum) : [path[1]])];
}

// The angle that is wound on the first drum: one turn at most, which is all that shows.
export function woundAngle(pulley: Pulley, free: number): number {
  if (!(pulley.length > 0)) return 2 * Math.PI;
  return Math.min(2 * Math.PI, Math.max(0, (pulley.length - free) / pulley.radius));
}

// Points of all pulleys into `out`, `stride` values a point, where the nodes are already. `poses`: 7 values a body.
export function placeCourses(
  structure: Structure,
  poses: ArrayLike<number>,
  free: (cable: number) => number,
  out: Float32Array | Float64Array,
  stride: number,
): void {
  for (const pulley of structure.pulleys) {
    if (pulley.cable < 0) continue;
    const end = structure.cables.paths[pulley.cable][1];
    const node: Vector = [out[stride * end], out[stride * end + 1], out[stride * end + 2]];
    const center = placed(pulley, poses);
    const axis = turned(pulley.body, poses, pulley.axis);
    const other = pulley.second ? placed(pulley.second, poses) : node;
    const outward = leaving(center, axis, pulley.radius, other, pulley.second?.radius ?? 0, pulley.crossed);
    const put = (first: number, middle: Vector, spoke: Vector, angle: number) => {
      const across = cross(axis, spoke);
      for (let k = 0; k <= turnSteps; k++) {
        const [c, s] = [Math.cos((angle * k) / turnSteps), Math.sin((angle * k) / turnSteps)];
        for (let i = 0; i < 3; i++) out[stride * (first + k) + i] = middle[i] + c * spoke[i] + s * across[i];
      }
    };
    // Backwards from where it leaves, a cable goes round its drum the way of the axis.
    put(pulley.points, center, scaled(outward, pulley.radius), woundAngle(pulley, free(pulley.cable)));
    if (!pulley.second) continue;
    const side = pulley.crossed ? -1 : 1;
    put(pulley.points + perDrum, other, scaled(outward, side * pulley.second.radius), -side * 2 * Math.PI);
  }
}

// The direction from the centre to where the cable leaves: the cable lies across it, outward = axis × along. Of the way
// between the centres, offset = r₁ - r₂ (crossed: r₁ + r₂) is along outward and the rest along the cable. Without a
// tangent, towards the other end.
function leaving(center: Vector, axis: Vector, radius: number, to: Vector, second: number, crossed: boolean): Vector {
  const way: Vector = [to[0] - center[0], to[1] - center[1], to[2] - center[2]];
  const off = dot(way, axis);
  for (let i = 0; i < 3; i++) way[i] -= off * axis[i];
  const apart = Math.hypot(...way);
  if (!(apart > 0)) return Math.abs(axis[2]) < 0.9 ? unit(cross(axis, [0, 0, 1])) : unit(cross(axis, [1, 0, 0]));
  const ahead = scaled(way, 1 / apart);
  const side = cross(axis, ahead);
  const cosine = Math.min(1, Math.max(-1, (crossed ? radius + second : radius - second) / apart));
  const sine = Math.sqrt(1 - cosine * cosine);
  return [0, 1, 2].map((i) => cosine * ahead[i] + sine * side[i]) as Vector;
}

export function placed(wheel: Wheel, poses: ArrayLike<number>): Vector {
  const offset = turned(wheel.body, poses, wheel.at);
  if (wheel.body >= 0) for (let i = 0; i < 3; i++) offset[i] += poses[7 * wheel.body + i];
  return offset;
}

// A vector of the body's frame in the world: v + 2 u × (u × v + w v), q = (w, u).
function turned(body: number, poses: ArrayLike<number>, v: readonly number[]): Vector {
  if (body < 0) return [v[0], v[1], v[2]];
  const at = 7 * body + 3;
  const u: Vector = [poses[at + 1], poses[at + 2], poses[at + 3]];
  const inner = cross(u, v);
  for (let i = 0; i < 3; i++) inner[i] += poses[at] * v[i];
  const outer = cross(u, inner);
  return [v[0] + 2 * outer[0], v[1] + 2 * outer[1], v[2] + 2 * outer[2]];
}

const dot = (a: readonly number[], b: readonly number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: readonly number[], b: readonly number[]): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const scaled = (a: readonly number[], by: number): Vector => [by * a[0], by * a[1], by * a[2]];
const unit = (a: readonly number[]): Vector => scaled(a, 1 / Math.hypot(a[0], a[1], a[2]));
