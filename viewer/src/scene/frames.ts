// The frames that the model asks for: three arrows each, x, y, z in the colours that plots give them.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Structure } from "../document";
import { material, type Shared } from "./figure";
import { arrow, instances } from "./shapes";
import { arrowFragment, arrowVertex } from "./shaders";
import { triad } from "./triad";

export class FrameView {
  readonly group = new THREE.Group();
  readonly origins: Float32Array; // 4 values a frame
  private readonly arrows = instances(arrow(10));
  private readonly tints = [0, 1, 2].map(() => new THREE.Color());
  private readonly pose = new Float64Array(12);

  // `symbol`: size of symbols, m.
  constructor(
    private readonly structure: Structure,
    private readonly symbol: number,
    shared: Shared,
  ) {
    const count = structure.frames.length;
    this.origins = new Float32Array(4 * count);
    for (const name of ["tail", "way", "tint"]) {
      const values = new THREE.InstancedBufferAttribute(new Float32Array(9 * Math.max(1, count)), 3);
      this.arrows.setAttribute(name, values.setUsage(THREE.DynamicDrawUsage));
    }
    const look = material(arrowVertex, arrowFragment, {
      uThick: { value: 0.0045 * symbol },
      uUp: shared.uUp,
      uSun: shared.uSun,
    });
    const mesh = new THREE.Mesh(this.arrows, look);
    mesh.frustumCulled = false;
    this.group.add(mesh);
  }

  paint(palette: Palette): void {
    this.tints.forEach((tint, k) => tint.set(palette.axes[k]));
  }

  // A frame whose nodes lie in one line has no axes to show.
  update(positions: Float32Array): void {
    const [tail, way, tint] = ["tail", "way", "tint"].map((name) => this.arrows.getAttribute(name));
    let count = 0;
    this.structure.frames.forEach((frame, i) => {
      const whole = triad(positions, 4, frame.nodes, this.pose);
      this.origins.set(this.pose.subarray(0, 3), 4 * i);
      for (let axis = 0; whole && axis < 3; axis++, count++) {
        for (let k = 0; k < 3; k++) {
          tail.array[3 * count + k] = this.pose[k];
          way.array[3 * count + k] = 0.12 * this.symbol * this.pose[3 + 3 * axis + k];
        }
        this.tints[axis].toArray(tint.array as Float32Array, 3 * count);
      }
    });
    this.arrows.instanceCount = count;
    for (const each of [tail, way, tint]) each.needsUpdate = true;
  }
}
