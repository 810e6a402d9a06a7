// Bodies, drums and the pins of joints: few, so ordinary meshes that are moved with the frames of the bodies.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Pulley, Shape, Structure, Wheel } from "../document";
import type { Pick } from "./pick";

type Role = "body" | "pulley" | "joint";

export class BodyView {
  readonly group = new THREE.Group();
  private readonly frames: THREE.Group[];
  private readonly meshes: { mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>; role: Role; color: string; pick: Pick }[] = [];
  private readonly ray = new THREE.Raycaster();
  private palette: Palette | null = null;
  private marked: Pick | null = null;

  // `cable`: radius that cables are drawn with, m; `tint`: one colour for everything, of a run that is laid over the first.
  constructor(
    structure: Structure,
    cable: number,
    private readonly tint: number | null = null,
  ) {
    this.frames = structure.bodies.map((body, index) => {
      const frame = new THREE.Group();
      this.group.add(frame);
      if (body.shape) {
        const color = /^#[0-9a-f]{6}$/i.test(body.color) ? body.color : "";
        this.add(index, shapeMesh(body.shape), "body", { kind: "body", index }, body.clear ? 0.3 : 1, color, frame);
      }
      return frame;
    });
    // Arms belong to their body; both arms of a cross are one joint.
    structure.solids.forEach(({ name, kind, body, shape }, i) => {
      const arm = kind === "arm";
      const index = arm ? body : structure.solids.findIndex((solid) => solid.name === name && solid.kind === kind);
      this.add(body, shapeMesh(shape), arm ? "body" : "joint", { kind: arm ? "body" : "joint", index: Math.max(0, arm ? index : Math.min(index, i)) });
    });
    for (const pulley of structure.pulleys) {
      for (const wheel of pulley.second ? [pulley, pulley.second] : [pulley]) this.addDrum(pulley, wheel, cable);
    }
  }

  // A core below the cable, flanges beside it, and a bar across its face that shows how it turns.
  private addDrum(pulley: Pulley, wheel: Wheel, cable: number): void {
    const { radius } = wheel;
    const width = pulley.width || 0.2 * radius;
    const pick: Pick = pulley.cable >= 0 ? { kind: "cable", index: pulley.cable } : { kind: "body", index: Math.max(0, wheel.body) };
    const axis = new THREE.Vector3().fromArray(pulley.axis).normalize();
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
    const put = (geometry: THREE.BufferGeometry, offset: number, role: Role) => {
      const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial());
      mesh.position.fromArray(wheel.at).addScaledVector(axis, offset);
      mesh.quaternion.copy(turn);
      this.add(wheel.body, mesh, role, pick);
    };
    const disc = (r: number, w: number) => new THREE.CylinderGeometry(r, r, w, 40).rotateX(Math.PI / 2);
    put(disc(pulley.cable < 0 ? radius : radius - cable, width), 0, "pulley");
    if (pulley.cable < 0) return;
    const flange = 0.12 * width;
    for (const side of [-1, 1]) put(disc(Math.max(1.04 * radius, radius + 1.5 * cable), flange), 0.5 * side * (width - flange), "pulley");
    put(new THREE.BoxGeometry(1.7 * radius, 0.12 * radius, 1.03 * width), 0, "joint");
  }

  private add(
    body: number,
    mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>,
    role: Role,
    pick: Pick,
    opacity = 1,
    color = "",
    frame = body < 0 ? this.group : this.frames[body],
  ): void {
    const solid = this.tint === null ? opacity : 0.35 * opacity;
    mesh.material.transparent = solid < 1;
    mesh.material.opacity = solid;
    mesh.material.depthWrite = solid === 1;
    if (solid < 1) mesh.renderOrder = 6;
    frame.add(mesh);
    this.meshes.push({ mesh, role, color, pick });
  }

  paint(palette: Palette): void {
    this.palette = palette;
    for (const { mesh, role, color, pick } of this.meshes) {
      const marked = this.marked?.kind === pick.kind && this.marked.index === pick.index;
      mesh.material.color.set(marked ? palette.mark : (this.tint ?? (color || palette[role])));
    }
  }

  mark(pick: Pick | null): void {
    this.marked = pick;
    if (this.palette) this.paint(this.palette);
  }

  // `poses`: 7 values a body.
  update(poses: Float64Array): void {
    this.frames.forEach((frame, i) => {
      const at = 7 * i;
      frame.position.fromArray(poses, at);
      frame.quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
    });
  }

  // What is nearest under a point of the picture (-1 to 1); what is seen through only where nothing is in it.
  pick(x: number, y: number, camera: THREE.Camera): Pick | null {
    this.ray.setFromCamera(new THREE.Vector2(x, y), camera);
    this.group.updateMatrixWorld();
    const hits = this.ray.intersectObjects(this.meshes.map(({ mesh }) => mesh), false);
    const hit = hits.find(({ object }) => !((object as THREE.Mesh).material as THREE.Material).transparent) ?? hits[0];
    return this.meshes.find(({ mesh }) => mesh === hit?.object)?.pick ?? null;
  }

  // Where what was picked is; null where it is nothing of these.
  place(pick: Pick): THREE.Vector3 | null {
    if (pick.kind === "body") return this.frames[pick.index]?.position.clone() ?? null;
    const mesh = this.meshes.find((each) => each.pick.kind === pick.kind && each.pick.index === pick.index)?.mesh;
    this.group.updateMatrixWorld();
    return mesh ? mesh.getWorldPosition(new THREE.Vector3()) : null;
  }

  dispose(): void {
    for (const { mesh } of this.meshes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

// Sizes as in docs/report-format.md; cylinders and tubes stand along z.
function shapeMesh(shape: Shape): THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial> {
  const mesh = new THREE.Mesh(geometry(shape), new THREE.MeshLambertMaterial());
  mesh.position.fromArray(shape.at);
  mesh.quaternion.set(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]).normalize();
  return mesh;
}

function geometry({ kind, size: [a, b, c] }: Shape): THREE.BufferGeometry {
  if (kind === "box") return new THREE.BoxGeometry(a, b, c);
  if (kind === "sphere") return new THREE.SphereGeometry(a, 32, 20);
  if (kind === "cylinder") return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
  // A tube: outer radius, inner radius, length.
  const ring = new THREE.Shape().absarc(0, 0, a, 0, 2 * Math.PI, false);
  ring.holes.push(new THREE.Path().absarc(0, 0, Math.min(b, 0.99 * a), 0, 2 * Math.PI, true));
  return new THREE.ExtrudeGeometry(ring, { depth: c, bevelEnabled: false, curveSegments: 32 }).translate(0, 0, -c / 2);
}
