// Text over the scene on flat canvases: names of nodes and frames that do not overlap, and the axes in a corner.
import * as THREE from "three";
import type { Palette } from "../colors";
import { cut } from "../text";

const corner = 76; // px, of the canvas with the axes

export class Labels {
  readonly canvas = document.createElement("canvas");
  readonly axes = document.createElement("canvas");
  names = false;
  private readonly pen = this.canvas.getContext("2d");
  private readonly axesPen = this.axes.getContext("2d");
  private readonly place = new THREE.Vector3();
  private width = 0;
  private height = 0;
  private readonly short: string[]; // of nodes, frames, bodies
  private readonly nodes: number;
  private readonly frames: number;
  private readonly wide: number[] = [];
  private readonly taken: number[] = []; // boxes already written, 4 values each
  private readonly seen = new THREE.Quaternion(0, 0, 0, 0); // the eye that the axes were drawn for
  private ink = "";

  constructor(names: readonly string[], frames: readonly string[], bodies: readonly string[]) {
    this.canvas.className = "labels";
    this.axes.className = "axes";
    this.canvas.setAttribute("aria-hidden", "true");
    this.axes.setAttribute("aria-hidden", "true");
    this.nodes = names.length;
    this.frames = frames.length;
    this.short = [...names, ...frames, ...bodies].map((name) => cut(name, 22));
  }

  resize(width: number, height: number): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.axes.width = this.axes.height = Math.round(corner * ratio);
    this.pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.axesPen?.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ink = "";
  }

  // The axes change only with the eye; the large canvas is there only while it has something to show.
  // `origins`: of the frames, null where they are not shown; `poses`: of the bodies, 7 values each.
  draw(positions: Float32Array, origins: Float32Array | null, poses: Float64Array, camera: THREE.PerspectiveCamera, palette: Palette, selected: number): void {
    if (this.axesPen && (!this.seen.equals(camera.quaternion) || this.ink !== palette.label)) {
      this.seen.copy(camera.quaternion);
      this.ink = palette.label;
      this.drawAxes(this.axesPen, camera, palette);
    }
    const pen = this.pen;
    this.canvas.hidden = !pen || !(this.names || selected >= 0);
    if (!pen || this.canvas.hidden) return;
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3;
    pen.strokeStyle = palette.halo;
    pen.fillStyle = palette.label;
    this.taken.length = 0;
    if (selected >= 0) this.write(pen, selected, positions, 4 * selected, camera);
    if (!this.names) return;
    for (let at = 0; origins && at < origins.length; at += 4) this.write(pen, this.nodes + at / 4, origins, at, camera);
    const count = Math.min(this.nodes, 400);
    for (let n = 0; n < count; n++) if (n !== selected) this.write(pen, n, positions, 4 * n, camera);
    for (let i = 0; i < Math.min(poses.length / 7, 400); i++) {
      if (this.short[this.nodes + this.frames + i]) this.write(pen, this.nodes + this.frames + i, poses, 7 * i, camera);
    }
  }

  // The n-th name at the place that starts at `at`.
  private write(pen: CanvasRenderingContext2D, n: number, places: Float32Array | Float64Array, at: number, camera: THREE.Camera): void {
    const place = this.place.fromArray(places, at).project(camera);
    if (place.z > 1 || Math.abs(place.x) > 1 || Math.abs(place.y) > 1) return;
    const wide = (this.wide[n] ??= pen.measureText(this.short[n]).width);
    const x = Math.min((0.5 + 0.5 * place.x) * this.width + 8, this.width - wide - 4);
    const y = (0.5 - 0.5 * place.y) * this.height - 9;
    for (let i = 0; i < this.taken.length; i += 4) {
      const apart =
        x > this.taken[i + 2] || x + wide < this.taken[i] || y - 7 > this.taken[i + 3] || y + 7 < this.taken[i + 1];
      if (!apart) return;
    }
    this.taken.push(x, y - 7, x + wide, y + 7);
    pen.strokeText(this.short[n], x, y);
    pen.fillText(this.short[n], x, y);
  }

  // x, y, z as seen from the eye.
  private drawAxes(pen: CanvasRenderingContext2D, camera: THREE.PerspectiveCamera, palette: Palette): void {
    const size = 22;
    const middle = 0.5 * corner;
    pen.clearRect(0, 0, corner, corner);
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 1.5;
    pen.globalAlpha = 0.75;
    pen.strokeStyle = pen.fillStyle = palette.label;
    ["x", "y", "z"].forEach((name, k) => {
      this.place.set(0, 0, 0).setComponent(k, 1).transformDirection(camera.matrixWorldInverse);
      const { x, y } = this.place;
      pen.beginPath();
      pen.moveTo(middle, middle);
      pen.lineTo(middle + size * x, middle - size * y);
      pen.stroke();
      if (Math.hypot(x, y) > 0.2) pen.fillText(name, middle + (size + 8) * x, middle - (size + 8) * y);
    });
  }
}
