// The eye: orbit, pan and zoom by pointer or touch, named views, following.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Extent } from "./extent";

export type ViewName = "iso" | "front" | "side" | "top";

export class Eye {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly right = new THREE.Vector3();
  private readonly back = new THREE.Vector3();
  private readonly step = new THREE.Vector3();

  constructor(
    canvas: HTMLElement,
    readonly up: THREE.Vector3,
    private extent: Extent,
    changed: () => void,
  ) {
    this.camera.up.copy(up);
    this.right.set(1, 0, 0);
    if (Math.abs(up.x) > 0.9) this.right.set(0, 1, 0);
    this.right.addScaledVector(up, -up.dot(this.right)).normalize();
    this.back.crossVectors(this.right, up); // towards the one who looks at the front
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", changed);
  }

  // Looks from the named side at the box around `low` and `high`, filling the picture.
  look(view: ViewName, low: THREE.Vector3Like, high: THREE.Vector3Like): void {
    const direction = new THREE.Vector3();
    if (view === "front") direction.copy(this.back).addScaledVector(this.up, 0.02);
    else if (view === "side") direction.copy(this.right).addScaledVector(this.up, 0.02);
    else if (view === "top") direction.copy(this.up).addScaledVector(this.back, 1e-3);
    else direction.copy(this.back).addScaledVector(this.right, 0.62).addScaledVector(this.up, 0.42);
    this.frame(direction.normalize(), low, high);
  }

  // Keeps the direction, fills the picture.
  fit(low: THREE.Vector3Like, high: THREE.Vector3Like): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.frame(direction, low, high);
  }

  // The distance at which every corner of the box is seen.
  private frame(direction: THREE.Vector3, low: THREE.Vector3Like, high: THREE.Vector3Like): void {
    const target = new THREE.Vector3().copy(low).add(high as THREE.Vector3).multiplyScalar(0.5);
    const across = new THREE.Vector3().crossVectors(this.up, direction);
    if (across.lengthSq() < 1e-9) across.copy(this.right);
    across.normalize();
    const above = new THREE.Vector3().crossVectors(direction, across);
    // Buttons lie over the upper edge.
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const tall = 0.82 * half;
    const wide = 0.9 * half * this.camera.aspect;
    let distance = 0.2 * this.extent.size;
    for (let corner = 0; corner < 8; corner++) {
      const p = new THREE.Vector3(
        corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z,
      ).sub(target);
      const nearer = p.dot(direction);
      const need = Math.max(Math.abs(p.dot(across)) / wide, Math.abs(p.dot(above)) / tall);
      distance = Math.max(distance, nearer + need);
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.controls.update();
  }

  // Moves along with what is followed.
  shift(by: THREE.Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
  }

  // Turns about the target by angles, or comes closer by a factor: for the keyboard.
  orbit(sideways: number, upward: number, closer: number): void {
    const offset = this.step.copy(this.camera.position).sub(this.controls.target);
    offset.applyAxisAngle(this.up, sideways);
    const across = new THREE.Vector3().crossVectors(this.up, offset).normalize();
    const polar = offset.angleTo(this.up);
    const wanted = Math.min(Math.max(polar - upward, 0.02), Math.PI - 0.02);
    offset.applyAxisAngle(across, wanted - polar).multiplyScalar(1 / closer);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  // The near and far planes enclose the scene tightly enough for the depth buffer.
  settle(reach: number): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-3 * reach, 0.02 * distance);
    this.camera.far = distance + 4 * reach;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }
}
