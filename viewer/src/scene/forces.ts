// Arrows for loads, support and contact forces; rings where nodes touch the ground.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Run, Structure } from "../document";
import type { Track } from "../track";
import { material, type Shared } from "./figure";
import type { GroundView } from "./ground";
import { arrow, instances, square } from "./shapes";
import { arrowFragment, arrowVertex, ringFragment, ringVertex } from "./shaders";

export type ForceKind = "load" | "support" | "contact";

export class ForceView {
  readonly group = new THREE.Group();
  readonly shown: Record<ForceKind, boolean> = { load: true, support: true, contact: true };
  largest: Record<ForceKind, number> = { load: 0, support: 0, contact: 0 }; // N, over the whole run
  private readonly capacity: number;
  private readonly arrows: THREE.InstancedBufferGeometry;
  private readonly rings: THREE.InstancedBufferGeometry;
  private readonly look: THREE.ShaderMaterial;
  private readonly ringLook: THREE.ShaderMaterial;
  private readonly tints: Record<ForceKind, THREE.Color> = {
    load: new THREE.Color(),
    support: new THREE.Color(),
    contact: new THREE.Color(),
  };
  private count = 0;
  private readonly place = new THREE.Vector3();

  constructor(
    private readonly structure: Structure,
    private readonly size: number,
    private readonly symbol: number, // size of symbols
    private readonly ground: GroundView | null,
    shared: Shared,
  ) {
    const nodes = structure.nodes.names.length;
    this.capacity = structure.loads.length + 2 * nodes;
    const buffer = (width: number) =>
      new THREE.InstancedBufferAttribute(new Float32Array(width * Math.max(1, this.capacity)), width).setUsage(
        THREE.DynamicDrawUsage,
      ) as THREE.InstancedBufferAttribute;
    this.arrows = instances(arrow(10));
    for (const name of ["tail", "way", "tint"]) this.arrows.setAttribute(name, buffer(3));
    this.look = material(arrowVertex, arrowFragment, {
      uThick: { value: 0.0055 * symbol },
      uUp: shared.uUp,
      uSun: shared.uSun,
    });
    this.rings = instances(square());
    this.rings.setAttribute("spot", buffer(4));
    const normal = ground ? ground.normal : new THREE.Vector3(0, 0, 1);
    this.ringLook = material(ringVertex, ringFragment, {
      uNormal: { value: normal },
      uPixel: shared.uPixel,
      uColor: { value: new THREE.Color() },
    });
    this.ringLook.transparent = true;
    this.ringLook.depthWrite = false;
    this.ringLook.depthTest = false;
    this.ringLook.side = THREE.DoubleSide;
    const add = (geometry: THREE.InstancedBufferGeometry, look: THREE.Material, order: number) => {
      const mesh = new THREE.Mesh(geometry, look);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.group.add(mesh);
    };
    add(this.arrows, this.look, 1);
    add(this.rings, this.ringLook, -7);
  }

  paint(palette: Palette): void {
    this.tints.load.set(palette.load);
    this.tints.support.set(palette.reaction);
    this.tints.contact.set(palette.contact);
    this.ringLook.uniforms.uColor.value.set(palette.contact);
  }

  // The longest arrow of each kind is a quarter of the structure. What is rounding beside the tensions is no force.
  setRun(run: Run): void {
    const rounding = 1e-9 * Math.max(0, ...(run.tensions?.range() ?? []), ...(run.barForces?.range() ?? []).map(Math.abs));
    const felt = (force: number) => (force > rounding ? force : 0);
    this.largest = {
      load: Math.max(0, ...this.structure.loads.map((load) => Math.hypot(...load.force))),
      support: felt(largestRow(run.supportForces?.data)),
      contact: felt(largestRow(run.contactForces?.data)),
    };
  }

  update(track: Track, positions: Float32Array, time: number): void {
    this.count = 0;
    let rings = 0;
    const { run } = track;
    for (const load of this.structure.loads) {
      if (time < load.from || time > load.to) continue;
      this.add("load", load.node, load.force[0], load.force[1], load.force[2], positions);
    }
    const supports = run.supportForces;
    if (supports) {
      for (let s = 0; s < run.supportNodes.length; s++) {
        const at = 3 * s;
        const node = run.supportNodes[s];
        this.add("support", node, track.mix(supports, at), track.mix(supports, at + 1), track.mix(supports, at + 2), positions);
      }
    }
    const contacts = run.contactForces;
    if (contacts) {
      const spots = this.rings.getAttribute("spot").array as Float32Array;
      const nodes = this.structure.nodes.names.length;
      for (let n = 0; n < nodes; n++) {
        const x = track.mix(contacts, 3 * n);
        const y = track.mix(contacts, 3 * n + 1);
        const z = track.mix(contacts, 3 * n + 2);
        if (!(this.largest.contact > 0) || !(x * x + y * y + z * z > 1e-8 * this.largest.contact ** 2)) continue;
        this.add("contact", n, x, y, z, positions);
        if (!this.ground || !this.shown.contact) continue;
        this.place.fromArray(positions, 4 * n);
        this.ground.drop(this.place);
        this.place.toArray(spots, 4 * rings);
        spots[4 * rings + 3] = 0.03 * this.symbol;
        rings++;
      }
    }
    this.arrows.instanceCount = this.count;
    this.rings.instanceCount = rings;
    for (const name of ["tail", "way", "tint"]) this.arrows.getAttribute(name).needsUpdate = true;
    this.rings.getAttribute("spot").needsUpdate = true;
  }

  // A load ends at its node, other forces start there.
  private add(kind: ForceKind, node: number, x: number, y: number, z: number, positions: Float32Array): void {
    const force = Math.hypot(x, y, z);
    const scale = this.largest[kind];
    if (!this.shown[kind] || this.count >= this.capacity || !(scale > 0) || !(force > 2e-3 * scale)) return;
    const factor = (0.25 * this.size) / scale;
    const at = 3 * this.count++;
    const way = this.arrows.getAttribute("way").array as Float32Array;
    const tail = this.arrows.getAttribute("tail").array as Float32Array;
    way[at] = x * factor;
    way[at + 1] = y * factor;
    way[at + 2] = z * factor;
    const back = kind === "load" ? 1 : 0;
    for (let k = 0; k < 3; k++) tail[at + k] = positions[4 * node + k] - back * way[at + k];
    this.tints[kind].toArray(this.arrows.getAttribute("tint").array as Float32Array, at);
  }
}

function largestRow(data: ArrayLike<number> | undefined): number {
  let largest = 0;
  for (let i = 0; data && i < data.length; i += 3) {
    const square = data[i] ** 2 + data[i + 1] ** 2 + data[i + 2] ** 2;
    if (square > largest && square < Infinity) largest = square;
  }
  return Math.sqrt(largest);
}
