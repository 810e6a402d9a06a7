// The way of the centre over the whole run, and of the selected node.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Structure } from "../document";
import type { Track } from "../track";

const most = 2000; // points

export class PathView {
  readonly group = new THREE.Group();
  private readonly center = line();
  private readonly chosen = line();

  constructor(private readonly structure: Structure) {
    this.group.add(this.center, this.chosen);
  }

  paint(palette: Palette): void {
    (this.center.material as THREE.LineBasicMaterial).color.set(palette.path);
    (this.chosen.material as THREE.LineBasicMaterial).color.set(palette.mark);
  }

  show(on: boolean): void {
    this.center.visible = on;
  }

  // `node` is -1 for none.
  setRun(track: Track, node: number): void {
    const count = this.structure.nodes.names.length;
    if (count === 0) return;
    const places = new Float32Array(3 * count);
    // Large structures go with fewer points.
    const step = Math.max(1, Math.ceil(track.rows / Math.min(most, Math.max(100, 6e5 / count))));
    const centers = this.center.geometry.getAttribute("position").array as Float32Array;
    const chosen = this.chosen.geometry.getAttribute("position").array as Float32Array;
    const { row, part } = track;
    let points = 0;
    for (let r = 0; r < track.rows; r += step, points++) {
      track.row = r;
      track.part = 0;
      track.positions(places, 3);
      centers.fill(0, 3 * points, 3 * points + 3);
      for (let i = 0; i < places.length; i++) centers[3 * points + (i % 3)] += places[i] / count;
      if (node >= 0) for (let k = 0; k < 3; k++) chosen[3 * points + k] = places[3 * node + k];
    }
    track.row = row;
    track.part = part;
    for (const each of [this.center, this.chosen]) {
      each.geometry.setDrawRange(0, each === this.chosen && node < 0 ? 0 : points);
      each.geometry.getAttribute("position").needsUpdate = true;
    }
  }
}

function line(): THREE.Line {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * most + 3), 3));
  geometry.setDrawRange(0, 0);
  const object = new THREE.Line(geometry, new THREE.LineBasicMaterial());
  object.frustumCulled = false;
  return object;
}
