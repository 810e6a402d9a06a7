// The axes of a frame on three nodes: origin r in their middle, x towards the first, z along (a - r) × (b - r), y = z × x.

// Origin, x, y, z into `out`, 12 values; false where the nodes lie in one line. `stride` values a node in `places`.
export function triad(places: ArrayLike<number>, stride: number, nodes: readonly number[], out: Float64Array): boolean {
  const at = (node: number, k: number) => places[stride * nodes[node] + k];
  for (let k = 0; k < 3; k++) out[k] = (at(0, k) + at(1, k) + at(2, k)) / 3;
  const a = [0, 1, 2].map((k) => at(0, k) - out[k]);
  const b = [0, 1, 2].map((k) => at(1, k) - out[k]);
  const c = [0, 1, 2].map((k) => at(2, k) - out[k]);
  const normal = cross(a, b);
  const size = Math.max(Math.hypot(...a), Math.hypot(...b), Math.hypot(...c));
  // Places have seven digits.
  if (!(Math.hypot(...normal) > 1e-6 * size * size)) return false;
  const x = unit(a);
  const z = unit(normal);
  const y = cross(z, x);
  [x, y, z].forEach((axis, i) => out.set(axis, 3 + 3 * i));
  return true;
}

function cross(a: readonly number[], b: readonly number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(v: readonly number[]): number[] {
  const length = Math.hypot(...v);
  return v.map((x) => x / length);
}
