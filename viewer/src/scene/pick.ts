// What lies under a pointer: nodes first, then rods and cables, by their distance on the screen.
import * as THREE from "three";
import type { Structure } from "../document";

export type PickKind = "node" | "bar" | "cable" | "body" | "joint";
export interface Pick {
  kind: PickKind;
  index: number; // of a joint: of its first solid
}

// In the order of the indices of picks. Of the solids of a body only joints have names of their own.
export function namesOf(structure: Structure): Record<PickKind, string[]> {
  return {
    node: structure.nodes.names,
    bar: structure.bars.names,
    cable: structure.cables.names,
    body: structure.bodies.map(({ name }) => name),
    joint: structure.solids.map(({ name, kind }) => (kind === "arm" ? "" : name)),
  };
}

// x and y in pixels of the picture.
export function pickAt(
  x: number,
  y: number,
  structure: Structure,
  positions: Float32Array,
  camera: THREE.PerspectiveCamera,
  width: number,
  height: number,
  coarse: boolean,
): Pick | null {
  const count = structure.points;
  const screen = new Float32Array(3 * count); // x, y, distance; a negative distance is behind the eye
  const place = new THREE.Vector4();
  const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  for (let n = 0; n < count; n++) {
    place.set(positions[4 * n], positions[4 * n + 1], positions[4 * n + 2], 1).applyMatrix4(matrix);
    screen[3 * n] = (0.5 + (0.5 * place.x) / place.w) * width;
    screen[3 * n + 1] = (0.5 - (0.5 * place.y) / place.w) * height;
    screen[3 * n + 2] = place.w;
  }
  const reach = coarse ? 18 : 8;
  const pixel = height / (2 * Math.tan((camera.fov * Math.PI) / 360)); // size of 1 m at distance 1
  let best: Pick | null = null;
  let score = Infinity;
  // Nearer things win over farther ones that are as well hit.
  const offer = (kind: PickKind, index: number, off: number, far: number, weight: number) => {
    const value = off + weight + 4 * (far / (camera.position.length() + far));
    if (off < reach && far > 0 && value < score) {
      score = value;
      best = { kind, index };
    }
  };
  for (let n = 0; n < structure.nodes.names.length; n++) {
    offer("node", n, Math.hypot(screen[3 * n] - x, screen[3 * n + 1] - y), screen[3 * n + 2], -5);
  }
  const stretch = (kind: PickKind, index: number, a: number, b: number, radius: number, weight: number) => {
    if (screen[3 * a + 2] <= 0 || screen[3 * b + 2] <= 0) return;
    const ax = screen[3 * a];
    const ay = screen[3 * a + 1];
    const dx = screen[3 * b] - ax;
    const dy = screen[3 * b + 1] - ay;
    const square = dx * dx + dy * dy;
    const along = square > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
    const far = screen[3 * a + 2] + along * (screen[3 * b + 2] - screen[3 * a + 2]);
    const off = Math.hypot(x - ax - along * dx, y - ay - along * dy) - (radius * pixel) / far;
    offer(kind, index, Math.max(0, off), far, weight);
  };
  const { bars, cables } = structure;
  bars.names.forEach((_, i) => stretch("bar", i, bars.a[i], bars.b[i], bars.radius[i], 0));
  cables.paths.forEach((path, c) => {
    for (let k = 1; k < path.length; k++) stretch("cable", c, path[k - 1], path[k], 0, 0);
  });
  return best;
}
