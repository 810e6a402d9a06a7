// Bodies and the pulleys on them: few, so ordinary meshes that are moved.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Body, Structure } from "../document";
import type { Track } from "../track";

export class BodyView {
  readonly group = new THREE.Group();
  private readonly frames: THREE.Group[];
  private readonly plain: THREE.MeshLambertMaterial[] = [];
  private readonly pulleyLook = new THREE.MeshLambertMaterial();
  private readonly poses: Float32Array;

  constructor(structure: Structure) {
    this.poses = new Float32Array(7 * structure.bodies.length);
    this.frames = structure.bodies.map((body) => {
      const look = new THREE.MeshLambertMaterial();
      if (/^#[0-9a-f]{6}$/i.test(body.color)) look.color.set(body.color);
      else this.plain.push(look);
      const mesh = new THREE.Mesh(bodyShape(body), look);
      mesh.position.fromArray(body.at);
      mesh.quaternion.set(body.rotation[1], body.rotation[2], body.rotation[3], body.rotation[0]).normalize();
      const frame = new THREE.Group();
      frame.add(mesh);
      this.group.add(frame);
      return frame;
    });
    for (const pulley of structure.pulleys) {
      const disc = new THREE.CylinderGeometry(pulley.radius, pulley.radius, pulley.width || 0.2 * pulley.radius, 32);
      const mesh = new THREE.Mesh(disc, this.pulleyLook);
      mesh.position.fromArray(pulley.at);
      const axis = new THREE.Vector3().fromArray(pulley.axis).normalize();
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
      (pulley.body < 0 ? this.group : this.frames[pulley.body]).add(mesh);
    }
  }

  paint(palette: Palette): void {
    for (const look of this.plain) look.color.set(palette.body);
    this.pulleyLook.color.set(palette.pulley);
  }

  update(track: Track): void {
    if (this.frames.length === 0 || !track.bodies(this.poses)) return;
    this.frames.forEach((frame, i) => {
      const at = 7 * i;
      frame.position.fromArray(this.poses, at);
      frame.quaternion
        .set(this.poses[at + 4], this.poses[at + 5], this.poses[at + 6], this.poses[at + 3])
        .normalize();
    });
  }
}

// Sizes as in docs/report-format.md; cylinders and tubes stand along z.
function bodyShape(body: Body): THREE.BufferGeometry {
  const [a, b, c] = body.size;
  if (body.shape === "box") return new THREE.BoxGeometry(a, b, c);
  if (body.shape === "sphere") return new THREE.SphereGeometry(a, 32, 20);
  if (body.shape === "cylinder") return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
  // A tube: outer radius, inner radius, length.
  const ring = new THREE.Shape().absarc(0, 0, a, 0, 2 * Math.PI, false);
  ring.holes.push(new THREE.Path().absarc(0, 0, Math.min(b, 0.99 * a), 0, 2 * Math.PI, true));
  return new THREE.ExtrudeGeometry(ring, { depth: c, bevelEnabled: false, curveSegments: 32 }).translate(0, 0, -c / 2);
}
